"""From a store of coded rows to the task of a search: rows in memory, and the folds that judge networks.

A table of up to `SAMPLE` different rows is searched as a whole, and folds of it are held out. Of a larger one, the rows
with the smallest keys are the sample that a path of networks is learned from. The best of these is improved on more
rows, and all rows with the highest keys judge, in one pass over the store. `HoldoutKeys` makes the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import WEIGHT_UNIT, Shard
from conceptrules.kernels.search.values import NO_GROUPS, Columns, Groups, Rows
from conceptrules.learn.binned_table import MAX_BINS, BinnedTable, coarsen_bins, map_codes, recode_rows
from conceptrules.learn.coding.store import RowStore, find_row_starts
from conceptrules.learn.coding.table_coding import CodedTable
from conceptrules.learn.folds import (
    GIVEN,
    HELD_BACK,
    TRAINING,
    RowGroups,
    group_equal_rows,
    number_equal_rows,
    warn_of_small_classes,
)
from conceptrules.learn.inputs import FitOptions, Settings
from conceptrules.learn.search.fairness import GroupMembers, find_group_members
from conceptrules.learn.search.locked_rules import add_locked_cuts, list_kept_rules
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.model.errors import InputError
from conceptrules.model.policy import LeastPrecision, LeastRows, Policy
from conceptrules.model.predicate import Value

SAMPLE = 100_000
"""Different rows that a path is learned from; a table of no more than these is searched as a whole."""
WATCH = 50_000
"""Further different rows, which decide when the path ends."""
MORE = 1_000_000
"""Different rows that the best network is improved on. Nothing is learned from any others, or from held-out rows."""
_COINCIDENCES = 5
"""Times as many pairs of equal rows as independent columns would have, up to which they are no copies: columns depend
on one another. Tables whose rows are of people or cases have 1 to 4.7 times as many, and those with copies 50 or
more."""
# Different rows up to which five folds, all folds of the effort, or two of them, are held out in turn; beyond, one part
# is. Of few rows, each has to judge.
_FIVE_FOLDS, _SEVERAL_FOLDS, _TWO_FOLDS = 500, 5_000, 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to learn from, and rows held out to judge by."""

    training: Rows
    held_out: Rows
    separate: bool = False
    """Whether equal rows are observations of their own, and not copies of one."""
    group: NDArray[np.intp] | None = None
    """The group of each held-out row that the user gives; rows of one group are one observation."""


@dataclass(frozen=True, slots=True, eq=False)
class Remainder:
    """The rows of a large table besides the sample that is learned from."""

    more: Rows | None
    """Rows to improve the best network on; None: the sample has all rows that may be learned from."""
    store: RowStore
    """The store of the rows that judge the networks in the end."""
    first_key: int
    """The smallest key of these rows."""
    code_map: NDArray[np.uint8]
    """[column, code of the store]: the code of the task."""


@dataclass(frozen=True, slots=True, eq=False)
class Task(Generic[Settings]):
    """What there is to learn: rows as codes, and the folds that judge."""

    table: BinnedTable
    columns: Columns
    classes: tuple[Value, ...]
    class_weight: NDArray[np.float64]
    """What a row of each class weighs."""
    rows: Rows
    folds: Sequence[Fold]
    source: str
    """Where the rows that choose the network come from."""
    settings: Settings
    seed: int
    constraints: Constraints
    remainder: Remainder | None = None
    """None: the rows of the task are the whole table, and its folds judge."""

    def unweigh(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of rows in each class, whatever the class weighs."""
        raw: NDArray[np.float64] = mass / np.where(self.class_weight > 0, self.class_weight, 1.0)
        return raw


def make_task(coded: CodedTable, options: FitOptions[Settings]) -> Task[Settings]:
    """Return the task of learning from a store of coded rows.

    What is to be learned from a sample has the policy scaled to it; each learner applies it in its own way.
    """
    picked = coded.store.pick(MORE + WATCH)
    starts = find_row_starts(picked)
    make = _learn_from_all if len(starts) <= SAMPLE else _learn_from_sample
    return make(coded, options, picked, starts)


def keep_rows_with_weight(
    codes: NDArray[np.uint8],
    mass: NDArray[np.float64],
    raw: NDArray[np.float64] | None = None,
    groups: Groups = NO_GROUPS,
) -> Rows:
    """Return the rows of a search, without those that weigh nothing in any class, raw or not."""
    kept = mass.sum(axis=1) > 0
    if raw is not None:
        kept |= raw.sum(axis=1) > 0
    codes, mass = np.ascontiguousarray(codes[kept]), np.ascontiguousarray(mass[kept])
    single = (mass > 0).sum(axis=1) == 1
    rows = Rows(codes, mass, np.where(single, mass.argmax(axis=1), -1).astype(np.int64))
    if raw is None:
        return rows
    share = np.ascontiguousarray(groups.share[kept]) if len(groups.total) else groups.share
    return rows._replace(raw=np.ascontiguousarray(raw[kept]), groups=groups._replace(share=share))


class _RowBuilder:
    """Makes the rows of a search from picked rows: one row for each number, with its weight in each class."""

    def __init__(self, coded: CodedTable, policy: Policy | None) -> None:
        clauses = () if policy is None else (*policy.of_kind(LeastRows), *policy.of_kind(LeastPrecision))
        self._coded, self._policy, self._raw = coded, policy, bool(clauses)

    def build(self, shard: Shard, codes: NDArray[np.uint8], number: NDArray[np.intp]) -> Rows:
        """Return the rows. Those of one number are equal, and are one row."""
        class_weight = self._coded.class_weight
        count, classes = int(number.max(initial=-1)) + 1, len(class_weight)
        target, weight = shard.target.astype(np.int64), shard.weight / WEIGHT_UNIT
        mass = np.bincount(number * classes + target, weight, count * classes).astype(np.float64)
        mass = mass.reshape(count, classes)
        members = self.find_members(shard)
        groups = NO_GROUPS if members is None else members.merge(number, count, weight)
        first = np.unique(number, return_index=True)[1]
        raw = mass if self._raw or members is not None else None
        if not codes.shape[1]:
            codes = np.zeros((len(codes), 1), np.uint8)
        return keep_rows_with_weight(codes[first], mass * class_weight, raw, groups)

    def build_merged(self, shard: Shard, codes: NDArray[np.uint8]) -> Rows:
        """Return the rows in the order of their codes, equal ones merged."""
        return self.build(shard, codes, number_equal_rows(codes))

    def hold_out_groups(self, shard: Shard, codes: NDArray[np.uint8]) -> tuple[Rows, NDArray[np.intp]]:
        """Return rows, equal ones merged only within their group, and the number of the group of each."""
        key = np.unique(shard.key, return_inverse=True)[1].ravel()
        number = np.unique(key * (len(key) + 1) + number_equal_rows(codes), return_inverse=True)[1].ravel()
        counted = shard.weight * (1.0 if self._raw else self._coded.class_weight[shard.target.astype(np.int64)])
        weighed = np.bincount(number, counted) > 0
        return self.build(shard, codes, number), key[np.unique(number, return_index=True)[1]][weighed]

    def find_members(self, shard: Shard) -> GroupMembers | None:
        return find_group_members(self._policy, self._coded.coding.groups, shard, self._coded.classes.tolist())


def _learn_from_all(
    coded: CodedTable, options: FitOptions[Settings], picked: Shard, starts: NDArray[np.intp]
) -> Task[Settings]:
    """Return the task of a table that is learned from as a whole."""
    builder, table, policy = _RowBuilder(coded, options.policy), coded.coding.table, options.policy
    coarse = _coarsen(table, builder.build_merged(picked, picked.codes), options)
    codes = recode_rows(picked.codes, table, coarse)
    rows = builder.build_merged(picked, codes)
    if coded.validation is not None:
        held_out = coded.validation.pick(coded.validation.rows)
        fold = Fold(rows, builder.build_merged(held_out, recode_rows(held_out.codes, table, coarse)))
        if not len(fold.held_out.label):
            raise InputError("class_weight gives 0 to the classes of all rows of X_val: they cannot judge a network")
        folds, source = [fold], GIVEN
    else:
        separate = coded.coding.keys.by == "rows" and repeats_by_chance(picked, starts)
        if separate:
            picked = separate_rows(picked)
            codes = recode_rows(picked.codes, table, coarse)
        part = _split_rows(coded, options, picked, len(rows.label), separate)
        grouped = coded.coding.keys.by == "groups"

        def hold_out(side: NDArray[np.bool_]) -> Fold:
            training = builder.build_merged(picked.take(~side), codes[~side])
            if grouped:
                held_out, group = builder.hold_out_groups(picked.take(side), codes[side])
                return Fold(training, held_out, group=group)
            return Fold(training, builder.build_merged(picked.take(side), codes[side]), separate)

        sides = [hold_out(part == number) for number in range(int(part.max()) + 1)]
        # A class may weigh nothing, and then a side that has only this class has no rows.
        folds = [fold for fold in sides if len(fold.training.label) and len(fold.held_out.label)]
        folds = folds or [Fold(rows, rows, separate)]
        source = TRAINING if folds[0].held_out is rows else HELD_BACK
    members = builder.find_members(picked)
    return Task(
        table=coarse,
        columns=coarse.make_columns(rows.codes, len(coded.classes)),
        classes=tuple(coded.classes.tolist()),
        class_weight=coded.class_weight,
        rows=rows,
        folds=folds,
        source=source,
        settings=options.settings,
        seed=int(options.rng.integers(2**31)),
        constraints=Constraints(policy, expected_rates=() if members is None else members.expected),
    )


def repeats_by_chance(picked: Shard, starts: NDArray[np.intp]) -> bool:
    """Return whether about as many rows are equal as if columns had nothing to do with one another.

    That is so where columns are few and have few values. Where many more are equal, they are copies of one row.
    """
    weight = picked.weight / WEIGHT_UNIT
    expected = sum(_log_equal_pairs(np.bincount(column, weight)) for column in picked.codes.T)
    return bool(_log_equal_pairs(np.add.reduceat(weight, starts)) <= log(_COINCIDENCES) + expected)


def _log_equal_pairs(weight: NDArray[Any]) -> float:
    """Return the logarithm of the share of pairs that are equal, given how often each value occurs."""
    total = weight.sum()
    share = float((weight * (weight - 1)).sum() / max(total * (total - 1), 1e-300))
    return log(share) if share > 0 else -inf


def separate_rows(picked: Shard) -> Shard:
    """Return the rows, each equal one on its own; so many of them that some stay together need not be told apart."""
    repeats = np.maximum(np.rint(picked.weight / max(WEIGHT_UNIT, float(picked.weight.sum()) / SAMPLE)), 1).astype(int)
    row = np.repeat(np.arange(len(repeats)), repeats)
    return picked.take(row)._replace(weight=picked.weight[row] // repeats[row])


def _split_rows(
    coded: CodedTable, options: FitOptions[Settings], picked: Shard, different: int, separate: bool
) -> NDArray[np.intp]:
    """Return the number of the fold that holds out each row; -1: none does."""
    keys = coded.coding.keys
    if keys.by == "time":
        return np.where(picked.key >= np.uint64(keys.first_key), 0, -1)
    groups = RowGroups(np.arange(len(picked.key)), least=2) if separate else group_equal_rows(picked.codes)
    if keys.by == "groups":
        groups = RowGroups(np.unique(picked.key, return_inverse=True)[1].ravel())
    folds, fraction = choose_split(different, options.settings.effort_level.folds)
    target = picked.target.astype(np.int64)
    weight = picked.weight / WEIGHT_UNIT * coded.class_weight[target]
    part = groups.assign_parts(target, weight, options.validation_fraction or fraction, options.rng)
    if groups.equal:
        warn_of_small_classes(coded.classes[np.setdiff1d(target, target[part >= 0])])
    return np.where(part < folds, part, -1)


def _learn_from_sample(
    coded: CodedTable, options: FitOptions[Settings], picked: Shard, starts: NDArray[np.intp]
) -> Task[Settings]:
    """Return the task of a large table, and its policy scaled to the sample."""
    table, first_key = coded.coding.table, coded.coding.keys.first_key
    watch = starts[-min(WATCH, len(starts) // 5)]
    more = picked.take(slice(watch)).below(first_key)
    sample = more.take(slice(starts[SAMPLE]))
    policy = scale_policy(options.policy, float(sample.weight.sum() / WEIGHT_UNIT) / coded.weight)
    builder = _RowBuilder(coded, policy)
    coarse = _coarsen(table, builder.build(sample, sample.codes, _number_rows(sample)), options)

    def build(shard: Shard) -> Rows:
        return builder.build(shard, recode_rows(shard.codes, table, coarse), _number_rows(shard))

    rows, members = build(sample), builder.find_members(sample)
    watched = picked.take(slice(watch, None))
    fold = Fold(rows, build(watched))
    if coded.coding.keys.by == "groups":
        held_out, group = builder.hold_out_groups(watched, recode_rows(watched.codes, table, coarse))
        fold = Fold(rows, held_out, group=group)
    judging = coded.store if coded.validation is None else coded.validation
    return Task(
        table=coarse,
        # A gap that the sample does not show may be in another row.
        columns=coarse.make_columns(
            recode_rows(coded.store.find_highest_codes()[None], table, coarse), len(coded.classes)
        ),
        classes=tuple(coded.classes.tolist()),
        class_weight=coded.class_weight,
        rows=rows,
        folds=[fold],
        source=HELD_BACK if coded.validation is None else GIVEN,
        settings=options.settings,
        seed=int(options.rng.integers(2**31)),
        constraints=Constraints(policy, expected_rates=() if members is None else members.expected),
        remainder=Remainder(
            more=build(more) if len(more.key) > len(sample.key) else None,
            store=judging,
            first_key=first_key if coded.validation is None else 0,
            code_map=map_codes(table, coarse),
        ),
    )


def _number_rows(shard: Shard) -> NDArray[np.intp]:
    """Return the number of the different row that each picked row belongs to, in the order of their keys."""
    return np.searchsorted(find_row_starts(shard), np.arange(len(shard.key)), "right") - 1


def scale_policy(policy: Policy | None, share: float) -> Policy | None:
    """Return the policy that a sample with this share of all rows has to keep.

    If a rule has to cover 1,000 of all rows, about 100 of these, give or take 10, are in a sample of a tenth. Two such
    deviations more are required, so that the rule covers enough of all rows, too; that is counted in the end.
    """
    if policy is None or share >= 1:
        return policy

    def scale(clause: LeastRows) -> LeastRows:
        expected = clause.rows * share
        return LeastRows(max(1, round(expected + 2 * expected**0.5)))

    clauses = (scale(clause) if isinstance(clause, LeastRows) else clause for clause in policy.clauses)
    return replace(policy, clauses=tuple(clauses))


def _coarsen(table: BinnedTable, rows: Rows, options: FitOptions[Settings]) -> BinnedTable:
    """Return the table with at most as many bins as the user asks for, or as the learner takes on so many rows."""
    most = options.max_bins or options.settings.choose_bins(len(rows.label))
    if most >= MAX_BINS:
        return table
    coarse = coarsen_bins(table, rows, most)
    return add_locked_cuts(coarse, options.policy) if options.policy and list_kept_rules(options.policy) else coarse


def choose_split(rows: int, folds: int) -> tuple[int, float]:
    """Return how often rows of a table are held out, and which fraction each time unless the user sets it."""
    if rows <= _SEVERAL_FOLDS:
        parts = max(folds, 5) if rows <= _FIVE_FOLDS else folds
        return parts, 1 / max(parts, 3)
    return (min(folds, 2) if rows <= _TWO_FOLDS else 1), 0.2
