"""How rows become codes: the bins of their values, the keys that say what is held out, and the groups of people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.search.passes import hash_codes
from conceptrules.kernels.search.shards import KEYS, NO_GROUP, WEIGHT_UNIT, Shard
from conceptrules.learn.binned_table import BinnedTable, make_binned_table
from conceptrules.learn.coding.number_target import NumberTarget
from conceptrules.learn.folds import find_newest, raise_same_group
from conceptrules.learn.inputs import FitInputs, FitOptions
from conceptrules.learn.points.settings import CardSettings, NumberSettings
from conceptrules.learn.search.locked_rules import add_locked_cuts
from conceptrules.model.policy.policy import check_policy
from conceptrules.tables.column_values import ColumnValues, to_numbers
from conceptrules.tables.hashes import hash_cells, hash_labelled_rows, hash_labels
from conceptrules.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class ReadBatch:
    """Some rows that weigh anything."""

    table: Table
    """The columns to learn from."""
    target: NDArray[np.intp]
    weight: NDArray[np.int64] | None
    """In units of 1 / WEIGHT_UNIT; None: one each."""
    holdout: ColumnValues | None = None
    """The groups or the moments of the rows."""
    members: tuple[NDArray[Any], ...] = ()
    """For each column that a policy wants to be fair, the name of each row's group; None where it is missing."""
    number: NDArray[np.float64] | None = None
    """The numbers to predict; then `target` has their quantiles."""


@dataclass(frozen=True, slots=True)
class HoldoutKeys:
    """How the keys of rows are made, which say what is held out of a table that is larger than a sample."""

    by: str = "rows"
    """What stays on one side of a split: equal "rows", "groups", or all rows before or after a moment in "time"."""
    first_key: int = KEYS // 5 * 4
    """Rows whose key is this or above are held out; KEYS: none."""
    last_moment: float = np.inf
    """The last moment that is not held out."""

    def assign(self, codes: NDArray[np.uint8], holdout: ColumnValues | None) -> NDArray[np.uint64]:
        """Return the key of each row: a hash of its content or its group, on the side of its moment."""
        if self.by == "groups":
            assert holdout is not None
            return hash_cells(holdout)
        keys: NDArray[np.uint64] = hash_codes(np.ascontiguousarray(codes))
        if self.by == "time":
            assert holdout is not None
            newest = holdout.by_row(to_numbers(holdout)) > self.last_moment
            older, newer = np.uint64(self.first_key), np.uint64(KEYS - self.first_key)
            keys = np.where(newest, older + keys % newer, keys % older)
        return keys


@dataclass(frozen=True, slots=True)
class Coding:
    """How the rows of a table are coded."""

    table: BinnedTable
    classes: NDArray[Any]
    keys: HoldoutKeys
    groups: dict[str, tuple[str, ...]]
    """The groups of people that a policy wants to be treated alike, by their column."""
    number: NumberTarget | None = None
    """Where the target is a number: its quantiles, which are the classes."""


class CodedBatch(NamedTuple):
    """Some rows as codes."""

    shard: Shard
    hashes: NDArray[np.uint64]
    """Of the rows as they are written; the smallest identify the table."""


def encode_batch(batch: ReadBatch, coding: Coding) -> CodedBatch:
    """Return rows as codes."""
    rows = batch.table.read_once()
    codes = coding.table.encode(rows)
    weight = np.full(len(codes), WEIGHT_UNIT, np.int64) if batch.weight is None else batch.weight
    member = np.full((len(codes), len(batch.members)), NO_GROUP, np.uint8)
    for position, (names, known) in enumerate(zip(batch.members, coding.groups.values(), strict=True)):
        for code, name in enumerate(known):
            member[names == name, position] = code
    number = np.zeros((len(codes), 0)) if batch.number is None else batch.number[:, None]
    columns = tuple(bins.column for bins in coding.table.bins)
    return CodedBatch(
        Shard(codes, batch.target.astype(np.uint16), weight, coding.keys.assign(codes, batch.holdout), member, number),
        hash_labelled_rows(columns, rows, hash_labels(coding.classes)[batch.target]),
    )


def choose_keys(
    options: FitOptions[Any], inputs: FitInputs, moments: ValueCounts | None, by_groups: bool
) -> HoldoutKeys:
    """Return how the keys of rows are made, from what the user says of held-out rows."""
    if inputs.X_val is not None or inputs.y_val is not None:
        return HoldoutKeys(first_key=KEYS)  # nothing is held out
    fraction = options.validation_fraction
    keys = HoldoutKeys("groups" if by_groups else "rows")
    if fraction is not None:
        keys = replace(keys, first_key=int(KEYS * (1 - fraction)))
    if moments is None:
        return keys
    cells, counts = moments.distinct()
    weight = counts.sum(axis=1).astype(np.float64)
    if len(weight) < 2:
        raise_same_group("time")
    newest = find_newest(weight, fraction or 0.2)
    return replace(keys, by="time", last_moment=float(to_numbers(cells)[newest - 1]))


def make_bins(binarizer: Binarizer, options: FitOptions[Any], classes: NDArray[Any]) -> BinnedTable:
    """Return the bins of the columns, with those that locked rules need."""
    table, policy, settings = make_binned_table(binarizer), options.policy, options.settings
    if policy is not None:
        labels = () if isinstance(settings, NumberSettings) else classes.tolist()
        check_policy(policy, binarizer.columns_, labels, isinstance(settings, CardSettings))
        table = add_locked_cuts(table, policy)
    return table
