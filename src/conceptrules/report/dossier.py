"""The file for the auditor: what is known of a model, collected from audit, proof, trail and monitoring, in a folder.

Nothing is measured here: each section shows what another part of the package says.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any

from conceptrules import __version__
from conceptrules.explain.contributions import compute_contributions
from conceptrules.explain.group_scores import GroupFigure, measure_figures
from conceptrules.explain.importance_scores import importance
from conceptrules.explain.stability import RESAMPLES, resample_card
from conceptrules.logic.policies.proof import Proof, prove
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Domain
from conceptrules.model.predicate import printable
from conceptrules.model.text import percent, plural, word
from conceptrules.model.trail import SIGNATURE, find_tampering, list_signatures
from conceptrules.monitor.monitoring import Monitoring, figure_text, figure_title
from conceptrules.monitor.watching import monitor
from conceptrules.report.collect import Report, collect
from conceptrules.report.document import Block, Document, Grid, Listing, Section
from conceptrules.report.model_card import describe_training_rows, list_caveats, list_details, show_rules
from conceptrules.report.rule_list import STABLE, list_rules
from conceptrules.report.sentences import judge_fairness
from conceptrules.tables.table import list_labels

SUMS, CHECKER = "SHA256SUMS", "check.py"
MODEL, CERTIFICATE = "model.json", "certificate.json"
OPEN = "OPEN: the owner has not answered yet."
_SENSITIVITY = (
    "How much of the predictions of the rows given is due to each column.",
    "How many answers of the rows given change where a column says nothing: every test of it is taken out of its "
    "rule, or of a scorecard, no rule holds that asks about it.",
)
_OPTIONS = {
    **{name: name.replace("_", "-") for name in (
        "seed", "effort", "scoring", "loss", "step", "max_edges", "max_columns", "max_points", "cutoff", "max_rules",
        "max_rule_length", "min_rows", "max_categories", "max_epochs", "layers", "negation", "immutable", "keep",
    )},
    "kinds": "kind", "relations": "relation", "binarization_rate": "rate",
}  # fmt: skip
"""The settings that the command line has, and what it calls them."""
_MOST_COLUMNS = 200
_NO_ADVICE = (
    "This table is a help to find things. It is no legal advice, and having a section does not mean that what is in it "
    "is enough."
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the sections of a dossier are made of."""

    report: Report
    network: RuleNetwork
    """The whole network; that of the report has no columns but those that its rules ask about."""
    figures: tuple[GroupFigure, ...]
    """The figures of the rows, with intervals."""
    weights: Grid
    """How much depends on each column."""
    resampled: tuple[float, ...]
    """Of a scorecard, the share of resamples of the rows that need each rule."""
    watched: Monitoring
    """The rows against training, which is what monitoring compares later rows with."""
    proof: Proof | None
    """The policy, proved anew; None without one."""
    answers: Mapping[str, str]
    """What the owner said, by question."""
    source: tuple[tuple[str, str], ...]
    """What is known of the table of the rows: its file, and the hash of that."""


def collect_facts(
    network: RuleNetwork,
    X: Any,
    y: Any,
    answers: Mapping[str, str],
    by: Sequence[str] = (),
    source: tuple[tuple[str, str], ...] = (),
) -> Facts:
    """Return what the dossier of a network shows on these rows."""
    labels = list_labels(y)
    report = collect(network, X, labels, title=f"Dossier: {network.target or 'a model of rules'}", by=by)
    judged = report.audit.scores or report.audit.numbers
    assert judged is not None
    policy, proof = network.policy, None
    if policy is not None:
        proof = prove(network, policy, data=X, labels=labels if network.classes else None)
    figures = measure_figures(network, X, labels, judged)
    known = set(map(str, network.classes))
    watched = monitor(network, X, None if known and not known >= set(map(str, labels)) else labels)
    resampled = () if network.head is None else resample_card(network, X, labels)
    return Facts(report, network, figures, _weigh_columns(network, X), resampled, watched, proof, answers, source)


def _weigh_columns(network: RuleNetwork, X: Any) -> Grid:
    if network.classes:
        weights = importance(network, X)
        changes = ((word(each.name), each.changed) for each in sorted(weights.columns, key=lambda each: -each.changed))
        rows = tuple((name, f"{percent(count / weights.rows)} of the answers") for name, count in changes if count)
        return Grid(rows, ("column", "change without it"))
    added = compute_contributions(network, X, by="column")
    spread = (added.values - added.values.mean(axis=0)).std(axis=0) * (added.step or 1.0)
    unit = " of the logarithm" if network.head and network.head.link == "log" else ""
    pairs = sorted(zip(added.names, spread.tolist(), strict=True), key=lambda pair: -pair[1])
    rows = tuple((word(name), f"{value:.4g}{unit}") for name, value in pairs)
    return Grid(rows, ("column", "standard deviation of what it adds"))


# The sections


def compose(facts: Facts, when: str) -> Document:
    """Return the dossier; `when` it was made, in UTC."""
    report, answers = facts.report, facts.answers
    still_open = [name for name, answer in answers.items() if not answer]
    fairness = judge_fairness(report.audit)
    tested = f"{fairness.title} {fairness.text} The intervals are of 95 %: how far chance alone can move a figure."
    questions = tuple((text, answers[name] or OPEN) for name, text in read_guidance()["questions"].items())
    sections = [
        Section("Purpose and limits", (Grid(questions),)),
        Section("The model", (show_rules(facts.network),)),
        Section("Data", tuple(_describe_data(facts))),
        Section("Figures", (tested, _figure_grid(facts.figures), *list_caveats(report))),
        Section("By group", tuple(_describe_groups(report))),
        Section("Stability", tuple(_describe_stability(facts))),
        Section("Sensitivity", (_SENSITIVITY[bool(facts.network.classes)], facts.weights)),
        Section("Policy and proofs", tuple(_describe_policy(facts))),
        Section("Edits and signatures", tuple(_describe_trail(facts.network))),
        Section("Monitoring", tuple(_describe_monitoring(facts))),
        Section("How to reproduce it", tuple(_describe_training(facts.network))),
        Section("How to check it", tuple(_describe_checks(facts))),
        Section("Where to find what guidance asks for", tuple(_describeread_guidance())),
    ]
    unsaid = [each.title for each in sections if any(str(block).startswith("OPEN") for block in each.blocks)]
    facts_of_model = (
        ("made", f"{when} UTC by conceptrules {__version__}"),
        *list_details(report, answers["owner"]),
        ("open questions to the owner", ", ".join(still_open) or "none"),
        ("sections with something open", ", ".join(unsaid) or "none"),
    )
    sentences = " ".join(report.sentences).replace("this report", "this dossier")
    summary = Section("Summary", (sentences, Grid(facts_of_model)))
    return Document(printable(report.title), (summary, *sections))


def _describe_data(facts: Facts) -> Iterator[Block]:
    network = facts.network
    yield from describe_training_rows(facts.report)
    used = network.used_columns
    shown = [column for column in network.columns if len(network.columns) <= _MOST_COLUMNS or column.name in used]
    rows = tuple(
        (word(column.name), column.kind, "yes" if column.name in used else "no", "yes" if column.missing else "no")
        for column in shown
    )
    yield Grid(rows, ("column", "kind", "asked about", "had gaps in training"))
    if len(shown) < len(network.columns):
        yield f"{len(network.columns) - len(shown)} further columns are not asked about."
    yield "The rows that the figures below are of:"
    unseen = ", ".join(f"{name} ({rows:,})" for name, rows in _judged(facts.report).unseen) or "none"
    yield Grid((*facts.source, ("rows", f"{facts.report.audit.rows:,}"), ("values that training never showed", unseen)))


def _judged(report: Report) -> Any:
    return report.audit.scores or report.audit.numbers


def _figure_grid(figures: Sequence[GroupFigure]) -> Grid:
    rows = (
        (each.name, *("-" if value is None else f"{value:.4g}" for value in (each.value, each.low, each.high)))
        for each in figures
    )
    return Grid(tuple(rows), ("figure", "value", "from", "to"))


def _describe_groups(report: Report) -> Iterator[Block]:
    if not report.audit.groups:
        yield "OPEN: no groups were compared; name columns with --by."
    for column, scores in groupby(report.audit.groups, key=lambda each: each.column):
        own = list(scores)
        rows = tuple(
            ("missing" if each.group is None else word(each.group), f"{each.rows:,}", *map(str, each.figures))
            for each in own
        )
        yield Grid(rows, (word(column), "rows", *(figure.name for figure in own[0].figures)))


def _describe_stability(facts: Facts) -> Iterator[Block]:
    items = list_rules(facts.report.groups)
    recorded = [(item, item.stability) for item in items if item.stability is not None]
    if recorded:
        yield "The share of resamples of the training rows on which the macro-F1 is lower without a rule."
    elif facts.resampled:
        loss = "log loss" if facts.network.classes else "squared error"
        yield f"The share of {RESAMPLES} resamples of the rows given on which the {loss} is larger without a rule."
        recorded = list(zip(items[: len(facts.resampled)], facts.resampled, strict=True))
    else:
        yield "How stable the rules are over resamples of the training rows was not recorded for this model."
        return
    weak = sum(share < STABLE for _, share in recorded)
    yield f"{plural(weak, 'rule')} could be left out on more than a tenth of them."
    rows = tuple((f"{item.name}: {item.text}", percent(share)) for item, share in recorded)
    yield Grid(rows, ("rule", "resamples that need it"))


def _describe_policy(facts: Facts) -> Iterator[Block]:
    proof = facts.proof
    if proof is None or facts.network.policy is None:
        yield "OPEN: the model has no policy, so nothing was proved of it."
        return
    rows = tuple((each.name, each.text, each.outcome, each.reason) for each in proof.verdicts)
    yield Grid(rows, ("clause", "what it asks for", "verdict", "of what, or why"))
    domain = facts.network.policy.domain
    yield "These rows are possible:" if domain != Domain() else "Every row that a table could hold is possible."
    if domain != Domain():
        gaps = f"in {', '.join(domain.missing)}" if isinstance(domain.missing, tuple) else _say(domain.missing)
        limits = [(word(name), f"from {low:g} to {high:g}") for name, low, high in domain.ranges]
        limits += [("missing values", gaps), ("unknown categories", _say(domain.unseen))]
        yield Grid((*limits, *(("impossible", rule) for rule in domain.impossible)))
    shown = [f"{each.name}:\n{each.counterexample}" for each in proof.verdicts if each.counterexample]
    if shown:
        yield Listing("\n\n".join(shown))
    yield (
        f"{CERTIFICATE} has the splits that prove the clauses about all possible rows. {CHECKER} follows them, and "
        "shares no code with what found them; clauses about given rows and signatures are no part of it."
    )


def _say(possible: bool) -> str:
    return "possible" if possible else "not possible"


def _describe_trail(network: RuleNetwork) -> Iterator[Block]:
    from conceptrules.edit.trail import log_text

    valid, signed = list_signatures(network), [each for each in network.trail if each.edit.get("kind") == SIGNATURE]
    if not network.trail:
        yield "OPEN: nobody has signed the model. It was never edited by hand, or its trail was taken out."
        return
    yield find_tampering(network) or "Every entry of the trail is as it was written, and follows the one before."
    if signed:
        rows = tuple(
            (
                each.who,
                str(each.edit.get("role")),
                each.when,
                each.why,
                "the model as it is" if each in valid else "an earlier one",
            )
            for each in signed
        )
        yield Grid(rows, ("signed by", "as", "when (UTC)", "motive", "of"))
    if not valid:
        yield "OPEN: nobody has signed the model as it is."
    if len(signed) < len(network.trail):
        yield Listing(log_text(network.trail))


def _describe_monitoring(facts: Facts) -> Iterator[Block]:
    triggers = facts.network.policy.triggers if facts.network.policy else ()
    if triggers:
        limits = ((each.when, each.of or "each", str(each.within), f"{each.confidence:g}") for each in triggers)
        yield Grid(tuple(limits), ("trigger", "of", "within", "confidence"))
    else:
        yield "OPEN: no trigger says when somebody has to look at the model again ([[monitor]] in the policy)."
    watched = facts.watched
    fired = [*map(str, watched.fired), *(f"not judged: {each}" for each in watched.unjudged)]
    if triggers:
        yield "On the rows given: " + ("; ".join(fired) or "no trigger fires") + "."
    if watched.basis == "nothing":
        yield from watched.notes
        return
    yield Listing("\n".join(watched.changes[:12]) or "nothing changed more than by chance since training")
    rows = (
        (figure_title(each), figure_text(each, each.value), figure_text(each, each.trained) or "-")
        for each in watched.figures
        if each.value or not each.of
    )
    yield Grid(tuple(rows), ("figure", "rows given", "training"))


def _describe_training(network: RuleNetwork) -> Iterator[Block]:
    training = network.training
    if training is None:
        yield "OPEN: how the model was learned was not recorded, so it cannot be learned again."
        return
    yield (
        f"conceptrules {training.version} gives the same model from the same {plural(training.rows, 'row')}, whatever "
        "the number of cores"
        + ("." if training.seed is not None else "; but no seed was recorded, so another fit may differ.")
    )
    settings = {"seed": training.seed, **{name: value for name, value in training.settings if value not in (None, ())}}
    method = "scorecard" if network.head is not None and network.classes else "regression"
    method = method if network.head is not None else "search" if training.rate is None else "mllp"
    command = f"conceptrules fit TRAINING.csv --target {shlex.quote(network.target or 'TARGET')} --method {method}"
    for name, option in _OPTIONS.items():
        value = settings.pop(name, None)
        if isinstance(value, bool):
            command += f" --{option}" if value else f" --no-{option}"
        elif value is not None:
            several = value if isinstance(value, tuple) else (value,)
            each_alone = name in ("kinds", "relations", "keep")
            texts = map(str, several) if each_alone else [",".join(map(str, several))]
            command += "".join(f" --{option} {shlex.quote(text)}" for text in texts)
    command += " --policy POLICY.toml" if network.policy is not None else ""
    yield Listing(printable(f"{command} -o {MODEL}"))
    if settings:
        yield Grid(
            tuple((name, str(value)) for name, value in settings.items()), ("settings that only Python has", "value")
        )
    if network.policy is not None:
        yield "POLICY.toml stands for the policy, which the model file carries."
    if any(each.edit.get("kind") != SIGNATURE for each in network.trail):
        yield f"Then it was edited; conceptrules replay {MODEL} NEW.json makes the edits of its trail on another model."


def _describe_checks(facts: Facts) -> Iterator[Block]:
    data = dict(facts.source).get("file", "DATA.csv")
    commands = [("Are these the files that were written?", f"sha256sum -c {SUMS}")]
    if facts.proof is not None:
        commands.append(("Are the clauses proved?", f"python {CHECKER} {MODEL} {CERTIFICATE}"))
    if facts.network.trail:
        commands.append(("Is the trail as it was written?", f"conceptrules log {MODEL} --verify"))
    commands.append(("The figures again", f"conceptrules evaluate {MODEL} {shlex.quote(data)}"))
    yield "In this folder:"
    yield Listing("\n".join(f"# {question}\n{printable(command)}" for question, command in commands))
    yield (
        f"{CHECKER} is conceptrules.check, a file of its own that needs Python 3.11 and nothing else; whoever does not "
        "trust this copy takes it from the source. The sums show that files were changed only to those who keep the "
        f"sum of {SUMS} elsewhere, or sign it with a key: signatures on the trail are statements, not cryptography."
    )


def _describeread_guidance() -> Iterator[Block]:
    yield _NO_ADVICE
    for each in read_guidance()["guidance"]:
        yield each["about"]
        yield Grid(tuple(map(tuple, each["rows"])), (each["name"], "section of this dossier"))


def read_guidance() -> dict[str, Any]:
    """Return the questions to the owner, and what guidance asks for."""
    return tomllib.loads(files("conceptrules.report").joinpath("guidance.toml").read_text(encoding="utf-8"))
