"""The columns that predictions add to a table of Arrow: their names, types and values."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import label_text


def label_array(classes: Iterable[Value]) -> pa.Array:
    """Return the classes as Arrow values, or as text where no one type holds them all."""
    values = list(classes)
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([label_text(value) for value in values])


def probability_names(network: RuleNetwork) -> list[str]:
    """Return the name of the column of probabilities of each class."""
    return [f"probability_{label_text(label)}" for label in network.classes]
