from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.simplification import drop_dead, drop_redundant, merge_equal, propagate_constants, simplify
from conceptrules.model import Column, Concept, Equals, Level, Literal, Rule, RuleNetwork, Statistics
from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.statistics import edges
from tests.strategies import all_inputs, measured_networks, networks, rows


def without_constants(net: RuleNetwork) -> RuleNetwork:
    """Constants are propagated on the way to dead nodes; here they are a pass of their own."""
    levels = propagate_constants(net.levels)
    return net if levels == net.levels else replace(net, levels=levels, statistics=None)


PASSES = [without_constants, drop_dead, drop_redundant, merge_equal, simplify]
A, B, C, D = (Literal(i) for i in range(4))


def network(*levels):
    """Levels of ([rules as lists of literals], [concepts as lists of rules]) on four predicates."""
    built = [Level([Rule(r) for r in rules], [Concept(c) for c in concepts]) for rules, concepts in levels]
    names = "abcd"
    columns = [Column(name, "boolean") for name in names]
    return RuleNetwork(columns, [Equals(name, True) for name in names], built, range(len(built[-1].concepts)))


def classes_of(net, bits):
    return layers_plain(net, bits)[-1]


@pytest.mark.parametrize("step", PASSES)
@given(net=networks())
def test_a_logical_pass_keeps_every_class_on_every_input(step, net):
    bits, simpler = all_inputs(len(net.predicates)), step(net)
    np.testing.assert_array_equal(classes_of(simpler, bits), classes_of(net, bits))
    assert simpler == replace(net, levels=simpler.levels)
    assert edges(simpler) <= edges(net)
    assert step(simpler) == simpler


@pytest.mark.parametrize("step", [drop_dead, simplify])
@given(data=st.data(), net=networks())
def test_a_pass_with_data_keeps_every_class_on_its_rows(step, data, net):
    bits = data.draw(rows(net))
    simpler = step(net, pack(bits))
    np.testing.assert_array_equal(classes_of(simpler, bits), classes_of(net, bits))
    assert edges(simpler) <= edges(step(net))
    assert step(simpler, pack(bits)) == simpler
    for layer in layers_plain(simpler, bits)[1:-1]:
        assert layer.any(axis=0).all()


@given(networks())
def test_propagating_constants_keeps_every_node(net):
    bits = all_inputs(len(net.predicates))
    for before, after in zip(layers_plain(net, bits), layers_plain(without_constants(net), bits), strict=True):
        np.testing.assert_array_equal(after, before)


@given(networks())
def test_simplify_is_a_fixed_point_of_every_pass(net):
    simplest = simplify(net)
    assert all(step(simplest) == simplest for step in PASSES)


@given(networks())
def test_nothing_redundant_dead_or_double_is_left(net):
    levels = simplify(net).levels
    for depth, level in enumerate(levels):
        literals = [set(rule.literals) for rule in level.rules]
        assert len(set(level.rules)) == len(level.rules)
        assert {r for concept in level.concepts for r in concept.rules} == set(range(len(level.rules)))
        for concept in level.concepts:
            assert not any(literals[k] <= literals[j] for k in concept.rules for j in concept.rules if k != j)
        if depth:
            below = [set(concept.rules) for concept in levels[depth - 1].concepts]
            assert {lit.index for rule in level.rules for lit in rule.literals} == set(range(len(below)))
            for rule in level.rules:
                pairs = [(k, j) for k in rule.literals for j in rule.literals if k != j and k.negated == j.negated]
                assert not any(below[k.index] <= below[j.index] for k, j in pairs)


@pytest.mark.parametrize("step", PASSES)
@given(net=measured_networks())
def test_statistics_stay_only_with_the_rules_they_are_of(step, net):
    simpler = step(net)
    assert simpler.statistics == (net.statistics if simpler == net else None)


def test_figure_1_a_rule_in_a_concept():
    """s = r1 or r3, with the literals of r1 among those of r3."""
    net = network(([[A], [B], [A, C]], [[0, 2], [1, 2]]))
    assert drop_redundant(net).levels[0].concepts == (Concept((0,)), Concept((1, 2)))


def test_figure_1_a_concept_in_a_rule():
    """r = s2 and s3, with the rules of s2 among those of s3."""
    net = network(([[A], [B], [C]], [[0], [0, 1], [2]]), ([[A, B], [B, C]], [[0], [1]]))
    assert drop_redundant(net).levels[1].rules == (Rule((A,)), Rule((B, C)))


def test_concepts_are_compared_as_they_were():
    """s2 loses r1 to r2 in the same round, and is still implied by s1."""
    net = network(([[A, B], [A]], [[0], [0, 1]]), ([[A, B]], [[0]]))
    assert drop_redundant(net) == network(([[A, B], [A]], [[0], [1]]), ([[A]], [[0]]))


def test_of_negated_concepts_the_larger_stays():
    net = network(([[A], [B]], [[0], [0, 1]]), ([[~A, ~B], [~A, B]], [[0], [1]]))
    assert drop_redundant(net).levels[1].rules == (Rule((~B,)), Rule((~A, B)))


def test_of_equal_nodes_the_first_stays():
    net = network(([[A], [A]], [[0], [0], [0, 1]]), ([[A, B], [~A, ~B], [C]], [[0], [1], [2]]))
    simpler = drop_redundant(net)
    assert simpler.levels[0].concepts[2] == Concept((0,))
    assert simpler.levels[1].rules == (Rule((A,)), Rule((~A,)), Rule((C,)))


def test_an_empty_rule_is_true_and_not_a_dead_end():
    net = network(([[], [A]], [[0], [1]]), ([[A, B], [~A], [A]], [[0], [1], [2]]))
    simpler = drop_dead(net)
    assert simpler == network(([[A]], [[0]]), ([[A], []], [[0], [], [1]]))


def test_a_true_class_keeps_one_rule():
    net = network(([[A], [], []], [[0, 1, 2], [0]]))
    assert without_constants(net) == network(([[A], [], []], [[1], [0]]))


def test_a_contradiction_is_false():
    net = network(([[A, ~A], [B, C]], [[0], [1]]), ([[~A, B], [A, B]], [[0], [1]]))
    assert drop_dead(net) == network(([[B, C]], [[0]]), ([[A]], [[0], []]))


def test_nodes_without_a_way_to_a_class_are_dead():
    net = network(([[A], [B], [C]], [[0], [1]]), ([[A], [B]], [[0]]))
    assert drop_dead(net) == network(([[A]], [[0]]), ([[A]], [[0]]))


def test_nodes_that_no_row_activates_are_dead():
    rows_without_b = all_inputs(4)[~all_inputs(4)[:, 1]]
    net = network(([[A], [B], [B, C]], [[0, 2], [1]]), ([[A, ~B], [B]], [[0], [1]]))
    assert drop_dead(net, pack(rows_without_b)) == network(([[A]], [[0]]), ([[A]], [[0], []]))
    assert drop_dead(net) == net


def test_equal_nodes_become_one_but_classes_stay():
    net = network(([[A], [A], [B]], [[0], [1], [2]]), ([[A, C], [B, C]], [[0], [1]]))
    assert merge_equal(net) == network(([[A], [B]], [[0], [1]]), ([[A, B]], [[0], [0]]))


def test_the_papers_four_sizes():
    net = network(([[A], [A, B], [C], [D]], [[0, 1], [2], []]), ([[A], [B, C]], [[0], [1]]))
    dead = drop_dead(net)
    sizes = [edges(n) for n in (net, dead, drop_redundant(net), drop_redundant(dead))]
    assert sizes == [13, 7, 11, 6]


def test_a_pass_that_changes_nothing_returns_the_network_itself():
    net = replace(network(([[A]], [[0]])), statistics=Statistics((1.0,), (((1.0,),),), ()))
    assert all(step(net) is net for step in PASSES)
