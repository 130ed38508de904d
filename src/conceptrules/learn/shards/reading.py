"""From a table of any size to rows on disk, in passes over its batches: classes, values, codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.binarizer import check_kinds
from conceptrules.binarize.columns import GivenKind
from conceptrules.binarize.inspection import Finding
from conceptrules.binarize.known_values import MOST
from conceptrules.binarize.told_findings import warn_of_duplicates
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.shards.values import WEIGHT_UNIT, fixed_weights
from conceptrules.learn.search.binned_table import BinnedTable
from conceptrules.learn.shards.on_disk import ShardFiles
from conceptrules.learn.training_data import warn_of_light
from conceptrules.model.errors import InputError, warn
from conceptrules.model.text import plural
from conceptrules.model.values import brief
from conceptrules.tables.fingerprint import label_hashes, labelled_row_hashes
from conceptrules.tables.labels import HEAVIEST, check_classes_counted, check_labels
from conceptrules.tables.smallest_hashes import SmallestHashes
from conceptrules.tables.sources import Source, known_column
from conceptrules.tables.table import Table, nearest, open_table

_MOST_CLASSES = 1000
_HEAVIEST = 2.0**39
"""The weight of all rows together, at most: sums of whole numbers of 64 bits hold it."""
_COUNTS = 1 << 30
"""Bytes that counts of values may take."""
Show = Callable[[str, int, int], None]
"""Takes what a pass is for, and how many more rows and bytes it has read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns of a table are what."""

    target: str
    weight: str | None
    features: tuple[str, ...]

    @property
    def every(self) -> list[str]:
        """All of them."""
        return _with_weight([*self.features, self.target], self.weight)

    def text_kinds(self, kinds: Mapping[str, GivenKind]) -> dict[str, str]:
        """Return how columns of text are read: as the user says, labels as they are written, weights as numbers."""
        own = {self.target: "category", **({} if self.weight is None else {self.weight: "number"})}
        return {name: _text_kind(given) for name, given in kinds.items() if name in self.features} | own


def _text_kind(given: GivenKind) -> str:
    if given.kind != "ordinal":
        return given.kind
    return "category" if given.order is None or isinstance(given.order[0], str) else "number"


def wanted_columns(names: Sequence[str], target: Any, weight: Any, forbidden: Sequence[str]) -> Wanted:
    """Return which columns are what, or raise an `InputError` with the nearest name of one that is not there."""
    if not isinstance(target, str):
        raise InputError(
            f"y is {brief(target)}; for a table that is read in batches it is the name of the target column, such as "
            f"{names[-1]!r}"
        )
    if weight is not None and not isinstance(weight, str):
        raise InputError("sample_weight needs the name of a column for a table that is read in batches")
    known_column(target, names, "y")
    if weight is not None and known_column(weight, names, "sample_weight") == target:
        raise InputError(f"sample_weight is the target column {target!r}; name another one")
    for name in forbidden:
        if name not in names:
            warn(f"column {name!r} is forbidden, but the table has no such column; {nearest(name, names)}")
    features = tuple(name for name in names if name not in (target, weight, *forbidden))
    if not features:
        raise InputError(f"no column is left to learn from besides the target {target!r}")
    return Wanted(target, weight, features)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of a table, sorted, and how many rows and how much weight each has."""

    labels: NDArray[Any]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]

    @property
    def by_label(self) -> dict[Any, int]:
        return dict(zip(self.labels.tolist(), self.rows.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows that weigh anything."""

    table: Table
    target: NDArray[np.intp]
    weight: NDArray[np.int64] | None
    """In units of 1 / WEIGHT_UNIT; None: one each."""
    first: int
    """The number of the first row in the table."""


def read_classes(source: Source, wanted: Wanted, show: Show) -> Classes:
    """Return the classes. Labels and weights are checked: a bad one is told with its row."""
    rows: dict[Any, int] = {}
    weights: dict[Any, float] = {}
    first = 0
    for table in source.batches(_with_weight([wanted.target], wanted.weight)):
        column, weight = _decoded(table[wanted.target]), _weights(table, wanted.weight, first)
        missing = pc.is_null(column, nan_is_null=True)
        kept = np.ones(len(column), np.bool_) if weight is None else weight > 0
        gaps = np.flatnonzero(missing.to_numpy() & kept)
        if len(gaps):
            raise InputError(
                f"the target column {wanted.target!r} has no value in row {first + gaps[0]}; fill it in, or take such "
                "rows out"
            )
        encoded = column.combine_chunks().dictionary_encode()
        labels = encoded.dictionary.to_pylist()
        codes = encoded.indices.fill_null(0).to_numpy()[kept]
        worth = np.ones(len(codes)) if weight is None else weight[kept]
        counted = np.bincount(codes, minlength=len(labels)), np.bincount(codes, worth, len(labels))
        for label, count, mass in zip(labels, *(one.tolist() for one in counted), strict=True):
            if count:
                rows[label], weights[label] = rows.get(label, 0) + count, weights.get(label, 0.0) + mass
        if len(rows) > _MOST_CLASSES:
            raise InputError(
                f"the target column {wanted.target!r} has more than {_MOST_CLASSES} different values: it is a quantity "
                "or a name, and no class; cut a quantity into ranges, or put rare names into one class"
            )
        first += len(column)
        show("classes", len(column), table.nbytes)
    if not rows:
        raise InputError(f"all weights of the column {wanted.weight!r} are zero: there are no rows to learn from")
    return _sorted_classes(rows, weights, wanted)


def _sorted_classes(rows: Mapping[Any, int], weights: Mapping[Any, float], wanted: Wanted) -> Classes:
    found = list(rows)
    text = all(isinstance(label, str) for label in found)
    labels = check_labels(np.array(found, object) if text else found, f"the target column {wanted.target!r}")[0]
    order = sorted(range(len(found)), key=labels.tolist().__getitem__)
    counts = np.array([rows[found[place]] for place in order], np.int64)
    mass = np.array([weights[found[place]] for place in order])
    classes = labels[order]
    check_classes_counted(classes, counts, f"the target column {wanted.target!r}")
    total = float(mass.sum())
    if total > _HEAVIEST:
        raise InputError(f"the weights sum to {total:.3g}, more than {_HEAVIEST:.3g}: divide all of them by their mean")
    warn_of_light(int(counts.sum()), total)
    return Classes(classes, counts, mass)


def read_values(
    source: Source, wanted: Wanted, classes: Classes, binarizer: Binarizer, threads: int, show: Show
) -> Binarizer:
    """Fit the binarizer: one pass counts the values of all columns, further ones those of columns with very many."""
    kinds = check_kinds(binarizer.kinds or {}, wanted.features)
    unit = 1 if wanted.weight is None else WEIGHT_UNIT
    every = [ValueCounts(name, len(classes.labels), unit, kinds.get(name)) for name in wanted.features]
    # The counts of a column take so many bytes at most; a table with thousands of columns is read in several turns.
    block = max(1, _COUNTS // (8 * MOST * (len(classes.labels) + 2)))
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(every), block):
            some = every[start : start + block]
            _count(source, wanted, classes, some, pool, show)
    return binarizer.fit_counts(every, classes.by_label)


def _count(
    source: Source, wanted: Wanted, classes: Classes, every: Sequence[ValueCounts], pool: Executor, show: Show
) -> None:
    """Count the values of some columns, until no further pass would tell more."""
    left, purpose, closer = every, f"values of {plural(len(every), 'column')}", 0
    while left:
        columns = replace(wanted, features=tuple(one.name for one in left))
        for batch in batches(source, columns, classes, show, purpose):

            def add(place: int, batch: Batch = batch, left: Sequence[ValueCounts] = left) -> None:
                left[place].add(batch.table.cells(place), batch.target, batch.weight, batch.first)

            list(pool.map(add, range(len(left))))
        left = [one for one in every if not one.finished]
        closer += 1
        purpose = f"many values of {plural(len(left), 'column')}, look {closer}"
        for one in left:
            one.look_closer()


def write_codes(
    source: Source, wanted: Wanted, classes: Classes, table: BinnedTable, folder: Path, show: Show
) -> tuple[ShardFiles, SmallestHashes, list[Finding]]:
    """Write the rows as bins to files; return the hashes of the rows as well, and columns that say the same."""
    columns, of_class = tuple(bins.column for bins in table.bins), label_hashes(classes.labels)
    hashes, contents = SmallestHashes(), [blake2b(digest_size=16) for _ in columns]
    with ShardFiles(folder, len(columns), wanted.weight is not None) as files:
        for batch in batches(source, wanted, classes, show, "codes"):
            rows = batch.table.read_once()
            codes = table.codes(rows)
            files.add(codes, batch.target, batch.weight)
            hashes.add(labelled_row_hashes(columns, rows, of_class[batch.target]))
            for content, column in zip(contents, np.ascontiguousarray(codes.T), strict=True):
                content.update(column)
    return files, hashes, _duplicates(table, [content.digest() for content in contents])


def _duplicates(table: BinnedTable, contents: Sequence[bytes]) -> list[Finding]:
    """Return the columns that have on every row the bin that an earlier one has."""
    first: dict[tuple[int, bytes], str] = {}
    again = []
    for bins, content in zip(table.bins, contents, strict=True):
        name = bins.column.name
        if bins.count > 1 and not bins.others and (known := first.setdefault((bins.count, content), name)) != name:
            text = f"columns {known!r} and {name!r} say the same on every row"
            again.append(Finding("duplicate", (known, name), text))
    if again:
        warn_of_duplicates(again)
    return again


def batches(source: Source, wanted: Wanted, classes: Classes, show: Show, purpose: str) -> Iterator[Batch]:
    """Yield the rows that weigh anything."""
    places = {label: place for place, label in enumerate(classes.labels.tolist())}
    first = 0
    for read in source.batches(wanted.every):
        table, weight = read, _weights(read, wanted.weight, first)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            table, weight = read.take(kept), weight[kept]
        if len(table):
            encoded = _decoded(table[wanted.target]).combine_chunks().dictionary_encode()
            of_value = np.array([places[label] for label in encoded.dictionary.to_pylist()], np.intp)
            target = of_value[encoded.indices.to_numpy()]
            fixed = None if weight is None else fixed_weights(weight)
            opened = open_table(table.select(list(wanted.features)))
            yield Batch(opened, target, fixed, first)
        first += len(read)
        show(purpose, len(read), read.nbytes)


def _with_weight(columns: list[str], weight: str | None) -> list[str]:
    return columns if weight is None else [*columns, weight]


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _weights(table: pa.Table, name: str | None, first: int) -> NDArray[np.float64] | None:
    if name is None:
        return None
    try:
        weight = _decoded(table[name]).cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"the column of weights, {name!r}, is of the type {table[name].type}; it needs numbers"
        ) from None
    bad = np.flatnonzero(~((weight >= 0) & (weight <= HEAVIEST)))
    if len(bad):
        raise InputError(
            f"the column of weights, {name!r}, holds {brief(weight[bad[0]])} in row {first + bad[0]}; a weight needs a "
            f"number from 0 to {HEAVIEST:g}"
        )
    return np.asarray(weight, np.float64)
