"""The rule that came nearest to firing for another class, and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from conceptrules.model.evaluation import Bits, layers_plain
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import literals_text, rule_name, rule_text

Needs = frozenset[Literal] | None
"""The literals on predicates that would have to hold; None where nothing helps."""


@dataclass(frozen=True, slots=True)
class Miss:
    """The rule of another class that came nearest to firing."""

    label: Value
    """The class of the rule."""
    level: int
    """The level of the rule, counted from 0."""
    index: int
    """The number of the rule on its level, counted from 0."""
    text: str
    """The rule as text."""
    unmet: tuple[str, ...]
    """The conditions that would have to hold, as text, counted down to predicates."""
    columns: tuple[str, ...]
    """The columns of these conditions."""
    wins: bool
    """Whether its class would be the answer then; otherwise a class that fires comes first by priority."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """Whether a rule that was asked for holds on the row."""

    name: str
    """The number of the rule: R1.3."""
    text: str
    """The rule as text."""
    unmet: tuple[str, ...] | None
    """The fewest conditions that would have to hold, as text; none where the rule holds, None where nothing helps."""


def check_rule(network: RuleNetwork, holds: Sequence[Bits], level: int, index: int) -> RuleCheck:
    """Return whether a rule holds on a row, and what it lacks; `holds` is that of `find_nearest_miss`."""
    needs = _make_needs(network, holds)(level, index)
    unmet = None if needs is None else tuple(literals_text(network, 0, sorted(needs)))
    return RuleCheck(rule_name(level, index), rule_text(network, level, index), unmet)


def find_nearest_miss(
    network: RuleNetwork, holds: Sequence[Bits], decided: int, *, to: int | None = None, winning: bool = False
) -> Miss | None:
    """Return the rule of another class, which does not fire, with the fewest unmet literals; ties go by priority.

    `holds` says for each layer which of its nodes hold on the row; `decided` is the index of the decided class, and
    `to` that of the only class to look at, unless it is the decided one. With `winning`, a rule whose class would be
    the answer comes before all others.
    """
    needs = _make_needs(network, holds)
    last = len(network.levels) - 1
    misses, loses = [], False
    for rank, index in enumerate(network.priority_indices):
        skipped = holds[-1][index] or index == decided or to not in (None, decided, index)
        for rule in () if skipped else network.levels[last].concepts[index].rules:
            unmet = needs(last, rule)
            if unmet is not None and (last == 0 or _is_enough(network, holds[0], unmet, rule)):
                misses.append((winning and loses, len(unmet), rank, rule, loses, unmet))
        loses = loses or bool(holds[-1][index])  # a class that fires comes before all later ones
    if not misses:
        return None
    _, _, rank, rule, loses, unmet = min(misses, key=lambda miss: miss[:4])
    literals = sorted(unmet)
    columns = tuple(dict.fromkeys(network.predicates[literal.index].column for literal in literals))
    texts = tuple(literals_text(network, 0, literals))
    return Miss(network.priority[rank], last, rule, rule_text(network, last, rule), texts, columns, not loses)


def _is_enough(network: RuleNetwork, bits: Bits, unmet: frozenset[Literal], rule: int) -> bool:
    """Return whether a rule of the last level holds once these literals do.

    They are counted concept by concept, and what one concept needs can take from another what the rule needs as well.
    """
    changed = bits.copy()
    for literal in unmet:
        changed[literal.index] = not literal.negated
    return bool(layers_plain(network, changed[None])[-2][0][rule])


def _make_needs(network: RuleNetwork, holds: Sequence[Bits]) -> Callable[[int, int], Needs]:
    """Return a function that says what it takes for a rule to hold, counted down to predicates."""

    @cache
    def of_rule(level: int, index: int) -> Needs:
        literals = network.levels[level].rules[index].literals
        contradictory = any(~literal in literals for literal in literals)
        return None if contradictory else _join([of_literal(level, literal) for literal in literals])

    @cache
    def of_literal(level: int, literal: Literal) -> Needs:
        if holds[2 * level][literal.index] != literal.negated:
            return frozenset()
        if level == 0:
            return frozenset({literal})
        below = network.levels[level - 1]
        rules = below.concepts[literal.index].rules
        if not literal.negated:
            return _fewest([of_rule(level - 1, rule) for rule in rules])
        # Each rule that makes the concept true has to fail.
        firing = [below.rules[rule].literals for rule in rules if holds[2 * level - 1][rule]]
        return _join([_fewest([of_literal(level - 1, ~each) for each in literals]) for literals in firing])

    return of_rule


def _join(parts: Sequence[Needs]) -> Needs:
    """Join needs that all have to be met; None where they contradict each other."""
    union: set[Literal] = set()
    for part in parts:
        if part is None:
            return None
        union |= part
    return None if any(~literal in union for literal in union) else frozenset(union)


def _fewest(parts: Sequence[Needs]) -> Needs:
    return min((part for part in parts if part is not None), key=len, default=None)
