"""`conceptrules evaluate` and `measure`: how good a model is on labelled rows, and which of them its rules cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table

from conceptrules.cli import columns
from conceptrules.cli.console import console, table, to_json
from conceptrules.cli.files import check_model_output, check_not_input, read_model_and_table, write_model
from conceptrules.cli.learner import LearningTask, find_method, task_in_memory
from conceptrules.cli.options import (
    TABLE,
    By,
    Data,
    Json,
    LearningOptions,
    Model,
    Quiet,
    Target,
    TextOptions,
    WithoutOption,
    option,
)
from conceptrules.explain.group_scores import GroupScores, describe_groups, measure_groups
from conceptrules.explain.scores import Evaluation, find_positive
from conceptrules.explain.scores import evaluate as score
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import percent, plural
from conceptrules.model.values import label_text, order_classes
from conceptrules.tables.files.table_reader import TableFile

if TYPE_CHECKING:
    import pyarrow as pa


def evaluate(
    paths: Annotated[
        list[str], typer.Argument(metavar="[MODEL] DATA", help="A model and a table; with --cv only a table. " + TABLE)
    ],
    *,
    target: Target = "",
    positive: Annotated[
        str, option("Of two classes, the one that Gini, KS and cut-offs are about.", default="the second")
    ] = "",
    by: By,
    cv: Annotated[int, typer.Option(help="Learn and test on this many folds instead of testing a model.")] = 0,
    learning: Annotated[LearningOptions, WithoutOption("groups"), WithoutOption("time")],
    as_json: Json = False,
) -> None:
    """Test a model on a table, or learn and test by cross-validation.

    Prints accuracy, macro-F1, edges and the confusion matrix; of a model also AUC, log loss, calibration, precision and
    recall of each class, and for two classes Gini, KS and what comes out at each cut-off.

    --by scores each group of a column, with 95 % intervals: accuracy and AUC, or of a number the error and the bias.

    Without --target, the target is the one that the model names, or else the one column that it does not know.
    The options for learning only count with --cv.
    """
    if len(paths) != (1 if cv else 2):
        raise InputError("give a model and a table, or only a table with --cv and --target")
    if not cv:
        network, source = read_model_and_table(paths[0], paths[1], learning.text.format)
        _check_options(network, positive, learning.exposure)
        if not network.classes:
            _evaluate_numbers(network, source, target, learning.exposure, by, as_json)
            return
        X, y = columns.read_labelled_rows(source, target, network)
        groups = _measure_groups(network, X, y, source, by, positive or None)
        _note_training_rows(network, X, y)
        known = [label_text(label) for label in order_classes(network.classes)]
        unknown = sorted(set(map(label_text, y.tolist())) - set(known))
        results = [_compare(network, X, y, [*known, *unknown], positive or None)]
    else:
        if positive:
            raise InputError("--positive is for the cut-offs of a model; leave it out with --cv")
        if by:
            raise InputError("--by scores the groups of a column for a model; leave it out with --cv")
        if not target:
            raise InputError("--cv learns, and so needs to know the target; say it with --target")
        task = task_in_memory(paths[0], target, learning)
        if find_method(learning.learner) == "regression":
            _show_numbers(cross_validate_numbers(task, cv, learning.learner.seed), as_json)
            return
        results = cross_validate(task, cv, learning.learner.seed)
    if as_json:
        fields = [result.fields() for result in results]
        if not cv:
            fields[0]["groups"] = [asdict(each) for each in groups]
        typer.echo(to_json(fields if cv else fields[0]))
        return
    _show(results)
    if not cv:
        console().print(f"\n{results[0].scores.details()}")
        if groups:
            typer.echo(f"\n{describe_groups(groups)}")


def _check_options(network: RuleNetwork, positive: str, exposure: str) -> None:
    """Raise for an option that means nothing for a model of this kind."""
    find_positive(network, positive or None)
    if network.classes and exposure:
        raise InputError("--exposure is for a model that predicts a number, and this one predicts a class")


def _measure_groups(
    network: RuleNetwork, X: pa.Table, y: np.ndarray, source: TableFile, by: Sequence[str], positive: str | None = None
) -> tuple[GroupScores, ...]:
    table, names = columns.add_audited_columns(X, source, network.policy, by)
    return measure_groups(network, table, y, names, positive)


def _evaluate_numbers(
    network: RuleNetwork, source: TableFile, target: str, exposed: str, by: Sequence[str], as_json: bool
) -> None:
    """Print the metrics of a model that predicts a number."""
    from conceptrules.explain.number_scores import evaluate_numbers

    if by and exposed:
        raise InputError("--by compares numbers, not rates, and does not know --exposure yet; leave one out")
    exposure = columns.read_exposure(source, exposed, target) if exposed else None
    X, y = columns.read_labelled_rows(source, target, network)
    result, groups = evaluate_numbers(network, X, y, exposure), _measure_groups(network, X, y, source, by)
    if as_json:
        typer.echo(to_json(asdict(result) | {"edges": network.edges, "groups": [asdict(each) for each in groups]}))
        return
    typer.echo(f"{network.edges} edges, {result}" + (f"\n\n{describe_groups(groups)}" if groups else ""))


def _note_training_rows(network: RuleNetwork, X: pa.Table, y: np.ndarray) -> None:
    """Say how many of the rows the model learned from, where these are more than chance has."""
    from conceptrules.explain.auditing import count_training_rows
    from conceptrules.report.sentences import FEW

    overlap = count_training_rows(network, X, y.tolist())
    if overlap is not None and overlap.share >= FEW:
        typer.echo(
            f"note: the model learned from {percent(overlap.share)} of these rows, and does better on them than on "
            "new ones; --cv 5 learns and tests on different rows",
            err=True,
        )


@dataclass(frozen=True, slots=True)
class ScoredNetwork:
    """The answers of a network, counted: `matrix[i, j]` rows of the class `classes[i]` were answered `classes[j]`."""

    classes: Sequence[str]
    matrix: np.ndarray
    edges: int
    scores: Evaluation

    def fields(self) -> dict[str, Any]:
        """Return what --json prints."""
        counts = {"classes": self.classes, "confusion": self.matrix.tolist(), "edges": self.edges}
        return counts | asdict(self.scores) | counts  # labels as text, and these first


def cross_validate(task: LearningTask, folds: int, seed: int) -> list[ScoredNetwork]:
    """Return the result of each fold; folds are stratified and shuffled."""
    from sklearn.model_selection import StratifiedKFold

    X, y = task.X, task.y
    labels, counts = np.unique(y, return_counts=True)
    if not 2 <= folds <= counts.max():
        raise InputError(f"--cv {folds} is out of range: from 2 to {counts.max()}, the rows of the commonest class")
    classes = [label_text(label) for label in order_classes(labels.tolist())]
    networks = _learn_folds(task, StratifiedKFold(folds, shuffle=True, random_state=seed))
    return [_compare(network, X.take(test), y[test], classes) for network, test in networks]


def cross_validate_numbers(task: LearningTask, folds: int, seed: int) -> list[dict[str, Any]]:
    """Return the metrics of each fold; folds are shuffled."""
    from sklearn.model_selection import KFold

    from conceptrules.explain.number_scores import evaluate_numbers

    if not 2 <= folds <= len(task.y):
        raise InputError(f"--cv {folds} is out of range: from 2 to {len(task.y)}, the rows")
    results, exposure = [], task.fit_parameters.get("exposure")
    for network, test in _learn_folds(task, KFold(folds, shuffle=True, random_state=seed)):
        own = None if exposure is None else exposure[test]
        scores = evaluate_numbers(network, task.X.take(test), task.y[test], own)
        results.append({"edges": network.edges, **asdict(scores)})
    return results


def _learn_folds(task: LearningTask, splitter: Any) -> Iterator[tuple[RuleNetwork, np.ndarray]]:
    """Yield the network that the training rows of each fold give, and the other rows."""
    from sklearn.base import clone

    for train, test in splitter.split(np.zeros(len(task.y)), task.y):
        parts = {name: values[train] for name, values in task.fit_parameters.items()}
        yield clone(task.classifier).fit(task.X.take(train), task.y[train], **parts).network_, test


def _show_numbers(results: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Print the metrics of predicted numbers, with their spread over the folds."""
    if as_json:
        typer.echo(to_json(results))
        return
    names = {
        "R2": "r2", "RMSE": "rmse", "MAE": "mae", "edges": "edges", "RMSE of always the mean": "mean_rmse",
        "MAE of always the median": "median_mae", "rows in their 90% interval": "covered",
    }  # fmt: skip
    figures = {name: [result[key] for result in results] for name, key in names.items()}
    known = {name: values for name, values in figures.items() if None not in values}
    _show_grid({name: _spread(values, digits=1 if name == "edges" else 4) for name, values in known.items()})


def _compare(
    network: RuleNetwork, X: pa.Table, y: np.ndarray, classes: Sequence[str], positive: str | None = None
) -> ScoredNetwork:
    """Compare a network's answers with the known classes of these rows, as text."""
    index = {label: number for number, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    truth, answers = ([index[label_text(label)] for label in labels.tolist()] for labels in (y, network.predict(X)))
    np.add.at(matrix, (truth, answers), 1)
    return ScoredNetwork(classes, matrix, network.edges, score(network, X, y, positive=positive))


def _show(results: Sequence[ScoredNetwork]) -> None:
    """Print scores (with their spread, if there are several folds) and the confusion matrix of all rows."""
    several = len(results) > 1
    figures = {
        "accuracy": _spread([result.scores.accuracy for result in results]),
        "macro-F1": _spread([result.scores.macro_f1 for result in results]),
        "edges": _spread([result.edges for result in results], digits=1 if several else 0),
    }
    _show_grid(figures)
    classes = results[0].classes
    counts = np.sum([result.matrix for result in results], axis=0)
    rows = [(label, *row) for label, row in zip(classes, counts.tolist(), strict=True)]
    console().print()
    console().print(table(["true \\ predicted", *classes], rows, classes))
    if several:
        console().print()
        stated = {
            "AUC": [result.scores.auc for result in results],
            "log loss": [result.scores.log_loss for result in results],
        }
        known = {name: [value for value in values if value is not None] for name, values in stated.items()}
        _show_grid({name: _spread(values) for name, values in known.items() if len(values) == len(results)})


def _show_grid(figures: Mapping[str, str]) -> None:
    grid = Table.grid(padding=(0, 2))
    for name, figure in figures.items():
        grid.add_row(name, figure)
    console().print(grid)


def _spread(values: Sequence[float], digits: int = 4) -> str:
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    try:
        sign = "±"
        sign.encode(console().encoding)
    except UnicodeEncodeError:
        sign = "+-"
    return f"{mean(values):.{digits}f} {sign} {pstdev(values):.{digits}f} over {len(values)} folds"


def measure(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The model file, perhaps the same; - for standard output.")
    ],
    target: Target = "",
    quiet: Quiet = False,
    text: TextOptions,
) -> None:
    """Count again which rows the rules of a model cover and decide, after an edit or on newer rows.

    The rules stay as they are; the probabilities follow the new counts. Without --target, the target is the one that
    the model names, or else the one column that it does not know.
    """
    from conceptrules.explain.measurement import measure as count_rows

    check_model_output(output)
    check_not_input(output, [data])
    network, source = read_model_and_table(model, data, text.format)
    X, y = columns.read_labelled_rows(source, target, network)
    measured = count_rows(network, X, y)
    write_model(measured, output)
    if not quiet and measured.statistics is not None:
        typer.echo(f"counted on {plural(sum(measured.statistics.rows), 'row')}", err=True)
