"""Why a row gets its score: the points of each rule that holds, their sum, and the probability that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrules.explain.counterfactual import Counterfactual, find_counterfactual, find_counterfactuals
from conceptrules.explain.nearest_miss import RuleCheck, check_rule
from conceptrules.explain.tied_columns import mark_texts
from conceptrules.model.card import amount_text, chance_text, points_text
from conceptrules.model.evaluation import layers, layers_plain, unpack
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.scoring import answer_scores, score_bits, score_numbers, score_probabilities
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.statistics import distinct_rows
from conceptrules.model.text import align_columns, rule_text, word
from conceptrules.tables.table import open_row, read_row, read_used_bits

_MOST_OUTPUTS = 8  # beside each other; of more classes, only those with the largest scores are shown


@dataclass(frozen=True, slots=True)
class Contribution:
    """A rule that holds on the row, and what it adds to each score."""

    index: int
    """The number of the rule on the last level, counted from 0; -1 for the base."""
    text: str
    """The rule as text."""
    points: tuple[int, ...]
    """What it adds to each score."""


@dataclass(frozen=True, slots=True)
class ScoreExplanation(ShownAsHtml):
    """Why a row gets its score and its class. `print` shows it as text, a notebook as HTML."""

    label: Value
    """The class that the row gets, or the number that is predicted."""
    classes: tuple[Value, ...]
    """All classes."""
    scores: tuple[int, ...]
    """The score of the second class of two, or that of each class."""
    probabilities: tuple[float, ...]
    """The probability of each class."""
    contributions: tuple[Contribution, ...]
    """The base, then the rules that hold and have points, those with most points first. They add up to the scores."""
    cutoff: int | None
    """The score from which on the second class of two is answered; None of several classes."""
    offsets: tuple[int, ...]
    """What is added to the scores of several classes before the largest is answered; empty of two."""
    target: str | None = None
    """What the classes are of, if it has a name."""
    step: float | None = None
    """What a point adds to the number that is predicted, or to its logarithm; None of classes."""
    link: str = "identity"
    """With "log", points multiply the number that is predicted."""
    counterfactual: Counterfactual | None = None
    """The smallest change for another class, or for the number asked for; None where it is proved that there is none,
    and where no number was asked for."""
    fixed: tuple[str, ...] = ()
    """The columns that the counterfactual leaves as they are."""
    to: Value | None = None
    """What the counterfactual is to give, if that was said."""
    rule: RuleCheck | None = None
    """The rule that was asked for."""
    alternatives: tuple[Counterfactual, ...] = ()
    """Further counterfactuals, each without some column that an earlier one changes."""
    texts: tuple[str, ...] = ()
    """The free texts of the row, with the words in brackets that rules ask about."""
    searched: bool = True
    """Whether a counterfactual was looked for: not for a number without `to`."""

    @property
    def sentence(self) -> str:
        """The class, the score and the probability as a sentence."""
        if self.step is not None:
            does = "multiply" if self.link == "log" else "add up"
            number = amount_text(self.scores[0], self.step, self.link)
            return f"{self._name} is {number}: the lines that hold {does} to it."
        names = [f"{word(self.target)} = {word(name)}" if self.target else word(name) for name in self.classes]
        label = names[self.classes.index(self.label)]
        if self.cutoff is not None:
            side = "at least" if self.scores[0] >= self.cutoff else "below"
            chance = f"The chance of {names[1]} is {chance_text(self.probabilities[1])}."
            return f"{label}, since the score of {self.scores[0]} is {side} {self.cutoff}. {chance}"
        left = len(names) - len(self._shown)
        rest = f" The {left} classes with smaller scores are left out." if left else ""
        chance = chance_text(self.probabilities[self.classes.index(self.label)])
        return f"{label}, since its score is the largest. Its chance is {chance}.{rest}"

    @property
    def lines(self) -> list[list[str]]:
        """The points that add up, as lines of cells with a heading: all classes, or those with the largest scores."""
        if self.step is not None:
            heading = "multiplies by" if self.link == "log" else "adds"
            parts = [[each.text, _contribution_text(each, self.step, self.link)] for each in self.contributions]
            return [["", heading], *parts, [self._name, amount_text(self.scores[0], self.step, self.link)]]
        shown, several = self._shown, len(self.scores) > 1
        lines = [["", *([word(self.classes[output]) for output in shown] if several else ["points"])]]
        added = self.contributions
        lines += [[each.text, *(points_text(each.points[output]) for output in shown)] for each in added]
        lines[1] = [cell or "0" for cell in lines[1]]  # the base
        lines.append(["score", *(f"{self.scores[output]:+,}" for output in shown)])
        if any(self.offsets):
            lines.append(["offset", *(points_text(self.offsets[output]) for output in shown)])
        if several:
            lines.append(["chance", *(chance_text(self.probabilities[output]) for output in shown)])
        return lines

    @property
    def _name(self) -> str:
        return word(self.target) if self.target else "prediction"

    @property
    def _shown(self) -> list[int]:
        if len(self.scores) == 1:
            return [0]
        ranks = np.argsort(-np.add(self.scores, self.offsets), kind="stable")
        return sorted(ranks[:_MOST_OUTPUTS].tolist())

    @property
    def further(self) -> list[list[str]]:
        """The rule that was asked for, and the counterfactual, as paragraphs of lines."""
        from conceptrules.explain.text import counterfactual_lines, rule_check_lines

        return [
            *([list(self.texts)] if self.texts else []),
            *rule_check_lines(self.rule),
            *([counterfactual_lines(self)] if self.searched else []),
        ]

    def __str__(self) -> str:
        table = align_columns(self.lines).replace("\n", "\n  ")
        return "\n\n".join([self.sentence, f"  {table}", *map("\n".join, self.further)])


def explain_score(
    network: RuleNetwork,
    row: Any,
    options: Mapping[str, Any] | None = None,
    count: int = 1,
    rule: tuple[int, int] | None = None,
) -> ScoreExplanation:
    """Explain why a row of a scorecard gets its score and its class, and what would change it.

    The options are those of `find_counterfactual`, `rule` is the level and the number of a rule that is asked for.

    >>> from conceptrules.model import Column, Interval, Level, Literal, Points, Rule
    >>> card = RuleNetwork(
    ...     [Column("age")], [Interval("age", 41)], [Level([Rule([Literal(0)])], ())], ["young", "old"],
    ...     head=Points([[5]], [-2], cutoff=1, probabilities=[(-2, 0.1), (3, 0.9)])
    ... )
    >>> print(explain_score(card, {"age": 50}))
    old, since the score of 3 is at least 1. The chance of old is 90.0%.
    <BLANKLINE>
                points
      base          -2
      age > 41      +5
      score         +3
    <BLANKLINE>
    counterfactual: young if
      age <= 41 (such as 41) instead of age = 50
    This is proved to be the smallest: nothing less than a change of 1 column will do.
    """
    head = network.head
    assert head is not None
    table = open_row(row)
    bits = unpack(read_used_bits(network, table))
    hidden = layers_plain(network, bits)
    rules = hidden[-2]
    scores = score_bits(head, rules)
    level = len(network.levels) - 1
    rules_with_points = [
        Contribution(rule, rule_text(network, level, rule), head.points[rule])
        for rule in np.flatnonzero(rules[0]).tolist()
        if any(head.points[rule])
    ]
    ranked = sorted(rules_with_points, key=lambda each: (-max(map(abs, each.points)), each.index))
    number, options = head.step is not None, options or {}
    label = score_numbers(head, scores).item() if number else network.classes[answer_scores(head, scores)[0]]
    changes: tuple[Counterfactual, ...] = ()
    searched = not number or options.get("to") is not None
    best = find_counterfactual(network, table, **options) if searched else None
    if count > 1 and searched:
        changes = find_counterfactuals(network, table, count, **options)[1:]
    return ScoreExplanation(
        label=label,
        classes=network.classes,
        scores=tuple(scores[0].tolist()),
        probabilities=() if number else tuple(score_probabilities(head, scores)[0].tolist()),
        contributions=(Contribution(-1, "base", head.base), *ranked),
        cutoff=head.cutoff if head.probabilities else None,
        offsets=head.offsets,
        target=network.target,
        step=head.step,
        link=head.link,
        counterfactual=best,
        fixed=tuple(column.name for column in network.columns if column.name in options.get("fixed", ())),
        to=options.get("to"),
        rule=None if rule is None else check_rule(network, [layer[0] for layer in hidden], *rule),
        alternatives=changes,
        texts=mark_texts(network, read_row(network.columns, table)),
        searched=searched,
    )


def score_reasons(network: RuleNetwork, table: Any) -> list[str]:
    """Return what adds up to the score of the answered class on each row of a table, as one text."""
    head = network.head
    assert head is not None
    words = read_used_bits(network, table)
    patterns, inverse = distinct_rows(unpack(layers(network, words)[-2]))
    scores = score_bits(head, patterns)
    outputs = answer_scores(head, scores) if head.outputs > 1 else np.zeros(len(patterns), np.intp)
    texts = [
        _reason_text(network, head, np.flatnonzero(pattern).tolist(), output)
        for pattern, output in zip(patterns, outputs.tolist(), strict=True)
    ]
    return [texts[pattern] for pattern in inverse.tolist()]


def _reason_text(network: RuleNetwork, head: Points, rules: Sequence[int], output: int) -> str:
    level = len(network.levels) - 1
    points = [(head.points[rule][output], rule) for rule in rules if head.points[rule][output]]
    ranked = sorted(points, key=lambda pair: (-abs(pair[0]), pair[1]))
    base = Contribution(-1, "base", (head.base[output],))
    parts = [base, *(Contribution(rule, rule_text(network, level, rule), (value,)) for value, rule in ranked)]
    return "; ".join(f"{part.text}: {_contribution_text(part, head.step, head.link)}" for part in parts)


def _contribution_text(part: Contribution, step: float | None, link: str) -> str:
    """Return what a line adds or multiplies by; the base of a product has no sign."""
    return amount_text(part.points[0], step, link, "" if link == "log" and part.index < 0 else "+")
