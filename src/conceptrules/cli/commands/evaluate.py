"""`conceptrules evaluate`: how good a model is on rows whose classes are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.table import Table

from conceptrules.cli import columns
from conceptrules.cli.console import console, printable, table
from conceptrules.cli.files import read_model_and_table
from conceptrules.cli.learner import LearningTask, task_in_memory
from conceptrules.cli.options import TABLE, Json, LearningOptions, Target, Without
from conceptrules.explain.scores import Evaluation as Scores
from conceptrules.model.errors import InputError
from conceptrules.model.metrics import accuracy, macro_f1
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import percent
from conceptrules.model.values import label_text

if TYPE_CHECKING:
    import pyarrow as pa


def evaluate(
    paths: Annotated[
        list[str], typer.Argument(metavar="[MODEL] DATA", help="A model and a table; with --cv only a table. " + TABLE)
    ],
    *,
    target: Target = "",
    positive: Annotated[
        str,
        typer.Option(help="Of two classes, the one that Gini, KS and cut-offs are about.", show_default="the second"),
    ] = "",
    cv: Annotated[int, typer.Option(help="Learn and test on this many folds instead of testing a model.")] = 0,
    learning: Annotated[LearningOptions, Without("groups"), Without("time")],
    as_json: Json = False,
) -> None:
    """Test a model on a table, or learn and test by cross-validation.

    Prints accuracy, macro-F1, edges and the confusion matrix; of a model also AUC, log loss, calibration, precision and
    recall of each class, and for two classes Gini, KS and what comes out at each cut-off.

    Without --target, the target is the one that the model names, or else the one column that it does not know.
    The options for learning only count with --cv.
    """
    if len(paths) != (1 if cv else 2):
        raise InputError("give a model and a table, or only a table with --cv and --target")
    if not cv:
        network, source = read_model_and_table(paths[0], paths[1], learning.text.format)
        X, y = columns.read_labelled_rows(source, target, network)
        _tell_training_rows(network, X, y)
        found = evaluation(network, X, y, positive or None)
        if as_json:
            typer.echo(as_json_text([found]))
            return
        _show([found])
        console().print(f"\n{found.scores.details()}")
        return
    if positive:
        raise InputError("--positive is for the cut-offs of a model; leave it out with --cv")
    if not target:
        raise InputError("--cv learns, and so needs to know the target; say it with --target")
    folds = cross_validate(task_in_memory(paths[0], target, learning), cv, learning.learner.seed)
    if as_json:
        typer.echo(as_json_text(folds))
    else:
        _show(folds)


def _tell_training_rows(network: RuleNetwork, X: pa.Table, y: np.ndarray) -> None:
    """Say how many of the rows the model learned from, where these are more than chance has."""
    from conceptrules.explain.auditing import count_training_rows
    from conceptrules.report.sentences import FEW

    seen = count_training_rows(network, X, y.tolist())
    if seen is not None and seen.share >= FEW:
        typer.echo(
            f"note: the model learned from {percent(seen.share)} of these rows, and does better on them than on new "
            "ones; --cv 5 learns and tests on different rows",
            err=True,
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The answers of a network, counted: `matrix[i, j]` rows of the class `classes[i]` were answered `classes[j]`."""

    classes: tuple[str, ...]
    matrix: np.ndarray
    edges: int
    scores: Scores
    """The scores that people know."""

    @property
    def accuracy(self) -> float:
        """The share of rows that were answered with their class."""
        return accuracy(self.matrix)

    @property
    def macro_f1(self) -> float:
        """Return the mean F1 over the classes that occur, in the data or in the answers."""
        return macro_f1(self.matrix)


def evaluation(network: RuleNetwork, X: pa.Table, y: np.ndarray, positive: str | None = None) -> Evaluation:
    """Compare a network's answers with the known classes of these rows; classes that it never saw come last."""
    known = [label_text(label) for label in network.classes]
    return _compare(network, X, y, (*known, *sorted(set(map(label_text, y.tolist())) - set(known))), positive)


def cross_validate(task: LearningTask, folds: int, seed: int) -> list[Evaluation]:
    """Return an evaluation for each fold; folds are stratified and shuffled."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    X, y = task.X, task.y
    labels, counts = np.unique(y, return_counts=True)
    if not 2 <= folds <= counts.max():
        raise InputError(f"--cv {folds} is out of range: from 2 to {counts.max()}, the rows of the commonest class")
    classes = tuple(map(label_text, labels.tolist()))
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    networks = ((clone(task.classifier).fit(X.take(train), y[train]).network_, test) for train, test in splits)
    return [_compare(network, X.take(test), y[test], classes) for network, test in networks]


def _compare(
    network: RuleNetwork, X: pa.Table, y: np.ndarray, classes: tuple[str, ...], positive: str | None = None
) -> Evaluation:
    """Compare labels as text."""
    index = {label: number for number, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    truth, answers = ([index[label_text(label)] for label in labels.tolist()] for labels in (y, network.predict(X)))
    np.add.at(matrix, (truth, answers), 1)
    return Evaluation(classes, matrix, network.edges, network.evaluate(X, y, positive=positive))


def as_json_text(folds: Sequence[Evaluation]) -> str:
    """Return an object for each fold, or the one of a model, with all its scores."""
    from conceptrules.cli.commands.diff import plain_values

    each = [
        {"classes": fold.classes, "confusion": fold.matrix.tolist(), "edges": fold.edges, **asdict(fold.scores)}
        for fold in folds
    ]
    return json.dumps(plain_values(each if len(each) > 1 else each[0]), indent=1, allow_nan=False)


def _show(folds: Sequence[Evaluation]) -> None:
    """Print scores (with their spread, if there are several folds) and the confusion matrix of all rows."""
    scores = Table.grid(padding=(0, 2))
    scores.add_row("accuracy", _spread([fold.accuracy for fold in folds]))
    scores.add_row("macro-F1", _spread([fold.macro_f1 for fold in folds]))
    scores.add_row("edges", _spread([fold.edges for fold in folds], digits=0 if len(folds) == 1 else 1))
    classes = folds[0].classes
    counts = np.sum([fold.matrix for fold in folds], axis=0)
    rows = [(label, *row) for label, row in zip(classes, counts.tolist(), strict=True)]
    console().print(scores)
    console().print()
    console().print(table(["true \\ predicted", *classes], rows, classes))
    if len(folds) > 1:
        _show_probabilities([fold.scores for fold in folds])


def _show_probabilities(folds: Sequence[Scores]) -> None:
    """Print the scores of the probabilities over several folds."""
    scores = Table.grid(padding=(0, 2))
    for name, found in (("AUC", [fold.auc for fold in folds]), ("log loss", [fold.log_loss for fold in folds])):
        known = [value for value in found if value is not None]
        if len(known) == len(folds):
            scores.add_row(name, _spread(known))
    console().print()
    console().print(scores)


def _spread(values: Sequence[float], digits: int = 4) -> str:
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    sign = printable("±", "+-")
    return f"{mean(values):.{digits}f} {sign} {pstdev(values):.{digits}f} over {len(values)} folds"
