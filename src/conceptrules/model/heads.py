"""The head of a network that adds points up: a scorecard.

A network without such a head decides by the priority of its classes and its default. With `Points`, each rule of the
last level that holds adds whole numbers to a base, and the sums, its scores, give the class and the probabilities. A
network whose target is a number has no classes: its score times a step is the prediction, or, with the log link, the
logarithm of the prediction, so that rules multiply.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING

from conceptrules.model.errors import InputError

if TYPE_CHECKING:
    from conceptrules.model.network import RuleNetwork

MAX_SCORE = 2**31 - 1
"""The largest sum of points: it fits an integer of every language that a network is exported to."""

MAX_LOGARITHM = 700
"""The farthest that the logarithm of a prediction can be from 0: e to the power of it is still a normal double."""

MAX_UNIT = 1_000_000
"""The largest unit: times the largest score it is still far from the largest double."""


LINKS = ("identity", "log")


@dataclass(frozen=True, slots=True)
class Points:
    """Whole-number points that add up: one score for two classes or a number, a score for each class of several.

    Raises
    ------
    InputError
        If a figure is not a whole number, a score could exceed 31 bits, or the probabilities fall.

    Examples
    --------
    >>> Points(points=[[5], [-2]], base=[1], cutoff=4, probabilities=[(-1, 0.1), (4, 0.6)]).outputs
    1
    """

    points: tuple[tuple[int, ...], ...]
    """The points of each rule of the last level for each output: `points[rule][output]`; 0 is none."""
    base: tuple[int, ...]
    """What each output starts from, before any rule adds to it."""
    cutoff: int = 0
    """Two classes: the second class is answered where the score is at least this."""
    probabilities: tuple[tuple[int, float], ...] = ()
    """Two classes: the probability of the second class from each least score on, ascending; that of the first entry
    holds below it, too."""
    unit: float = 1.0
    """Several classes: the probabilities are the softmax of the scores times this unit."""
    offsets: tuple[int, ...] = ()
    """Several classes: what is added to the scores before the class of the largest one is answered; the first of equal
    ones wins."""
    step: float | None = None
    """A number to predict: what a point adds to it, so that the prediction is the score times this; None: classes."""
    link: str = "identity"
    """A number to predict: with "log", the prediction is e to the power of the score times the step, and so a point
    multiplies it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(_whole(row, "points") for row in self.points))
        object.__setattr__(self, "base", _whole(self.base, "base"))
        object.__setattr__(self, "offsets", _whole(self.offsets, "offsets"))
        (cutoff,) = _whole([self.cutoff], "cutoff")
        object.__setattr__(self, "cutoff", cutoff)
        object.__setattr__(self, "unit", float(self.unit))
        object.__setattr__(self, "step", None if self.step is None else float(self.step))
        table = tuple((_whole([score], "probabilities")[0], float(share)) for score, share in self.probabilities)
        object.__setattr__(self, "probabilities", table)
        self._check()

    @property
    def outputs(self) -> int:
        """The number of scores: 1 for two classes, otherwise that of the classes."""
        return len(self.base)

    @property
    def edges(self) -> int:
        """The pairs of a rule and an output that have points."""
        return sum(points != 0 for row in self.points for points in row)

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The least and the largest score of each output that the points allow, whether a row reaches it or not."""
        columns = [[row[output] for row in self.points] for output in range(self.outputs)]
        return tuple(
            (base + sum(min(each, 0) for each in column), base + sum(max(each, 0) for each in column))
            for base, column in zip(self.base, columns, strict=True)
        )

    def _check(self) -> None:
        for number, row in enumerate(self.points):
            if len(row) != self.outputs:
                raise InputError(f"rule {number} has points for {len(row)} outputs, the base is for {self.outputs}")
        offsets = self.offsets or (0,) * self.outputs
        if len(offsets) != self.outputs:
            raise InputError(f"there are {len(self.offsets)} offsets for {self.outputs} scores; give one for each")
        for output, (base, offset) in enumerate(zip(self.base, offsets, strict=True)):
            if abs(base) + abs(offset) + sum(abs(row[output]) for row in self.points) > MAX_SCORE:
                raise InputError(f"the points of output {output} add up to more than {MAX_SCORE}; use smaller points")
        if abs(self.cutoff) > MAX_SCORE or any(abs(score) > MAX_SCORE for score, _ in self.probabilities):
            raise InputError(f"the cut-off and the scores of the probabilities may be at most {MAX_SCORE} from 0")
        if not 0 < self.unit <= MAX_UNIT:
            raise InputError(f"unit is {self.unit}; it must be positive and at most {MAX_UNIT:,}")
        if self.step is not None and not 0 < self.step * MAX_SCORE < math.inf:
            raise InputError(f"step is {self.step}; it must be positive, and {MAX_SCORE} steps finite")
        self._check_link()
        if any(not 0 <= share <= 1 for _, share in self.probabilities):
            raise InputError("probabilities must be from 0 to 1")
        for (score, share), (next_score, next_share) in pairwise(self.probabilities):
            if not (score < next_score and share <= next_share):
                raise InputError(
                    f"the probability of a score may not fall: it is {share} from {score} on, {next_share} from "
                    f"{next_score} on; list the scores ascending"
                )

    def _check_link(self) -> None:
        if self.link not in LINKS:
            raise InputError(f"link is {self.link!r}; use {' or '.join(map(repr, LINKS))}")
        if self.link == "log":
            if self.step is None:
                raise InputError("the log link is for heads that predict a number; give a step, or leave it out")
            farthest = max((abs(score) for score in sum(self.bounds, ())), default=0)
            if farthest * self.step > MAX_LOGARITHM:
                raise InputError(
                    f"with the log link, the score times the step may be at most {MAX_LOGARITHM} from 0, and a score "
                    f"of {farthest:,} with a step of {self.step} is beyond it; use a smaller step or smaller points"
                )


def check_points(head: Points, rules: int, classes: int) -> None:
    """Raise an `InputError` unless a head fits a network with so many rules on its last level and so many classes."""
    if head.step is not None:
        _check_number(head, rules, classes)
        return
    if classes < 2:
        raise InputError("a scorecard needs at least two classes")
    _check_rules(head, rules)
    outputs = 1 if classes == 2 else classes
    if head.outputs != outputs:
        raise InputError(f"{classes} classes need a base of {outputs} numbers, got {head.outputs}")
    two = classes == 2
    if two != bool(head.probabilities) or (not two and head.cutoff):
        raise InputError("a head has a cut-off and a table of probabilities for two classes, and neither for several")
    if two == bool(head.offsets) or (two and head.unit != 1):
        raise InputError("a head has a unit and offsets, one for each class, for several classes, and neither for two")


def _check_number(head: Points, rules: int, classes: int) -> None:
    if classes:
        raise InputError(
            f"a head with a step predicts a number, and there are {classes} classes; leave one of them out"
        )
    _check_rules(head, rules)
    if head.outputs != 1 or head.probabilities or head.cutoff or head.offsets or head.unit != 1:
        raise InputError(
            "a head that predicts a number has a base of one number and a step, and no cut-off, probabilities, unit or "
            "offsets"
        )


def _check_rules(head: Points, rules: int) -> None:
    if len(head.points) != rules:
        raise InputError(f"the head has points for {len(head.points)} rules, the last level has {rules}")


def require_classes(network: RuleNetwork, reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, if the network predicts a number and the reader cannot."""
    if network.head is not None and network.head.step is not None:
        raise InputError(f"{reader} needs classes and does not know networks that predict a number yet")


def require_decision(network: RuleNetwork, reader: str) -> None:
    """Raise an `InputError`, with the name of the reader, if the network is a scorecard and the reader knows none."""
    if network.head is not None:
        raise InputError(
            f"{reader} does not know scorecards yet; it takes a network that decides by the priority of its classes, "
            "such as that of ConceptRuleClassifier"
        )


def _whole(values: Iterable[int], name: str) -> tuple[int, ...]:
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise InputError(f"{name} must be whole numbers, got {values!r}") from None
