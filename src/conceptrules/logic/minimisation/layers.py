"""Levels as layers of cubes over the cells of what is below them, and back; fewer levels and fewer concepts.

Two levels can become one, and several concepts that are only used together can become one concept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conceptrules.logic.minimisation.cubes import Cover, Cube, Space, absorb_cubes
from conceptrules.logic.minimisation.variables import ConceptVariable, variables_of
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Predicate
from conceptrules.model.provenance import without_rule_figures

_TRUE, _FALSE, _EITHER = 0b10, 0b01, 0b11
_MAX_CUBES = 300  # of one concept, on the way


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A level: its concepts as cubes over the columns, or over the concepts below."""

    space: Space
    covers: tuple[Cover, ...]


def read_layers(network: RuleNetwork) -> tuple[Layer, ...]:
    """Return the levels of a network as layers of cubes."""
    first, *higher = network.levels
    used = {index: network.predicates[index] for index in network.used_predicates}
    columns = variables_of(network.columns, list(used.values()))
    numbers = {name: number for number, name in enumerate(columns)}
    tests = {index: (numbers[predicate.column], predicate) for index, predicate in used.items()}
    layers = [_read_layer(first, Space(list(columns.values())), tests)]
    for level, below in zip(higher, network.levels, strict=False):
        count = len(below.concepts)
        layers.append(_read_layer(level, space_above(count), {index: (index, index) for index in range(count)}))
    return tuple(layers)


def space_above(concepts: int) -> Space:
    """Return the space of a level above this many concepts."""
    return Space([ConceptVariable(index) for index in range(concepts)])


def _read_layer(level: Level, space: Space, tests: Mapping[int, tuple[int, Predicate | int]]) -> Layer:
    """Return a level as cubes; a rule that can never hold has none."""

    def read_rule(rule: Rule) -> Cube | None:
        cube = space.everything
        for literal in rule.literals:
            number, test = tests[literal.index]
            variable = space.variables[number]
            mask = variable.mask_of(test)
            mask = space.mask(cube, number) & (variable.full & ~mask if literal.negated else mask)
            if not mask:
                return None
            cube = space.with_mask(cube, number, mask)
        return cube

    cubes = [read_rule(rule) for rule in level.rules]
    covers = [[cube for rule in concept.rules if (cube := cubes[rule]) is not None] for concept in level.concepts]
    return Layer(space, tuple(tuple(dict.fromkeys(cover)) for cover in covers))


def with_layers(network: RuleNetwork, layers: Iterable[Layer]) -> RuleNetwork:
    """Return the network with these layers as its levels.

    New predicates come after those of the network. Its statistics go, since they belong to its rules.
    """
    indices = {predicate: index for index, predicate in reversed(list(enumerate(network.predicates)))}
    new: list[Predicate] = []

    def index_of(test: Predicate | int) -> int:
        if not isinstance(test, Predicate):
            return test
        if test not in indices:
            indices[test] = len(network.predicates) + len(new)
            new.append(test)
        return indices[test]

    def write_rule(space: Space, cube: Cube) -> Rule:
        literals: list[Literal] = []
        for wording in space.word_cube(cube):
            literals += [Literal(index_of(test), negated) for test, negated in wording.tests]
        return Rule(tuple(literals))

    levels = []
    for layer in layers:
        cubes = dict.fromkeys(cube for cover in layer.covers for cube in cover)
        numbers = {cube: number for number, cube in enumerate(cubes)}
        rules = tuple(write_rule(layer.space, cube) for cube in cubes)
        levels.append(Level(rules, tuple(Concept(tuple(numbers[cube] for cube in cover)) for cover in layer.covers)))
    return replace(
        network,
        predicates=(*network.predicates, *new),
        levels=tuple(levels),
        statistics=None,
        training=without_rule_figures(network.training),
    )


def collapse_layers(lower: Layer, upper: Layer) -> Layer | None:
    """Return the upper concepts over what the lower level tests; None where that takes too many cubes."""
    space = lower.space
    negations: dict[int, list[Cube] | None] = {}

    def negate(concept: int) -> list[Cube] | None:
        if concept not in negations:
            negations[concept] = _multiply(space, [_complement(space, cube) for cube in lower.covers[concept]])
        return negations[concept]

    covers = []
    for cover in upper.covers:
        cubes: list[Cube] = []
        for rule in cover:
            factors = [
                lower.covers[concept] if upper.space.mask(rule, concept) == _TRUE else negate(concept)
                for concept in upper.space.tested_variables(rule)
            ]
            product = _multiply(space, factors)
            if product is None or len(cubes) + len(product) > _MAX_CUBES:
                return None
            cubes += product
        covers.append(absorb_cubes(cubes))
    return Layer(space, tuple(covers))


def _complement(space: Space, cube: Cube) -> list[Cube]:
    """Return for each column that a rule tests where the rule fails by its literals on that column."""
    return [
        space.with_mask(space.everything, number, mask)
        for number in space.tested_variables(cube)
        for mask in space.variables[number].split_mask(space.variables[number].full & ~space.mask(cube, number))
    ]


def _multiply(space: Space, factors: Sequence[Sequence[Cube] | None]) -> list[Cube] | None:
    """Return an AND of ORs as an OR; None where it takes too many cubes."""
    result = [space.everything]
    for factor in factors:
        if factor is None or len(result) * len(factor) > _MAX_CUBES * 10:
            return None
        result = list(absorb_cubes([cube & other for cube in result for other in factor if space.meet(cube, other)]))
        if len(result) > _MAX_CUBES:
            return None
    return result


def join_concepts(lower: Layer, upper: Layer) -> Iterator[tuple[Layer, Layer]]:
    """Yield ways to have one concept for several; whether that pays depends on which other rules use them."""
    last = len(lower.covers)
    space = space_above(last + 1)
    widened = [[space.with_mask(cube, last, _EITHER) for cube in cover] for cover in upper.covers]
    for index, cover in enumerate(upper.covers):
        for replaced, rest, value, joined in _find_joins(lower, upper.space, cover):
            covers = [*widened]
            covers[index] = [space.with_mask(cube, last, _EITHER) for cube in cover if cube not in replaced]
            covers[index].append(space.with_mask(rest, last, value))
            yield Layer(lower.space, (*lower.covers, joined)), Layer(space, tuple(map(tuple, covers)))


def _find_joins(lower: Layer, space: Space, cover: Cover) -> Iterator[tuple[list[Cube], Cube, int, Cover]]:
    """Yield what the rules of a concept can join.

    Each join is the rules that one rule replaces, what this rule asks for besides the new concept, the value that the
    new concept has there, and its rules.
    """

    def conjoin(concepts: Iterable[int]) -> Cover:
        return tuple(_multiply(lower.space, [lower.covers[concept] for concept in concepts]) or ())

    def disjoin(concepts: Iterable[int]) -> Cover:
        return absorb_cubes([rule for concept in concepts for rule in lower.covers[concept]])

    alone: dict[int, list[tuple[Cube, int]]] = {_TRUE: [], _FALSE: []}
    for cube in cover:
        # Within a rule: concepts of one rule as their AND, negated ones as the negation of their OR.
        tested = list(space.tested_variables(cube))
        positive, negated = ([n for n in tested if space.mask(cube, n) == value] for value in (_TRUE, _FALSE))
        single = [concept for concept in positive if len(lower.covers[concept]) == 1]
        for concepts, value, join in ((single, _TRUE, conjoin), (negated, _FALSE, disjoin)):
            if len(concepts) > 1:
                rest = cube
                for concept in concepts:
                    rest = space.with_mask(rest, concept, _EITHER)
                yield [cube], rest, value, join(concepts)
        if len(tested) == 1 and space.mask(cube, tested[0]) in alone:
            alone[space.mask(cube, tested[0])].append((cube, tested[0]))
    # Across rules of one literal: as their OR, or as a negated AND.
    alone[_FALSE] = [(cube, concept) for cube, concept in alone[_FALSE] if len(lower.covers[concept]) == 1]
    for value, join in ((_TRUE, disjoin), (_FALSE, conjoin)):
        if len(alone[value]) > 1:
            joined = join(concept for _, concept in alone[value])
            yield [cube for cube, _ in alone[value]], space.everything, value, joined
