"""How much more rows seem to be worth where the cut points have seen them: rows held out, and test rows.

    python -m benchmarks.paper.cut_points wine,banknote

The folds of our columns choose by rows held out of their training rows, as bits, whose cut points come from all
training rows, with their classes. Here one configuration is trained on the same four fifths with those cut points, and
with cut points of the four fifths alone; and on all training rows, judged by the test rows, with cut points of the
training rows, and of all rows, as the paper's authors have them.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks import digest
from benchmarks.paper.figure_runs import Place, watched
from benchmarks.paper.folds import load, paper_folds, tuning_split
from benchmarks.paper.records import RECORDS, this_place, write_entry
from conceptrules import Binarizer
from conceptrules.learn.mllp.examples import Examples, canonical, with_negations
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob, Score

SPLITS = 10
RECIPE = Hyperparameters(
    layers=(64,),
    negation=True,
    binarization_rate=(0.8,),
    max_epochs=50,
    min_steps=50,
    patience=None,
    priority="first",
    snapshot_every=10,
)


def measure(names: Sequence[str], splits: int = SPLITS, recipe: Hyperparameters = RECIPE, root: Path = RECORDS) -> None:
    for name in names:
        y = load(name).y
        folds = [scores(name, train, test, splits, recipe) for train, test in paper_folds(len(y))]
        by_way = {way: [fold[way] for fold in folds] for way in folds[0]}
        entry = {"data": name, "splits": splits, **by_way, "place": this_place(digest.MLLP)}
        write_entry("cut_points", entry, root=root)


def scores(name: str, train: np.ndarray, test: np.ndarray, splits: int, recipe: Hyperparameters) -> dict[str, float]:
    """Return macro-F1 of the rules, the mean over splits: on rows held out and on test rows, with cut points that have
    seen these rows or have not."""
    y = load(name).y
    ways, jobs = [], []
    for seed in range(splits):
        learned, held = (train[part] for part in tuning_split(y[train], seed))
        for way, cut, rows, judged in (
            ("held seen", train, learned, held),
            ("held unseen", learned, learned, held),
            ("test seen", np.arange(len(y)), train, test),
            ("test unseen", train, train, test),
        ):
            ways.append(way)
            jobs.append(job_of(name, cut, rows, judged, recipe, seed))
    by_way = defaultdict(list)
    for number, score in best_on_training_rows(jobs).items():
        by_way[ways[number]].append(score.crs_f1)
    return {way: mean(each) for way, each in by_way.items()}


def job_of(
    name: str, cut: np.ndarray, rows: np.ndarray, judged: np.ndarray, recipe: Hyperparameters, seed: int
) -> FitJob:
    """Return a training on some rows and the rows that judge it, as bits with the cut points of the first."""
    data = load(name)
    classes = np.unique(data.y[cut])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")
        binarizer = Binarizer(keep=data.X.column_names).fit(data.X.take(cut), data.y[cut])

    def bits(index: np.ndarray) -> Examples:
        codes = np.searchsorted(classes, data.y[index])
        packed = binarizer.transform_packed(data.X.take(index))
        return with_negations(canonical(Examples.from_packed_bits(packed, codes, np.ones(len(index)))))

    return FitJob(recipe, bits(rows), bits(judged), np.ones(len(classes)), np.random.default_rng(seed))


def best_on_training_rows(jobs: Sequence[FitJob]) -> dict[int, Score]:
    """Return the look of each that is best on its own training rows, after half of the epochs, as in the columns."""
    best: dict[int, Score] = {}
    for number, (snapshot, *_) in watched(jobs, Place("cpu", 1), {}):
        score, last = snapshot.score, jobs[number].hyperparameters.max_epochs
        if 2 * score.epoch > last and (number not in best or score.training_f1 > best[number].training_f1):
            best[number] = score
    return best


if __name__ == "__main__":
    measure(sys.argv[1].split(","))
