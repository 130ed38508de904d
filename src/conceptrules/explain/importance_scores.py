"""How much decisions hang on each rule, concept and column: how many of them change without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import PackedBits, class_words, first_firing_packed, layers
from conceptrules.model.network import Rule, RuleNetwork
from conceptrules.model.text import concept_name, rule_text
from conceptrules.tables.table import read_words

Decisions = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True)
class Weight:
    """One rule, concept or column, and the rows whose class changes without it."""

    name: str
    """The rule in words, the concept's name, the column's name."""
    level: int | None
    """From 0, as `index`; None for a column."""
    index: int
    changed: int


@dataclass(frozen=True, slots=True)
class Importance:
    """Without a rule: it never holds. Without a concept: likewise. Without a column: as if nobody had asked, that is,
    every literal on it is taken out of its rule. Each in the order of the network."""

    rows: int
    rules: tuple[Weight, ...]
    concepts: tuple[Weight, ...]
    """Those below the classes."""
    columns: tuple[Weight, ...]
    """All of them; those that no rule asks about change nothing."""


def importance(network: RuleNetwork, table: Any) -> Importance:
    """How many decisions on the rows of a table change without each rule, concept and column."""
    return importance_of_bits(network, read_words(network.columns, network.predicates, table, network.used_predicates))


def importance_of_bits(network: RuleNetwork, words: PackedBits) -> Importance:
    """`importance` on the bits of the predicates."""
    without = Without(network, words)
    decided = without.nothing()

    def changed(decisions: Decisions) -> int:
        return int(np.count_nonzero(decisions != decided))

    return Importance(
        words.rows,
        tuple(
            Weight(rule_text(network, level, index), level, index, changed(without.rule(level, index)))
            for level, index in rule_places(network)
        ),
        tuple(
            Weight(concept_name(level, index), level, index, changed(without.concept(level, index)))
            for level, below in enumerate(network.levels[:-1])
            for index in range(len(below.concepts))
        ),
        tuple(
            Weight(column.name, None, index, changed(without.column(column.name)))
            for index, column in enumerate(network.columns)
        ),
    )


def rule_places(network: RuleNetwork) -> Iterator[tuple[int, int]]:
    """(level, index) of each rule."""
    for level, nodes in enumerate(network.levels):
        yield from ((level, index) for index in range(len(nodes.rules)))


class Without:
    """What a network decides on some rows when a part of it is taken out. All that does not depend on it is kept."""

    def __init__(self, network: RuleNetwork, words: PackedBits) -> None:
        found = layers(network, words)
        self.network, self.below, self.rules = network, found[::2], found[1::2]
        self.order, self.default = network.priority_indices, network.default_index

    def nothing(self) -> Decisions:
        return first_firing_packed(self.below[-1], self.order, self.default)

    def rule(self, level: int, index: int) -> Decisions:
        """Without a rule: it never holds."""
        concepts = self.below[level + 1].words.copy()
        for number, concept in enumerate(self.network.levels[level].concepts):
            if index in concept.rules:
                others = [rule for rule in concept.rules if rule != index]
                concepts[number] = np.bitwise_or.reduce(self.rules[level].words[others], axis=0)
        return self._decided(level + 1, concepts)

    def concept(self, level: int, index: int) -> Decisions:
        """Without a concept: it never holds."""
        concepts = self.below[level + 1].words.copy()
        concepts[index] = 0
        return self._decided(level + 1, concepts)

    def column(self, name: str) -> Decisions:
        """Without the literals on a column."""
        asked = {index for index, predicate in enumerate(self.network.predicates) if predicate.column == name}

        def less(rule: Rule) -> Rule:
            return Rule(tuple(literal for literal in rule.literals if literal.index not in asked))

        first, *rest = self.network.levels
        fired = class_words((replace(first, rules=tuple(map(less, first.rules))), *rest), self.below[0])
        return first_firing_packed(fired, self.order, self.default)

    def _decided(self, level: int, below: NDArray[np.uint64]) -> Decisions:
        """By the levels from this one on, above concepts that hold on these rows."""
        words, rest = PackedBits(below, self.below[0].rows), self.network.levels[level:]
        return first_firing_packed(class_words(rest, words) if rest else words, self.order, self.default)
