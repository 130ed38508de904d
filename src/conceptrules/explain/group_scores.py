"""How good a network is on each group of a column: accuracy and AUC of classes, error and bias of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import index_labels
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import (
    Evaluation,
    find_answers,
    find_positive,
    measure_log_losses,
    measure_squares,
)
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits
from conceptrules.model.metrics import macro_f1, share_below
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair
from conceptrules.model.precision import wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.text import align_columns, word
from conceptrules.tables.groups import check_groups, read_groups
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import Table, list_labels, open_table, read_used_bits

Floats = NDArray[np.float64]
_RESAMPLES = 1000  # of the confusion matrix
_DEVIATIONS = 1.96  # 95 % of a normal distribution are within so many


class GroupFigure(NamedTuple):
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
    figures: tuple[GroupFigure, ...]
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


def measure_figures(
    network: RuleNetwork, table: Any, labels: Iterable[object], judged: Evaluation | NumberEvaluation
) -> tuple[GroupFigure, ...]:
    """Return the figures of all rows, which `judged` has, with the intervals that chance leaves them."""
    opened, targets = open_table(table), list_labels(labels)
    rows = np.ones(opened.rows, np.bool_)
    if isinstance(judged, NumberEvaluation):
        return (*_measure_squares(network, opened, targets, judged), *_judge_numbers(network, opened, targets)(rows))
    figures = [*_judge_classes(network, opened, targets, judged.positive)(rows), *_resample_confusion(judged)]
    _, target = index_labels(network, targets, opened.rows)
    answers = find_answers(network, read_used_bits(network, opened))
    if answers.stated is not None:
        figures.append(_mean("log loss", measure_log_losses(answers.stated, target)))
        figures.append(_mean("Brier score", measure_squares(answers.stated, target)))
    for name, value in (("calibration error", judged.calibration_error), ("KS", judged.ks)):
        figures += [] if value is None else [GroupFigure(name, value, None, None)]
    for each in judged.by_class:
        right = judged.confusion[judged.classes.index(each.label)][judged.classes.index(each.label)]
        for name, value, count in (("precision", each.precision, each.answered), ("recall", each.recall, each.rows)):
            ends = wilson_interval(right, count) or (None, None)
            figures.append(GroupFigure(f"{name} of {word(each.label)}", value, *ends))
    return tuple(figures)


def _resample_confusion(judged: Evaluation) -> Iterator[GroupFigure]:
    """Yield the figures that are read off the confusion matrix, with intervals from resamples of it."""
    cells = np.array(judged.confusion)
    shares = cells.ravel() / cells.sum()
    drawn = np.random.default_rng(0).multinomial(judged.rows, shares, _RESAMPLES).reshape(-1, *cells.shape)
    known = drawn.sum(axis=2) > 0  # a class that was not drawn has no recall
    right = np.diagonal(drawn, axis1=1, axis2=2)
    recalls = np.divide(right, drawn.sum(axis=2), out=np.zeros(right.shape), where=known)
    figures = {
        "balanced accuracy": (judged.balanced_accuracy, recalls.sum(axis=1) / known.sum(axis=1)),
        "macro-F1": (judged.macro_f1, np.array([macro_f1(each) for each in drawn])),
    }
    for name, (value, values) in figures.items():
        yield GroupFigure(name, value, *np.quantile(values, [0.025, 0.975]).tolist())


def _measure_squares(
    network: RuleNetwork, table: Table, labels: Sequence[Any], judged: NumberEvaluation
) -> Iterator[GroupFigure]:
    """Yield R2 and the root of the mean squared error, with the intervals of the delta method."""
    from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

    numbers = check_numbers(labels)
    squares = (predict(network, table) - numbers) ** 2
    if judged.r2 is not None:
        spread = (numbers - numbers.mean()) ** 2
        error = _DEVIATIONS * float((squares - (1 - judged.r2) * spread).std()) / len(numbers) ** 0.5 / spread.mean()
        yield GroupFigure("R2", judged.r2, judged.r2 - error, judged.r2 + error)
    error = _DEVIATIONS * float(squares.std()) / len(numbers) ** 0.5
    ends = (max(judged.rmse**2 + sign * error, 0.0) ** 0.5 for sign in (-1, 1))
    yield GroupFigure("root mean squared error", judged.rmse, *ends)


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
) -> Callable[[Bits], Iterator[GroupFigure]]:
    _, target = index_labels(network, labels, table.rows)
    answers = find_answers(network, read_used_bits(network, table))
    chosen = find_positive(network, positive)

    def judge(rows: Bits) -> Iterator[GroupFigure]:
        yield _share("accuracy", answers.decided[rows] == target[rows])
        if answers.ranks is not None:
            yield _area("AUC", answers.ranks[rows], target[rows])
        if chosen is not None:
            yield _share(f"answered {word(network.classes[chosen])}", answers.decided[rows] == chosen)

    return judge


def _judge_numbers(
    network: RuleNetwork, table: Table, labels: Iterable[object]
) -> Callable[[Bits], Iterator[GroupFigure]]:
    from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

    errors = predict(network, table) - check_numbers(list_labels(labels, table.rows))

    def judge(rows: Bits) -> Iterator[GroupFigure]:
        yield _mean("mean absolute error", np.abs(errors[rows]))
        yield _mean("bias", errors[rows])

    return judge


def _share(name: str, right: Bits) -> GroupFigure:
    return GroupFigure(name, float(right.mean()), *(wilson_interval(int(right.sum()), len(right)) or (None, None)))


def _mean(name: str, values: Floats) -> GroupFigure:
    mean = float(values.mean())
    if len(values) < 2:
        return GroupFigure(name, mean, None, None)
    error = _DEVIATIONS * float(values.std(ddof=1)) / len(values) ** 0.5
    return GroupFigure(name, mean, mean - error, mean + error)


def _area(name: str, ranks: Floats, target: NDArray[np.intp]) -> GroupFigure:
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
        return GroupFigure(name, None, None, None)
    area, error = float(np.mean(areas)), _DEVIATIONS * float(np.linalg.norm(np.mean(parts, axis=0)))
    return GroupFigure(
        name, area, *((max(0.0, area - error), min(1.0, area + error)) if error > 1e-12 else (None, None))
    )
