"""An explanation as text that needs no introduction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from conceptrules.explain.counterfactual import Counterfactual
from conceptrules.explain.explanation import Absent, Explanation, FiredRule
from conceptrules.explain.nearest_miss import RuleCheck
from conceptrules.explain.score_explanation import ScoreExplanation
from conceptrules.model.precision import interval_text
from conceptrules.model.text import percent, plural, rule_name, word

_MOST_RULES = 8  # of an absent concept


def explanation_text(explanation: Explanation) -> str:
    """Return the paragraphs: the class, its rules, its rivals, the nearest miss, the counterfactual.

    Rules, conditions and changes are lines of their own, indented; a notebook shows them as lists.
    """
    label = word(explanation.label)
    answers = {
        "none": f"{label}, the answer for everything else: no class fires.",
        "one": f"{label}: only this class fires.",
        "several": f"{label}: several classes fire, and it comes first.",
    }
    paragraphs = [[" ".join([answers[explanation.settled], *_odds_texts(explanation)])]]
    paragraphs += [list(explanation.texts), _rule_lines(explanation.fired, explanation.label)]
    for rival in explanation.rivals:
        heading = f"{word(rival.label)} fired too and lost: {rival.reason}"
        paragraphs += [[heading, *_rule_lines(rival.rules, rival.label)]]
    paragraphs += [_absent_lines(absent) for absent in explanation.absent]
    paragraphs += [[f"The policy asks for this: {clause}." for clause in explanation.clauses]]
    paragraphs += rule_check_lines(explanation.rule)
    if miss := explanation.nearest:
        lost = "" if miss.wins else " (though a class that fires would still come first)"
        lacks = f"which only lacks {' and '.join(miss.unmet)}{lost}"
        paragraphs += [[f"nearest miss: {word(miss.label)} by the rule", f"  {miss.text}", lacks]]
    paragraphs.append(counterfactual_lines(explanation))
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _odds_texts(explanation: Explanation) -> list[str]:
    if explanation.probability is None:
        return []
    stated = f"the probability stated is {percent(explanation.probability)}."
    if explanation.rows is None:
        return [stated[0].upper() + stated[1:]]
    if explanation.right is None:
        return [f"No training row had just this outcome; {stated}"]
    rows = f"Of {plural(explanation.rows, 'training row')} with this outcome"
    return [f"{rows}, {percent(explanation.right)} were {word(explanation.label)}; {stated}"]


def _rule_lines(rules: Sequence[FiredRule], label: object) -> list[str]:
    """Return the rules as lines under the class or the concept that they make true."""
    lines: list[str] = []
    for owner, group in groupby(rules, lambda rule: rule.owner):
        lines += [f"{owner} because", *(f"  {_rule_line(rule, label)}" for rule in group)]
    return lines


def _rule_line(rule: FiredRule, label: object) -> str:
    return f"{rule_name(rule.level, rule.index)}: {rule.text}{_figures_text(rule, label)}"


def _figures_text(rule: FiredRule, label: object) -> str:
    """Return on what share of the training rows a rule held, and what share of these was of the class."""
    if rule.coverage is None:
        return ""
    if rule.precision is None:
        return "  (held on no training row)"
    share = f"{percent(rule.precision)} of them {word(label)} {interval_text(rule.interval)}".rstrip()
    return f"  (held on {percent(rule.coverage)} of the training rows, {share})"


def _absent_lines(absent: Absent) -> list[str]:
    """Return the concept as lines, with the rules of which none holds."""
    if not absent.rules:
        return [f"{absent.name} never holds: it has no rule"]
    more = [f"  and {len(absent.rules) - _MOST_RULES} more"] if len(absent.rules) > _MOST_RULES else []
    return [
        f"{absent.name} does not hold, since none of these does",
        *(f"  {text}" for text in absent.rules[:_MOST_RULES]),
        *more,
    ]


def rule_check_lines(rule: RuleCheck | None) -> list[list[str]]:
    """Return a paragraph about the rule that was asked for, if one was."""
    if rule is None:
        return []
    verdict = "holds on this row" if rule.unmet == () else "does not hold on this row"
    lacks = f": it lacks {' and '.join(rule.unmet)}" if rule.unmet else ""
    return [[f"{rule.name} {verdict}{lacks}", f"  {rule.text}"]]


def counterfactual_lines(explanation: Explanation | ScoreExplanation) -> list[str]:
    """Return the counterfactual as lines of text; the last one says how sure it is."""
    counterfactual = explanation.counterfactual
    names = [word(name) for name in explanation.fixed]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    fixed = f" while {listed} stay{'s' * (len(names) == 1)}" if names else ""
    if counterfactual is None:
        other = "another class" if explanation.to is None else _goal_text(explanation)
        return [f"counterfactual: none. Nothing that the row could say gives {other}{fixed}; this is proved."]
    if not counterfactual.changes:
        return [f"counterfactual{fixed}: none found yet", _certainty_text(counterfactual)]
    lines = [f"counterfactual{fixed}: {_label_text(counterfactual)} if", *_change_lines(counterfactual)]
    lines.append(_certainty_text(counterfactual))
    for alternative in explanation.alternatives:
        lines += ["", f"or {_label_text(alternative)} if", *_change_lines(alternative)]
    return lines


def _goal_text(explanation: Explanation | ScoreExplanation) -> str:
    number = isinstance(explanation, ScoreExplanation) and not explanation.classes
    return f"a number {explanation.to}" if number else word(explanation.to)


def _label_text(counterfactual: Counterfactual) -> str:
    label = counterfactual.label
    return f"{label:.10g}" if isinstance(label, float) else word(label)


def _change_lines(counterfactual: Counterfactual) -> Iterator[str]:
    for change in counterfactual.changes:
        sample = f" (such as {change.sample})" if change.sample else ""
        yield f"  {change.after}{sample} instead of {change.before}"


def _certainty_text(counterfactual: Counterfactual) -> str:
    """Return a sentence that says whether a smaller counterfactual may exist."""
    least = plural(counterfactual.at_least, "column")
    if counterfactual.limits and not counterfactual.changes:
        return f"{counterfactual.limits} None of that helps; other changes may."
    if counterfactual.limits and counterfactual.at_least < len(counterfactual.changes):
        return f"{counterfactual.limits} At least {least} must change, perhaps fewer than here."
    if counterfactual.limits and counterfactual.proved:
        return f"{counterfactual.limits} Nothing less than a change of {least} will do."
    if counterfactual.proved:
        return f"This is proved to be the smallest: nothing less than a change of {least} will do."
    if not counterfactual.changes:
        return f"The search reached its limit. At least {least} must change, and perhaps no change helps at all."
    return f"This is a bound: the search reached its limit. At least {least} must change, perhaps fewer than here."
