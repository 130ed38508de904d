"""Levels as covers over the cells of what is below them, and back to a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conceptrules.logic.minimisation.cell_masks import ConceptVariable, Test, variables_of
from conceptrules.logic.minimisation.cover_reduction import Cover
from conceptrules.logic.minimisation.cubes import Cube, Space
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Predicate
from conceptrules.model.provenance import for_other_rules


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A level: its concepts as cubes over the columns, or over the concepts below."""

    space: Space
    covers: tuple[Cover, ...]


def layers_of(network: RuleNetwork) -> tuple[Layer, ...]:
    """Return the levels of a network as layers of cubes."""
    first, *higher = network.levels
    used = network.used_predicates
    columns = variables_of(network.columns, [network.predicates[index] for index in used])
    places = {name: place for place, name in enumerate(columns)}
    tests = {index: (places[network.predicates[index].column], network.predicates[index]) for index in used}
    result = [_layer(first, Space(list(columns.values())), tests)]
    for level, below in zip(higher, network.levels, strict=False):
        result.append(_layer(level, space_above(len(below.concepts)), {i: (i, i) for i in range(len(below.concepts))}))
    return tuple(result)


def space_above(concepts: int) -> Space:
    """Return the space of a level above so many concepts."""
    return Space([ConceptVariable(index) for index in range(concepts)])


def _layer(level: Level, space: Space, tests: Mapping[int, tuple[int, Predicate | int]]) -> Layer:
    cubes = [_cube(rule, space, tests) for rule in level.rules]
    return Layer(space, tuple(_cover(concept, cubes) for concept in level.concepts))


def _cover(concept: Concept, cubes: Sequence[Cube | None]) -> Cover:
    """Return the cubes of a concept; a rule that can never hold has none."""
    return tuple(dict.fromkeys(cube for rule in concept.rules if (cube := cubes[rule]) is not None))


def _cube(rule: Rule, space: Space, tests: Mapping[int, tuple[int, Predicate | int]]) -> Cube | None:
    cube = space.everything
    for literal in rule.literals:
        variable, test = tests[literal.index]
        known = space.variables[variable]
        mask = known.mask_of(test)
        held = space.mask(cube, variable) & (known.full & ~mask if literal.negated else mask)
        if not held:
            return None
        cube = space.replaced(cube, variable, held)
    return cube


def with_layers(network: RuleNetwork, layers: Iterable[Layer]) -> RuleNetwork:
    """Return the network with these layers as its levels.

    New predicates come after those of the network. Its statistics go, since they belong to its rules.
    """
    predicates = {predicate: index for index, predicate in reversed(list(enumerate(network.predicates)))}
    fresh: list[Predicate] = []

    def index(test: Predicate | int) -> int:
        if not isinstance(test, Predicate):
            return test
        if test not in predicates:
            predicates[test] = len(network.predicates) + len(fresh)
            fresh.append(test)
        return predicates[test]

    def rule(space: Space, cube: Cube) -> Rule:
        tests = [test for variable in space.tested(cube) for test in _tests(space, cube, variable)]
        return Rule(tuple(Literal(index(test), negated) for test, negated in tests))

    levels = []
    for layer in layers:
        cubes = {cube: place for place, cube in enumerate(dict.fromkeys(c for cover in layer.covers for c in cover))}
        rules = tuple(rule(layer.space, cube) for cube in cubes)
        levels.append(Level(rules, tuple(Concept(tuple(cubes[cube] for cube in cover)) for cover in layer.covers)))
    return replace(
        network,
        predicates=(*network.predicates, *fresh),
        levels=tuple(levels),
        statistics=None,
        training=for_other_rules(network.training),
    )


def _tests(space: Space, cube: Cube, variable: int) -> tuple[Test, ...]:
    wording = space.variables[variable].worded(space.mask(cube, variable))
    assert wording is not None
    return wording.tests
