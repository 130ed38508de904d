"""A scorecard as a picture: a line for each rule with a bar for its points, and below it the table of chances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from conceptrules.draw.appearance import Theme, escape_text, shorten, text_width
from conceptrules.draw.graph import rule_id
from conceptrules.draw.layout import FOLD, Label
from conceptrules.draw.svg import Svg, frame_svg, label_svg
from conceptrules.model.card import Card, CardLine, band_lines, read_card
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import plural

_MARGIN, _LINE, _GAP = 20.0, 22.0, 16.0
_TEXT = 12.0
_BAR = 150.0  # the width of the bars of one output; of several, each has half of it
_LETTERS = 30  # of a column's name and of a bin; the rest is in the tooltip
_WIDE = 84  # letters of a line of the sentences
_MORE, _LESS = 1, 0  # colours of the palette


def card_svg(network: RuleNetwork, output: int | None = None, fold: int | None = FOLD, theme: Theme = "auto") -> Svg:
    """Draw a scorecard, or the points that it has for one output; of very many edges, the rules with most points."""
    card = read_card(network)
    if output is not None:
        card = _take_output(card, output)
    card, more = _fold_lines(network, card, fold)
    picture = _Picture(card, len(network.levels) - 1)
    picture.write_sentences(" ".join(card.sentences))
    picture.write_card(more)
    if card.bands:
        picture.write_bands(band_lines(card))
    name = f"The scorecard of {card.label or card.outputs[0]}" if len(card.outputs) == 1 else "The scorecard"
    return frame_svg("\n".join(picture.parts), name, picture.width, picture.y + _MARGIN, theme)


def _take_output(card: Card, output: int) -> Card:
    """Return the part of a card that is about one class of several."""

    def take(lines: Sequence[CardLine]) -> tuple[CardLine, ...]:
        return tuple(replace(line, points=(line.points[output],)) for line in lines if line.points[output])

    groups = tuple(filter(None, map(take, card.groups)))
    base = replace(card.base, points=(card.base.points[output],))
    return replace(card, outputs=(card.outputs[output],), base=base, groups=groups, mixed=take(card.mixed))


def _fold_lines(network: RuleNetwork, card: Card, fold: int | None) -> tuple[Card, str]:
    """Return the card with so many of its rules as have `fold` edges together, and what is left out in words."""
    lines = [line for group in (*card.groups, card.mixed) for line in group]
    ranked = sorted(lines, key=lambda line: -max(map(abs, line.points)))
    kept, edges, left = set[int](), 0, 0
    for line in ranked:
        size = rule_size(network, len(network.levels) - 1, line.rule) + sum(points != 0 for points in line.points)
        if fold is None or not kept or (not left and edges + size <= fold):
            kept.add(line.rule)
            edges += size
        else:
            left += size
    groups = (tuple(line for line in group if line.rule in kept) for group in card.groups)
    mixed = tuple(line for line in card.mixed if line.rule in kept)
    more = f"and {plural(len(lines) - len(kept), 'more rule')} with {plural(left, 'edge')}" if left else ""
    return replace(card, groups=tuple(filter(None, groups)), mixed=mixed), more


class _Picture:
    """The parts of a picture that is written from top to bottom."""

    def __init__(self, card: Card, level: int) -> None:
        self.card, self.level, self.y, self.parts = card, level, _MARGIN, list[str]()
        lines = [line for group in card.groups for line in group]
        columns = [text_width(shorten(group[0].column, _LETTERS), _TEXT) * 1.08 for group in card.groups]  # in bold
        bins = [text_width(shorten(_name(line), _LETTERS), _TEXT) for line in lines]
        self.bin_at = _MARGIN + max(columns, default=60.0) + _GAP
        self.points_at = max(self.bin_at + max(bins, default=60.0), _MARGIN + 420.0 * bool(card.mixed)) + _GAP
        outputs = len(card.outputs)
        self.listed = len(card.headings) < outputs  # too many outputs for columns: they are listed
        self.bar = 0.0 if self.listed else _BAR if outputs == 1 else _BAR / 2
        cells = [card.line_cells(line) for line in [card.base, *lines, *card.mixed]]
        self.figures = [
            max(text_width(text, _TEXT) for text in column) + _GAP for column in zip(card.headings, *cells, strict=True)
        ]
        points = 1 if self.listed else outputs
        self.width = self.points_at + points * (self.bar + _GAP) + sum(self.figures) + _MARGIN
        every = [abs(points) for line in [*lines, *card.mixed] for points in line.points]
        self.largest = max(every, default=0) or 1

    def write_sentences(self, text: str) -> None:
        for line in wrap(text, min(_WIDE, int((self.width - 2 * _MARGIN) / (_TEXT * 0.55)))):
            self._label(line, _MARGIN, self.y + 12, "note")
            self.y += 17
        self.y += 8

    def write_card(self, more: str) -> None:
        self._figures(self.card.headings, "note")
        self.y += _LINE
        self._line(self.card.base, ["base"], _MARGIN)
        for group in self.card.groups:
            self._rule()
            self._label(shorten(group[0].column, _LETTERS), _MARGIN, self.y + 15, "column", group[0].column)
            for line in group:
                self._line(line, [shorten(_name(line), _LETTERS)], self.bin_at)
        if self.card.mixed:
            self._rule()
        letters = int((self.points_at - _MARGIN - _GAP) / (_TEXT * 0.6))
        for line in self.card.mixed:
            self._line(line, wrap(_name(line), letters) or ["always"], _MARGIN)
        if more:
            self._label(more, _MARGIN, self.y + 15, "note")
            self.y += _LINE

    def write_bands(self, lines: Sequence[Sequence[str]]) -> None:
        self.y += _LINE / 2
        widths = [max(text_width(text, _TEXT) for text in column) + 2 * _GAP for column in zip(*lines, strict=True)]
        for number, cells in enumerate(lines):
            x = _MARGIN
            for text, width in zip(cells, widths, strict=True):
                self._label(text, x, self.y + 15, "" if number else "note")
                x += width
            self.y += _LINE * 0.9
        self.width = max(self.width, _MARGIN + sum(widths))

    def _line(self, line: CardLine, texts: Sequence[str], x: float) -> None:
        """Write a rule, perhaps on several lines, with its bars and figures beside the first of them."""
        whole = f"{line.column} {_name(line)}".strip()
        cells = self.card.line_cells(line)
        spoken = escape_text(f"{whole}: {', '.join(filter(None, cells))}")
        node = rule_id(self.level, line.rule) if line.rule >= 0 else "base"
        self.parts.append(f'<g class="row" data-node="{node}" role="img" aria-label="{spoken}"><title>{spoken}</title>')
        for number, text in enumerate(texts):
            self._label(text, x, self.y + 15 + number * 16, "")
        self._figures(cells, "", line.points if line.rule >= 0 else ())
        self.parts.append("</g>")
        self.y += _LINE + 16 * (len(texts) - 1)

    def _figures(self, cells: Sequence[str], kind: str, points: Sequence[int] = ()) -> None:
        x = self.points_at
        for number, (text, width) in enumerate(zip(cells, self.figures, strict=True)):
            if not self.listed and number < len(self.card.outputs):
                self.parts += _bars(points[number : number + 1], x, self.y, self.bar, self.largest)
                x += self.bar + _GAP
            x += width
            self.parts.append(
                f'<text class="{kind or "figure"}" x="{x - _GAP:.1f}" y="{self.y + 15:.1f}" text-anchor="end">'
                f"{escape_text(text)}</text>"
            )

    def _rule(self) -> None:
        self.parts.append(
            f'<path class="wire" stroke-opacity="0.3" d="M{_MARGIN} {self.y:.1f}H{self.width - _MARGIN:.1f}"/>'
        )

    def _label(self, text: str, x: float, y: float, kind: str, tooltip: str = "") -> None:
        self.parts.append(label_svg(Label(text, tooltip, x, y, kind)))


def _bars(points: Sequence[int], x: float, y: float, width: float, largest: int) -> Iterator[str]:
    """Yield a bar from the middle: to the right for points, to the left for points that are taken away."""
    for value in points:
        length, middle = width / 2 * abs(value) / largest, x + width / 2
        start, colour = (middle, _MORE) if value > 0 else (middle - length, _LESS)
        yield f'<path class="wire" stroke-opacity="0.4" d="M{middle:.1f} {y + 2:.1f}V{y + 20:.1f}"/>'
        if value:
            yield f'<rect class="amount k{colour}" x="{start:.1f}" y="{y + 5:.1f}" width="{length:.1f}" height="12"/>'


def _name(line: CardLine) -> str:
    return f"{line.text} ({line.name})" if line.name else line.text
