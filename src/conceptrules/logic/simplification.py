"""Smaller networks that decide alike. Each pass is a function of a network and never adds an edge.

`drop_dead` and `drop_redundant` are the paper's two; constants are propagated before anything is deleted, because a
rule without literals is true and cannot go as "has no path to the bottom". `merge_equal` is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import PackedBits, layers
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.provenance import without_rule_figures

Levels = tuple[Level, ...]
Matrix = NDArray[np.bool_]
T = TypeVar("T", bound=Hashable)


def simplify(network: RuleNetwork, bits: PackedBits | None = None) -> RuleNetwork:
    """Return a smaller network that decides alike.

    Constants, dead nodes, redundant edges and repeated nodes go, until nothing changes.

    Parameters
    ----------
    network : RuleNetwork
        The network to simplify.
    bits : PackedBits, optional
        Rows as the bits of the predicates, such as `Binarizer.transform_packed` gives. With them, decisions are kept on
        these rows only, so that more can go; by default they are kept on every input.

    Returns
    -------
    RuleNetwork
        A network with at most as many edges. Where nothing can go, it is the network that was given.

    Examples
    --------
    >>> from conceptrules.model import Column, Interval
    >>> repeated = Level([Rule([Literal(0)]), Rule([Literal(0)])], [Concept([0, 1]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [repeated], ["old", "young"], default="young")
    >>> network.edges, simplify(network).edges
    (4, 2)
    """
    return _settled(lambda simpler: merge_equal(drop_redundant(drop_dead(simpler, bits))), network)


def drop_dead(network: RuleNetwork, bits: PackedBits | None = None) -> RuleNetwork:
    """Return the network without the paper's dead nodes: those on no path from a class to the bottom.

    Constants are propagated first. With `bits` of the predicates on some rows, rules and concepts that hold on none of
    these rows go as well: decisions are then kept on these rows, and may change on others.
    """
    silent = None if bits is None else _silent(network, bits)
    return _with_levels(network, _reached(propagate_constants(network.levels, silent), len(network.predicates)))


def drop_redundant(network: RuleNetwork) -> RuleNetwork:
    """Return the network without the paper's redundant edges, both kinds of its Figure 1.

    In a concept, rule j goes if the literals of another of its rules are among those of j. In a rule above the first
    level, concept j goes if the rules of another of its concepts are among those of j; negated concepts the other way
    round. Of equal nodes the first stays. It is repeated, since one removal can show another.
    """
    return _settled(lambda simpler: _with_levels(simpler, _irredundant(simpler)), network)


def merge_equal(network: RuleNetwork) -> RuleNetwork:
    """Return the network with equal rules of a level as one, and equal concepts; classes stay apart."""
    result: list[Level] = []
    below: Sequence[int] = range(len(network.predicates))
    for depth, level in enumerate(network.levels, start=1):
        rules, place = _distinct(_moved_rule(rule, below) for rule in level.rules)
        concepts = [_moved_concept(concept, place) for concept in level.concepts]
        if depth < len(network.levels):
            concepts, below = _distinct(concepts)
        result.append(Level(tuple(rules), tuple(concepts)))
    return _with_levels(network, tuple(result))


def _settled(step: Callable[[RuleNetwork], RuleNetwork], network: RuleNetwork) -> RuleNetwork:
    while (simpler := step(network)) != network:
        network = simpler
    return network


def _with_levels(network: RuleNetwork, levels: Levels) -> RuleNetwork:
    """Return the network with these levels; where they differ its statistics go, since they belong to its rules."""
    if levels == network.levels:
        return network
    return replace(network, levels=levels, statistics=None, training=without_rule_figures(network.training))


# Constants


def propagate_constants(levels: Levels, silent: Sequence[Collection[int]] | None = None) -> Levels:
    """Return levels in which no node refers to a constant; every node keeps its value on every input.

    Constant are a rule without literals (true) or with both `p` and `not p` (false), a concept without rules (false)
    or with a true rule, and what follows from these. No node is deleted. A class that is always true keeps one rule
    without literals, one that is never true no rule. `silent` are rules of each level that are taken as false.
    """
    result: list[Level] = []
    below: dict[int, bool] = {}
    for level, false in zip(levels, silent or [()] * len(levels), strict=True):
        rules = [index not in false and _open_rule(rule, below) for index, rule in enumerate(level.rules)]
        known = _constants(rules)
        concepts = [_open_concept(concept, known) for concept in level.concepts]
        result.append(_written(level, rules, concepts, known))
        below = _constants(concepts)
    return tuple(result)


def _open_rule(rule: Rule, below: Mapping[int, bool]) -> Rule | bool:
    """Return the rule without the literals known to be true, or the constant that it is."""
    if any(~literal in rule.literals or below.get(literal.index) == literal.negated for literal in rule.literals):
        return False
    unknown = tuple(literal for literal in rule.literals if literal.index not in below)
    return Rule(unknown) if unknown else True


def _open_concept(concept: Concept, rules: Mapping[int, bool]) -> Concept | bool:
    """Return the concept without the rules known to be false, or the constant that it is."""
    if any(rules.get(rule) for rule in concept.rules):
        return True
    unknown = tuple(rule for rule in concept.rules if rule not in rules)
    return Concept(unknown) if unknown else False


def _constants(nodes: Sequence[object]) -> dict[int, bool]:
    return {index: node for index, node in enumerate(nodes) if isinstance(node, bool)}


def _written(
    level: Level, rules: Sequence[Rule | bool], concepts: Sequence[Concept | bool], known: Mapping[int, bool]
) -> Level:
    """Return the level with constants written as nodes: `Rule()` is true, `Concept()` false; a false rule stays."""

    def rule(new: Rule | bool, old: Rule) -> Rule:
        return new if isinstance(new, Rule) else Rule() if new else old

    def concept(new: Concept | bool, old: Concept) -> Concept:
        if isinstance(new, Concept):
            return new
        return Concept(tuple(rule for rule in old.rules if new and known.get(rule))[:1])

    return Level(tuple(map(rule, rules, level.rules)), tuple(map(concept, concepts, level.concepts)))


# Dead nodes


def _silent(network: RuleNetwork, bits: PackedBits) -> list[set[int]]:
    """Return for each level the rules that hold on none of the rows; that silent concepts are false follows."""
    return [set(_indices(np.asarray(~rules.words.any(axis=1)))) for rules in layers(network, bits)[1::2]]


def _reached(levels: Levels, predicates: int) -> Levels:
    """Return the levels with only the nodes on a path down from a class; no dead end is left below them."""
    result: list[Level] = []
    concepts: Sequence[int] = range(len(levels[-1].concepts))
    for depth in reversed(range(len(levels))):
        level = levels[depth]
        rules = sorted({rule for index in concepts for rule in level.concepts[index].rules})
        kept = [level.concepts[index] for index in concepts]
        used = {literal.index for rule in rules for literal in level.rules[rule].literals}
        concepts = sorted(used) if depth else range(predicates)
        above, below = _places(rules), _places(concepts)
        moved = tuple(_moved_rule(level.rules[rule], below) for rule in rules)
        result.append(Level(moved, tuple(_moved_concept(concept, above) for concept in kept)))
    return tuple(reversed(result))


def _places(kept: Iterable[int]) -> dict[int, int]:
    return {old: new for new, old in enumerate(kept)}


def _moved_rule(rule: Rule, place: Sequence[int] | Mapping[int, int]) -> Rule:
    return Rule(tuple(Literal(place[literal.index], literal.negated) for literal in rule.literals))


def _moved_concept(concept: Concept, place: Sequence[int] | Mapping[int, int]) -> Concept:
    return Concept(tuple(place[rule] for rule in concept.rules))


def _distinct(nodes: Iterable[T]) -> tuple[list[T], list[int]]:
    """Return the distinct nodes in order of first sight, and the place of each node among them."""
    place: dict[T, int] = {}
    places = [place.setdefault(node, len(place)) for node in nodes]
    return list(place), places


# Redundant edges


def _irredundant(network: RuleNetwork) -> Levels:
    """Return the levels after one round of the paper's formula, on all levels at once."""
    result: list[Level] = []
    subset: Matrix | None = None  # of the concepts below; predicates are not known to imply each other
    width = len(network.predicates)
    for level in network.levels:
        positive = _matrix([[lit.index for lit in rule.literals if not lit.negated] for rule in level.rules], width)
        negated = _matrix([[lit.index for lit in rule.literals if lit.negated] for rule in level.rules], width)
        concepts = _matrix([concept.rules for concept in level.concepts], len(level.rules))
        above = _without_implied(concepts, _subset(np.hstack([positive, negated])))
        if subset is not None:
            positive, negated = _without_implied(positive, subset), _without_implied(negated, subset.T)
        result.append(_level(positive, negated, above))
        subset, width = _subset(concepts), len(level.concepts)
    return tuple(result)


def _matrix(rows: Sequence[Iterable[int]], width: int) -> Matrix:
    matrix = np.zeros((len(rows), width), dtype=np.bool_)
    for row, indices in zip(matrix, rows, strict=True):
        row[list(indices)] = True
    return matrix


def _subset(sets: Matrix) -> Matrix:
    """Return whether set k is contained in set j, as [k, j]: all its members are shared. Exact below 2^24 members."""
    numbers = sets.astype(np.float32)
    contained: Matrix = numbers @ numbers.T == numbers.sum(axis=1, keepdims=True)
    return contained


def _without_implied(edges: Matrix, contained: Matrix) -> Matrix:
    """Return the edges less each node of a row that contains another node of it; of equal ones the first stays."""
    order = np.arange(len(contained))
    smaller = contained & (~contained.T | (order[:, None] < order))
    implied: Matrix = edges.astype(np.float32) @ smaller.astype(np.float32) > 0
    return edges & ~implied


def _level(positive: Matrix, negated: Matrix, concepts: Matrix) -> Level:
    rules = tuple(
        Rule(tuple(Literal(index, negation) for negation, row in ((False, yes), (True, no)) for index in _indices(row)))
        for yes, no in zip(positive, negated, strict=True)
    )
    return Level(rules, tuple(Concept(_indices(row)) for row in concepts))


def _indices(row: Matrix) -> tuple[int, ...]:
    return tuple(np.flatnonzero(row).tolist())
