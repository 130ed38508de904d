"""Rows in files of a scratch folder, mapped into memory block by block: memory holds the blocks at work only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.tables.sources import disk_full_error, report_full_disk

_BLOCK = 2**20
"""Rows that are mapped at a time."""
_TYPES: dict[str, Any] = {"codes": np.uint8, "target": np.uint16, "weight": np.int64, "key": np.uint64}


def check_room(folder: Path, rows: int, columns: int, weighted: bool) -> None:
    """Raise an `InputError` if the files of so many rows do not fit on the disk: before any long work."""
    needed = rows * (columns + 2 + 8 + 8 * weighted)
    if shutil.disk_usage(folder).free < needed:
        raise disk_full_error(folder, needed)


class ShardFiles:
    """Files that rows are added to; without weights, each row weighs one."""

    def __init__(self, folder: Path, columns: int, weighted: bool) -> None:
        self.folder, self.columns, self.weighted, self.rows = folder, columns, weighted, 0
        self._open = ExitStack()
        names = [name for name in _TYPES if weighted or name != "weight"]
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

    def shard(self, start: int, stop: int) -> Shard:
        """Return some rows, mapped."""
        return Shard(*(self._mapped(name, start, stop) for name in _TYPES))

    def _mapped(self, name: str, start: int, stop: int) -> NDArray[Any]:
        if name == "weight" and not self.weighted:
            return _ONES[: stop - start]
        width = self.columns if name == "codes" else 1
        kind = np.dtype(_TYPES[name])
        shape = (stop - start, self.columns) if name == "codes" else (stop - start,)
        # Copied on writing, which nobody does: compiled passes would be compiled again for arrays that are read only.
        mapped = np.memmap(self._path(name), kind, "c", start * width * kind.itemsize, shape)
        return np.asarray(mapped)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.bin"


_ONES = np.full(_BLOCK, WEIGHT_UNIT, np.int64)


class OnDisk(InMemory):
    """A `RowStore` of rows in files."""

    def __init__(self, files: ShardFiles, threads: int = 1) -> None:
        self.files = files
        super().__init__([files.shard(0, min(1, files.rows))], threads)
        self.rows = files.rows

    def _blocks(self) -> Iterator[Shard]:
        # Each block has a map of its own, which goes when the block is done with: so does its memory.
        for start in range(0, self.rows, _BLOCK):
            yield self.files.shard(start, min(start + _BLOCK, self.rows))
