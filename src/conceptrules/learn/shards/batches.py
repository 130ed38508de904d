"""Batches of a table, worked on side by side: what comes of them comes in their order, for any number of threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules.kernels.shards.values import fixed_weights
from conceptrules.learn.shards.wanted import Wanted
from conceptrules.model.errors import InputError
from conceptrules.model.values import brief
from conceptrules.tables.labels import MAX_WEIGHT
from conceptrules.tables.sources import Source
from conceptrules.tables.table import Table, open_table

Found = TypeVar("Found")
Show = Callable[[str, int, int], None]
"""Takes what a pass is for, and how many more rows and bytes it has read."""


def over_batches(
    source: Source, columns: list[str], of_batch: Callable[[pa.Table, int], Found], threads: int, show: Show, what: str
) -> Iterator[Found]:
    """Yield what a function says of each batch, given with the number of its first row, in the order of the batches.

    This thread reads ahead of the others by one batch, so that memory holds few. An error is that of the first batch
    that has one.
    """
    ahead: deque[Future[Found]] = deque()
    first = 0
    with ThreadPoolExecutor(threads) as pool:
        for read in source.batches(columns):
            ahead.append(pool.submit(of_batch, read, first))
            first += len(read)
            show(what, len(read), read.nbytes)
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows that weigh anything."""

    table: Table
    target: NDArray[np.intp]
    weight: NDArray[np.int64] | None
    """In units of 1 / WEIGHT_UNIT; None: one each."""


def batch_of(read: pa.Table, first: int, wanted: Wanted, labels: NDArray[Any]) -> Batch:
    """Return the rows of a batch that weigh anything; `labels` are the classes."""
    weight = weights_of(read, wanted.weight, first)
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        read, weight = read.take(kept), weight[kept]
    places = {label: place for place, label in enumerate(labels.tolist())}
    encoded = decoded(read[wanted.target]).combine_chunks().dictionary_encode()
    of_value = np.array([places[label] for label in encoded.dictionary.to_pylist()], np.intp)
    target = of_value[encoded.indices.to_numpy()]
    fixed = None if weight is None else fixed_weights(weight)
    return Batch(open_table(read.select(list(wanted.features))), target, fixed)


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of categories as its values."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def weights_of(table: pa.Table, name: str | None, first: int) -> NDArray[np.float64] | None:
    """Return the weights of rows that begin at number `first`, or raise an `InputError` about one that cannot be."""
    if name is None:
        return None
    try:
        weight = decoded(table[name]).cast(pa.float64()).to_numpy()
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
