"""Why a row gets its class: the rules that fired, the classes that lost, the nearest miss, the counterfactual."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal as Choice

from conceptrules.explain.counterfactual import Counterfactual, check_fixed, check_wanted, find_counterfactual
from conceptrules.model.evaluation import Bits, decide_fired, layers_plain
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import pattern_frequencies
from conceptrules.model.text import concept_name, literals_text, rule_text, word
from conceptrules.tables.row import one_row
from conceptrules.tables.table import read_bits

Settled = Choice["none", "one", "several"]


@dataclass(frozen=True, slots=True)
class FiredRule:
    """A rule that holds on the row."""

    owner: str
    """The class or the concept that it makes true, in words."""
    level: int
    """From 0, as `index`."""
    index: int
    text: str
    coverage: float | None
    """The share of training rows on which it holds; None without statistics."""
    precision: float | None
    """The share of those that are of the class that is explained; None where there are none."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A class that fired as well, and lost."""

    label: Value
    reason: str
    rules: tuple[FiredRule, ...]


@dataclass(frozen=True, slots=True)
class Absent:
    """A concept that a rule which fired wants not to hold."""

    name: str
    rules: tuple[str, ...]
    """What it would take, in words: any of these. Empty where it never holds."""


@dataclass(frozen=True, slots=True)
class Miss:
    """The rule that came nearest, of another class that did not fire."""

    label: Value
    level: int
    index: int
    text: str
    unmet: tuple[str, ...]
    """The literals that would have to hold, in words, counted down to predicates."""
    wins: bool
    """Whether its class would have won; otherwise a class that fires comes first."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row gets its class."""

    label: Value
    settled: Settled
    """How many classes fired: where none did, the label is the default, where several, the first by priority."""
    right: float | None
    """How often this class was right on the training rows on which the same classes fire, smoothed; None without
    statistics."""
    fired: tuple[FiredRule, ...]
    """Rules of the class, the last level first; below it those that made its concepts true."""
    rivals: tuple[Rival, ...]
    """By priority."""
    absent: tuple[Absent, ...]
    """What the negated concepts mean that these rules name; without it nobody could read them."""
    nearest: Miss | None
    """None where every other class fires or has no rule that could hold."""
    counterfactual: Counterfactual | None
    """None: whatever the columns that are not fixed say, the class stays. That is proved too."""
    fixed: tuple[str, ...] = ()
    to: Value | None = None
    """The class that the change was to lead to, if one was named."""

    def __str__(self) -> str:
        from conceptrules.explain.text import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import explanation_html

        return explanation_html(self)


def explain(
    network: RuleNetwork, row: Any, fixed: Iterable[str] = (), to: Value | None = None, **limits: Any
) -> Explanation:
    """Why the row gets its class. `fixed`, `to` and the limits are those of `find_counterfactual`."""
    stays = check_fixed(network, fixed)
    table = one_row(row)
    hidden = layers_plain(network, read_bits(network.columns, network.predicates, table, network.used_predicates))
    winner = int(decide_fired(network, hidden[-1])[0])
    check_wanted(network, network.classes[winner], to)
    firing = [index for index in network.priority_indices if hidden[-1][0, index]]
    holds = [layer[0] for layer in hidden]
    fired = tuple(_fired(network, holds, winner)) if firing else ()
    rivals = tuple(_rival(network, holds, index, winner) for index in firing[1:])
    return Explanation(
        label=network.classes[winner],
        settled=("none", "one", "several")[min(len(firing), 2)],
        right=_right(network, hidden[-1], winner),
        fired=fired,
        rivals=rivals,
        absent=tuple(_absent(network, [*fired, *(rule for rival in rivals for rule in rival.rules)])),
        nearest=nearest_miss(network, holds, winner),
        counterfactual=find_counterfactual(network, table, stays, to, **limits),
        fixed=tuple(column.name for column in network.columns if column.name in stays),
        to=to,
    )


def _right(network: RuleNetwork, fired: Bits, winner: int) -> float | None:
    return None if network.statistics is None else float(pattern_frequencies(network, fired)[0, winner])


def _rival(network: RuleNetwork, holds: Sequence[Bits], index: int, winner: int) -> Rival:
    first, second = word(network.classes[winner]), word(network.classes[index])
    reason = f"when both fire, {first} comes before {second}"
    return Rival(network.classes[index], reason, tuple(_fired(network, holds, index)))


def _fired(network: RuleNetwork, holds: Sequence[Bits], kind: int) -> Iterator[FiredRule]:
    """The rules of a class that hold, then those that make the concepts true which these name, and so on down."""
    owners = {kind: word(network.classes[kind])}
    for level in reversed(range(len(network.levels))):
        concepts = network.levels[level].concepts
        found = [(index, name) for owner, name in owners.items() for index in concepts[owner].rules]
        found = [(index, name) for index, name in found if holds[2 * level + 1][index]]
        for index, name in found:
            yield _fired_rule(network, name, level, index, kind)
        literals = [literal for index, _ in found for literal in network.levels[level].rules[index].literals]
        owners = {each.index: concept_name(level - 1, each.index) for each in sorted(literals) if not each.negated}


def _fired_rule(network: RuleNetwork, owner: str, level: int, index: int, kind: int) -> FiredRule:
    text = rule_text(network, level, index)
    if network.statistics is None:
        return FiredRule(owner, level, index, text, None, None)
    covered = network.statistics.covered[level][index]
    precision = covered[kind] / sum(covered) if sum(covered) else None
    return FiredRule(owner, level, index, text, sum(covered) / sum(network.statistics.rows), precision)


def _absent(network: RuleNetwork, fired: Iterable[FiredRule]) -> Iterator[Absent]:
    literals = (
        (rule.level, literal) for rule in fired for literal in network.levels[rule.level].rules[rule.index].literals
    )
    asked = [(level - 1, literal.index) for level, literal in literals if level and literal.negated]
    for below, index in dict.fromkeys(asked):
        rules = network.levels[below].concepts[index].rules
        yield Absent(concept_name(below, index), tuple(rule_text(network, below, rule) for rule in rules))


# The nearest miss

Needs = frozenset[Literal] | None
"""Literals on predicates that would have to hold; None where nothing helps."""


def nearest_miss(network: RuleNetwork, holds: Sequence[Bits], winner: int) -> Miss | None:
    """Of the rules of other classes that do not fire, that with fewest literals unmet; then the first by priority.

    `holds` is what each node says on the row, layer by layer.
    """
    needs = _needs(network, holds)
    last = len(network.levels) - 1
    found = []
    for place, index in enumerate(network.priority_indices):
        for rule in () if holds[-1][index] or index == winner else network.levels[last].concepts[index].rules:
            unmet = needs(last, rule)
            if unmet is not None:
                found.append((len(unmet), place, rule, unmet))
    if not found:
        return None
    _, place, rule, unmet = min(found, key=lambda miss: miss[:3])
    name = network.priority[place]
    wins = not any(holds[-1][earlier] for earlier in network.priority_indices[:place])
    texts = tuple(literals_text(network, 0, sorted(unmet)))
    return Miss(name, last, rule, rule_text(network, last, rule), texts, wins)


def _needs(network: RuleNetwork, holds: Sequence[Bits]) -> Callable[[int, int], Needs]:
    """What would have to hold for a rule to hold, counted down to predicates."""

    @cache
    def of_rule(level: int, index: int) -> Needs:
        literals = network.levels[level].rules[index].literals
        contradictory = any(~literal in literals for literal in literals)
        return None if contradictory else _all([of_literal(level, literal) for literal in literals])

    @cache
    def of_literal(level: int, literal: Literal) -> Needs:
        if holds[2 * level][literal.index] != literal.negated:
            return frozenset()
        if level == 0:
            return frozenset({literal})
        below = network.levels[level - 1]
        rules = below.concepts[literal.index].rules
        if not literal.negated:
            return _least([of_rule(level - 1, rule) for rule in rules])
        # Each rule that makes the concept true has to fail.
        broken = [rule for rule in rules if holds[2 * level - 1][rule]]
        return _all([_least([of_literal(level - 1, ~each) for each in below.rules[rule].literals]) for rule in broken])

    return of_rule


def _all(parts: Sequence[Needs]) -> Needs:
    """All of them at once, unless they contradict each other."""
    union: set[Literal] = set()
    for part in parts:
        if part is None:
            return None
        union |= part
    return None if any(~literal in union for literal in union) else frozenset(union)


def _least(parts: Sequence[Needs]) -> Needs:
    return min((part for part in parts if part is not None), key=len, default=None)
