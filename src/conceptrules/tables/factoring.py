"""Levels as formulas with few operations, for many rows: what several rules ask for is taken out of them.

NumPy goes through all rows once for each operation. `(a and b) or (a and c)` are three of them, `a and (b or c)` two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import PART, PackedBits, full_words
from conceptrules.model.network import Level, Literal

Node = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Either:
    """An OR of nodes and of products."""

    nodes: tuple[int, ...]
    products: tuple[Product, ...] = ()

    @property
    def depth(self) -> int:
        """How many ORs lie in one another."""
        return 1 + max((product.inner.depth for product in self.products if product.inner), default=0)


@dataclass(frozen=True, slots=True)
class Product:
    """An AND of nodes, and perhaps of an OR."""

    nodes: tuple[int, ...]
    inner: Either | None


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of a level.

    Its nodes are those below, one that always holds, negations, and rules that several concepts have.
    """

    negated: tuple[int, ...]
    shared: tuple[Product, ...]
    concepts: tuple[Either, ...]


def formulas(levels: Sequence[Level], inputs: int) -> tuple[Formulas, ...]:
    """Return the levels of a network above so many predicates as formulas."""
    below = [inputs, *(len(level.concepts) for level in levels)]
    return tuple(_level(level, size) for level, (size, _) in zip(levels, pairwise(below), strict=True))


def _level(level: Level, below: int) -> Formulas:
    negated = sorted({literal.index for rule in level.rules for literal in rule.literals if literal.negated})
    complements = {index: below + 1 + number for number, index in enumerate(negated)}
    rules = [_nodes(rule.literals, complements, below) for rule in level.rules]
    owners = Counter(rule for concept in level.concepts for rule in concept.rules)
    several = [rule for rule in sorted(owners) if owners[rule] > 1 and len(rules[rule]) > 1]
    shared = tuple(Product(tuple(sorted(rules[rule])), None) for rule in several)
    for number, rule in enumerate(several):
        rules[rule] = frozenset([below + 1 + len(negated) + number])
    concepts = (factor_rules(rules[rule] for rule in concept.rules) for concept in level.concepts)
    return Formulas(tuple(negated), shared, tuple(concepts))


def _nodes(literals: Iterable[Literal], complements: dict[int, int], always: int) -> frozenset[int]:
    """Return the nodes that a rule asks for; a rule without literals asks for the node that always holds."""
    nodes = frozenset(complements[literal.index] if literal.negated else literal.index for literal in literals)
    return nodes or frozenset([always])


def factor_rules(rules: Iterable[frozenset[int]]) -> Either:
    """Return an OR of ANDs in which, time and again, the node that most rules ask for is taken out of them.

    >>> factor_rules([frozenset([1, 2]), frozenset([1, 3]), frozenset([4])])
    Either(nodes=(4,), products=(Product(nodes=(1,), inner=Either(nodes=(2, 3), products=())),))
    """
    alone, longer = set[int](), list[frozenset[int]]()
    for rule in dict.fromkeys(rules):
        if len(rule) == 1:
            alone |= rule
        else:
            longer.append(rule)
    products = []
    while longer:
        asked = Counter(node for rule in longer for node in sorted(rule))
        ((node, _),) = asked.most_common(1)
        group = [rule for rule in longer if node in rule]
        longer = [rule for rule in longer if node not in rule]
        products.append(_product(group))
    return Either(tuple(sorted(alone)), tuple(products))


def _product(rules: list[frozenset[int]]) -> Product:
    common = frozenset.intersection(*rules)
    rests = [rule - common for rule in rules]
    return Product(tuple(sorted(common)), factor_rules(rests) if all(rests) else None)


def fired_words(levels: Sequence[Formulas], words: PackedBits) -> PackedBits:
    """Return which classes fire; a part of the rows is computed at a time, which a cache can hold."""
    full = full_words(words.rows)
    result = np.empty((len(levels[-1].concepts), len(full)), dtype=np.uint64)
    depth = max((concept.depth for level in levels for concept in level.concepts), default=0)
    room = np.empty((depth, min(PART, len(full))), dtype=np.uint64)
    for start in range(0, len(full), PART):
        part = slice(start, start + PART)
        always, below = full[part], list(words.words[:, part])
        spare = list(room[:, : len(always)])
        for level in levels[:-1]:
            below = _concepts(level, below, always, spare, _empty(len(level.concepts), always))
        _concepts(levels[-1], below, always, spare, list(result[:, part]))
    return PackedBits(result, words.rows)


def _empty(nodes: int, like: Node) -> list[Node]:
    return list(np.empty((nodes, len(like)), dtype=np.uint64))


def _concepts(level: Formulas, below: list[Node], always: Node, spare: list[Node], above: list[Node]) -> list[Node]:
    """Write the concepts of a level into `above`, and return it."""
    nodes = [*below, always, *(always ^ below[index] for index in level.negated)]
    for rule, out in zip(level.shared, _empty(len(level.shared), always), strict=True):
        nodes.append(_product_words(rule, nodes, out, spare))
    for concept, out in zip(level.concepts, above, strict=True):
        holds = _either_words(concept, nodes, out, spare)
        if holds is not out:
            out[:] = 0 if holds is None else holds
    return above


def _either_words(either: Either, nodes: list[Node], out: Node, spare: list[Node]) -> Node | None:
    """Return where an OR holds: in `out`, or the node itself if it is a single one; None if it has no part."""
    holds: Node | None = None
    for product in either.products:
        room = out if holds is None else spare[0]
        term = _product_words(product, nodes, room, spare[1:])
        holds = term if holds is None else np.bitwise_or(holds, term, out)
    for node in either.nodes:
        holds = nodes[node] if holds is None else np.bitwise_or(holds, nodes[node], out)
    return holds


def _product_words(product: Product, nodes: list[Node], out: Node, spare: list[Node]) -> Node:
    """Return where an AND holds, in `out`; it has two operands or more."""
    first, *further = product.nodes
    holds = nodes[first]
    if product.inner is not None:
        inner = _either_words(product.inner, nodes, out, spare)
        assert inner is not None, "a product has no empty factor"
        holds = np.bitwise_and(holds, inner, out)
    for node in further:
        holds = np.bitwise_and(holds, nodes[node], out)
    return holds
