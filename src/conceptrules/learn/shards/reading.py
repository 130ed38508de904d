"""From a table of any size to rows on disk, in passes over its batches: classes, values, codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.binarizer import check_kinds
from conceptrules.binarize.inspection import Finding, warn_of_duplicates
from conceptrules.binarize.known_values import MAX_COUNTED_VALUES
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard, row_keys
from conceptrules.learn.search.binned_table import BinnedTable
from conceptrules.learn.shards.batches import Show, batch_of, decoded, over_batches, weights_of
from conceptrules.learn.shards.on_disk import ShardFiles
from conceptrules.learn.shards.wanted import Wanted
from conceptrules.learn.training_data import warn_of_light
from conceptrules.model.errors import InputError
from conceptrules.model.text import plural
from conceptrules.tables.hashes import SmallestHashes, hash_labelled_rows, hash_labels
from conceptrules.tables.labels import check_class_counts, check_labels
from conceptrules.tables.sources import Source

_MOST_CLASSES = 1000
_HEAVIEST = 2.0**39
"""The weight of all rows together, at most: sums of whole numbers of 64 bits hold it."""
_COUNTS = 1 << 30
"""Bytes that counts of values may take."""


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
class ClassSums:
    """The rows and the weight of each label until now."""

    wanted: Wanted
    rows: dict[Any, int] = field(default_factory=dict)
    weight: dict[Any, float] = field(default_factory=dict)

    def merge(self, later: ClassSums) -> None:
        """Add those of later rows."""
        for label, count in later.rows.items():
            self.rows[label] = self.rows.get(label, 0) + count
            self.weight[label] = self.weight.get(label, 0.0) + later.weight[label]
        if len(self.rows) > _MOST_CLASSES:
            raise InputError(
                f"the target column {self.wanted.target!r} has more than {_MOST_CLASSES} different values: it is a "
                "quantity or a name, and no class; cut a quantity into ranges, or put rare names into one class"
            )

    def classes(self) -> Classes:
        """Return the classes, or raise an `InputError` if nothing can be learned about them."""
        if not self.rows:
            raise InputError(
                f"all weights of the column {self.wanted.weight!r} are zero: there are no rows to learn from"
            )
        found, wanted = list(self.rows), self.wanted
        text = all(isinstance(label, str) for label in found)
        labels = check_labels(np.array(found, object) if text else found, f"the target column {wanted.target!r}")[0]
        order = sorted(range(len(found)), key=labels.tolist().__getitem__)
        counts = np.array([self.rows[found[place]] for place in order], np.int64)
        mass = np.array([self.weight[found[place]] for place in order])
        classes = labels[order]
        check_class_counts(classes, counts, f"the target column {wanted.target!r}")
        total = float(mass.sum())
        if total > _HEAVIEST:
            raise InputError(
                f"the weights sum to {total:.3g}, more than {_HEAVIEST:.3g}: divide all of them by their mean"
            )
        warn_of_light(int(counts.sum()), total)
        return Classes(classes, counts, mass)


def read_classes(source: Source, wanted: Wanted, threads: int, show: Show) -> ClassSums:
    """Return the rows of each label. Labels and weights are checked: a bad one is told with its row."""
    sums = ClassSums(wanted)
    for some in over_batches(source, wanted.outcome, partial(_class_sums, wanted), threads, show, "classes"):
        sums.merge(some)
    return sums


def _class_sums(wanted: Wanted, table: pa.Table, first: int) -> ClassSums:
    column, weight = decoded(table[wanted.target]), weights_of(table, wanted.weight, first)
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
    sums = ClassSums(wanted)
    counted = np.bincount(codes, minlength=len(labels)), np.bincount(codes, worth, len(labels))
    for label, count, mass in zip(labels, *(one.tolist() for one in counted), strict=True):
        if count:
            sums.rows[label], sums.weight[label] = count, mass
    return sums


Count = Callable[[Sequence[ValueCounts], str], None]
"""Adds the values of all rows to the counts of some columns, in a pass that is for what the text says."""


def read_values(
    source: Source, wanted: Wanted, classes: Classes, binarizer: Binarizer, threads: int, show: Show
) -> Binarizer:
    """Fit the binarizer: one pass counts the values of all columns, further ones those of columns with very many."""
    room = max(1, _COUNTS // (8 * MAX_COUNTED_VALUES * (len(classes.labels) + 2)))
    threads = min(threads, room)

    def count(columns: Sequence[ValueCounts], purpose: str) -> None:
        count_values(source, wanted, classes.labels, columns, threads, show, purpose)

    # Each thread has counts of its own, and so have two batches that wait.
    return fit_counted(wanted, classes, binarizer, room // (threads + 2), count)


def fit_counted(wanted: Wanted, classes: Classes, binarizer: Binarizer, block: int, count: Count) -> Binarizer:
    """Fit the binarizer by passes that count the values of at most `block` columns at a time."""
    kinds = check_kinds(binarizer.kinds or {}, wanted.features)
    unit = 1 if wanted.weight is None else WEIGHT_UNIT
    every = [ValueCounts(name, len(classes.labels), unit, kinds.get(name)) for name in wanted.features]
    for start in range(0, len(every), max(1, block)):
        left = every[start : start + max(1, block)]
        purpose, closer = f"values of {plural(len(left), 'column')}", 0
        while left:
            count(left, purpose)
            left = [one for one in left if not one.finished]
            closer += 1
            purpose = f"many values of {plural(len(left), 'column')}, look {closer}"
            for one in left:
                one.look_closer()
    return binarizer.fit_counts(every, classes.by_label)


def count_values(
    source: Source,
    wanted: Wanted,
    labels: NDArray[Any],
    every: Sequence[ValueCounts],
    threads: int,
    show: Show,
    purpose: str,
) -> None:
    """Add the values of all rows to the counts of some columns."""
    columns = replace(wanted, features=tuple(one.name for one in every))

    def count(read: pa.Table, first: int) -> list[ValueCounts]:
        batch, found = batch_of(read, first, columns, labels), [one.blank() for one in every]
        for place, one in enumerate(found if len(batch.target) else ()):
            one.add(batch.table.cells(place), batch.target, batch.weight, first)
        return found

    for found in over_batches(source, columns.every, count, threads, show, purpose):
        for one, later in zip(every, found, strict=True):
            one.merge(later)


class Encoded(NamedTuple):
    """Some rows as bins."""

    shard: Shard
    hashes: NDArray[np.uint64]
    """Of the rows; the smallest tell what rows there are."""
    contents: list[bytes]
    """A hash of the bins of each column."""


def encode(wanted: Wanted, labels: NDArray[Any], table: BinnedTable, read: pa.Table, first: int = 0) -> Encoded:
    """Return the rows of a batch that weigh anything as bins."""
    batch = batch_of(read, first, wanted, labels)
    rows = batch.table.read_once()
    codes = table.codes(rows)
    weight = np.full(len(codes), WEIGHT_UNIT, np.int64) if batch.weight is None else batch.weight
    columns = tuple(bins.column for bins in table.bins)
    return Encoded(
        Shard(codes, batch.target.astype(np.uint16), weight, row_keys(codes)),
        hash_labelled_rows(columns, rows, hash_labels(labels)[batch.target]),
        [blake2b(column, digest_size=16).digest() for column in np.ascontiguousarray(codes.T)],
    )


def write_codes(
    source: Source, wanted: Wanted, classes: Classes, table: BinnedTable, folder: Path, threads: int, show: Show
) -> tuple[ShardFiles, SmallestHashes, list[Finding]]:
    """Write the rows as bins to files; return the hashes of the rows as well, and columns that say the same."""
    hashes, contents = SmallestHashes(), [blake2b(digest_size=16) for _ in table.bins]
    of_batch = partial(encode, wanted, classes.labels, table)
    with ShardFiles(folder, len(table.bins), wanted.weight is not None) as files:
        for some in over_batches(source, wanted.every, of_batch, threads, show, "codes"):
            files.add(some.shard)
            hashes.add(some.hashes)
            for content, more in zip(contents, some.contents, strict=True):
                content.update(more)
    return files, hashes, duplicates(table, [content.digest() for content in contents])


def duplicates(table: BinnedTable, contents: Sequence[bytes]) -> list[Finding]:
    """Return the columns that have on every row the bin that an earlier one has: their contents are the same."""
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
