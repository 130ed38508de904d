"""What the card can do at best: the ceilings that the kernels are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
import triton
import triton.language as tl

from benchmarks.gpu.clock import events
from benchmarks.speed.measure import Measurement, Plan


@triton.jit
def _multiply_and_add(x, rounds, SPAN: tl.constexpr):
    place = tl.program_id(0) * SPAN + tl.arange(0, SPAN)
    a = tl.load(x + place)
    b, c, d = a + 1, a + 2, a + 3
    for _ in range(rounds):
        a = a * 0.999 + 0.001
        b = b * 0.999 + 0.001
        c = c * 0.999 + 0.001
        d = d * 0.999 + 0.001
    tl.store(x + place, a + b + c + d)


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    details = {"card": torch.cuda.get_device_name(device), "multiprocessors": _processors(device)}
    x = torch.rand(132 * 16 * 1024, device=device)
    rounds = 4096
    times = events(lambda: _multiply_and_add[(len(x) // 1024,)](x, rounds, SPAN=1024), plan.repeats)
    rates = [8 * rounds * len(x) / time / 1e12 for time in times]
    yield Measurement("fp32 multiply-add, four chains a thread", rates, unit="TFLOP/s", details=details)
    source = torch.rand(2**30, device=device)
    copy = torch.empty_like(source)
    times = events(lambda: copy.copy_(source), plan.repeats)
    yield Measurement("copy, bytes read and written", [8 * len(source) / time / 1e12 for time in times], unit="TB/s")


def _processors(device: str) -> int:
    count: int = torch.cuda.get_device_properties(device).multi_processor_count
    return count
