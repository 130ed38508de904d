"""One class or concept as a stack of its rules, each a row of coloured conditions, as in the paper's case study."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conceptrules.draw.colours import BACKGROUND, INK, PALETTES, QUIET, column_colours
from conceptrules.draw.escape import escaped, shortened, width
from conceptrules.draw.graph import above_id, below_id, rule_id
from conceptrules.draw.layout import FOLD
from conceptrules.draw.svg import Svg, Theme, framed
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import concept_name, condition_text, rule_figures, word

_WORDS = 44  # letters of a condition; the rest is in the tooltip


@dataclass(frozen=True, slots=True)
class ConditionBox:
    """A literal in words, or two bounds of a column as one."""

    id: str
    """The id of the predicate or concept, as in the drawing; two bounds have two ids, with a blank between."""
    text: str
    colour: int | None
    negated: bool


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule: an AND of its conditions; without any it always holds."""

    id: str
    name: str
    conditions: tuple[ConditionBox, ...]
    size: int
    """How many edges the conditions count for."""
    figures: str


@dataclass(frozen=True, slots=True)
class RuleStack:
    """A class or concept: an OR of its rules."""

    id: str
    heading: str
    rules: tuple[RuleRow, ...]
    more: str = ""
    """How much is left out, in words."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The class or concept that was asked for, then the concepts that it names, from the top."""

    title: str
    stacks: tuple[RuleStack, ...]


def collect_rule_set(network: RuleNetwork, which: Value, fold: int | None = FOLD) -> RuleSet:
    """Return a class, or a concept (C1.2), with at most about `fold` edges; the rules that cover most stay."""
    level, index = _find(network, which)
    left = fold
    stacks: list[RuleStack] = []
    wanted = {index}
    for depth in range(level, -1, -1):
        for concept in sorted(wanted):
            stack = _stack(network, depth, concept, left)
            left = None if left is None else max(1, left - sum(1 + row.size for row in stack.rules))
            stacks.append(stack)
        rules = {rule for concept in wanted for rule in network.levels[depth].concepts[concept].rules}
        wanted = {literal.index for rule in rules for literal in network.levels[depth].rules[rule].literals}
    return RuleSet(f"The rules of {_name(network, level, index)}", tuple(stacks))


def _find(network: RuleNetwork, which: Value) -> tuple[int, int]:
    if which in network.classes:
        return len(network.levels) - 1, network.classes.index(which)
    names = {
        concept_name(level, index): (level, index)
        for level in range(len(network.levels) - 1)
        for index in range(len(network.levels[level].concepts))
    }
    if which in names:
        return names[str(which)]
    known = [*map(str, network.classes), *names]
    near = difflib.get_close_matches(str(which), known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, known[:20]))}"
    raise InputError(f"there is no class or concept {which!r} in this network; {hint}")


def _name(network: RuleNetwork, level: int, index: int) -> str:
    top = level + 1 == len(network.levels)
    return f"class {word(network.classes[index])}" if top else concept_name(level, index)


def _stack(network: RuleNetwork, level: int, index: int, fold: int | None) -> RuleStack:
    top = level + 1 == len(network.levels)
    own = network.levels[level].concepts[index].rules
    rules = sorted(own, key=lambda rule: -_weight(network, level, rule))
    kept = _first(network, level, rules, fold)
    name, verb = (word(network.classes[index]), "if") if top else (concept_name(level, index), "means")
    heading = f"{name} {verb}" + " any of" * (len(rules) > 1) if rules else f"{name} never" + " holds" * (not top)
    rows = tuple(_row(network, level, rule, index if top else None) for rule in kept)
    hidden = sum(1 + rule_size(network, level, rule) for rule in rules[len(kept) :])
    more = f"and {len(rules) - len(kept)} more rules with {hidden} edges" if hidden else ""
    return RuleStack(above_id(network, level, index), heading, rows, more)


def _weight(network: RuleNetwork, level: int, rule: int) -> float:
    return sum(network.statistics.covered[level][rule]) if network.statistics else 0.0


def _first(network: RuleNetwork, level: int, rules: Sequence[int], fold: int | None) -> Sequence[int]:
    """Return as many rules as have so many edges together, but at least one."""
    edges = 0
    for number, rule in enumerate(rules):
        edges += 1 + rule_size(network, level, rule)
        if fold is not None and edges > fold:
            return rules[: max(number, 1)]
    return rules


def _row(network: RuleNetwork, level: int, rule: int, right: int | None) -> RuleRow:
    literals = network.levels[level].rules[rule].literals
    figures = rule_figures(network, level, rule, right).strip("()")
    boxes = tuple(_box(network, level, condition) for condition in conditions(network, level, literals))
    return RuleRow(rule_id(level, rule), f"R{level + 1}.{rule + 1}", boxes, rule_size(network, level, rule), figures)


def _box(network: RuleNetwork, level: int, condition: Condition) -> ConditionBox:
    first = condition.literals[0]
    column = network.predicates[first.index].column if level == 0 else None
    colour = None if column is None else column_colours(network)[column]
    name = " ".join(below_id(level, literal.index) for literal in condition.literals)
    return ConditionBox(name, condition_text(network, level, condition, "≤"), colour, first.negated)


# As HTML


def rule_set_html(rules: RuleSet) -> str:
    """Return a fragment for a page that has `rule_set_css`; every name in it is escaped."""
    stacks = "\n".join(_stack_html(stack) for stack in rules.stacks)
    return f'<div class="concept-rules rule-set" role="group" aria-label="{escaped(rules.title)}">\n{stacks}\n</div>'


def _stack_html(stack: RuleStack) -> str:
    rows = "\n".join(map(_row_html, stack.rules))
    more = f'<p class="more">{escaped(stack.more)}</p>' if stack.more else ""
    body = f"<ul>\n{rows}\n</ul>" if stack.rules else ""
    return (
        f'<section data-node="{stack.id}"><h4><bdi dir="ltr">{escaped(stack.heading)}</bdi></h4>{body}{more}</section>'
    )


def _row_html(row: RuleRow) -> str:
    boxes = ' <span class="and">and</span> '.join(map(_box_html, row.conditions))
    boxes = boxes or '<span class="condition">always</span>'
    figures = f' <span class="figures">{escaped(row.figures)}</span>' if row.figures else ""
    return f'<li data-node="{row.id}">{boxes}{figures}</li>'


def _box_html(box: ConditionBox) -> str:
    kinds = "condition" + " negated" * box.negated + ("" if box.colour is None else f" k{box.colour}")
    return f'<bdi dir="ltr" class="{kinds}" data-node="{box.id}">{escaped(box.text)}</bdi>'


def rule_set_css(theme: Theme = "auto") -> str:
    """Return the style of `rule_set_html`."""
    if theme != "auto":
        return "\n".join([*_SHAPES, *_colours(theme)])
    dark = "\n".join(_colours("dark"))
    return "\n".join([*_SHAPES, *_colours("light"), f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"])


_SHAPES = (
    ".rule-set ul {list-style: none; margin: 0; padding: 0}",
    ".rule-set li {padding: 0.35em 0; line-height: 2}",
    ".rule-set .condition {border: 1px solid; border-radius: 0.4em; padding: 0.15em 0.5em; overflow-wrap: anywhere}",
    ".rule-set .condition.negated {border-style: dashed}",
    ".rule-set .figures, .rule-set .and, .rule-set .more {font-size: 0.85em}",
)


def _colours(theme: str) -> Iterator[str]:
    yield f".rule-set {{color: {INK[theme]}; background: {BACKGROUND[theme]}}}"
    yield f".rule-set .condition {{border-color: {QUIET[theme]}}}"
    yield f".rule-set .figures, .rule-set .and, .rule-set .more {{color: {QUIET[theme]}}}"
    for key, colour in enumerate(PALETTES[theme]):
        # 21 in hexadecimal is the 13 % of the drawing.
        yield f".rule-set .condition.k{key} {{border-color: {colour}; background: {colour}21}}"


# As SVG

_MARGIN, _WIDE, _HIGH, _GAP, _AND, _LINE = 20.0, 840.0, 24.0, 6.0, 30.0, 31.0


def rule_set_svg(rules: RuleSet, theme: Theme = "auto") -> Svg:
    """Draw the stacks under each other; a long rule continues on the next line."""
    lines: list[str] = []
    y = _MARGIN
    for stack in rules.stacks:
        lines.append(f'<g class="stack" data-node="{stack.id}">')
        lines.append(_words(shortened(stack.heading, 80), stack.heading, _MARGIN, y + 16, "heading"))
        y += 34
        for row in stack.rules:
            drawn, height = _row_svg(row, y)
            lines.append(drawn)
            y += height + 10
        if stack.more:
            lines.append(_words(stack.more, "", _MARGIN, y + 14, "note"))
            y += 26
        lines.append("</g>")
        y += 12
    return framed("\n".join(lines), rules.title, _WIDE + 2 * _MARGIN, y, theme)


def _row_svg(row: RuleRow, top: float) -> tuple[str, float]:
    """Return a rule with a bar on its left, and its height."""
    boxes = row.conditions or (ConditionBox("", "always", None, False),)
    parts: list[str] = []
    x, y = _MARGIN + 16, top + 5
    for number, box in enumerate(boxes):
        text = shortened(box.text, _WORDS)
        wide = width(text, 12) + 16
        joined = _AND if number else 0.0
        if number and x + joined + wide > _MARGIN + _WIDE:
            x, y = _MARGIN + 16, y + _LINE
        if number:
            parts.append(_words("and", "", x, y + 16, "note"))
            x += _AND
        parts.append(_box_svg(box, text, x, y, wide))
        x += wide + _GAP
    if row.figures:
        if x + width(row.figures, 11) > _MARGIN + _WIDE:
            x, y = _MARGIN + 16, y + _LINE - 6
        parts.append(_words(row.figures, "", x + 4, y + 16, "note"))
    height = y + _HIGH + 5 - top
    bar = f'<rect class="bar" x="{_MARGIN}" y="{top:.1f}" width="4" height="{height:.1f}" rx="2"/>'
    whole = escaped(f"{row.name}: " + " and ".join(box.text for box in boxes) + f" ({row.figures})" * bool(row.figures))
    head = f'<g class="row" data-node="{row.id}" role="img" aria-label="{whole}"><title>{whole}</title>'
    return "".join([head, bar, *parts, "</g>"]), height


def _box_svg(box: ConditionBox, text: str, x: float, y: float, wide: float) -> str:
    kinds = "node condition" + " not" * box.negated + ("" if box.colour is None else f" k{box.colour}")
    node = f' data-node="{box.id}"' if box.id else ""
    tip = f"<title>{escaped(box.text)}</title>"
    shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_HIGH}" rx="6"/>'
    return f'<g class="{kinds}"{node}>{tip}{shape}<text x="{x + 8:.1f}" y="{y + 16:.1f}">{escaped(text)}</text></g>'


def _words(text: str, tooltip: str, x: float, y: float, kind: str) -> str:
    tip = f"<title>{escaped(tooltip)}</title>" if tooltip else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{tip}{escaped(text)}</text>'
