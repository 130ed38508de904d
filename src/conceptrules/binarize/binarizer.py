"""The scikit-learn transformer: learn predicates from a table, then turn tables into bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Integral
from typing import Any, Self, cast, get_args

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from conceptrules.binarize.columns import LearnedColumn, Literals, PredicateSettings, choose_terms, learn_column
from conceptrules.binarize.cut_points import QUANTILES
from conceptrules.binarize.inspection import (
    CompareColumns,
    Finding,
    Signature,
    find_duplicate_columns,
    find_suspicion,
    list_left_out,
    report_findings,
    sign_values,
    sum_keys,
)
from conceptrules.binarize.value_counts import GivenKind, ValueCounts, count_column
from conceptrules.model.derived import Length, Mention, Relation, make_derived, name_derivation, read_relation
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, PackedBits, unpack
from conceptrules.model.policy import Policy
from conceptrules.model.policy.policy import names_column
from conceptrules.model.predicate import KINDS, Column, Predicate
from conceptrules.model.text import predicate_text
from conceptrules.model.values import int_if_whole
from conceptrules.tables.labels import check_labels, encode_labels
from conceptrules.tables.table import Table, count_unseen, nearest, open_table, read_packed_bits


class Binarizer(TransformerMixin, BaseEstimator):
    """Turn a table into bits, one for each predicate.

    Numbers, dates and durations are cut into intervals that tell the classes apart (minimal entropy, MDL stopping
    rule); categories and booleans get one predicate each; a column with gaps gets `is missing` as well. A category that
    training never showed, or a gap where there was none, makes all predicates of its column false.

    Columns that are hardly features are left out, with a line that says so: identifiers, and columns that say on every
    row what an earlier one says. What `kinds` names is kept, and so are all columns of an array, which have no names.

    Categories with an order are an ordinal column: ordered categoricals of pandas, polars' Enum, or what `kinds` says.

    Parameters
    ----------
    kinds : dict of column to kind, optional
        The kind of a column that is not what it seems: "number", "category", "ordinal", "boolean", "date", "datetime"
        or "duration"; or the list of its categories in their order, such as ["low", "mid", "high"]. The columns of an
        array are named x0, x1, ...
    max_categories : int, default=256
        How many categories of a column are kept, the most frequent ones; the others read as unseen. An order cannot be
        longer.
    literals : {"intervals", "thresholds"}, default="intervals"
        "intervals" are the paper's: they do not overlap, and each category of an order is by itself. "thresholds" are
        `x <= t` and `x > t`, at the same cuts and at quantiles, and `rank <= b` and `rank > b` for each category of an
        order.
    quantiles : int, default=32
        The most thresholds that are there only to split a column evenly. A column with no more values than this has a
        threshold at each.
    relations : sequence of (str, str, str) or str, default=()
        Pairs of columns that are subtracted, divided or compared, such as ("debt", "/", "income") or "debt / income".
    keep : sequence of str, default=()
        Columns that are learned from even if they are identifiers, or say the same as another one.

    Attributes
    ----------
    predicates_ : tuple of Predicate
        The meaning of each bit. They are made when they are first asked for.
    columns_ : tuple of Column
        The columns as training saw them, without those that are left out.
    cuts_ : tuple of tuple of float
        Where each column of numbers, dates or durations is cut, ascending; nothing of other columns.
    categories_dropped_ : tuple of (str, int)
        The columns with more categories than are kept, and how many are not.
    inspection_ : tuple of Finding
        What is worth a look before learning from the table: copies of the target, identifiers, dates, constant and
        duplicate columns, columns with very many categories, classes with a handful of rows.
    n_features_in_ : int
        The number of columns, those that are left out among them.
    feature_names_in_ : array of str
        The names of the columns, where the table has some.

    Examples
    --------
    >>> table = [{"age": age, "job": job} for age, job in zip(range(20, 60), ["nurse", "smith"] * 20)]
    >>> binarizer = Binarizer().fit(table, [row["age"] > 41 for row in table])
    >>> list(map(str, binarizer.get_feature_names_out()))
    ['age <= 41', 'age > 41', 'job = nurse', 'job = smith']
    """

    columns_: tuple[Column, ...]
    inspection_: tuple[Finding, ...]
    categories_dropped_: tuple[tuple[str, int], ...]
    cuts_: tuple[tuple[float, ...], ...]
    _related: frozenset[str] = frozenset()
    """The columns that relations are between."""
    relation_search: object = None
    """What `relations="auto"` of an estimator tried; None: the user names the relations."""
    policy: Policy | None = None
    """What is asked of the networks that are learned: the columns that it names are kept."""

    def __init__(
        self,
        kinds: Mapping[Any, str | Sequence[Any]] | None = None,
        max_categories: int = 256,
        literals: str = "intervals",
        quantiles: int = QUANTILES,
        relations: Sequence[tuple[str, str, str] | str] | str = (),
        keep: Sequence[str] = (),
    ) -> None:
        self.relations = relations
        self.kinds = kinds
        self.max_categories = max_categories
        self.literals = literals
        self.quantiles = quantiles
        self.keep = keep

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the predicates from a table and the classes of its rows.

        Parameters
        ----------
        X : table of shape (rows, columns)
            A pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
        y : array of shape (rows,)
            The class of each row.
        sample_weight : array of shape (rows,), optional
            The weight of each row. Whole numbers act as repeats of rows; rows of weight 0 are left out.

        Returns
        -------
        Binarizer
            The fitted binarizer itself.

        Raises
        ------
        InputError
            If a parameter is out of range, or the table, the classes and the weights do not go together.
        ColumnTypeError
            If the values of a column are of several types.
        """
        self.check()
        table = open_table(X)
        labels, weight = check_labels(y, sample_weight=sample_weight)
        check_rows(table, len(labels))
        kinds = self.check_columns(table.names)
        rows = np.flatnonzero(weight)
        if len(rows) < table.rows:
            table, labels, weight = table.take(rows), labels[rows], weight[rows]
        classes, codes = encode_labels(labels)
        needed = {name for relation in check_relations(self.relations, table.names) for name in relation.columns}
        sources: list[ValueCounts] = []

        def count() -> Iterator[ValueCounts]:
            for cells in map(table.cells, range(len(table.names))):
                counted = count_column(cells, codes, weight, len(classes), kinds.get(cells.name))
                if counted.holds_text or counted.name in needed:
                    sources.append(counted)  # all others are gone once their column is learned
                yield counted
            for derived in self.plan_derived(sources, table.names):
                counted = ValueCounts(derived[-1].name, len(classes), derived=derived)
                if counted.needs_rows:
                    counted = count_column(counted.read(table), codes, weight, len(classes))
                yield replace(counted, derived=derived, cells=None)

        class_rows = dict(zip(classes.tolist(), np.bincount(codes).tolist(), strict=True))
        self.fit_counts(count(), class_rows, partial(sum_keys, table=table), named=table.named)
        if not table.strings:
            del self.feature_names_in_
        return self

    def plan_derived(self, counts: Sequence[ValueCounts], names: Sequence[str]) -> list[tuple[Column, ...]]:
        """Return each column that is worked out from others, after those: relations, and the words of free text.

        Parameters
        ----------
        counts : sequence of ValueCounts
            The values of the columns of relations and of free text; those of others may be there.
        names : sequence of str
            All columns of the table.

        Returns
        -------
        list of tuple of Column
            For each derived column the columns that it is worked out from, and last the column itself.
        """
        settings, derived = self._settings(), list[tuple[Column, ...]]()
        relations = check_relations(self.relations, names)
        self._related = frozenset(name for relation in relations for name in relation.columns)
        related = [counted for counted in counts if counted.name in self._related]
        learned = {counted.name: learn_column(counted, settings).column for counted in related}
        for relation in relations:
            sources = [learned[name] for name in relation.columns]
            derived.append((*sources, make_derived(relation, sources)))
        for counted in counts:
            if counted.holds_text:
                text = learn_column(counted, settings).column
                mentions = [Mention(text.name, (term,)) for term in choose_terms(counted)]
                derived.append((text, make_derived(Length(text.name), [text])))
                derived += [(text, make_derived(mention, [text])) for mention in mentions]
        return derived

    def fit_counts(
        self,
        counts: Iterable[ValueCounts],
        class_rows: Mapping[Any, int],
        compare: CompareColumns | None = None,
        named: bool = True,
    ) -> Self:
        """Learn the predicates from what was counted in a table, which may be larger than memory.

        Parameters
        ----------
        counts : iterable of ValueCounts
            The values of each column.
        class_rows : dict of label to int
            The rows of each class, in the order of the classes.
        compare : callable, optional
            Says how columns split the rows of the table, which tells those that say the same. None: they are not
            looked for.
        named : bool, default=True
            Whether columns have names; those of an array are never left out.

        Returns
        -------
        Binarizer
            The fitted binarizer itself.

        Raises
        ------
        InputError
            If a parameter is out of range.
        ColumnTypeError
            If a column cannot be of the kind that the user gives.
        """
        settings = self._settings()
        inspected: list[tuple[LearnedColumn, Finding | None]] = []
        signed: list[tuple[LearnedColumn, Signature | None]] = []
        for counted in counts:
            column = learn_column(counted, settings)
            plain = not counted.derived and not counted.holds_text
            suspicion = find_suspicion(counted, column.column) if plain and not column.constant else None
            if suspicion is not None and suspicion.topic == "identifier" and counted.name in self.keep:
                suspicion = None
            inspected.append((column, suspicion))
            signed.append(sign_values(counted, column) if plain else (column, None))
        every = [column for column, _ in inspected]
        duplicates = find_duplicate_columns(signed, compare) if compare else []
        left_out = list_left_out(inspected, duplicates, sum(class_rows.values())) if named else []
        left_out = [name for name in left_out if not self._is_asked_for(name)]
        learned = [column for column in every if column.column.name not in left_out]
        if all(column.constant for column in learned):  # there is nothing better to learn from
            learned, left_out = every, []
        self.inspection_ = report_findings(inspected, duplicates, left_out, class_rows)
        self.columns_ = tuple(each.column for each in learned)
        self.categories_dropped_ = tuple((each.column.name, each.dropped) for each in learned if each.dropped)
        self.cuts_ = tuple(each.cuts for each in learned)
        self._predicates = _Predicates(learned, settings.literals)
        own = [column.column.name for column in every if column.column.derivation is None]
        self.n_features_in_ = len(own)
        self.feature_names_in_ = np.array(own, dtype=object)
        return self

    def check_columns(self, names: Sequence[str]) -> dict[str, GivenKind]:
        """Return what the user says of the columns of a table, by their names.

        Parameters
        ----------
        names : sequence of str
            The names of all columns.

        Returns
        -------
        dict of str to GivenKind
            The kinds that `kinds` gives.

        Raises
        ------
        InputError
            If `kinds` or `keep` name a column that is not there, or a kind is none.
        """
        if isinstance(self.keep, str) or not isinstance(self.keep, Sequence):
            raise InputError(f"keep is {self.keep!r}; it needs a list of columns, such as ['zip']")
        for name in self.keep:
            if name not in names:
                known = nearest(str(name), names)
                raise InputError(f"keep names column {str(name)!r}, which is not in the table; {known}")
        return check_kinds(self.kinds or {}, names)

    def _is_asked_for(self, name: str) -> bool:
        """Return whether the user names a column as one to learn from."""
        return name in (*self.keep, *map(str, self.kinds or {}), *self._related) or names_column(self.policy, name)

    @property
    def predicates_(self) -> tuple[Predicate, ...]:
        """The predicate of each column of bits, in order."""
        return self._predicates.made

    @predicates_.setter
    def predicates_(self, predicates: tuple[Predicate, ...]) -> None:
        self._predicates = _Predicates()
        self._predicates.made = predicates

    def transform(self, X: Any) -> Bits:
        """Return where each predicate holds.

        Parameters
        ----------
        X : table of shape (rows, columns)
            A table with the columns of the training table.

        Returns
        -------
        array of bool of shape (rows, predicates)
            The bits.
        """
        return unpack(self.transform_packed(X))

    def transform_packed(self, X: Any) -> PackedBits:
        """Return the bits of `transform` packed, 64 rows in a word.

        Parameters
        ----------
        X : table of shape (rows, columns)
            A table with the columns of the training table.

        Returns
        -------
        PackedBits
            The bits; they take an eighth of the memory.
        """
        check_is_fitted(self)
        return read_packed_bits(self.columns_, self.predicates_, X)

    def count_unseen(self, X: Any) -> dict[str, int]:
        """Count the rows of each column whose value training never showed.

        Parameters
        ----------
        X : table of shape (rows, columns)
            A table with the columns of the training table.

        Returns
        -------
        dict of str to int
            The columns with a new category, or a gap where there was none, and on how many rows.
        """
        check_is_fitted(self)
        return count_unseen(self.columns_, X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the predicates as text.

        Parameters
        ----------
        input_features : array of str, optional
            The names of the columns; they are only compared with those of training.

        Returns
        -------
        array of str of shape (predicates,)
            The text of each predicate.
        """
        check_is_fitted(self)
        self._check_names(input_features)
        columns = {column.name: column for column in self.columns_}
        texts = [predicate_text(predicate, columns[predicate.column]) for predicate in self.predicates_]
        return np.array(texts, dtype=object)

    def check(self) -> None:
        """Raise an `InputError` if a parameter is out of range."""
        self._settings()

    def _settings(self) -> PredicateSettings:
        for name, least in (("max_categories", 1), ("quantiles", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise InputError(f"{name} must be a whole number from {least} on, got {value!r}")
        if self.literals not in get_args(Literals):
            known = " or ".join(map(repr, get_args(Literals)))
            raise InputError(f"literals must be {known}, got {self.literals!r}")
        return PredicateSettings(int(self.max_categories), cast(Literals, self.literals), int(self.quantiles))

    def _check_names(self, input_features: Any) -> None:
        """Raise scikit-learn's error unless these are the names of the columns."""
        if input_features is None:
            return
        names = np.asarray(input_features, dtype=object)
        if hasattr(self, "feature_names_in_") and not np.array_equal(self.feature_names_in_, names):
            raise InputError("input_features is not equal to feature_names_in_; give the names of the training columns")
        if len(names) != self.n_features_in_:
            raise InputError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), "
                f"got {len(names)}"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


@dataclass
class _Predicates:
    """The predicates of learned columns, made when they are first asked for; a wide table has very many."""

    learned: Sequence[LearnedColumn] = ()
    literals: Literals = "intervals"

    @cached_property
    def made(self) -> tuple[Predicate, ...]:
        return tuple(predicate for column in self.learned for predicate in column.predicates(self.literals))


def check_relations(relations: Sequence[Any], names: Sequence[str]) -> list[Relation]:
    """Return the relations that the user declares between columns of these names."""
    checked: list[Relation] = []
    if isinstance(relations, str):
        raise InputError(
            f"relations is {relations!r}; it needs a list such as [('debt', '/', 'income')], or of an estimator 'auto'"
        )
    for relation in relations:
        if isinstance(relation, str):
            made = read_relation(relation, names)
        elif len(relation) != 3:
            raise InputError(
                f"relations has {relation!r}; a relation is a column, one of -, / and <, and another column, such as "
                "('debt', '/', 'income') or 'debt / income'"
            )
        else:
            made = Relation(str(relation[0]), relation[1], str(relation[2]))
        for name in made.columns:
            if name not in names:
                raise InputError(f"relations names column {name!r}, which is not in the table; {nearest(name, names)}")
        if name_derivation(made) in names:
            raise InputError(
                f"the table has a column {name_derivation(made)!r} already; rename it, or leave the relation out"
            )
        if made not in checked:
            checked.append(made)
    return checked


def check_rows(table: Table, labels: int) -> None:
    """Raise scikit-learn's error for a table without rows or columns, or with another number of labels."""
    shape = f"(shape=({table.rows}, {len(table.names)})) while a minimum of 1 is required"
    if not table.names:
        raise InputError(f"Found a table with 0 feature(s) {shape}; give at least one column to learn from")
    if not table.rows:
        raise InputError(f"Found a table with 0 sample(s) {shape}; give at least one row to learn from")
    if labels != table.rows:
        raise InputError(f"the table has {table.rows} rows, but y has {labels}; give one class for each row")


def check_kinds(kinds: Mapping[Any, str | Sequence[Any]], names: Sequence[str]) -> dict[str, GivenKind]:
    """Return what the user says of columns, by their names."""
    if not isinstance(kinds, Mapping):
        raise InputError(f"kinds is {kinds!r}; it needs {{column: kind}}, such as {{'zip': 'category'}}")
    checked = {}
    for key, kind in kinds.items():
        name = str(key)
        if name not in names:
            raise InputError(f"kinds names column {name!r}, which is not in the table; {nearest(name, names)}")
        checked[name] = _check_kind(name, kind)
    return checked


def _check_kind(name: str, kind: str | Sequence[Any]) -> GivenKind:
    if isinstance(kind, list | tuple):
        order = tuple(map(int_if_whole, Column(name, "ordinal", tuple(kind)).categories))
        if not order or len({isinstance(value, str) for value in order}) > 1:
            raise InputError(
                f"kinds says {list(kind)!r} for column {name!r}; an order needs categories, all text or all numbers"
            )
        return GivenKind("ordinal", order)
    for known in KINDS:
        if kind == known:
            return GivenKind(known)
    raise InputError(f"kinds says {kind!r} for column {name!r}; {nearest(str(kind), KINDS)}")
