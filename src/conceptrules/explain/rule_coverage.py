"""What each rule covers and decides of the training rows: as values, as records, and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast

import narwhals as nw

from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import Ends, wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import base_rate_of, concept_name, decided_rows, lift_of, recall_of, rule_name, rule_text

Record = dict[str, Value | None]
BACKENDS = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """The training rows, or others that were counted, that a rule covers and decides, by weight."""

    level: int
    """The level of the rule, counted from 0."""
    index: int
    """The number of the rule on its level, counted from 0."""
    text: str
    """The rule as text."""
    label: Value
    """The class that the rule speaks for; for a rule of a concept, the commonest class of its rows; the name of the
    number that is predicted, if it has one, and otherwise "prediction"."""
    rows: float
    """The weight of the rows that the rule covers."""
    right: float | None
    """The weight of those of them that are of the class; None where a number is predicted."""
    decided: float | None = None
    """The weight of the covered rows that are answered with the class; None where nobody counted them."""
    decided_right: float | None = None
    """The weight of those of them that are of the class."""
    share: float = 0.0
    """The share of all rows that the rule covers."""
    by_class: tuple[float, ...] = ()
    """The weight of the covered rows of each class."""
    base_rate: float | None = None
    """The share of all rows that is of the class."""
    lift: float | None = None
    """How many times the base rate the precision is; None where either is unknown or the base rate is 0."""
    recall: float | None = None
    """The share of the rows of the class that the rule covers; None where there are none."""
    points: tuple[int, ...] = ()
    """What the rule of a scorecard adds to each score; empty of other rules."""

    @property
    def precision(self) -> float | None:
        """The share of the covered rows that is of the class; None where there are none, or a number is predicted."""
        return self.right / self.rows if self.rows and self.right is not None else None

    @property
    def interval(self) -> Ends | None:
        """The 95 % Wilson interval of the precision; None where there is none."""
        return None if self.right is None else wilson_interval(self.right, self.rows)

    @property
    def decided_precision(self) -> float | None:
        """The share of the decided rows that is of the class; None where the rule decides no row."""
        return self.decided_right / self.decided if self.decided and self.decided_right is not None else None

    @property
    def decided_interval(self) -> Ends | None:
        """The 95 % Wilson interval of the decided precision; None where the rule decides no row."""
        return wilson_interval(self.decided_right or 0.0, self.decided or 0.0)

    @property
    def contested(self) -> bool:
        """Whether another class comes first on some of the covered rows."""
        return self.decided is not None and self.decided != self.rows


def coverage(network: RuleNetwork) -> tuple[RuleCoverage, ...]:
    """Return what each rule of a class covers and decides of the training rows.

    A rule covers the rows on which it holds. It decides those of them that are answered with its class: on the others a
    class fires that comes first by priority. A rule of a scorecard speaks for the class that it raises most: of two
    classes the second one if it adds points, and the first one if it takes some away.

    Parameters
    ----------
    network : RuleNetwork
        A network with statistics, as a fit gives it.

    Returns
    -------
    tuple of RuleCoverage
        The rules of each class by priority; of each class, the rules that cover most come first. Of a scorecard, all
        rules with points, those with most points first.

    Raises
    ------
    InputError
        If the network has no statistics of training rows.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, Statistics
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> seen = Statistics((30, 70), ((((25, 5)),),), (((True, False), (25, 5)), ((False, False), (5, 65))))
    >>> network = RuleNetwork(
    ...     [Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young", statistics=seen
    ... )
    >>> [(rule.text, rule.rows, round(rule.precision, 2)) for rule in coverage(network)]
    [('age > 41', 30, 0.83)]
    """
    if network.statistics is None:
        raise InputError("this network has no statistics of training rows; fit it, or add them with `with_statistics`")
    level = len(network.levels) - 1
    if network.head is not None:
        points = network.head.points
        ranked = sorted(
            (rule for rule in range(len(points)) if any(points[rule])), key=lambda rule: -_size(points[rule])
        )
        measured = [measure_rule(network, level, rule, None) for rule in ranked]
        return tuple(rule for rule in measured if rule is not None)
    result: list[RuleCoverage] = []
    for kind in network.priority_indices:
        rules = [measure_rule(network, level, rule, kind) for rule in network.levels[level].concepts[kind].rules]
        result += sorted((rule for rule in rules if rule is not None), key=lambda rule: -rule.rows)
    return tuple(result)


def _size(points: tuple[int, ...]) -> int:
    return max(map(abs, points))


def measure_rule(network: RuleNetwork, level: int, rule: int, kind: int | None) -> RuleCoverage | None:
    """Return what a rule covers, and decides for the class of index `kind`; None without statistics."""
    if network.statistics is None:
        return None
    covered = network.statistics.covered[level][rule]
    top, rows = level == len(network.levels) - 1, sum(covered)
    points = network.head.points[rule] if top and network.head is not None else ()
    share, text = rows / sum(network.statistics.rows), rule_text(network, level, rule)
    if not network.classes:
        name = network.target or "prediction"
        return RuleCoverage(level, rule, text, name, rows, None, share=share, by_class=covered, points=points)
    if points:
        kind = int(points[0] > 0) if len(points) == 1 else points.index(max(points))
    decided = decided_rows(network, kind, rule) if top and kind is not None else None
    index = covered.index(max(covered)) if kind is None else kind
    return RuleCoverage(
        level=level,
        index=rule,
        text=text,
        label=network.classes[index],
        rows=rows,
        right=covered[index],
        decided=None if decided is None else sum(decided),
        decided_right=None if decided is None else decided[index],
        share=share,
        by_class=covered,
        base_rate=base_rate_of(network, index),
        lift=lift_of(network, index, covered),
        recall=recall_of(network, index, covered),
        points=points,
    )


_SHARES = ("precision", "precision_low", "precision_high")
_WORTH = ("base_rate", "lift", "recall")
_FIGURES = ("covers", *_SHARES, *_WORTH, "decides", *(f"decided_{name}" for name in _SHARES), "stability")
_TYPES: dict[str, nw.dtypes.DType] = {
    **dict.fromkeys(("for", "rule", "text"), nw.String()),
    **dict.fromkeys(("level", "size"), nw.Int64()),
    **dict.fromkeys(_FIGURES, nw.Float64()),
}
_SCORED_TYPES: dict[str, nw.dtypes.DType] = {
    **dict.fromkeys(("for", "rule", "text"), nw.String()),
    **dict.fromkeys(("level", "size", "points"), nw.Int64()),
    **dict.fromkeys(("covers", *_SHARES, *_WORTH, "stability"), nw.Float64()),
}


def pick_backend() -> Any:
    """Return the first of pandas, polars and pyarrow that is installed."""
    return next(name for name in BACKENDS if find_spec(name))


def rule_frame(network: RuleNetwork, backend: str | None = None) -> Any:
    """Return the `rule_records` as a table; by default of the first of pandas, polars and pyarrow that is installed."""
    backend = pick_backend() if backend is None else backend
    if backend not in BACKENDS:
        raise InputError(f"backend is {backend!r}; it can be {', '.join(BACKENDS)}")
    if find_spec(backend) is None:
        raise InputError(f"{backend} is not installed; run: pip install {backend}")
    # Classes are text in the table, since they may be of several types.
    records = [{**record, "for": str(record["for"])} for record in rule_records(network)]
    types = _TYPES if network.head is None else _SCORED_TYPES
    values = {key: [record[key] for record in records] for key in types}
    return nw.from_dict(values, types, backend=cast(Any, backend)).to_native()


def rule_records(network: RuleNetwork) -> list[Record]:
    """Return a record for each rule of each class, by priority, and of each concept below.

    The keys are `for` (the class or concept), `rule` (its name), `text`, `level`, `size` (its edges), `covers`,
    `precision` with the ends `precision_low` and `precision_high` of its 95 % Wilson interval, `base_rate` (the share
    of the class in all rows), `lift` (the precision in multiples of it), `recall` (the share of the class that the rule
    covers), `decides` with `decided_precision` and its ends, and `stability`. Figures are of training rows; what was
    not counted is None.

    Of a scorecard, there is a record for the base and for each rule and class that has points, with `points` after
    `size`, and without what rules decide: the points of the records whose rule holds add up to the score. Where a
    number is predicted, it is for the name of that number, and has no shares.
    """
    if network.head is not None:
        return [*_score_records(network, network.head), *_concept_records(network)]
    last = len(network.levels) - 1
    records = [
        _make_record(network, last, kind, rule, network.classes[kind])
        for kind in network.priority_indices
        for rule in network.levels[last].concepts[kind].rules
    ]
    return [*records, *_concept_records(network)]


def _concept_records(network: RuleNetwork) -> list[Record]:
    return [
        _make_record(network, level, index, rule, concept_name(level, index))
        for level in reversed(range(len(network.levels) - 1))
        for index, concept in enumerate(network.levels[level].concepts)
        for rule in concept.rules
    ]


def _score_records(network: RuleNetwork, head: Points) -> Iterator[Record]:
    """Yield a record for the base and each rule, for each class that they have points for."""
    last = len(network.levels) - 1
    for output in range(head.outputs):
        kind = output if head.outputs > 1 else 1
        name = network.classes[kind] if network.classes else network.target or "prediction"
        total = network.statistics.rows if network.statistics else None
        yield {
            "for": name,
            "rule": "base",
            "text": "always",
            "level": last + 1,
            "size": 0,
            "points": head.base[output],
            "covers": None if total is None else float(sum(total)),
            **dict(zip(_SHARES, _compute_shares(total if network.classes else None, kind), strict=True)),
            **_worth_figures(network, kind, total),
            "stability": None,
        }
        for rule in sorted(range(len(head.points)), key=lambda rule: -abs(head.points[rule][output])):
            if head.points[rule][output]:
                record = _make_record(network, last, kind, rule, name)
                yield {**record, "points": head.points[rule][output]}


def _make_record(network: RuleNetwork, level: int, concept: int, rule: int, name: Value) -> Record:
    covered = network.statistics.covered[level][rule] if network.statistics else None
    top, scored = level == len(network.levels) - 1, network.head is not None
    decided = decided_rows(network, concept, rule) if top and not scored else None
    stability = network.training.stability if network.training else ()
    return {
        "for": name,
        "rule": rule_name(level, rule),
        "text": rule_text(network, level, rule),
        "level": level + 1,
        "size": rule_size(network, level, rule),
        **({"points": 0} if scored else {}),
        "covers": None if covered is None else float(sum(covered)),
        **dict(zip(_SHARES, _compute_shares(covered if top and network.classes else None, concept), strict=True)),
        **_worth_figures(network, concept, covered if top else None),
        **({} if scored else _decided_figures(decided, concept)),
        "stability": stability[level][rule] if stability else None,
    }


def _decided_figures(decided: tuple[float, ...] | None, kind: int) -> Record:
    shares = zip(_SHARES, _compute_shares(decided, kind), strict=True)
    return {
        "decides": None if decided is None else float(sum(decided)),
        **{f"decided_{name}": share for name, share in shares},
    }


def _worth_figures(network: RuleNetwork, kind: int, covered: tuple[float, ...] | None) -> Record:
    """Return the base rate of a class, and what rows by class add to it; nothing where there are no classes."""
    if covered is None or not network.classes:
        return dict.fromkeys(_WORTH)
    figures = (base_rate_of(network, kind), lift_of(network, kind, covered), recall_of(network, kind, covered))
    return dict(zip(_WORTH, figures, strict=True))


def _compute_shares(rows: tuple[float, ...] | None, kind: int) -> tuple[float | None, ...]:
    """Return the share of a class and the ends of its interval."""
    ends = wilson_interval(rows[kind], sum(rows)) if rows else None
    return (rows[kind] / sum(rows), *ends) if rows and ends else (None, None, None)
