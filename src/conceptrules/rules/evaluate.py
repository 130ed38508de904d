"""What a network answers: a plain evaluation that defines the meaning, and the same on 64 rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.rules.errors import InputError
from conceptrules.rules.network import Concept, Rule, RuleNetwork

Bits = NDArray[np.bool_]
WORD = 64


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The bits of a layer, packed: `words[j]` holds node j on all rows, 64 rows in a word, the first row lowest.

    The bits past the last row are 0, always.
    """

    words: NDArray[np.uint64]
    rows: int


def pack(bits: Bits) -> Words:
    """(rows, nodes) of booleans as words.

    >>> pack(np.array([[True], [False], [True]])).words
    array([[5]], dtype=uint64)
    """
    rows, nodes = bits.shape
    octets = np.zeros((nodes, _width(rows) * 8), dtype=np.uint8)
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return Words(octets.view("<u8").astype(np.uint64, copy=False), rows)


def unpack(words: Words) -> Bits:
    """The inverse of `pack`."""
    octets = words.words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=words.rows, bitorder="little").view(np.bool_).T


def layers_plain(network: RuleNetwork, bits: Bits) -> list[Bits]:
    """h(0), h(1), ..., h(2L) on the bits of the predicates: predicates, rules, concepts, rules, ..., classes."""
    _check_width(network, bits.shape[1])
    result = [bits]
    for level in network.levels:
        result.append(_columns([_rule_plain(rule, result[-1]) for rule in level.rules], len(bits)))
        result.append(_columns([_concept_plain(concept, result[-1]) for concept in level.concepts], len(bits)))
    return result


def layers(network: RuleNetwork, words: Words) -> list[Words]:
    """`layers_plain` on packed rows."""
    _check_width(network, len(words.words))
    full = pack(np.ones((words.rows, 1), dtype=np.bool_)).words[0]
    below = words.words
    result = [words]
    for level in network.levels:
        below = _stack([_rule(rule, below, full) for rule in level.rules], len(full))
        result.append(Words(below, words.rows))
        below = _stack([_concept(concept, below) for concept in level.concepts], len(full))
        result.append(Words(below, words.rows))
    return result


def winners(network: RuleNetwork, fired: Bits) -> NDArray[np.intp]:
    """The index of the class that each row gets: the first by priority that fires, or the default."""
    order = [network.classes.index(name) for name in network.priority]
    return first_firing(fired, order, network.classes.index(network.default))


def first_firing(fired: Bits, order: Sequence[int], default: int) -> NDArray[np.intp]:
    """`winners` with classes as indices."""
    ranked = fired[:, order]
    return np.where(ranked.any(axis=1), np.asarray(order)[ranked.argmax(axis=1)], default)


def decide(network: RuleNetwork, words: Words) -> NDArray[np.intp]:
    """The index of the class of each packed row."""
    return winners(network, unpack(layers(network, words)[-1]))


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


def _rule(rule: Rule, below: NDArray[np.uint64], full: NDArray[np.uint64]) -> NDArray[np.uint64]:
    holds = full.copy()  # 0 past the last row, and AND keeps it so
    for literal in rule.literals:
        holds &= ~below[literal.index] if literal.negated else below[literal.index]
    return holds


def _concept(concept: Concept, rules: NDArray[np.uint64]) -> NDArray[np.uint64]:
    holds = np.zeros(rules.shape[1], dtype=np.uint64)
    for rule in concept.rules:
        holds |= rules[rule]
    return holds


def _columns(nodes: list[Bits], rows: int) -> Bits:
    return np.stack(nodes, axis=1) if nodes else np.zeros((rows, 0), dtype=np.bool_)


def _stack(nodes: list[NDArray[np.uint64]], width: int) -> NDArray[np.uint64]:
    return np.stack(nodes) if nodes else np.zeros((0, width), dtype=np.uint64)


def _width(rows: int) -> int:
    return -(-rows // WORD)


def _check_width(network: RuleNetwork, found: int) -> None:
    if found != len(network.predicates):
        raise InputError(f"the network has {len(network.predicates)} predicates, the bits are of {found}")
