"""A net means what its levels mean, whatever was changed in it."""

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
from tests.strategies_search import examples, nets, seeded, some


def network_of(net: MutableNetwork) -> RuleNetwork:
    count = len(net.rows.words) // 2
    columns = tuple(Column(f"x{i}", "boolean") for i in range(count))
    classes = tuple(f"class {c}" for c in range(net.rows.classes))
    tests = tuple(Equals(column.name, True) for column in columns)
    return RuleNetwork(
        columns, tests, net.levels(), classes, tuple(classes[c] for c in net.order), classes[net.default]
    )


def bits_of(rows: Rows) -> np.ndarray:
    return unpack(PackedBits(rows.words[: len(rows.words) // 2], len(rows.target)))


def rebuilt(net: MutableNetwork) -> MutableNetwork:
    return MutableNetwork(net.rows, [list(layer) for layer in net.layers], list(net.order), net.default)


def assert_consistent(net: MutableNetwork) -> None:
    """What it remembers of its nodes is what they are."""
    for found, expected in zip(net.holds, rebuilt(net).holds, strict=True):
        assert len(found) == len(expected)
        assert all((one == other).all() for one, other in zip(found, expected, strict=True))


@given(nets())
def test_nodes_hold_where_those_of_the_network_do(net):
    layers = evaluate.layers_plain(network_of(net), bits_of(net.rows))
    for nodes, expected in zip(net.holds, layers[1:], strict=True):
        found = np.array(nodes, np.uint64).reshape(len(nodes), -1)
        assert (unpack(PackedBits(found, len(net.rows.target))) == expected).all()


@given(nets())
def test_decisions_and_score_are_those_of_the_network(net):
    network, rows = network_of(net), net.rows
    fired = evaluate.layers_plain(network, bits_of(rows))[-1]
    answers = evaluate.decide_fired(network, fired)
    expected = np.zeros((rows.classes, rows.classes))
    np.add.at(expected, (rows.target, answers), rows.weight)
    assert net.confusion() == pytest.approx(expected)
    assert net.score() == pytest.approx(SCORES[rows.scoring](expected))


@given(nets())
def test_sizes_are_those_of_the_network(net):
    network = network_of(net)
    assert net.edges == measure.edges(network)
    assert net.rules == sum(len(level.rules) for level in network.levels)


@given(nets(), seeded())
def test_other_inputs_for_a_node_reach_all_that_lies_above(net, rng):
    for _ in range(3):
        depth = int(rng.integers(len(net.layers)))
        node = int(rng.integers(len(net.layers[depth])))
        net.put(depth, node, some(rng, len(net.below(depth))))
        assert_consistent(net)


@given(nets(), seeded())
def test_forcing_a_node_answers_as_if_it_held_there_and_changes_nothing(net, rng):
    depth = int(rng.integers(len(net.layers)))
    node = int(rng.integers(len(net.layers[depth])))
    value = net.rows.full & rng.integers(0, 2**64, len(net.rows.full), dtype=np.uint64)
    found = net.forced(depth, node, value)
    assert_consistent(net)
    assert (found == forced_plain(net, depth, node, value)).all()


def forced_plain(net: MutableNetwork, depth: int, node: int, value: np.ndarray) -> np.ndarray:
    again = rebuilt(net)
    again.holds = again.holds[: depth + 1]
    again.holds[depth][node] = value
    for layer in range(depth + 1, len(again.layers)):
        below = again.below(layer)
        again.holds.append([again._value(layer, below, chosen) for chosen in again.layers[layer]])
    return again.fired


@given(nets(), seeded())
def test_the_benefit_of_a_node_is_what_each_row_gains_when_it_holds(net, rng):
    depth = int(rng.integers(len(net.layers)))
    node = int(rng.integers(len(net.layers[depth])))
    rows, slope = net.rows, net.slope()
    values = np.zeros_like(rows.full), rows.full
    answers = [
        evaluate.first_firing(
            unpack(PackedBits(forced_plain(net, depth, node, value), len(rows.target))), net.order, net.default
        )
        for value in values
    ]
    off, on = (slope[rows.target, answer] for answer in answers)
    assert benefit(net, depth, node) == pytest.approx(rows.weight * (on - off))


@given(nets(), seeded())
def test_rules_come_and_go(net, rng):
    c = int(rng.integers(net.rows.classes))
    before, edges = net.fired, net.edges
    chosen = some(rng, len(net.below(len(net.layers) - 2)))
    net.add_rule(c, chosen)
    assert_consistent(net)
    assert net.edges == edges + len(chosen) + 1
    net.drop_rule(len(net.layers) - 2, len(net.layers[-2]) - 1)
    assert_consistent(net)
    assert (net.fired == before).all()
    for depth in range(0, len(net.layers), 2):
        net.drop_rule(depth, int(rng.integers(len(net.layers[depth]))))
        assert_consistent(net)


@given(nets(), seeded())
def test_a_copy_goes_its_own_way_and_brings_the_old_draft_back(net, rng):
    layers, order, default = [list(layer) for layer in net.layers], list(net.order), net.default
    before = net.copy()
    net.add_rule(0, some(rng, len(net.below(len(net.layers) - 2))))
    net.put(0, 0, some(rng, len(net.rows.words)))
    net.order.reverse()
    net.default = (default + 1) % net.rows.classes
    net.restore(before)
    assert (net.order, net.default) == (order, default)
    for layer, expected in zip(net.layers, layers, strict=True):
        assert [one.tolist() for one in layer] == [one.tolist() for one in expected]
    assert_consistent(net)


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
    net = MutableNetwork.empty(rows, [0, 1], 1)
    assert net.confusion().tolist() == [[0, 1], [0, 2]]
    assert (net.edges, net.rules) == (0, 0)
