"""A scorecard on the scale that people expect: so many points double the odds, and one score stands for known odds.

Whole points times a whole number keep the order of all rows, and so every decision; and as the probabilities of a card
are a table, each score keeps its own. So the factor is rounded, and never the points of a rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from conceptrules.edit.operations import KINDS, Operation
from conceptrules.edit.rules import drop_stale_names, normalise
from conceptrules.model.errors import InputError, warn
from conceptrules.model.heads import Points
from conceptrules.model.network import Level, Rule, RuleNetwork, Statistics
from conceptrules.model.policy import Locked, Policy
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.values import match_label

_CLOSE = 0.05
"""How far the points that double the odds may be from what was asked for without a warning."""


@dataclass(frozen=True, slots=True)
class Scale(Operation):
    """Put a scorecard of two classes on another scale, which changes no decision; see `RuleNetwork.scaled`."""

    kind = "scale"
    template = (
        "scale: {pdo:g} points, or as near as can be, double the odds; a score of {score} is odds of {odds:g} to 1"
    )
    pdo: float
    """The points that double the odds."""
    score: int
    """The score at which the odds are known."""
    odds: float
    """These odds, to 1."""
    label: Value | None = None
    """The class that the odds are of, and that larger scores speak for; None: the second one."""
    nonnegative: bool = False
    """Whether no rule takes points away."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        return scale_card(network, self.pdo, self.score, self.odds, self.label, self.nonnegative)


KINDS[Scale.kind] = Scale


def scale_card(
    network: RuleNetwork, pdo: float, score: int, odds: float, label: Value | None, nonnegative: bool
) -> RuleNetwork:
    """Return a scorecard on another scale: the function behind `RuleNetwork.scaled`, which explains it."""
    head = network.head
    if head is None or not head.probabilities:
        raise InputError("only a scorecard of two classes has odds that points could double")
    for name, value in (("pdo", pdo), ("odds", odds)):
        if not 0 < value < math.inf:
            raise InputError(f"{name} is {value!r}; it must be positive")
    label = match_label(label, network.classes)
    if label is not None and label not in network.classes:
        names = list(map(str, network.classes))
        raise InputError(f"label is {label!r}, which is not a class of the network; {nearest_name(str(label), names)}")
    if label == network.classes[0]:
        network = _swap_classes(network, head)
    if nonnegative:
        network = _without_negative_points(network)
    return _stretch(network, pdo, score, odds)


def _stretch(network: RuleNetwork, pdo: float, score: int, odds: float) -> RuleNetwork:
    head = network.head
    assert head is not None
    slope, intercept = _fit_log_odds(head, network.statistics)
    (base,), common = head.base, math.gcd(*(row[0] for row in head.points)) or 1
    factor = max(round(pdo * slope * common / math.log(2)), 1)
    exact = factor * math.log(2) / (slope * common)
    if abs(exact / pdo - 1) > _CLOSE:
        unit = exact / factor
        known = ", ".join(f"{each * unit:.3g}" for each in range(max(factor - 1, 1), factor + 2))
        warn(
            f"the odds double every {exact:.3g} points, not {pdo:g}: whole points that keep every decision allow "
            f"{known}"
        )
    start = round(score - factor * ((math.log(odds) - intercept) / slope - base) / common)

    def move(value: int) -> int:
        return factor * -((base - value) // common) + start

    entries, ((low, _),) = list(head.probabilities), head.bounds
    if len(entries) > 1 and low < entries[1][0]:  # the first share holds below its score, too: it must not be lost
        entries[0] = (min(low, entries[0][0]), entries[0][1])
    table = {move(least): share for least, share in entries}
    moved = replace(
        head,
        points=tuple((row[0] // common * factor,) for row in head.points),
        base=(start,),
        cutoff=move(head.cutoff),
        probabilities=tuple(table.items()),
    )
    counted = network.statistics
    if counted is not None:
        counted = replace(counted, scores=tuple((move(value), rows) for value, rows in counted.scores))
    policy = _multiply_locks(network.policy, factor, common)
    return replace(network, head=moved, statistics=counted, policy=policy, proof=None)


def _multiply_locks(policy: Policy | None, factor: int, divisor: int = 1) -> Policy | None:
    """Return a policy whose locked rules have their points on another scale."""
    if policy is None:
        return None
    clauses = (
        replace(clause, points=tuple(each * factor // divisor for each in clause.points))
        if isinstance(clause, Locked)
        else clause
        for clause in policy.clauses
    )
    return replace(policy, clauses=tuple(clauses))


def _fit_log_odds(head: Points, statistics: Statistics | None) -> tuple[float, float]:
    """Return the slope and the intercept of the log odds over the scores of the table, by its rows where counted."""
    counted = {score: sum(rows) for score, rows in statistics.scores} if statistics else {}
    entries = [(score, share) for score, share in head.probabilities if 0 < share < 1]
    scores, shares = np.array(entries, np.float64).reshape(-1, 2).T
    weight = np.array([counted.get(int(score), 0.0) for score in scores]) + 1e-3
    logits = np.log(shares / (1 - shares))
    center = np.average(scores, weights=weight) if len(scores) else 0.0
    spread = weight @ (scores - center) ** 2
    slope = float(weight @ ((scores - center) * logits) / spread) if spread > 0 else 0.0
    if slope <= 0:
        raise InputError("the probabilities of the card do not rise with its score, so that no points double the odds")
    return slope, float(np.average(logits, weights=weight) - slope * center)


def _swap_classes(network: RuleNetwork, head: Points) -> RuleNetwork:
    """Return the card with its classes in the other order: the score of what was the first class."""
    ((_, high),), table = head.bounds, head.probabilities
    ends = [*(least - 1 for least, _ in table[1:]), max(high, table[-1][0])]
    shares = tuple((-end, 1 - share) for end, (_, share) in zip(ends, table, strict=True))[::-1]
    swapped = replace(
        head,
        points=tuple((-row[0],) for row in head.points),
        base=(-head.base[0],),
        cutoff=1 - head.cutoff,
        probabilities=shares,
    )
    counted = network.statistics
    if counted is not None:
        counted = Statistics(
            counted.rows[::-1],
            tuple(tuple(rows[::-1] for rows in level) for level in counted.covered),
            scores=tuple((-score, rows[::-1]) for score, rows in counted.scores)[::-1],
        )
    policy = _multiply_locks(network.policy, -1)
    classes = network.classes[::-1]
    return replace(network, classes=classes, head=swapped, statistics=counted, policy=policy, proof=None)


def _without_negative_points(network: RuleNetwork) -> RuleNetwork:
    """Return the card where rules that take points away are told by where they do not hold: there, points are added.

    A rule of several conditions becomes several, of which one holds where it does not: the first condition fails, or
    only the second one does, and so on.
    """
    head, level = network.head, network.levels[-1]
    assert head is not None
    rules: list[Rule] = []
    points: list[int] = []
    covered: list[Sequence[float]] | None = []
    counted, base = network.statistics, head.base[0]
    for number, (rule, (own,)) in enumerate(zip(level.rules, head.points, strict=True)):
        known = counted.covered[-1][number] if counted else ()
        if own >= 0:
            rules, points = [*rules, rule], [*points, own]
            covered = None if covered is None else [*covered, known]
            continue
        base += own
        for position, literal in enumerate(rule.literals):
            rules, points = [*rules, Rule((*rule.literals[:position], ~literal))], [*points, -own]
        if counted and covered is not None and len(rule.literals) == 1:
            covered.append([rows - each for rows, each in zip(counted.rows, known, strict=True)])
        elif rule.literals:
            covered = None  # how many rows fail just one of several conditions was not counted
    if counted is not None:
        rows = None if covered is None else (*counted.covered[:-1], tuple(map(tuple, covered)))
        counted = None if rows is None else replace(counted, covered=rows)
    levels = (*network.levels[:-1], Level(tuple(rules), ()))
    whole = replace(head, points=tuple((each,) for each in points), base=(base,))
    return drop_stale_names(normalise(replace(network, levels=levels, head=whole, statistics=counted, proof=None)))
