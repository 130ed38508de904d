"""Two levels as one, and several concepts as one: every class is true on the same rows as before."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.minimisation.collapse import collapsed, joined
from conceptrules.logic.minimisation.covers import Layer, space_above
from conceptrules.logic.minimisation.cubes import Cube, Space
from tests.logic.minimisation.test_cubes import SPACE, covers

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
            made = space.replaced(made, concept, mask)
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
    found = collapsed(*layers)
    assert found is not None
    assert all(values([found], row) == values(layers, row) for row in ROWS)
    for cover in found.covers:
        assert all(one & ~other for one, other in itertools.permutations(cover, 2))


@given(pairs_of_layers())
def test_joined_concepts_say_what_they_did_apart(layers: tuple[Layer, Layer]) -> None:
    for pair in joined(*layers):
        assert len(pair[0].covers) == len(layers[0].covers) + 1
        assert pair[0].covers[:-1] == layers[0].covers
        assert len(pair[1].space.variables) == len(pair[0].covers)
        assert all(values(pair, row) == values(layers, row) for row in ROWS)


FIRST, SECOND, THIRD = (SPACE.replaced(SPACE.everything, place, 0b10) for place in range(3))
LOWER = Layer(SPACE, ((FIRST,), (SECOND,), (FIRST, THIRD), ()))


def ways(*cover: dict[int, int]) -> list[tuple[tuple[Cube, ...], tuple[tuple[Cube, ...], ...]]]:
    """Return for each way to join the new concept below and the rules above."""
    return [(lower.covers[-1], upper.covers) for lower, upper in joined(LOWER, above(4, list(cover), [{3: TRUE}]))]


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
            tuple(space.replaced(space.everything, 2 * place + side, TRUE) for side in range(2))
            for place in range(count)
        ]
        upper = above(count, [dict.fromkeys(range(count), TRUE)])
        found = collapsed(Layer(space, tuple(choices)), upper)
        assert (found is not None) == fits
        negated = collapsed(Layer(space, (tuple(a & b for a, b in choices),)), above(1, [{0: FALSE}]))
        assert (negated is not None) == fits
