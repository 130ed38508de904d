"""What changes without a rule, a concept, a column; and how stable rules are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.explain import stability as stable
from conceptrules.explain.importance_scores import Weight, column_shares, importance, importance_of_bits
from conceptrules.explain.stability import stability
from conceptrules.model.evaluation import decide_fired, layers_plain, pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.scoring import answer_scores, score_bits
from conceptrules.model.statistics import asked_columns, with_statistics
from tests.strategies import measured_networks, measured_scorecards, networks, rows, scorecards

COLUMNS = (Column("age"), Column("job", "category", ("cook", "nurse")), Column("unused"))
PREDICATES = (Interval("age", 40), Equals("job", "cook"), Equals("job", "nurse"))
NETWORK = RuleNetwork(
    COLUMNS,
    PREDICATES,
    [Level([Rule([Literal(0), Literal(1)]), Rule([Literal(2)])], [Concept([0, 1]), Concept()])],
    ["yes", "no"],
    default="no",
)
TABLE = [[50, "cook", 0], [50, "cook", 0], [30, "cook", 0], [50, "nurse", 0], [50, None, 0]]


def test_counts_by_hand():
    found = importance(NETWORK, TABLE)
    assert found.rows == 5
    assert found.rules == (Weight("age > 40 and job = cook", 0, 0, 2), Weight("job = nurse", 0, 1, 1))
    assert found.concepts == ()
    # Without age, the young cook says yes as well; without job, `job = nurse` asks nothing and always holds.
    assert [(weight.name, weight.changed) for weight in found.columns] == [("age", 1), ("job", 2), ("unused", 0)]


def decided(network: RuleNetwork, bits: np.ndarray) -> np.ndarray:
    return decide_fired(network, layers_plain(network, bits)[-1])


def without_rule(network: RuleNetwork, level: int, index: int) -> RuleNetwork:
    """The rule becomes one that never holds: it asks for a concept without rules, or for p and not p."""
    old = network.levels[level]
    concepts = [Concept([rule for rule in concept.rules if rule != index]) for concept in old.concepts]
    levels = (*network.levels[:level], Level(old.rules, concepts), *network.levels[level + 1 :])
    return replace(network, levels=levels)


@given(networks(), st.data())
def test_counts_are_those_of_the_plain_evaluation(network: RuleNetwork, data: st.DataObject) -> None:
    bits = data.draw(rows(network))
    found = importance_of_bits(network, pack(bits))
    before = decided(network, bits)
    for weight in found.rules:
        after = decided(without_rule(network, weight.level, weight.index), bits)
        assert weight.changed == np.count_nonzero(before != after)
    for weight in found.concepts:
        old = network.levels[weight.level]
        concepts = [Concept() if index == weight.index else concept for index, concept in enumerate(old.concepts)]
        levels = (*network.levels[: weight.level], Level(old.rules, concepts), *network.levels[weight.level + 1 :])
        after = decided(replace(network, levels=levels), bits)
        assert weight.changed == np.count_nonzero(before != after)
    first = network.levels[0]
    for weight in found.columns:  # column i has the one predicate i
        rules = [Rule([each for each in rule.literals if each.index != weight.index]) for rule in first.rules]
        after = decided(replace(network, levels=(Level(rules, first.concepts), *network.levels[1:])), bits)
        assert weight.changed == np.count_nonzero(before != after)
    assert len(found.rules) == sum(len(level.rules) for level in network.levels)


@given(scorecards(), st.data())
def test_counts_of_scorecards_are_those_of_the_plain_evaluation(network: RuleNetwork, data: st.DataObject) -> None:
    bits = data.draw(rows(network))
    head, last = network.head, len(network.levels) - 1

    def answers(changed: RuleNetwork, silent: frozenset[int] = frozenset()) -> np.ndarray:
        """The answers where some rules of the last level give no points."""
        rules = layers_plain(changed, bits)[-2].copy()
        rules[:, list(silent)] = False
        return answer_scores(head, score_bits(head, rules))

    found, before = importance_of_bits(network, pack(bits)), answers(network)
    for weight in found.rules:
        after = (
            answers(network, frozenset([weight.index]))
            if weight.level == last
            else answers(without_rule(network, weight.level, weight.index))
        )
        assert weight.changed == np.count_nonzero(before != after)
    asked = asked_columns(network)[-1]
    for weight in found.columns:
        silent = frozenset(rule for rule, names in enumerate(asked) if weight.name in names)
        assert weight.changed == np.count_nonzero(before != answers(network, silent))


@given(scorecards() | measured_scorecards())
def test_the_shares_of_the_columns_of_a_scorecard_sum_to_1(network: RuleNetwork) -> None:
    shares = column_shares(network)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1) or not shares.any()
    unused = {column.name for column in network.columns} - {n for names in asked_columns(network)[-1] for n in names}
    assert all(share == 0 for column, share in zip(network.columns, shares, strict=True) if column.name in unused)


def macro_f1(truth: np.ndarray, answers: np.ndarray, weight: np.ndarray) -> float:
    scores = []
    for kind in set(truth[weight > 0]) | set(answers[weight > 0]):
        both = weight[truth == kind].sum() + weight[answers == kind].sum()
        scores.append(2 * weight[(truth == kind) & (answers == kind)].sum() / both)
    return float(np.mean(scores))


@given(networks(), st.data())
def test_stability_is_that_of_plain_counting(network: RuleNetwork, data: st.DataObject) -> None:
    bits = data.draw(rows(network, min_rows=1))
    random = np.random.default_rng(0)
    truth, weight = random.integers(len(network.classes), size=len(bits)), random.integers(1, 4, len(bits)) * 1.0
    before = decided(network, bits)
    others = [
        [decided(without_rule(network, level, index), bits) for index in range(len(nodes.rules))]
        for level, nodes in enumerate(network.levels)
    ]
    kinds, total = stable._group_rows(truth, before, [other for level in others for other in level], weight)
    assert total.sum() == weight.sum()
    drawn = stable._draw_resamples(total, int(weight.sum()), seed=0)
    assert (drawn.sum(axis=0) == weight.sum()).all()

    def scores(answers: np.ndarray) -> np.ndarray:
        return np.array([macro_f1(truth[kinds], answers[kinds], counts) for counts in drawn.T])

    full = scores(before)

    def worse(answers: np.ndarray) -> float:
        return float(np.mean(scores(answers) < full - 1e-12))

    found = stability(network, pack(bits), truth, weight)
    assert found == tuple(tuple(map(worse, level)) for level in others)


def test_stability_by_hand():
    bits = np.array([[1, 1, 0]] * 50 + [[0, 0, 1]] * 50 + [[0, 0, 0]] * 100, dtype=bool)
    truth = np.array([0] * 50 + [1] * 150)
    assert stability(NETWORK, pack(bits), truth, np.ones(200)) == ((1.0, 0.0),)
    # As many right as wrong: by chance now the one, now the other.
    even = np.array([0] * 50 + [0, 1] * 25 + [1] * 100)
    ((always, sometimes),) = stability(NETWORK, pack(bits), even, np.ones(200))
    assert always == 1
    assert 0.5 < sometimes <= 1


@pytest.mark.parametrize("factor", [0.1, 1.0, 3.0])
def test_stability_takes_any_weights(factor: float):
    bits = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]] * 20, dtype=bool)
    truth = np.array([0, 1, 1] * 20)
    ((good, bad),) = stability(NETWORK, pack(bits), truth, np.full(60, factor))
    assert good > 0.9
    assert bad == 0


@given(measured_networks())
def test_shares_of_columns_sum_to_one_and_unused_ones_have_none(network):
    found = column_shares(network)
    assert found.sum() == pytest.approx(1) or not found.any()
    used = set(network.used_columns)
    assert all(share == 0 for share, column in zip(found, network.columns, strict=True) if column.name not in used)


def test_a_rule_counts_by_the_rows_that_it_decides():
    level = Level([Rule([Literal(0), Literal(1)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])
    columns = [Column(name, "boolean") for name in "xyz"]
    network = RuleNetwork(columns, [Equals("x", True), Equals("y", True)], [level], ["a", "b"])
    assert column_shares(network).tolist() == [0.25, 0.75, 0]
    bits = np.array([[1, 1], [1, 1], [0, 1]], dtype=bool)
    assert column_shares(with_statistics(network, pack(bits), np.array([0, 0, 1]))) == pytest.approx([1 / 3, 2 / 3, 0])
