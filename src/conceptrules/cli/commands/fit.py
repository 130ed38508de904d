"""`conceptrules fit`: a network learned from a table, as a model file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from conceptrules.cli.console import to_json
from conceptrules.cli.files import check_model_output, check_not_input, list_files, write_model
from conceptrules.cli.learner import LearningTask, find_method, is_large, task_in_batches, task_in_memory
from conceptrules.cli.options import Files, Json, LearningOptions, Quiet, Target, option
from conceptrules.model.errors import InputError
from conceptrules.model.metrics import SCORE_NAMES, read_score
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import no_rules_text, plural, rule_count, word
from conceptrules.tables.files.formats import STREAM

if TYPE_CHECKING:
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
    """The score of always answering it; None of scores that no answer has, such as AUC."""
    seconds: float
    """How long learning took."""


_NUMBER_SCORES = {
    "squared_error": ("r2", "R2", "mean"),
    "absolute_error": ("d2_absolute_error", "D2 of the absolute error", "median"),
    "poisson": ("d2_poisson", "D2 of the Poisson deviance", "mean"),
}
"""For each loss, the score that held-out rows give, in words, and the answer that has 0."""


def fit(
    data: Files,
    *,
    target: Target,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file; - for standard output.")],
    learning: LearningOptions,
    checkpoint: Annotated[
        str,
        option("A file to keep what is finished: started again after a kill, fit goes on from it. Removed at the end."),
    ] = "",
    scratch: Annotated[
        str,
        option(
            "The folder for what does not fit into memory, of large tables; it is removed at the end.",
            default="the usual one for temporary files",
        ),
    ] = "",
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn a network from a table and write it to a file.

    Tables of several files, and large ones, are read in batches: they may be larger than memory.
    """
    check_model_output(output)
    if as_json and output == STREAM:
        raise InputError("--json and -o - both write to standard output; name a file for the model")
    files = list_files(data)
    check_not_input(output, files)
    saved = _checkpoint(checkpoint, [*files, output])
    if saved is not None and find_method(learning.learner) in ("scorecard", "regression"):
        raise InputError("--checkpoint does not know scorecards yet; leave it out")
    if learning.exposure and learning.learner.loss != "poisson":
        raise InputError("--exposure is for --regression --loss poisson; add these, or leave --exposure out")
    if learning.groups and learning.time:
        raise InputError("--groups and --time both say which rows are held out; give one of them")
    whole_option = _find_whole_table_option(learning)
    if len(files) > 1 and whole_option:
        raise InputError(
            f"{whole_option} needs the whole table in memory, in one file; put the files into one, or leave it out"
        )
    if len(files) > 1 or (not whole_option and is_large(files[0])):
        task = task_in_batches(files, target, learning)
        task.fit_parameters["scratch"] = scratch or None
    else:
        task = task_in_memory(files[0], target, learning)
    if saved is not None:
        task.fit_parameters["checkpoint"] = saved
    start = perf_counter()
    interrupted = _fit(task)
    seconds = perf_counter() - start
    network = replace(task.classifier.network_, target=target)
    write_model(network, output)
    if saved is not None and not interrupted:
        saved.remove()
    summary = _summarize(task, network, seconds)
    if as_json:
        typer.echo(to_json(asdict(summary)))
    elif not quiet:
        counts = f"{plural(summary.rules, 'rule')}, {plural(summary.edges, 'edge')}"
        typer.echo(f"{counts}, learned from {plural(summary.rows, 'row')} in {seconds:.1f} s", err=True)
        verdict = _verdict(summary) if summary.rules else no_rules_text(network)
        typer.echo("\n".join(filter(None, [str(task.classifier.relations_ or ""), verdict])), err=True)
    if interrupted:
        raise typer.Exit(130)


def _find_whole_table_option(learning: LearningOptions) -> str | None:
    """Return the first option given that needs the whole table in memory."""
    options = {
        "--bins": learning.bins,
        "--date-parts": learning.date_parts,
        "--method mllp": find_method(learning.learner) == "mllp",
    }
    return next((option for option, value in options.items() if value), None)


def _checkpoint(name: str, other_files: list[str]) -> Checkpoint | None:
    """Return the checkpoint of the fit, which stays until the model file is written."""
    if not name:
        return None
    from conceptrules.learn.checkpoint import Checkpoint

    for other in other_files:
        if other != STREAM and Path(name).resolve() == Path(other).resolve():
            raise InputError(f"--checkpoint {name} is the file {other} itself, which would be lost; name another one")
    return Checkpoint(name, keep_file=True)


def _summarize(task: LearningTask, network: RuleNetwork, seconds: float) -> Summary:
    classifier, training = task.classifier, network.training
    scoring = classifier.get_params().get("scoring", "f1_macro")
    if not network.classes:
        scoring = _NUMBER_SCORES[classifier.get_params()["loss"]][0]
    scores = [float(point.score) for point in classifier.frontier_ if point.network is classifier.network_]
    counts = None if network.statistics is None or not network.classes else np.array(network.statistics.rows)
    source = training.validation.source if training and training.validation else None
    return Summary(
        rules=rule_count(network),
        edges=network.edges,
        rows=training.rows if training else len(task.y),
        scoring=scoring,
        score=next(iter(scores), None),
        scored_on="held-out"
        if not network.classes
        else source and ("training" if source == "training" else "held-out"),
        commonest=None if counts is None else str(network.classes[counts.argmax()]),
        base_score=None if counts is None else base_score(counts, scoring),
        seconds=round(seconds, 3),
    )


def _verdict(summary: Summary) -> str:
    """Return how good the network is on held-out rows, beside always answering the commonest class."""
    for name, words, constant in _NUMBER_SCORES.values():
        if summary.scoring == name:
            return f"{words} {summary.score:.3f} on held-out rows (always answering the {constant} has 0)"
    assert summary.score is not None
    score = f"{SCORE_NAMES[summary.scoring]} {read_score(summary.scoring, summary.score):.3f}"
    if summary.scored_on is None or summary.commonest is None:
        return score
    if summary.base_score is None:
        return f"{score} on {summary.scored_on} rows"
    base = read_score(summary.scoring, summary.base_score)
    where = "held-out rows" if summary.scored_on == "held-out" else "training rows: too few to hold some out"
    return f"{score} on {where} (always answering {word(summary.commonest)} has {base:.3f})"


def base_score(counts: np.ndarray, scoring: str) -> float | None:
    """Return the score of always answering the commonest class; `counts` has the rows of each. AUC and Brier have none.

    >>> base_score(np.array([30.0, 70.0]), "accuracy")
    0.7
    """
    from conceptrules.kernels.search.scores import score_of
    from conceptrules.learn.search.settings import SCORINGS

    if scoring not in SCORINGS:
        return None
    confusion = np.zeros((len(counts), len(counts)))
    confusion[:, counts.argmax()] = counts
    return float(score_of(confusion, SCORINGS[scoring]))


def _fit(task: LearningTask) -> bool:
    """Fit the estimator; return whether Ctrl-C ended that early, with a network to keep."""
    try:
        task.classifier.fit(task.X, task.y, **task.fit_parameters)
    except KeyboardInterrupt:
        if not hasattr(task.classifier, "network_"):
            raise
        return True
    return False
