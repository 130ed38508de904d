"""How kernels are compiled, and kept on the disk; and a word when that happens.

The very first fit on a machine waits for it, and a silent wait looks wrong.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import event

NOTE = "conceptrules: compiling its kernels, once on this machine (about 20 s)"
SOURCES = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
).hexdigest()


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compiles a function, and keeps it on the disk as long as no kernel changes.

    Numba by itself looks at the file of a function only: it would go on with old code of the functions that it calls.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = njit(cache=True, nogil=True, **options)(function)
        index: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if hasattr(index, "_source_stamp"):  # not so where Numba compiles nothing, or has another way to keep things
            index._source_stamp = (index._source_stamp, SOURCES)
        return dispatcher

    return compiled


class _Listener(event.Listener):
    """Numba tells of what it compiles, not of what it finds on the disk."""

    def __init__(self) -> None:
        self.told = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.told and module.startswith("conceptrules."):
            self.told = True
            print(NOTE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


@contextmanager
def announced() -> Iterator[None]:
    """One line on stderr if anything inside has to be compiled."""
    with event.install_listener("numba:compile", _Listener()):
        yield
