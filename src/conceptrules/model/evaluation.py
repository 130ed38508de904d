"""What a network answers: a plain evaluation that defines the meaning, and the same on 64 rows at a time.

There are three evaluators. `layers_plain` is the oracle. `_nodes` yields all layers, on words of rows or on 0 and 1 for
a single row: `layers`, `class_words` and `class_nodes` are built on it. `factoring` gives only the classes, by formulas
that prediction makes once for a network (4.6 times as fast as `class_words` for 51 edges on 6.4 million rows).

Rows and nodes are represented in these ways, each under one name everywhere:

=============  =====================================================================================================
bits           A boolean matrix (rows, nodes): `Bits`. A node is a predicate, a rule, a concept or a class.
packed bits    The same, packed: `PackedBits`. Its `words` have the shape (nodes, words), 64 rows in a word.
words          Only ever such 64-bit words of rows, never text.
octets         The bytes of the words, while they are filled.
codes          Small integers instead of values: categories, classes, or rows of a dictionary-encoded column.
column values  The values of one column of a table, as NumPy holds them: `ColumnValues` in `tables`.
cells          The sets of values of a column that tests do not tell apart: `ColumnCells` in `logic`.
cell mask      A set of cells as a Python integer with a bit for each cell; a cube is a mask for each column.
=============  =====================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, iand, ior, or_
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Rule, RuleNetwork

Bits = NDArray[np.bool_]
Node = TypeVar("Node", int, NDArray[np.uint64])
WORD = 64
# Words of a node at a time, a million rows: smaller parts fit a nearer cache, but then NumPy's calls cost more.
PART = 16384


@dataclass(frozen=True, slots=True, eq=False)
class PackedBits:
    """The bits of a layer, packed: `words[j]` holds node j on all rows, 64 rows in a word, the first row lowest.

    The bits past the last row are 0, always.
    """

    words: NDArray[np.uint64]
    rows: int


def pack(bits: Bits) -> PackedBits:
    """Return bits of the shape (rows, nodes), packed.

    >>> pack(np.array([[True], [False], [True]])).words
    array([[5]], dtype=uint64)
    """
    rows, nodes = bits.shape
    octets = octets_for(nodes, rows)
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return PackedBits(words_of(octets), rows)


def octets_for(nodes: int, rows: int) -> NDArray[np.uint8]:
    """Return octets of the shape (nodes, octets), all 0, to be filled with the bits of eight rows each; whole words."""
    return np.zeros((nodes, _width(rows) * 8), dtype=np.uint8)


def words_of(octets: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the words, of the shape (nodes, words), that these octets are."""
    return octets.view("<u8").astype(np.uint64, copy=False)


def octets_of(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the octets that these words are: the inverse of `words_of`."""
    return words.astype("<u8", copy=False).view(np.uint8)


def unpack(words: PackedBits) -> Bits:
    """Return packed bits as a matrix of the shape (rows, nodes): the inverse of `pack`."""
    return np.unpackbits(octets_of(words.words), axis=1, count=words.rows, bitorder="little").view(np.bool_).T


def layers_plain(network: RuleNetwork, bits: Bits) -> list[Bits]:
    """Return the bits of all layers h(0), h(1), ..., h(2L): predicates, rules, concepts, rules, ..., classes.

    This defines what a network means; the other functions are compared with it.
    """
    _check_width(network, bits.shape[1])
    result = [bits]
    for level in network.levels:
        result.append(_columns([_rule_plain(rule, result[-1]) for rule in level.rules], len(bits)))
        result.append(_columns([_concept_plain(concept, result[-1]) for concept in level.concepts], len(bits)))
    return result


def layers(network: RuleNetwork, words: PackedBits) -> list[PackedBits]:
    """Return what `layers_plain` does, on packed rows."""
    _check_width(network, len(words.words))
    full = full_words(words.rows)
    above = _nodes(network.levels, list(words.words), full)
    return [
        words,
        *(PackedBits(np.array(nodes, dtype=np.uint64).reshape(len(nodes), len(full)), words.rows) for nodes in above),
    ]


def class_words(levels: Sequence[Level], words: PackedBits) -> PackedBits:
    """Return the last of `layers`; all layers are computed on a part of the rows that a cache can hold."""
    full = full_words(words.rows)
    result = np.empty((len(levels[-1].concepts), len(full)), dtype=np.uint64)
    for start in range(0, len(full), PART):
        part = slice(start, start + PART)
        for node, holds in enumerate(class_nodes(levels, list(words.words[:, part]), full[part])):
            result[node, part] = holds
    return PackedBits(result, words.rows)


def class_nodes(levels: Sequence[Level], below: list[Node], full: Node) -> list[Node]:
    """Return which classes fire where `below` says that the predicates hold.

    Nodes are arrays of words, or just 0 or 1 for one row; `full` is such a node with all bits set.
    """
    for nodes in _nodes(levels, below, full):
        below = nodes
    return below


def full_words(rows: int) -> NDArray[np.uint64]:
    """Return a node that holds on all rows."""
    full = np.full(_width(rows), ~np.uint64(0))
    if rows % WORD:
        full[-1] >>= np.uint64(WORD - rows % WORD)
    return full


def decide_fired(network: RuleNetwork, fired: Bits) -> NDArray[np.intp]:
    """Return the index of the class that each row gets: the first by priority that fires, or the default."""
    return first_firing(fired, network.priority_indices, network.default_index)


def first_firing(fired: Bits, order: Sequence[int], default: int) -> NDArray[np.intp]:
    """Return the index of the first class that fires on each row, in this order of indices, or the default."""
    ranked = fired[:, list(order)]
    return np.where(ranked.any(axis=1), np.asarray(order)[ranked.argmax(axis=1)], default)


def decide(network: RuleNetwork, words: PackedBits) -> NDArray[np.intp]:
    """Return the index of the class of each packed row."""
    _check_width(network, len(words.words))
    fired = class_words(network.levels, words)
    return first_firing_packed(fired, network.priority_indices, network.default_index).astype(np.intp)


def first_firing_packed(fired: PackedBits, order: Sequence[int], default: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return what `first_firing` does, on packed rows, in the smallest type that can count the classes."""
    numbers = np.min_scalar_type(max(len(order) - 1, 0))
    result: NDArray[np.unsignedinteger[Any]] = np.zeros(fired.rows, dtype=numbers)
    for digit, node in enumerate(first_firing_digits(list(fired.words), order, default, full_words(fired.rows))):
        ones = np.unpackbits(octets_of(node), count=fired.rows, bitorder="little")
        result |= ones.astype(numbers, copy=False) << numbers.type(digit)
    return result


def first_firing_digits(fired: Sequence[Node], order: Sequence[int], default: int, full: Node) -> list[Node]:
    """Return where each binary digit of the decided index is 1, the lowest digit first."""
    digits: list[Node] = [full ^ full for _ in range((len(order) - 1).bit_length())]
    silent = full

    def write(index: int, where: Node) -> None:
        for digit in range(len(digits)):
            if index >> digit & 1:
                digits[digit] = digits[digit] | where

    for index in order:
        wins = silent & fired[index]
        silent = silent ^ wins
        write(index, wins)
    write(default, silent)
    return digits


def _rule_plain(rule: Rule, below: Bits) -> Bits:
    holds = np.ones(len(below), dtype=np.bool_)
    for literal in rule.literals:
        holds &= below[:, literal.index] != literal.negated
    return holds


def _concept_plain(concept: Concept, rules: Bits) -> Bits:
    holds = np.zeros(len(rules), dtype=np.bool_)
    for rule in concept.rules:
        holds |= rules[:, rule]
    return holds


def _nodes(levels: Sequence[Level], below: list[Node], full: Node) -> Iterator[list[Node]]:
    """Yield the layers above `below`, one by one."""
    for level in levels:
        rules = [_rule(rule, below, full) for rule in level.rules]
        yield rules
        below = [_combine(or_, ior, [rules[j] for j in concept.rules], full ^ full) for concept in level.concepts]
        yield below


def _rule(rule: Rule, below: list[Node], full: Node) -> Node:
    """Return where a rule holds; all its negated literals are negated at once."""
    nodes = [below[literal.index] for literal in rule.literals if not literal.negated]
    negated = [below[literal.index] for literal in rule.literals if literal.negated]
    if negated:
        nodes.append(full ^ _combine(or_, ior, negated, full))
    return _combine(and_, iand, nodes, full)


def _combine(
    first: Callable[[Node, Node], Node], further: Callable[[Node, Node], Node], nodes: list[Node], none: Node
) -> Node:
    """Combine nodes; the first two make a new array and the others go into it, so that little memory is touched."""
    if len(nodes) < 2:
        return nodes[0] if nodes else none
    return reduce(further, nodes[2:], first(nodes[0], nodes[1]))


def _columns(nodes: list[Bits], rows: int) -> Bits:
    return np.stack(nodes, axis=1) if nodes else np.zeros((rows, 0), dtype=np.bool_)


def _width(rows: int) -> int:
    return -(-rows // WORD)


def _check_width(network: RuleNetwork, width: int) -> None:
    if width != len(network.predicates):
        raise InputError(f"the network has {len(network.predicates)} predicates, the bits are of {width}")
