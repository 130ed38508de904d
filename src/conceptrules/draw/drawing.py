"""A network as a picture, and as what a notebook shows; `RuleNetwork.draw` and `_repr_html_` come here."""

from __future__ import annotations

from conceptrules.draw.escape import escaped
from conceptrules.draw.layout import FOLD, layout
from conceptrules.draw.rule_set import collect_rule_set, rule_set_svg
from conceptrules.draw.svg import Svg, Theme, check_theme, network_svg
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value


def draw(network: RuleNetwork, rule_set: Value | None = None, *, theme: Theme = "auto", fold: int | None = FOLD) -> Svg:
    """Draw a network, or one class or concept of it as a stack of its rules: the function behind `RuleNetwork.draw`."""
    check_theme(theme)
    if fold is not None and (not isinstance(fold, int) or fold < 1):
        raise InputError(f"fold is {fold!r}; give the number of edges that may be drawn one by one, or None for all")
    if rule_set is None:
        return network_svg(layout(network, fold), theme)
    return rule_set_svg(collect_rule_set(network, rule_set, fold), theme)


def network_html(network: RuleNetwork) -> str:
    """Return the drawing as HTML, and below it the words, folded away; it scrolls where the page is narrow."""
    words = "\n".join(map(escaped, str(network).split("\n")))
    drawing = draw(network).text
    return (
        f'<div class="concept-rules"><div style="overflow-x: auto">{drawing}</div>'
        f"<details><summary>In words</summary><pre>{words}</pre></details></div>"
    )
