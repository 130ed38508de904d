from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    Rule,
    RuleNetwork,
    Statistics,
)
from conceptrules.model.evaluation import decide_fired, layers_plain, pack
from conceptrules.model.predicate import size_of
from conceptrules.model.statistics import (
    distinct_rows,
    edges,
    edges_by_bounds,
    expected_patterns,
    probabilities,
    rule_size,
    sizes_of,
    with_statistics,
)
from tests.strategies import all_inputs, measured_networks, networks, rows

RANK = Column("rank", "ordinal", ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("predicate", "column", "size"),
    [
        (Interval("age", 27, 41), Column("age"), 1),
        (Interval("age", 27), Column("age"), 1),
        (Missing("rank"), RANK, 1),
        (Equals("rank", "b"), RANK, 1),
        (OneOf("rank", ("a", "b")), RANK, 1),
        (OneOf("rank", ("b", "c", "d")), RANK, 1),
        (OneOf("rank", ("a", "b", "c", "d")), RANK, 1),
        (OneOf("rank", ("b", "c")), RANK, 2),
        (OneOf("rank", ("b",)), RANK, 2),
        (OneOf("rank", ("a", "c", "d")), RANK, 3),
        (OneOf("job", ("a", "b")), Column("job", "category", ("a", "b", "c")), 2),
    ],
)
def test_how_a_predicate_counts(predicate, column, size):
    assert size_of(predicate, column) == size
    level = Level((Rule((Literal(0),)), Rule((Literal(0, negated=True),))), (Concept((0, 1)),))
    top = Level((Rule((Literal(0),)),), (Concept((0,)),))
    assert edges(RuleNetwork((column,), (predicate,), (level, top), ("yes",))) == 2 * size + 2 + 2


@given(networks(odd=True))
def test_two_bounds_count_two(network):
    first = [literal.index for rule in network.levels[0].rules for literal in rule.literals]
    used = [network.predicates[index] for index in first]
    both = [test for test in used if isinstance(test, Interval) and np.isfinite([test.low, test.high]).all()]
    assert edges_by_bounds(network) == edges(network) + len(both)


@given(networks(odd=True))
def test_edges_are_the_ones_of_the_weight_matrices(network):
    count = 0
    columns = {column.name: column for column in network.columns}
    for depth, level in enumerate(network.levels):
        for literal in (literal for rule in level.rules for literal in rule.literals):
            test = None if depth else network.predicates[literal.index]
            count += 1 if test is None else size_of(test, columns[test.column])
        count += sum(1 for concept in level.concepts for _ in concept.rules)
    assert edges(network) == network.edges == count


@given(st.data(), networks())
def test_statistics_are_the_counts(data, network):
    bits = data.draw(rows(network, min_rows=1))
    kinds = range(len(network.classes))
    y = np.array([data.draw(st.sampled_from(kinds)) for _ in range(min(len(bits), 9))])
    y = np.resize(y, len(bits))
    h, found = layers_plain(network, bits), with_statistics(network, pack(bits), y).statistics
    assert found.rows == tuple((y == k).sum() for k in kinds)
    for rules, covered in zip(h[1::2], found.covered, strict=True):
        assert covered == tuple(tuple((rule & (y == k)).sum() for k in kinds) for rule in rules.T)
    for pattern, counts in found.patterns:
        same = (h[-1] == pattern).all(axis=1)
        assert counts == tuple((same & (y == k)).sum() for k in kinds)
    answers = decide_fired(network, h[-1])
    for kind, concept in enumerate(network.levels[-1].concepts):
        mine = [h[-2][:, rule] & (answers == kind) for rule in concept.rules]
        assert found.decided[kind] == tuple(tuple((rows & (y == k)).sum() for k in kinds) for rows in mine)
    assert list(found.patterns) == sorted(found.patterns)
    np.testing.assert_allclose(np.sum([counts for _, counts in found.patterns], axis=0), found.rows)


@given(st.data(), networks())
def test_whole_weights_are_repeats_and_weight_0_is_no_row(data, network):
    bits = data.draw(rows(network, min_rows=1))
    y = np.arange(len(bits)) % len(network.classes)
    weight = np.arange(1, len(bits) + 1) % 3
    weight[0] = 1
    weighted = with_statistics(network, pack(bits), y, weight)
    repeated = with_statistics(network, pack(np.repeat(bits, weight, axis=0)), np.repeat(y, weight))
    assert weighted.statistics == repeated.statistics


@given(networks())
def test_a_pattern_of_rows_without_weight_has_not_been_seen(network):
    bits = all_inputs(len(network.predicates))
    y, weight = np.zeros(len(bits), dtype=int), np.eye(1, len(bits))[0]
    patterns = with_statistics(network, pack(bits), y, weight).statistics.patterns
    assert [fires for fires, _ in patterns] == [tuple(layers_plain(network, bits)[-1][0].tolist())]


@given(measured_networks())
def test_frequencies_are_smoothed_towards_the_shares(network):
    fired = all_inputs(len(network.classes))
    shares = np.array(network.statistics.rows) / sum(network.statistics.rows)
    seen = dict(network.statistics.patterns)
    found = probabilities(network, fired)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for row, frequencies in zip(fired, found, strict=True):
        counts = np.array(seen.get(tuple(row.tolist()), np.zeros(len(shares))))
        np.testing.assert_allclose(frequencies, (counts + shares) / (counts.sum() + 1))
    assert probabilities(network, fired[:0]).shape == (0, len(shares))


@given(networks())
def test_what_cannot_be_counted_is_refused(network):
    words = pack(np.zeros((2, len(network.predicates)), dtype=bool))
    with pytest.raises(InputError, match="no statistics"):
        probabilities(network, np.zeros((1, len(network.classes)), dtype=bool))
    with pytest.raises(InputError, match="2 rows need as many classes and weights"):
        with_statistics(network, words, np.zeros(3, dtype=int))
    with pytest.raises(InputError, match="2 rows need as many classes and weights"):
        with_statistics(network, words, np.zeros(2, dtype=int), np.ones(3))
    with pytest.raises(InputError, match="at least one training row"):
        with_statistics(network, words, np.zeros(2, dtype=int), np.zeros(2))


@pytest.mark.parametrize(("rows", "classes"), [(0, 2), (1, 1), (50, 3), (300, 70), (2000, 130)])
def test_kinds_of_rows_are_those_of_numpy(rows, classes):
    fired = np.random.default_rng(rows).random((rows, classes)) < 0.05
    kinds, inverse = np.unique(fired, axis=0, return_inverse=True)
    found, places = distinct_rows(fired)
    assert np.array_equal(found, kinds)
    assert np.array_equal(places, inverse.reshape(-1))


@given(measured_networks())
def test_probabilities_sum_to_one(network):
    fired = all_inputs(len(network.classes))
    stated = probabilities(network, fired)
    np.testing.assert_allclose(stated.sum(axis=1), 1)


MIXED = RuleNetwork(
    (Column("age"), RANK),
    (Interval("age", 27, 41), OneOf("rank", ("b", "c")), OneOf("rank", ("a", "c"))),
    (
        Level(
            (Rule((Literal(0), Literal(1))), Rule((Literal(2), Literal(0, True))), Rule()), (Concept((0, 1, 2)),) * 2
        ),
        Level((Rule((Literal(0), Literal(1, True))), Rule((Literal(1),))), (Concept((0,)), Concept((1,)))),
    ),
    ("no", "yes"),
)


def test_the_edges_of_single_rules() -> None:
    assert [rule_size(MIXED, 0, rule) for rule in range(3)] == [3, 3, 0]
    assert [rule_size(MIXED, 1, rule) for rule in range(2)] == [2, 1]
    assert sizes_of(MIXED) == [1, 2, 2]
    assert (edges(MIXED), edges_by_bounds(MIXED)) == (3 + 3 + 6 + 3 + 2, 3 + 3 + 2 + 6 + 3 + 2)


FLAGS = RuleNetwork((), (), (Level((), (Concept(), Concept())),), ("no", "yes"))
PATTERNS = (((False, False), (6.0, 2.0)), ((False, True), (1.0, 3.0)), ((True, False), (0.0, 0.0)))


def optimistic(*optimism: tuple[float, float]) -> RuleNetwork:
    return replace(FLAGS, statistics=Statistics((7.0, 5.0), ((),), PATTERNS, optimism=optimism))


def test_without_optimism_the_counts_are_what_is_expected() -> None:
    found = expected_patterns(optimistic())
    assert [(pattern, rows.tolist()) for pattern, rows in found] == [(kind, list(rows)) for kind, rows in PATTERNS]
    assert expected_patterns(FLAGS) == []
    none = replace(FLAGS, statistics=Statistics((1.0, 1.0), ((),), (), optimism=((0, 0), (0, 0))))
    assert expected_patterns(none) == []


def test_optimism_lowers_the_shares_of_the_answer_and_keeps_the_sums() -> None:
    found = dict(expected_patterns(optimistic((0.25, -0.25), (-0.125, 0.25))))
    assert found[False, False] == pytest.approx([4, 4])  # 6/8 - 1/4 and 2/8 + 1/4
    assert found[False, True] == pytest.approx([4 * 0.375 / 0.875, 4 * 0.5 / 0.875])
    assert found[True, False].tolist() == [0, 0]
    away = dict(expected_patterns(optimistic((1, 1), (1, 0))))
    assert away[False, False].tolist() == [6, 2]  # nothing would be left
    assert away[False, True] == pytest.approx([0, 4])
