"""The scores that people know, on rows whose classes are known: of the answers, of the probabilities, of cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.auditing import Bin, reliability_bins, targets
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import decide_fired, unpack
from conceptrules.model.metrics import accuracy, confusion_matrix, macro_f1
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import probabilities
from conceptrules.model.text import word
from conceptrules.model.values import label_text
from conceptrules.tables.prediction import find_firing_classes
from conceptrules.tables.table import open_table

Floats = NDArray[np.float64]
_LEAST = 1e-15  # the least probability that the log loss takes a logarithm of


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The scores of one class."""

    label: Value
    """The class."""
    rows: int
    """The rows that are of the class."""
    answered: int
    """The rows that were answered with it."""
    precision: float | None
    """The share of the answered rows that are of the class; None where there are none."""
    recall: float | None
    """The share of the rows of the class that were answered with it; None where there are none."""
    f1: float
    """The harmonic mean of precision and recall; 0 where no row of the class was found."""
    auc: float | None
    """The area under the ROC curve of the class against all others; None without probabilities, or without others."""


@dataclass(frozen=True, slots=True)
class Cutoff:
    """What comes out if a row is answered with the positive class from a certain probability on."""

    at: float
    """The probability of the positive class from which on it is answered."""
    answered: int
    """The rows that are answered with it."""
    precision: float
    """The share of these that are of the class."""
    recall: float
    """The share of the rows of the class that are among these."""
    false_alarms: float
    """The share of the other rows that are among these."""

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.recall else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a network on rows whose classes are known. `print` shows them as text.

    What needs probabilities is None, or empty, if the network has no statistics of training rows to tell them by.
    """

    rows: int
    """The number of rows."""
    accuracy: float
    """The share of rows whose answer is right."""
    balanced_accuracy: float
    """The mean of recall over the classes that occur."""
    macro_f1: float
    """The mean of F1 over the classes that occur or were answered."""
    by_class: tuple[ClassScores, ...]
    """The scores of each class; labels that the network does not know come last."""
    log_loss: float | None
    """The mean of minus the logarithm of the probability stated for the true class, at least 1e-15."""
    auc: float | None
    """The area under the ROC curve: of the positive class, or the mean over all classes that occur if there are more
    than two."""
    calibration: tuple[Bin, ...]
    """How often answers were right, by the probability stated for them."""
    calibration_error: float | None
    """The mean difference between the probability stated and the share that was right, over all rows."""
    positive: Value | None
    """The class that `gini`, `ks` and `cutoffs` are about; None unless there are two classes."""
    gini: float | None
    """Twice the AUC, less 1."""
    ks: float | None
    """The largest difference between recall and false alarms over all cut-offs (Kolmogorov and Smirnov)."""
    cutoffs: tuple[Cutoff, ...]
    """What comes out at each probability that was stated for the positive class, from the highest on."""

    def best_cutoff(self, score: str = "f1") -> Cutoff | None:
        """Return the cut-off of the best score; None where there are no cut-offs.

        Parameters
        ----------
        score : {"f1", "ks"}, default="f1"
            Whether F1 counts, or the difference between recall and false alarms.

        Returns
        -------
        Cutoff or None
            The best one; of equal ones, the highest.
        """
        if score not in ("f1", "ks"):
            raise InputError(f"score is {score!r}; it can be 'f1' or 'ks'")
        values = [one.f1 if score == "f1" else one.recall - one.false_alarms for one in self.cutoffs]
        return self.cutoffs[int(np.argmax(values))] if values else None

    def __str__(self) -> str:
        first = [("rows", f"{self.rows:,}"), ("accuracy", f"{self.accuracy:.4f}"), ("macro-F1", f"{self.macro_f1:.4f}")]
        return "\n\n".join([_aligned(first), self.details()])

    def details(self) -> str:
        """Return all but accuracy and macro-F1 as text: further scores, then a line for each class and cut-off."""
        found = [
            ("balanced accuracy", self.balanced_accuracy),
            ("log loss", self.log_loss),
            ("AUC", self.auc),
            ("Gini", self.gini),
            ("KS", self.ks),
            ("calibration error", self.calibration_error),
        ]
        parts = [_aligned([(name, f"{value:.4f}") for name, value in found if value is not None])]
        heading = ("class", "rows", "precision", "recall", "F1", "AUC")
        parts += [_aligned([heading, *map(_class_line, self.by_class)])]
        if self.positive is not None and self.cutoffs:
            heading = (f"{word(self.positive)} from", "answered", "precision", "recall", "F1", "false alarms")
            parts += [_aligned([heading, *map(_cutoff_line, self.cutoffs)])]
        return "\n\n".join(parts)


def evaluate(
    network: RuleNetwork, table: Any, labels: Iterable[object], *, positive: Value | None = None
) -> Evaluation:
    """Return the scores of a network on rows whose classes are known.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    table : table
        The rows: a pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
    labels : iterable of class labels
        The class of each row. They are compared as they are written: 1.0 is 1.
    positive : class label, optional
        For two classes, the one that Gini, KS and cut-offs are about; by default the second one, as in scikit-learn.

    Returns
    -------
    Evaluation
        The scores.

    Raises
    ------
    InputError
        If there is not one label for each row, there are no rows, or `positive` is no class of the network.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> evaluate(network, [{"age": 50}, {"age": 45}, {"age": 20}], ["old", "young", "young"]).balanced_accuracy
    0.75
    """
    opened = open_table(table)
    classes, target = targets(network, labels, opened.rows)
    bits = unpack(find_firing_classes(network, opened))
    decided = decide_fired(network, bits)
    stated = None if network.statistics is None else probabilities(network, bits)
    confusion = confusion_matrix(target, decided, np.ones(len(target)), len(classes))
    by_class = tuple(_class_scores(classes, confusion, stated, target))
    there = [one.recall for one in by_class if one.recall is not None]
    curves = [one.auc for one in by_class if one.auc is not None]
    chosen = _positive(network, positive)
    cutoffs = () if stated is None or chosen is None else tuple(_cutoffs(stated[:, chosen], target == chosen))
    bins = reliability_bins(network, bits, target)
    auc = float(np.mean(curves)) if curves else None
    return Evaluation(
        rows=len(target),
        accuracy=accuracy(confusion),
        balanced_accuracy=float(np.mean(there)),
        macro_f1=macro_f1(confusion),
        by_class=by_class,
        log_loss=None if stated is None else _log_loss(stated, target),
        auc=auc,
        calibration=bins,
        calibration_error=_error(bins),
        positive=None if chosen is None else network.classes[chosen],
        gini=None if chosen is None or auc is None else 2 * auc - 1,
        ks=max((one.recall - one.false_alarms for one in cutoffs), default=None),
        cutoffs=cutoffs,
    )


def _positive(network: RuleNetwork, positive: Value | None) -> int | None:
    known = [label_text(name) for name in network.classes]
    if positive is not None and label_text(positive) not in known:
        raise InputError(f"positive is {positive!r}; the classes are {', '.join(map(repr, known))}")
    if len(known) != 2:
        return None
    return 1 if positive is None else known.index(label_text(positive))


def _class_scores(
    classes: Sequence[Value], confusion: Floats, stated: Floats | None, target: NDArray[np.intp]
) -> Iterable[ClassScores]:
    for kind, label in enumerate(classes):
        rows, answered, right = confusion[kind].sum(), confusion[:, kind].sum(), confusion[kind, kind]
        known = stated is not None and kind < stated.shape[1]
        yield ClassScores(
            label,
            int(rows),
            int(answered),
            float(right / answered) if answered else None,
            float(right / rows) if rows else None,
            float(2 * right / (rows + answered)) if right else 0.0,
            _area(stated[:, kind], target == kind) if known and stated is not None else None,
        )


def _curve(stated: Floats, mine: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities stated, from the highest on, and how many rows of the class and others reach each."""
    levels, place = np.unique(-stated, return_inverse=True)
    found, alarms = (np.cumsum(np.bincount(place, rows, len(levels)).astype(np.float64)) for rows in (mine, ~mine))
    return -levels, found, alarms


def _area(stated: Floats, mine: NDArray[np.bool_]) -> float | None:
    """Return the area under the ROC curve; None where all rows are of the class, or none is."""
    if mine.all() or not mine.any():
        return None
    _, found, alarms = _curve(stated, mine)
    found, alarms = (np.concatenate([[0], counts]) / counts[-1] for counts in (found, alarms))
    return float(np.sum(np.diff(alarms) * (found[1:] + found[:-1]) / 2))


def _cutoffs(stated: Floats, mine: NDArray[np.bool_]) -> Iterable[Cutoff]:
    if mine.all() or not mine.any():
        return
    for at, found, alarms in zip(*_curve(stated, mine), strict=True):
        others = len(mine) - mine.sum()
        answered = found + alarms
        yield Cutoff(
            float(at), int(answered), float(found / answered), float(found / mine.sum()), float(alarms / others)
        )


def _log_loss(stated: Floats, target: NDArray[np.intp]) -> float:
    known = target < stated.shape[1]
    true = np.where(known, stated[np.arange(len(target)), np.where(known, target, 0)], 0)
    return float(-np.mean(np.log(np.maximum(true, _LEAST))))


def _error(bins: Sequence[Bin]) -> float | None:
    rows = sum(one.rows for one in bins)
    return sum(abs(one.stated - one.right) * one.rows for one in bins) / rows if rows else None


def _class_line(one: ClassScores) -> tuple[str, ...]:
    return (
        word(one.label),
        f"{one.rows:,}",
        _figure(one.precision),
        _figure(one.recall),
        _figure(one.f1),
        _figure(one.auc),
    )


def _cutoff_line(one: Cutoff) -> tuple[str, ...]:
    return (
        f"{one.at:.4f}",
        f"{one.answered:,}",
        _figure(one.precision),
        _figure(one.recall),
        _figure(one.f1),
        _figure(one.false_alarms),
    )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Return lines whose first column is aligned to the left, and the others to the right if there are several."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    )
