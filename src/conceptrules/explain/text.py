"""An explanation as text that needs no introduction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from conceptrules.explain.counterfactual import ColumnChange, Counterfactual
from conceptrules.explain.explanation import Absent, Explanation, FiredRule, Rival
from conceptrules.explain.nearest_miss import Miss
from conceptrules.model.precision import interval_text
from conceptrules.model.text import percent, plural, word

_MOST_RULES = 8  # of an absent concept


def explanation_text(explanation: Explanation) -> str:
    """Return the paragraphs: the class, its rules, its rivals, the nearest miss, the counterfactual."""
    parts = [[answer_text(explanation)], rule_lines(explanation.fired, explanation.label)]
    parts += [rival_lines(rival) for rival in explanation.rivals]
    parts += [absent_lines(absent) for absent in explanation.absent]
    parts += [[clause_text(clause) for clause in explanation.clauses]]
    parts += [[miss_text(explanation.nearest)]] if explanation.nearest else []
    return "\n\n".join("\n".join(part) for part in [*parts, counterfactual_lines(explanation)] if part)


def answer_text(explanation: Explanation) -> str:
    """Return a line with the class, how it was settled, how often that was right, and the probability stated."""
    label = word(explanation.label)
    how = {
        "none": f"{label}, the answer for everything else: no class fires",
        "one": f"{label}: only this class fires",
        "several": f"{label}: several classes fire, and it comes first",
    }[explanation.settled]
    return " ".join([f"{how}.", *_odds_texts(explanation)])


def clause_text(clause: str) -> str:
    """Return a clause of the policy that keeps the decision in place, as a line."""
    return f"The policy asks for this: {clause}."


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


def rule_lines(rules: Sequence[FiredRule], label: object) -> list[str]:
    """Return the rules as lines under the class or the concept that they make true."""
    lines: list[str] = []
    for owner, group in groupby(rules, lambda rule: rule.owner):
        lines += [f"{owner} because", *(f"  {rule.text}{figures_text(rule, label)}" for rule in group)]
    return lines


def figures_text(rule: FiredRule, label: object) -> str:
    """Return on what share of the training rows a rule held, and what share of these was of the class."""
    if rule.coverage is None:
        return ""
    if rule.precision is None:
        return "  (held on no training row)"
    share = f"{percent(rule.precision)} of them {word(label)} {interval_text(rule.interval)}".rstrip()
    return f"  (held on {percent(rule.coverage)} of the training rows, {share})"


def rival_lines(rival: Rival) -> list[str]:
    """Return a class that fired and came later as lines, with its rules."""
    first, *rest = rule_lines(rival.rules, rival.label)
    return [f"{word(rival.label)} fired too and lost: {rival.reason}", first, *rest]


def absent_lines(absent: Absent) -> list[str]:
    """Return the concept as lines, with the rules of which none holds."""
    if not absent.rules:
        return [f"{absent.name} never holds: it has no rule"]
    more = [f"  and {len(absent.rules) - _MOST_RULES} more"] if len(absent.rules) > _MOST_RULES else []
    return [
        f"{absent.name} does not hold, since none of these does",
        *(f"  {text}" for text in absent.rules[:_MOST_RULES]),
        *more,
    ]


def miss_text(miss: Miss) -> str:
    """Return the nearest miss as text, with what it lacks."""
    lost = "" if miss.wins else " (though a class that fires would still come first)"
    unmet = " and ".join(miss.unmet)
    return f"nearest miss: {word(miss.label)} by the rule\n  {miss.text}\nwhich only lacks {unmet}{lost}"


def counterfactual_lines(explanation: Explanation) -> list[str]:
    """Return the counterfactual as lines of text; the last one says how sure it is."""
    found, stays = explanation.counterfactual, _fixed_text(explanation.fixed)
    if found is None:
        other = "another class" if explanation.to is None else word(explanation.to)
        return [f"counterfactual: none. Nothing that the row could say gives {other}{stays}; this is proved."]
    if not found.changes:
        return [f"counterfactual{stays}: none found yet", certainty_text(found)]
    changes = (f"  {change_text(change)}" for change in found.changes)
    return [f"counterfactual{stays}: {word(found.label)} if", *changes, certainty_text(found)]


def certainty_text(found: Counterfactual) -> str:
    """Return a sentence that says whether a smaller counterfactual may exist."""
    least = plural(found.at_least, "column")
    if found.proved:
        return f"This is proved to be the smallest: nothing less than a change of {least} will do."
    if not found.changes:
        return f"The search reached its limit. At least {least} must change, and perhaps no change helps at all."
    return f"This is a bound: the search reached its limit. At least {least} must change, perhaps fewer than here."


def change_text(change: ColumnChange) -> str:
    """Return the change of one column as text: `age > 41 (such as 42) instead of age = 30`."""
    sample = f" (such as {change.sample})" if change.sample else ""
    return f"{change.after}{sample} instead of {change.before}"


def _fixed_text(fixed: Sequence[str]) -> str:
    names = [word(name) for name in fixed]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f" while {listed} stay{'s' * (len(names) == 1)}" if names else ""
