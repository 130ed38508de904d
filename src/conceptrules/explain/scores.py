"""Standard metrics on rows whose classes are known: of the answers, of the probabilities, and of cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import (
    FIRES,
    Bin,
    RuleErrors,
    Settlement,
    Tie,
    bin_probabilities,
    count_errors,
    count_ties,
    index_labels,
)
from conceptrules.model.errors import InputError, warn
from conceptrules.model.evaluation import Bits, PackedBits, decide_fired, layers, unpack
from conceptrules.model.metrics import accuracy, confusion_matrix, macro_f1
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Independent, Monotone
from conceptrules.model.predicate import Value
from conceptrules.model.scoring import answer_scores, score_probabilities, score_words
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.statistics import probabilities
from conceptrules.model.text import align_columns, word
from conceptrules.model.values import label_text, order_classes
from conceptrules.tables.table import count_unseen, open_table, read_used_bits

Floats = NDArray[np.float64]
_MOST_CUTOFFS = 20  # of the text
_LEAST_PROBABILITY = 1e-15  # of which the log loss takes a logarithm


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
    score: int | None = None
    """The score of a card at this probability: from it on, or up to it for the first class; None without a card."""

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.recall else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation(ShownAsHtml):
    """The scores of a network on rows whose classes are known. `print` shows them as text, a notebook too.

    What needs probabilities is None, or empty, if the network has no statistics of training rows.
    """

    rows: int
    """The number of rows."""
    classes: tuple[Value, ...]
    """The classes of the network, ranges of a number from the lowest up, then labels that it does not know."""
    confusion: tuple[tuple[int, ...], ...]
    """The number of rows by their true class and their answer: `confusion[true][answered]`."""
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
    brier: float | None
    """The mean of the squared difference between the probability stated for the second class of two and what is true;
    of several classes, the sum over all of them."""
    auc: float | None
    """The area under the ROC curve: of the positive class, or the mean over all classes that occur if there are more
    than two. The rows of a card of two classes are ranked by their score."""
    calibration: tuple[Bin, ...]
    """How often answers were right, by the probability stated for them."""
    calibration_error: float | None
    """The mean difference between the probability stated and the share that was right, over all rows."""
    positive: Value | None
    """The class that `reliability`, `gini`, `ks` and `cutoffs` are about; None unless there are two classes."""
    reliability: tuple[Bin, ...]
    """How often rows were of the positive class, by the probability stated for it."""
    gini: float | None
    """Twice the AUC, less 1."""
    ks: float | None
    """The largest difference between recall and false alarms over all cut-offs (Kolmogorov and Smirnov)."""
    cutoffs: tuple[Cutoff, ...]
    """What comes out at each probability that was stated for the positive class, or each score, from the highest on."""
    score_rows: tuple[tuple[int, tuple[int, ...]], ...]
    """Of a card of two classes, each score, ascending, and the number of its rows of each class; otherwise empty."""
    settled: tuple[Settlement, ...]
    """The rows on which no class fires, one, and several; empty for a scorecard, as `ties` and `errors` are."""
    ties: tuple[Tie, ...]
    """The rows on which none or several fire, by which; the commonest first."""
    errors: tuple[RuleErrors, ...]
    """The rules behind the answers, those with most wrong rows first."""
    unseen: tuple[tuple[str, int], ...]
    """The columns with values that training never showed, and on how many rows."""
    decision_clauses: tuple[str, ...] = ()
    """The clauses of the model's policy that are about the decision only: answers by another cut-off may break them."""

    def best_cutoff(self, score: str = "f1") -> Cutoff | None:
        """Return the cut-off of the best score; None where there are no cut-offs.

        It warns where the model has a policy that answers by a cut-off may break.

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
        if self.decision_clauses:
            warn(self._cutoff_warning)
        values = [cutoff.f1 if score == "f1" else cutoff.recall - cutoff.false_alarms for cutoff in self.cutoffs]
        return self.cutoffs[int(np.argmax(values))] if values else None

    @property
    def _cutoff_warning(self) -> str:
        names = ", ".join(self.decision_clauses)
        return f"the policy is about the decision only: an answer by a cut-off may break {names}"

    def __str__(self) -> str:
        first = [("rows", f"{self.rows:,}"), ("accuracy", f"{self.accuracy:.4f}"), ("macro-F1", f"{self.macro_f1:.4f}")]
        return f"{align_columns(first)}\n\n{self.details()}"

    def details(self) -> str:
        """Return all but accuracy and macro-F1 as text: further scores, then a line for each class and cut-off."""
        figures = {
            "balanced accuracy": self.balanced_accuracy,
            "log loss": self.log_loss,
            "Brier score": self.brier,
            "AUC": self.auc,
            "Gini": self.gini,
            "KS": self.ks,
            "calibration error": self.calibration_error,
        }
        parts = [align_columns([(name, _figure(value)) for name, value in figures.items() if value is not None])]
        heading = ["class", "rows", "precision", "recall", "F1", "AUC"]
        lines = [
            [word(each.label), f"{each.rows:,}", *map(_figure, (each.precision, each.recall, each.f1, each.auc))]
            for each in self.by_class
        ]
        parts += [align_columns([heading, *lines])]
        if self.positive is not None and self.cutoffs:
            parts += [align_columns(self._cutoff_lines())]
            parts += [self._cutoff_warning] if self.decision_clauses else []
        return "\n\n".join(parts)

    def _cutoff_lines(self) -> list[list[str]]:
        """Return a line for each cut-off; of very many, of about twenty, with the one that the answers are by."""
        step, last = -(-len(self.cutoffs) // _MOST_CUTOFFS), len(self.cutoffs) - 1
        used = [each.answered for each in self.by_class if each.label == self.positive]
        scored = self.cutoffs[0].score is not None
        heading = [f"{word(self.positive)} from", "answered", "precision", "recall", "F1", "false alarms"]
        lines = [[*["score"] * scored, *heading]]
        for number, at in enumerate(self.cutoffs):
            if number % step and number != last and at.answered not in used:
                continue
            figures = map(_figure, (at.precision, at.recall, at.f1, at.false_alarms))
            lines.append([*[f"{at.score}"] * scored, _figure(at.at), f"{at.answered:,}", *figures])
        return lines


def evaluate(
    network: RuleNetwork, table: Any, labels: Iterable[object], *, positive: Value | None = None
) -> Evaluation:
    """Return the scores of a network on rows whose classes are known: the function behind `RuleNetwork.evaluate`."""
    opened = open_table(table)
    classes, target = index_labels(network, labels, opened.rows)
    answers = find_answers(network, read_used_bits(network, opened))
    decided, stated, ranks = answers.decided, answers.stated, answers.ranks
    right = decided == target
    confusion = confusion_matrix(target, decided, np.ones(len(target)), len(classes))
    by_class = tuple(_score_classes(classes, confusion, ranks, target))
    shown = [classes.index(name) for name in order_classes(classes)]
    areas = [scores.auc for scores in by_class if scores.auc is not None]
    auc = float(np.mean(areas)) if areas else None
    chosen = find_positive(network, positive)
    cutoffs: tuple[Cutoff, ...] = ()
    bins: tuple[Bin, ...] = ()
    reliability: tuple[Bin, ...] = ()
    if stated is not None and ranks is not None:
        bins = bin_probabilities(stated[np.arange(len(decided)), decided], right)
        if chosen is not None:
            cutoffs = tuple(_list_cutoffs(stated[:, chosen], ranks[:, chosen], target == chosen, answers.scores))
            reliability = bin_probabilities(stated[:, chosen], target == chosen)
    return Evaluation(
        rows=len(target),
        classes=tuple(classes[number] for number in shown),
        confusion=tuple(tuple(row) for row in confusion[np.ix_(shown, shown)].astype(int).tolist()),
        accuracy=accuracy(confusion),
        balanced_accuracy=float(np.mean([scores.recall for scores in by_class if scores.recall is not None])),
        macro_f1=macro_f1(confusion),
        by_class=tuple(by_class[number] for number in shown),
        log_loss=None if stated is None else float(np.mean(measure_log_losses(stated, target))),
        brier=None if stated is None else float(np.mean(measure_squares(stated, target))),
        auc=auc,
        calibration=bins,
        calibration_error=sum(abs(bin_.stated - bin_.right) * bin_.rows for bin_ in bins) / len(target)
        if bins
        else None,
        positive=None if chosen is None else network.classes[chosen],
        gini=None if chosen is None or auc is None else 2 * auc - 1,
        ks=max((cutoff.recall - cutoff.false_alarms for cutoff in cutoffs), default=None),
        reliability=reliability,
        cutoffs=cutoffs,
        score_rows=_count_scores(answers.scores, np.argsort(shown)[target], len(classes)),
        settled=answers.settle(right),
        ties=() if answers.fired is None else count_ties(network, answers.fired, decided, right),
        errors=() if answers.fired is None else count_errors(network, answers.rules, answers.fired, decided, right),
        unseen=tuple(count_unseen(network.columns, opened).items()),
        decision_clauses=_list_decision_clauses(network),
    )


def _list_decision_clauses(network: RuleNetwork) -> tuple[str, ...]:
    """Return the names of the clauses that an answer by another cut-off may break; of scores, none can."""
    clauses = network.policy.decision_clauses if network.policy else ()
    of_scores = Monotone | Independent if network.head is not None else ()
    return tuple(clause.name for clause in clauses if not isinstance(clause, of_scores))


@dataclass(frozen=True, slots=True, eq=False)
class RowAnswers:
    """What a network says of some rows."""

    rules: PackedBits
    """Where the rules of the last level hold."""
    decided: NDArray[np.intp]
    stated: Floats | None
    """The probabilities."""
    ranks: Floats | None
    """What ranks the rows for each class: the score of a card of two classes, and otherwise the probability."""
    fired: Bits | None = None
    """Which classes fire; None of a scorecard."""
    scores: NDArray[np.int64] | None = None
    """The score of each row, of a card of two classes."""

    def settle(self, right: Bits) -> tuple[Settlement, ...]:
        """Return the rows on which no class fires, one, and several."""
        if self.fired is None:
            return ()
        count = np.minimum(self.fired.sum(axis=1), 2)
        return tuple(
            Settlement(name, int((count == number).sum()), int((right & (count == number)).sum()))
            for number, name in enumerate(FIRES)
        )


def find_answers(network: RuleNetwork, words: PackedBits) -> RowAnswers:
    """Return what a network says of packed rows of its predicates."""
    *_, rules, classes = layers(network, words)
    head = network.head
    if head is None:
        fired = unpack(classes)
        stated = None if network.statistics is None else probabilities(network, fired)
        return RowAnswers(rules, decide_fired(network, fired), stated, stated, fired)
    scores = score_words(head, rules)
    decided, stated = answer_scores(head, scores), score_probabilities(head, scores)
    if head.outputs > 1:
        return RowAnswers(rules, decided, stated, stated)
    return RowAnswers(rules, decided, stated, np.hstack([-scores, scores]).astype(np.float64), scores=scores[:, 0])


def find_positive(network: RuleNetwork, positive: Value | None) -> int | None:
    """Return the index of the positive class; None unless there are two classes."""
    known = [label_text(name) for name in network.classes]
    if positive is not None and len(known) != 2:
        predicted = f"one of {len(known)} classes" if known else "a number"
        raise InputError(f"positive is {positive!r}; it is for two classes, and this network predicts {predicted}")
    if positive is not None and label_text(positive) not in known:
        raise InputError(f"positive is {positive!r}; the classes are {', '.join(map(repr, known))}")
    if len(known) != 2:
        return None
    return 1 if positive is None else known.index(label_text(positive))


def _score_classes(
    classes: Sequence[Value], confusion: Floats, ranks: Floats | None, target: NDArray[np.intp]
) -> Iterator[ClassScores]:
    for kind, label in enumerate(classes):
        rows, answered, right = confusion[kind].sum(), confusion[:, kind].sum(), confusion[kind, kind]
        yield ClassScores(
            label,
            int(rows),
            int(answered),
            float(right / answered) if answered else None,
            float(right / rows) if rows else None,
            float(2 * right / (rows + answered)) if right else 0.0,
            None if ranks is None or kind >= ranks.shape[1] else _area(ranks[:, kind], target == kind),
        )


def count_by_rank(ranks: Floats, positive: Bits) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return a row of each rank, from the highest on, and how many positive and other rows have at least that rank.

    Nothing is returned where all rows are positive, or none is.
    """
    if positive.all() or not positive.any():
        return np.zeros(0, np.intp), np.zeros(0), np.zeros(0)
    levels, first, index = np.unique(-ranks, return_index=True, return_inverse=True)
    hits, alarms = (
        np.cumsum(np.bincount(index, rows, len(levels)).astype(np.float64)) for rows in (positive, ~positive)
    )
    return first, hits, alarms


def _area(ranks: Floats, positive: Bits) -> float | None:
    """Return the area under the ROC curve; None where all rows are positive, or none is."""
    _, *counts = count_by_rank(ranks, positive)
    if not len(counts[0]):
        return None
    hits, alarms = (np.concatenate([[0], count]) / count[-1] for count in counts)
    return float(np.sum(np.diff(alarms) * (hits[1:] + hits[:-1]) / 2))


def _list_cutoffs(stated: Floats, ranks: Floats, positive: Bits, scores: NDArray[np.int64] | None) -> Iterator[Cutoff]:
    for row, hits, alarms in zip(*count_by_rank(ranks, positive), strict=True):
        answered, rows = hits + alarms, positive.sum()
        precision, recall, false_alarms = hits / answered, hits / rows, alarms / (len(positive) - rows)
        score = None if scores is None else int(scores[row])
        yield Cutoff(float(stated[row]), int(answered), float(precision), float(recall), float(false_alarms), score)


def _count_scores(
    scores: NDArray[np.int64] | None, target: NDArray[np.intp], classes: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    if scores is None:
        return ()
    values, index = np.unique(scores, return_inverse=True)
    counts = np.bincount(index * classes + target, minlength=len(values) * classes).reshape(-1, classes)
    return tuple((score, tuple(rows)) for score, rows in zip(values.tolist(), counts.tolist(), strict=True))


def measure_squares(stated: Floats, target: NDArray[np.intp]) -> Floats:
    """Return what each row adds to the Brier score."""
    true = target[:, None] == np.arange(stated.shape[1])
    squares: Floats = (stated - true) ** 2
    return squares[:, 1] if stated.shape[1] == 2 else squares.sum(axis=1)


def measure_log_losses(stated: Floats, target: NDArray[np.intp]) -> Floats:
    """Return what each row adds to the log loss."""
    known = target < stated.shape[1]
    true = np.where(known, stated[np.arange(len(target)), np.where(known, target, 0)], 0)
    losses: Floats = -np.log(np.maximum(true, _LEAST_PROBABILITY))
    return losses


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
