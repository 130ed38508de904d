"""Levels as cubes over cells, and back to a network."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from conceptrules.logic.equivalence import equivalent
from conceptrules.logic.minimisation.covers import Layer, layers_of, space_above, with_layers
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, OneOf, Rule, RuleNetwork
from tests.logic.minimisation.test_minimiser import mixed_networks
from tests.model.test_provenance import PLAIN

AGE, JOB = Column("age"), Column("job", "category", ("a", "b"))
TESTS = (Interval("age", 5), Equals("job", "a"), Interval("age", high=9), Equals("job", "b"), Interval("age", 7))
A, J, B, K = (Literal(index) for index in range(4))
NETWORK = RuleNetwork(
    (AGE, JOB),
    TESTS,
    (
        Level(
            (Rule((A, J)), Rule((A, B)), Rule((J, K)), Rule((~J, ~K)), Rule()), (Concept((0, 1, 2)), Concept((3, 4)))
        ),
        Level((Rule((A,)), Rule((~A, J)), Rule((A, ~A))), (Concept((0, 2)), Concept((0, 1)))),
    ),
    ("no", "yes"),
)


def masks(layer: Layer) -> list[list[list[int]]]:
    space = layer.space
    return [
        [[space.mask(cube, place) for place in range(len(space.variables))] for cube in cover] for cover in layer.covers
    ]


def test_a_level_as_masks_of_cells() -> None:
    """The cells of age are up to 5, up to 9, above, missing; those of job are a, b, any other, missing."""
    first, second = layers_of(NETWORK)
    assert masks(first) == [[[0b0110, 0b0001], [0b0010, 0b1111]], [[0b1111, 0b1100], [0b1111, 0b1111]]]
    assert masks(second) == [[[0b10, 0b11]], [[0b10, 0b11], [0b01, 0b10]]]


def test_a_network_of_cubes_has_its_predicates_first_and_new_ones_after_them() -> None:
    found = with_layers(NETWORK, layers_of(NETWORK))
    assert found.predicates == (*TESTS, Interval("age", 5, 9), OneOf("job", ("a", "b")))
    assert found.levels == (
        Level(
            (Rule((A, J)), Rule((Literal(5),)), Rule((Literal(6, True),)), Rule()),
            (Concept((0, 1)), Concept((2, 3))),
        ),
        Level((Rule((A,)), Rule((~A, J))), (Concept((0,)), Concept((0, 1)))),
    )


def test_of_equal_predicates_the_first_is_used() -> None:
    twice = RuleNetwork((AGE,), (Interval("age", 5),) * 2, (Level((Rule((J,)),), (Concept((0,)),)),), ("yes",))
    found = with_layers(twice, layers_of(twice))
    assert found.levels[0].rules == (Rule((A,)),)
    assert found.predicates == twice.predicates


def test_what_goes_by_the_number_of_a_rule_goes() -> None:
    training = replace(PLAIN, stability=((0.5,),))
    found = with_layers(replace(NETWORK, training=training), layers_of(NETWORK))
    assert found.training == PLAIN


def test_the_space_above_concepts() -> None:
    space = space_above(3)
    assert [variable.full for variable in space.variables] == [0b11] * 3
    assert [variable.worded(0b10).tests for variable in space.variables] == [((n, False),) for n in range(3)]  # type: ignore[union-attr]


@given(mixed_networks())
def test_there_and_back_decides_alike(network: RuleNetwork) -> None:
    assert equivalent(with_layers(network, layers_of(network)), network)
