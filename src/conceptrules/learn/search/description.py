"""What is known of a network that the search found, kept with it for whoever has to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.calibration import Comparison, Labelled, calibrated, compare, held_out_reliability, optimism
from conceptrules.learn.evidence import with_training
from conceptrules.learn.search.coded_network import CodedNetwork
from conceptrules.learn.search.fit import FoundNetwork, SearchTask
from conceptrules.learn.search.group_members import Names
from conceptrules.learn.training_data import TrainingData
from conceptrules.logic.policies.clause_checks import compare_groups
from conceptrules.logic.policies.proof import prove, record_proof
from conceptrules.model.metrics import macro_f1
from conceptrules.model.pareto import Choice
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.provenance import ProofRecord, Validation, VerdictRecord
from conceptrules.model.statistics import with_statistics
from conceptrules.tables.prediction import decide


def describe(
    found: FoundNetwork, data: TrainingData, task: SearchTask, source: str, parameters: Mapping[str, Any]
) -> Choice:
    """Return the network with statistics of all rows, calibrated probabilities, and how it came about.

    All figures are of rows of the table, as they are counted without the weights of their classes.
    """
    rows = data.rows_for(found.network)
    counted = with_statistics(found.network, rows.to_packed_bits(), rows.target, rows.weight)
    comparisons = fold_comparisons(found, task)
    network = with_training(
        calibrated(counted, optimism(comparisons)),
        data,
        rows,
        parameters,
        validation_of(comparisons, source),
        penalty=found.trial.penalty,
        augmented=found.trial.augmented,
    )
    return Choice(found.edges, found.score, network, found.coded.network)


def fold_comparisons(found: FoundNetwork, task: SearchTask) -> list[Comparison]:
    """Return what the networks of the folds do on the rows that they were learned from, and on those held out."""
    return [
        compare(coded.network, *(_labelled(coded, side, task.class_weight) for side in (fold.training, fold.held)))
        for coded, fold in zip(found.in_folds, task.folds, strict=True)
    ]


def governed(
    choice: Choice, policy: Policy | None, data: TrainingData | None = None, groups: Names | None = None
) -> Choice:
    """Return a choice whose network carries the policy that it was learned under, and its proof.

    Clauses about rows are proved of the rows that it was learned from.
    """
    if policy is None:
        return choice
    proof = record_proof(prove(choice.network, policy))
    fair = {}
    if data is not None and groups is not None:
        fair = {clause.name: _verdict(clause, choice, data, groups) for clause in policy.of_kind(Fair)}
    proof = ProofRecord(proof.hash, tuple(fair.get(one.name, one) for one in proof.verdicts))
    return replace(choice, network=replace(choice.network, policy=policy, proof=proof))


def _verdict(clause: Fair, choice: Choice, data: TrainingData, groups: Names) -> VerdictRecord:
    positive = choice.network.classes.index(clause.positive)
    answered = decide(choice.network, data.table) == positive
    weight = data.weight * (data.target == positive) if clause.measure == "true_positive_rate" else data.weight
    fair, said = compare_groups(clause, groups[clause.column], answered, weight)
    reason = f"{said}, on the {data.table.rows:,} rows that it was learned from"
    return VerdictRecord(clause.name, clause.text, "proved" if fair else "refuted", reason)


def _labelled(coded: CodedNetwork, rows: Rows, worth: NDArray[np.float64]) -> Labelled:
    """Return merged rows with one class each, as the bits of a network; `worth` is what a row of each class weighs."""
    row, label = np.nonzero(rows.mass)
    return Labelled(coded.bits(rows.codes[row]), label, rows.mass[row, label] / worth[label])


def validation_of(comparisons: Sequence[Comparison], source: str) -> Validation:
    """Return what held-out rows say of the networks that were learned at the same penalty without them."""
    held = np.sum([each.held for each in comparisons], axis=0)
    fires = np.zeros(3)
    for each in comparisons:
        fires += np.bincount(np.minimum(each.fired.sum(axis=1), 2), each.weight, minlength=3)
    shares = fires / fires.sum()
    return Validation(
        source=source,
        rows=float(held.sum() / len(comparisons)),
        macro_f1=macro_f1(held.T),
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=held_out_reliability(comparisons),
    )
