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

from conceptrules.logic.card_simplification import simplify_card
from conceptrules.model.evaluation import PackedBits, layers
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.provenance import without_rule_figures

Levels = tuple[Level, ...]
Matrix = NDArray[np.bool_]
T = TypeVar("T", bound=Hashable)


def simplify(network: RuleNetwork, bits: PackedBits | None = None) -> RuleNetwork:
    """Return a smaller network that decides alike.

    Constants, dead nodes, redundant edges and repeated nodes go, until nothing changes. A scorecard keeps the scores of
    every row that there can be.

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
    if network.head is not None:
        return simplify_card(network, bits)
    return _repeat(lambda simpler: merge_equal(drop_redundant(drop_dead(simpler, bits))), network)


def drop_dead(network: RuleNetwork, bits: PackedBits | None = None) -> RuleNetwork:
    """Return the network without the paper's dead nodes: those on no path from a class to the bottom.

    Constants are propagated first. With `bits` of the predicates on some rows, rules and concepts that hold on none of
    these rows go as well: decisions are then kept on these rows, and may change on others.
    """
    silent = None  # rules of each level; that concepts of nothing but silent rules are false follows
    if bits is not None:
        silent = [set(np.flatnonzero(~rules.words.any(axis=1)).tolist()) for rules in layers(network, bits)[1::2]]
    return _with_levels(network, _drop_unreached(propagate_constants(network.levels, silent), len(network.predicates)))


def drop_redundant(network: RuleNetwork) -> RuleNetwork:
    """Return the network without the paper's redundant edges, both kinds of its Figure 1.

    In a concept, rule j goes if the literals of another of its rules are among those of j. In a rule above the first
    level, concept j goes if the rules of another of its concepts are among those of j; negated concepts the other way
    round. Of equal nodes the first stays. It is repeated, since one removal can show another.
    """
    return _repeat(lambda simpler: _with_levels(simpler, _drop_implied_edges(simpler)), network)


def merge_equal(network: RuleNetwork) -> RuleNetwork:
    """Return the network with equal rules of a level as one, and equal concepts; classes stay apart."""
    result: list[Level] = []
    below: Sequence[int] = range(len(network.predicates))
    for depth, level in enumerate(network.levels, start=1):
        rules, new_rule = _merge_nodes(renumber_rule(rule, below) for rule in level.rules)
        concepts = [_renumber_concept(concept, new_rule) for concept in level.concepts]
        if depth < len(network.levels):
            concepts, below = _merge_nodes(concepts)
        result.append(Level(tuple(rules), tuple(concepts)))
    return _with_levels(network, tuple(result))


def _repeat(step: Callable[[RuleNetwork], RuleNetwork], network: RuleNetwork) -> RuleNetwork:
    """Return the network after as many steps as change it."""
    while (simpler := step(network)) != network:
        network = simpler
    return network


def _with_levels(network: RuleNetwork, levels: Levels) -> RuleNetwork:
    """Return the network with these levels; where they differ its statistics go, since they belong to its rules."""
    if levels == network.levels:
        return network
    return replace(network, levels=levels, statistics=None, training=without_rule_figures(network.training))


def propagate_constants(levels: Levels, silent: Sequence[Collection[int]] | None = None) -> Levels:
    """Return levels in which no node refers to a constant; every node keeps its value on every input.

    A rule is constant without literals (true) or with both `p` and `not p` (false), a concept without rules (false)
    or with a true rule, and so is what follows from these. No node is deleted. A class that is always true keeps one
    rule without literals, one that is never true no rule. `silent` are rules of each level that are taken as false.
    """
    result: list[Level] = []
    below: dict[int, bool] = {}  # the constants among the predicates or concepts below
    for level, false in zip(levels, silent or [()] * len(levels), strict=True):
        rules, constant_rules = [], dict[int, bool]()
        for index, rule in enumerate(level.rules):
            literals = rule.literals
            if index in false or any(~lit in literals or below.get(lit.index) == lit.negated for lit in literals):
                constant_rules[index] = False
                rules.append(rule)
                continue
            rules.append(Rule(tuple(literal for literal in literals if literal.index not in below)))
            if not rules[-1].literals:
                constant_rules[index] = True
        concepts, below = [], {}
        for index, concept in enumerate(level.concepts):
            true = [rule for rule in concept.rules if constant_rules.get(rule)]
            unknown = [rule for rule in concept.rules if rule not in constant_rules]
            concepts.append(Concept(tuple(true[:1] or unknown)))
            if true or not unknown:
                below[index] = bool(true)
        result.append(Level(tuple(rules), tuple(concepts)))
    return tuple(result)


def _drop_unreached(levels: Levels, predicates: int) -> Levels:
    """Return the levels with only the nodes on a path down from a class; no dead end is left below them."""
    result: list[Level] = []
    concepts: Sequence[int] = range(len(levels[-1].concepts))
    for depth in reversed(range(len(levels))):
        level = levels[depth]
        kept = [level.concepts[index] for index in concepts]
        rules = sorted({rule for concept in kept for rule in concept.rules})
        used = {literal.index for rule in rules for literal in level.rules[rule].literals}
        concepts = sorted(used) if depth else range(predicates)
        new_rule, new_concept = ({old: new for new, old in enumerate(indices)} for indices in (rules, concepts))
        renumbered = tuple(renumber_rule(level.rules[rule], new_concept) for rule in rules)
        result.append(Level(renumbered, tuple(_renumber_concept(concept, new_rule) for concept in kept)))
    return tuple(reversed(result))


def renumber_rule(rule: Rule, new: Sequence[int] | Mapping[int, int]) -> Rule:
    """Return the rule on nodes that have new numbers."""
    return Rule(tuple(Literal(new[literal.index], literal.negated) for literal in rule.literals))


def _renumber_concept(concept: Concept, new: Sequence[int] | Mapping[int, int]) -> Concept:
    return Concept(tuple(new[rule] for rule in concept.rules))


def _merge_nodes(nodes: Iterable[T]) -> tuple[list[T], list[int]]:
    """Return the distinct nodes in order of first sight, and the index of each node among them."""
    index: dict[T, int] = {}
    indices = [index.setdefault(node, len(index)) for node in nodes]
    return list(index), indices


def _drop_implied_edges(network: RuleNetwork) -> Levels:
    """Return the levels after one round of the paper's formula, on all levels at once."""
    result: list[Level] = []
    contained: Matrix | None = None  # of the concepts below; predicates are not known to imply each other
    width = len(network.predicates)
    for level in network.levels:
        positive, negated = (
            _to_matrix([[lit.index for lit in rule.literals if lit.negated == sign] for rule in level.rules], width)
            for sign in (False, True)
        )
        concepts = _to_matrix([concept.rules for concept in level.concepts], len(level.rules))
        above = _without_implied(concepts, _find_contained(np.hstack([positive, negated])))
        if contained is not None:
            positive, negated = _without_implied(positive, contained), _without_implied(negated, contained.T)
        rules = [
            Rule((*(Literal(i) for i in _indices(yes)), *(Literal(i, True) for i in _indices(no))))
            for yes, no in zip(positive, negated, strict=True)
        ]
        result.append(Level(tuple(rules), tuple(Concept(_indices(row)) for row in above)))
        contained, width = _find_contained(concepts), len(level.concepts)
    return tuple(result)


def _to_matrix(rows: Sequence[Iterable[int]], width: int) -> Matrix:
    matrix = np.zeros((len(rows), width), dtype=np.bool_)
    for row, indices in zip(matrix, rows, strict=True):
        row[list(indices)] = True
    return matrix


def _find_contained(sets: Matrix) -> Matrix:
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


def _indices(row: Matrix) -> tuple[int, ...]:
    return tuple(np.flatnonzero(row).tolist())
