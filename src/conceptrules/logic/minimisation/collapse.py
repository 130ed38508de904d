"""Fewer levels and fewer concepts: two levels as one, and several concepts that are only used together as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conceptrules.logic.minimisation.cover_reduction import Cover, absorbed
from conceptrules.logic.minimisation.covers import Layer, space_above
from conceptrules.logic.minimisation.cubes import Cube, Space

_TRUE, _FALSE = 0b10, 0b01
_MOST = 300  # cubes of one concept, on the way


def collapsed(lower: Layer, upper: Layer) -> Layer | None:
    """Return the upper concepts over what the lower level tests; None where that takes too many cubes."""
    negations: dict[int, list[Cube] | None] = {}

    def negation(concept: int) -> list[Cube] | None:
        if concept not in negations:
            negations[concept] = _negated(lower.space, lower.covers[concept])
        return negations[concept]

    covers = []
    for cover in upper.covers:
        cubes: list[Cube] = []
        for rule in cover:
            parts = [
                list(lower.covers[concept]) if upper.space.mask(rule, concept) == _TRUE else negation(concept)
                for concept in upper.space.tested(rule)
            ]
            some = _product(lower.space, parts)
            if some is None or len(cubes) + len(some) > _MOST:
                return None
            cubes += some
        covers.append(absorbed(cubes))
    return Layer(lower.space, tuple(covers))


def _product(space: Space, parts: Sequence[list[Cube] | None]) -> list[Cube] | None:
    """Return an AND of ORs as an OR; None where it takes too many cubes."""
    result = [space.everything]
    for part in parts:
        if part is None or len(result) * len(part) > _MOST * 10:
            return None
        both = [cube & other for cube in result for other in part if space.meet(cube, other)]
        result = list(absorbed(both))
        if len(result) > _MOST:
            return None
    return result


def _negated(space: Space, cover: Cover) -> list[Cube] | None:
    return _product(space, [list(_complement(space, cube)) for cube in cover])


def _complement(space: Space, cube: Cube) -> Iterator[Cube]:
    """Yield for each column that a rule tests where the rule fails by its literals on that column."""
    for variable in space.tested(cube):
        known = space.variables[variable]
        for mask in known.worded_parts(known.full & ~space.mask(cube, variable)):
            yield space.replaced(space.everything, variable, mask)


def joined(lower: Layer, upper: Layer) -> Iterator[tuple[Layer, Layer]]:
    """Yield ways to have one concept for several; whether that pays depends on which other rules use them."""
    for place, cover in enumerate(upper.covers):
        for cube in cover:
            for concepts, value, new in _within(lower, upper.space, cube):
                rest = [other for other in cover if other != cube]
                free = _free(upper.space, cube, concepts)
                yield _with(lower, upper, place, new, rest, free, value)
        for value, cubes, new in _across(lower, upper.space, cover):
            rest = [other for other in cover if other not in cubes]
            yield _with(lower, upper, place, new, rest, upper.space.everything, value)


def _within(lower: Layer, space: Space, cube: Cube) -> Iterator[tuple[list[int], int, Cover]]:
    """Yield what one rule can join: concepts of one rule as their AND, negated ones as the negation of their OR."""
    single = [each for each in space.tested(cube) if space.mask(cube, each) == _TRUE and len(lower.covers[each]) == 1]
    negated = [each for each in space.tested(cube) if space.mask(cube, each) == _FALSE]
    if len(single) > 1:
        yield single, _TRUE, tuple(_product(lower.space, [list(lower.covers[each]) for each in single]) or ())
    if len(negated) > 1:
        yield negated, _FALSE, absorbed([rule for each in negated for rule in lower.covers[each]])


def _across(lower: Layer, space: Space, cover: Cover) -> Iterator[tuple[int, list[Cube], Cover]]:
    """Yield what the rules of one concept can join: rules of one literal as their OR, or as a negated AND."""
    alone = [(cube, tested[0]) for cube in cover if len(tested := list(space.tested(cube))) == 1]
    positive = [(cube, each) for cube, each in alone if space.mask(cube, each) == _TRUE]
    negated = [(cube, each) for cube, each in alone if space.mask(cube, each) == _FALSE]
    negated = [(cube, each) for cube, each in negated if len(lower.covers[each]) == 1]
    if len(positive) > 1:
        new = absorbed([rule for _, each in positive for rule in lower.covers[each]])
        yield _TRUE, [cube for cube, _ in positive], new
    if len(negated) > 1:
        both = _product(lower.space, [list(lower.covers[each]) for _, each in negated])
        yield _FALSE, [cube for cube, _ in negated], tuple(both or ())


def _free(space: Space, cube: Cube, concepts: Sequence[int]) -> Cube:
    for concept in concepts:
        cube = space.replaced(cube, concept, _TRUE | _FALSE)
    return cube


def _with(
    lower: Layer, upper: Layer, place: int, new: Cover, rest: list[Cube], cube: Cube, value: int
) -> tuple[Layer, Layer]:
    """Return the layers with one more concept below, and one rule of a concept above that asks for it."""
    last = len(lower.covers)
    space = space_above(last + 1)
    covers = [[space.replaced(each, last, _TRUE | _FALSE) for each in cover] for cover in upper.covers]
    covers[place] = [space.replaced(each, last, _TRUE | _FALSE) for each in rest] + [space.replaced(cube, last, value)]
    return Layer(lower.space, (*lower.covers, new)), Layer(space, tuple(map(tuple, covers)))
