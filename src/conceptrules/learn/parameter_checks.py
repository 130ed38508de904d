"""Checks of the parameters that both estimators have, and what they mean."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from conceptrules.model.errors import InputError


def check_common(n_jobs: Any, validation_fraction: Any, random_state: Any) -> None:
    """Object to values that are out of range."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise InputError(f"n_jobs is {n_jobs!r}; give a number of cores, -1 for all, or None")
    if not isinstance(validation_fraction, Real) or not 0 < float(validation_fraction) < 1:
        raise InputError(
            f"validation_fraction is {validation_fraction!r}; it needs a number between 0 and 1, such as 0.2"
        )
    try:
        check_random_state(random_state)
    except ValueError:
        raise InputError(
            f"random_state is {random_state!r}; give a whole number from 0 to 2**32 - 1, a numpy.random.RandomState, "
            "or None"
        ) from None


def generator(random_state: Any) -> np.random.Generator:
    """Return where the chance of a fit comes from."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def threads(n_jobs: int | None) -> int:
    """Return how many threads to use; None and -1 take all cores."""
    count: int = effective_n_jobs(-1 if n_jobs is None else n_jobs)
    return count
