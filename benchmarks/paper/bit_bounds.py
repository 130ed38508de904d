"""What the bits of a fold allow, whoever learns from them: a forest on them, and a bound for every classifier.

`python -m benchmarks.paper.bit_bounds adult,wine` adds to records/bit_bounds.jsonl.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks.paper.progress import say
from benchmarks.paper.records import FOLDS, RECORDS, write_entry
from benchmarks.paper.scores import macro_f1
from benchmarks.paper.training_data import Fold, fold_of
from conceptrules.learn.mllp.examples import Examples
from conceptrules.model.evaluation import unpack


def bits_of(rows: Examples) -> NDArray[np.bool_]:
    return np.asarray(unpack(rows.to_packed_bits()), bool)


def forest(part: Fold) -> float:
    learned = RandomForestClassifier(100, random_state=0)
    learned.fit(bits_of(part.training), part.training.target, part.training.weight)
    return macro_f1(part.y_test, part.classes[learned.predict(bits_of(part.test))])


def bound(part: Fold) -> float:
    """The commonest class of each pattern among the test rows: what accuracy cannot pass, and macro-F1 hardly."""
    pattern = np.unique(bits_of(part.test), axis=0, return_inverse=True)[1].ravel()
    names, answer = np.unique(part.y_test, return_inverse=True)
    counts = np.zeros((pattern.max() + 1, len(names)), np.int64)
    np.add.at(counts, (pattern, answer), 1)
    return macro_f1(part.y_test, names[counts.argmax(axis=1)[pattern]])


def measure(names: list[str], root: Path = RECORDS) -> None:
    for name in names:
        parts = [fold_of(name, fold) for fold in range(FOLDS)]
        found = {"forest": [forest(part) for part in parts], "bound": [bound(part) for part in parts]}
        write_entry("bit_bounds", {"data": name, **found}, root=root)
        say(f"{name}: {found}")


if __name__ == "__main__":
    measure(sys.argv[1].split(","))
