"""Several rules at a time: some of a class are taken out and others grown in their place."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.search.grow import grow_rules
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import Terms, objective

# A rule that covers much and errs a little stands in the way of several that do not err at all: rows that lose are
# counted up to so many times.
CARE = (1.0, 2.0, 5.0, 20.0)


def regrow_class(net: MutableNetwork, c: int, terms: Terms, rng: np.random.Generator) -> None:
    """As often as the class has rules."""
    for _ in range(len(net.layers[-1][c])):
        regrow(net, c, terms, rng, 1 + int(rng.integers(terms.regrow)))


def regrow(net: MutableNetwork, c: int, terms: Terms, rng: np.random.Generator, count: int) -> None:
    """Takes so many rules of a class out and grows others; the old ones come back if they are better."""
    rules = net.layers[-1][c]
    if not len(rules):
        return
    before, score = net.copy(), objective(net, terms)
    for rule in sorted(rng.choice(rules, min(count, len(rules)), replace=False).tolist(), reverse=True):
        net.drop_rule(len(net.layers) - 2, rule)
    grow_rules(net, c, terms, rng, CARE[rng.integers(len(CARE))])
    if objective(net, terms) <= score:
        net.restore(before)
