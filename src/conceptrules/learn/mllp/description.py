"""What is known of a network that was read off trained weights, kept with it for whoever has to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from conceptrules.explain.reliability import reliability
from conceptrules.learn.evidence import with_training
from conceptrules.learn.examples import Examples
from conceptrules.learn.holdout import Holdout
from conceptrules.learn.mllp.extract import extract
from conceptrules.learn.mllp.fit import FitJob, FitResult, Score, Snapshot
from conceptrules.learn.training_data import TrainingData
from conceptrules.model.evaluation import class_words, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Choice
from conceptrules.model.provenance import Validation
from conceptrules.model.statistics import with_statistics


def extracted(best: Snapshot, data: TrainingData) -> RuleNetwork:
    """Return the network that the weights of a snapshot say."""
    blank = data.blank()
    return replace(
        blank,
        levels=extract(best.sizes, best.weights, len(blank.predicates)),
        priority=tuple(blank.classes[c] for c in best.priority),
        default=blank.classes[best.default],
    )


def describe(
    network: RuleNetwork,
    found: RuleNetwork,
    result: FitResult,
    job: FitJob,
    data: TrainingData,
    holdout: Holdout,
    parameters: Mapping[str, Any],
) -> Choice:
    """Return the simplified network with statistics of all rows and how it came about; `found` is before that.

    A network that was trained on all rows in the end is judged by the one before it, which had not seen them.
    """
    rows, best, judged = data.rows, result.best.score, result.judged.score
    counted = with_statistics(network, rows.to_packed_bits(), rows.target, rows.weight)
    tried = counted if result.judged is result.best else extracted(result.judged, data)
    validation = _validation(tried, judged, holdout.source, job.training, job.validation)
    described = with_training(counted, data, rows, parameters, validation, rate=best.rate, epoch=best.epoch)
    return Choice(described.edges, judged.crs_f1, described, found)


def _validation(network: RuleNetwork, best: Score, source: str, fitted: Examples, judging: Examples) -> Validation:
    """Judge a network by the rows that chose it; probabilities are those that the rows it was fitted to state."""
    fired = unpack(class_words(network.levels, judging.to_packed_bits()))
    count = np.minimum(fired.sum(axis=1), 2)
    shares = np.bincount(count, judging.weight, minlength=3) / judging.weight.sum()
    counted = with_statistics(network, fitted.to_packed_bits(), fitted.target, fitted.weight)
    return Validation(
        source=source,
        rows=float(judging.weight.sum()),
        mllp_f1=best.mllp_f1,
        macro_f1=best.crs_f1,
        disagreement=best.disagreement,
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=reliability(counted, fired, judging.target, judging.weight),
    )
