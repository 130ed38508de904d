"""From a table to what a classifier is about to learn, and the learning of it by either recipe."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.learn.examples import Examples, canonical, split
from conceptrules.learn.mllp.device import engine
from conceptrules.learn.mllp.extract import extract
from conceptrules.learn.mllp.fit import Score, Snapshot, Task, fit
from conceptrules.learn.progress import progress, search_progress
from conceptrules.learn.search.fit import Polish, polish
from conceptrules.learn.search.regularization_path import prices
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.tables.labels import check_labels
from conceptrules.tables.table import Table, read_packed_bits

if TYPE_CHECKING:
    from conceptrules.estimator import ConceptRuleClassifier

_LIGHT = 0.1
"""The mean of weights below which they are more likely shares than numbers of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A table as bits."""

    binarizer: Binarizer
    classes: NDArray[Any]
    rows: Examples
    hashes: NDArray[np.uint64]
    """Of the rows as they were in the table."""
    table: Table
    target: NDArray[np.int64]
    weight: NDArray[np.float64]
    """Of the rows of the table, as are the targets."""

    def blank(self) -> RuleNetwork:
        """The predicates and classes, without rules."""
        names = tuple(self.classes.tolist())
        none = Level((), (Concept(),) * len(names))
        return RuleNetwork(self.binarizer.columns_, self.binarizer.predicates_, (none,), names)

    def seen_by(self, network: RuleNetwork) -> Examples:
        """The rows, as bits of the predicates of a network: it may have more than the binarizer learned."""
        if network.predicates == self.binarizer.predicates_:
            return self.rows
        words = read_packed_bits(network.columns, network.predicates, self.table)
        return canonical(Examples.read(words, self.target, self.weight))


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What a classifier is about to learn."""

    classifier: ConceptRuleClassifier
    read: Read
    seen: Examples
    """All rows that may decide what is left out of the rules."""
    task: Task | Polish
    given: bool
    """Whether the validation rows were."""


def learn(lessons: Sequence[Lesson], device: str, n_jobs: int | None, verbose: bool) -> None:
    """Fits the classifiers of all lessons: those of the paper's recipe side by side, the others one by one."""
    threads = effective_n_jobs(-1 if n_jobs is None else n_jobs)
    paper = [(lesson, lesson.task) for lesson in lessons if isinstance(lesson.task, Task)]
    if paper:
        _descend(paper, device, threads, verbose)
    for lesson in lessons:
        if isinstance(lesson.task, Polish):
            _polish(lesson, lesson.task, threads, verbose)


def _descend(lessons: Sequence[tuple[Lesson, Task]], device: str, threads: int, verbose: bool) -> None:
    tasks = [task for _, task in lessons]
    histories: list[list[dict[str, Any]]] = [[] for _ in lessons]
    with progress([task.recipe.max_epochs for task in tasks], verbose) as show:

        def watch(number: int, scores: list[Score]) -> None:
            histories[number].extend(asdict(score) for score in scores)
            show(number, scores)

        best = fit(tasks, engine(device, tasks, threads), watch)
    for (lesson, task), snapshot, history in zip(lessons, best, histories, strict=True):
        lesson.classifier._descended(lesson, task, snapshot, history)


def _polish(lesson: Lesson, task: Polish, threads: int, verbose: bool) -> None:
    with search_progress(prices(len(task.problem.examples), task.problem.effort.lowest), verbose) as show:
        found = polish(task, threads, show)
    if found.interrupted:
        tried = len(found.history)
        warnings.warn(
            f"the search was interrupted; the best network so far is kept ({tried} prices tried, and some rows not "
            "learned from)",
            stacklevel=4,
        )
    lesson.classifier._polished(lesson, task, found)


def held_back(rows: Examples, fraction: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    """Training and validation rows; where none can be held back, they are the same."""
    training, validation = split(rows, fraction, rng)
    return training, validation if len(validation) else training


def warn_of_small(classes: NDArray[Any], fraction: float, training: Examples, validation: Examples) -> None:
    judged = validation.target if validation is not training else np.zeros(0, np.int64)
    small = classes[np.setdiff1d(training.target, judged).astype(np.intp)]
    if len(small):
        warnings.warn(
            f"class {', '.join(map(repr, small.tolist()))} has too few rows for a validation split of "
            f"{fraction}; its rows stay in training",
            stacklevel=5,
        )


def warn_of_light(weight: NDArray[np.float64]) -> None:
    """Weights that sum to 1, as those of AdaBoost do, are a single row: no rule earns its edges on it."""
    rows, total = np.count_nonzero(weight), float(weight.sum())
    if total < _LIGHT * rows:
        warnings.warn(
            f"sample_weight sums to {total:.3g} over {rows} rows; a weight counts as so many rows, and little can be "
            f"learned from so few: multiply the weights by {rows / total:.3g} for a mean of 1",
            stacklevel=4,
        )


def given(binarizer: Binarizer, classes: NDArray[Any], X_val: Any, y_val: Any) -> Examples:
    """The validation rows that the user gave."""
    if X_val is None or y_val is None:
        raise InputError("X_val and y_val go together: give both or none")
    labels, weight = check_labels(y_val, "y_val")
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise InputError(f"y_val has the class {unknown.tolist()[0]!r}, which y has not")
    words = binarizer.transform_packed(X_val)
    if words.rows != len(labels):
        raise InputError(f"y_val has {len(labels)} labels for the {words.rows} rows of X_val")
    if not words.rows:
        raise InputError("X_val has no rows; leave X_val and y_val out to have rows of X held back instead")
    return canonical(Examples.read(words, np.searchsorted(classes, labels), weight))


def extracted(read: Read, best: Snapshot) -> RuleNetwork:
    """The network that the weights say."""
    names = tuple(read.classes.tolist())
    return replace(
        read.blank(),
        levels=extract(best.sizes, best.weights, len(read.binarizer.predicates_)),
        priority=tuple(names[c] for c in best.priority),
        default=names[best.default],
    )
