from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.canonical import drop_unused_predicates, sort_nodes
from conceptrules.model import Concept, Level, Literal, Rule
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.provenance import Training
from tests.model.test_text import ADULT
from tests.strategies import all_inputs, measured_networks, networks


def shuffled(network, random):
    """The same network with rules, and concepts below the classes, in another order."""
    levels, below = [], list(range(len(network.predicates)))
    for depth, level in enumerate(network.levels, start=1):
        rules = [Rule(tuple(Literal(below[i.index], i.negated) for i in rule.literals)) for rule in level.rules]
        order = random.permutation(len(rules)).tolist()
        concepts = [Concept(tuple(order.index(rule) for rule in concept.rules)) for concept in level.concepts]
        above = list(range(len(concepts)))
        if depth < len(network.levels):
            above = random.permutation(len(concepts)).tolist()
        below = [above.index(i) for i in range(len(concepts))]
        levels.append(Level(tuple(rules[i] for i in order), tuple(concepts[i] for i in above)))
    return replace(network, levels=tuple(levels))


@given(networks())
def test_classes_fire_as_before_and_a_second_time_changes_nothing(network):
    ordered = sort_nodes(network)
    inputs = all_inputs(len(network.predicates))
    assert np.array_equal(layers_plain(ordered, inputs)[-1], layers_plain(network, inputs)[-1])
    assert sort_nodes(ordered) == ordered


@given(networks(), st.integers(0, 99))
def test_the_order_does_not_depend_on_how_nodes_were_found(network, seed):
    # Of rules that are equal, which one a concept has is not a matter of order.
    distinct = all(len(set(level.rules)) == len(level.rules) for level in network.levels)
    apart = all(len(set(level.concepts)) == len(level.concepts) for level in network.levels[:-1])
    if distinct and apart:
        assert sort_nodes(shuffled(network, np.random.default_rng(seed))) == sort_nodes(network)


def test_what_goes_by_the_number_of_a_rule_goes():
    low, high = ADULT.levels
    training = Training("0", 0, (), 1, 0.5, 1, stability=((1, 0.5, 1), (1, 1)))
    network = replace(ADULT, levels=(low, replace(high, rules=high.rules[::-1])), training=training)
    assert sort_nodes(network).statistics is None
    assert sort_nodes(network).training == replace(training, stability=())


@given(measured_networks(odd=True))
def test_unused_predicates_go_and_all_else_stays(network):
    found = drop_unused_predicates(network)
    assert found.used_predicates == tuple(range(len(found.predicates)))
    assert (str(found), found.columns, found.statistics) == (str(network), network.columns, network.statistics)
    assert found.edges == network.edges
    assert drop_unused_predicates(found) is found
    bits = all_inputs(min(len(network.predicates), 8))
    bits = np.resize(bits, (len(bits), len(network.predicates)))
    for new, old in zip(
        layers_plain(found, bits[:, network.used_predicates])[1:], layers_plain(network, bits)[1:], strict=True
    ):
        np.testing.assert_array_equal(new, old)


def test_the_order_of_a_small_network() -> None:
    low = Level(
        [Rule([Literal(2)]), Rule([Literal(0), Literal(1, True)]), Rule([Literal(0), Literal(1)])],
        [Concept([0, 2]), Concept([1]), Concept([0, 1])],
    )
    high = Level([Rule([Literal(2)]), Rule([Literal(0), Literal(1, True)])], [Concept([1]), Concept([0])])
    ordered = sort_nodes(replace(ADULT, levels=(low, high), statistics=None))
    assert ordered.levels == (
        Level(
            [Rule([Literal(0), Literal(1)]), Rule([Literal(0), Literal(1, True)]), Rule([Literal(2)])],
            [Concept([0, 2]), Concept([1]), Concept([1, 2])],
        ),
        Level([Rule([Literal(0), Literal(1, True)]), Rule([Literal(2)])], [Concept([0]), Concept([1])]),
    )


def test_what_is_in_order_comes_back_itself() -> None:
    ordered = sort_nodes(ADULT)
    assert sort_nodes(ordered) is ordered
