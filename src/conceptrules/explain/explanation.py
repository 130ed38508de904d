"""Why a row gets its class: the rules that fired, the classes that came later, the nearest miss, the counterfactual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np

from conceptrules.explain.counterfactual import (
    LIMIT,
    Counterfactual,
    check_fixed,
    find_counterfactual,
    find_counterfactuals,
    has_answer,
    make_goal,
)
from conceptrules.explain.measurement import FIRES, Fires
from conceptrules.explain.nearest_miss import Miss, RuleCheck, check_rule, find_nearest_miss
from conceptrules.explain.rule_coverage import measure_rule, pick_backend
from conceptrules.explain.score_explanation import ScoreExplanation, explain_score, score_reasons
from conceptrules.explain.tied_columns import mark_texts
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, decide_fired, layers, layers_plain, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Default, Implies, Locked
from conceptrules.model.precision import Ends
from conceptrules.model.predicate import Value, holds
from conceptrules.model.rule_reader import read_rule, read_rule_number
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.statistics import distinct_rows, probabilities
from conceptrules.model.text import concept_name, rule_name, rule_text, word
from conceptrules.model.values import match_label
from conceptrules.tables.prediction import decide, predict, predict_proba
from conceptrules.tables.table import Table, open_row, open_rows, read_row, read_used_bits


@dataclass(frozen=True, slots=True)
class FiredRule:
    """A rule that holds on the row."""

    owner: str
    """The class or the concept that it makes true, as text; empty for the points of a scorecard."""
    level: int
    """The level of the rule, counted from 0."""
    index: int
    """The number of the rule on its level, counted from 0."""
    text: str
    """The rule as text."""
    coverage: float | None
    """The share of training rows on which it holds; None without statistics."""
    precision: float | None
    """The share of those that are of the class that is explained, or of the second class of a scorecard of two; None
    where there are none."""
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
class Explanation(ShownAsHtml):
    """Why a row gets its class. `print` shows it as text, a notebook as HTML."""

    label: Value
    """The class that the row gets."""
    settled: Fires
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
    rule: RuleCheck | None = None
    """The rule that was asked for."""
    alternatives: tuple[Counterfactual, ...] = ()
    """Further counterfactuals, each without some column that an earlier one changes."""
    texts: tuple[str, ...] = ()
    """The free texts of the row, with the words in brackets that rules ask about."""

    def __str__(self) -> str:
        from conceptrules.explain.text import explanation_text

        return explanation_text(self)


def explain(
    network: RuleNetwork,
    row: Any,
    *,
    fixed: Iterable[str] = (),
    to: Value | None = None,
    rule: str | None = None,
    count: int = 1,
    limit: int = LIMIT,
    seconds: float | None = None,
) -> Explanation | ScoreExplanation | Any:
    """Explain why a row gets its class, and what would change it; of several rows, return a table that says it.

    Parameters
    ----------
    network : RuleNetwork
        The network that decides.
    row : row
        A dictionary, a list of values, a row of a pandas table, or a table, with one row or with several.
    fixed : iterable of str, default=()
        The columns that the counterfactual leaves as they are, besides those that the estimator was told are
        `immutable`.
    to : class label or str, optional
        The class that the counterfactual is to give; by default, any other class will do. Of a number, what it is to
        be, such as ``">= 300"``; without it, no counterfactual is looked for.
    rule : str, optional
        The number of a rule, such as "R1.3": the explanation also says whether it holds on the row, and what it lacks.
    count : int, default=1
        How many counterfactuals to look for: each further one does without some column that an earlier one changes.
    limit : int, default=1_000_000
        The most states that the search for the counterfactual looks at.
    seconds : float, optional
        The longest time to search; by default there is no limit.

    Returns
    -------
    Explanation, ScoreExplanation or table
        The rules that fired, the other classes that did, the nearest miss and the counterfactual; of a scorecard, the
        points that add up to the score. Of several rows, a table like the one that was given: `answer`, its
        `probability`, the numbers of the `rules` of the class that hold, `because` with their words, and
        `counterfactual`; of a scorecard without the rules, and with a counterfactual only if `to` is given.

    Raises
    ------
    InputError
        If `fixed` names an unknown column, or `to` is no other answer of the network.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> print(explain(network, {"age": 50}))
    old: only this class fires.
    <BLANKLINE>
    old because
      R1.1: age > 41
    <BLANKLINE>
    counterfactual: young if
      age <= 41 (such as 41) instead of age = 50
    This is proved to be the smallest: nothing less than a change of 1 column will do.
    """
    if not isinstance(count, Integral) or count < 1:
        raise InputError(f"count is {count!r}; it needs a whole number of at least 1")
    table = open_rows(row)
    frozen, to = check_fixed(network, fixed), match_label(to, network.classes)
    if table.rows > 1:
        return _explain_rows(network, row, table, fixed=frozen, to=to, limit=limit, seconds=seconds)
    table = open_row(table)  # which refuses a table without rows
    options: dict[str, Any] = {"fixed": frozen, "to": to, "limit": limit, "seconds": seconds}
    asked_rule = None if rule is None else _find_asked_rule(network, rule)
    if network.head is not None:
        return explain_score(network, table, options, int(count), asked_rule)
    hidden = layers_plain(network, unpack(read_used_bits(network, table)))
    classes_fired = hidden[-1]
    decided = int(decide_fired(network, classes_fired)[0])
    label = network.classes[decided]
    make_goal(network, label, to)  # raises if there is no such class
    seen = _count_same_pattern(network, classes_fired)
    firing = [index for index in network.priority_indices if classes_fired[0, index]]
    holding = [layer[0] for layer in hidden]
    fired = tuple(_list_fired(network, holding, decided)) if firing else ()
    rivals = tuple(
        Rival(
            network.classes[index],
            f"when both fire, {word(label)} comes before {word(network.classes[index])}",
            tuple(_list_fired(network, holding, index)),
        )
        for index in firing[1:]
    )
    return Explanation(
        label=label,
        settled=FIRES[min(len(firing), 2)],
        rows=None if seen is None else sum(seen),
        right=seen[decided] / sum(seen) if seen and sum(seen) else None,
        probability=float(probabilities(network, classes_fired)[0, decided]) if network.statistics else None,
        fired=fired,
        rivals=rivals,
        absent=tuple(_list_absent(network, [*fired, *(rule for rival in rivals for rule in rival.rules)])),
        nearest=find_nearest_miss(network, holding, decided),
        counterfactual=find_counterfactual(network, table, **options),
        fixed=tuple(column.name for column in network.columns if column.name in frozen),
        to=to,
        clauses=tuple(_list_clauses(network, table, label, bool(firing))),
        rule=None if asked_rule is None else check_rule(network, holding, *asked_rule),
        texts=mark_texts(network, read_row(network.columns, table)),
        alternatives=find_counterfactuals(network, table, int(count), **options)[1:] if count > 1 else (),
    )


def _find_asked_rule(network: RuleNetwork, text: str) -> tuple[int, int]:
    """Return the level and the number of a rule that is named like R1.3."""
    asked_rule = read_rule_number(text, network)
    if asked_rule is None:
        raise InputError(f"rule is {text!r}; give the number of a rule as the text of the network has it, such as R1.1")
    return asked_rule


def _count_same_pattern(network: RuleNetwork, fired: Bits) -> tuple[float, ...] | None:
    """Return the training rows by class on which the same classes fire; None where nobody counted them."""
    if network.statistics is None:
        return None
    return dict(network.statistics.patterns).get(tuple(fired[0].tolist()), ())


def _list_clauses(network: RuleNetwork, table: Table, label: Value, fires: bool) -> Iterator[str]:
    """Yield the clauses that keep the decision in place: of rules that hold on the row, or of the default class."""
    policy = network.policy
    if policy is None:
        return
    names = [column.name for column in network.columns]
    values = dict(zip(names, read_row(network.columns, table), strict=True))
    with_rules: tuple[Implies | Locked, ...] = (*policy.of_kind(Implies), *policy.of_kind(Locked))
    for clause in with_rules:
        tests = read_rule(clause.rule, network.columns)
        if clause.label == label and all(holds(t.predicate, values[t.predicate.column]) != t.negated for t in tests):
            yield clause.text
    if not fires:
        yield from (clause.text for clause in policy.of_kind(Default))


def _list_fired(network: RuleNetwork, holding: Sequence[Bits], kind: int) -> Iterator[FiredRule]:
    """Yield the rules of a class that hold, then those that make the concepts true which these name, and so on."""
    owners = {kind: word(network.classes[kind])}
    for level in reversed(range(len(network.levels))):
        concepts = network.levels[level].concepts
        rules = [(index, name) for owner, name in owners.items() for index in concepts[owner].rules]
        rules = [(index, name) for index, name in rules if holding[2 * level + 1][index]]
        for index, name in rules:
            yield _make_fired_rule(network, name, level, index, kind)
        literals = [literal for index, _ in rules for literal in network.levels[level].rules[index].literals]
        owners = {each.index: concept_name(level - 1, each.index) for each in sorted(literals) if not each.negated}


def _make_fired_rule(network: RuleNetwork, owner: str, level: int, index: int, kind: int | None) -> FiredRule:
    text = rule_text(network, level, index)
    cover = measure_rule(network, level, index, kind)
    if cover is None:
        return FiredRule(owner, level, index, text, None, None)
    return FiredRule(owner, level, index, text, cover.share, cover.precision, cover.interval)


def _list_absent(network: RuleNetwork, fired: Iterable[FiredRule]) -> Iterator[Absent]:
    literals = (
        (rule.level, literal) for rule in fired for literal in network.levels[rule.level].rules[rule.index].literals
    )
    negated = [(level - 1, literal.index) for level, literal in literals if level and literal.negated]
    for below, index in dict.fromkeys(negated):
        rules = network.levels[below].concepts[index].rules
        yield Absent(concept_name(below, index), tuple(rule_text(network, below, rule) for rule in rules))


# Of many rows


def fired_rules(network: RuleNetwork, table: Any) -> list[tuple[FiredRule, ...]]:
    """Return the rules of classes that hold on each row, by priority; of a scorecard, those with most points first."""
    last = len(network.levels) - 1
    if network.head is not None:
        points, kind = network.head.points, 1 if len(network.classes) == 2 else None
        ranked = sorted(range(len(points)), key=lambda rule: -max(map(abs, points[rule])))
        rules = [_make_fired_rule(network, "", last, rule, kind) for rule in ranked]
        return _list_holding(rules, _read_layers(network, table)[-2])
    rules = [
        _make_fired_rule(network, word(network.classes[kind]), last, rule, kind)
        for kind in network.priority_indices
        for rule in network.levels[last].concepts[kind].rules
    ]
    return _list_holding(rules, _read_layers(network, table)[-2])


def _list_holding(rules: Sequence[FiredRule], holding: Bits) -> list[tuple[FiredRule, ...]]:
    """Return those of these rules of the last level that hold on each row."""
    patterns, inverse = distinct_rows(holding[:, [rule.index for rule in rules]])
    fired = [tuple(rule for rule, fires in zip(rules, pattern, strict=True) if fires) for pattern in patterns.tolist()]
    return [fired[pattern] for pattern in inverse.tolist()]


def _explain_rows(network: RuleNetwork, X: Any, table: Table, **options: Any) -> Any:
    """Return the explanations of rows as a table of the kind of `X`, or else of the first kind that is installed."""
    values: dict[str, list[Any]] = {}
    if not network.classes:
        values["answer"] = predict(network, table).tolist()
    else:
        answers = decide(network, table)
        known = network.head is not None or network.statistics is not None
        chances = predict_proba(network, table) if known else None
        values["answer"] = [network.classes[answer] for answer in answers.tolist()]
        values["probability"] = (
            [None] * table.rows if chances is None else chances[np.arange(table.rows), answers].tolist()
        )
    if network.head is None:
        names = [word(network.classes[answer]) for answer in answers.tolist()]
        values["rules"] = [
            ", ".join(rule_name(rule.level, rule.index) for rule in rules if rule.owner == name)
            for rules, name in zip(fired_rules(network, X), names, strict=True)
        ]
    values["because"] = list_rule_texts(network, X)
    if network.head is None or options["to"] is not None:  # cards have many scores, and each is searched for itself
        values["counterfactual"] = _list_change_texts(network, table, values["answer"], options)
    native = nw.from_native(X, pass_through=True)
    backend = native.implementation if isinstance(native, nw.DataFrame) else pick_backend()
    return nw.from_dict(values, backend=backend).to_native()


def _list_change_texts(
    network: RuleNetwork, table: Table, answers: Sequence[Value], options: Mapping[str, Any]
) -> list[str]:
    """Return what would change each answer, as text; rows on which the same tests hold share the search."""
    bits = unpack(read_used_bits(network, table))
    texts: dict[bytes, str] = {}
    keys = list(map(bytes, np.packbits(bits, axis=1)))
    if any(column.derivation is not None for column in network.columns):  # what helps depends on the other columns
        keys = [b"%d" % row for row in range(table.rows)]
    for row, (key, answer) in enumerate(zip(keys, answers, strict=True)):
        if key in texts:
            continue
        asked = dict(options)
        if has_answer(network, answer, options["to"]):  # which is no mistake
            if not network.classes:
                texts[key] = "none needed"
                continue
            asked["to"] = None
        texts[key] = _change_text(find_counterfactual(network, table.take(np.array([row])), **asked))
    return [texts[key] for key in keys]


def _change_text(counterfactual: Counterfactual | None) -> str:
    if counterfactual is None or not counterfactual.changes:
        return "none" if counterfactual is None else "none found yet"
    return f"{word(counterfactual.label)} if {' and '.join(change.after for change in counterfactual.changes)}"


def list_rule_texts(network: RuleNetwork, table: Any) -> list[str]:
    """Return the rules of the answered class that hold on each row, as one text; where there are none, that says so.

    The concepts that these rules name are explained by the rules of theirs that hold. Of a scorecard, the text has the
    base and the points of all rules that hold.
    """
    if network.head is not None:
        return score_reasons(network, table)
    hidden = _read_layers(network, table)
    patterns, inverse = distinct_rows(np.hstack(hidden))
    sizes = np.cumsum([layer.shape[1] for layer in hidden])[:-1]
    texts = [explain_pattern(network, [patterns[:0], *np.split(pattern, sizes)])[1] for pattern in patterns]
    return [texts[pattern] for pattern in inverse.tolist()]


def _read_layers(network: RuleNetwork, table: Any) -> list[Bits]:
    """Return which rules and concepts hold on each row, layer by layer."""
    words = read_used_bits(network, table)
    return [unpack(layer) for layer in layers(network, words)[1:]]


def explain_pattern(network: RuleNetwork, holding: Sequence[Bits]) -> tuple[int, str]:
    """Return the index of the class that is answered where these nodes hold, layer by layer, and its rules as text."""
    decided = int(decide_fired(network, holding[-1][None])[0])
    if not holding[-1].any():
        return decided, "no rule holds"
    rules = list(_list_fired(network, holding, decided))
    owners = {rule.owner: [each.text for each in rules if each.owner == rule.owner] for rule in rules}
    joined = {
        owner: " or ".join(f"({text})" if len(texts) > 1 else text for text in texts) for owner, texts in owners.items()
    }
    (_, first), *concepts = joined.items()
    return decided, "; ".join([first, *(f"{owner} because {text}" for owner, text in concepts)])
