"""One wide network on a million rows; and what share of the card's rate the kernels reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.gpu.clock import events, wall
from benchmarks.speed.measure import Measurement, Plan
from conceptrules.kernels.mllp import gpu
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows, StepSettings
from conceptrules.kernels.mllp.gpu_state import NetworkSpec

SIZES, ROWS, BATCH = (512, 1024, 1024, 1024, 2), 1_000_000, 4096
# Operations for each visited weight and row. Forward: 1 - w x, times the product. Back: 1 - w x, a division, and a
# multiply-add each for the gradients of the weight and of the input.
FORWARD_OPERATIONS, BACKWARD_OPERATIONS = 3, 7
FORWARD_BYTES, BACKWARD_BYTES = 4, 4


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    rows = _rows()
    for rate, target in ((0.9, 4.0), (0.0, None)):
        trainer = _trainer(rows, rate, device)
        torch.cuda.reset_peak_memory_stats()
        trainer.epoch(1.0)
        times = wall(lambda trainer=trainer: trainer.epoch(1.0), plan.repeats)  # type: ignore[misc]
        details = {
            "sizes": SIZES,
            "rows": ROWS,
            "batch": BATCH,
            "megabytes": round(torch.cuda.max_memory_allocated() / 1e6),
            "share of weights visited": float(trainer.state.up_count.sum()) / trainer.shape.weights,
        }
        name = f"{SIZES[1]}_{SIZES[2]}_{SIZES[3]}, a million rows, P = {rate}, an epoch"
        yield Measurement(name, times, target, at_least=False, unit="s", details=details)
        yield from _rates(trainer, rate, plan)


def _rates(trainer: gpu.Trainer, rate: float, plan: Plan) -> Iterator[Measurement]:
    """What each kernel does a second; the batch of the last step is still there."""
    state, rows, group_of = trainer.state, trainer.rows, trainer.group_of
    visits = float(state.up_count.sum()) * BATCH
    returns = float(state.down_count.sum()) * BATCH
    forward = events(lambda: state.run(group_of, rows, learn=True), plan.repeats)
    backward = events(lambda: state.backprop(group_of), plan.repeats)
    for name, times, operations in (
        ("forward", forward, FORWARD_OPERATIONS * visits),
        ("backward, both gradients", backward, BACKWARD_OPERATIONS * returns),
    ):
        rates = [operations / time / 1e12 for time in times]
        loads = [operations / time / 1e12 * 4 / (3 if name == "forward" else 7) for time in times]
        details = {"milliseconds": [1e3 * time for time in times], "loads, TB/s at least": loads}
        yield Measurement(f"{name}, P = {rate}", rates, unit="TFLOP/s", details=details)


def _trainer(rows: KernelRows, rate: float, device: str) -> gpu.Trainer:
    weights = 0.1 * np.random.default_rng(0).random(Cohort.count(SIZES), np.float32)
    network = NetworkSpec(SIZES, rate, 0, 5e-3, 1e-8)
    return gpu.Trainer([network], [weights], [rows], [0], StepSettings(batch_size=BATCH), device)


def _rows() -> KernelRows:
    """Random bits; the class is a rule of three of them, with noise."""
    rng = np.random.default_rng(0)
    packed = rng.integers(0, 256, (ROWS, SIZES[0] // 8), np.uint8)
    bits = np.unpackbits(packed[:, :1], axis=1)
    target = (bits[:, 0] & bits[:, 1] | bits[:, 2] ^ (rng.random(ROWS) < 0.1)).astype(np.int64)
    return KernelRows(packed, target, np.ones(ROWS, np.float32), SIZES[0])
