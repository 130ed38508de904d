"""How good a network is on each group of a column: accuracy and AUC of classes, error and bias of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import index_labels, list_labels
from conceptrules.explain.scores import find_answers, find_positive
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits
from conceptrules.model.metrics import share_below
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair
from conceptrules.model.precision import wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.text import align_columns, word
from conceptrules.tables.groups import check_groups, read_groups
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import Table, open_table, read_packed_bits

Floats = NDArray[np.float64]
_DEVIATIONS = 1.96  # 95 % of a normal distribution are within so many


class Figure(NamedTuple):
    """What is measured on the rows of a group, with the interval that chance leaves it."""

    name: str
    """What is measured."""
    value: float | None
    """Its value; None where the rows do not say, as those of one class say nothing of AUC."""
    low: float | None
    """The lower end of its 95 % interval; None where so few rows, or rows so alike, give none."""
    high: float | None
    """The upper end."""

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        value = f"{self.value:.4g}"
        return value if self.low is None else f"{value} [{self.low:.4g} to {self.high:.4g}]"


@dataclass(frozen=True, slots=True)
class GroupScores:
    """How good a network is on the rows of one group."""

    column: str
    """The column of the groups."""
    group: str | None
    """The value of the group as text; None for the rows where it is missing."""
    rows: int
    """How many rows there are."""
    figures: tuple[Figure, ...]
    """Of classes the accuracy, the AUC (of several, the mean over them) and, of two, the share that is answered with
    the positive one; of a number the mean absolute error and the bias, the mean of what was predicted less what is
    true."""


def measure_groups(
    network: RuleNetwork,
    table: Any,
    labels: Iterable[object],
    by: Sequence[str] = (),
    positive: Value | None = None,
) -> tuple[GroupScores, ...]:
    """Return the scores of each group of these columns, and of those that the policy of the network wants fair."""
    opened = open_table(table)
    fair = [clause.column for clause in (network.policy.of_kind(Fair) if network.policy else ())]
    for column in by:
        if column not in opened.names:
            raise InputError(f"by: the table has no column {column!r}; {nearest_name(column, opened.names)}")
    names = list(dict.fromkeys([*by, *(column for column in fair if column in opened.names)]))
    groups = {column: read_groups(opened, column) for column in names}
    for column, values in groups.items():
        check_groups(column, set(values.tolist()) - {None}, "by")
    if not names:
        return ()
    judge = (
        _judge_classes(network, opened, labels, positive)
        if network.classes
        else _judge_numbers(network, opened, labels)
    )
    return tuple(
        GroupScores(column, group, int((values == group).sum()), tuple(judge(values == group)))
        for column, values in groups.items()
        for group in sorted(set(values.tolist()), key=lambda each: (each is None, each))
    )


def describe_groups(scores: Sequence[GroupScores]) -> str:
    """Return the scores of groups as text, a table for each column."""
    tables = []
    for column, own in groupby(scores, key=lambda each: each.column):
        groups = list(own)
        heading = [f"by {word(column)}", "rows", *(figure.name for figure in groups[0].figures)]
        lines = [
            ["missing" if each.group is None else word(each.group), f"{each.rows:,}", *map(str, each.figures)]
            for each in groups
        ]
        tables.append(align_columns([heading, *lines]))
    return "\n\n".join(tables)


def _judge_classes(
    network: RuleNetwork, table: Table, labels: Iterable[object], positive: Value | None
) -> Callable[[Bits], Iterator[Figure]]:
    _, target = index_labels(network, labels, table.rows)
    answers = find_answers(
        network, read_packed_bits(network.columns, network.predicates, table, network.used_predicates)
    )
    chosen = find_positive(network, positive)

    def judge(rows: Bits) -> Iterator[Figure]:
        yield _share("accuracy", answers.decided[rows] == target[rows])
        if answers.ranks is not None:
            yield _area("AUC", answers.ranks[rows], target[rows])
        if chosen is not None:
            yield _share(f"answered {word(network.classes[chosen])}", answers.decided[rows] == chosen)

    return judge


def _judge_numbers(network: RuleNetwork, table: Table, labels: Iterable[object]) -> Callable[[Bits], Iterator[Figure]]:
    from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

    errors = predict(network, table) - check_numbers(list_labels(labels, table.rows))

    def judge(rows: Bits) -> Iterator[Figure]:
        yield _mean("mean absolute error", np.abs(errors[rows]))
        yield _mean("bias", errors[rows])

    return judge


def _share(name: str, right: Bits) -> Figure:
    return Figure(name, float(right.mean()), *(wilson_interval(int(right.sum()), len(right)) or (None, None)))


def _mean(name: str, values: Floats) -> Figure:
    mean = float(values.mean())
    if len(values) < 2:
        return Figure(name, mean, None, None)
    error = _DEVIATIONS * float(values.std(ddof=1)) / len(values) ** 0.5
    return Figure(name, mean, mean - error, mean + error)


def _area(name: str, ranks: Floats, target: NDArray[np.intp]) -> Figure:
    """Return the mean AUC of the classes that occur beside others, with the interval of DeLong."""
    areas, parts = [], []
    for kind in range(ranks.shape[1]):
        own = target == kind
        if own.any() and not own.all():
            upper, lower = ranks[own, kind], ranks[~own, kind]
            above, below = share_below(upper, lower), 1 - share_below(lower, upper)
            areas.append(float(above.mean()))
            part = np.empty(len(target))  # what each row adds to the error of the area
            part[own], part[~own] = (above - areas[-1]) / len(upper), (below - areas[-1]) / len(lower)
            parts.append(part)
    if not areas:
        return Figure(name, None, None, None)
    area, error = float(np.mean(areas)), _DEVIATIONS * float(np.linalg.norm(np.mean(parts, axis=0)))
    return Figure(name, area, *((max(0.0, area - error), min(1.0, area + error)) if error > 1e-12 else (None, None)))
