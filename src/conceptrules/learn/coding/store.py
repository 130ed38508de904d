"""The coded rows of a table, wherever they are: in memory, in files, or on the workers of a cluster.

All that a learner asks of a store are sums of whole numbers and the rows of the smallest keys. However the rows are
spread over shards, and in whatever order they come, the answers are the same bit by bit.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import KEYS, WEIGHT_UNIT, MaskedNetworks, Shard, concatenate_shards
from conceptrules.tables.sources import disk_full_error, report_full_disk

_BLOCK = 2**20
"""Rows that a thread goes over at a time."""
_SPARE, _FEW = 1.2, 1000
"""How many times the needed rows, and how many besides, are asked for: keys are uneven for few rows."""
_TYPES: dict[str, Any] = {
    "codes": np.uint8, "target": np.uint16, "weight": np.int64, "key": np.uint64, "member": np.uint8,
    "number": np.float64,
}  # fmt: skip
Result = TypeVar("Result")


class RowStore(ABC):
    """The rows of a table, in shards."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.passes = 0
        """How often all rows were gone over until now."""

    def find_highest_codes(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.max(self.map_blocks(methodcaller("highest_codes")), axis=0)

    def pick(self, count: int, first_key: int = 0) -> Shard:
        """Return the `count` different rows of smallest keys, with the weight that each has in each of its classes.

        Rows whose key is below `first_key` are left out.

        The bound on the keys is a guess that is right where few rows are repeated. How good it is decides how often
        all rows are gone over, and not what comes out.
        """
        requested = min(int(_SPARE * count) + _FEW, self.rows)
        size = max(KEYS * requested // max(self.rows, 1), 1)
        while True:
            bound = min(first_key + size, KEYS)
            pick = partial(_pick_smallest, first_key=first_key, bound=bound, count=count)
            picked = merge_equal_rows(self.map_blocks(pick), count)
            different = len(find_row_starts(picked))
            if bound == KEYS or different == count:
                return picked
            size = int(_SPARE * size * max(count / max(different, 1), 2))

    def count_confusion(self, networks: MaskedNetworks, classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [network, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        return np.sum(self.map_blocks(methodcaller("confusion", networks, classes, first_key)), axis=0)

    def map_blocks(self, function: Callable[[Shard], Result]) -> list[Result]:
        """Go over all rows once: return the result of a function for each block of rows, none of which is empty."""
        self.passes += 1
        return self._map(function)

    @abstractmethod
    def _map(self, function: Callable[[Shard], Result]) -> list[Result]:
        """Return the result of a function for each block of rows."""


class MemoryStore(RowStore):
    """Rows in the memory of this process."""

    def __init__(self, shards: Sequence[Shard], threads: int = 1) -> None:
        super().__init__(sum(len(shard.key) for shard in shards))
        self._shards, self._threads = tuple(shards), threads

    def _map(self, function: Callable[[Shard], Result]) -> list[Result]:
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(function, self._blocks()))

    def _blocks(self) -> Iterator[Shard]:
        for shard in self._shards:
            for start in range(0, len(shard.key), _BLOCK):
                yield shard.take(slice(start, start + _BLOCK))


class DiskStore(MemoryStore):
    """Rows in files, mapped into memory block by block: memory holds no more than the blocks at work."""

    def __init__(self, files: ShardFiles, threads: int = 1) -> None:
        super().__init__((), threads)
        self.files, self.rows = files, files.rows

    def _blocks(self) -> Iterator[Shard]:
        # Each block has a map of its own, which goes when the block is done with, and so does its memory.
        for start in range(0, self.rows, _BLOCK):
            yield self.files.map_rows(start, min(start + _BLOCK, self.rows))


class ShardFiles:
    """Files that rows are added to; without weights, each row weighs one."""

    def __init__(
        self, folder: Path, columns: int, members: int = 0, weighted: bool = False, numbers: bool = False
    ) -> None:
        self.folder, self.rows = folder, 0
        self._width = {"codes": columns, "member": members, "number": int(numbers)}
        self._open = ExitStack()
        missing = {"weight" * (not weighted), "member" * (not members), "number" * (not numbers)}
        names = [name for name in _TYPES if name not in missing]
        self._files = {name: self._open.enter_context(self._path(name).open("wb")) for name in names}

    def add(self, shard: Shard) -> None:
        """Add rows."""
        with report_full_disk(self.folder):
            for name, file in self._files.items():
                file.write(np.ascontiguousarray(getattr(shard, name), _TYPES[name]).data)
        self.rows += len(shard.key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with report_full_disk(self.folder):
            self._open.close()

    def map_rows(self, start: int, stop: int) -> Shard:
        """Return some rows, mapped into memory."""
        return Shard(*(self._map_column(name, start, stop) for name in _TYPES))

    def _map_column(self, name: str, start: int, stop: int) -> NDArray[Any]:
        kind, width = np.dtype(_TYPES[name]), self._width.get(name)
        if name not in self._files:
            return _ONES[: stop - start] if name == "weight" else np.zeros((stop - start, 0), kind)
        shape = (stop - start,) if width is None else (stop - start, width)
        # Copied on writing, which nobody does: compiled passes would be compiled again for arrays that are read only.
        return np.asarray(np.memmap(self._path(name), kind, "c", start * (width or 1) * kind.itemsize, shape))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.bin"


_ONES = np.full(_BLOCK, WEIGHT_UNIT, np.int64)


def check_disk_space(folder: Path, rows: int, columns: int, weighted: bool, numbers: bool = False) -> None:
    """Raise an `InputError` if the files of that many rows do not fit on the disk: before any long work."""
    needed = rows * (columns + 2 + 8 + 8 * weighted + 8 * numbers)
    if shutil.disk_usage(folder).free < needed:
        raise disk_full_error(folder, needed)


def _pick_smallest(block: Shard, first_key: int, bound: int, count: int) -> Shard:
    rows = block.below(bound)
    return merge_equal_rows([rows.take(rows.key >= np.uint64(first_key)) if first_key else rows], count)


def merge_equal_rows(shards: Sequence[Shard], count: int) -> Shard:
    """Return the `count` different rows of smallest keys, sorted by their keys.

    Equal rows of one class, or one number to predict, and of the same groups of people, are one row with their weights
    added.
    """
    rows = concatenate_shards(list(shards))
    rows = rows.take(np.lexsort((*rows.number.T, *rows.member.T, rows.target, rows.key)))
    if (rows.codes[1:] != rows.codes[:-1])[rows.key[1:] == rows.key[:-1]].any():  # different rows with one key
        rows = rows.take(np.lexsort((*rows.number.T, *rows.member.T, rows.target, *rows.codes.T[::-1], rows.key)))
    row_starts = find_row_starts(rows)
    new = np.zeros(len(rows.key), np.bool_)
    new[row_starts] = True
    new[1:] |= (rows.target[1:] != rows.target[:-1]) | (rows.member[1:] != rows.member[:-1]).any(axis=1)
    new[1:] |= (rows.number[1:] != rows.number[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    weight = np.add.reduceat(rows.weight, starts) if len(starts) else rows.weight
    kept = starts if len(row_starts) <= count else starts[starts < row_starts[count]]
    return rows.take(kept)._replace(weight=weight[: len(kept)])


def find_row_starts(rows: Shard) -> NDArray[np.intp]:
    """Return where each different row begins; a row of several classes is there several times."""
    new = np.ones(len(rows.key), np.bool_)
    new[1:] = (rows.key[1:] != rows.key[:-1]) | (rows.codes[1:] != rows.codes[:-1]).any(axis=1)
    return np.flatnonzero(new)
