"""The smallest network that decides alike on every row there can be: beyond `simplify`, which knows no columns.

What is used: a column has one value, so its categories exclude each other and its thresholds follow from each other;
what a class says does not matter where one of higher priority fires; and the default class is answered where none
fires. Every decision is kept; which other classes fire may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from conceptrules.logic.canonical import drop_unused_predicates
from conceptrules.logic.card_simplification import minimise_card
from conceptrules.logic.minimisation.cover_reduction import CoverTask, reduce_cover
from conceptrules.logic.minimisation.cubes import Cover, Cube, CubeBudget, Witnesses
from conceptrules.logic.minimisation.exact_cover import find_smallest_cover
from conceptrules.logic.minimisation.layers import (
    Layer,
    collapse_layers,
    join_concepts,
    read_layers,
    space_above,
    with_layers,
)
from conceptrules.logic.simplification import simplify
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import edges, edges_by_bounds

_BUDGET = 8_000_000  # cubes to look at in one go through all levels: about six seconds
_MAX_COMPARED = 60  # concepts of a level that are compared with each other
_MAX_JOINS = 100  # ways to join concepts that are tried


def minimise(network: RuleNetwork) -> RuleNetwork:
    """Return the smallest network found that decides alike on every row there can be.

    It knows what `simplify` does not: that a column has one value, that a class does not matter where one of higher
    priority fires, and that the default is the answer where none fires. A scorecard keeps its scores: its rules of one
    column become bins where that is smaller.

    Parameters
    ----------
    network : RuleNetwork
        The network to minimise.

    Returns
    -------
    RuleNetwork
        A network with at most as many edges. New predicates (a wider interval, a set of categories) come after those
        of the given network, which all stay but in bins of a scorecard. Minimising it again changes nothing.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> rules = [Rule([Literal(0)]), Rule([Literal(1)])]
    >>> level = Level(rules, [Concept([0, 1]), Concept()])
    >>> ages = [Interval("age", 27, 41), Interval("age", 41)]
    >>> print(minimise(RuleNetwork([Column("age")], ages, [level], ["old", "young"], default="young")))
    1 rule, 2 edges.
    <BLANKLINE>
    old if
      R1.1: age > 27
    <BLANKLINE>
    young for everything else
    """
    if network.head is not None:
        return minimise_card(network)
    best = simplify(network)
    while True:
        simpler = map(simplify, _list_candidates(best))
        candidates = (drop_unused_predicates(candidate, keep=len(network.predicates)) for candidate in simpler)
        smaller = next((candidate for candidate in candidates if _is_smaller(candidate, best)), None)
        if smaller is None:
            return best
        best = smaller


def _is_smaller(network: RuleNetwork, than: RuleNetwork) -> bool:
    """Return whether neither measure grows, and one of them or the number of levels falls."""
    new, old = (edges_by_bounds(network), edges(network)), (edges_by_bounds(than), edges(than))
    return new[0] <= old[0] and new[1] <= old[1] and (*new, len(network.levels)) < (*old, len(than.levels))


def _list_candidates(network: RuleNetwork) -> Iterator[RuleNetwork]:
    """Yield networks that decide alike, the likeliest to be smaller first."""
    layers = read_layers(network)
    yield with_layers(network, _reduce_layers(network, layers))
    pairs = [(depth, layers[depth], layers[depth + 1]) for depth in range(len(layers) - 1)]
    for depth, lower, upper in pairs:
        collapsed = collapse_layers(lower, upper)
        if collapsed is not None:
            yield with_layers(network, _reduce_layers(network, (*layers[:depth], collapsed, *layers[depth + 2 :])))
    joins = ((depth, joined) for depth, lower, upper in pairs for joined in join_concepts(lower, upper))
    for depth, joined in islice(joins, _MAX_JOINS):
        yield with_layers(network, (*layers[:depth], *joined, *layers[depth + 2 :]))


def _reduce_layers(network: RuleNetwork, layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the layers with smaller covers.

    Every concept keeps its value on every row, and every class where no class of higher priority fires. The default
    class has to keep it only where a class of lower priority fires as well.
    """
    budget, impossible = CubeBudget(_BUDGET), tuple[Cube, ...]()
    reduced = []
    for layer in layers:
        covers = list(layer.covers)
        witnesses = Witnesses(layer.space, [cube for cover in covers for cube in cover])
        is_last = layer is layers[-1]
        order = network.priority_indices if is_last else range(len(covers))
        for rank, index in enumerate(order):
            ignored, asked = impossible, None
            if is_last:
                ignored += tuple(cube for higher in order[:rank] for cube in covers[higher])
                if network.classes[index] == network.default:
                    asked = tuple(cube for lower in order[rank + 1 :] for cube in covers[lower])
            shared = frozenset(cube for other, cover in enumerate(covers) if other != index for cube in cover)
            share = CubeBudget(max(0, budget.left // (len(covers) - rank)))
            task = CoverTask(witnesses, ignored, asked, share, shared)
            covers[index] = find_smallest_cover(task, reduce_cover(task, covers[index]))
            budget.left -= share.spent
        reduced.append(Layer(layer.space, tuple(covers)))
        if not is_last:
            impossible = _find_impossible(reduced[-1], impossible, budget)
    return tuple(reduced)


def _find_impossible(layer: Layer, never: Cover, budget: CubeBudget) -> Cover:
    """Return the pairs of values of two concepts that no row gives them, as cubes of the level above.

    `never` are the cubes of this layer that no row lies in.
    """
    above = space_above(len(layer.covers))
    return tuple(
        above.with_mask(above.with_mask(above.everything, first, 1 << values[0]), second, 1 << values[1])
        for first, second in combinations(range(min(len(layer.covers), _MAX_COMPARED)), 2)
        for values in _exclude_values(layer, first, second, never, budget)
    )


def _exclude_values(
    layer: Layer, first: int, second: int, never: Cover, budget: CubeBudget
) -> Iterator[tuple[int, int]]:
    space, ours, theirs = layer.space, layer.covers[first], layer.covers[second]
    if all(space.is_covered(a & b, never, budget) for a in ours for b in theirs if space.meet(a, b)):
        yield 1, 1
    if all(space.is_covered(cube, (*theirs, *never), budget) for cube in ours):
        yield 1, 0
    if all(space.is_covered(cube, (*ours, *never), budget) for cube in theirs):
        yield 0, 1
    if space.is_covered(space.everything, (*ours, *theirs, *never), budget):
        yield 0, 0
