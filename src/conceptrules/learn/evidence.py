"""What can only be known while the training rows are at hand: kept in the model file, for whoever has to trust it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.reliability import reliability
from conceptrules.explain.stability import stability
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.fit import Score
from conceptrules.model.evaluation import class_words, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.provenance import Training, Validation
from conceptrules.model.statistics import with_statistics
from conceptrules.tables.fingerprint import sketch

HELD_BACK, GIVEN, TRAINING = "held back", "given", "training"


def validation_of(network: RuleNetwork, best: Score, source: str, fitted: Examples, judged: Examples) -> Validation:
    """The network on the rows that chose it. Probabilities are judged as the rows that it was fitted to state them."""
    fired = unpack(class_words(network.levels, judged.words))
    count = np.minimum(fired.sum(axis=1), 2)
    shares = np.bincount(count, judged.weight, minlength=3) / judged.weight.sum()
    counted = with_statistics(network, fitted.words, fitted.target, fitted.weight)
    return Validation(
        source=source,
        rows=float(judged.weight.sum()),
        mllp_f1=best.mllp_f1,
        crs_f1=best.crs_f1,
        disagreement=best.disagreement,
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=reliability(counted, fired, judged.target, judged.weight),
    )


def with_evidence(
    training: Training, network: RuleNetwork, validation: Validation, rows: Examples, hashes: NDArray[np.uint64]
) -> Training:
    """The training with what all its rows show: `rows` are their bits, `hashes` those of the table's rows."""
    return replace(
        training,
        validation=validation,
        stability=stability(network, rows.words, rows.target, rows.weight),
        fingerprint=sketch(hashes),
        distinct=len(np.unique(hashes)),
    )
