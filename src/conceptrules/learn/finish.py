"""The last stage of a fit: networks get the statistics of all rows, their policy and its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.stability import stability_of
from conceptrules.kernels.search.shards import KEYS, WEIGHT_UNIT
from conceptrules.kernels.search.values import Rows
from conceptrules.learn.calibration import (
    LabelledRows,
    RowComparison,
    calibrate_network,
    compare_rows,
    measure_optimism,
    measure_reliability,
)
from conceptrules.learn.coding.store import RowStore
from conceptrules.learn.coding.table_coding import CodedTable
from conceptrules.learn.counting import NetworkCounts, add_counts, compare_with_held_out, count_block
from conceptrules.learn.inputs import FitOptions
from conceptrules.learn.provenance import describe_training
from conceptrules.learn.search.coded_network import CodedNetwork, read_from_bins
from conceptrules.learn.search.search import LearnedNetwork, SearchResult
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import Task
from conceptrules.logic.policies.clause_checks import compare_groups
from conceptrules.logic.policies.proof import prove, record_proof
from conceptrules.model.errors import InputError, warn
from conceptrules.model.metrics import macro_f1
from conceptrules.model.pareto import Choice
from conceptrules.model.policy import Fair
from conceptrules.model.provenance import ProofRecord, Validation, VerdictRecord


@dataclass(frozen=True, slots=True, eq=False)
class FinishedFit:
    """The networks of a fit, ready to use."""

    choices: tuple[Choice, ...]
    """The Pareto front and the chosen network, from the smallest on."""
    chosen: int
    passes: int
    """Passes over all rows after they were read."""


def finish_fit(
    result: SearchResult, coded: CodedTable, task: Task[SearchSettings], options: FitOptions[SearchSettings]
) -> FinishedFit:
    """Return the networks with the statistics of all rows, calibrated probabilities and their provenance.

    All figures count the rows of the table, without the weights of their classes.
    """
    networks = [read_from_bins(coded.coding.table, learned.network) for learned in result.networks]
    sampled = task.remainder is not None
    counts = _count_store(coded.store, networks, coded.coding.keys.first_key if sampled else KEYS)
    if sampled and coded.validation is not None:
        held_out = _count_store(coded.validation, networks, 0)
        counts = [replace(each, held_out=given.held_out) for each, given in zip(counts, held_out, strict=True)]
    choices = [
        _add_policy_and_proof(_describe(learned, each, coded, task, options), each, coded, options)
        for learned, each in zip(result.networks, counts, strict=True)
    ]
    return FinishedFit(*keep_proved(choices, result.chosen), coded.store.passes)


def _count_store(store: RowStore, networks: Sequence[CodedNetwork], first_key: int) -> list[NetworkCounts]:
    blocks = store.map_blocks(partial(count_block, networks, first_key))
    return [add_counts(counts) for counts in zip(*blocks, strict=True)]


def _describe(
    learned: LearnedNetwork,
    counts: NetworkCounts,
    coded: CodedTable,
    task: Task[SearchSettings],
    options: FitOptions[SearchSettings],
) -> Choice:
    """Return a network with its statistics and its provenance.

    Its probabilities are lowered to what holds on held-out rows: those that chose the network of a large table, or
    those of the folds.
    """
    network = replace(learned.network, statistics=counts.to_statistics())
    if task.remainder is None:
        comparisons = _compare_folds(learned, task)
    else:
        comparisons = [compare_with_held_out(network, counts.held_out)]
    trial, rows = learned.trial, coded.store.rows
    training = describe_training(
        options.parameters,
        rows,
        coded.binarizer.categories_dropped_,
        penalty=trial.penalty,
        augmented=trial.augmented,
    )
    training = replace(
        training,
        validation=_describe_validation(comparisons, task.source),
        stability=stability_of(network, counts.kinds, int(counts.rows.sum()) // WEIGHT_UNIT if counts.whole else rows),
        fingerprint=coded.fingerprint,
        distinct=coded.distinct,
    )
    described = replace(calibrate_network(network, measure_optimism(comparisons)), training=training)
    return Choice(learned.edges, learned.score, described, learned.coded.network)


def _compare_folds(learned: LearnedNetwork, task: Task[SearchSettings]) -> list[RowComparison]:
    """Compare what the networks of the folds do on their training rows and on their held-out rows."""
    comparisons = []
    for coded, fold in zip(learned.in_folds, task.folds, strict=True):
        training, held_out = (_label_rows(coded, side, task.class_weight) for side in (fold.training, fold.held_out))
        comparisons.append(compare_rows(coded.network, training, held_out))
    return comparisons


def _label_rows(coded: CodedNetwork, rows: Rows, class_weight: NDArray[np.float64]) -> LabelledRows:
    """Return merged rows as the bits of a network, once for each class that they have."""
    row, label = np.nonzero(rows.mass)
    return LabelledRows(coded.bits(rows.codes[row]), label, rows.mass[row, label] / class_weight[label])


def _describe_validation(comparisons: Sequence[RowComparison], source: str) -> Validation:
    """Summarise how the networks that were learned without the held-out rows do on them."""
    held_out = np.sum([each.held_out for each in comparisons], axis=0)
    fires = np.zeros(3)
    for each in comparisons:
        fires += np.bincount(np.minimum(each.fired.sum(axis=1), 2), each.weight, minlength=3)
    shares = fires / fires.sum()
    return Validation(
        source=source,
        rows=float(held_out.sum() / len(comparisons)),
        macro_f1=macro_f1(held_out.T),
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=measure_reliability(comparisons),
    )


def _add_policy_and_proof(
    choice: Choice, counts: NetworkCounts, coded: CodedTable, options: FitOptions[SearchSettings]
) -> Choice:
    """Return the choice with the policy that its network was learned under, and the proof that it keeps it.

    Clauses about rows are proved for the rows that the network was learned from.
    """
    policy = options.policy
    if policy is None:
        return choice
    proof = record_proof(prove(choice.network, policy))
    fair = {clause.name: _prove_fairness(clause, choice, counts, coded) for clause in policy.of_kind(Fair)}
    proof = ProofRecord(proof.hash, tuple(fair.get(verdict.name, verdict) for verdict in proof.verdicts))
    return replace(choice, network=replace(choice.network, policy=policy, proof=proof))


def _prove_fairness(clause: Fair, choice: Choice, counts: NetworkCounts, coded: CodedTable) -> VerdictRecord:
    groups: Mapping[str, tuple[str, ...]] = coded.coding.groups
    names, positive = groups[clause.column], choice.network.classes.index(clause.positive)
    by_answer = counts.answered[list(groups).index(clause.column)][: len(names)]
    if clause.measure == "true_positive_rate":
        by_answer = by_answer[:, [positive]]
    totals: Any = by_answer.sum(axis=1) / WEIGHT_UNIT  # [group, answer]
    member = np.repeat(np.array(names, object), totals.shape[1])
    answered = np.tile(np.arange(totals.shape[1]) == positive, len(names))
    fair, figures = compare_groups(clause, member, answered, totals.ravel())
    reason = f"{figures}, on the {coded.store.rows:,} rows that it was learned from"
    return VerdictRecord(clause.name, clause.text, "proved" if fair else "refuted", reason)


def keep_proved(choices: Sequence[Choice], chosen: int) -> tuple[tuple[Choice, ...], int]:
    """Return the choices whose clauses hold on all rows, and the number of the chosen one.

    A network of a sample may cover too few of all rows with a rule, or treat groups a little too differently on them.
    """
    refuted = {id(choice): verdict for choice in choices if (verdict := _find_refuted(choice)) is not None}
    kept = [choice for choice in choices if id(choice) not in refuted]
    if not refuted:
        return tuple(choices), chosen
    verdict = refuted.get(id(choices[chosen]), next(iter(refuted.values())))
    if not kept:
        raise InputError(f"{verdict.name}: no network keeps this clause on all rows; {verdict.reason}")
    taken = choices[chosen]
    if id(taken) in refuted:
        taken = max(kept, key=lambda choice: choice.score)
        warn(
            f"{verdict.name}: the best network of a sample does not keep this clause on all rows ({verdict.reason}); "
            "the best one that does is taken"
        )
    return tuple(kept), next(number for number, choice in enumerate(kept) if choice is taken)


def _find_refuted(choice: Choice) -> VerdictRecord | None:
    proof = choice.network.proof
    verdicts = () if proof is None else proof.verdicts
    return next((verdict for verdict in verdicts if verdict.outcome == "refuted"), None)
