"""What a net is judged on: packed rows, their classes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search import bit_planes as planes
from conceptrules.kernels.search.bit_planes import Words
from conceptrules.learn.examples import Examples, Targets
from conceptrules.learn.scoring import Floats
from conceptrules.model.evaluation import full_words, pack


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of some examples, with what counts as good on them."""

    words: Words
    """(predicates and their negations, words)."""
    target: Targets
    weight: Floats
    classes: int
    scoring: str = "f1_macro"

    @staticmethod
    def of(examples: Examples, classes: int, scoring: str = "f1_macro") -> Rows:
        """Rows that stand for a few others are laid out one by one: equal weights need fewer planes."""
        weight = examples.weight.astype(np.float64)
        if (weight == np.rint(weight)).all() and weight.sum() <= 2 * len(weight):
            order = np.repeat(np.arange(len(weight)), weight.astype(np.int64))
            weight = np.ones(len(order))
            examples = Examples(examples.packed[order], examples.target[order], weight, examples.inputs)
        words = examples.to_packed_bits().words
        both = np.concatenate([words, words ^ full_words(len(examples))])
        return Rows(both, examples.target, weight, classes, scoring)

    @cached_property
    def full(self) -> Words:
        """A node that holds on all rows."""
        return full_words(len(self.target))

    @cached_property
    def members(self) -> Words | None:
        """The rows of each class, where all rows weigh the same: then bits can be counted."""
        if (self.weight != self.weight[0]).any():
            return None
        return pack(self.target[:, None] == np.arange(self.classes)).words

    def confusion(self, fired: Words, order: Sequence[int], default: int) -> Floats:
        """Rows by class and by the class decided."""
        if self.members is not None:
            counted: Floats = planes.confusion(fired, np.array(order), default, self.members)
            return counted * self.weight[0]
        answers = np.empty(len(self.target), np.int64)
        planes.decisions(fired, np.array(order), default, answers)
        places: NDArray[np.int64] = self.target * self.classes + answers
        sums: Floats = np.bincount(places, self.weight, self.classes**2).astype(np.float64)
        return sums.reshape(self.classes, self.classes)
