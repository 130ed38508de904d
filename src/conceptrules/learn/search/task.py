"""What there is to learn: rows as bins, and the folds that choose a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.row_groups import GIVEN, HELD_BACK, TRAINING, RowGroups, equal_rows, warn_of_small
from conceptrules.learn.search.binned_table import MAX_BINS, BinnedTable, binned_table, coarser, recoded
from conceptrules.learn.search.fit import SearchTask
from conceptrules.learn.search.group_members import Names, group_members
from conceptrules.learn.search.locked_rules import rules_to_keep, with_locked_cuts
from conceptrules.learn.search.merged_rows import Fold, merged
from conceptrules.learn.search.policy_masks import under
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.training_data import TrainingData, open_validation_rows
from conceptrules.model.errors import InputError
from conceptrules.model.policy import LeastPrecision, LeastRows, Policy
from conceptrules.model.policy.policy import check_policy

# Rows up to which several folds, or two of them, are held out in turn; of larger tables one part is.
_SEVERAL_FOLDS, _TWO_FOLDS = 5_000, 20_000
# The more cuts a small table has to choose from, the more of the choice is chance: all columns of numbers have about so
# many together, but none has fewer than the least.
_CUTS, _LEAST_BINS, _FEW_CUTS_UP_TO = 512, 32, 10_000


def search_task(
    data: TrainingData,
    X_val: Any = None,
    y_val: Any = None,
    *,
    settings: SearchSettings,
    policy: Policy | None = None,
    groups: Names | None = None,
    groups_val: Names | None = None,
    max_bins: int | None = None,
    validation_fraction: float | None = None,
    rng: np.random.Generator,
) -> tuple[SearchTask, str]:
    """Return the task of learning from a table, and where the rows that choose the network are from.

    They are those that the user gives, or folds of the table. `groups` and `groups_val` are those that the policy wants
    to be treated alike.
    """
    table, class_weight = binned_table(data.binarizer), data.weights_of_classes(data.target, data.weight)
    codes, classes = table.codes(data.table), tuple(data.classes.tolist())
    raw = policy is not None and bool(policy.of_kind(LeastRows) or policy.of_kind(LeastPrecision))
    members = group_members(policy, groups or {}, data.target, classes)

    def some(chosen: NDArray[np.bool_] | slice) -> Rows:
        own = members and members.some(chosen)
        return merged(codes[chosen], data.target[chosen], data.weight[chosen], class_weight, raw, own)

    together, rows = data.groups or equal_rows(codes), some(slice(None))
    finer, table = table, with_fewer_bins(table, rows, max_bins)
    if table is not finer:
        codes = recoded(codes, finer, table)
        rows = some(slice(None))
    if policy is not None and rules_to_keep(policy):
        check_policy(policy, data.binarizer.columns_, data.classes.tolist())
        table = with_locked_cuts(table, policy)
        codes = table.codes(data.table)
        rows = some(slice(None))
    given_rows = X_val is not None or y_val is not None
    if given_rows:
        given, target, weight = open_validation_rows(data, X_val, y_val)
        others = group_members(policy, groups_val or {}, target, classes)
        held = merged(table.codes(given), target, weight, class_weight, False, others)
        if not len(held.label):
            raise InputError("class_weight gives 0 to the classes of all rows of X_val: they cannot judge a network")
        parts = [Fold(rows, held)]
    else:
        weight = data.weight * class_weight[data.target]
        parts = folds_of(
            together, data.classes, data.target, weight, some, rows, settings.tries.folds, validation_fraction, rng
        )
    seed = int(rng.integers(2**31))
    source = GIVEN if given_rows else TRAINING if parts[0].held is rows else HELD_BACK
    columns = table.columns(rows.codes, len(classes))
    task = SearchTask(table, columns, classes, rows, parts, settings, seed, class_weight)
    task = replace(task, expected_rates=() if members is None else members.expected)
    return task if policy is None else under(policy, task), source


def with_fewer_bins(table: BinnedTable, rows: Rows, max_bins: int | None) -> BinnedTable:
    """Return the table with as many bins as the user wants, or as few as a small table should have."""
    bins = max_bins or _most_bins(table, len(rows.label))
    return coarser(table, rows, bins) if bins < MAX_BINS else table


def folds_of(
    together: RowGroups,
    classes: NDArray[Any],
    target: NDArray[np.int64],
    weight: NDArray[np.float64],
    some: Callable[[NDArray[np.bool_]], Rows],
    rows: Rows,
    folds: int,
    validation_fraction: float | None,
    rng: np.random.Generator,
) -> list[Fold]:
    """Return the folds that hold out rows of the table in turn; `some` gives a part of it, and `rows` is all of it."""
    wanted, fraction = (1, 0.2) if together.in_time else _splits(len(rows.label), folds)
    part = together.parts(target, weight, validation_fraction or fraction, rng)
    most = min(int(part.max()) + 1, wanted)
    sides = [Fold(some(part != number), some(part == number)) for number in range(most)]
    if together.equal:
        warn_of_small(classes[np.setdiff1d(target, target[part >= 0])])
    # A class may weigh nothing, and a side may have no other.
    return [fold for fold in sides if len(fold.training.label) and len(fold.held.label)] or [Fold(rows, rows)]


def _splits(rows: int, wanted: int) -> tuple[int, float]:
    """Return how often rows are held out, and which fraction of them each time, unless the user says it."""
    if rows <= _SEVERAL_FOLDS:
        return wanted, 1 / max(wanted, 3)
    return (min(wanted, 2) if rows <= _TWO_FOLDS else 1), 0.2


def times_learned(rows: int, settings: SearchSettings) -> int:
    """Return how many folds a table of so many different rows has."""
    return _splits(rows, settings.tries.folds)[0]


def _most_bins(table: BinnedTable, rows: int) -> int:
    """Return the most bins of a column of numbers, unless the user says it."""
    if rows > _FEW_CUTS_UP_TO:
        return MAX_BINS
    numbers = sum(bins.column.ordered and bins.count > _LEAST_BINS for bins in table.bins)
    return min(max(_CUTS // max(numbers, 1), _LEAST_BINS), MAX_BINS)
