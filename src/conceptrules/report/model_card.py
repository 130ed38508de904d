"""The model card: what a model is for, what it learned from, how good it is and where it fails, as one short page.

The headings are those of Mitchell et al., "Model Cards for Model Reporting" (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conceptrules.explain.group_scores import describe_groups
from conceptrules.explain.number_scores import NumberEvaluation
from conceptrules.explain.scores import Evaluation
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import printable
from conceptrules.model.text import percent, plural, rule_count, word
from conceptrules.model.trail import SIGNATURE, list_signatures, signature_text
from conceptrules.model.values import order_classes
from conceptrules.report.collect import Report, collect
from conceptrules.report.document import Block, Document, Grid, Listing, Section
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


@dataclass(frozen=True, slots=True)
class ModelCard(Document):
    """A model card. It prints as Markdown, a notebook shows it, and `save` writes it as Markdown or HTML."""


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
            Section("Model details", (" ".join(report.sentences[:2]), Grid(tuple(list_details(report, owner))))),
            Section("Intended use", (intended_use or _STATED,)),
            Section("Training data", tuple(describe_training_rows(report))),
            Section("Metrics", tuple(_metrics(report))),
            Section("Rules", (show_rules(network),)),
            *([Section("Policy", (Grid(verdicts),))] if verdicts else []),
            Section("Caveats and recommendations", tuple(list_caveats(report))),
        ),
    )


def list_details(report: Report, owner: str) -> Iterator[tuple[str, str]]:
    """Yield what the model is: its owner, kind, size, hash and seed."""
    network, training = report.network, report.audit.training
    yield "owner", owner or "not stated"
    yield "kind of model", _KINDS[report.kind]
    yield "size", f"{plural(rule_count(network), 'rule')}, {plural(network.edges, 'edge')}"
    if network.classes:
        yield "classes", ", ".join(map(word, order_classes(network.classes)))
    if network.target:
        yield "target", network.target
    yield "hash", report.hash
    if training is not None:
        yield "learned by", f"conceptrules {training.version}"
        yield "seed", "not recorded" if training.seed is None else str(training.seed)
    edits = sum(entry.edit.get("kind") != SIGNATURE for entry in network.trail)
    if edits:
        yield "edited by hand", f"{plural(edits, 'entry', 'entries')} on its trail, the last {report.head}"
    if signatures := list_signatures(network):
        yield "signed by", ", ".join(map(signature_text, signatures))


def describe_training_rows(report: Report) -> Iterator[Block]:
    """Yield what it learned from, and what was chosen on which rows."""
    network, training = report.network, report.audit.training
    if training is None:
        yield "How the model was learned was not recorded."
        return
    yield f"{plural(training.rows, 'row')} with {_count_columns(report)}. {describe_tuning(network, training)}"
    if network.statistics is not None and network.classes:
        rows_of = dict(zip(network.classes, network.statistics.rows, strict=True))
        shares = ((label, rows_of[label]) for label in order_classes(network.classes))
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


def show_rules(network: RuleNetwork) -> Block:
    """Return the rules as they print, if there are not too many."""
    count = rule_count(network)
    if count <= _RULES:
        return Listing("\n".join(map(printable, str(network).splitlines())))
    return f"There are {count:,} rules, too many for a card; conceptrules rules and the report show them all."


def list_caveats(report: Report) -> Iterator[str]:
    """Yield what to keep in mind."""
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
