"""The model card: what a model is for, what it learned from, how good it is and where it fails, as one short page.

The headings are those of Mitchell et al., "Model Cards for Model Reporting" (2019).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from conceptrules.explain.group_scores import describe_groups
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import Evaluation
from conceptrules.export.documents import escape_markdown
from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import printable
from conceptrules.model.text import percent, plural, rule_count, word
from conceptrules.report.collect import Report, collect
from conceptrules.report.rule_list import find_unstable_rules, list_rules
from conceptrules.report.sentences import describe_tuning, judge_fairness

_STATED = "Not stated. Whoever puts the model to use should say it here."
_KINDS = {
    "decision": "a network of AND/OR rules (Concept Rule Set)",
    "classes": "a scorecard: rules with whole-number points that add up",
    "number": "a scorecard: rules that add up to a number, or multiply to it",
}
_RULES = 40  # rules that a card shows; of larger networks it says where they are
_WORST = 5  # rules with the largest errors
_STYLE = (
    "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;"
    "padding:0 1rem}pre{overflow-x:auto}table{border-collapse:collapse}"
    "td,th{text-align:left;padding:.2rem 1rem .2rem 0;border-bottom:1px solid #8885;vertical-align:top}</style>"
)

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>{style}</head>
<body>
{body}
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Grid:
    """A small table: what, and its value."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Text whose lines stay as they are."""

    text: str


Block = str | Grid | Listing


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model card. It prints as Markdown, a notebook shows it, and `save` writes it as Markdown or HTML."""

    title: str
    """The heading."""
    sections: tuple[Section, ...]
    """What the card says, in its order."""

    def __str__(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return "\n".join([f"<h1>{_html(self.title)}</h1>", *map(_section_html, self.sections)])

    def markdown(self) -> str:
        """Return the card as Markdown.

        Returns
        -------
        str
            The content of a .md file.
        """
        return "\n\n".join([f"# {escape_markdown(self.title)}", *map(_section_markdown, self.sections)]) + "\n"

    def html(self) -> str:
        """Return the card as HTML.

        Returns
        -------
        str
            A document that loads nothing and runs nothing.
        """
        return _PAGE.format(title=_html(self.title), style=_STYLE, body=self._repr_html_())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the card to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            The file; its name ends in .md or .html.

        Raises
        ------
        InputError
            If the name has another end, or the folder does not exist.
        """
        end = check_place(path).suffix.lower()
        if end not in (".md", ".html"):
            raise InputError(f"a model card is written to a file that ends in .md or .html, not {os.fspath(path)!r}")
        write_whole((self.html() if end == ".html" else self.markdown()).encode("utf-8"), path)


def model_card(
    network: RuleNetwork, X: Any = None, y: Any = None, *, title: str, intended_use: str = "", owner: str = ""
) -> ModelCard:
    """Return the model card of a network.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    X : table, optional
        Rows to test the network on, best ones that it was not learned from. Without rows, the card has no scores.
    y : array-like, optional
        The true class of each row of `X`.
    title : str
        The heading.
    intended_use : str, optional
        What the model is for, and what not. Nobody else can know it, so without it the card says that it is missing.
    owner : str, optional
        Who answers for the model.

    Returns
    -------
    ModelCard
        The card.

    Raises
    ------
    InputError
        If only one of `X` and `y` is given.
    """
    report = collect(network, X, y, title=title)
    verdicts = tuple((verdict.text, verdict.outcome) for verdict in report.verdicts)
    return ModelCard(
        title,
        (
            Section("Model details", (" ".join(report.sentences[:2]), Grid(tuple(_details(report, owner))))),
            Section("Intended use", (intended_use or _STATED,)),
            Section("Training data", tuple(_training(report))),
            Section("Metrics", tuple(_metrics(report))),
            Section("Rules", (_rules(network),)),
            *([Section("Policy", (Grid(verdicts),))] if verdicts else []),
            Section("Caveats and recommendations", tuple(_caveats(report))),
        ),
    )


def _details(report: Report, owner: str) -> Iterator[tuple[str, str]]:
    network, training = report.network, report.audit.training
    yield "owner", owner or "not stated"
    yield "kind of model", _KINDS[report.kind]
    yield "size", f"{plural(rule_count(network), 'rule')}, {plural(network.edges, 'edge')}"
    if network.classes:
        yield "classes", ", ".join(map(word, network.classes))
    if network.target:
        yield "target", network.target
    yield "hash", report.hash
    if training is not None:
        yield "learned by", f"conceptrules {training.version}"
        yield "seed", "not recorded" if training.seed is None else str(training.seed)
    if report.head:
        yield "edited by hand", f"{plural(len(network.trail), 'entry', 'entries')} on its trail, the last {report.head}"


def _training(report: Report) -> Iterator[Block]:
    network, training = report.network, report.audit.training
    if training is None:
        yield "How the model was learned was not recorded."
        return
    yield f"{plural(training.rows, 'row')} with {_count_columns(report)}. {describe_tuning(network, training)}"
    if network.statistics is not None and network.classes:
        shares = zip(network.classes, network.statistics.rows, strict=True)
        total = sum(network.statistics.rows) or 1
        yield Grid(tuple((word(label), f"{rows:,.0f} rows ({percent(rows / total)})") for label, rows in shares))


def _metrics(report: Report) -> Iterator[Block]:
    yield report.sentences[2].replace("this report", "this card")
    if report.audit.rows:
        tested = judge_fairness(report.audit)
        yield f"{tested.title} {tested.text}"
    if report.audit.scores is not None:
        yield Grid(tuple(_scores(report.audit.scores)))
    if report.audit.numbers is not None:
        yield Grid(tuple(_errors(report.audit.numbers)))
    if report.audit.groups:
        yield Listing(describe_groups(report.audit.groups))


def _errors(numbers: NumberEvaluation) -> Iterator[tuple[str, str]]:
    yield "R2", "-" if numbers.r2 is None else f"{numbers.r2:.3f}"
    yield "root mean squared error", f"{numbers.rmse:.4g} (always the mean: {numbers.mean_rmse:.4g})"
    yield "mean absolute error", f"{numbers.mae:.4g} (always the mean: {numbers.mean_mae:.4g})"
    for each in numbers.by_rule[:_WORST]:
        yield f"mean absolute error where {each.text}", f"{each.mae:.4g}, {plural(each.rows, 'row')}"


def _scores(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    figures = {
        "accuracy": evaluation.accuracy,
        "balanced accuracy": evaluation.balanced_accuracy,
        "macro-F1": evaluation.macro_f1,
        "AUC": evaluation.auc,
        "log loss": evaluation.log_loss,
        "calibration error": evaluation.calibration_error,
    }
    yield from ((name, f"{value:.3f}") for name, value in figures.items() if value is not None)
    for scores in evaluation.by_class:
        precision, recall = ("-" if share is None else f"{share:.3f}" for share in (scores.precision, scores.recall))
        yield f"class {word(scores.label)}", f"precision {precision}, recall {recall}, {plural(scores.rows, 'row')}"


def _rules(network: RuleNetwork) -> Block:
    count = rule_count(network)
    if count <= _RULES:
        return Listing("\n".join(map(printable, str(network).splitlines())))
    return f"There are {count:,} rules, too many for a card; conceptrules rules and the report show them all."


def _caveats(report: Report) -> Iterator[str]:
    yield "The rules say what goes together in the training data, not what causes what."
    scores, judged = report.audit.scores, report.audit.scores or report.audit.numbers
    if judged is None:
        yield "No rows were given to test the model on."
    elif report.audit.overlap is None or judge_fairness(report.audit).kind == "bad":
        yield "The scores above may be of rows that the model has learned from: test it on others."
    if scores is not None and scores.settled:
        none, _, several = scores.settled
        yield (
            f"No rule holds on {percent(none.rows / scores.rows)} of the rows, which get the default class; rules of "
            f"several classes hold on {percent(several.rows / scores.rows)}."
        )
    if judged is not None and judged.unseen:
        listed = ", ".join(f"{name} ({plural(rows, 'row')})" for name, rows in judged.unseen[:5])
        yield f"Values that training never showed: {listed}."
    weak = find_unstable_rules(list_rules(report.groups))
    if weak:
        count = plural(len(weak), "rule")
        yield f"{count} could be left out on more than a tenth of the resamples of the training rows."
    if report.audit.unused:
        yield f"No rule asks about {len(report.audit.unused)} of the {_count_columns(report)}."


def _count_columns(report: Report) -> str:
    """Count those that no rule asks about, too, which the network of a report has not."""
    return plural(len(report.fields) + len(report.audit.unused), "column")


def _section_markdown(section: Section) -> str:
    return "\n\n".join([f"## {section.title}", *map(_block_markdown, section.blocks)])


def _block_markdown(block: Block) -> str:
    if isinstance(block, Grid):
        lines = [f"| {escape_markdown(name)} | {escape_markdown(value)} |" for name, value in block.rows]
        return "\n".join(["| | |", "|---|---|", *lines])
    if isinstance(block, Listing):
        return "\n".join(f"    {line}".rstrip() for line in block.text.splitlines())  # no text can end such a block
    return escape_markdown(block)


def _section_html(section: Section) -> str:
    return "\n".join([f"<h2>{_html(section.title)}</h2>", *map(_block_html, section.blocks)])


def _block_html(block: Block) -> str:
    if isinstance(block, Grid):
        rows = "".join(f"<tr><th>{_html(name)}</th><td>{_html(value)}</td></tr>" for name, value in block.rows)
        return f"<table>{rows}</table>"
    if isinstance(block, Listing):
        return f'<pre style="font-family: ui-monospace, monospace">{escape(block.text)}</pre>'
    return f"<p>{_html(block)}</p>"


def _html(text: str) -> str:
    return escape(printable(text))
