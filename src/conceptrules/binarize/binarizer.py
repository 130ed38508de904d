"""The scikit-learn transformer: learn predicates from a table, then turn tables into bits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Self, cast, get_args

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from conceptrules.binarize.columns import Literals, Recipe, Target, Told, learn_column
from conceptrules.binarize.thresholds import QUANTILES
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, PackedBits, unpack
from conceptrules.model.predicate import KINDS, Column, Predicate
from conceptrules.model.text import predicate_text
from conceptrules.model.values import whole
from conceptrules.tables.labels import check_labels, codes_of_labels
from conceptrules.tables.table import Table, count_unseen, nearest, open_table, read_packed_bits


class Binarizer(TransformerMixin, BaseEstimator):
    """Turns a table into bits, one for each predicate.

    Numbers, dates and durations are cut into intervals that tell the classes apart (minimal entropy, MDL stopping
    rule); categories and booleans get one predicate each; a column with gaps gets `is missing` as well. A category
    that training never showed, or a gap where there was none, makes all predicates of its column false.

    Categories with an order are an ordinal column: ordered categoricals of pandas, polars' Enum, or what `kinds` says.

    Parameters
    ----------
    kinds : {column: kind} where a column is not what it seems: "number", "category", "ordinal", "boolean", "date",
        "datetime" or "duration"; or the list of its categories in their order, such as ["low", "mid", "high"]. The
        columns of an array are named x0, x1, ...
    max_categories : how many categories of a column are kept, the most frequent ones; the others read as unseen. An
        order cannot be longer.
    literals : "intervals", the paper's, that do not overlap, and each category of an order by itself; or "thresholds",
        `x <= t` and `x > t`, at the same cuts and at quantiles, and `rank <= b` and `rank > b` for each category of
        an order.
    quantiles : the most thresholds that are there only to split a column evenly. A column with no more values than
        this has a threshold at each.

    Attributes
    ----------
    predicates_ : the meaning of each bit.
    columns_ : the columns as training saw them.
    categories_dropped_ : columns with more categories than are kept, and how many are not.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    >>> table = [{"age": age, "job": job} for age, job in zip(range(20, 60), ["nurse", "smith"] * 20)]
    >>> binarizer = Binarizer().fit(table, [row["age"] > 41 for row in table])
    >>> list(map(str, binarizer.get_feature_names_out()))
    ['age <= 41', 'age > 41', 'job = nurse', 'job = smith']
    """

    columns_: tuple[Column, ...]
    categories_dropped_: tuple[tuple[str, int], ...]
    predicates_: tuple[Predicate, ...]

    def __init__(
        self,
        kinds: Mapping[Any, str | Sequence[Any]] | None = None,
        max_categories: int = 256,
        literals: str = "intervals",
        quantiles: int = QUANTILES,
    ) -> None:
        self.kinds = kinds
        self.max_categories = max_categories
        self.literals = literals
        self.quantiles = quantiles

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Whole-number weights act as repeats of rows; rows of weight 0 as if they were not there."""
        recipe = self._recipe()
        table = open_table(X)
        _check_size(table)
        kinds = _check_kinds(self.kinds or {}, table)
        target = _check_target(table, y, sample_weight)
        rows = np.flatnonzero(target.weight)
        if len(rows) < table.rows:
            table, target = table.take(rows), target.take(rows)
        learned = [
            learn_column(cells, kinds.get(cells.name), target, recipe)
            for cells in map(table.cells, range(len(table.names)))
        ]
        for column in learned:
            if column.warning:
                warnings.warn(column.warning, stacklevel=2)
        constant = [column.column.name for column in learned if column.constant]
        if constant and len(rows) > 1:
            warnings.warn(f"constant columns tell no classes apart: {', '.join(map(repr, constant))}", stacklevel=2)
        self.columns_ = tuple(column.column for column in learned)
        self.categories_dropped_ = tuple((column.column.name, column.dropped) for column in learned if column.dropped)
        self.predicates_ = tuple(predicate for column in learned for predicate in column.predicates)
        self._remember_names(table)
        return self

    def transform(self, X: Any) -> Bits:
        """(rows, predicates): where each predicate holds."""
        return unpack(self.transform_packed(X))

    def transform_packed(self, X: Any) -> PackedBits:
        """`transform`, packed: the bits of 64 rows in a word."""
        check_is_fitted(self)
        return read_packed_bits(self.columns_, self.predicates_, X)

    def count_unseen(self, X: Any) -> dict[str, int]:
        """Rows, by column, whose value training never showed: a new category, or a gap where there was none."""
        check_is_fitted(self)
        return count_unseen(self.columns_, X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The predicates in words."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        columns = {column.name: column for column in self.columns_}
        texts = [predicate_text(predicate, columns[predicate.column]) for predicate in self.predicates_]
        return np.array(texts, dtype=object)

    def check(self) -> None:
        """Objects to parameters that are out of range."""
        self._recipe()

    def _recipe(self) -> Recipe:
        for name, least in (("max_categories", 1), ("quantiles", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise InputError(f"{name} must be a whole number from {least} on, got {value!r}")
        if self.literals not in get_args(Literals):
            known = " or ".join(map(repr, get_args(Literals)))
            raise InputError(f"literals must be {known}, got {self.literals!r}")
        return Recipe(int(self.max_categories), cast(Literals, self.literals), int(self.quantiles))

    def _remember_names(self, table: Table) -> None:
        self.n_features_in_ = len(table.names)
        if table.strings:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _check_size(table: Table) -> None:
    """In the words of scikit-learn."""
    shape = f"(shape=({table.rows}, {len(table.names)})) while a minimum of 1 is required"
    if not table.names:
        raise InputError(f"Found a table with 0 feature(s) {shape}; give at least one column to learn from")
    if not table.rows:
        raise InputError(f"Found a table with 0 sample(s) {shape}; give at least one row to learn from")


def _check_target(table: Table, y: Any, sample_weight: Any) -> Target:
    labels, weight = check_labels(y, sample_weight=sample_weight)
    if len(labels) != table.rows:
        raise InputError(f"the table has {table.rows} rows, but y has {len(labels)}; give one class for each row")
    classes, codes = codes_of_labels(labels)
    return Target(codes, weight, len(classes))


def _check_kinds(kinds: Mapping[Any, str | Sequence[Any]], table: Table) -> dict[str, Told]:
    if not isinstance(kinds, Mapping):
        raise InputError(f"kinds is {kinds!r}; it needs {{column: kind}}, such as {{'zip': 'category'}}")
    checked = {}
    for key, kind in kinds.items():
        name = str(key)
        if name not in table.names:
            raise InputError(f"kinds names column {name!r}, which is not in the table; {nearest(name, table.names)}")
        checked[name] = _told(name, kind)
    return checked


def _told(name: str, kind: str | Sequence[Any]) -> Told:
    if isinstance(kind, list | tuple):
        order = tuple(map(whole, Column(name, "ordinal", tuple(kind)).categories))
        if not order or len({isinstance(value, str) for value in order}) > 1:
            raise InputError(
                f"kinds says {list(kind)!r} for column {name!r}; an order needs categories, all text or all numbers"
            )
        return Told("ordinal", order)
    for known in KINDS:
        if kind == known:
            return Told(known)
    raise InputError(f"kinds says {kind!r} for column {name!r}; {nearest(str(kind), KINDS)}")
