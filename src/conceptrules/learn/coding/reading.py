"""From a table that is read in batches to coded rows, in passes over its batches: classes, values, codes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.columns import LearnedColumn
from conceptrules.binarize.inspection import CompareColumns, sum_keys
from conceptrules.binarize.known_values import MAX_COUNTED_VALUES
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.search.shards import WEIGHT_UNIT, fixed_weights
from conceptrules.learn.checks import warn_of_light_weights
from conceptrules.learn.coding.encoding import CodedBatch, Coding, ReadBatch, encode_batch
from conceptrules.learn.coding.number_target import NumberSums, NumberTarget, check_exposure
from conceptrules.learn.folds import check_holdout_column
from conceptrules.learn.inputs import ColumnRoles
from conceptrules.model.errors import InputError
from conceptrules.model.text import plural
from conceptrules.model.values import brief
from conceptrules.tables.groups import check_groups, read_groups
from conceptrules.tables.labels import MAX_WEIGHT, check_class_counts, check_labels
from conceptrules.tables.sources import Source
from conceptrules.tables.table import open_table

_MAX_CLASSES = 1000
_MAX_TOTAL = 2.0**39
"""The most weight of all rows together: sums of whole numbers of 64 bits hold it."""
_COUNTS = 1 << 30
"""Bytes that counts of values may take."""
Result = TypeVar("Result")
Show = Callable[[str, int, int], None]
"""Takes what a pass is for, and how many more rows and bytes it has read."""


def map_batches(
    source: Source, columns: list[str], function: Callable[[pa.Table, int], Result], threads: int, show: Show, what: str
) -> Iterator[Result]:
    """Yield the result of a function for each batch, called with the number of its first row, in order.

    This thread reads ahead of the others by one batch, so that memory holds few. An error is that of the first batch
    that has one.
    """
    ahead: deque[Future[Result]] = deque()
    first = 0
    with ThreadPoolExecutor(threads) as pool:
        for read in source.batches(columns):
            ahead.append(pool.submit(function, read, first))
            first += len(read)
            show(what, len(read), read.nbytes)
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


@dataclass(frozen=True, slots=True, eq=False)
class TrainingClasses:
    """The classes of a table, sorted, and how many rows and how much weight each has."""

    labels: NDArray[Any]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    groups: dict[str, tuple[str, ...]]
    """The groups that a policy wants to be treated alike, by their column."""
    number: NumberTarget | None = None
    """Where the target is a number: its quantiles, which are the classes."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """The rows and the weight of each label until now, and the groups of people that were seen."""

    roles: ColumnRoles
    rows: dict[Any, int] = field(default_factory=dict)
    weight: dict[Any, float] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)

    def merge(self, later: ClassSums) -> None:
        """Add those of later rows."""
        for label, count in later.rows.items():
            self.rows[label] = self.rows.get(label, 0) + count
            self.weight[label] = self.weight.get(label, 0.0) + later.weight[label]
        for column, names in later.groups.items():
            self.groups.setdefault(column, set()).update(names)
        if len(self.rows) > _MAX_CLASSES:
            raise InputError(
                f"the target column {self.roles.target!r} has more than {_MAX_CLASSES} different values: it is a "
                "quantity or a name, and no class; cut a quantity into ranges, or put rare names into one class"
            )

    def check_classes(self) -> TrainingClasses:
        """Return the classes, or raise an `InputError` if nothing can be learned about them."""
        if not self.rows:
            raise InputError(
                f"all weights of the column {self.roles.weight!r} are zero: there are no rows to learn from"
            )
        values, name = list(self.rows), f"the target column {self.roles.target!r}"
        text = all(isinstance(label, str) for label in values)
        labels = check_labels(np.array(values, object) if text else values, name)[0]
        order = sorted(range(len(values)), key=labels.tolist().__getitem__)
        counts = np.array([self.rows[values[index]] for index in order], np.int64)
        weight = np.array([self.weight[values[index]] for index in order])
        check_class_counts(labels[order], counts, name)
        total = float(weight.sum())
        if total > _MAX_TOTAL:
            raise InputError(
                f"the weights sum to {total:.3g}, more than {_MAX_TOTAL:.3g}: divide all of them by their mean"
            )
        warn_of_light_weights(int(counts.sum()), total)
        groups = {column: sort_groups(column, names) for column, names in self.groups.items()}
        return TrainingClasses(labels[order], counts, weight, groups)


def sort_groups(column: str, names: set[str]) -> tuple[str, ...]:
    """Return the groups of a column that a policy wants to be treated alike, sorted."""
    check_groups(column, names, f"fair.{column}")
    return tuple(sorted(names))


def read_classes(source: Source, roles: ColumnRoles, threads: int, show: Show) -> ClassSums | QuantileSums:
    """Return the rows of each label. Labels and weights are checked: the error about a bad one names its row."""
    if roles.number is not None:
        return _read_quantiles(source, roles, threads, show)
    sums, columns = ClassSums(roles), list(dict.fromkeys([*roles.outcome, *roles.fair]))
    for batch in map_batches(source, columns, partial(_sum_classes, roles), threads, show, "classes"):
        sums.merge(batch)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class QuantileSums:
    """The rows and the weight of a number to predict until now."""

    roles: ColumnRoles
    sums: NumberSums

    def merge(self, later: QuantileSums) -> None:
        """Add those of later rows."""
        self.sums.merge(later.sums)

    def check_classes(self) -> TrainingClasses:
        """Return the quantiles as classes, or raise an `InputError` if nothing can be learned about them."""
        number, rows, weight = self.sums.find_quantiles(f"the target column {self.roles.target!r}")
        return TrainingClasses(number.strata, rows, weight, {}, number)


def _read_quantiles(source: Source, roles: ColumnRoles, threads: int, show: Show) -> QuantileSums:
    assert roles.number is not None
    sums = NumberSums(roles.number)
    for batch in map_batches(source, roles.outcome, partial(_sum_numbers, roles), threads, show, "numbers"):
        sums.merge(batch)
    return QuantileSums(roles, sums)


def _sum_numbers(roles: ColumnRoles, table: pa.Table, first: int) -> NumberSums:
    assert roles.number is not None
    sums, weight = NumberSums(roles.number), _read_weights(table, roles.weight, first)
    kept = np.ones(len(table), np.bool_) if weight is None else weight > 0
    weight = np.ones(len(table)) if weight is None else weight
    numbers, exposure = _read_numbers(table, roles, first, kept)
    sums.add(numbers[kept], weight[kept], exposure[kept])
    return sums


def _read_numbers(
    table: pa.Table, roles: ColumnRoles, first: int, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers to predict, for each unit of exposure, and the exposures; 0 and 1 where a row is not kept."""
    assert roles.number is not None
    numbers = np.where(kept, _read_floats(table, roles.target, "the target column"), 0.0)
    roles.number.check(numbers, f"the target column {roles.target!r}", first)
    if roles.exposure is None:
        return numbers, np.ones(len(numbers))
    exposure = np.where(kept, _read_floats(table, roles.exposure, "the column of exposures"), 1.0)
    exposure = check_exposure(exposure, len(numbers), f"the column of exposures, {roles.exposure!r},", first)
    return numbers / exposure, exposure


def _read_floats(table: pa.Table, name: str, what: str) -> NDArray[np.float64]:
    """Return a column as floats, NaN where a value is missing; text and flags are refused, even if they look so."""
    column = _decode(table[name])
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(f"{what} {name!r} is of the type {kind}; it needs numbers to predict")
    return column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)


def _sum_classes(roles: ColumnRoles, table: pa.Table, first: int) -> ClassSums:
    column, weight = _decode(table[roles.target]), _read_weights(table, roles.weight, first)
    missing = pc.is_null(column, nan_is_null=True)
    kept = np.ones(len(column), np.bool_) if weight is None else weight > 0
    gaps = np.flatnonzero(missing.to_numpy() & kept)
    if len(gaps):
        raise InputError(
            f"the target column {roles.target!r} has no value in row {first + gaps[0]}; fill it in, or take such "
            "rows out"
        )
    encoded = column.combine_chunks().dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(0).to_numpy()[kept]
    weights = np.ones(len(codes)) if weight is None else weight[kept]
    sums = ClassSums(roles)
    counted = np.bincount(codes, minlength=len(labels)), np.bincount(codes, weights, len(labels))
    for label, count, mass in zip(labels, *(each.tolist() for each in counted), strict=True):
        if count:
            sums.rows[label], sums.weight[label] = count, mass
    for name in roles.fair:
        sums.groups[name] = set(read_groups(open_table(table), name)[kept].tolist()) - {None}
    return sums


def read_batch(read: pa.Table, first: int, roles: ColumnRoles, labels: NDArray[Any]) -> ReadBatch:
    """Return the rows of a batch that weigh anything; `labels` are the classes."""
    weight = _read_weights(read, roles.weight, first)
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        read, weight = read.take(kept), weight[kept]
    number = None
    if roles.number is None:
        target = _read_labels(read, roles, labels)
    else:
        number, exposure = _read_numbers(read, roles, first, np.ones(len(read), np.bool_))
        target = roles.number.find_strata(number)
        if roles.exposure is not None:
            weight = roles.number.weigh(np.ones(len(read)) if weight is None else weight, exposure)
    holdout = None
    if roles.holdout is not None:
        holdout = open_table(read.select([roles.holdout])).cells(0)
        check_holdout_column("groups" if roles.groups else "time", holdout, first)
    members = tuple(read_groups(open_table(read), name) for name in roles.fair)
    features = open_table(read.select(list(roles.features)))
    return ReadBatch(features, target, None if weight is None else fixed_weights(weight), holdout, members, number)


def _read_labels(read: pa.Table, roles: ColumnRoles, labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of the class of each row."""
    codes = {label: code for code, label in enumerate(labels.tolist())}
    encoded = _decode(read[roles.target]).combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    unknown = next((value for value in values if value not in codes), None)
    if unknown is not None:
        raise InputError(f"X_val has the class {unknown!r}, which the table to learn from has not")
    return np.array([codes[value] for value in values], np.intp)[encoded.indices.to_numpy()]


def _decode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of categories as its values."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _read_weights(table: pa.Table, name: str | None, first: int) -> NDArray[np.float64] | None:
    """Return the weights of rows that begin at number `first`, or raise an `InputError` about a bad one."""
    if name is None:
        return None
    try:
        weight = _decode(table[name]).cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"the column of weights, {name!r}, is of the type {table[name].type}; it needs numbers"
        ) from None
    bad = np.flatnonzero(~((weight >= 0) & (weight <= MAX_WEIGHT)))
    if len(bad):
        raise InputError(
            f"the column of weights, {name!r}, holds {brief(weight[bad[0]])} in row {first + bad[0]}; a weight needs a "
            f"number from 0 to {MAX_WEIGHT:g}"
        )
    return np.asarray(weight, np.float64)


CountColumns = Callable[[Sequence[ValueCounts], str], None]
"""Adds the values of all rows to the counts of some columns, in a pass that is for what the text says."""


class ColumnPasses(NamedTuple):
    """How to learn about columns by passes over all rows."""

    block: int
    """How many columns can be counted at a time."""
    add_counts: CountColumns
    compare: CompareColumns


def plan_counting(source: Source, roles: ColumnRoles, labels: NDArray[Any], threads: int, show: Show) -> ColumnPasses:
    """Return how the columns of a source are counted and compared, as many at a time as fit into memory."""
    room = max(1, _COUNTS // (8 * MAX_COUNTED_VALUES * (len(labels) + 2)))
    threads = min(threads, room)

    def count(columns: Sequence[ValueCounts], purpose: str) -> None:
        count_values(source, roles, labels, columns, threads, show, purpose)

    # Each thread has counts of its own, and so have two batches that wait.
    compare = partial(compare_columns, source, roles, labels, threads, show)
    return ColumnPasses(room // (threads + 2), count, compare)


def fit_to_counts(
    roles: ColumnRoles, classes: TrainingClasses, binarizer: Binarizer, passes: ColumnPasses
) -> ValueCounts | None:
    """Fit the binarizer by passes that count the values of a block of columns at a time.

    Columns with very many values take further passes. Return the counts of the moments, if there are some.
    """
    kinds = binarizer.check_columns(roles.features)
    unit = 1 if roles.weight is None and roles.exposure is None else WEIGHT_UNIT
    width = len(classes.labels)
    features = [ValueCounts(name, width, unit, kinds.get(name)) for name in roles.features]
    moments = None if roles.time is None else ValueCounts(roles.time, width, unit)
    _count_in_passes([*features, *([] if moments is None else [moments])], max(1, passes.block), passes.add_counts)
    derived = [
        ValueCounts(each[-1].name, width, unit, derived=each)
        for each in binarizer.plan_derived(features, roles.features)
    ]
    _count_in_passes([column for column in derived if column.needs_rows], max(1, passes.block), passes.add_counts)
    class_rows = dict(zip(classes.labels.tolist(), classes.rows.tolist(), strict=True))
    binarizer.fit_counts([*features, *derived], class_rows, passes.compare)
    return moments


def _count_in_passes(columns: Sequence[ValueCounts], block: int, count: CountColumns) -> None:
    for start in range(0, len(columns), block):
        left = columns[start : start + block]
        purpose, looks = f"values of {plural(len(left), 'column')}", 0
        while left:
            count(left, purpose)
            left = [column for column in left if not column.finished]
            looks += 1
            purpose = f"many values of {plural(len(left), 'column')}, look {looks}"
            for column in left:
                column.look_closer()


def count_values(
    source: Source,
    roles: ColumnRoles,
    labels: NDArray[Any],
    counts: Sequence[ValueCounts],
    threads: int,
    show: Show,
    purpose: str,
) -> None:
    """Add the values of all rows to the counts of some columns."""
    names = tuple(dict.fromkeys(name for column in counts for name in column.sources))
    counted = ColumnRoles(roles.target, roles.weight, names, number=roles.number)

    def count(read: pa.Table, first: int) -> list[ValueCounts]:
        batch, blank = read_batch(read, first, counted, labels), [column.blank() for column in counts]
        for column in blank if len(batch.target) else ():
            column.add(column.read(batch.table), batch.target, batch.weight, first)
        return blank

    for later in map_batches(source, counted.all_columns, count, threads, show, purpose):
        for column, counted_column in zip(counts, later, strict=True):
            column.merge(counted_column)


def compare_columns(
    source: Source,
    roles: ColumnRoles,
    labels: NDArray[Any],
    threads: int,
    show: Show,
    columns: Sequence[LearnedColumn],
) -> NDArray[np.int64]:
    """Return what `sum_keys` says of some columns, over all rows that weigh anything."""
    names = tuple(column.column.name for column in columns)
    compared = ColumnRoles(roles.target, roles.weight, names, number=roles.number)

    def add_up(read: pa.Table, first: int) -> NDArray[np.int64]:
        return sum_keys(columns, read_batch(read, first, compared, labels).table)

    return np.sum(list(map_batches(source, compared.all_columns, add_up, threads, show, "equal columns")), axis=0)


def encode_read(roles: ColumnRoles, coding: Coding, read: pa.Table, first: int = 0) -> CodedBatch:
    """Return the rows of a batch that weigh anything as codes."""
    return encode_batch(read_batch(read, first, roles, coding.classes), coding)
