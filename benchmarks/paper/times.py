"""How long a fit of adult takes, fold by fold: LightGBM's at its defaults, ours by default and with effort="fast".

Time is that of the processor, so that other work on the machine counts as little as possible.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import digest
from benchmarks.paper.conceptrules_runs import fitted
from benchmarks.paper.folds import load, plain_inputs, rows_of_fold
from benchmarks.paper.progress import say
from benchmarks.paper.records import FOLDS, RECORDS, this_place, write_entry
from benchmarks.paper.scores import macro_f1
from conceptrules import ConceptRuleClassifier

DATA = "adult"
REPEATS = 5
"""LightGBM's fits are short, so each is repeated, and the median counts."""


def write_times(threads: int, root: Path = RECORDS) -> None:
    """Take and keep the times of all folds."""
    _warm_up(threads)
    for fold in range(FOLDS):
        times = times_of(fold, threads)
        say(f"fold {fold}: {times}")
        entry = {"data": DATA, "fold": fold, "threads": threads, **times, "place": this_place(digest.SEARCH)}
        write_entry("fit_times", entry, "data", "fold", root=root)


def times_of(fold: int, threads: int) -> dict[str, float]:
    """Return the seconds of each fit, ours from the raw table, LightGBM's from numbers, and the fast fit's macro-F1."""
    table, inputs = load(DATA), plain_inputs(DATA, fold, "fold")
    train, test = rows_of_fold(len(table.y), fold)
    X, y = table.X.take(train), table.y[train]
    theirs = median(_seconds(lambda: _lightgbm(threads).fit(inputs.train, inputs.y_train)) for _ in range(REPEATS))
    ours, fast = (
        ConceptRuleClassifier(effort=effort, random_state=0, n_jobs=threads) for effort in ("default", "fast")
    )
    return {
        "lightgbm": theirs,
        "default": _seconds(lambda: fitted(ours, X, y)),
        "fast": _seconds(lambda: fitted(fast, X, y)),
        "fast_f1": macro_f1(table.y[test], fast.predict(table.X.take(test))),
    }


def _warm_up(threads: int) -> None:
    """Compile the kernels, also those of descent, which small tables do without, and start the threads."""
    table, rows = load(DATA), np.arange(4000)
    fitted(ConceptRuleClassifier(random_state=0, n_jobs=threads), table.X.take(rows), table.y[rows])
    numbers = plain_inputs("tic-tac-toe", 0, "fold")
    _lightgbm(threads).fit(numbers.train, numbers.y_train)


def _lightgbm(threads: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=threads, random_state=0, verbose=-1)


def _seconds(work: Callable[[], Any]) -> float:
    start = process_time()
    work()
    return process_time() - start
