"""Checks that all estimators share: of parameters, weights and validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from conceptrules.binarize import Binarizer
from conceptrules.learn.binned_table import MAX_BINS
from conceptrules.model.derived import read_relation
from conceptrules.model.errors import InputError, warn
from conceptrules.model.policy import Forbidden, LeastRows, Limit, Policy
from conceptrules.tables.labels import check_labels
from conceptrules.tables.table import Table, open_table

AUTO = "auto"
"""Relations that the fit looks for itself."""
_LIMITS = {"edges": "max_edges", "rules": "max_rules", "literals": "max_rule_length"}
_LIGHT = 0.1
"""Weights whose mean is below this are more likely shares than numbers of rows."""


def check_common(n_jobs: Any, validation_fraction: Any, random_state: Any) -> None:
    """Raise an `InputError` if a parameter that all estimators have is out of range."""
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


def make_generator(random_state: Any) -> np.random.Generator:
    """Return the random number generator of a fit."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def count_threads(n_jobs: int | None) -> int:
    """Return how many threads to use; None and -1 take all cores."""
    count: int = effective_n_jobs(-1 if n_jobs is None else n_jobs)
    return count


def check_validation_labels(
    X_val: Any, y_val: Any, classes: NDArray[Any]
) -> tuple[Table, NDArray[np.int64], NDArray[np.float64]]:
    """Return the validation rows as a table, with class numbers and weights; `classes` are those of `y`."""
    table = check_validation_table(X_val, y_val)
    labels, weight = check_labels(y_val, "y_val")
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise InputError(f"y_val has the class {unknown.tolist()[0]!r}, which y does not have")
    if table.rows != len(labels):
        raise InputError(f"y_val has {len(labels)} labels for the {table.rows} rows of X_val")
    return table, np.searchsorted(classes, labels), weight


def check_validation_table(X_val: Any, y_val: Any) -> Table:
    """Return the validation rows as a table."""
    if X_val is None or y_val is None:
        raise InputError("X_val and y_val go together: give both or none")
    table = open_table(X_val)
    if not table.rows:
        raise InputError("X_val has no rows; leave X_val and y_val out to hold back rows of X instead")
    return table


def warn_of_light_weights(rows: int, total: float) -> None:
    """Warn of weights that sum to 1, as those of AdaBoost do: they count as one row, on which no rule pays off."""
    if total < _LIGHT * rows:
        warn(
            f"sample_weight sums to {total:.3g} over {rows} rows; a weight is a number of rows, and little can be "
            f"learned from so few: multiply the weights by {rows / total:.3g} for a mean of 1"
        )


def check_rules(min_rows: Any, policy: Any) -> None:
    """Raise an `InputError` if what is asked of rules is not what it should be."""
    if min_rows is not None and (not isinstance(min_rows, Integral) or isinstance(min_rows, bool) or min_rows < 1):
        raise InputError(f"min_rows is {min_rows!r}; it needs a whole number of at least 1, or None")
    if policy is not None and not isinstance(policy, Policy):
        raise InputError(f"policy is {policy!r}; give a Policy, such as Policy.read('policy.toml')")


def add_least_rows(policy: Policy | None, min_rows: int | None) -> Policy | None:
    """Return the policy with the least rows of a rule that `min_rows` asks for."""
    least, clauses = int(min_rows or 1), policy or Policy()
    if least == 1 or any(clause.rows >= least for clause in clauses.of_kind(LeastRows)):
        return policy
    kept = tuple(clause for clause in clauses.clauses if not isinstance(clause, LeastRows))
    return replace(clauses, clauses=(*kept, LeastRows(least)))


def choose_least_rows(rows: float) -> float:
    """Return the least rows that a rule covers unless the user says it, of a table of so many: a few rows show little.

    They grow with the spread of a count: 1 of up to 1,600 rows, 5 of 10,000, 50 of a million.

    >>> [choose_least_rows(rows) for rows in (150, 1600, 10_000, 1_000_000)]
    [1.0, 2.0, 5.0, 50.0]
    """
    return max(1.0, float(int(rows**0.5 / 20)))


def _check_derivable(relations: Any, policy: Any) -> None:
    """Raise an `InputError` if a policy forbids a column of a relation."""
    clauses = policy.clauses if isinstance(policy, Policy) else ()
    for relation in relations or ():
        for clause in clauses:
            shown = relation if isinstance(relation, str) else " ".join(map(str, relation))
            if isinstance(clause, Forbidden) and clause.column in read_relation(shown, [clause.column]).columns:
                raise InputError(f"relations has {shown}, but the policy forbids {clause.column!r}; leave one out")


def make_binarizer(
    kinds: Any, max_bins: Any, max_categories: Any, policy: Any, relations: Any = None, keep: Any = ()
) -> Binarizer:
    """Return the binarizer of a fit, unfitted; the kinds of forbidden columns are left out."""
    for name, value, least in (("max_bins", max_bins, 2), ("max_categories", max_categories, 1)):
        if name == "max_bins" and value is None:
            continue
        if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= MAX_BINS:
            raise InputError(f"{name} is {value!r}; it needs a whole number from {least} to {MAX_BINS}")
    if isinstance(kinds, Mapping) and isinstance(policy, Policy):
        forbidden = [clause.column for clause in policy.of_kind(Forbidden)]
        kinds = {name: kind for name, kind in kinds.items() if str(name) not in forbidden}
    if isinstance(relations, str) and relations != AUTO:
        raise InputError(f"relations is {relations!r}; give a list such as [('debt', '/', 'income')], or 'auto'")
    if isinstance(policy, Policy) and policy.relations:
        if relations == AUTO:
            raise InputError("relations='auto' looks for relations, and the policy names some; leave one of them out")
        relations = (*(relations or ()), *policy.relations)
    _check_derivable(() if relations == AUTO else relations, policy)
    binarizer = Binarizer(kinds, int(max_categories), "thresholds", MAX_BINS - 1, relations or (), keep)
    binarizer.policy = policy if isinstance(policy, Policy) else None
    binarizer.check()
    return binarizer


def list_limits(settings: Any, policy: Policy) -> dict[str, int]:
    """Return the limits of a policy by the setting that keeps each: the lower one where both limit the same."""
    limits: dict[str, int] = {}
    for limit in policy.of_kind(Limit):
        setting = _LIMITS[limit.of]
        known = getattr(settings, setting)
        limits[setting] = limit.most if known is None else min(known, limit.most)
    return limits
