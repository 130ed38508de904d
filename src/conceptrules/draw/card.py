"""A scorecard, and the score of a row, as tables of HTML for notebooks: points with bars, bins of a column together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conceptrules.draw.appearance import escape_text
from conceptrules.explain.score_explanation import ScoreExplanation
from conceptrules.model.card import Card, CardLine, band_lines, gap_sentence, read_card
from conceptrules.model.network import RuleNetwork

# The fonts and colours are the notebook's own; only the bars bring two, which have 3:1 against light and dark pages.
_STYLE = """
.conceptrules-card table { border-collapse: collapse; margin: 0 0 1em 0; font-variant-numeric: tabular-nums; }
.conceptrules-card td, .conceptrules-card th { padding: 0.15em 0.9em 0.15em 0; text-align: left; vertical-align: top;
  border: 0; background: none; }
.conceptrules-card th { font-weight: 600; }
.conceptrules-card .figure { text-align: right; white-space: nowrap; }
.conceptrules-card tbody + tbody tr:first-child > * { border-top: 1px solid rgba(128, 128, 128, 0.35); }
.conceptrules-card tbody th { width: 1%; white-space: nowrap; }
.conceptrules-card .bin { white-space: nowrap; }
.conceptrules-card .bar { min-width: 6em; padding: 0.35em 0.9em 0.15em 0; }
.conceptrules-card .bar div { height: 0.75em; min-width: 1px; }
""".replace("\n", " ")
_MORE, _LESS = "#e0691a", "#3d7dd1"


def card_html(network: RuleNetwork) -> str:
    """Return the card, the probabilities by score, and the same in words, folded away."""
    card = read_card(network)
    sentences = escape_text(" ".join([*card.sentences, gap_sentence(network)]).strip())
    words = "\n".join(map(escape_text, str(network).split("\n")))
    bands = _table_html(band_lines(card)) if card.bands else ""
    return (
        f'<div class="conceptrules-card"><style>{_STYLE}</style><p>{sentences}</p>'
        f'<div style="overflow-x: auto">{_lines_html(card)}{bands}</div>'
        f"<details><summary>In words</summary><pre>{words}</pre></details></div>"
    )


def _lines_html(card: Card) -> str:
    """Return the base and the rules as a table, with a body for each column."""
    lines = [card.base, *(line for group in card.groups for line in group), *card.mixed]
    largest = max((abs(points) for line in lines for points in line.points), default=0) or 1
    bars = len(card.outputs) == 1
    heading = '<th colspan="2"></th>' + "<th></th>" * bars
    bodies = [_body_html(card, [card.base], "", largest if bars else 0)]
    bodies += [_body_html(card, group, group[0].column, largest if bars else 0) for group in card.groups]
    if card.mixed:
        bodies.append(_body_html(card, card.mixed, "", largest if bars else 0))
    figures = "".join(f'<th class="figure">{escape_text(text)}</th>' for text in card.headings)
    return f"<table><thead><tr>{heading}{figures}</tr></thead>{''.join(bodies)}</table>"


def _body_html(card: Card, lines: Sequence[CardLine], column: str, largest: int) -> str:
    """Return rules of one column, whose name stands before them once, or of several; bars are drawn up to `largest`."""
    rows = []
    for number, line in enumerate(lines):
        text = f"{escape_text(line.text)}{f' <em>({escape_text(line.name)})</em>' if line.name else ''}"
        if column:
            name = f'<th rowspan="{len(lines)}">{escape_text(column)}</th>' if number == 0 else ""
            text = f'{name}<td class="bin">{text}</td>'
        else:
            text = f'<td colspan="2">{text}</td>'
        figures = "".join(f'<td class="figure">{escape_text(cell)}</td>' for cell in card.line_cells(line))
        rows.append(f"<tr>{text}{_bar_html(line.points[0], largest) if largest else ''}{figures}</tr>")
    return f"<tbody>{''.join(rows)}</tbody>"


def _bar_html(points: int, largest: int) -> str:
    """Return a bar from the middle: to the right for points, to the left for points that are taken away."""
    share = 50 * abs(points) / largest
    start, colour = (50.0, _MORE) if points > 0 else (50 - share, _LESS)
    bar = f'<div style="margin-left: {start:.1f}%; width: {share:.1f}%; background: {colour}"></div>' if points else ""
    return f'<td class="bar" aria-hidden="true">{bar}</td>'


def score_html(explanation: ScoreExplanation, further: str) -> str:
    """Return the class and the score as a sentence, below it the points that add up, and what else there is to say."""
    return (
        f'<div class="conceptrules-card conceptrules-explanation"><style>{_STYLE}</style>'
        f"<p><strong>{escape_text(explanation.sentence)}</strong></p>"
        f'<div style="overflow-x: auto">{_table_html(explanation.lines)}</div>{further}</div>'
    )


def _table_html(rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first row is the heading, and all but the first column are figures."""
    return f"<table>{''.join(_rows_html(rows))}</table>"


def _rows_html(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, (first, *rest) in enumerate(rows):
        tag = "td" if number else "th"
        figures = "".join(f'<{tag} class="figure">{escape_text(cell)}</{tag}>' for cell in rest)
        yield f"<tr><{tag}>{escape_text(first)}</{tag}>{figures}</tr>"
