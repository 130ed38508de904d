"""One class or concept as a stack of its rules, each a row of coloured conditions, as in the paper's case study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conceptrules.draw.appearance import Theme, assign_colours, escape_text, shorten, text_width
from conceptrules.draw.graph import above_id, below_id, rule_id
from conceptrules.draw.layout import FOLD, Label
from conceptrules.draw.svg import Svg, frame_svg, label_svg
from conceptrules.edit.rules import find_owner
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import concept_name, condition_text, rule_figures, rule_name, word

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
class RuleLine:
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
    rules: tuple[RuleLine, ...]
    more: str = ""
    """How much is left out, in words."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The class or concept that was asked for, then the concepts that it names, from the top."""

    title: str
    stacks: tuple[RuleStack, ...]


def collect_rule_set(network: RuleNetwork, which: Value, fold: int | None = FOLD) -> RuleSet:
    """Return a class, or a concept (C1.2), with at most about `fold` edges; the rules that cover most stay."""
    if which in network.classes:
        level, index = len(network.levels) - 1, network.classes.index(which)
    else:
        level, index = find_owner(network, which)
    edges_left = fold
    stacks: list[RuleStack] = []
    concepts = {index}
    for depth in range(level, -1, -1):
        for concept in sorted(concepts):
            stack = _collect_stack(network, depth, concept, edges_left)
            stacks.append(stack)
            if edges_left is not None:
                edges_left = max(1, edges_left - sum(1 + row.size for row in stack.rules))
        rules = {rule for concept in concepts for rule in network.levels[depth].concepts[concept].rules}
        concepts = {literal.index for rule in rules for literal in network.levels[depth].rules[rule].literals}
    top = level + 1 == len(network.levels)
    name = f"class {word(network.classes[index])}" if top else concept_name(level, index)
    return RuleSet(f"The rules of {name}", tuple(stacks))


def _collect_stack(network: RuleNetwork, level: int, index: int, fold: int | None) -> RuleStack:
    top = level + 1 == len(network.levels)
    own = network.levels[level].concepts[index].rules
    covered = network.statistics.covered[level] if network.statistics else None
    rules = sorted(own, key=lambda rule: -sum(covered[rule])) if covered else own
    kept = _limit_edges(network, level, rules, fold)
    name, verb = (word(network.classes[index]), "if") if top else (concept_name(level, index), "means")
    heading = f"{name} {verb}" + " any of" * (len(rules) > 1) if rules else f"{name} never" + " holds" * (not top)
    rows = tuple(_collect_row(network, level, rule, index if top else None) for rule in kept)
    hidden = sum(1 + rule_size(network, level, rule) for rule in rules[len(kept) :])
    more = f"and {len(rules) - len(kept)} more rules with {hidden} edges" if hidden else ""
    return RuleStack(above_id(network, level, index), heading, rows, more)


def _limit_edges(network: RuleNetwork, level: int, rules: Sequence[int], fold: int | None) -> Sequence[int]:
    """Return as many rules as have so many edges together, but at least one."""
    edges = 0
    for number, rule in enumerate(rules):
        edges += 1 + rule_size(network, level, rule)
        if fold is not None and edges > fold:
            return rules[: max(number, 1)]
    return rules


def _collect_row(network: RuleNetwork, level: int, rule: int, right: int | None) -> RuleLine:
    literals = network.levels[level].rules[rule].literals
    figures = rule_figures(network, level, rule, right).strip("()")
    boxes = tuple(_collect_box(network, level, condition) for condition in conditions(network, level, literals))
    return RuleLine(rule_id(level, rule), rule_name(level, rule), boxes, rule_size(network, level, rule), figures)


def _collect_box(network: RuleNetwork, level: int, condition: Condition) -> ConditionBox:
    first = condition.literals[0]
    column = network.predicates[first.index].column if level == 0 else None
    colour = None if column is None else assign_colours(network)[column]
    name = " ".join(below_id(level, literal.index) for literal in condition.literals)
    return ConditionBox(name, condition_text(network, level, condition, "≤"), colour, first.negated)


_MARGIN, _WIDE, _HIGH, _GAP, _AND, _LINE = 20.0, 840.0, 24.0, 6.0, 30.0, 31.0


def rule_set_svg(rules: RuleSet, theme: Theme = "auto") -> Svg:
    """Draw the stacks under each other; a long rule continues on the next line."""
    lines: list[str] = []
    y = _MARGIN
    for stack in rules.stacks:
        lines.append(f'<g class="stack" data-node="{stack.id}">')
        lines.append(label_svg(Label(shorten(stack.heading, 80), stack.heading, _MARGIN, y + 16, "heading")))
        y += 34
        for row in stack.rules:
            drawn, height = _row_svg(row, y)
            lines.append(drawn)
            y += height + 10
        if stack.more:
            lines.append(label_svg(Label(stack.more, "", _MARGIN, y + 14, "note")))
            y += 26
        lines.append("</g>")
        y += 12
    return frame_svg("\n".join(lines), rules.title, _WIDE + 2 * _MARGIN, y, theme)


def _row_svg(row: RuleLine, top: float) -> tuple[str, float]:
    """Return a rule with a bar on its left, and its height."""
    boxes = row.conditions or (ConditionBox("", "always", None, False),)
    parts: list[str] = []
    x, y = _MARGIN + 16, top + 5
    for number, box in enumerate(boxes):
        text = shorten(box.text, _WORDS)
        wide = text_width(text, 12) + 16
        joined = _AND if number else 0.0
        if number and x + joined + wide > _MARGIN + _WIDE:
            x, y = _MARGIN + 16, y + _LINE
        if number:
            parts.append(label_svg(Label("and", "", x, y + 16, "note")))
            x += _AND
        parts.append(_box_svg(box, text, x, y, wide))
        x += wide + _GAP
    if row.figures:
        if x + text_width(row.figures, 11) > _MARGIN + _WIDE:
            x, y = _MARGIN + 16, y + _LINE - 6
        parts.append(label_svg(Label(row.figures, "", x + 4, y + 16, "note")))
    height = y + _HIGH + 5 - top
    bar = f'<rect class="bar" x="{_MARGIN}" y="{top:.1f}" width="4" height="{height:.1f}" rx="2"/>'
    whole = escape_text(
        f"{row.name}: " + " and ".join(box.text for box in boxes) + f" ({row.figures})" * bool(row.figures)
    )
    head = f'<g class="row" data-node="{row.id}" role="img" aria-label="{whole}"><title>{whole}</title>'
    return "".join([head, bar, *parts, "</g>"]), height


def _box_svg(box: ConditionBox, text: str, x: float, y: float, wide: float) -> str:
    kinds = "node condition" + " not" * box.negated + ("" if box.colour is None else f" k{box.colour}")
    node = f' data-node="{box.id}"' if box.id else ""
    tip = f"<title>{escape_text(box.text)}</title>"
    shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_HIGH}" rx="6"/>'
    return f'<g class="{kinds}"{node}>{tip}{shape}<text x="{x + 8:.1f}" y="{y + 16:.1f}">{escape_text(text)}</text></g>'
