"""The smallest network that decides alike on every row there can be: beyond `simplify`, which knows no columns.

What is used: a column has one value, so its categories exclude each other and its thresholds follow from each other;
what a class says does not matter where one of higher priority fires; and the default class is answered where none
fires. Every decision is kept; which other classes fire may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from conceptrules.logic.minimisation.collapse import collapsed, joined
from conceptrules.logic.minimisation.cover_reduction import Cover, Task, reduced
from conceptrules.logic.minimisation.covers import Layer, layers_of, space_above, with_layers
from conceptrules.logic.minimisation.cubes import Cube, Effort
from conceptrules.logic.minimisation.exact_cover import smallest
from conceptrules.logic.minimisation.witnesses import Witnesses
from conceptrules.logic.simplification import simplify
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Predicate
from conceptrules.model.statistics import edges, edges_by_bounds

# Cubes to look at in one go through all levels: about six seconds.
_EFFORT = 8_000_000
_PAIRS = 60  # concepts of a level that are compared with each other
_JOINS = 100  # ways to join concepts that are tried


def minimise(network: RuleNetwork) -> RuleNetwork:
    """Return the smallest network found that decides alike on every row there can be.

    It knows what `simplify` does not: that a column has one value, that a class does not matter where one of higher
    priority fires, and that the default is the answer where none fires.

    Parameters
    ----------
    network : RuleNetwork
        The network to minimise.

    Returns
    -------
    RuleNetwork
        A network with at most as many edges. New predicates (a wider interval, a set of categories) come after those
        of the given network, which all stay. Minimising it again changes nothing.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval
    >>> rules = [Rule([Literal(0)]), Rule([Literal(1)])]
    >>> level = Level(rules, [Concept([0, 1]), Concept()])
    >>> ages = [Interval("age", 27, 41), Interval("age", 41)]
    >>> print(minimise(RuleNetwork([Column("age")], ages, [level], ["old", "young"], default="young")))
    1 rule, 2 edges.
    <BLANKLINE>
    old if
      age > 27
    <BLANKLINE>
    young for everything else
    """
    best = simplify(network)
    while True:
        smaller = (_trimmed(simplify(each), network.predicates) for each in _candidates(best))
        found = next((each for each in smaller if _better(each, best)), None)
        if found is None:
            return best
        best = found


def _better(network: RuleNetwork, than: RuleNetwork) -> bool:
    """Return whether neither measure grows, and one of them or the number of levels falls."""
    new, old = (edges_by_bounds(network), edges(network)), (edges_by_bounds(than), edges(than))
    return new[0] <= old[0] and new[1] <= old[1] and (*new, len(network.levels)) < (*old, len(than.levels))


def _trimmed(network: RuleNetwork, known: Sequence[Predicate]) -> RuleNetwork:
    """Return the network without new predicates that no rule uses."""
    first, *higher = network.levels
    kept = [*range(len(known)), *(index for index in network.used_predicates if index >= len(known))]
    places = {index: place for place, index in enumerate(kept)}
    rules = [Rule(tuple(Literal(places[each.index], each.negated) for each in rule.literals)) for rule in first.rules]
    levels = (Level(tuple(rules), first.concepts), *higher)
    return replace(network, predicates=tuple(network.predicates[index] for index in kept), levels=levels)


def _candidates(network: RuleNetwork) -> Iterator[RuleNetwork]:
    """Yield networks that decide alike, the likeliest to be smaller first."""
    layers = layers_of(network)
    yield with_layers(network, _reduced(network, layers))
    pairs = [(depth, layers[depth], layers[depth + 1]) for depth in range(len(layers) - 1)]
    for depth, lower, upper in pairs:
        both = collapsed(lower, upper)
        if both is not None:
            yield with_layers(network, _reduced(network, (*layers[:depth], both, *layers[depth + 2 :])))
    tries = ((depth, pair) for depth, lower, upper in pairs for pair in joined(lower, upper))
    for _, (depth, pair) in zip(range(_JOINS), tries, strict=False):
        yield with_layers(network, (*layers[:depth], *pair, *layers[depth + 2 :]))


def _reduced(network: RuleNetwork, layers: Sequence[Layer]) -> tuple[Layer, ...]:
    effort, never = Effort(_EFFORT), tuple[Cube, ...]()
    result = []
    for layer in layers[:-1]:
        smaller = _concepts(layer, never, effort)
        never = _impossible(smaller, never, effort)
        result.append(smaller)
    return (*result, _classes(network, layers[-1], never, effort))


def _concepts(layer: Layer, never: Cover, effort: Effort) -> Layer:
    """Return the layer with smaller covers; every concept keeps its value on every row."""
    covers = list(layer.covers)
    witnesses = _witnesses(layer)
    for place in range(len(covers)):
        part = effort.part(effort.left // (len(covers) - place))
        covers[place] = _cover(Task(witnesses, never, None, part, _others(covers, place)), covers[place])
        effort.left -= part.spent
    return Layer(layer.space, tuple(covers))


def _classes(network: RuleNetwork, layer: Layer, never: Cover, effort: Effort) -> Layer:
    """Return the last layer with smaller covers; every class keeps its value where no class of higher priority fires.

    The default class has to keep it only where a class of lower priority fires as well.
    """
    covers = list(layer.covers)
    witnesses = _witnesses(layer)
    order = network.priority_indices
    for rank, place in enumerate(order):
        higher = tuple(cube for other in order[:rank] for cube in covers[other])
        lower = tuple(cube for other in order[rank + 1 :] for cube in covers[other])
        asked = lower if network.classes[place] == network.default else None
        part = effort.part(effort.left // (len(covers) - rank))
        task = Task(witnesses, (*never, *higher), asked, part, _others(covers, place))
        covers[place] = _cover(task, covers[place])
        effort.left -= part.spent
    return Layer(layer.space, tuple(covers))


def _witnesses(layer: Layer) -> Witnesses:
    return Witnesses(layer.space, [cube for cover in layer.covers for cube in cover])


def _others(covers: Sequence[Cover], place: int) -> frozenset[Cube]:
    """Return the rules of the other concepts."""
    return frozenset(cube for other, cover in enumerate(covers) if other != place for cube in cover)


def _cover(task: Task, cover: Cover) -> Cover:
    return smallest(task, reduced(task, cover))


def _impossible(layer: Layer, never: Cover, effort: Effort) -> Cover:
    """Return the pairs of values of two concepts that no row gives them, as cubes of the level above."""
    above = space_above(len(layer.covers))
    result = []
    for first, second in combinations(range(min(len(layer.covers), _PAIRS)), 2):
        for one, other in _excluded(layer, first, second, never, effort):
            cube = above.replaced(above.everything, first, 1 << one)
            result.append(above.replaced(cube, second, 1 << other))
    return tuple(result)


def _excluded(layer: Layer, first: int, second: int, never: Cover, effort: Effort) -> Iterator[tuple[int, int]]:
    space, ones, others = layer.space, layer.covers[first], layer.covers[second]
    if all(space.covered(a & b, never, effort) for a in ones for b in others if space.meet(a, b)):
        yield 1, 1
    if all(space.covered(cube, (*others, *never), effort) for cube in ones):
        yield 1, 0
    if all(space.covered(cube, (*ones, *never), effort) for cube in others):
        yield 0, 1
    if space.covered(space.everything, (*ones, *others, *never), effort):
        yield 0, 0
