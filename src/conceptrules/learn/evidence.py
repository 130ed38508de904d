"""What can only be known while the training rows are at hand: kept in the model file, for whoever has to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from conceptrules.explain.stability import stability
from conceptrules.learn.examples import Examples
from conceptrules.learn.provenance import training_of
from conceptrules.learn.training_data import TrainingData
from conceptrules.model.network import RuleNetwork
from conceptrules.model.provenance import Validation
from conceptrules.tables.hashes import sketch


def with_training(
    network: RuleNetwork,
    data: TrainingData,
    rows: Examples,
    parameters: Mapping[str, Any],
    validation: Validation,
    **chosen: Any,
) -> RuleNetwork:
    """Return the network with how it came about, and with what all rows of its table show.

    `rows` are the table's rows as bits of the network's predicates, `parameters` those of the estimator, and `chosen`
    is what the validation rows chose: a rate and an epoch, or a penalty and mixed rows.
    """
    training = training_of(parameters, len(data.hashes), data.binarizer.categories_dropped_, **chosen)
    return replace(
        network,
        training=replace(
            training,
            validation=validation,
            stability=stability(network, rows.to_packed_bits(), rows.target, rows.weight),
            fingerprint=sketch(data.hashes),
            distinct=len(np.unique(data.hashes)),
        ),
    )
