"""The rules as the report lists them: class by class, then the concepts below, then what no class depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conceptrules.draw.graph import rule_id
from conceptrules.explain.rule_coverage import RuleCoverage, measure_rule
from conceptrules.model.card import list_points
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.statistics import asked_columns, rule_size
from conceptrules.model.text import concept_name, condition_text, given_name, rule_name, rule_text, word

STABLE = 0.9
"""Rules that fewer of the resamples need are called unstable."""
_STABILITY_RANGES = ((0.99, "99% or more"), (0.9, "90 to 99%"), (0.5, "50 to 90%"), (0.0, "under 50%"))


@dataclass(frozen=True, slots=True)
class ConditionText:
    """A literal, or two bounds of a column as one, in words, with the column or the concept that it asks about."""

    text: str
    column: int | None
    concept: str | None
    """The id of the concept's group."""


@dataclass(frozen=True, slots=True)
class Item:
    """A rule in one group; a rule that several concepts share is in several."""

    id: str
    node: str
    """Its id in the drawing."""
    name: str
    text: str
    conditions: tuple[ConditionText, ...]
    size: int
    """How many edges the conditions count for."""
    columns: tuple[int, ...]
    """The columns that it depends on, directly or through concepts."""
    trained: RuleCoverage | None
    given: RuleCoverage | None
    stability: float | None
    """The share of resamples of the training rows that are worse off without it; None if not recorded."""
    place: str
    """Where it stands in the network, in words."""


@dataclass(frozen=True, slots=True)
class Group:
    """The rules of a class or a concept."""

    id: str
    title: str
    lead: str
    items: tuple[Item, ...]
    speaks: str
    """The class or concept that the rules make true."""


def group_rules(network: RuleNetwork, given: Statistics | None) -> tuple[Group, ...]:
    """Return every rule with every concept that has it, so that all edges of the network are there.

    The rules that add points are one group.
    """
    lister = _RuleLister(network, None if given is None else replace(network, statistics=given))
    if network.head is not None:
        return (lister.list_points(), *lister.list_concepts())
    return (*lister.list_classes(), *lister.list_concepts(), *lister.list_unused())


def list_rules(groups: Sequence[Group]) -> list[Item]:
    """Return each rule once, though several groups may have it."""
    return list({item.node: item for group in groups for item in group.items}.values())


def find_unstable_rules(items: Sequence[Item]) -> list[Item]:
    """Return the rules that many resamples can do without, the least stable first."""
    known = [item for item in items if item.stability is not None and item.stability < STABLE]
    return sorted(known, key=lambda item: item.stability or 0.0)


@dataclass(frozen=True, slots=True)
class StabilityRange:
    """A range of stability, and how many rules are in it."""

    name: str
    rules: int
    share: float


def count_by_stability(items: Sequence[Item]) -> list[StabilityRange]:
    """Return how many rules are how stable; nothing if that was not recorded."""
    known = [item.stability for item in items if item.stability is not None]
    upper, ranges = 2.0, []
    for lower, name in _STABILITY_RANGES:
        count = sum(lower <= value < upper for value in known)
        ranges.append(StabilityRange(name, count, count / max(len(known), 1)))
        upper = lower
    return ranges if known else []


@dataclass(frozen=True, slots=True)
class _RuleLister:
    """A network whose rules are listed, with what they cover on the rows of the report, if there are any."""

    network: RuleNetwork
    given: RuleNetwork | None

    def list_classes(self) -> Iterator[Group]:
        network, top = self.network, len(self.network.levels) - 1
        concepts = network.levels[top].concepts
        # A class without rules never fires, so it wins over none, wherever it stands in the priority.
        order = sorted(network.priority_indices, key=lambda index: not concepts[index].rules)
        firing = sum(bool(concept.rules) for concept in concepts)
        for position, index in enumerate(order):
            rules, title, key = concepts[index].rules, word(network.classes[index]), f"class-{index}"
            turn = " It wins over the classes below it." if position < firing - 1 else ""
            lead = f"If any of these holds, this class fires.{turn}" if rules else "No rule speaks for it."
            if index == network.default_index:
                lead += f" It is {'also ' if rules else ''}the answer for everything else."
            yield Group(key, title, lead, self._items(top, rules, key, index), title)

    def list_points(self) -> Group:
        top = len(self.network.levels) - 1
        items = self._items(top, range(len(self.network.levels[top].rules)), "points")
        return Group("points", "The rules that add points", "", items, "")

    def list_concepts(self) -> Iterator[Group]:
        for level in reversed(range(len(self.network.levels) - 1)):
            for index, concept in enumerate(self.network.levels[level].concepts):
                name, key = concept_name(level, index), _concept_id(level, index)
                users = [
                    rule_name(level + 1, number)
                    for number, rule in enumerate(self.network.levels[level + 1].rules)
                    if any(literal.index == index for literal in rule.literals)
                ]
                lead = "It holds if any of these does" if concept.rules else "No rule makes it hold"
                lead += f"; asked for by {_shorten(users)}." if users else "; no rule asks for it."
                title = self._add_given_name(name, name)
                yield Group(key, title, lead, self._items(level, concept.rules, key), name)

    def list_unused(self) -> Iterator[Group]:
        for number, level in enumerate(self.network.levels):
            used = {rule for concept in level.concepts for rule in concept.rules}
            rules = [rule for rule in range(len(level.rules)) if rule not in used]
            if rules:
                key, title = f"unused-{number + 1}", f"Used nowhere on level {number + 1}"
                lead = "No concept has these rules; they decide nothing."
                yield Group(key, title, lead, self._items(number, rules, key), "")

    def _items(self, level: int, rules: Sequence[int], group: str, label: int | None = None) -> tuple[Item, ...]:
        """Return the rules of a group; `label` is the index of the class that they speak for."""
        network, asked = self.network, asked_columns(self.network)[level]
        numbers = {column.name: number for number, column in enumerate(network.columns)}
        stability = network.training.stability if network.training else ()
        return tuple(
            Item(
                id=f"{group}-{rule_name(level, index)}",
                node=rule_id(level, index),
                name=self._add_given_name(rule_name(level, index), rule_text(network, level, index)),
                text=rule_text(network, level, index),
                conditions=tuple(
                    self._condition(level, condition)
                    for condition in conditions(network, level, network.levels[level].rules[index].literals)
                ),
                size=rule_size(network, level, index),
                columns=tuple(sorted(numbers[name] for name in asked[index])),
                trained=measure_rule(network, level, index, label),
                given=None if self.given is None else measure_rule(self.given, level, index, label),
                stability=stability[level][index] if stability else None,
                place=self._place(level, index),
            )
            for index in rules
        )

    def _add_given_name(self, name: str, text: str) -> str:
        """Return the name, with the one that people gave to the rule or concept of this text."""
        own_name = given_name(self.network, text)
        return f"{name} ({own_name})" if own_name else name

    def _condition(self, level: int, condition: Condition) -> ConditionText:
        text, index = condition_text(self.network, level, condition), condition.literals[0].index
        if level:
            return ConditionText(text, None, _concept_id(level - 1, index))
        column = self.network.predicates[index].column
        names = [column.name for column in self.network.columns]
        return ConditionText(text, names.index(column), None)

    def _place(self, level: int, index: int) -> str:
        network, levels = self.network, len(self.network.levels)
        users = [number for number, concept in enumerate(network.levels[level].concepts) if index in concept.rules]
        is_top = level + 1 == levels
        if is_top and network.head is not None:
            return f"{rule_name(level, index)} adds {list_points(network, index) or 'nothing'}."
        names = [f"class {word(network.classes[user])}" if is_top else concept_name(level, user) for user in users]
        effect = f"makes {_shorten(names)} hold" if names else "is used nowhere"
        where = f"level {level + 1} of {levels}" if levels > 1 else "the only level"
        return f"{rule_name(level, index)} stands on {where} and {effect}."


def _concept_id(level: int, index: int) -> str:
    return f"concept-{level + 1}-{index}"


def _shorten(names: Sequence[str], most: int = 8) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
