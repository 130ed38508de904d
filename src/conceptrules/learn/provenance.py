"""What the model file keeps of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from conceptrules import __version__
from conceptrules.learn.mllp.fit import Score
from conceptrules.learn.search.regularization_path import Tried
from conceptrules.model.provenance import Training

# The seed has a place of its own, and the network does not depend on the others.
_LEFT_OUT = ("random_state", "n_jobs", "verbose")


def training_of(
    settings: Mapping[str, Any], best: Score | Tried, rows: int, categories_dropped: tuple[tuple[str, int], ...]
) -> Training:
    """`settings` are the estimator's parameters; those that are no plain values are left out."""
    seed = settings.get("random_state")
    kept = ((name, _setting(value)) for name, value in sorted(settings.items()) if name not in _LEFT_OUT)
    return Training(
        version=__version__,
        seed=int(seed) if isinstance(seed, Integral) else None,
        settings=tuple((name, value) for name, value in kept if value is not ...),
        rows=rows,
        rate=float(best.rate) if isinstance(best, Score) else None,
        epoch=int(best.epoch) if isinstance(best, Score) else None,
        categories_dropped=categories_dropped,
        edge_penalty=float(best.price) if isinstance(best, Tried) else None,
        members=best.members if isinstance(best, Tried) else None,
    )


def _setting(value: Any) -> Any:
    """A plain value, or `...` where there is none: {"zip": "category"} becomes ("zip=category",).

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
