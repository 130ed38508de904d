"""`conceptrules fit`: a network learned from a table, as a model file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from conceptrules.cli.files.file_names import STREAM, check_model_output, check_not_input
from conceptrules.cli.files.models import write_model
from conceptrules.cli.large_tables import batches_task, files_of, is_large
from conceptrules.cli.learner import Learner, learning_task
from conceptrules.cli.options import (
    Bins,
    CheckpointFile,
    DateOrder,
    DateParts,
    Delimiter,
    Device,
    Drop,
    Effort,
    Files,
    Groups,
    Jobs,
    Json,
    Kinds,
    Layers,
    MaxCategories,
    MaxEdges,
    MaxEpochs,
    MaxRuleLength,
    MaxRules,
    Method,
    MinRows,
    MissingWords,
    Negation,
    Only,
    PolicyFile,
    Quiet,
    Rate,
    Scoring,
    Scratch,
    Seed,
    Target,
    Time,
)
from conceptrules.model.errors import InputError
from conceptrules.model.metrics import SCORE_NAMES
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import no_rule, plural, rule_count, word
from conceptrules.tables.files.text_format import text_format

if TYPE_CHECKING:
    from conceptrules.cli.learner import Classifier
    from conceptrules.kernels.timing import Seconds
    from conceptrules.learn.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class Summary:
    """What `fit` says about the network that it has learned."""

    rules: int
    edges: int
    rows: int
    """How many it was learned from."""
    scoring: str
    score: float | None
    scored_on: str | None
    """The rows of the score: "held-out", or "training" if there are too few to hold some out."""
    commonest: str | None
    """The class with the most rows; None if the model has no statistics."""
    base_score: float | None
    """The score of always answering it."""
    seconds: float
    """How long learning took."""
    compiling: float
    """How many seconds the kernels were compiled for, besides."""


def fit(
    data: Files,
    *,
    target: Target,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file; - for standard output.")],
    drop: Drop,
    only: Only,
    kind: Kinds,
    method: Method = "search",
    effort: Effort = None,
    scoring: Scoring = None,
    max_edges: MaxEdges = None,
    max_rules: MaxRules = None,
    max_rule_length: MaxRuleLength = None,
    min_rows: MinRows = None,
    policy: PolicyFile = None,
    layers: Layers = None,
    rate: Rate = None,
    negation: Negation = None,
    max_epochs: MaxEpochs = None,
    max_categories: MaxCategories = 255,
    seed: Seed = 0,
    n_jobs: Jobs = -1,
    device: Device = None,
    groups: Groups = "",
    time: Time = "",
    bins: Bins = 0,
    date_parts: DateParts = False,
    delimiter: Delimiter = "",
    missing: MissingWords = "",
    dates: DateOrder = "",
    checkpoint: CheckpointFile = "",
    scratch: Scratch = "",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn a network from a table and write it to a file.

    Tables of several files, and large ones, are read in batches: they may be larger than memory.
    """
    from conceptrules.kernels.timing import timed

    check_model_output(output)
    if as_json and output == STREAM:
        raise InputError("--json and -o - both write to standard output; name a file for the model")
    files = files_of(data)
    check_not_input(output, files)
    saved = _checkpoint(checkpoint, [*files, output])
    learner = Learner(
        method=method,
        effort=effort,
        scoring=scoring,
        max_edges=max_edges,
        max_rules=max_rules,
        max_rule_length=max_rule_length,
        min_rows=min_rows,
        policy=policy,
        layers=layers,
        rate=rate,
        negation=negation,
        max_epochs=max_epochs,
        max_categories=max_categories,
        seed=seed,
        n_jobs=n_jobs,
        device=device,
    )
    if groups and time:
        raise InputError("--groups and --time both say which rows are held out; give one of them")
    together = {name: column for name, column in (("groups", groups), ("time", time)) if column}
    text = text_format(delimiter, missing, dates)
    at_once = {
        "--groups": groups,
        "--time": time,
        "--bins": bins,
        "--date-parts": date_parts,
        "--checkpoint": checkpoint,
        "--method mllp": method == "mllp",
    }
    needed = next((option for option, given in at_once.items() if given), None)
    if len(files) > 1 and needed:
        raise InputError(
            f"{needed} needs the whole table in memory, in one file; put the files into one, or leave it out"
        )
    clf: Classifier
    X: Any
    y: Any
    more: dict[str, Any]
    if len(files) > 1 or (not needed and is_large(files[0])):
        clf, X = batches_task(files, target, drop, only, kind, learner, text)
        y, more = target, {"scratch": scratch or None}
    else:
        clf, X, y, held = learning_task(files[0], target, drop, only, kind, learner, text, bins, date_parts, together)
        more = {**held, "checkpoint": saved}
    with timed() as seconds:
        interrupted = _fitted(clf, X, y, more)
    network = replace(clf.network_, target=target)
    write_model(network, output)
    if saved is not None and not interrupted:
        saved.remove()
    if as_json:
        typer.echo(json.dumps(asdict(_summary(clf, network, len(y), seconds)), indent=1))
    elif not quiet:
        summary = _summary(clf, network, len(y), seconds)
        counts = f"{plural(summary.rules, 'rule')}, {plural(summary.edges, 'edge')}"
        typer.echo(f"{counts}, learned from {plural(summary.rows, 'row')} in {seconds}", err=True)
        typer.echo(_verdict(summary) if summary.rules else no_rule(network), err=True)
    if interrupted:
        raise typer.Exit(130)


def _checkpoint(name: str, others: list[str]) -> Checkpoint | None:
    """Return the checkpoint of the fit, which stays until the model file is written."""
    if not name:
        return None
    from conceptrules.learn.checkpoint import Checkpoint

    for other in others:
        if other != STREAM and Path(name).resolve() == Path(other).resolve():
            raise InputError(f"--checkpoint {name} is the file {other} itself, which would be lost; name another one")
    return Checkpoint(name, stays=True)


def _summary(clf: Classifier, network: RuleNetwork, rows: int, seconds: Seconds) -> Summary:
    seen, training = network.statistics, network.training
    scoring = clf.get_params().get("scoring", "f1_macro")
    scores = [float(one.score) for one in clf.frontier_ if one.network is clf.network_]
    counts = None if seen is None else np.array(seen.rows)
    source = training.validation.source if training and training.validation else None
    return Summary(
        rules=rule_count(network),
        edges=network.edges,
        rows=training.rows if training else rows,
        scoring=scoring,
        score=next(iter(scores), None),
        scored_on=source and ("training" if source == "training" else "held-out"),
        commonest=None if counts is None else str(network.classes[counts.argmax()]),
        base_score=None if counts is None else base_score(counts, scoring),
        seconds=round(seconds.own, 3),
        compiling=round(seconds.compiling, 3),
    )


def _verdict(found: Summary) -> str:
    """Return how good the network is on held-out rows, beside always answering the commonest class."""
    score = f"{SCORE_NAMES[found.scoring]} {found.score:.3f}"
    if found.scored_on is None or found.commonest is None:
        return score
    where = "held-out rows" if found.scored_on == "held-out" else "training rows: too few to hold some out"
    return f"{score} on {where} (always answering {word(found.commonest)} has {found.base_score:.3f})"


def base_score(counts: np.ndarray, scoring: str) -> float:
    """Return the score of always answering the commonest class; `counts` has the rows of each.

    >>> base_score(np.array([30.0, 70.0]), "accuracy")
    0.7
    """
    from conceptrules.kernels.search.scores import score_of
    from conceptrules.learn.search.settings import SCORINGS

    confusion = np.zeros((len(counts), len(counts)))
    confusion[:, counts.argmax()] = counts
    return float(score_of(confusion, SCORINGS[scoring]))


def _fitted(clf: Classifier, X: Any, y: Any, held: dict[str, Any]) -> bool:
    """Fit the estimator; return whether Ctrl-C ended that early, with a network to keep."""
    try:
        clf.fit(X, y, **held)
    except KeyboardInterrupt:
        if not hasattr(clf, "network_"):
            raise
        return True
    return False
