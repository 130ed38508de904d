"""What is missing is run fold by fold and kept: a line for each table, fold, model and seed."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from benchmarks import jsonl
from benchmarks.paper.scores import macro_f1
from benchmarks.speed.report import machine
from benchmarks.tables.models import MODELS
from benchmarks.tables.suite import Table, load, tables
from conceptrules.datasets.loading import Entry

RECORD = jsonl.RECORDS / "tables.jsonl"
KEY = ("table", "fold", "model", "seed")
CLOCK = "lightgbm"
Record = dict[str, Any]
Pair = tuple[str, int]
"""A model and a seed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for on the command line."""

    tables: Sequence[str]
    models: Sequence[str]
    folds: Sequence[int]
    seeds: Sequence[int] = (0,)
    jobs: int = 1
    limit: float = 600.0
    again: bool = False
    path: Path = RECORD

    def pairs(self) -> list[Pair]:
        """Return the models with their seeds: ours have those that were asked for, the others seed 0."""
        return [(name, seed) for name in MODELS if name in self.models for seed in self._seeds(name)]

    def _seeds(self, name: str) -> Sequence[int]:
        return self.seeds if MODELS[name].ours else (0,)


@dataclass(frozen=True, slots=True)
class Job:
    """What is missing of one fold of a table."""

    table: str
    fold: int
    missing: tuple[Pair, ...]
    plan: Plan


def missing_jobs(plan: Plan) -> list[Job]:
    """Return what is not on record yet, the smallest tables first, or the largest where several processes share."""
    known = {tuple(record[name] for name in KEY): record for record in jsonl.read(plan.path)}
    jobs_left = []
    listed = tables()
    for table in sorted(plan.tables, key=list(listed).index, reverse=plan.jobs > 1):
        pairs = [pair for pair in plan.pairs() if listed[table][0].classes == 2 or not MODELS[pair[0]].two_classes]
        for fold in plan.folds:
            missing = [pair for pair in pairs if not _done(known.get((table, fold, *pair)), plan)]
            jobs_left += [Job(table, fold, tuple(missing), plan)] if missing else []
    return jobs_left


def _done(record: Record | None, plan: Plan) -> bool:
    """Whether a record stays. Again: ours of an earlier learner are replaced, and what failed is retried."""
    if record is None or not plan.again:
        return record is not None
    return "note" not in record and MODELS[record["model"]].learner().items() <= record.items()


def run(plan: Plan) -> Iterator[Record]:
    """Run what is missing, keep each record as soon as it is there, and yield it."""
    todo = missing_jobs(plan)
    if plan.jobs == 1:
        for job in todo:
            yield from run_job(job)
        return
    with ProcessPoolExecutor(plan.jobs, mp_context=get_context("spawn")) as pool:
        for records in pool.map(_all_records, todo):
            yield from records


def _all_records(job: Job) -> list[Record]:
    return list(run_job(job))


def run_job(job: Job) -> Iterator[Record]:
    """Fit the models one after the other on the same rows, LightGBM first: the ratio of times is to this fit of it."""
    for name in (CLOCK, *(model for model, _ in job.missing)):
        warm_up(name)
    table, plan, clock = load(job.table), job.plan, None
    if plan.jobs == 1 and (CLOCK, 0) not in job.missing:
        clock = measure(table, job.fold, CLOCK, 0, plan.limit).get("cpu")
    for model, seed in job.missing:
        if _stopped(plan.path, job.table, model, plan.limit):
            outcome = {"note": stop_note(plan.limit)}
        else:
            outcome = measure(table, job.fold, model, seed, plan.limit)
        if model == CLOCK and plan.jobs == 1:
            clock = outcome.get("cpu")
        times = {"lightgbm_cpu": clock} if clock and "cpu" in outcome else {}
        record = {
            **dict(zip(KEY, (job.table, job.fold, model, seed), strict=True)),
            "rows": len(table.y),
            "classes": table.entry.classes,
            **outcome,
            **times,
            "jobs": plan.jobs,
            "code": MODELS[model].code(),
            **MODELS[model].learner(),
            "settings": dict(MODELS[model].settings),
            "machine": machine_name(),
            "load": os.getloadavg()[0],
        }
        jsonl.put(plan.path, [jsonl.rounded(record)], KEY)
        yield record


def _stopped(path: Path, table: str, model: str, limit: float) -> bool:
    """Whether the model was stopped on a fold of the table after the same time; no other fold is tried then."""
    key = (table, model, stop_note(limit))
    return any((record["table"], record["model"], record.get("note")) == key for record in jsonl.read(path))


def stop_note(limit: float) -> str:
    return f"stopped after {limit:g} s"


def measure(table: Table, fold: int, name: str, seed: int, limit: float) -> Record:
    """Return the scores, size and times of a model on a fold, or a note that says why there are none.

    `edges` is the size in the model's own terms.
    """
    model = MODELS[name]
    train, test = table.folds()[fold]
    X, y, X_test, y_test = model.rows(table, train), table.y[train], model.rows(table, test), table.y[test]
    estimator = model.make(table.numbers, seed, **model.settings)
    try:
        with warnings.catch_warnings(), time_limit(limit):
            warnings.simplefilter("ignore")
            wall, cpu = perf_counter(), process_time()
            estimator.fit(X, y)
            wall, cpu = perf_counter() - wall, process_time() - cpu
            answers, probabilities = estimator.predict(X_test), estimator.predict_proba(X_test)
    except TimeoutError:
        return {"note": stop_note(limit)}
    except Exception as error:
        return {"note": f"failed: {type(error).__name__}: {str(error)[:200]}"}
    size, columns = model.size(estimator)
    shares = _complete(table, estimator.classes_, probabilities)
    truth = np.searchsorted(np.unique(table.y), y_test)
    return {
        "f1": macro_f1(y_test, answers),
        "accuracy": float(accuracy_score(y_test, answers)),
        "log_loss": float(log_loss(truth, shares, labels=range(shares.shape[1]))),
        "auc": measure_auc(truth, shares),
        "brier": float(np.mean(((shares - np.eye(shares.shape[1])[truth]) ** 2).sum(axis=1))),
        "edges": size,
        "columns": columns,
        "seconds": wall,
        "cpu": cpu,
    }


def _complete(table: Table, known_classes: Any, predicted: Any) -> NDArray[np.float64]:
    """Return the probabilities of all classes of the table; one without a training row has no chance."""
    classes = np.unique(table.y)
    probabilities = np.zeros((len(predicted), len(classes)))
    probabilities[:, np.searchsorted(classes, known_classes)] = predicted
    shares: NDArray[np.float64] = probabilities / probabilities.sum(axis=1, keepdims=True)
    return shares


def measure_auc(truth: NDArray[np.intp], shares: NDArray[np.float64]) -> float:
    """Return the mean area under the ROC curve of each class against the rest, of those that the test rows show."""
    shown = range(1, 2) if shares.shape[1] == 2 else np.unique(truth).tolist()
    return float(np.mean([roc_auc_score(truth == k, shares[:, k]) for k in shown]))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after so much processor time, whatever else the machine does.

    What runs in compiled code is stopped when it comes back.
    """

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def warm_up(name: str) -> None:
    """Fit a model once on a few rows, so that nobody's time has imports and compiled kernels in it."""
    rng = np.random.default_rng(0)
    number, letter = rng.random(120), rng.choice(["a", "b", "c"], 120)
    y = np.where(number > 0.6, "x", np.where(letter == "a", "y", "y" if MODELS[name].two_classes else "z"))
    entry = Entry("warm-up", "", 120, 2, len(np.unique(y)), "", continuous=("number",))
    table = Table(entry, pa.table({"number": number, "letter": letter}), y)
    measure(table, 0, name, 0, 600)


@cache
def machine_name() -> str:
    about = machine()
    return f"{about['processor']}, {about['architecture']}, {about['cores']} cores"
