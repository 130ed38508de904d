"""Compile the kernels, keep them on the disk, and say how long that takes: the first fit on a machine waits for it."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from numba import njit
from numba.core import event

NOTE = "conceptrules: compiling its kernels, once on this machine (about a minute)"
NO_CACHE = (
    "conceptrules cannot keep its compiled kernels, so each new process compiles them again: neither the folder of the "
    "package nor the user's cache folder can be written. Set NUMBA_CACHE_DIR to a folder that can be."
)


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function and keeps the result on the disk.

    What is kept is used as long as no module of the function's folder changes. Numba by itself looks only at the file
    of the function, and would go on with old code of the functions that it calls. Kernels of one folder never call
    those of another.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, **options)(function)
        if dispatcher is function:  # NUMBA_DISABLE_JIT: nothing is compiled
            return function
        try:
            dispatcher.enable_caching()
        except RuntimeError:  # Numba finds no folder that it can write
            _warn_once()
            return dispatcher
        index: Any = getattr(dispatcher._cache, "_cache_file", None)
        if hasattr(index, "_version"):  # not so where Numba has another way to keep things
            # Numba compares the version before it unpickles the rest, which may name modules that are gone by now.
            index._version = (index._version, sources(Path(function.__code__.co_filename).parent))
        return dispatcher

    return compiled


@cache
def sources(folder: Path) -> str:
    """Return a hash of the modules of a folder and of this one."""
    paths = [*sorted(folder.glob("*.py")), Path(__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


@cache
def _warn_once() -> None:
    warnings.warn(NO_CACHE, RuntimeWarning, stacklevel=2)


class _Listener(event.Listener):
    """Print the note at the first kernel that Numba compiles; what it finds on the disk is no such event."""

    def __init__(self) -> None:
        self.told = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.told and module.startswith("conceptrules."):
            self.told = True
            print(NOTE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Say nothing: the note was about the start."""


@contextmanager
def announced() -> Iterator[None]:
    """Print one line on stderr if anything inside has to be compiled."""
    with event.install_listener("numba:compile", _Listener()):
        yield


@dataclass
class Seconds:
    """How long something took without compiling, and how long compiling took."""

    own: float = 0.0
    compiling: float = 0.0

    def __str__(self) -> str:
        """Return both in words.

        >>> print(Seconds(1.3), Seconds(1.3, compiling=61.3), sep="; ")
        1.3 s; 1.3 s, after compiling for 61.3 s
        """
        return f"{self.own:.1f} s" + (f", after compiling for {self.compiling:.1f} s" if self.compiling else "")


@contextmanager
def timed() -> Iterator[Seconds]:
    """Time what is inside; the seconds are known when it has ended."""
    seconds, start = Seconds(), perf_counter()
    compiling = event.TimingListener()
    with event.install_listener("numba:compile", compiling):
        yield seconds
    seconds.compiling = compiling.duration if compiling.done else 0.0
    seconds.own = perf_counter() - start - seconds.compiling
