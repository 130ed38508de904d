"""The last stage of a fit of a scorecard: cards get the statistics of all rows and their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import merge_bins
from conceptrules.kernels.search.shards import WEIGHT_UNIT, Shard
from conceptrules.learn.coding.table_coding import CodedTable
from conceptrules.learn.counting import add_cells, cells_to_units
from conceptrules.learn.finish import FinishedFit, keep_proved
from conceptrules.learn.inputs import FitOptions
from conceptrules.learn.points.card_network import HeldOut
from conceptrules.learn.points.learning import CardResult, LearnedCard
from conceptrules.learn.points.numbers import LearnedNumbers, NumberResult
from conceptrules.learn.provenance import describe_training
from conceptrules.learn.search.coded_network import CodedNetwork, read_from_bins
from conceptrules.learn.task import Task
from conceptrules.logic.policies.proof import prove, record_proof
from conceptrules.model.metrics import macro_f1
from conceptrules.model.network import Statistics
from conceptrules.model.pareto import Choice
from conceptrules.model.policy import Policy
from conceptrules.model.provenance import Training, Validation
from conceptrules.model.statistics import SCORE_GROUPS, CellKey, group_scores, list_cells, with_statistics

Sums = NDArray[np.int64]
_PART = 2**17
"""Rows that are counted together: their bits stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class _CardCounts:
    """What a card does on the rows of a store, in units of weight: whole numbers, which add up in any order."""

    rows: Sums
    covered: Sums
    """[rule, class]."""
    scores: Mapping[int, Sums]
    """The rows of each class that have a score."""
    answered: Sums
    """The rows that are answered with each class, of several; otherwise empty."""
    cells: Mapping[CellKey, int]
    """The rows by what the used predicates say of each column."""


def finish_cards(
    result: CardResult | NumberResult, coded: CodedTable, task: Task[Any], options: FitOptions[Any]
) -> FinishedFit:
    """Return the cards with the statistics of all rows. These count rows without the weights of their classes."""
    networks = [read_from_bins(coded.coding.table, learned.network) for learned in result.networks]
    blocks = coded.store.map_blocks(partial(_count_block, networks))
    counts = [_add_counts(each) for each in zip(*blocks, strict=True)]
    learned: Sequence[LearnedCard | LearnedNumbers] = result.networks
    training = describe_training(
        options.parameters, coded.store.rows, coded.binarizer.categories_dropped_, augmented=result.augmented
    )
    choices = [_describe(card, each, coded, task, training) for card, each in zip(learned, counts, strict=True)]
    choices = [_prove_policy(choice, options.policy) for choice in choices]
    return FinishedFit(*keep_proved(choices, result.chosen), coded.store.passes)


def _prove_policy(choice: Choice, policy: Policy | None) -> Choice:
    """Return the choice with the policy that its card was learned under, and the proof that it keeps it."""
    if policy is None:
        return choice
    proof = record_proof(prove(choice.network, policy))
    return replace(choice, network=replace(choice.network, policy=policy, proof=proof))


def _describe(
    learned: LearnedCard | LearnedNumbers,
    counts: _CardCounts,
    coded: CodedTable,
    task: Task[Any],
    training: Training,
) -> Choice:
    scores = tuple((score, _to_weights(rows)) for score, rows in sorted(counts.scores.items()))
    if not learned.network.classes:
        scores = group_scores(scores, SCORE_GROUPS)
    covered = (tuple(map(_to_weights, counts.covered)),)
    statistics = Statistics(
        _to_weights(counts.rows),
        covered,
        scores=scores,
        answered=_to_weights(counts.answered),
        cells=list_cells({key: units / WEIGHT_UNIT for key, units in counts.cells.items()}),
    )
    if learned.held_out is not None:  # those of numbers are hashes of rows with quantiles, which nobody could compare
        validation = _describe_validation(learned.held_out, task.source)
        training = replace(training, validation=validation, fingerprint=coded.fingerprint, distinct=coded.distinct)
    if isinstance(learned, LearnedNumbers):
        training = replace(training, errors=tuple(tuple(map(_shorten, each.tolist())) for each in learned.errors))
    network = replace(learned.network, statistics=statistics, training=training)
    return Choice(learned.edges, learned.score, network, learned.network)


def _describe_validation(held_out: HeldOut, source: str) -> Validation:
    """Summarise what the cards that were learned without the held-out rows say of them."""
    answers, shares, raw = held_out.answers, held_out.shares, held_out.raw
    classes = raw.shape[1]
    confusion = np.stack([np.bincount(answers, raw[:, k], classes) for k in range(classes)])
    stated, weight = shares[np.arange(len(answers)), answers], raw.sum(axis=1)
    right = raw[np.arange(len(answers)), answers] / np.where(weight > 0, weight, 1.0)
    bins = zip(stated.tolist(), right.tolist(), weight.tolist(), strict=True)
    return Validation(
        source=source,
        rows=float(weight.sum()),
        macro_f1=macro_f1(confusion),
        fires=(0.0, 1.0, 0.0),  # every row has one answer
        reliability=tuple(merge_bins(each for each in bins if each[2])),
    )


def _shorten(error: float) -> float:
    """Return an error with the six digits that a model file needs of it."""
    return float(f"{error:.6g}")


def _count_block(networks: Sequence[CodedNetwork], block: Shard) -> list[_CardCounts]:
    parts = [block.take(slice(start, start + _PART)) for start in range(0, len(block.key), _PART)]
    return [_add_counts([_count_rows(network, part) for part in parts]) for network in networks]


def _count_rows(coded: CodedNetwork, rows: Shard) -> _CardCounts:
    network, classes = coded.network, len(coded.network.classes) or 1  # a number has no classes
    target, weight = rows.target.astype(np.int64) * bool(network.classes), rows.weight / WEIGHT_UNIT
    bits = coded.bits(rows.codes)
    statistics = with_statistics(network, bits, target, weight).statistics
    assert statistics is not None
    return _CardCounts(
        _to_units(statistics.rows),
        _to_units(statistics.covered[0]).reshape(-1, classes),
        {score: _to_units(each) for score, each in statistics.scores},
        _to_units(statistics.answered),
        cells_to_units(coded.count_cells(rows.codes, bits, weight)),
    )


def _add_counts(counts: Sequence[_CardCounts]) -> _CardCounts:
    scores: dict[int, Sums] = {}
    for each in counts:
        for score, rows in each.scores.items():
            scores[score] = scores.get(score, 0) + rows
    rows, covered, answered = (
        np.sum([getattr(each, name) for each in counts], axis=0) for name in ("rows", "covered", "answered")
    )
    return _CardCounts(rows, covered, scores, answered, add_cells([each.cells for each in counts]))


def _to_units(weights: object) -> Sums:
    units: Sums = np.rint(np.array(weights, np.float64) * WEIGHT_UNIT).astype(np.int64)
    return units


def _to_weights(units: Sums) -> tuple[float, ...]:
    return tuple((units / WEIGHT_UNIT).tolist())
