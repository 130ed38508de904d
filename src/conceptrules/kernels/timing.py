"""How long a fit takes, and apart from it the compiling of kernels, which only the first fit has to wait for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from numba.core import event


@dataclass
class Seconds:
    """The seconds of something without those of compiling, and those of compiling."""

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
    compiling = event.TimingListener()  # type: ignore[no-untyped-call]
    with event.install_listener("numba:compile", compiling):
        yield seconds
    seconds.compiling = compiling.duration if compiling.done else 0.0
    seconds.own = perf_counter() - start - seconds.compiling
