"""What training starts from: a table, read once, and its split into rows to train on and rows held out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.binarizer import check_rows
from conceptrules.learn.checks import check_validation_labels, warn_of_light_weights
from conceptrules.learn.folds import (
    GIVEN,
    HELD_BACK,
    TRAINING,
    RowGroups,
    read_row_groups,
    split_once,
    warn_of_small_classes,
)
from conceptrules.learn.mllp.examples import Examples, canonical, joined, split_examples
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.tables.hashes import hash_rows
from conceptrules.tables.labels import check_class_weight, check_classes, check_labels, encode_labels
from conceptrules.tables.table import Table, open_table


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The rows of a table, and the predicates that a binarizer learned from them."""

    binarizer: Binarizer
    classes: NDArray[Any]
    class_weight: Any
    """The user's `class_weight`, checked."""
    hashes: NDArray[np.uint64]
    """A hash of each row of the table."""
    table: Table
    target: NDArray[np.int64]
    """The class of each row of the table, as a number."""
    weight: NDArray[np.float64]
    """The weight of each row of the table."""
    groups: RowGroups | None = None
    """What the user says of rows that stay on one side of every split."""
    kept: NDArray[np.intp] | None = None
    """Which rows of the user's table these are; None: all."""

    @cached_property
    def rows(self) -> Examples:
        """The rows as bits of all predicates, in canonical form."""
        return canonical(self.in_order())

    def in_order(self) -> Examples:
        """Return the rows as bits of all predicates, in the order of the table."""
        return Examples.from_packed_bits(self.binarizer.transform_packed(self.table), self.target, self.weight)

    def blank(self) -> RuleNetwork:
        """Return a network of these predicates and classes, without rules."""
        names = tuple(self.classes.tolist())
        none = Level((), (Concept(),) * len(names))
        return RuleNetwork(self.binarizer.columns_, self.binarizer.predicates_, (none,), names)

    def weights_of_classes(self, target: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each class, where "balanced" means balanced on rows of these classes and weights."""
        share = np.bincount(target, weight, len(self.classes)).astype(np.float64)
        return check_class_weight(self.class_weight, self.classes, share)


def read_training_data(
    X: Any,
    y: Any,
    binarizer: Binarizer,
    sample_weight: Any,
    class_weight: Any,
    groups: Any = None,
    time: Any = None,
) -> TrainingData:
    """Fit the binarizer to a table, and return the table with what was learned. Each cell of it is read once.

    Labels, weights and classes are checked before the table is opened; rows of weight 0 are never looked at.
    """
    labels, weight = check_labels(y, sample_weight=sample_weight)
    warn_of_light_weights(int(np.count_nonzero(weight)), float(weight.sum()))
    classes = check_classes(labels)
    check_class_weight(class_weight, classes, np.ones(len(classes)))
    table, kept = open_table(X), np.flatnonzero(weight)
    together = read_row_groups(groups, time, len(labels))
    together = together and together.take(kept)
    check_rows(table, len(labels))
    if len(kept) < len(weight):
        table, labels, weight = table.take(kept), labels[kept], weight[kept]
    table = table.read_once()
    binarizer.fit(table, labels, sample_weight=weight)
    target = encode_labels(labels)[1]
    hashes = hash_rows(binarizer.columns_, table, labels)
    return TrainingData(binarizer, classes, class_weight, hashes, table, target, weight, together, kept)


@dataclass(frozen=True, slots=True, eq=False)
class Holdout:
    """One split of the rows."""

    training: Examples
    validation: Examples
    """The same object as `training` where no row can be held out."""
    source: str
    """Where the validation rows come from: HELD_BACK, GIVEN or TRAINING."""
    seen: Examples
    """All rows that may decide what simplification leaves out of the rules."""


def hold_out(data: TrainingData, X_val: Any, y_val: Any, *, fraction: float, rng: np.random.Generator) -> Holdout:
    """Take the user's validation rows, or else hold back a fraction of the rows.

    A class that is too small to spare a row stays in training, with a warning.
    """
    if X_val is not None or y_val is not None:
        if data.groups is not None:
            name = "time" if data.groups.in_time else "groups"
            raise InputError(f"X_val and {name} both say which rows are held out; give one of them")
        table, target, weight = check_validation_labels(X_val, y_val, data.classes)
        validation = canonical(Examples.from_packed_bits(data.binarizer.transform_packed(table), target, weight))
        return Holdout(data.rows, validation, GIVEN, joined(data.rows, validation))
    if data.groups is not None:
        part = data.groups.assign_parts(data.target, data.weight, fraction, rng)
        return Holdout(*split_examples(data.in_order(), part == 0), HELD_BACK, data.rows)
    # Equal rows are held out together. Hashes of the raw cells tell which rows are equal: rows that differ may well
    # have the same bits.
    _, first, number = np.unique(data.hashes, return_index=True, return_inverse=True)
    order = np.lexsort((data.weight, number))
    size = np.bincount(number[order], data.weight[order]).astype(np.float64)
    training, validation = split_examples(data.in_order(), split_once(data.target[first], size, fraction, rng)[number])
    warn_of_small_classes(data.classes[np.setdiff1d(training.target, validation.target)])
    if not len(validation):  # no class has a row to spare, so the training rows have to judge as well
        return Holdout(training, training, TRAINING, data.rows)
    return Holdout(training, validation, HELD_BACK, data.rows)
