"""Starts that gradient descent finds, to be polished like those that are grown.

Growing adds one rule after another, each for what the others leave; descent moves all of them at once, and so finds
networks that growing does not come near.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conceptrules.kernels.mllp.cohort import Cohort, Flags
from conceptrules.learn.examples import Bits, Examples
from conceptrules.learn.mllp.cpu_engine import Here
from conceptrules.learn.mllp.descent import descend
from conceptrules.learn.mllp.hyperparameters import Recipe
from conceptrules.learn.search.mutable_network import Draft
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.learn.search.priority_search import polish_winners
from conceptrules.model.evaluation import PackedBits

# One level is what polishing does best; the rules' own error is half of the gradient; and steps are counted, so that
# the size of the table does not matter. On rows held out of adult and magic04, twice as many steps or nodes, half as
# many nodes, and rates of 0.5 to 0.7 were no better.
RULES_OF_A_CLASS = 32
RECIPE = Recipe(
    (RULES_OF_A_CLASS,), binarization_rate=(0.7, 0.8, 0.9), max_epochs=80, epoch_steps=125, graft=0.5, l1=1e-5
)


def descended(rows: Rows, literals: Bits, winners: bool, seed: int) -> list[Draft]:
    """One network for each binarization rate, after the last step: no held-out row has a say."""
    allowed = np.flatnonzero(literals)
    words = PackedBits(np.ascontiguousarray(rows.words[allowed]), len(rows.target))
    examples = Examples.read(words, rows.target, rows.weight)
    recipe = replace(RECIPE, layers=(RULES_OF_A_CLASS * rows.classes,))
    *_, last = descend(recipe, rows.classes, examples, np.random.default_rng(seed), Here())
    sizes, edges = last.cohort.sizes, last.cohort.weights > 0.5
    drafts = [_draft(rows, allowed, *(layer[0] for layer in Cohort.layers(sizes, one[None]))) for one in edges]
    if winners:
        for draft in drafts:
            polish_winners(draft)
    return drafts


def _draft(rows: Rows, allowed: np.ndarray, rules: Flags, classes: Flags) -> Draft:
    """Without the rules that say nothing, or that no class has."""
    classes = classes[:, (used := rules.any(axis=1) & classes.any(axis=0))]
    order = np.argsort(np.bincount(rows.target, rows.weight, rows.classes), kind="stable").tolist()
    layers = [[allowed[np.flatnonzero(rule)] for rule in rules[used]], [np.flatnonzero(one) for one in classes]]
    return Draft(rows, layers, order, order[-1])
