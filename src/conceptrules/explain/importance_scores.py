"""How much decisions depend on each rule, concept and column: how many of them change without it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import PackedBits, class_words, first_firing_packed, layers
from conceptrules.model.heads import require_classes
from conceptrules.model.network import Rule, RuleNetwork
from conceptrules.model.scoring import answer_scores, score_words, with_rule_concepts
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.statistics import asked_columns
from conceptrules.model.text import align_columns, concept_name, decided_rows, plural, rule_name, rule_text, word
from conceptrules.tables.table import read_used_bits

Decisions = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True)
class Weight:
    """One rule, concept or column, and how many decisions change without it."""

    name: str
    """The rule as text, the name of the concept, or the name of the column."""
    level: int | None
    """The level of the rule or concept, counted from 0; None for a column."""
    index: int
    """The number of the rule or concept on its level, or of the column, counted from 0."""
    changed: int
    """The rows whose class changes without it."""


@dataclass(frozen=True, slots=True)
class Importance(ShownAsHtml):
    """How many decisions depend on each rule, concept and column, in the order of the network.

    A rule or a concept is taken out by letting it never hold; a column, by taking every literal on it out of its rule,
    or in a scorecard by letting no rule hold that asks about it.
    """

    rows: int
    """The rows that were decided."""
    rules: tuple[Weight, ...]
    """All rules, level by level."""
    concepts: tuple[Weight, ...]
    """The concepts below the classes."""
    columns: tuple[Weight, ...]
    """All columns; those that no rule asks about change nothing."""

    def __str__(self) -> str:
        used = [weight for weight in self.columns if weight.changed]
        tables = [("column", used), ("rule", self.rules), ("concept", self.concepts)]
        parts = [f"The decisions of {plural(self.rows, 'row')}, and how many change without"]
        for kind, weights in tables:
            ordered = sorted(weights, key=lambda weight: -weight.changed)
            lines = [(_weight_name(weight), f"{weight.changed:,}") for weight in ordered]
            parts += [align_columns([(kind, "changed"), *lines])] if lines else []
        return "\n\n".join(parts)


def _weight_name(weight: Weight) -> str:
    """Return the name of a column or a concept, or a rule with its number."""
    if weight.level is None or weight.name == concept_name(weight.level, weight.index):
        return word(weight.name) if weight.level is None else weight.name
    return f"{rule_name(weight.level, weight.index)}: {weight.name}"


def importance(network: RuleNetwork, table: Any) -> Importance:
    """Count the decisions that change without each rule, concept and column.

    Parameters
    ----------
    network : RuleNetwork
        The network whose parts are taken out one by one.
    table : table
        The rows to decide: a pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.

    Returns
    -------
    Importance
        The number of rows whose class changes, for each rule, concept and column.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> weights = importance(network, [{"age": 20}, {"age": 50}, {"age": 60}])
    >>> [(rule.name, rule.changed) for rule in weights.rules]
    [('age > 41', 2)]
    """
    return importance_of_bits(network, read_used_bits(network, table))


def importance_of_bits(network: RuleNetwork, words: PackedBits) -> Importance:
    """Return the `importance` on rows that are given as the packed bits of all predicates."""
    require_classes(network, "the importance of columns")
    ablation = Ablation(network, words)

    def changed(decisions: Decisions) -> int:
        return int(np.count_nonzero(decisions != ablation.decided))

    return Importance(
        words.rows,
        tuple(
            Weight(rule_text(network, level, index), level, index, changed(ablation.without_rule(level, index)))
            for level, index in list_rules(network)
        ),
        tuple(
            Weight(concept_name(level, index), level, index, changed(ablation.without_concept(level, index)))
            for level, below in enumerate(network.levels[:-1])
            for index in range(len(below.concepts))
        ),
        tuple(
            Weight(column.name, None, index, changed(ablation.without_column(column.name)))
            for index, column in enumerate(network.columns)
        ),
    )


def column_shares(network: RuleNetwork) -> NDArray[np.float64]:
    """Return the share of the training rows that each column helps to decide; the shares sum to 1, or to 0.

    A rule counts by the rows that it decides, divided evenly among the columns that it asks about, through concepts
    too. Without statistics, all rules count the same. A rule of a scorecard counts by the standard deviation of what it
    adds to the scores of the training rows.
    """
    require_classes(network, "the importance of columns")
    asked, names = asked_columns(network)[-1], [column.name for column in network.columns]
    result = np.zeros(len(names))
    for rule, weight in _weigh_rules(network):
        columns = [names.index(name) for name in asked[rule]]
        result[columns] += weight / max(len(columns), 1)
    return result / (result.sum() or 1)


def _weigh_rules(network: RuleNetwork) -> Iterator[tuple[int, float]]:
    """Yield the rules of the last level, and by how much each of them counts."""
    for kind, concept in enumerate(network.levels[-1].concepts):
        for rule in concept.rules:
            decided = decided_rows(network, kind, rule)
            yield rule, 1 if decided is None else sum(decided)
    for rule, points in enumerate(network.head.points if network.head else ()):
        statistics = network.statistics
        share = sum(statistics.covered[-1][rule]) / sum(statistics.rows) if statistics else 0.5
        yield rule, sum(map(abs, points)) * math.sqrt(share * (1 - share))


def list_rules(network: RuleNetwork) -> list[tuple[int, int]]:
    """Return the level and the index of each rule."""
    return [(number, index) for number, level in enumerate(network.levels) for index in range(len(level.rules))]


class Ablation:
    """What a network decides on some rows when a part of it is taken out.

    What does not depend on that part is computed once.
    """

    def __init__(self, network: RuleNetwork, words: PackedBits) -> None:
        hidden = layers(network, words)
        self.network, self.levels, self.below, self.rules = network, network.levels, hidden[::2], hidden[1::2]
        if network.head is not None:  # the rules of its last level decide as classes do elsewhere
            self.levels, self.below[-1] = (*self.levels[:-1], with_rule_concepts(self.levels[-1])), self.rules[-1]
        self.decided = self._decide(self.below[-1])

    def without_rule(self, level: int, index: int) -> Decisions:
        """Return the decisions where this rule never holds."""
        concepts = self.below[level + 1].words.copy()
        for number, concept in enumerate(self.levels[level].concepts):
            if index in concept.rules:
                left = [rule for rule in concept.rules if rule != index]
                concepts[number] = np.bitwise_or.reduce(self.rules[level].words[left], axis=0)
        return self._decide_above(level, concepts)

    def without_concept(self, level: int, index: int) -> Decisions:
        """Return the decisions where this concept never holds."""
        concepts = self.below[level + 1].words.copy()
        concepts[index] = 0
        return self._decide_above(level, concepts)

    def without_column(self, name: str) -> Decisions:
        """Return the decisions without the literals on a column, or the rules of a scorecard that ask about it."""
        if self.network.head is not None:
            holds = self.rules[-1].words.copy()
            holds[[index for index, names in enumerate(asked_columns(self.network)[-1]) if name in names]] = 0
            return self._decide(PackedBits(holds, self.rules[-1].rows))
        asked = {index for index, predicate in enumerate(self.network.predicates) if predicate.column == name}
        first, *rest = self.levels
        rules = tuple(Rule(tuple(i for i in rule.literals if i.index not in asked)) for rule in first.rules)
        return self._decide(class_words((replace(first, rules=rules), *rest), self.below[0]))

    def _decide_above(self, level: int, concepts: NDArray[np.uint64]) -> Decisions:
        """Return what the levels above this one decide on its concepts."""
        words, rest = PackedBits(concepts, self.below[0].rows), self.levels[level + 1 :]
        return self._decide(class_words(rest, words) if rest else words)

    def _decide(self, fired: PackedBits) -> Decisions:
        """Return the answers, given which classes fire, or which rules of a scorecard hold."""
        if self.network.head is not None:
            scores = score_words(self.network.head, fired)
            return answer_scores(self.network.head, scores).astype(np.uint32)
        return first_firing_packed(fired, self.network.priority_indices, self.network.default_index)
