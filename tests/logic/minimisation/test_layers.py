"""Levels as cubes over cells, and back to a network."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.equivalence import equivalent
from conceptrules.logic.minimisation.cubes import Cube, Space
from conceptrules.logic.minimisation.layers import (
    Layer,
    collapse_layers,
    join_concepts,
    read_layers,
    space_above,
    with_layers,
)
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, OneOf, Rule, RuleNetwork
from tests.logic.minimisation.test_cubes import SPACE, covers
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
    first, second = read_layers(NETWORK)
    assert masks(first) == [[[0b0110, 0b0001], [0b0010, 0b1111]], [[0b1111, 0b1100], [0b1111, 0b1111]]]
    assert masks(second) == [[[0b10, 0b11]], [[0b10, 0b11], [0b01, 0b10]]]


def test_a_network_of_cubes_has_its_predicates_first_and_new_ones_after_them() -> None:
    found = with_layers(NETWORK, read_layers(NETWORK))
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
    found = with_layers(twice, read_layers(twice))
    assert found.levels[0].rules == (Rule((A,)),)
    assert found.predicates == twice.predicates


def test_what_goes_by_the_number_of_a_rule_goes() -> None:
    training = replace(PLAIN, stability=((0.5,),))
    found = with_layers(replace(NETWORK, training=training), read_layers(NETWORK))
    assert found.training == PLAIN


def test_the_space_above_concepts() -> None:
    space = space_above(3)
    assert [variable.full for variable in space.variables] == [0b11] * 3
    assert [variable.find_wording(0b10).tests for variable in space.variables] == [((n, False),) for n in range(3)]  # type: ignore[union-attr]


@given(mixed_networks())
def test_there_and_back_decides_alike(network: RuleNetwork) -> None:
    assert equivalent(with_layers(network, read_layers(network)), network)


Cells = tuple[int, ...]
TRUE, FALSE, ANY = 0b10, 0b01, 0b11
ROWS: list[Cells] = list(itertools.product(*(range(each.full.bit_length()) for each in SPACE.variables)))


def inside(space: Space, cube: Cube, cells: Cells) -> bool:
    return all(space.mask(cube, place) >> cell & 1 for place, cell in enumerate(cells))


def values(layers: Iterable[Layer], cells: Cells) -> Cells:
    """Return which concepts of the last layer hold on a row."""
    for layer in layers:
        cells = tuple(int(any(inside(layer.space, cube, cells) for cube in cover)) for cover in layer.covers)
    return cells


def above(concepts: int, *covers: Sequence[dict[int, int]]) -> Layer:
    """Return a layer above so many concepts; a rule says which of them it asks for."""
    space = space_above(concepts)

    def cube(rule: dict[int, int]) -> Cube:
        made = space.everything
        for concept, mask in rule.items():
            made = space.with_mask(made, concept, mask)
        return made

    return Layer(space, tuple(tuple(map(cube, cover)) for cover in covers))


@st.composite
def pairs_of_layers(draw: st.DrawFn) -> tuple[Layer, Layer]:
    concepts = draw(st.integers(1, 4))
    lower = Layer(SPACE, tuple(draw(covers(max_size=3)) for _ in range(concepts)))
    rules = st.dictionaries(st.integers(0, concepts - 1), st.sampled_from([TRUE, FALSE]))
    return lower, above(concepts, *draw(st.lists(st.lists(rules, max_size=3), min_size=1, max_size=2)))


@given(pairs_of_layers())
def test_one_level_says_what_two_did(layers: tuple[Layer, Layer]) -> None:
    found = collapse_layers(*layers)
    assert found is not None
    assert all(values([found], row) == values(layers, row) for row in ROWS)
    for cover in found.covers:
        assert all(one & ~other for one, other in itertools.permutations(cover, 2))


@given(pairs_of_layers())
def test_joined_concepts_say_what_they_did_apart(layers: tuple[Layer, Layer]) -> None:
    for pair in join_concepts(*layers):
        assert len(pair[0].covers) == len(layers[0].covers) + 1
        assert pair[0].covers[:-1] == layers[0].covers
        assert len(pair[1].space.variables) == len(pair[0].covers)
        assert all(values(pair, row) == values(layers, row) for row in ROWS)


FIRST, SECOND, THIRD = (SPACE.with_mask(SPACE.everything, place, 0b10) for place in range(3))
LOWER = Layer(SPACE, ((FIRST,), (SECOND,), (FIRST, THIRD), ()))


def ways(*cover: dict[int, int]) -> list[tuple[tuple[Cube, ...], tuple[tuple[Cube, ...], ...]]]:
    """Return for each way to join the new concept below and the rules above."""
    return [
        (lower.covers[-1], upper.covers) for lower, upper in join_concepts(LOWER, above(4, list(cover), [{3: TRUE}]))
    ]


def said(*cover: dict[int, int]) -> tuple[tuple[Cube, ...], ...]:
    return above(5, list(cover), [{3: TRUE}]).covers


def test_concepts_of_one_rule_in_a_rule_become_their_and() -> None:
    assert ways({0: TRUE, 1: TRUE, 2: TRUE}, {3: TRUE, 2: TRUE}) == [
        ((FIRST & SECOND,), said({3: TRUE, 2: TRUE}, {2: TRUE, 4: TRUE})),
    ]


def test_negated_concepts_in_a_rule_become_the_negation_of_their_or() -> None:
    assert ways({0: FALSE, 2: FALSE, 1: TRUE}) == [((FIRST, THIRD), said({1: TRUE, 4: FALSE}))]


def test_rules_of_one_literal_become_their_or() -> None:
    assert ways({1: TRUE}, {0: TRUE, 2: FALSE}, {2: TRUE}) == [
        ((SECOND, FIRST, THIRD), said({0: TRUE, 2: FALSE}, {4: TRUE})),
    ]


def test_rules_of_one_negated_literal_become_a_negated_and() -> None:
    assert ways({0: FALSE}, {1: FALSE}, {2: FALSE}) == [((FIRST & SECOND,), said({2: FALSE}, {4: FALSE}))]


def test_a_single_concept_is_not_joined() -> None:
    assert ways({0: TRUE, 2: TRUE}, {1: FALSE}) == []


def test_too_many_cubes_are_not_collapsed() -> None:
    """Nine choices of two are 512 rules; of eight they are 256."""
    space = space_above(18)
    for count, fits in ((8, True), (9, False)):
        choices = [
            tuple(space.with_mask(space.everything, 2 * place + side, TRUE) for side in range(2))
            for place in range(count)
        ]
        upper = above(count, [dict.fromkeys(range(count), TRUE)])
        found = collapse_layers(Layer(space, tuple(choices)), upper)
        assert (found is not None) == fits
        negated = collapse_layers(Layer(space, (tuple(a & b for a, b in choices),)), above(1, [{0: FALSE}]))
        assert (negated is not None) == fits
