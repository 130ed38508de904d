"""Figures of a network: its size, what its rules cover, how often each class is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, PackedBits, decide_fired, layers, unpack
from conceptrules.model.network import Cell, RuleNetwork, Statistics
from conceptrules.model.predicate import Predicate, bounds_of, size_of
from conceptrules.model.scoring import Scores, answer_scores, score_words

Floats = NDArray[np.float64]
SCORE_GROUPS = 20
"""The groups of scores that the statistics of a number keep."""


def edges(network: RuleNetwork) -> int:
    """Return the paper's measure of complexity: literals in rules plus rules in concepts, on all levels, used or not.

    A literal of a set of categories counts as many as `size_of` says; on higher levels each counts 1. In a scorecard,
    each pair of a rule and an output that has points counts as a rule in a concept does.
    """
    return _edges(network, sizes_of(network))


def edges_by_bounds(network: RuleNetwork) -> int:
    """Return the `edges`, where an interval with two bounds counts two, as do the two thresholds that say the same."""
    columns = {column.name: column for column in network.columns}
    return _edges(network, [bounds_of(predicate, columns[predicate.column]) for predicate in network.predicates])


def _edges(network: RuleNetwork, predicates: list[int]) -> int:
    """Return the edges, given what a literal of each predicate counts."""
    sizes = [predicates, *([1] * len(level.concepts) for level in network.levels)]
    literals = sum(
        below[literal.index]
        for below, level in zip(sizes, network.levels, strict=False)
        for rule in level.rules
        for literal in rule.literals
    )
    members = sum(len(concept.rules) for level in network.levels for concept in level.concepts)
    return literals + members + (network.head.edges if network.head else 0)


def sizes_of(network: RuleNetwork) -> list[int]:
    """Return the `size_of` each predicate."""
    columns = {column.name: column for column in network.columns}
    return [size_of(predicate, columns[predicate.column]) for predicate in network.predicates]


def rule_size(network: RuleNetwork, level: int, rule: int) -> int:
    """Return the edges that lead to a rule; `level` and `rule` count from 0."""
    literals = network.levels[level].rules[rule].literals
    if level:
        return len(literals)
    columns = {column.name: column for column in network.columns}
    predicates = [network.predicates[literal.index] for literal in literals]
    return sum(size_of(predicate, columns[predicate.column]) for predicate in predicates)


def asked_columns(network: RuleNetwork) -> list[list[frozenset[str]]]:
    """Return, at [level][rule], the columns that a rule depends on, directly or through concepts."""
    below, none = [frozenset([predicate.column]) for predicate in network.predicates], frozenset[str]()
    result = []
    for level in network.levels:
        result.append([none.union(*(below[literal.index] for literal in rule.literals)) for rule in level.rules])
        below = [none.union(*(result[-1][rule] for rule in concept.rules)) for concept in level.concepts]
    return result


def with_statistics(
    network: RuleNetwork, words: PackedBits, y: NDArray[np.intp], weight: Floats | None = None
) -> RuleNetwork:
    """Return the network with what its rules cover and decide on these rows; `y` holds indices of classes.

    A network that predicts a number has none: then `y` is 0 for all rows, and the figures count rows.
    """
    if not len(y) == words.rows == (words.rows if weight is None else len(weight)):
        raise InputError(f"{words.rows} rows need as many classes and weights, got {len(y)} classes")
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    classes = len(network.classes) or 1
    hidden = layers(network, words)
    covered = tuple(
        tuple(_by_class(y[rows], weight[rows], classes) for rows in _one_by_one(rules)) for rules in hidden[1::2]
    )
    rows = _by_class(y, weight, classes)
    if network.head is not None:
        scores = score_words(network.head, hidden[-2])
        answers = answer_scores(network.head, scores) if network.head.outputs > 1 else np.zeros(0, np.intp)
        answered = _by_class(answers, weight, classes) if len(answers) else ()
        by_score = _score_rows(scores, y, weight, classes)
        return replace(network, statistics=Statistics(rows, covered, scores=by_score, answered=answered))
    fired = unpack(hidden[-1])
    patterns = pattern_rows(fired, y, weight, classes)
    decided = _decided(network, hidden[-2], decide_fired(network, fired), y, weight)
    return replace(network, statistics=Statistics(rows, covered, patterns, decided))


CellKey = tuple[str, tuple[Predicate, ...], bool]
"""A column, the used predicates on it that hold, and whether the value is a gap."""
CellRows = dict[CellKey, float]
"""The weight of the rows of each cell."""


def count_cells(
    network: RuleNetwork, words: PackedBits, gaps: Mapping[str, Bits], weight: Floats | None = None
) -> CellRows:
    """Return the rows by what the used predicates say of each column.

    `gaps` says of columns on which rows the value is missing, or a category that the column does not list.
    """
    weight = np.ones(words.rows) if weight is None else weight
    cells: CellRows = {}
    for column, indices in network.used_columns.items():
        bits = unpack(PackedBits(words.words[list(indices)], words.rows))
        kinds, inverse = distinct_rows(np.column_stack([gaps.get(column, np.zeros(words.rows, np.bool_)), bits]))
        counts = np.bincount(inverse, weight, minlength=len(kinds)).tolist()
        for (gap, *holds), rows in zip(kinds.tolist(), counts, strict=True):
            tests = tuple(network.predicates[i] for i, each in zip(indices, holds, strict=True) if each)
            cells[column, tests, gap] = rows
    return cells


def list_cells(cells: Mapping[CellKey, float]) -> tuple[Cell, ...]:
    """Return the cells that have rows, in an order of their own."""
    known = (Cell(*key, rows) for key, rows in cells.items() if rows)
    return tuple(sorted(known, key=lambda cell: (cell.column, cell.gap, repr(cell.holds))))


def _decided(
    network: RuleNetwork, rules: PackedBits, answers: NDArray[np.intp], y: NDArray[np.intp], weight: Floats
) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """Return the rows by class that each rule of each class decides."""
    result = []
    for kind, concept in enumerate(network.levels[-1].concepts):
        covered = _one_by_one(PackedBits(rules.words[list(concept.rules)], rules.rows))
        decided = [rows & (answers == kind) for rows in covered]
        result.append(tuple(_by_class(y[rows], weight[rows], len(network.classes)) for rows in decided))
    return tuple(result)


def probabilities(network: RuleNetwork, fired: Bits) -> Floats:
    """Return how often each class is right where just these classes fire: (rows, classes), each row sums to 1.

    These are frequencies of the training rows, less the optimism of the statistics, and smoothed by one row of the
    average kind: (count + share) / (total + 1). A pattern never seen gets the shares of the classes. Priority decides,
    so that the answer need not be the class of the largest probability.
    """
    if network.statistics is None:
        raise InputError("this network has no statistics of training rows; fit it, or add them with `with_statistics`")
    shares = np.array(network.statistics.rows) / sum(network.statistics.rows)
    seen = dict(expected_patterns(network))
    kinds, inverse = distinct_rows(fired)
    table = [_smooth(seen.get(tuple(kind)), shares) for kind in kinds.tolist()]
    return np.array(table).reshape(-1, len(shares))[inverse]


def expected_patterns(network: RuleNetwork) -> list[tuple[tuple[bool, ...], Floats]]:
    """Return the patterns of firing classes with the rows by class that are expected of as many new rows.

    These are the counts of the training rows, less the optimism of the statistics. Their sums stay.
    """
    if network.statistics is None:
        return []
    patterns = [(pattern, np.array(rows)) for pattern, rows in network.statistics.patterns]
    if not network.statistics.optimism or not patterns:
        return patterns
    answers = decide_fired(network, np.array([pattern for pattern, _ in patterns]))
    excess = np.array(network.statistics.optimism)[answers]
    return [(pattern, _lower(rows, less)) for (pattern, rows), less in zip(patterns, excess, strict=True)]


def _lower(rows: Floats, excess: Floats) -> Floats:
    shares = np.maximum(rows / (sum(rows) or 1) - excess, 0)
    return shares / shares.sum() * sum(rows) if shares.any() else rows


def tabulate_probabilities(network: RuleNetwork) -> tuple[Floats, Floats]:
    """Return the probabilities where a class is the answer to a new pattern of classes that fire, then of known ones.

    A row of the first is for a class, a row of the second for a pattern that the statistics have, in their order.
    """
    assert network.statistics is not None
    unseen = replace(network, statistics=replace(network.statistics, patterns=()))
    classes = len(network.classes)
    seen = np.array([pattern for pattern, _ in network.statistics.patterns], dtype=np.bool_).reshape(-1, classes)
    return probabilities(unseen, np.eye(classes, dtype=np.bool_)), probabilities(network, seen)


def _smooth(counts: Floats | None, shares: Floats) -> Floats:
    return shares if counts is None else (counts + shares) / (counts.sum() + 1)


def _by_class(y: NDArray[np.intp], weight: Floats, classes: int) -> tuple[float, ...]:
    return tuple(np.bincount(y, weight, minlength=classes).tolist())


def pattern_rows(
    fired: Bits, y: NDArray[np.intp], weight: Floats, classes: int
) -> tuple[tuple[tuple[bool, ...], tuple[float, ...]], ...]:
    """Return the patterns of firing classes and their rows, sorted; rows without weight do not count."""
    kinds, inverse = distinct_rows(fired)
    counts = np.bincount(inverse * classes + y, weight, minlength=len(kinds) * classes)
    pairs = zip(kinds.tolist(), counts.reshape(-1, classes).tolist(), strict=True)
    return tuple((tuple(kind), tuple(rows)) for kind, rows in pairs if sum(rows) > 0)


def _score_rows(
    scores: Scores, y: NDArray[np.intp], weight: Floats, classes: int
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Return each score of a card of two classes, ascending, and its rows by class; nothing of several classes."""
    if scores.shape[1] > 1:
        return ()
    values, inverse = np.unique(scores[:, 0], return_inverse=True)
    counts = np.bincount(inverse * classes + y, weight, minlength=len(values) * classes).reshape(-1, classes)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    return tuple((score, tuple(rows)) for score, rows in pairs if any(rows))


def group_scores(
    scores: Sequence[tuple[int, tuple[float, ...]]], groups: int
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Return at most so many groups of neighbouring scores of about as many rows: the largest score and the rows."""
    total = sum(sum(rows) for _, rows in scores)
    result: list[tuple[int, tuple[float, ...]]] = []
    before = collected = 0.0
    parts: list[tuple[float, ...]] = []
    for number, (score, rows) in enumerate(scores, start=1):
        parts.append(rows)
        collected += sum(rows)
        if number == len(scores) or (collected - before) * groups >= total:
            result.append((score, tuple(map(sum, zip(*parts, strict=True)))))
            before, parts = collected, []
    return tuple(result)


def distinct_rows(fired: Bits) -> tuple[Bits, NDArray[np.intp]]:
    """Return the different rows, sorted, and which one each row is.

    It is thirteen times as fast as np.unique along an axis.
    """
    codes = np.zeros(len(fired), dtype=np.intp)
    for node in fired.T:
        codes = codes * 2 + node
        if codes.size and codes.max() > len(fired):  # many classes: only the codes that occur keep a number
            codes = number_codes(codes)[1]
    rows, inverse = number_codes(codes)
    return fired[rows], inverse


def number_codes(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first row of each different code, in the order of codes, and the number of each row's code there."""
    if not codes.size or codes.max() > 4 * len(codes):
        _, first, number = np.unique(codes, return_index=True, return_inverse=True)
        return first, number
    occurs = np.bincount(codes) > 0  # small codes need not be sorted, which takes three times as long
    number = (np.cumsum(occurs) - 1)[codes]
    first = np.empty(np.count_nonzero(occurs), np.intp)
    first[number[::-1]] = np.arange(len(codes))[::-1]  # the first row is written last
    return first, number


def _one_by_one(words: PackedBits) -> Iterator[Bits]:
    """Yield the bits of each node of a layer: all of them at once would take eight times the memory."""
    for node in words.words:
        yield unpack(PackedBits(node[None], words.rows))[:, 0]
