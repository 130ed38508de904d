"""The rules as documents for people: Markdown and LaTeX tables, class by class, or as a card with its points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from conceptrules.export.wording import comment, header, rule_id
from conceptrules.model.card import card_sentences, chance_text, positive_text, read_card
from conceptrules.model.content_hash import content_hash
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import interval_text, wilson_interval
from conceptrules.model.predicate import printable
from conceptrules.model.scoring import score_probabilities
from conceptrules.model.text import concept_name, number_text, rule_text, word

# Markdown lets any of these be escaped by a backslash, and then they mean nothing but themselves.
_MARKDOWN = re.compile(r"[\\`*_\[\]{}<>|#~$&^@]|:(?=/)")
_LATEX = {sign: f"\\{sign}" for sign in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}
# Two of the last ones in a row become another sign.
_LATEX_SPECIAL = re.compile("|".join([*map(re.escape, _LATEX), "[-,](?=[-,])"]))
_LONG = 30  # letters, after which a word may be broken


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A class or a concept with the rules any of which makes it hold, the points of a card, or its probabilities."""

    title: str
    heading: Sequence[str]
    rows: Sequence[Sequence[str]]
    """For rules: name and text, points, and with statistics the training rows it covers and the share of its class."""

    def align(self, left: str, wide: str, right: str) -> list[str]:
        """Return how each column is set: names of rules to the left, their text wide, and figures to the right."""
        return [{"rule": left, "literals": wide}.get(name, right) for name in self.heading]


def markdown(network: RuleNetwork) -> str:
    """Return the rules of a network as Markdown tables (those of GitHub), class by class or as a card."""
    blocks = [" ".join(map(escape_markdown, _introduction(network)))]
    for table in _tables(network):
        blocks.append(f"**{escape_markdown(table.title)}**")
        if table.rows:
            ruler = "|".join(table.align("---", "---", "---:"))
            lines = [_markdown_line(table.heading, escape_markdown), f"|{ruler}|"]
            lines += [_markdown_line(row, escape_markdown) for row in table.rows]
            blocks.append("\n".join(lines))
    return "\n\n".join([*blocks, f"Network `{content_hash(network)}`."]) + "\n"


def _markdown_line(cells: Sequence[str], escape: Callable[[str], str]) -> str:
    return f"| {' | '.join(map(escape, cells))} |"


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, whatever is in it.

    >>> print(escape_markdown("a|b <script>"))
    a\\|b \\<script\\>
    """
    return _MARKDOWN.sub(r"\\\g<0>", printable(text))


def latex(network: RuleNetwork) -> str:
    """Return the rules of a network as LaTeX tables to be read in with `\\input`; they need the package longtable."""
    lines = [f"% {comment(line)}" for line in header(network)]
    lines += [r"% Needs \usepackage{longtable,textcomp} and \usepackage[T1]{fontenc}."]
    lines += ["% Names beyond the Latin script need XeLaTeX or LuaLaTeX, and a font that has them."]
    lines += ["", " ".join(map(escape_latex, _introduction(network))), ""]
    for table in _tables(network):
        title = rf"\textbf{{{escape_latex(table.title)}}}"
        if not table.rows:
            lines += [rf"\par\noindent{title}\par", ""]
            continue
        layout = "".join(table.align("l", r"p{0.5\textwidth}", "r"))
        lines += [
            rf"\begin{{longtable}}{{{layout}}}",
            rf"\multicolumn{{{len(table.heading)}}}{{l}}{{{title}}} \\",
            rf"\hline {' & '.join(map(escape_latex, table.heading))} \\ \hline \endhead",
            *(rf"{' & '.join(map(escape_latex, row))} \\" for row in table.rows),
            r"\hline",
            r"\end{longtable}",
            "",
        ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is, whatever is in it.

    >>> print(escape_latex("50 % \\\\input"))
    50 \\% \\textbackslash{}input
    """
    words = []
    for each in printable(text).split(" "):
        parts = [each[start : start + _LONG] for start in range(0, len(each), _LONG)]
        words.append(r"\allowbreak{}".join(_LATEX_SPECIAL.sub(_escape_match, part) for part in parts))
    return " ".join(words)


def _escape_match(match: re.Match[str]) -> str:
    return _LATEX.get(match.group(), f"{match.group()}{{}}")


def _introduction(network: RuleNetwork) -> Iterator[str]:
    if network.head is not None:
        yield "A rule holds if all its literals do."
        yield from card_sentences(network)
        if network.statistics is not None:
            yield "Rows are those of the training table on which the rule holds."
        return
    yield "A rule holds if all its literals do; a class fires if any of its rules holds."
    if len(network.classes) > 1:
        yield f"If several classes fire, the first of these wins: {', '.join(map(word, network.priority))}."
    yield f"If none fires, the answer is {word(network.default)}."
    if network.statistics is not None:
        yield (
            "Rows are those of the training table on which the rule holds, right is the share of them of its class, "
            "with its 95 % Wilson interval."
        )


def _tables(network: RuleNetwork) -> Iterator[DocumentTable]:
    """Yield the tables: of the classes in the order in which they win, or of the card, and then of the concepts."""
    top = len(network.levels) - 1
    heading = ["rule", "literals", *(["rows", "right"] if network.statistics is not None else [])]
    if network.head is not None:
        yield from _card_tables(network, network.head)
    for index in () if network.head else network.priority_indices:
        name = network.classes[index]
        rules = network.levels[top].concepts[index].rules
        silent = "is the answer if none fires" if name == network.default else "never fires"
        title = f"{word(name)} {'if any of' if rules else silent}"
        yield DocumentTable(title, heading, [_row(network, top, rule, index) for rule in rules])
    for level in reversed(range(top)):
        for index, concept in enumerate(network.levels[level].concepts):
            title = f"{concept_name(level, index)} {'means any of' if concept.rules else 'never'}"
            yield DocumentTable(title, heading, [_row(network, level, rule, None) for rule in concept.rules])


def _card_tables(network: RuleNetwork, head: Points) -> Iterator[DocumentTable]:
    """Yield the points of the rules, in the order of the printed card, and what the scores of two classes mean."""
    card, top = read_card(network), len(network.levels) - 1
    lines = [*(line for group in card.groups for line in group), *card.mixed]
    rows = [["", card.base.text, *card.line_cells(card.base)]]
    rows += [
        [f"R{rule_id(top, line.rule)}", rule_text(network, top, line.rule), *card.line_cells(line)] for line in lines
    ]
    yield DocumentTable("Points" if head.step is None else "Rules", ["rule", "literals", *card.headings], rows)
    if head.probabilities:
        ((lowest, highest),) = head.bounds
        starts = [lowest, *(score for score, _ in head.probabilities if lowest < score <= highest)]
        chances = score_probabilities(head, np.array(starts)[:, None])[:, 1]
        steps = groupby(zip(starts, chances, strict=True), key=lambda step: chance_text(step[1]))
        table = [[str(next(group)[0]), chance] for chance, group in steps]
        yield DocumentTable("Probabilities", ["score from", f"chance of {positive_text(network)}"], table)


def _row(network: RuleNetwork, level: int, rule: int, right: int | None) -> tuple[str, ...]:
    """Return the cells of a rule; `right` is the class that it speaks for, if any."""
    cells = (f"R{rule_id(level, rule)}", rule_text(network, level, rule))
    if network.statistics is None:
        return cells
    counts = network.statistics.covered[level][rule]
    total = sum(counts)
    share = ""
    if right is not None and total:
        share = f"{counts[right] / total:.1%} {interval_text(wilson_interval(counts[right], total))}"
    return (*cells, number_text(float(f"{total:.6g}")) if counts else "", share)
