"""The learned representation of each layer, as scikit-learn's `transform`."""

from __future__ import annotations

from copy import copy
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._set_output import _wrap_data_with_container
from sklearn.utils.validation import check_is_fitted

from conceptrules.binarize import Binarizer
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import layers, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import node_names
from conceptrules.tables.table import read_packed_bits


class Layers:
    """The learned representation of each layer.

    In a class of its own, which scikit-learn does not wrap: its `set_output` knows the names of one layer only.
    """

    network_: RuleNetwork
    binarizer_: Binarizer

    def transform(self, X: Any, layer: int = -2) -> Any:
        """The learned representation h(layer): 0 the predicates, 1 the first rules, 2 their concepts, ..., the classes.

        Negative layers count from the top; the rules just below the classes are the default.
        """
        check_is_fitted(self, "network_")
        words = read_packed_bits(self.network_.columns, self.network_.predicates, X)
        bits = unpack(layers(self.network_, words)[self._layer(layer)])
        named: Any = copy(self)
        named.get_feature_names_out = partial(self.get_feature_names_out, layer=layer)
        return _wrap_data_with_container("transform", bits, X, named)

    def get_feature_names_out(self, input_features: Any = None, layer: int = -2) -> NDArray[np.object_]:
        """What each column of `transform` says, in words."""
        check_is_fitted(self, "network_")
        self.binarizer_.get_feature_names_out(input_features)  # objects to names that are not those of the fit
        return np.array(node_names(self.network_, self._layer(layer)), dtype=object)

    def _layer(self, layer: int) -> int:
        """A layer's number from the bottom."""
        count = 2 * len(self.network_.levels) + 1
        if not isinstance(layer, Integral) or not -count <= layer < count:
            raise InputError(f"layer is {layer!r}; this network has the layers 0 (predicates) to {count - 1} (classes)")
        return int(layer) % count
