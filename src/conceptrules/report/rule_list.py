"""The rules as the report lists them: class by class, then the concepts below, then what no class depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conceptrules.draw.graph import rule_id
from conceptrules.explain.importance_scores import asked_columns
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.precision import interval_text, wilson_interval
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import concept_name, condition_text, given_name, rule_text, word


@dataclass(frozen=True, slots=True)
class ConditionText:
    """A literal, or two bounds of a column as one, in words, with the column or the concept that it asks about."""

    text: str
    column: int | None
    concept: str | None
    """The id of the concept's group."""


@dataclass(frozen=True, slots=True)
class Cover:
    """The rows on which a rule holds."""

    rows: float
    share: float
    """The share of all rows that these are."""
    right: float | None
    """The share that is of the class that the rule speaks for, or of the commonest class; None without rows."""
    meaning: str
    """The name of that class."""
    by_class: tuple[float, ...]
    decided: float | None = None
    """How many of the rows are answered with the class of the rule; None for a concept, and where nobody counted."""
    decided_right: float | None = None
    """The share of these that is of the class; None without rows."""

    @property
    def interval(self) -> str:
        """The 95 % Wilson interval of `right` as text; empty without rows."""
        return "" if self.right is None else interval_text(wilson_interval(self.right * self.rows, self.rows))

    @property
    def decided_interval(self) -> str:
        """The same of `decided_right`."""
        if self.decided is None or self.decided_right is None:
            return ""
        return interval_text(wilson_interval(self.decided_right * self.decided, self.decided))

    @property
    def contested(self) -> bool:
        """Whether another class comes first on some of the rows."""
        return self.decided is not None and self.decided != self.rows


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
    trained: Cover | None
    given: Cover | None
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


def groups(network: RuleNetwork, given: Statistics | None) -> tuple[Group, ...]:
    """Return every rule with every concept that has it, so that all edges of the network are there."""
    return (*_classes(network, given), *_concepts(network, given), *_unused(network, given))


def rule_name(level: int, index: int) -> str:
    """Return the name of a rule; names count from 1, as people and exports do, and ids of the drawing from 0."""
    return f"R{level + 1}.{index + 1}"


def _called(network: RuleNetwork, level: int, index: int) -> str:
    given = given_name(network, rule_text(network, level, index))
    return f"{rule_name(level, index)} ({given})" if given else rule_name(level, index)


def _classes(network: RuleNetwork, given: Statistics | None) -> Iterator[Group]:
    top = len(network.levels) - 1
    concepts = network.levels[top].concepts
    # A class without rules never fires, so it wins over none, wherever it stands in the priority.
    order = sorted(network.priority_indices, key=lambda index: not concepts[index].rules)
    firing = sum(bool(concept.rules) for concept in concepts)
    for place, index in enumerate(order):
        name, rules = network.classes[index], concepts[index].rules
        title = word(name)
        default = f" It is {'also ' if rules else ''}the answer for everything else." if name == network.default else ""
        turn = " It wins over the classes below it." if place < firing - 1 else ""
        lead = (f"If any of these holds, this class fires.{turn}" if rules else "No rule speaks for it.") + default
        yield Group(f"class-{index}", title, lead, _items(network, top, rules, given, f"class-{index}", index), title)


def _concepts(network: RuleNetwork, given: Statistics | None) -> Iterator[Group]:
    for level in reversed(range(len(network.levels) - 1)):
        for index, concept in enumerate(network.levels[level].concepts):
            name, key = concept_name(level, index), concept_id(level, index)
            users = [
                rule_name(level + 1, number)
                for number, rule in enumerate(network.levels[level + 1].rules)
                if any(literal.index == index for literal in rule.literals)
            ]
            lead = "It holds if any of these does" if concept.rules else "No rule makes it hold"
            asked = f"; asked for by {_some(users)}." if users else "; no rule asks for it."
            called = given_name(network, name)
            title = f"{name} ({called})" if called else name
            yield Group(key, title, lead + asked, _items(network, level, concept.rules, given, key), name)


def _unused(network: RuleNetwork, given: Statistics | None) -> Iterator[Group]:
    for level, here in enumerate(network.levels):
        used = {rule for concept in here.concepts for rule in concept.rules}
        rules = [rule for rule in range(len(here.rules)) if rule not in used]
        if rules:
            key = f"unused-{level + 1}"
            lead = "No concept has these rules; they decide nothing."
            yield Group(key, f"Used nowhere on level {level + 1}", lead, _items(network, level, rules, given, key), "")


def concept_id(level: int, index: int) -> str:
    return f"concept-{level + 1}-{index}"


def _items(
    network: RuleNetwork,
    level: int,
    rules: Sequence[int],
    given: Statistics | None,
    group: str,
    right: int | None = None,
) -> tuple[Item, ...]:
    numbers = {column.name: number for number, column in enumerate(network.columns)}
    reached, here = asked_columns(network), network.levels[level]
    stability = network.training.stability if network.training else ()
    return tuple(
        Item(
            id=f"{group}-{rule_name(level, index)}",
            node=rule_id(level, index),
            name=_called(network, level, index),
            text=rule_text(network, level, index),
            conditions=tuple(
                _condition(network, numbers, level, each)
                for each in conditions(network, level, here.rules[index].literals)
            ),
            size=rule_size(network, level, index),
            columns=reached[level][index],
            trained=_cover(network, network.statistics, level, index, right),
            given=_cover(network, given, level, index, right),
            stability=stability[level][index] if stability else None,
            place=_place(network, level, index),
        )
        for index in rules
    )


def _condition(network: RuleNetwork, numbers: Mapping[str, int], level: int, condition: Condition) -> ConditionText:
    text, index = condition_text(network, level, condition), condition.literals[0].index
    if level:
        return ConditionText(text, None, concept_id(level - 1, index))
    return ConditionText(text, numbers[network.predicates[index].column], None)


def _cover(
    network: RuleNetwork, statistics: Statistics | None, level: int, index: int, right: int | None
) -> Cover | None:
    if statistics is None:
        return None
    covered = statistics.covered[level][index]
    rows, kind = sum(covered), covered.index(max(covered)) if right is None else right
    share = rows / sum(statistics.rows)
    found = Cover(rows, share, covered[kind] / rows if rows else None, word(network.classes[kind]), covered)
    if right is None or not statistics.decided:
        return found
    decided = statistics.decided[right][network.levels[-1].concepts[right].rules.index(index)]
    total = sum(decided)
    return replace(found, decided=total, decided_right=decided[right] / total if total else None)


def _place(network: RuleNetwork, level: int, index: int) -> str:
    users = [number for number, concept in enumerate(network.levels[level].concepts) if index in concept.rules]
    top = level + 1 == len(network.levels)
    named = [f"class {word(network.classes[user])}" if top else concept_name(level, user) for user in users]
    feeds = f"makes {_some(named)} hold" if named else "is used nowhere"
    where = f"level {level + 1} of {len(network.levels)}" if len(network.levels) > 1 else "the only level"
    return f"{rule_name(level, index)} stands on {where} and {feeds}."


def _some(names: Sequence[str], most: int = 8) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
