"""A draft means what its levels mean, whatever was changed in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples
from conceptrules.learn.scoring import SCORES
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import benefit
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.model import evaluation as evaluate
from conceptrules.model import statistics as measure
from conceptrules.model.evaluation import PackedBits, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Equals
from tests.strategies_search import drafts, examples, seeded, some


def network_of(draft: MutableNetwork) -> RuleNetwork:
    count = len(draft.rows.words) // 2
    columns = tuple(Column(f"x{i}", "boolean") for i in range(count))
    classes = tuple(f"class {c}" for c in range(draft.rows.classes))
    tests = tuple(Equals(column.name, True) for column in columns)
    return RuleNetwork(
        columns, tests, draft.levels(), classes, tuple(classes[c] for c in draft.order), classes[draft.default]
    )


def bits_of(rows: Rows) -> np.ndarray:
    return unpack(PackedBits(rows.words[: len(rows.words) // 2], len(rows.target)))


def rebuilt(draft: MutableNetwork) -> MutableNetwork:
    return MutableNetwork(draft.rows, [list(layer) for layer in draft.layers], list(draft.order), draft.default)


def assert_consistent(draft: MutableNetwork) -> None:
    """What it remembers of its nodes is what they are."""
    for found, expected in zip(draft.holds, rebuilt(draft).holds, strict=True):
        assert len(found) == len(expected)
        assert all((one == other).all() for one, other in zip(found, expected, strict=True))


@given(drafts())
def test_nodes_hold_where_those_of_the_network_do(draft):
    layers = evaluate.layers_plain(network_of(draft), bits_of(draft.rows))
    for nodes, expected in zip(draft.holds, layers[1:], strict=True):
        found = np.array(nodes, np.uint64).reshape(len(nodes), -1)
        assert (unpack(PackedBits(found, len(draft.rows.target))) == expected).all()


@given(drafts())
def test_decisions_and_score_are_those_of_the_network(draft):
    network, rows = network_of(draft), draft.rows
    fired = evaluate.layers_plain(network, bits_of(rows))[-1]
    answers = evaluate.decide_fired(network, fired)
    expected = np.zeros((rows.classes, rows.classes))
    np.add.at(expected, (rows.target, answers), rows.weight)
    assert draft.confusion() == pytest.approx(expected)
    assert draft.score() == pytest.approx(SCORES[rows.scoring](expected))


@given(drafts())
def test_sizes_are_those_of_the_network(draft):
    network = network_of(draft)
    assert draft.edges == measure.edges(network)
    assert draft.rules == sum(len(level.rules) for level in network.levels)


@given(drafts(), seeded())
def test_other_inputs_for_a_node_reach_all_that_lies_above(draft, rng):
    for _ in range(3):
        depth = int(rng.integers(len(draft.layers)))
        node = int(rng.integers(len(draft.layers[depth])))
        draft.put(depth, node, some(rng, len(draft.below(depth))))
        assert_consistent(draft)


@given(drafts(), seeded())
def test_forcing_a_node_answers_as_if_it_held_there_and_changes_nothing(draft, rng):
    depth = int(rng.integers(len(draft.layers)))
    node = int(rng.integers(len(draft.layers[depth])))
    value = draft.rows.full & rng.integers(0, 2**64, len(draft.rows.full), dtype=np.uint64)
    found = draft.forced(depth, node, value)
    assert_consistent(draft)
    assert (found == forced_plain(draft, depth, node, value)).all()


def forced_plain(draft: MutableNetwork, depth: int, node: int, value: np.ndarray) -> np.ndarray:
    again = rebuilt(draft)
    again.holds = again.holds[: depth + 1]
    again.holds[depth][node] = value
    for layer in range(depth + 1, len(again.layers)):
        below = again.below(layer)
        again.holds.append([again._value(layer, below, chosen) for chosen in again.layers[layer]])
    return again.fired


@given(drafts(), seeded())
def test_the_benefit_of_a_node_is_what_each_row_gains_when_it_holds(draft, rng):
    depth = int(rng.integers(len(draft.layers)))
    node = int(rng.integers(len(draft.layers[depth])))
    rows, slope = draft.rows, draft.slope()
    values = np.zeros_like(rows.full), rows.full
    answers = [
        evaluate.first_firing(
            unpack(PackedBits(forced_plain(draft, depth, node, value), len(rows.target))), draft.order, draft.default
        )
        for value in values
    ]
    off, on = (slope[rows.target, answer] for answer in answers)
    assert benefit(draft, depth, node) == pytest.approx(rows.weight * (on - off))


@given(drafts(), seeded())
def test_rules_come_and_go(draft, rng):
    c = int(rng.integers(draft.rows.classes))
    before, edges = draft.fired, draft.edges
    chosen = some(rng, len(draft.below(len(draft.layers) - 2)))
    draft.add_rule(c, chosen)
    assert_consistent(draft)
    assert draft.edges == edges + len(chosen) + 1
    draft.drop_rule(len(draft.layers) - 2, len(draft.layers[-2]) - 1)
    assert_consistent(draft)
    assert (draft.fired == before).all()
    for depth in range(0, len(draft.layers), 2):
        draft.drop_rule(depth, int(rng.integers(len(draft.layers[depth]))))
        assert_consistent(draft)


@given(drafts(), seeded())
def test_a_copy_goes_its_own_way_and_brings_the_old_draft_back(draft, rng):
    layers, order, default = [list(layer) for layer in draft.layers], list(draft.order), draft.default
    before = draft.copy()
    draft.add_rule(0, some(rng, len(draft.below(len(draft.layers) - 2))))
    draft.put(0, 0, some(rng, len(draft.rows.words)))
    draft.order.reverse()
    draft.default = (default + 1) % draft.rows.classes
    draft.restore(before)
    assert (draft.order, draft.default) == (order, default)
    for layer, expected in zip(draft.layers, layers, strict=True):
        assert [one.tolist() for one in layer] == [one.tolist() for one in expected]
    assert_consistent(draft)


@given(examples(3), st.data())
def test_rows_laid_out_one_by_one_count_as_their_weights_do(given_rows, data):
    rows = Rows.of(given_rows, 3)
    assert rows.weight.sum() == pytest.approx(given_rows.weight.sum())
    share = np.bincount(given_rows.target, given_rows.weight, 3)
    assert np.bincount(rows.target, rows.weight, 3) == pytest.approx(share)
    bits, weighted = bits_of(rows), given_rows.bits.T @ given_rows.weight
    assert bits.T @ rows.weight == pytest.approx(weighted)
    assert (rows.words[len(rows.words) // 2 :] == rows.words[: len(rows.words) // 2] ^ rows.full).all()


def test_an_empty_draft_answers_its_default():
    rows = Rows.of(Examples.of(np.array([[True], [False], [True]]), np.array([0, 1, 1]), np.ones(3)), 2)
    draft = MutableNetwork.empty(rows, [0, 1], 1)
    assert draft.confusion().tolist() == [[0, 1], [0, 2]]
    assert (draft.edges, draft.rules) == (0, 0)
