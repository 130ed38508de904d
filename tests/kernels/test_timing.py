"""Seconds without those that Numba compiles for, which are told apart."""

from __future__ import annotations

import time

from numba import njit
from numba.core.event import end_event, start_event

from conceptrules.kernels.timing import Seconds, timed


def test_compiling_is_told_apart_and_counted_once_where_kernels_call_kernels() -> None:
    @njit
    def inner(x: int) -> int:
        return x + 1

    @njit
    def outer(x: int) -> int:
        return inner(x) + 1

    with timed() as first:
        assert outer(1) == 3
        time.sleep(0.2)
    assert first.compiling > 0
    assert first.own >= 0.2  # less, if the inner one counted twice
    with timed() as second:
        assert outer(2) == 4
    assert second.compiling == 0
    assert str(second) == f"{second.own:.1f} s"


def test_only_seconds_inside_count() -> None:
    start_event("numba:compile", {})
    end_event("numba:compile", {})
    with timed() as seconds:
        pass
    assert seconds.compiling == 0
    assert str(Seconds(2.0, 61.3)) == "2.0 s, after compiling for 61.3 s"
