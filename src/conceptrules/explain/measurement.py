"""What rows whose classes are known say of a network: what its rules cover, and how far its probabilities hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, PackedBits, decide_fired, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, python_value
from conceptrules.model.statistics import (
    SCORE_GROUPS,
    count_cells,
    group_scores,
    list_cells,
    probabilities,
    with_statistics,
)
from conceptrules.model.text import rule_text
from conceptrules.model.values import label_text
from conceptrules.tables.column_values import to_codes
from conceptrules.tables.table import Table, list_labels, open_table, read_columns, read_used_bits

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
_BINS = 10


def measure(network: RuleNetwork, table: Any, labels: Iterable[object]) -> RuleNetwork:
    """Return the network with statistics of these rows: the function behind `RuleNetwork.measure`."""
    opened = open_table(table)
    if not network.classes:  # it predicts a number, and its rules only count rows
        from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

        check_numbers(list_labels(labels, opened.rows))
        return _count_rows(network, opened, np.zeros(opened.rows, np.intp))
    texts = [label_text(label) for label in list_labels(labels, opened.rows)]
    indices = {label_text(name): index for index, name in enumerate(network.classes)}
    known = np.array([row for row, text in enumerate(texts) if text in indices], dtype=np.intp)
    if not len(known):
        raise InputError("no row is of a class of the network, so there is nothing to count; check the labels")
    target = np.array([indices[texts[row]] for row in known], dtype=np.intp)
    return _count_rows(network, opened.take(known), target)


def _count_rows(network: RuleNetwork, rows: Table, target: Indices) -> RuleNetwork:
    words = read_used_bits(network, rows)
    counted = with_statistics(network, words, target).statistics
    assert counted is not None
    gaps = {name: missing | unseen for name, missing, unseen in find_gaps(network, rows)}
    scores = counted.scores if network.classes else group_scores(counted.scores, SCORE_GROUPS)
    cells = list_cells(count_cells(network, words, gaps))
    return replace(network, statistics=replace(counted, scores=scores, cells=cells))


def find_gaps(network: RuleNetwork, table: Table) -> Iterator[tuple[str, Bits, Bits]]:
    """Yield the used columns, with the rows where the value is missing, and where it is of an unknown category."""
    for column, cells in read_columns(network.columns, table, network.used_columns):
        unseen = np.zeros(len(cells.missing), np.bool_)
        if not column.ordered and column.kind != "text":
            unseen = ~cells.missing & (to_codes(cells, column.categories) < 0)
        yield column.name, cells.gaps, cells.by_row(unseen)


def index_labels(
    network: RuleNetwork, labels: Iterable[object], rows: int
) -> tuple[tuple[Value, ...], NDArray[np.intp]]:
    """Return all classes, those that the network does not know last, and the index of the class of each row."""
    values = list_labels(labels, rows)
    if not rows:
        raise InputError("the table has no rows; give some to judge the network by, or no table at all")
    classes = {label_text(name): name for name in network.classes}
    texts = [label_text(value) for value in values]
    for text, value in sorted(zip(texts, values, strict=True), key=lambda pair: pair[0]):
        if text not in classes:
            classes[text] = python_value(value)
    indices = {text: index for index, text in enumerate(classes)}
    return tuple(classes.values()), np.array([indices[text] for text in texts], dtype=np.intp)


class Bin(NamedTuple):
    """The rows whose answer was stated with about the same probability."""

    stated: float
    """The mean of the probabilities that were stated."""
    right: float
    """The share of rows on which the answer was right."""
    rows: float
    """The weight of the rows."""


def compute_reliability(
    network: RuleNetwork, fired: Bits, target: NDArray[np.integer], weight: Floats | None = None
) -> tuple[Bin, ...]:
    """Return how often answers were right, by tenths of the probability stated for them; empty tenths are left out."""
    decided = decide_fired(network, fired)
    stated = probabilities(network, fired)[np.arange(len(fired)), decided]
    return bin_probabilities(stated, decided == target, weight)


def bin_probabilities(stated: Floats, right: Bits, weight: Floats | None = None) -> tuple[Bin, ...]:
    """Return how often what was stated came true, by tenths of its probability; empty tenths are left out."""
    tenth = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    number: type = int if weight is None else float  # rows are counted, weights are not
    weight = np.ones(len(stated)) if weight is None else weight
    rows = np.bincount(tenth, weight, minlength=_BINS)
    means, hits = (np.bincount(tenth, weight * values, minlength=_BINS) for values in (stated, right))
    filled = np.flatnonzero(rows)
    return tuple(Bin(float(means[i] / rows[i]), float(hits[i] / rows[i]), number(rows[i])) for i in filled)


def merge_bins(bins: Iterable[tuple[float, float, float]]) -> tuple[Bin, ...]:
    """Return the bins of several networks, with those of the same tenth as one."""
    by_tenth: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    for stated, right, rows in bins:
        by_tenth[min(int(stated * _BINS), _BINS - 1)].append((stated * rows, right * rows, rows))
    sums = ([sum(column) for column in zip(*by_tenth[tenth], strict=True)] for tenth in sorted(by_tenth))
    return tuple(Bin(stated / rows, right / rows, rows) for stated, right, rows in sums)


# How answers come about: no class, one or several fire, and by which rules

Fires = Choice["none", "one", "several"]
FIRES: tuple[Fires, ...] = ("none", "one", "several")


@dataclass(frozen=True, slots=True)
class Settlement:
    """The rows on which no class, one or several fire, and how often the answer was right."""

    fires: Fires
    """How many classes fire."""
    rows: int
    """The rows on which so many do."""
    right: int
    """Those of them on which the answer was right."""


@dataclass(frozen=True, slots=True)
class Tie:
    """The rows on which just these classes fire (none, or several), and what became of them."""

    classes: tuple[Value, ...]
    """The classes that fire, by priority; empty where none fires."""
    answer: Value
    """The class that the rows get: the first of these, or the default."""
    rows: int
    """The rows on which just these fire."""
    right: int
    """Those of them on which the answer was right."""


@dataclass(frozen=True, slots=True)
class RuleErrors:
    """The rows that got the class of a rule while the rule held."""

    label: Value
    """The class."""
    level: int | None
    """The level of the rule, counted from 0; None for rows that got the default class because none fired."""
    index: int | None
    """The number of the rule on its level, counted from 0; None where `level` is."""
    text: str
    """The rule as text."""
    rows: int
    """The rows that got the class while the rule held."""
    wrong: int
    """Those of them that are of another class."""


def count_ties(network: RuleNetwork, fired: Bits, decided: Indices, right: Bits) -> tuple[Tie, ...]:
    """Return the rows on which no class fires, or several, by which; the commonest first."""
    unsettled = np.flatnonzero(fired.sum(axis=1) != 1)
    patterns = [tuple(pattern) for pattern in fired[unsettled][:, list(network.priority_indices)].tolist()]
    rows = Counter(patterns)
    right_rows = Counter(pattern for pattern, ok in zip(patterns, right[unsettled], strict=True) if ok)
    answers = dict(zip(patterns, decided[unsettled].tolist(), strict=True))
    return tuple(
        Tie(
            tuple(name for name, fires in zip(network.priority, pattern, strict=True) if fires),
            network.classes[answers[pattern]],
            count,
            right_rows[pattern],
        )
        for pattern, count in sorted(rows.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def count_errors(
    network: RuleNetwork, rules: PackedBits, fired: Bits, decided: Indices, right: Bits
) -> tuple[RuleErrors, ...]:
    """Return the rules behind the answers, those with most wrong rows first; `rules` are those of the last level."""
    last = len(network.levels) - 1
    errors = []
    for number, (name, concept) in enumerate(zip(network.classes, network.levels[last].concepts, strict=True)):
        for index in concept.rules:
            rows = unpack(PackedBits(rules.words[[index]], rules.rows))[:, 0] & (decided == number)
            text = rule_text(network, last, index)
            errors.append(RuleErrors(name, last, index, text, int(rows.sum()), int((rows & ~right).sum())))
    silent = ~fired.any(axis=1)
    wrong = int((silent & ~right).sum())
    errors.append(RuleErrors(network.default, None, None, "no class fires", int(silent.sum()), wrong))
    return tuple(sorted((each for each in errors if each.rows), key=lambda each: (-each.wrong, -each.rows)))
