"""One layer of a network as a transformer of scikit-learn, whose output comes in the container that was asked for."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from conceptrules.model.evaluation import Bits, layers, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import node_names
from conceptrules.tables.table import read_packed_bits


class LayerTransformer(TransformerMixin, BaseEstimator):
    """The bits of one layer of a network, under names that say in words what they mean.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    layer : int
        The number of the layer: 0 for the predicates, then rules and concepts in turn.
    """

    def __init__(self, network: RuleNetwork, layer: int) -> None:
        self.network = network
        self.layer = layer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Do nothing: the network is learned already."""
        return self

    def transform(self, X: Any) -> Bits:
        """Return which nodes of the layer hold on each row."""
        words = read_packed_bits(self.network.columns, self.network.predicates, X)
        return unpack(layers(self.network, words)[self.layer])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return what each node of the layer says, in words."""
        return np.array(node_names(self.network, self.layer), dtype=object)
