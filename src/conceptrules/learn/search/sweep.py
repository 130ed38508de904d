"""Once over the whole network: every node is improved, rules are added and exchanged, and who wins is looked at."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.search.grow import grow_rules
from conceptrules.learn.search.local_search import improve_concept, improve_rule, improve_rules
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import Terms, objective
from conceptrules.learn.search.regrow import regrow_class


def sweep(net: MutableNetwork, terms: Terms, rng: np.random.Generator) -> None:
    """The layers below the last level from the bottom up, the classes in a random order, then who wins."""
    for depth in range(len(net.layers) - 2):
        improve_layer(net, depth, terms, rng)
    for c in rng.permutation(net.rows.classes).tolist():
        improve_rules(net, len(net.layers) - 1, c, terms)
        grow_rules(net, c, terms, rng)
        if terms.regrow:
            regrow_class(net, c, terms, rng)
    if terms.priority:
        net.improve_priority()


def improve_layer(net: MutableNetwork, depth: int, terms: Terms, rng: np.random.Generator) -> None:
    """Every node of a layer once, in a random order."""
    score, improve = objective(net, terms), improve_concept if depth % 2 else improve_rule
    for node in rng.permutation(len(net.layers[depth])).tolist():
        score = improve(net, depth, node, terms, score)
