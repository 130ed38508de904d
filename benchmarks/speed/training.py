"""An epoch of ours against the same epoch in dense PyTorch, one thread each; and a cohort on two threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from time import process_time

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.speed.dense import DenseTrainer
from benchmarks.speed.engine import LEARNING_RATE, SETTINGS, masks, our_epoch, start, train
from benchmarks.speed.measure import Measurement, Plan, Times, faster, interleaved, seconds
from benchmarks.speed.tables import training_rows
from conceptrules.kernels.mllp.cohort import Cohort, Flags, KernelRows

COHORT_RATES = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Shape:
    """A training set of the paper, and the network for it."""

    name: str
    rows: int
    inputs: int
    layers: tuple[int, ...]
    classes: int

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.inputs, *self.layers, self.classes)


ADULT = Shape("adult", 26_048, 155, (128, 128, 128), 2)
LETTERS = Shape("letRecog", 16_000, 155, (256, 256, 256), 26)
CLAIMS = ((ADULT, 0.9, 100), (ADULT, 0.7, 40), (ADULT, 0.0, 15), (LETTERS, 0.9, 80))


def measure(plan: Plan) -> Iterator[Measurement]:
    torch.set_num_threads(1)
    for shape, rate, target in CLAIMS:
        rows, source = training_rows(shape.name, shape.rows, shape.inputs, shape.classes, plan.seed)
        yield from _against_dense(plan, shape, rows, source, rate, target)
    rows, source = training_rows(ADULT.name, ADULT.rows, ADULT.inputs, ADULT.classes, plan.seed)
    yield _two_threads(plan, rows, source)


def _against_dense(
    plan: Plan, shape: Shape, rows: KernelRows, source: str, rate: float, target: float
) -> Iterator[Measurement]:
    rng = np.random.default_rng(plan.seed)
    with ThreadPoolExecutor(1) as executor:
        cohort, epochs = start(shape.sizes, 1, rng), 0
        for moment, more in (("early", 0), ("late", plan.pick(100, 40))):
            train(cohort, (rate,), rows, more, rng, executor)
            epochs += more
            masked, order = masks(cohort, (rate,), rng), rng.permutation(len(rows.target))
            times, note = _compare(plan, cohort, masked, rows, order, executor)
            details = {"data": source, "network": shape.sizes, "dense": note} | _spread(cohort, epochs)
            name = f"{shape.name}, P = {rate}, {moment}"
            yield Measurement(name, faster(times, "dense PyTorch"), target, times=times, details=details)


def _compare(
    plan: Plan, cohort: Cohort, masked: Flags, rows: KernelRows, order: NDArray[np.int64], executor: Executor
) -> tuple[Times, str]:
    """Seconds an epoch, every time from the same weights; the quick plan takes a part of the dense one's batches."""
    steps = -(-len(order) // SETTINGS.batch_size)
    timed = plan.pick(steps, min(steps, 5))
    dense = DenseTrainer(rows, cohort.sizes, SETTINGS)

    def ours(order: NDArray[np.int64]) -> None:
        our_epoch(deepcopy(cohort), masked, rows, order, executor)

    def theirs(order: NDArray[np.int64]) -> None:
        dense.begin(cohort, LEARNING_RATE)
        dense.epoch(masked[0], order)

    ours(order[: SETTINGS.batch_size])
    theirs(order[: SETTINGS.batch_size])
    part = order[: timed * SETTINGS.batch_size]
    times = interleaved({"ours": lambda: ours(order), "dense PyTorch": lambda: theirs(part)}, plan.repeats, warm=False)
    times["dense PyTorch"] = [time * steps / timed for time in times["dense PyTorch"]]
    return times, "whole epochs" if timed == steps else f"time of the first {timed} steps x {steps} / {timed}"


def _spread(cohort: Cohort, epochs: int) -> dict[str, float]:
    """How far the weights have come."""
    weights = cohort.weights[0]
    return {
        "epochs of training before": epochs,
        "share of weights at 0": round(float(np.mean(weights == 0)), 4),
        "share above 0.5": round(float(np.mean(weights > 0.5)), 4),
    }


def _two_threads(plan: Plan, rows: KernelRows, source: str) -> Measurement:
    rng = np.random.default_rng(plan.seed)
    epochs = plan.pick(10, 2)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        cohort = start(ADULT.sizes, len(COHORT_RATES), rng)
        train(cohort, COHORT_RATES, rows, epochs, rng, two)
        masked, order = masks(cohort, COHORT_RATES, rng), rng.permutation(len(rows.target))
        tasks = {
            "two threads": lambda: our_epoch(deepcopy(cohort), masked, rows, order, two),
            "one thread": lambda: our_epoch(deepcopy(cohort), masked, rows, order, one),
        }
        times = interleaved(tasks, plan.repeats)
        used = process_time()
        busy = seconds(tasks["two threads"])
        used = process_time() - used
    details = {
        "data": source,
        "network": ADULT.sizes,
        "rates": COHORT_RATES,
        "epochs of training before": epochs,
        "cores that two threads got": round(used / busy, 2),  # 1 where other work holds the second core
    }
    values = faster(times, "one thread", "two threads")
    return Measurement("a cohort of five rates, two threads against one", values, 1.7, times=times, details=details)
