"""Says when kernels are compiled: the very first fit on a machine waits for that, and a silent wait looks wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

NOTE = "conceptrules: compiling its kernels, once on this machine (about 20 s)"


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
