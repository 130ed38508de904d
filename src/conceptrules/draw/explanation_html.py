"""An explanation as HTML, for notebooks. Names come from data, so everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable

from conceptrules.draw.escape import escaped
from conceptrules.explain.explanation import Absent, Explanation, FiredRule
from conceptrules.explain.text import (
    absent_lines,
    answer,
    certainty,
    change_text,
    clause_text,
    counterfactual_lines,
    figures,
)
from conceptrules.model.text import word


def explanation_html(explanation: Explanation) -> str:
    """Return a heading and short lists, in the notebook's own fonts and colours."""
    parts = [f"<p><strong>{escaped(answer(explanation))}</strong></p>", _rules(explanation.fired, explanation.label)]
    for rival in explanation.rivals:
        parts += [f"<p>{escaped(word(rival.label))} fired too and lost: {escaped(rival.reason)}</p>"]
        parts += [_rules(rival.rules, rival.label)]
    parts += [_absent(absent) for absent in explanation.absent]
    parts += [f"<p>{escaped(clause_text(clause))}</p>" for clause in explanation.clauses]
    parts += [_nearest(explanation), _change(explanation)]
    return f'<div class="conceptrules-explanation">{"".join(parts)}</div>'


def _rules(rules: Iterable[FiredRule], label: object) -> str:
    lines = [
        f"{escaped(rule.owner)} because <code>{escaped(rule.text)}</code>{escaped(figures(rule, label))}"
        for rule in rules
    ]
    return _list(lines)


def _absent(absent: Absent) -> str:
    first, *rest = absent_lines(absent)
    return f"<p>{escaped(first)}</p>" + _list(f"<code>{escaped(text.strip())}</code>" for text in rest)


def _nearest(explanation: Explanation) -> str:
    miss = explanation.nearest
    if miss is None:
        return ""
    unmet = " and ".join(f"<code>{escaped(text)}</code>" for text in miss.unmet)
    lost = "" if miss.wins else " (though a class that fires would still come first)"
    rule = f"<code>{escaped(miss.text)}</code>"
    return f"<p>Nearest miss: {escaped(word(miss.label))} by the rule {rule}, which only lacks {unmet}{lost}.</p>"


def _change(explanation: Explanation) -> str:
    first, *_ = counterfactual_lines(explanation)
    found = explanation.counterfactual
    changes = [] if found is None else [f"<code>{escaped(change_text(change))}</code>" for change in found.changes]
    last = "" if found is None else f"<p>{escaped(certainty(found))}</p>"
    return f"<p>{escaped(first[0].upper() + first[1:])}</p>{_list(changes)}{last}"


def _list(items: Iterable[str]) -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else ""
