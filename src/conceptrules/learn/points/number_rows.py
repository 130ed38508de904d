"""From a store of rows with a number each to the rows that cards are learned from, and those that judge them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import exponentiate
from conceptrules.kernels.search.shards import WEIGHT_UNIT, Shard, concatenate_shards
from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.binned_table import coarsen_bins, recode_rows
from conceptrules.learn.coding.store import find_row_starts
from conceptrules.learn.coding.table_coding import CodedTable
from conceptrules.learn.folds import RowGroups, number_equal_rows
from conceptrules.learn.inputs import FitOptions
from conceptrules.learn.points.losses import LOSSES, Loss, TargetScale
from conceptrules.learn.points.path import PointRows
from conceptrules.learn.points.policy import apply_policy
from conceptrules.learn.points.settings import NumberSettings
from conceptrules.learn.search.augmentation import (
    FOREST_UP_TO,
    WEIGHT,
    count_mixed_rows,
    make_forest_inputs,
    mix_rows,
)
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.learn.task import SAMPLE, Task, choose_split, repeats_by_chance, scale_policy, separate_rows

Floats = NDArray[np.float64]


class NumberRows(NamedTuple):
    """Rows as codes, with their numbers in units of margins."""

    codes: NDArray[np.uint8]
    target: Floats
    weight: Floats

    def take(self, chosen: NDArray[np.bool_]) -> NumberRows:
        """Return some of the rows."""
        return NumberRows(self.codes[chosen], self.target[chosen], self.weight[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class NumberTask:
    """What there is to learn."""

    task: Task[NumberSettings]
    """The rows of all folds together, with the quantiles of their numbers as classes."""
    loss: Loss
    scale: TargetScale
    rows: NumberRows
    part: NDArray[np.intp]
    """The fold that holds out each row; -1: none does."""
    given: NumberRows | None
    """The rows that the user gives to judge cards."""

    @property
    def uses_forest(self) -> bool:
        """Whether mixed rows are learned from as well: not where the numbers are all the same."""
        return bool(self.task.settings.effort_level.trees and self.scale.spread) and len(self.part) <= FOREST_UP_TO

    def list_sides(self) -> Iterator[tuple[PointRows, NumberRows]]:
        """Yield the rows to learn from, and those that judge, of each fold; all rows come last."""
        every = np.ones(len(self.part), np.bool_)
        if self.given is not None:
            yield self._augment(every), self.given
            return
        for fold in range(int(self.part.max(initial=-1)) + 1):
            held_out = self.part == fold
            yield self._augment(~held_out), self.rows.take(held_out)
        yield self._augment(every), self.rows.take(~every)

    def _augment(self, chosen: NDArray[np.bool_]) -> PointRows:
        """Return rows to learn from; those of a small table are followed by mixed ones, which forests label."""
        rows = self.task.rows
        codes, mass = np.ascontiguousarray(rows.codes[chosen]), np.ascontiguousarray(rows.mass[chosen])
        target, weight = self.rows.target[chosen], self.rows.weight[chosen]
        trees = self.task.settings.effort_level.trees
        if not self.uses_forest or len(target) < 4:
            return PointRows(codes, weight[:, None], weight, target)
        mixed = mix_rows(Rows(codes, mass, rows.label[chosen]), count_mixed_rows(*codes.shape),
                         np.random.default_rng((self.task.seed, 0)))  # fmt: skip
        answers = _label_rows(self.task.columns, NumberRows(codes, target, weight), mixed, trees, self.task.seed)
        added = np.full(len(mixed), WEIGHT * weight.sum() / len(mixed))
        return PointRows(
            np.concatenate([codes, mixed]),
            np.concatenate([weight, added])[:, None],
            np.concatenate([weight, np.zeros(len(mixed))]),
            np.concatenate([target, answers]),
        )


def make_number_task(coded: CodedTable, options: FitOptions[NumberSettings]) -> NumberTask:
    """Return the task of learning numbers from a store; of a large one, the rows with the smallest keys."""
    loss = LOSSES[options.settings.loss]
    picked, part = _pick_rows(coded, options)
    weight, classes = picked.weight / WEIGHT_UNIT, len(coded.classes)
    mass = np.zeros((len(weight), classes))
    mass[np.arange(len(weight)), picked.target] = weight
    table = coded.coding.table
    rows = Rows(np.ascontiguousarray(picked.codes), mass, picked.target.astype(np.int64))
    coarse = coarsen_bins(table, rows, options.max_bins or options.settings.choose_bins(len(weight)))
    rows = rows._replace(codes=np.ascontiguousarray(recode_rows(picked.codes, table, coarse)))
    scale, target = loss.scale(picked.number[:, 0], weight)
    task = Task(
        table=coarse,
        columns=coarse.make_columns(rows.codes, classes),
        classes=(),
        class_weight=np.ones(classes),
        rows=rows,
        folds=(),
        source="held back",
        settings=options.settings,
        seed=int(options.rng.integers(2**31)),
        constraints=Constraints(scale_policy(options.policy, float(weight.sum()) / coded.weight)),
    )
    validation = None
    if coded.validation is not None:
        shard = coded.validation.pick(SAMPLE)
        codes = np.ascontiguousarray(recode_rows(shard.codes, table, coarse))
        validation = NumberRows(codes, _to_margins(shard.number[:, 0], loss, scale), shard.weight / WEIGHT_UNIT)
    task = apply_policy(task, coded.weight)
    return NumberTask(task, loss, scale, NumberRows(rows.codes, target, weight), part, validation)


def _to_margins(numbers: Floats, loss: Loss, scale: TargetScale) -> Floats:
    """Return other numbers in the units of the margins."""
    if loss.link == "log":
        return numbers / exponentiate(scale.centre)
    return (numbers - scale.centre) / (scale.spread or 1.0)


def _pick_rows(coded: CodedTable, options: FitOptions[NumberSettings]) -> tuple[Shard, NDArray[np.intp]]:
    """Return the rows to learn from, and the number of the fold that holds out each; -1: none does."""
    keys = coded.coding.keys
    if keys.by == "time":
        older = coded.store.pick(SAMPLE // 5 * 4).below(keys.first_key)
        newer = coded.store.pick(SAMPLE // 5, keys.first_key)
        part = np.repeat([-1, 0], [len(older.key), len(newer.key)])
        return concatenate_shards([older, newer]), part
    picked = coded.store.pick(SAMPLE)
    if coded.validation is not None:
        return picked, np.full(len(picked.key), -1)
    if keys.by == "groups":
        groups = RowGroups(np.unique(picked.key, return_inverse=True)[1].ravel())
    elif repeats_by_chance(picked, find_row_starts(picked)):
        picked = separate_rows(picked)
        groups = RowGroups(np.arange(len(picked.key)))
    else:
        groups = RowGroups(number_equal_rows(picked.codes))
    if not groups.number.any():
        return picked, np.full(len(picked.key), -1)
    folds, fraction = choose_split(len(picked.key), options.settings.effort_level.folds)
    fraction = options.validation_fraction or fraction
    part = groups.assign_parts(picked.target.astype(np.int64), picked.weight / WEIGHT_UNIT, fraction, options.rng)
    part = np.where(part < folds, part, -1)
    return picked, part if (part != part[0]).any() else np.full(len(part), -1)


def _label_rows(columns: Columns, rows: NumberRows, mixed: NDArray[np.uint8], trees: int, seed: int) -> Floats:
    """Return what two forests of regression trees expect of mixed rows, on average."""
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

    inputs, answers = make_forest_inputs(rows.codes, columns), np.zeros(len(mixed))
    for forest in (
        ExtraTreesRegressor(trees // 2, bootstrap=True, min_samples_leaf=2, random_state=seed),
        RandomForestRegressor(trees // 2, max_features=0.5, min_samples_leaf=2, random_state=seed),
    ):
        answers += forest.fit(inputs, rows.target, rows.weight).predict(make_forest_inputs(mixed, columns)) / 2
    return answers
