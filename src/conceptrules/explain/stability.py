"""How stable each rule is: on what share of resamples of the training rows the network is worse without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.importance_scores import Decisions, Without, rule_places
from conceptrules.model.evaluation import PackedBits
from conceptrules.model.metrics import macro_f1_by_column
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import number_codes

Floats = NDArray[np.float64]
RESAMPLES = 100


def stability(
    network: RuleNetwork, words: PackedBits, target: NDArray[np.int64], weight: Floats, seed: int = 0
) -> tuple[tuple[float, ...], ...]:
    """Return for each rule the share of bootstrap resamples on which macro-F1 is lower without it: [level][rule].

    A resample has as many rows as there are (repeats counted, where weights are whole numbers), drawn by their weight.
    Rows that no rule tells apart are drawn together, which is the same and much less work.
    """
    whole = bool(np.all(weight == np.round(weight)))
    rows = int(weight.sum()) if whole else len(weight)
    return stability_of(network, decision_kinds(network, words, target, weight), rows, seed)


class DecisionKinds(NamedTuple):
    """Rows of one class that get the same answers, with all rules and without each of them, as one kind."""

    answers: NDArray[np.int64]
    """[kind, column]: the class, the answer, and the answer without each rule; in order."""
    weight: Floats


def decision_kinds(network: RuleNetwork, words: PackedBits, target: NDArray[np.int64], weight: Floats) -> DecisionKinds:
    """Return the kinds of rows. Those of several tables can be put together, see `joined_kinds`."""
    without = Without(network, words)
    decided = without.nothing()
    others = [without.rule(*place) for place in rule_places(network)]
    kinds, total = _kinds(target, decided, others, weight)
    return DecisionKinds(np.stack([one[kinds].astype(np.int64) for one in (target, decided, *others)], axis=1), total)


def joined_kinds(several: Sequence[DecisionKinds]) -> DecisionKinds:
    """Return the kinds of all tables."""
    answers, place = np.unique(np.concatenate([one.answers for one in several]), axis=0, return_inverse=True)
    weight = np.bincount(place.ravel(), np.concatenate([one.weight for one in several])).astype(np.float64)
    return DecisionKinds(answers, weight)


def stability_of(network: RuleNetwork, kinds: DecisionKinds, rows: int, seed: int = 0) -> tuple[tuple[float, ...], ...]:
    """Return the `stability` from kinds of rows; a resample has so many rows."""
    counts = _resamples(kinds.weight, rows, seed)
    truth, answers, *others = kinds.answers.T.astype(np.intp)
    scores = _Scores(counts, truth, answers, len(network.classes))
    worse = {place: scores.worse(other) for place, other in zip(rule_places(network), others, strict=True)}
    return tuple(
        tuple(worse[level, index] for index in range(len(nodes.rules))) for level, nodes in enumerate(network.levels)
    )


def _kinds(
    target: NDArray[np.int64], decided: Decisions, others: list[Decisions], weight: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """Return the first row of each kind of rows that are right, wrong and changed alike, and the weight of the kind."""
    classes = int(max(target.max(), *(each.max() for each in (decided, *others)))) + 1
    codes = target.astype(np.int64)
    for decisions in (decided, *(other for other in others if (other != decided).any())):
        if codes.max() > 2**62 // classes:  # only the codes that occur keep a number
            codes = number_codes(codes)[1]
        codes = codes * classes + decisions
    first, kind = number_codes(codes)
    return first, np.bincount(kind, weight).astype(np.float64)


def _resamples(total: Floats, rows: int, seed: int) -> Floats:
    """Return how often each kind of row is drawn: (kinds, resamples)."""
    drawn = np.random.default_rng(seed).multinomial(rows, total / total.sum(), size=RESAMPLES)
    return np.ascontiguousarray(drawn.T, dtype=np.float64)


class _Scores:
    """Macro-F1 on each resample, of the network and of changes of it."""

    def __init__(self, counts: Floats, truth: NDArray[np.intp], answers: NDArray[np.intp], classes: int) -> None:
        self.counts, self.truth, self.answers, self.classes = counts, truth, answers, classes
        self.present = self._by(truth, slice(None))
        self.answered = self._by(answers, slice(None))
        right = np.flatnonzero(truth == answers)
        self.right = self._by(truth[right], right)
        self.score = macro_f1_by_column(self.present, self.answered, self.right)

    def worse(self, answers: NDArray[np.intp]) -> float:
        """Return the share of resamples on which other answers are worse; only rows that differ are counted anew."""
        rows = np.flatnonzero(answers != self.answers)
        if not len(rows):
            return 0.0
        old, new, truth = self.answers[rows], answers[rows], self.truth[rows]
        answered = self.answered - self._by(old, rows) + self._by(new, rows)
        lost, won = old == truth, new == truth
        right = self.right - self._by(old[lost], rows[lost]) + self._by(new[won], rows[won])
        return float(np.mean(macro_f1_by_column(self.present, answered, right) < self.score - 1e-12))

    def _by(self, kind: NDArray[np.intp], rows: NDArray[np.intp] | slice) -> Floats:
        """Return how many rows of each kind there are: (classes, resamples)."""
        ones = np.zeros((self.classes, len(kind)))
        ones[kind, np.arange(len(kind))] = 1
        total: Floats = ones @ self.counts[rows]
        return total
