"""Once over the whole network: every node is polished, rules are added and exchanged, and who wins is looked at."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.search.grow import grow_rules
from conceptrules.learn.search.local_search import polish_concept, polish_rule, polish_rules
from conceptrules.learn.search.mutable_network import Draft
from conceptrules.learn.search.objective import Terms, objective
from conceptrules.learn.search.priority_search import polish_winners
from conceptrules.learn.search.regrow import regrow_class


def sweep(draft: Draft, terms: Terms, rng: np.random.Generator) -> None:
    """The layers below the last level from the bottom up, the classes in a random order, then who wins."""
    for depth in range(len(draft.layers) - 2):
        polish_layer(draft, depth, terms, rng)
    for c in rng.permutation(draft.rows.classes).tolist():
        polish_rules(draft, len(draft.layers) - 1, c, terms)
        grow_rules(draft, c, terms, rng)
        if terms.regrow:
            regrow_class(draft, c, terms, rng)
    if terms.winners:
        polish_winners(draft)


def polish_layer(draft: Draft, depth: int, terms: Terms, rng: np.random.Generator) -> None:
    """Every node of a layer once, in a random order."""
    score, polish = objective(draft, terms), polish_concept if depth % 2 else polish_rule
    for node in rng.permutation(len(draft.layers[depth])).tolist():
        score = polish(draft, depth, node, terms, score)
