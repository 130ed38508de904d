"""What a network records about its training."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from conceptrules import __version__
from conceptrules.model.provenance import Training

# The seed has a field of its own, and the network does not depend on the other two.
_LEFT_OUT = ("random_state", "n_jobs", "verbose")


def describe_training(
    parameters: Mapping[str, Any],
    rows: int,
    categories_dropped: tuple[tuple[str, int], ...],
    *,
    rate: float | None = None,
    epoch: float | None = None,
    penalty: float | None = None,
    augmented: bool = False,
) -> Training:
    """Return the record of a training run. Parameters of the estimator that are not plain values are left out."""
    seed = parameters.get("random_state")
    kept = ((name, _simplify_setting(value)) for name, value in sorted(parameters.items()) if name not in _LEFT_OUT)
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


def _simplify_setting(value: Any) -> Any:
    """Return a setting as a plain value, or `...` if there is none: {"zip": "category"} becomes ("zip=category",).

    Orders and relations are written as on the command line: ("size=S<M<L",), ("debt / income",).
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        value = [f"{key}={_write_order(item)}" for key, item in value.items()]
    if isinstance(value, list | tuple):
        items = tuple(" ".join(item) if _is_relation(item) else _simplify_setting(item) for item in value)
        return items if all(isinstance(item, str | int | float) for item in items) else ...
    return value if value is None or isinstance(value, str | int | float) else ...


def _is_relation(item: Any) -> bool:
    """Return whether this is a relation of two columns, ("debt", "/", "income"), which is written as people do."""
    return isinstance(item, tuple | list) and len(item) == 3 and all(isinstance(part, str) for part in item)


def _write_order(value: Any) -> Any:
    return "<".join(map(str, value)) if isinstance(value, list | tuple) else value
