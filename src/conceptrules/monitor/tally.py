"""What a network does on new rows, counted: the counts of chunks, groups and periods add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import Bin, bin_probabilities, find_gaps, merge_bins
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import decide_fired, layers, unpack
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.scoring import answer_scores, score_numbers, score_probabilities, score_words
from conceptrules.model.statistics import count_cells, list_cells, probabilities, with_statistics
from conceptrules.model.values import is_missing, label_text
from conceptrules.tables.table import list_labels, open_table, read_used_bits

Key = TypeVar("Key", bound=Hashable)
Sums = tuple[float, ...]
_MOST_PARTS = 200


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted of some rows; without labels, all rows count for the first class."""

    rows: int
    statistics: Statistics | None = None
    """What rules cover and decide; None of no rows."""
    labelled: bool = False
    missing: Mapping[str, int] = field(default_factory=dict)
    """The rows without a value, by used column."""
    unseen: Mapping[str, int] = field(default_factory=dict)
    """The rows of a category that the column does not list, by used column."""
    calibration: tuple[Bin, ...] = ()
    """How often answers were right, by the probability stated for them."""
    errors: tuple[Sums, ...] = ()
    """Of predicted numbers: rows, errors, absolute errors and squared errors, of all rows and then by rule."""

    def __add__(self, other: Tally) -> Tally:
        if not (self.rows and other.rows):
            return other if other.rows else self
        assert self.statistics is not None
        assert other.statistics is not None
        return Tally(
            self.rows + other.rows,
            _add_statistics(self.statistics, other.statistics),
            self.labelled,
            Counter(self.missing) + Counter(other.missing),
            Counter(self.unseen) + Counter(other.unseen),
            merge_bins([*self.calibration, *other.calibration]),
            tuple(_add_rows(*pair) for pair in zip(self.errors, other.errors, strict=True)),
        )


NO_ROWS = Tally(0)


@dataclass(frozen=True, slots=True)
class Counts:
    """The tally of all rows, and those of groups and periods."""

    total: Tally = NO_ROWS
    groups: Mapping[str, Tally] = field(default_factory=dict)
    periods: Mapping[str, Tally] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.total + other.total,
            _merge([self.groups.items(), other.groups.items()], add),
            _merge([self.periods.items(), other.periods.items()], add),
        )


def tally_rows(network: RuleNetwork, table: Any, y: NDArray[Any] | None = None) -> Tally:
    """Return what a network does on the rows of a table; `y` has indices of classes, or numbers."""
    opened = open_table(table)
    if not opened.rows:
        return NO_ROWS
    words = read_used_bits(network, opened)
    known = np.zeros(opened.rows, np.intp) if y is None or not network.classes else y
    statistics = with_statistics(network, words, known).statistics
    assert statistics is not None
    gaps = list(find_gaps(network, opened))
    cells = count_cells(network, words, {name: missing | unseen for name, missing, unseen in gaps})
    return Tally(
        opened.rows,
        replace(statistics, cells=list_cells(cells)),
        y is not None,
        {name: int(missing.sum()) for name, missing, _ in gaps},
        {name: int(unseen.sum()) for name, _, unseen in gaps},
        *(((), ()) if y is None else _judge_rows(network, words, y)),
    )


def _judge_rows(network: RuleNetwork, words: Any, y: NDArray[Any]) -> tuple[tuple[Bin, ...], tuple[Sums, ...]]:
    """Return the calibration of answers, or the errors of predicted numbers."""
    *_, rules, classes = layers(network, words)
    head = network.head
    if head is not None and head.step is not None:
        holds, error = unpack(rules), score_numbers(head, score_words(head, rules)) - y
        sums = np.stack([np.ones(len(y)), error, abs(error), error**2])
        return (), tuple(map(tuple, [sums.sum(axis=1).tolist(), *(sums @ holds).T.tolist()]))
    if head is not None:
        scores = score_words(head, rules)
        answers, stated = answer_scores(head, scores), score_probabilities(head, scores)
    elif network.statistics is None:  # nothing says how sure an answer is
        return (), ()
    else:
        fired = unpack(classes)
        answers, stated = decide_fired(network, fired), probabilities(network, fired)
    return bin_probabilities(stated[np.arange(len(y)), answers], answers == y), ()


def count_parts(
    network: RuleNetwork,
    table: Any,
    y: NDArray[Any] | None,
    groups: Iterable[str] | None,
    periods: Iterable[str] | None,
) -> Counts:
    """Return the tally of all rows of a table, and those of its groups and periods."""
    opened = open_table(table)
    parts: list[dict[str, Tally]] = []
    for kind, names in (("groups", groups), ("periods", periods)):
        rows_of: dict[str, list[int]] = {}
        for row, name in enumerate(names or ()):
            rows_of.setdefault(name, []).append(row)
        check_parts(kind, rows_of)
        taken = {name: np.array(rows_of[name], np.intp) for name in sorted(rows_of)}
        parts.append({n: tally_rows(network, opened.take(r), None if y is None else y[r]) for n, r in taken.items()})
    return Counts(tally_rows(network, opened, y), *parts)


def check_parts(kind: str, parts: Collection[str]) -> None:
    """Raise where there are too many groups or periods to look at."""
    if len(parts) > _MOST_PARTS:
        hint = "name a column with fewer values" if kind == "groups" else "use longer periods"
        raise InputError(f"there are {len(parts):,} {kind}, and at most {_MOST_PARTS} can be looked at; {hint}")


def index_targets(network: RuleNetwork, labels: Iterable[object], rows: int) -> NDArray[Any]:
    """Return the index of the class of each row, or its number; raise where one has none, or one that is unknown."""
    values = list_labels(labels, rows)
    gaps = [row for row, value in enumerate(values) if is_missing(value)]
    if gaps:
        raise InputError(
            f"{len(gaps):,} of {rows:,} rows have no label, the first is row {gaps[0]}; monitor the rows with labels "
            "by themselves, or all of them without labels"
        )
    if not network.classes:
        from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

        numbers: NDArray[np.float64] = check_numbers(np.array(values))
        return numbers
    indices = {label_text(name): index for index, name in enumerate(network.classes)}
    unknown = next((value for value in values if label_text(value) not in indices), None)
    if unknown is not None:
        raise InputError(f"the label {unknown!r} is no class of the model; its classes are {', '.join(indices)}")
    return np.array([indices[label_text(value)] for value in values], np.intp)


def _add_rows(first: Sums, second: Sums) -> Sums:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def _add_nested(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(tuple(map(_add_rows, *pair)) for pair in zip(first, second, strict=True))


def _merge(pairs: Iterable[Iterable[tuple[Key, Any]]], join: Any) -> dict[Key, Any]:
    values: dict[Key, list[Any]] = {}
    for each in pairs:
        for key, value in each:
            values.setdefault(key, []).append(value)
    return {key: reduce(join, values[key]) for key in sorted(values, key=repr)}


def _add_statistics(first: Statistics, second: Statistics) -> Statistics:
    def keyed(statistics: Statistics) -> Iterable[tuple[Any, float]]:
        return (((cell.column, cell.holds, cell.gap), cell.rows) for cell in statistics.cells)

    return Statistics(
        _add_rows(first.rows, second.rows),
        _add_nested(first.covered, second.covered),
        tuple(_merge([first.patterns, second.patterns], _add_rows).items()),
        _add_nested(first.decided, second.decided),
        scores=tuple(sorted(_merge([first.scores, second.scores], _add_rows).items())),
        answered=_add_rows(first.answered, second.answered),
        cells=list_cells(_merge([keyed(first), keyed(second)], add)),
    )
