"""The engine for a CPU that keeps the training of one job in a checkpoint, and goes on where an earlier start got to.

What was seen before is given again first, so that all that follows from it (history, patience, the best network)
follows once more. Of the networks seen before only the best has weights, since no other can be chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np

from conceptrules.kernels.compiling import announced
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.checkpoint import Arrays, Checkpoint
from conceptrules.learn.mllp.cpu_engine import SnapshotTaker, is_due
from conceptrules.learn.mllp.descent import Epoch, descend
from conceptrules.learn.mllp.fit import FitJob, Score, Snapshot


class KeptEngine:
    """Trains one job at a time: first the fit, then the refit."""

    def __init__(self, threads: int, checkpoint: Checkpoint) -> None:
        self.threads, self.checkpoint, self.trained = threads, checkpoint, 0

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        (job,) = jobs
        if not self.trained:
            rows = job.training, job.validation, job.class_weight
            self.checkpoint.open("mllp", (job.hyperparameters, job.rng.bit_generator.state), rows)
        piece, after, looks = f"training {self.trained}", None, list[list[Snapshot]]()
        self.trained += 1
        if (kept := self.checkpoint.get(piece)) is not None:
            after, looks = _read(job, *kept)
        for look in looks:
            yield 0, look
        with ThreadPoolExecutor(self.threads) as pool, announced():
            taker, settings = SnapshotTaker(job), job.hyperparameters
            epochs = descend(settings, len(job.class_weight), job.weighted, job.rng, pool, after)
            while active and (epoch := next(epochs, None)):
                if is_due(epoch, settings):
                    looks.append(taker.snapshots(epoch, pool))
                    self.checkpoint.put(piece, *_written(job, epoch, looks))
                    yield 0, looks[-1]
        active.clear()


def _written(job: FitJob, epoch: Epoch, looks: Sequence[Sequence[Snapshot]]) -> tuple[Any, Arrays]:
    seen, cohort = [one for look in looks for one in look], epoch.cohort
    about = {
        "epoch": epoch.number,
        "steps": cohort.steps,
        "chance": job.rng.bit_generator.state,
        "seen": [[asdict(one.score), one.priority, one.default] for one in seen],
    }
    best = max(seen, key=lambda one: one.score.rank)
    arrays = {"weights": cohort.weights, "first": cohort.first, "second": cohort.second}
    return about, {name: array.copy() for name, array in arrays.items()} | {"best": best.weights}


def _read(job: FitJob, about: Any, arrays: Arrays) -> tuple[tuple[int, Cohort], list[list[Snapshot]]]:
    """Return where training goes on, and what was seen before; the chance of the job goes on from there as well."""
    cohort = Cohort(job.sizes, arrays["weights"])
    cohort.first, cohort.second, cohort.steps = arrays["first"], arrays["second"], about["steps"]
    job.rng.bit_generator.state = about["chance"]
    scores = [Score(**score) for score, *_ in about["seen"]]
    best, none = max(scores, key=lambda score: score.rank), np.zeros(0, np.float32)
    seen = [
        Snapshot(job.sizes, arrays["best"] if score is best else none, tuple(priority), default, score)
        for score, (_, priority, default) in zip(scores, about["seen"], strict=True)
    ]
    rates = len(job.hyperparameters.binarization_rate)
    looks = [seen[first : first + rates] for first in range(0, len(seen), rates)]
    return (about["epoch"], cohort), looks
