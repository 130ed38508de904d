"""From a table to bits: column kinds, cut points, predicates and the transformer that makes them."""

from conceptrules.binarize.binarizer import Binarizer

__all__ = ["Binarizer"]
