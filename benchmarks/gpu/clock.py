"""Time on the device."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import torch


def events(task: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of what a task does on the device, after a call that is not counted."""
    task()
    found = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        task()
        end.record()
        torch.cuda.synchronize()
        found.append(start.elapsed_time(end) / 1000)
    return found


def wall(task: Callable[[], object], repeats: int) -> list[float]:
    """Seconds by the clock on the wall, the device's work included."""
    found = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = perf_counter()
        task()
        torch.cuda.synchronize()
        found.append(perf_counter() - start)
    return found
