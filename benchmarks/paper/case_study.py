"""The case study: one concept of a CRS trained on adult, as rules of coloured literals, in the manner of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.paper.results import Results
from conceptrules.io.model_file import load
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import concept_name, literal_text, word

KINDS = {
    "capital": ("#fb9a99", ("capital-gain", "capital-loss")),
    "family": ("#b2df8a", ("marital-status", "relationship")),
    "work": ("#a6cee3", ("hours-per-week", "occupation", "workclass")),
    "education": ("#fdbf6f", ("education", "education-num")),
    "person": ("#cab2d6", ("age", "sex", "race", "native-country", "fnlwgt")),
}
"""Colours of the kinds of adult's columns; the paper names red for capital."""
OTHER = "#d9d9d9"
MOST_RULES = 8
AND, OR = "\N{LOGICAL AND}", "\N{LOGICAL OR}"
WIDTH, START, LINE, HEIGHT, SIGN, GAP, CHARACTER = 9.0, 0.35, 0.30, 0.22, 0.30, 0.08, 0.072  # inches


@dataclass(frozen=True, slots=True)
class Chip:
    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Picture:
    title: str
    rules: tuple[tuple[Chip, ...], ...]


def picture(network: RuleNetwork) -> Picture:
    """Return the concept with the most literals among those of the first level that fit on a page; the first of equals.

    Those of the first level are the ones whose literals are about columns, as in the paper's figure.
    """
    level = network.levels[0]
    sizes = {
        number: sum(len(level.rules[rule].literals) for rule in concept.rules)
        for number, concept in enumerate(level.concepts)
        if 0 < len(concept.rules) <= MOST_RULES
    }
    wanted = sizes or {number: -len(concept.rules) for number, concept in enumerate(level.concepts) if concept.rules}
    if not wanted:
        return Picture("a CRS without a rule", ())
    number = max(wanted, key=lambda each: (wanted[each], -each))
    return Picture(_title(network, number), tuple(_chips(network, rule) for rule in level.concepts[number].rules))


def _title(network: RuleNetwork, number: int) -> str:
    if len(network.levels) == 1:
        return f"{word(network.classes[number])} if any of"
    return f"{concept_name(0, number)} holds if any of"


def _chips(network: RuleNetwork, rule: int) -> tuple[Chip, ...]:
    literals = network.levels[0].rules[rule].literals
    return tuple(
        Chip(literal_text(network, 0, literal), colour_of(network.predicates[literal.index].column))
        for literal in literals
    )


def colour_of(column: str) -> str:
    return next((colour for colour, columns in KINDS.values() if column in columns), OTHER)


def draw(results: Results, Figure: Any) -> Any:
    path = results.root / "case_study.json"
    return draw_picture(picture(load(path)), Figure) if path.exists() else None


def draw_picture(shown: Picture, Figure: Any) -> Any:
    """Draw the rules. A chip is as wide as its text, counted in characters, so that no font has to be measured."""
    lines = [(number, line) for number, rule in enumerate(shown.rules) for line in _wrapped(rule)]
    high = LINE * (len(lines) + 2) + 0.2
    figure = Figure(figsize=(WIDTH, high))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(high, 0))
    axes.set_axis_off()
    axes.text(0.1, LINE / 2, shown.title, va="center", weight="bold")
    before = 0
    for row, (number, line) in enumerate(lines, 1):
        _draw_line(axes, LINE * row, line, OR if number != before else "")
        before = number
    _legend(axes, LINE * (len(lines) + 1) + 0.12)
    return figure


def _wrapped(rule: tuple[Chip, ...]) -> list[list[Chip]]:
    """Return as many lines as a long rule takes; all but the last end with an AND."""
    lines: list[list[Chip]] = [[]]
    left = START
    for chip in rule:
        if lines[-1] and left + _width(chip) + SIGN > WIDTH:
            lines.append([])
            left = START
        lines[-1].append(chip)
        left += _width(chip) + SIGN
    return lines if len(lines) == 1 else [[*line, Chip(AND, "none")] for line in lines[:-1]] + [lines[-1]]


def _draw_line(axes: Any, top: float, chips: list[Chip], sign: str) -> None:
    axes.text(0.18, top + HEIGHT / 2, sign, ha="center", va="center")
    left = START
    for place, chip in enumerate(chips):
        if place and chip.text != AND:
            axes.text(left - SIGN / 2, top + HEIGHT / 2, AND, ha="center", va="center")
        _draw_chip(axes, left, top, _width(chip), chip)
        left += _width(chip) + SIGN


def _width(chip: Chip) -> float:
    return CHARACTER * len(chip.text) + 0.16 if chip.text != AND else 0.0


def _legend(axes: Any, top: float) -> None:
    left = START
    for kind, (colour, _) in KINDS.items():
        chip = Chip(kind, colour)
        _draw_chip(axes, left, top, _width(chip), chip)
        left += _width(chip) + GAP


def _draw_chip(axes: Any, left: float, top: float, width: float, chip: Chip) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch((left, top), width, HEIGHT, boxstyle=style, facecolor=chip.colour, edgecolor="none"))
    axes.text(left + width / 2, top + HEIGHT / 2, chip.text, ha="center", va="center", fontsize=8)
