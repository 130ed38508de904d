"""What a scorecard answers: the sums of points, and the class and the probabilities that belong to them.

`score_bits` is the plain version that defines the meaning; `score_words` is compared with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, PackedBits, layers, octets_of
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, RuleNetwork

Scores = NDArray[np.int64]


def score_bits(head: Points, rules: Bits) -> Scores:
    """Return the scores, of the shape (rows, outputs), where `rules` says which rules of the last level hold."""
    points = np.array(head.points, np.int64).reshape(len(head.points), head.outputs)
    scores: Scores = rules.astype(np.int64) @ points + np.array(head.base, np.int64)
    return scores


def score_words(head: Points, rules: PackedBits) -> Scores:
    """Return what `score_bits` does, on packed rows: rule by rule, so that only one is unpacked at a time."""
    scores = np.empty((head.outputs, rules.rows), np.int32)
    scores[:] = np.array(head.base, np.int32)[:, None]
    for word, points in zip(rules.words, head.points, strict=True):
        holds = np.unpackbits(octets_of(word), count=rules.rows, bitorder="little")
        for output, value in enumerate(points):
            if value:
                scores[output] += holds * np.int32(value)
    return scores.T.astype(np.int64)


def score_numbers(head: Points, scores: Scores) -> NDArray[np.float64]:
    """Return the numbers that a head with a step predicts: the scores times the step, or e to the power of that."""
    assert head.step is not None
    numbers: NDArray[np.float64] = scores[:, 0] * np.float64(head.step)
    return np.exp(numbers) if head.link == "log" else numbers


def decision_values(head: Points, scores: Scores) -> NDArray[np.float64]:
    """Return what decides, as scikit-learn has it: above 0 for the second class of two, largest for one of several."""
    if head.probabilities:
        return scores[:, 0].astype(np.float64) - (head.cutoff - 0.5)
    return (scores + np.array(head.offsets, np.int64)).astype(np.float64)


def answer_scores(head: Points, scores: Scores) -> NDArray[np.intp]:
    """Return the index of the class of each row: by the cut-off, or that of the largest score with its offset."""
    values = decision_values(head, scores)
    answers: NDArray[np.intp] = (values > 0).astype(np.intp) if head.probabilities else np.argmax(values, axis=1)
    return answers


def score_probabilities(head: Points, scores: Scores) -> NDArray[np.float64]:
    """Return the probability of each class for each row: from the table, or by the softmax."""
    if head.probabilities:
        least, shares = zip(*head.probabilities, strict=True)
        step = np.searchsorted(least, scores[:, 0], side="right") - 1
        second = np.array(shares)[np.maximum(step, 0)]
        return np.stack([1 - second, second], axis=1)
    powers = np.exp(head.unit * (scores - scores.max(axis=1, keepdims=True)))
    softmax: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return softmax


def with_rule_concepts(level: Level) -> Level:
    """Return the last level of a scorecard with a concept for each rule, for evaluators that end with concepts."""
    return Level(level.rules, tuple(Concept((rule,)) for rule in range(len(level.rules))))


def network_scores(network: RuleNetwork, words: PackedBits) -> Scores:
    """Return the scores of packed rows of the predicates of a scorecard."""
    assert network.head is not None
    return score_words(network.head, layers(network, words)[-2])
