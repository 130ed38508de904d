"""The runner of what is missing of the baselines and of the library as it comes: folds, in worker processes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from statistics import mean, pstdev
from time import monotonic
from typing import Any

from benchmarks.paper.progress import counted, say
from benchmarks.paper.records import QUICK, RECORDS, Fold, Run, missing, read, remove, write_fold
from benchmarks.paper.reference import PAST
from benchmarks.paper.settings import Settings, load_settings
from conceptrules.datasets.loading import catalogue

SLOWEST_FIRST = (*PAST, "svm", "plnn", "sbrl", "c45", "gbdt", "lr", "rf100", "rf10", "cart")


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for on the command line."""

    data: tuple[str, ...]
    model: tuple[str, ...]
    protocol: str = "fold"
    seed: tuple[int, ...] = (0,)
    jobs: int = 1
    limit: float = 3600.0
    retry: bool = False
    quick: bool = False

    @property
    def root(self) -> Path:
        return QUICK if self.quick else RECORDS

    def runs(self) -> Iterator[Run]:
        for model in self.model:
            for data in self.data:
                for seed in self.seed:
                    yield Run(data, model, self.protocol, seed)


@dataclass(frozen=True, slots=True)
class Job:
    """One fold."""

    run: Run
    fold: int
    root: Path

    @property
    def cost(self) -> tuple[int, int]:
        return catalogue()[self.run.data].rows, -SLOWEST_FIRST.index(self.run.model)

    def __str__(self) -> str:
        return f"{self.run.data} {self.run.model} {self.run.protocol} seed {self.run.seed} fold {self.fold}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a worker says of a job: a score, or why there is none. Only `failed` goes into the record."""

    f1: float | None = None
    failed: str = ""
    refused: str = ""
    error: str = ""

    def __str__(self) -> str:
        score = "" if self.f1 is None else f"macro-F1 {100 * self.f1:.2f}"
        return score or self.error or self.refused or self.failed


def run(plan: Plan) -> int:
    """0 if everything that was asked for is on record now."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that workers are stopped on the way out
    if plan.quick:
        for each in plan.runs():
            remove(each, QUICK)
    unfinished = run_baselines(plan)
    if plan.quick:
        compare(plan)
    return 1 if unfinished else 0


def run_baselines(plan: Plan) -> int:
    """Run all, the largest first, and return the number of folds that are not on record after all."""
    jobs = [
        Job(each, fold, plan.root)
        for each in plan.runs()
        for fold in missing(each.data, each.model, each.protocol, each.seed, root=plan.root, retry=plan.retry)
    ]
    jobs.sort(key=lambda job: job.cost, reverse=True)
    lost = 0
    with counted(len(jobs)) as step:
        for job, outcome, seconds in work(jobs, plan.jobs, plan.limit):
            lost += bool(outcome.error or outcome.refused)
            step(f"{job}: {outcome} ({seconds:.1f} s)")
    return lost


def settings_of(run: Run) -> Settings:
    if run.model not in PAST:
        return load_settings(run.data, run.model)
    from benchmarks.paper.conceptrules_runs import settings_of_column

    return settings_of_column(run.data, run.model)


def work(jobs: list[Job], processes: int, limit: float) -> Iterator[tuple[Job, Outcome, float]]:
    """Do jobs in the order given, and yield each with its outcome and seconds as it ends."""
    waiting = list(reversed(jobs))
    crew = [Worker() for _ in range(min(processes, len(jobs)))]
    try:
        while waiting or any(worker.job for worker in crew):
            for worker in crew:
                if waiting and not worker.job:
                    worker.begin(waiting.pop())
            busy = [worker for worker in crew if worker.job]
            patience = max(0.0, min(worker.started + limit for worker in busy) - monotonic())
            wait([worker.line for worker in busy], timeout=patience)
            for worker in busy:
                if worker.line.poll() or monotonic() - worker.started > limit:
                    yield worker.end(limit)
    finally:
        for worker in crew:
            worker.stop()


class Worker:
    """A process that does one job after another; it is replaced when it dies or has to be stopped."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.started = 0.0
        self._start()

    def begin(self, job: Job) -> None:
        self.job, self.started = job, monotonic()
        self.line.send(job)

    def end(self, limit: float) -> tuple[Job, Outcome, float]:
        job, seconds = self.job, monotonic() - self.started
        assert job is not None
        self.job = None
        try:
            outcome = self.line.recv() if self.line.poll() else None
        except EOFError:
            outcome = Outcome(error="its process died (of too little memory, perhaps)")
            self._restart()
        if outcome is None:
            rows = catalogue()[job.run.data].rows * 4 // 5
            outcome = Outcome(failed=f"stopped after {limit:g} s with {rows} training rows")
            settings = settings_of(job.run)
            keep(job, Fold(job.fold, seconds={"fit": limit}, failed=outcome.failed), settings)
            self._restart()
        return job, outcome, seconds

    def stop(self) -> None:
        """Stop the process, and with it the programs that it has begun itself: they are in its group."""
        if self.process.is_alive() and self.process.pid:
            with suppress(ProcessLookupError):  # it has not made its group yet
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.process.join()
        self.line.close()

    def _restart(self) -> None:
        self.stop()
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.line, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=False)
        self.process.start()
        other.close()


def serve(line: Connection[Any, Any]) -> None:
    os.setpgid(0, 0)
    while True:
        try:
            job = line.recv()
        except EOFError:
            return
        line.send(attempt(job))


def attempt(job: Job) -> Outcome:
    from benchmarks.paper.baselines import CannotRun, Refused, run_fold

    each = job.run
    if each.model in PAST:  # else there is no need to wait for the kernels to be loaded
        from benchmarks.paper.conceptrules_runs import run_fold
    try:
        settings = settings_of(each)
    except (OSError, ValueError) as problem:
        return Outcome(error=str(problem))
    try:
        fold = run_fold(each.data, each.model, each.protocol, each.seed, job.fold, settings)
    except Refused as refusal:
        return Outcome(refused=str(refusal))
    except CannotRun as reason:
        keep(job, Fold(job.fold, failed=str(reason)), settings)
        return Outcome(failed=str(reason))
    except Exception:
        return Outcome(error=traceback.format_exc())
    keep(job, fold, settings)
    return Outcome(fold.scores["f1"])


def keep(job: Job, fold: Fold, settings: Settings) -> None:
    write_fold(job.run, fold, settings.as_dict(), root=job.root)


def compare(plan: Plan) -> None:
    """Show the quick cells beside the committed ones; where several seeds were run, the spread of both over them."""
    say("data            model                    seed   quick            committed        difference")
    for (data, model), found in groupby(plan.runs(), key=lambda each: (each.data, each.model)):
        runs = list(found)
        pairs = [(_cell(read(each, QUICK)), _cell(read(each, RECORDS))) for each in runs]
        lines = [(str(each.seed), *pair) for each, pair in zip(runs, pairs, strict=True)]
        if len(runs) > 1:
            every = [_over([cell for cell in cells if cell]) for cells in zip(*pairs, strict=True)]
            lines.append(("all", every[0], every[1]))
        for seed, quick, committed in lines:
            apart = f"{quick[0] - committed[0]:+.2f}" if quick and committed else ""
            texts = [f"{cell[0]:6.2f} ± {cell[1]:5.2f}" if cell else "not run" for cell in (quick, committed)]
            say(f"{data:15} {model:24} {seed:6} {texts[0]:16} {texts[1]:16} {apart}".rstrip())


def _over(cells: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the mean of several seeds, and how far their means lie apart."""
    means = [cell[0] for cell in cells]
    return (mean(means), pstdev(means)) if means else None


def _cell(record: Any) -> tuple[float, float] | None:
    """Return the mean of the folds, and how far they lie apart."""
    if record is None or not record.complete:
        return None
    found = [100 * fold.scores["f1"] for fold in record.folds]
    return mean(found), pstdev(found)
