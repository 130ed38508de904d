"""Memory is what was estimated, predictions from many threads are right, and nothing is left behind."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from conceptrules import ConceptRuleClassifier, MLLPClassifier, fit_cohort, load
from conceptrules.learn import memory
from conceptrules.learn.memory import check_memory
from tests.people import entangled, quick_mllp, quick_search

ROOT = Path(__file__).parents[2]
# Rows, columns, classes: tables so large that what Python itself needs does not count.
SHAPES = {
    "default": [(1_500, 400, 2)],
    "search": [(100_000, 10, 2), (50_000, 100, 2), (100_000, 10, 12), (2_000, 3_000, 2)],
    "mllp": [(100_000, 10, 2), (20_000, 60, 2)],
}
Fit = tuple[str, int, int, int]
_WITHIN = 2.0
"""How many times as much as it was estimated, or as little, memory may be."""
THREADS, PREDICTIONS = 8, 10_000


def main(minutes: float, start: int = 0) -> None:
    """Go on until the time is over: measure memory once, the rest again and again. Nothing is drawn here."""
    end = time.monotonic() + 60 * minutes
    print(
        *measured([(learner, *shape) for learner, shapes in SHAPES.items() for shape in shapes]), sep="\n", flush=True
    )
    turns, right = 0, 0
    while not turns or time.monotonic() < end:
        right += predict_at_once(PREDICTIONS)
        left = left_behind()
        assert not left, f"left behind: {left}"
        turns += 1
    print(f"{right:,} predictions from {THREADS} threads at once: all right")
    print(f"{2 * turns * len(WORK):,} pieces of work: no file, thread or temporary file was left behind")


def measured(fits: list[Fit]) -> list[str]:
    """Return what fits were estimated to need, and what they took, each in a process of its own.

    The processes are forked from one that has loaded everything, since starting Python would take most of the time.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.soak.resources", json.dumps(fits)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [_compared(fit, *json.loads(line)) for fit, line in zip(fits, run.stdout.splitlines(), strict=True)]


def _compared(fit: Fit, estimated: float, taken: int) -> str:
    assert 1 / _WITHIN < taken / estimated < _WITHIN, f"{fit}: {estimated} bytes, {taken} taken"
    learner, rows, columns, classes = fit
    return (
        f"{learner}, {rows:,} rows, {columns:,} columns, {classes} classes: "
        f"{estimated / 1e6:,.0f} MB estimated, {taken / 1e6:,.0f} MB taken"
    )


def predict_at_once(predictions: int) -> int:
    """Predict from eight threads at once, in every way; return how many predictions were right, which is all."""
    X, y = entangled(200)
    models = [quick_search().fit(X, y), quick_mllp(max_epochs=10).fit(X, y)]
    rows = X.to_dict("records")
    ways: list[Callable[[Any, int], Any]] = [
        lambda model, row: model.predict([rows[row]])[0],
        lambda model, row: model.predict(X[row : row + 1])[0],
        lambda model, row: model.predict(X[row : row + 9])[0],
        lambda model, row: model.network_.predict(X)[row],
        lambda model, row: model.explain(rows[row], limit=10).label,
    ]
    known = [model.predict(X) for model in models]

    def one(number: int) -> bool:
        model, row, way = number % 2, number * 7 % len(rows), number % 100
        found = ways[0 if way > 20 else 1 + way % 4](models[model], row)
        return bool(found == known[model][row])

    with ThreadPoolExecutor(THREADS) as pool:
        right = sum(pool.map(one, range(predictions)))
    assert right == predictions, f"{predictions - right} of {predictions} predictions from threads are wrong"
    return right


def _fit_and_save(folder: Path) -> None:
    X, y = entangled(60)
    for made in (quick_search(n_jobs=2), quick_mllp(max_epochs=5, n_jobs=2)):
        made.fit(X, y, checkpoint=folder / "run.ckpt").save(folder / "model.json")
    load(folder / "model.json").predict(X)
    fit_cohort(X, y, estimator=quick_mllp(max_epochs=2))


def _export(folder: Path) -> None:
    model = quick_search().fit(*entangled(60))
    for language in ("python", "sql", "onnx"):
        model.export(language, verify=True, data=entangled(20)[0])
    model.report(*entangled(60), folder / "report.html")
    model.network_.draw().save(folder / "rules.svg")


def _fail(folder: Path) -> None:
    """Errors in the middle leave nothing behind either."""
    X, y = entangled(60)
    for made in (quick_search(), quick_mllp(max_epochs=5)):
        with patch("conceptrules.rule_model.RuleModel._set_fitted", side_effect=ZeroDivisionError):
            try:
                made.fit(X, y, checkpoint=folder / "run.ckpt")
            except ZeroDivisionError:
                (folder / "run.ckpt").unlink(missing_ok=True)


WORK: tuple[Callable[[Path], None], ...] = (_fit_and_save, _export, _fail)


def left_behind(work: tuple[Callable[[Path], None], ...] = WORK) -> list[str]:
    """Return the files, threads and temporary files that are there after all work is done again."""
    with tempfile.TemporaryDirectory() as folder, _temporary_files(Path(folder, "temporary")) as temporary:

        def there() -> set[str]:
            for one in work:
                one(Path(folder))
            gc.collect()
            return {*_open_files(), *_threads(), *(f"temporary file {path}" for path in temporary.rglob("*"))}

        first = there()  # what is loaded once stays, such as the threads and the session files of libraries
        return sorted(there() - first)


@contextmanager
def _temporary_files(folder: Path) -> Iterator[Path]:
    """Let temporary files be made in a folder of their own, by processes that are started too."""
    folder.mkdir()
    with patch.object(tempfile, "tempdir", str(folder)), patch.dict(os.environ, {"TMPDIR": str(folder)}):
        yield folder


def _open_files() -> set[str]:
    folder = Path("/proc/self/fd")
    return {f"open file {path.name} {os.readlink(path)}" for path in folder.iterdir() if path.exists()}


def _threads() -> set[str]:
    return {f"thread {one.name} {one.ident}" for one in threading.enumerate()}


def _own(word: str) -> int:
    """Return a line of the kernel's account of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(word))


def _taken(learner: str, rows: int, columns: int, classes: int) -> tuple[float, int]:
    """Fit in this process, and return the bytes that were estimated and those that were taken at the most."""
    usual = {"random_state": 0, "n_jobs": 1}
    made = (
        MLLPClassifier(max_epochs=1, device="cpu", **usual)
        if learner == "mllp"
        else ConceptRuleClassifier(effort="default" if learner == "default" else "fast", max_edges=4, **usual)
    )
    made.fit(*_table(60, 2, 2))
    table, estimates = _table(rows, columns, classes), []

    def kept(needed: float, *others: Any) -> None:
        estimates.append(needed)
        check_memory(needed, *others)

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _own("VmRSS")
    with (
        patch("conceptrules.learn.coding.table_coding.check_memory", kept),
        patch("conceptrules.mllp.check_memory", kept),
    ):
        made.fit(*table)
    return estimates[0], _own("VmHWM") - before


def _table(rows: int, columns: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)).round(3)
    y = np.digitize(X[:, 0] + (X[:, 1] > 0.3), np.linspace(-2, 2.5, classes - 1))
    return X, np.where(rng.random(rows) < 0.1, rng.permutation(y), y)


if __name__ == "__main__":  # fits, each in a process that is forked from this one
    assert memory.find_free_memory() is not None
    for one in json.loads(sys.argv[1]):
        child = os.fork()
        if not child:
            try:
                print(json.dumps(_taken(*one)), flush=True)
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0, f"{one}: the fit failed"
