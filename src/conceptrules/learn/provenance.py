"""What the model file keeps of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from conceptrules import __version__
from conceptrules.model.provenance import Training

# The seed has a place of its own, and the network does not depend on the others.
_LEFT_OUT = ("random_state", "n_jobs", "verbose")


def training_of(
    parameters: Mapping[str, Any],
    rows: int,
    categories_dropped: tuple[tuple[str, int], ...],
    *,
    rate: float | None = None,
    epoch: float | None = None,
    penalty: float | None = None,
    augmented: bool = False,
) -> Training:
    """Return how a network came about. Parameters of the estimator that are no plain values are left out."""
    seed = parameters.get("random_state")
    kept = ((name, _setting(value)) for name, value in sorted(parameters.items()) if name not in _LEFT_OUT)
    return Training(
        version=__version__,
        seed=int(seed) if isinstance(seed, Integral) else None,
        settings=tuple((name, value) for name, value in kept if value is not ...),
        rows=rows,
        rate=None if rate is None else float(rate),
        epoch=None if epoch is None else int(epoch),
        categories_dropped=categories_dropped,
        edge_penalty=None if penalty is None else float(penalty),
        augmented=augmented,
    )


def _setting(value: Any) -> Any:
    """Return a plain value, or `...` where there is none: {"zip": "category"} becomes ("zip=category",).

    An order is written as on the command line: ("size=S<M<L",).
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        value = [f"{key}={_order(item)}" for key, item in value.items()]
    if isinstance(value, list | tuple):
        items = tuple(map(_setting, value))
        return items if all(isinstance(item, str | int | float) for item in items) else ...
    return value if value is None or isinstance(value, str | int | float) else ...


def _order(value: Any) -> Any:
    return "<".join(map(str, value)) if isinstance(value, list | tuple) else value
