"""What the kernels of the search work on: tuples of arrays, which compiled functions take as they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST = 12
"""The most conditions that a rule can have."""
CODES = 256
"""Codes of a column: those of its bins, and behind them one for values that are missing or unseen."""


# What rules of a class may ask of a column, as bits: x <= cut, x > cut, both at once, whether it is missing, whether it
# is not, and sets of categories.
AT_MOST, ABOVE, WITHIN, GAP, PRESENT, SETS = 1, 2, 4, 8, 16, 32
ANYTHING = 63


class Groups(NamedTuple):
    """Groups of rows, those of each clause one after another, and how far apart their rates of a class may be."""

    share: NDArray[np.float64]
    """[row, group]: which share of the group's rows that count is in the row. Mixed rows are in no group."""
    total: NDArray[np.float64]
    """The weight of the rows that count in each group; one without such rows is treated like any other."""
    positive: NDArray[np.int64]
    """The class whose rate counts, for each group."""
    first: NDArray[np.int64]
    """Where the groups of each clause begin; the last entry is the number of groups."""
    factor: NDArray[np.float64]
    """For each clause: the highest rate times this, less the lowest, is at most `slack`."""
    slack: NDArray[np.float64]


NO_GROUPS = Groups(
    np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0), np.zeros(0)
)


class Rows(NamedTuple):
    """Rows to learn from. A row may be of several classes: equal rows of the table are one row here."""

    codes: NDArray[np.uint8]
    """[row, column]: the bin of each value."""
    mass: NDArray[np.float64]
    """[row, class]: the weight of the row in each class."""
    label: NDArray[np.int64]
    """The class that has all of the row's weight, or -1."""
    raw: NDArray[np.float64] = np.zeros((0, 0))
    """[row, class]: its weight whatever the class weighs; of size 0 where no clause of a policy asks for it. Mixed rows
    weigh nothing here."""
    groups: Groups = NO_GROUPS
    """The groups that a policy wants to be treated alike."""


class Columns(NamedTuple):
    """What the codes mean."""

    bins: NDArray[np.int64]
    """The number of bins. The code after the last bin is that of a missing or unseen value."""
    gaps: NDArray[np.bool_]
    """Whether some rows have the code of missing and unseen values."""
    askable: NDArray[np.bool_]
    """Whether rules may ask if the value is missing."""
    ordered: NDArray[np.int64]
    """Whether the bins have an order: 0, conditions are sets; 1, they are intervals; 2, they are either."""
    cost: NDArray[np.float64]
    """What an edge of this column costs, in edges."""
    may_ask: NDArray[np.uint8]
    """[class, column]: what rules of the class may ask of the column, as bits; 0: nothing."""
    apart: NDArray[np.bool_]
    """[column, column]: whether two columns must not meet in a rule; of size 0 where all of them may."""
    start: NDArray[np.int64]
    """Where the bins of each column begin in a histogram of all columns; the last entry is its length."""


class Rules(NamedTuple):
    """Room for rules; how many of them are in use is told apart."""

    owner: NDArray[np.int64]
    """The class of each rule."""
    length: NDArray[np.int64]
    """The number of its conditions."""
    column: NDArray[np.int64]
    """[rule, condition]: the column."""
    allowed: NDArray[np.uint8]
    """[rule, condition, code]: 1 where the condition holds."""
    size: NDArray[np.int64]
    """[rule, condition]: its edges."""


def empty_rules(room: int) -> Rules:
    """Return room for so many rules."""
    return Rules(
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros((room, LONGEST), np.int64),
        np.zeros((room, LONGEST, CODES), np.uint8),
        np.zeros((room, LONGEST), np.int64),
    )


def take_rules(rules: Rules, kept: NDArray[np.bool_] | slice) -> Rules:
    """Return some of the rules."""
    return Rules(rules.owner[kept], rules.length[kept], rules.column[kept], rules.allowed[kept], rules.size[kept])


class Limits(NamedTuple):
    """What a network may be like, and how hard to look for it."""

    penalty: float
    """What an edge costs, in units of the score."""
    conditions: int
    """The most edges of one rule, its own edge not counted."""
    rules: int
    edges: float
    categories: int
    """The most categories in one condition."""
    negation: bool
    """Whether conditions may say `not`."""
    scoring: int
    """The number of the score, see scores.py."""
    sweeps: int
    """How often the whole network is gone over, at most."""
    locked: int
    """The first rules, so many, stay as they are."""
    fixed_priority: bool
    """Whether the priority has to stay as it is."""
    fixed_default: bool
    """Whether the default has to stay as it is."""
    least_rows: float = 0.0
    """The least raw weight of the rows that a rule covers."""
    least_precision: float = 0.0
    """The least share of its class among them."""
    deviations: float = 0.0
    """How many standard deviations the lower bound of that share is below it, as Wilson has it."""
    bans: Rules = empty_rules(0)
    """Rules that are not to be learned again, with these bounds or with others."""
