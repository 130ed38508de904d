"""How stable each rule is: on what share of resamples of the training rows the network is worse without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.importance_scores import Ablation, Decisions, list_rules
from conceptrules.explain.measurement import index_labels
from conceptrules.explain.scores import measure_log_losses
from conceptrules.model.evaluation import PackedBits, layers, unpack
from conceptrules.model.heads import require_decision
from conceptrules.model.metrics import macro_f1_by_column
from conceptrules.model.network import RuleNetwork
from conceptrules.model.scoring import score_numbers, score_probabilities, score_words
from conceptrules.model.statistics import number_codes
from conceptrules.tables.table import list_labels, open_table, read_used_bits

Floats = NDArray[np.float64]
RESAMPLES = 100
_MOST_ROWS = 100_000  # that resamples of a card are made of


def stability(
    network: RuleNetwork, words: PackedBits, target: NDArray[np.int64], weight: Floats, seed: int = 0
) -> tuple[tuple[float, ...], ...]:
    """Return for each rule the share of bootstrap resamples on which macro-F1 is lower without it: [level][rule].

    A resample has as many rows as there are (repeats counted, where weights are whole numbers), drawn by their weight.
    Rows that no rule distinguishes are drawn together, which is the same and much less work.
    """
    require_decision(network, "the stability of rules")
    whole = bool(np.all(weight == np.round(weight)))
    rows = int(weight.sum()) if whole else len(weight)
    return stability_of(network, group_by_decision(network, words, target, weight), rows, seed)


def resample_card(network: RuleNetwork, table: Any, labels: Iterable[object]) -> tuple[float, ...]:
    """Return for each rule of a scorecard the share of resamples of these rows on which it is worse without the rule.

    Worse is a larger log loss, or of numbers a larger squared error. Of very many rows, some are drawn first.
    """
    head, opened, targets = network.head, open_table(table), list_labels(labels)
    assert head is not None
    draw = np.random.default_rng(0)
    if opened.rows > _MOST_ROWS:
        taken = np.sort(draw.choice(opened.rows, _MOST_ROWS, replace=False))
        opened, targets = opened.take(taken), [targets[row] for row in taken]
    known = _read_targets(network, targets, opened.rows)
    bits = read_used_bits(network, opened)
    rules = layers(network, bits)[-2]
    scores, holds = score_words(head, rules), unpack(rules)

    def measure_loss(scores: NDArray[np.int64]) -> Floats:
        if head.step is not None:
            errors: Floats = (score_numbers(head, scores) - known) ** 2
            return errors
        return measure_log_losses(score_probabilities(head, scores), known)

    drawn = (draw.integers(len(known), size=len(known)) for _ in range(RESAMPLES))
    counts = np.stack([np.bincount(rows, minlength=len(known)) for rows in drawn]).astype(np.float64)
    now = measure_loss(scores)
    return tuple(
        float(np.mean(counts @ (measure_loss(scores - holds[:, [rule]] * np.array(points)) - now) > 0))
        for rule, points in enumerate(head.points)
    )


def _read_targets(network: RuleNetwork, targets: list[Any], rows: int) -> NDArray[Any]:
    """Return the index of the class of each row, or its number."""
    if network.classes:
        return index_labels(network, targets, rows)[1]
    from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

    numbers: Floats = check_numbers(targets)
    return numbers


class DecisionKinds(NamedTuple):
    """Rows of one class that get the same answers, with all rules and without each of them, as one kind."""

    answers: NDArray[np.int64]
    """[kind, column]: the class, the answer, and the answer without each rule; in order."""
    weight: Floats


def group_by_decision(
    network: RuleNetwork, words: PackedBits, target: NDArray[np.int64], weight: Floats
) -> DecisionKinds:
    """Return the kinds of rows. Those of several tables can be put together, see `join_kinds`."""
    ablation = Ablation(network, words)
    without = [ablation.without_rule(level, index) for level, index in list_rules(network)]
    first, total = _group_rows(target, ablation.decided, without, weight)
    answers = [column[first].astype(np.int64) for column in (target, ablation.decided, *without)]
    return DecisionKinds(np.stack(answers, axis=1), total)


def join_kinds(tables: Sequence[DecisionKinds]) -> DecisionKinds:
    """Return the kinds of all tables."""
    answers, index = np.unique(np.concatenate([kinds.answers for kinds in tables]), axis=0, return_inverse=True)
    weight = np.bincount(index.ravel(), np.concatenate([kinds.weight for kinds in tables])).astype(np.float64)
    return DecisionKinds(answers, weight)


def stability_of(network: RuleNetwork, kinds: DecisionKinds, rows: int, seed: int = 0) -> tuple[tuple[float, ...], ...]:
    """Return the `stability` from kinds of rows; a resample has `rows` rows."""
    counts = _draw_resamples(kinds.weight, rows, seed)
    truth, answers, *without = kinds.answers.T.astype(np.intp)
    scores = _ResampledScores(counts, truth, answers, len(network.classes))
    worse = iter([scores.share_worse(other_answers) for other_answers in without])
    return tuple(tuple(islice(worse, len(level.rules))) for level in network.levels)


def _group_rows(
    target: NDArray[np.int64], decided: Decisions, without: list[Decisions], weight: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Return the first row of each kind of rows that are right, wrong and changed alike, and the weight of the kind."""
    classes = int(max(column.max() for column in (target, decided, *without))) + 1
    codes = target.astype(np.int64)
    for decisions in (decided, *(changed for changed in without if (changed != decided).any())):
        if codes.max() > 2**62 // classes:  # only the codes that occur keep a number
            codes = number_codes(codes)[1]
        codes = codes * classes + decisions
    first, kind = number_codes(codes)
    return first, np.bincount(kind, weight).astype(np.float64)


def _draw_resamples(weight: Floats, rows: int, seed: int) -> Floats:
    """Return how often each kind of row is drawn: (kinds, resamples)."""
    drawn = np.random.default_rng(seed).multinomial(rows, weight / weight.sum(), size=RESAMPLES)
    return np.ascontiguousarray(drawn.T, dtype=np.float64)


class _ResampledScores:
    """Macro-F1 on each resample, of the network and of changes of it."""

    def __init__(self, counts: Floats, truth: NDArray[np.intp], answers: NDArray[np.intp], classes: int) -> None:
        self.counts, self.truth, self.answers, self.classes = counts, truth, answers, classes
        self.present = self._count(truth, slice(None))
        self.answered = self._count(answers, slice(None))
        right = np.flatnonzero(truth == answers)
        self.right = self._count(truth[right], right)
        self.score = macro_f1_by_column(self.present, self.answered, self.right)

    def share_worse(self, answers: NDArray[np.intp]) -> float:
        """Return the share of resamples on which other answers are worse; only rows that differ are counted anew."""
        rows = np.flatnonzero(answers != self.answers)
        if not len(rows):
            return 0.0
        old, new, truth = self.answers[rows], answers[rows], self.truth[rows]
        answered = self.answered - self._count(old, rows) + self._count(new, rows)
        lost, won = old == truth, new == truth
        right = self.right - self._count(old[lost], rows[lost]) + self._count(new[won], rows[won])
        return float(np.mean(macro_f1_by_column(self.present, answered, right) < self.score - 1e-12))

    def _count(self, kind: NDArray[np.intp], rows: NDArray[np.intp] | slice) -> Floats:
        """Return how many rows of each kind there are: (classes, resamples)."""
        ones = np.zeros((self.classes, len(kind)))
        ones[kind, np.arange(len(kind))] = 1
        total: Floats = ones @ self.counts[rows]
        return total
