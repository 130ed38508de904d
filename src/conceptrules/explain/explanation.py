"""Why a row gets its class: the rules that fired, the classes that came later, the nearest miss, the counterfactual."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from typing import Literal as Choice

import numpy as np

from conceptrules.explain.counterfactual import LIMIT, Counterfactual, check_fixed, check_wanted, find_counterfactual
from conceptrules.model.evaluation import Bits, decide_fired, layers, layers_plain, unpack
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.policy import Default, Implies, Locked
from conceptrules.model.precision import Ends, wilson_interval
from conceptrules.model.predicate import Value, holds
from conceptrules.model.rule_reader import read_rule
from conceptrules.model.statistics import distinct_rows, probabilities
from conceptrules.model.text import concept_name, literals_text, rule_text, word
from conceptrules.tables.row import one_row, read_row
from conceptrules.tables.table import Table, read_bits, read_packed_bits

Settled = Choice["none", "one", "several"]


@dataclass(frozen=True, slots=True)
class FiredRule:
    """A rule that holds on the row."""

    owner: str
    """The class or the concept that it makes true, as text."""
    level: int
    """The level of the rule, counted from 0."""
    index: int
    """The number of the rule on its level, counted from 0."""
    text: str
    """The rule as text."""
    coverage: float | None
    """The share of training rows on which it holds; None without statistics."""
    precision: float | None
    """The share of those that are of the class that is explained; None where there are none."""
    interval: Ends | None = None
    """The 95 % Wilson interval of the precision."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A class that fired as well and comes later in the priority."""

    label: Value
    """The class."""
    reason: str
    """Why it is not the answer, as text."""
    rules: tuple[FiredRule, ...]
    """Its rules that hold."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A concept that a fired rule negates."""

    name: str
    """The name of the concept."""
    rules: tuple[str, ...]
    """Its rules as text, none of which holds; empty where the concept has none."""


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
    wins: bool
    """Whether its class would be the answer then; otherwise a class that fires comes first by priority."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row gets its class. `print` shows it as text, a notebook as HTML."""

    label: Value
    """The class that the row gets."""
    settled: Settled
    """How many classes fired: where none did, the label is the default; where several did, the first by priority."""
    rows: float | None
    """The weight of the training rows on which the same classes fire; None where nobody counted them."""
    right: float | None
    """The share of these rows that are of this class; None where there are none."""
    probability: float | None
    """The probability that `predict_proba` states for this class; None without statistics."""
    fired: tuple[FiredRule, ...]
    """The rules of the class that hold, the last level first, then those that made its concepts true."""
    rivals: tuple[Rival, ...]
    """The other classes that fired, by priority."""
    absent: tuple[Absent, ...]
    """The concepts that these rules negate, so that a reader knows what they mean."""
    nearest: Miss | None
    """The rule that came nearest; None where every other class fires or has no rule that could hold."""
    counterfactual: Counterfactual | None
    """The smallest change for another class; None where it is proved that no change gives one."""
    fixed: tuple[str, ...] = ()
    """The columns that the counterfactual leaves as they are."""
    to: Value | None = None
    """The class that the counterfactual is to give, if one was named."""
    clauses: tuple[str, ...] = ()
    """The clauses of the network's policy that ask for this class on this row, in words."""

    def __str__(self) -> str:
        from conceptrules.explain.text import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import explanation_html

        return explanation_html(self)


def explain(
    network: RuleNetwork,
    row: Any,
    *,
    fixed: Iterable[str] = (),
    to: Value | None = None,
    limit: int = LIMIT,
    seconds: float | None = None,
) -> Explanation:
    """Explain why a row gets its class, and what would change it.

    Parameters
    ----------
    network : RuleNetwork
        The network that decides.
    row : row
        A dictionary, a list of values, a row of a pandas table, or a table with one row.
    fixed : iterable of str, default=()
        The columns that the counterfactual leaves as they are.
    to : class label, optional
        The class that the counterfactual is to give; by default, any other class will do.
    limit : int, default=1_000_000
        The most states that the search for the counterfactual looks at.
    seconds : float, optional
        The longest time to search; by default there is no limit.

    Returns
    -------
    Explanation
        The rules that fired, the other classes that did, the nearest miss and the counterfactual.

    Raises
    ------
    InputError
        If `fixed` names an unknown column, `to` is no other class of the network, or `row` is not one row.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> print(explain(network, {"age": 50}))
    old: only this class fires.
    <BLANKLINE>
    old because
      age > 41
    <BLANKLINE>
    counterfactual: young if
      age <= 41 (such as 41) instead of age = 50
    This is proved to be the smallest: nothing less than a change of 1 column will do.
    """
    stays = check_fixed(network, fixed)
    table = one_row(row)
    hidden = layers_plain(network, read_bits(network.columns, network.predicates, table, network.used_predicates))
    decided = int(decide_fired(network, hidden[-1])[0])
    check_wanted(network, network.classes[decided], to)
    same = _same(network, hidden[-1])
    firing = [index for index in network.priority_indices if hidden[-1][0, index]]
    holds = [layer[0] for layer in hidden]
    fired = tuple(_fired(network, holds, decided)) if firing else ()
    rivals = tuple(_rival(network, holds, index, decided) for index in firing[1:])
    return Explanation(
        label=network.classes[decided],
        settled=("none", "one", "several")[min(len(firing), 2)],
        rows=_sum(same),
        right=same[decided] / sum(same) if same and sum(same) else None,
        probability=_probability(network, hidden[-1], decided),
        fired=fired,
        rivals=rivals,
        absent=tuple(_absent(network, [*fired, *(rule for rival in rivals for rule in rival.rules)])),
        nearest=nearest_miss(network, holds, decided),
        counterfactual=find_counterfactual(network, table, fixed=stays, to=to, limit=limit, seconds=seconds),
        fixed=tuple(column.name for column in network.columns if column.name in stays),
        to=to,
        clauses=tuple(_clauses(network, table, network.classes[decided], bool(firing))),
    )


def _clauses(network: RuleNetwork, table: Table, label: Value, fires: bool) -> Iterator[str]:
    """Yield the clauses that keep the decision in place: of rules that hold on the row, or of the default class."""
    policy = network.policy
    if policy is None:
        return
    names = [column.name for column in network.columns]
    values = dict(zip(names, read_row(network.columns, table), strict=True))
    ruled: tuple[Implies | Locked, ...] = (*policy.of_kind(Implies), *policy.of_kind(Locked))
    for clause in ruled:
        tests = read_rule(clause.rule, network.columns)
        if clause.label == label and all(holds(t.predicate, values[t.predicate.column]) != t.negated for t in tests):
            yield clause.text
    if not fires:
        yield from (clause.text for clause in policy.of_kind(Default))


def fired_rules(network: RuleNetwork, table: Any) -> list[tuple[FiredRule, ...]]:
    """Return the rules of classes that hold on each row, by priority."""
    told = _told(network)
    kinds, inverse = distinct_rows(_holding(network, table)[:, [rule.index for rule in told]])
    found = [tuple(rule for rule, holds in zip(told, kind, strict=True) if holds) for kind in kinds.tolist()]
    return [found[kind] for kind in inverse.tolist()]


def reasons(network: RuleNetwork, table: Any) -> list[str]:
    """Return the rules of the answered class that hold on each row, as one text; where there are none, that says so.

    The concepts that these rules name are explained by the rules of theirs that hold.
    """
    words = read_packed_bits(network.columns, network.predicates, table, network.used_predicates)
    hidden = [unpack(layer) for layer in layers(network, words)[1:]]
    kinds, inverse = distinct_rows(np.hstack(hidden))
    sizes = np.cumsum([layer.shape[1] for layer in hidden])[:-1]
    texts = [_reason(network, [kinds[:0], *np.split(kind, sizes)]) for kind in kinds]
    return [texts[kind] for kind in inverse.tolist()]


def _reason(network: RuleNetwork, holds: Sequence[Bits]) -> str:
    if not holds[-1].any():
        return "no rule holds"
    rules = list(_fired(network, holds, int(decide_fired(network, holds[-1][None])[0])))
    owners = {rule.owner: [each.text for each in rules if each.owner == rule.owner] for rule in rules}
    first, *concepts = ((owner, _any_of(texts)) for owner, texts in owners.items())
    return "; ".join([first[1], *(f"{owner} because {texts}" for owner, texts in concepts)])


def _any_of(texts: Sequence[str]) -> str:
    return " or ".join(f"({text})" if len(texts) > 1 else text for text in texts)


def _told(network: RuleNetwork) -> list[FiredRule]:
    last = len(network.levels) - 1
    return [
        _fired_rule(network, word(network.classes[kind]), last, rule, kind)
        for kind in network.priority_indices
        for rule in network.levels[last].concepts[kind].rules
    ]


def _holding(network: RuleNetwork, table: Any) -> Bits:
    """Return which rules of the last level hold on each row."""
    words = read_packed_bits(network.columns, network.predicates, table, network.used_predicates)
    return unpack(layers(network, words)[-2])


def _same(network: RuleNetwork, fired: Bits) -> tuple[float, ...] | None:
    """Return the training rows by class on which the same classes fire; None where nobody counted them."""
    if network.statistics is None:
        return None
    return dict(network.statistics.patterns).get(tuple(fired[0].tolist()), ())


def _sum(rows: Sequence[float] | None) -> float | None:
    return None if rows is None else sum(rows)


def _probability(network: RuleNetwork, fired: Bits, decided: int) -> float | None:
    return None if network.statistics is None else float(probabilities(network, fired)[0, decided])


def _rival(network: RuleNetwork, holds: Sequence[Bits], index: int, decided: int) -> Rival:
    first, second = word(network.classes[decided]), word(network.classes[index])
    reason = f"when both fire, {first} comes before {second}"
    return Rival(network.classes[index], reason, tuple(_fired(network, holds, index)))


def _fired(network: RuleNetwork, holds: Sequence[Bits], kind: int) -> Iterator[FiredRule]:
    """Yield the rules of a class that hold, then those that make the concepts true which these name, and so on."""
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
    rows = sum(covered)
    precision, interval = covered[kind] / rows if rows else None, wilson_interval(covered[kind], rows)
    return FiredRule(owner, level, index, text, rows / sum(network.statistics.rows), precision, interval)


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
"""The literals on predicates that would have to hold; None where nothing helps."""


def nearest_miss(network: RuleNetwork, holds: Sequence[Bits], decided: int) -> Miss | None:
    """Return the rule of another class, which does not fire, with the fewest unmet literals; ties go by priority.

    `holds` says for each layer which of its nodes hold on the row; `decided` is the index of the decided class.
    """
    needs = _needs(network, holds)
    last = len(network.levels) - 1
    found = []
    for place, index in enumerate(network.priority_indices):
        for rule in () if holds[-1][index] or index == decided else network.levels[last].concepts[index].rules:
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
    """Return a function that says what it takes for a rule to hold, counted down to predicates."""

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
    """Join needs that all have to be met; None where they contradict each other."""
    union: set[Literal] = set()
    for part in parts:
        if part is None:
            return None
        union |= part
    return None if any(~literal in union for literal in union) else frozenset(union)


def _least(parts: Sequence[Needs]) -> Needs:
    return min((part for part in parts if part is not None), key=len, default=None)
