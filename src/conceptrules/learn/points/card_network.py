"""Cards as networks: whole points, the probability of each score, and the cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import exponentiate, take_logarithms
from conceptrules.learn.binned_table import BinnedTable, Test, join_mentions
from conceptrules.learn.points.calibration import (
    Judged,
    choose_shifts,
    fit_calibration,
    make_utility,
)
from conceptrules.learn.points.constraints import list_kept_rules
from conceptrules.learn.points.growth import CodedRule
from conceptrules.learn.points.path import PointRows, RealCard, compute_probabilities
from conceptrules.learn.points.rounding import round_card
from conceptrules.learn.points.settings import CardSettings
from conceptrules.learn.task import Task
from conceptrules.model.derived import Mention
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Predicate, Value

Floats = NDArray[np.float64]
ScoredTests = tuple[tuple[tuple[Predicate, bool], ...], NDArray[np.int64]]
"""The predicates of a rule, each negated or not, and its points for each output."""
_FINEST = 0.05
"""The finest step of a cut-off that is looked for, in units of log odds."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """What the cards of the folds say of the rows that they never saw, calibrated."""

    answers: NDArray[np.intp]
    shares: Floats
    """[row, class]: the probabilities."""
    raw: Floats
    """[row, class]: the weight of the row, whatever its class weighs."""


def make_network(
    task: Task[CardSettings], rows: PointRows, card: RealCard, judged: Judged, raw: Floats
) -> tuple[RuleNetwork, HeldOut]:
    """Return a card as a network, calibrated by the rows that judged its likes; `raw` is their weight in each class."""
    whole = round_card(card, rows, task.settings.max_points, list_kept_rules(task.settings))
    rules = merge_rules(task.table, card.rules, whole.points)
    # Weights of classes moved the margins by their logarithms: probabilities are those of the rows as they are.
    moved = take_logarithms(np.where(task.class_weight > 0, task.class_weight, 1.0))
    moved = moved[1:] - moved[:1] if len(moved) == 2 else moved
    margins, base = judged.margins - moved, whole.base - moved
    calibration = fit_calibration(margins, raw)
    unit, base = calibration.slope * whole.unit, calibration.apply(base)
    shares = compute_probabilities(calibration.apply(margins))
    utility = make_utility(task.settings.scoring, task.settings.costs)
    steps = max(round(_FINEST / unit), 1) * unit
    shifts = np.rint(choose_shifts(shares, judged.mass, utility, steps) / unit).astype(int)
    answers = np.argmax(take_logarithms(np.maximum(shares, 1e-15)) + unit * shifts, axis=1)
    points = tuple(tuple(row) for _, row in rules)
    if len(task.classes) == 2:
        holds = np.array([rule.find_rows(rows.codes) for rule in card.rules], np.int64).reshape(-1, len(rows.codes))
        head = _make_score(task, points, np.unique(whole.points[:, 0] @ holds), unit, float(base[0]), int(shifts[1]))
    else:
        start = np.rint(base / unit).astype(int)
        head = Points(points, tuple(start), unit=unit, offsets=tuple(shifts))
    return write_rules(task.table, rules, task.classes, head), HeldOut(answers, shares, raw)


def write_rules(
    table: BinnedTable, rules: Sequence[ScoredTests], classes: tuple[Value, ...], head: Points
) -> RuleNetwork:
    """Return rules with their head as a network.

    A rule about what a text does not mention, and nothing else, becomes one about what it mentions: the points go to
    the base, and are taken away where a term is mentioned.
    """
    columns = {bins.column.name: bins.column for bins in table.bins}
    base, scored = np.array(head.base), dict[tuple[Test, ...], NDArray[np.int64]]()
    for tests, points in rules:
        stated = tuple(join_mentions(tests, columns))
        (test, _), *others = stated
        if not others and isinstance(columns[test.column].derivation, Mention) and test == Equals(test.column, False):
            base = base + points
            stated, added = ((Equals(test.column, True), False),), -points
        else:
            added = points
        scored[stated] = scored.get(stated, 0) + added
    predicates: dict[Predicate, int] = {}
    literals = [
        Rule(tuple(Literal(predicates.setdefault(test, len(predicates)), negated) for test, negated in tests))
        for tests in scored
    ]
    base -= base.min() if len(base) > 1 else 0
    head = replace(head, points=tuple(map(tuple, scored.values())), base=tuple(base))
    return RuleNetwork(tuple(columns.values()), tuple(predicates), (Level(tuple(literals), ()),), classes, head=head)


def merge_rules(table: BinnedTable, rules: Sequence[CodedRule], points: NDArray[np.int64]) -> list[ScoredTests]:
    """Return the predicates of each rule that has points, and its points; rules that read alike are one."""
    merged: dict[tuple[tuple[Predicate, bool], ...], NDArray[np.int64]] = {}
    for rule, own in zip(rules, points, strict=True):
        tests = tuple(
            test
            for column, allowed in zip(rule.columns, rule.allowed, strict=True)
            for test in table.bins[column].state_tests(allowed)
        )
        merged[tests] = merged.get(tests, 0) + own
    return [(tests, total) for tests, total in merged.items() if total.any()]


def _make_score(
    task: Task[CardSettings],
    points: tuple[tuple[int, ...], ...],
    scores: NDArray[np.int64],
    unit: float,
    base: float,
    shift: int,
) -> Points:
    """Return the head of two classes: a probability for each score that some row has.

    The log odds of the second class are `base` + `unit` * score, and it is answered where they exceed -`unit` * shift.
    """
    shares = 1 / (1 + exponentiate(-(unit * scores + base)))
    head = Points(points, (0,), probabilities=tuple(zip(scores.tolist(), shares.tolist(), strict=True)))
    low, high = head.bounds[0]
    cutoff = task.settings.cutoff
    if cutoff is None:
        cut = floor(-base / unit - shift) + 1
    elif isinstance(cutoff, float):
        cut = ceil((float(take_logarithms(cutoff / (1 - cutoff))) - base) / unit)
    else:
        cut = int(cutoff)
    return replace(head, cutoff=min(max(cut, low), high + 1))


def check_cutoff(head: Points, cutoff: float | None) -> None:
    """Raise an `InputError` if a score that the user asks for as cut-off is out of reach."""
    low, high = head.bounds[0]
    if cutoff is not None and not isinstance(cutoff, float) and not low <= cutoff <= high + 1:
        raise InputError(
            f"cutoff is {cutoff}, but the scores go from {low} to {high}; give a score from {low} to {high + 1}, or a "
            "probability between 0 and 1"
        )
