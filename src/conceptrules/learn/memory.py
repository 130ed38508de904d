"""The memory that a fit needs, estimated before it starts, and the memory that is free."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from conceptrules.model.errors import InputError

# By the controller of a control group, of version 2 or 1: its limit, what is used, and which of that is cached files.
_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
_CUTS = 255
"""The most cut points of a column."""


def estimate_search_bytes(rows: int, mixed: int, columns: int, classes: int, folds: int, threads: int) -> float:
    """Estimate the memory that the search needs besides the table itself; `mixed` rows are learned from as well.

    Codes take a byte a cell: of the table, of all rows in their order, of each fold, and of what is being sorted.
    Weights take eight bytes for each row and class. The rest are row numbers. Each value of a mixed row takes a random
    number of eight bytes, which decides from which parent it comes.
    """
    sources = folds + 1
    cells = columns * (5 + sources)
    weights = 8 * classes * (2 + sources)
    each = cells + weights + 8 * (12 + 2 * sources) + threads * (2 * classes + 40)
    return float(rows + mixed) * each + 8.0 * mixed * columns


def estimate_column_bytes(rows: int, columns: int) -> float:
    """Estimate the memory for what is known of each column: 80 bytes for a cut point."""
    return 80.0 * columns * min(rows, _CUTS)


def estimate_screening_bytes(cells: int) -> float:
    """Estimate the memory for a choice of columns that reads this many cells of the table at a time."""
    return 24.0 * cells


def estimate_row_bytes(rows: int, columns: int) -> float:
    """Estimate the memory for rows that are only counted: their codes, hashes, classes and weights."""
    return float(rows) * (3 * columns + 80)


def estimate_training_bytes(rows: int, inputs: int, weights: int) -> float:
    """Estimate the memory that gradient descent needs: eight copies of the rows' bits, six of all weights."""
    return float(rows) * (inputs + 100) + 24.0 * weights


def check_memory(needed: float, rows: int, what: str, otherwise: str) -> None:
    """Raise an `InputError` if a fit needs more bytes than are free: a process that is killed later says nothing."""
    free = find_free_memory()
    if free is not None and needed > free:
        raise InputError(
            f"learning from {rows:,} rows, {what} needs about {_format_size(needed)} of memory, but "
            f"{_format_size(free)} are free; learn from a sample of at most {int(rows * free / needed):,} rows, or "
            f"{otherwise}"
        )


def find_free_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes that the machine and the control groups leave to this process; None: unknown."""
    bounds = [free for free in (_read_machine(root), *_read_control_groups(root)) if free is not None]
    return min(bounds, default=None)


def _read_machine(root: Path) -> int | None:
    with suppress(OSError, ValueError, StopIteration):
        lines = (root / "proc/meminfo").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    with suppress(AttributeError, OSError, ValueError):  # without Linux's files, all memory is the best guess
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _read_control_groups(root: Path) -> Iterator[int]:
    """Yield what the control groups of this process leave, which container runtimes and batch systems set up."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controller, path = line.split(":", 2)
            mount = root / "sys/fs/cgroup" / controller
            for name in (path.strip("/"), *map(str, Path(path.strip("/")).parents)) if controller in _FILES else ():
                limit, used, cache = _FILES[controller]
                with suppress(OSError, ValueError):  # "max" is not a number, and means no limit
                    free = int((mount / name / limit).read_text()) - int((mount / name / used).read_text())
                    yield free + _read_entry(mount / name / "memory.stat", cache)


def _read_entry(path: Path, name: str) -> int:
    return next((int(line.split()[1]) for line in path.read_text().splitlines() if line.split()[0] == name), 0)


def _format_size(count: float) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e8 else f"{count / 1e6:,.1f} MB"
