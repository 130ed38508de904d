"""An explanation as HTML, for notebooks. Names come from data, so everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from conceptrules.rules.explain import Explanation, FiredRule
from conceptrules.rules.explain_text import answer, certainty, change_lines, figures, step_text
from conceptrules.rules.predicate import shown
from conceptrules.rules.text import word


def explanation_html(explanation: Explanation) -> str:
    """A heading and short lists; it takes the notebook's own fonts and colours."""
    parts = [f"<p><strong>{_text(answer(explanation))}</strong></p>", _rules(explanation.fired, explanation.label)]
    for rival in explanation.rivals:
        parts += [f"<p>{_text(word(rival.label))} fired too and lost: {_text(rival.reason)}</p>"]
        parts += [_rules(rival.rules, rival.label)]
    parts += [_nearest(explanation), _change(explanation)]
    return f'<div class="conceptrules-explanation">{"".join(parts)}</div>'


def _rules(rules: Iterable[FiredRule], label: object) -> str:
    lines = [
        f"{_text(rule.owner)} because <code>{_text(rule.text)}</code>{_text(figures(rule, label))}" for rule in rules
    ]
    return _list(lines)


def _nearest(explanation: Explanation) -> str:
    miss = explanation.nearest
    if miss is None:
        return ""
    unmet = " and ".join(f"<code>{_text(text)}</code>" for text in miss.unmet)
    lost = "" if miss.wins else " (though a class that fires would still come first)"
    rule = f"<code>{_text(miss.text)}</code>"
    return f"<p>Nearest miss: {_text(word(miss.label))} by the rule {rule}, which only lacks {unmet}{lost}.</p>"


def _change(explanation: Explanation) -> str:
    first, *_ = change_lines(explanation)
    change = explanation.change
    steps = [] if change is None else [f"<code>{_text(step_text(step))}</code>" for step in change.steps]
    last = "" if change is None else f"<p>{_text(certainty(change))}</p>"
    return f"<p>{_text(first[0].upper() + first[1:])}</p>{_list(steps)}{last}"


def _list(items: Iterable[str]) -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else ""


def _text(text: str) -> str:
    return escape(shown(text))
