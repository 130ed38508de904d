"""Compile the kernels of the MLLP when they are first called, tuned to the machine, and keep them on the disk."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import event

NOTE = "conceptrules: compiling the kernels of MLLPClassifier, which takes about half a minute"


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function and keeps the result on the disk, where a folder can be written.

    What is kept is used as long as no module of the function's folder changes. Numba by itself looks only at the file
    of the function, and would go on with old code of the functions that it calls.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, **options)(function)
        if dispatcher is function:  # NUMBA_DISABLE_JIT: nothing is compiled
            return function
        with suppress(RuntimeError):  # Numba finds no folder that it can write
            dispatcher.enable_caching()
        index: Any = getattr(dispatcher._cache, "_cache_file", None)
        if hasattr(index, "_version"):  # not so where Numba has another way to keep things
            # Numba compares the version before it unpickles the rest, which may name modules that are gone by now.
            index._version = (index._version, sources(Path(function.__code__.co_filename).parent))
        return dispatcher

    return compiled


@cache
def sources(folder: Path) -> str:
    """Return a hash of the modules of a folder."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()


class _Listener(event.Listener):
    """Print the note at the first kernel that Numba compiles; what it finds on the disk is no such event."""

    def __init__(self) -> None:
        self.printed = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.printed and module.startswith("conceptrules."):
            self.printed = True
            print(NOTE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Say nothing: the note was about the start."""


@contextmanager
def announced() -> Iterator[None]:
    """Print one line on stderr if anything inside has to be compiled."""
    with event.install_listener("numba:compile", _Listener()):
        yield
