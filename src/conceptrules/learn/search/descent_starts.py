"""Starts that gradient descent finds, to be improved like those that are grown.

Growing adds one rule after another, each for what the others leave; descent moves all of them at once, and so finds
networks that growing does not come near.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conceptrules.kernels.mllp.cohort import Cohort, Flags
from conceptrules.learn.examples import Bits, Examples
from conceptrules.learn.mllp.cpu_engine import CallingThread
from conceptrules.learn.mllp.descent import descend
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.priority import rarest_first
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.model.evaluation import PackedBits

# One level is what local search does best; the rules' own error is half of the gradient; and steps are counted, so that
# the size of the table does not matter. On rows held out of adult and magic04, twice as many steps or nodes, half as
# many nodes, and rates of 0.5 to 0.7 were no better.
RULES_OF_A_CLASS = 32
HYPERPARAMETERS = Hyperparameters(
    (RULES_OF_A_CLASS,), binarization_rate=(0.7, 0.8, 0.9), max_epochs=80, epoch_steps=125, graft=0.5, l1=1e-5
)


def descended(rows: Rows, literals: Bits, priority: bool, seed: int) -> list[MutableNetwork]:
    """One network for each binarization rate, after the last step: no held-out row has a say."""
    allowed = np.flatnonzero(literals)
    words = PackedBits(np.ascontiguousarray(rows.words[allowed]), len(rows.target))
    examples = Examples.from_packed_bits(words, rows.target, rows.weight)
    settings = replace(HYPERPARAMETERS, layers=(RULES_OF_A_CLASS * rows.classes,))
    *_, last = descend(settings, rows.classes, examples, np.random.default_rng(seed), CallingThread())
    sizes, edges = last.cohort.sizes, last.cohort.weights > 0.5
    nets = [_draft(rows, allowed, *(layer[0] for layer in Cohort.layers(sizes, one[None]))) for one in edges]
    if priority:
        for net in nets:
            net.improve_priority()
    return nets


def _draft(rows: Rows, allowed: np.ndarray, rules: Flags, classes: Flags) -> MutableNetwork:
    """Without the rules that say nothing, or that no class has."""
    classes = classes[:, (used := rules.any(axis=1) & classes.any(axis=0))]
    order, default = rarest_first(rows.target, rows.weight, rows.classes)
    layers = [[allowed[np.flatnonzero(rule)] for rule in rules[used]], [np.flatnonzero(one) for one in classes]]
    return MutableNetwork(rows, layers, list(order), default)
