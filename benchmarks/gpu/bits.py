"""The folds of a data set as ready bits: made where the tables are, read where the GPU is, which needs NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conceptrules.learn.mllp.examples import Examples

NAMES = ("adult", "connect-4", "tic-tac-toe")


def prepare(names: Sequence[str], folder: Path) -> None:
    """Writes one file for each data set: the five folds of the paper, cut points fitted inside the fold."""
    from benchmarks.paper.folds import paper_folds
    from conceptrules import Binarizer, datasets
    from conceptrules.model.evaluation import PackedBits

    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        data = datasets.load(name)
        arrays: dict[str, Any] = {}
        classes, codes = np.unique(data.y, return_inverse=True)
        for fold, (train, test) in enumerate(paper_folds(len(data.y))):
            binarizer = Binarizer().fit(data.X.take(train), data.y[train])
            for part, rows in (("train", train), ("test", test)):
                words: PackedBits = binarizer.transform_packed(data.X.take(rows))
                examples = Examples.from_packed_bits(words, codes[rows], np.ones(len(rows)))
                arrays |= {f"{part}{fold}": examples.packed, f"{part}{fold}_target": codes[rows].astype(np.int16)}
                arrays[f"inputs{fold}"] = np.array(examples.inputs)
        np.savez_compressed(folder / f"{name}.npz", classes=np.array(len(classes)), **arrays)


def folds(name: str, folder: Path) -> tuple[int, list[tuple[Examples, Examples]]]:
    """The number of classes, and training and test rows of each fold."""
    with np.load(folder / f"{name}.npz") as file:
        return int(file["classes"]), [
            (_examples(file, f"train{fold}", fold), _examples(file, f"test{fold}", fold)) for fold in range(5)
        ]


def _examples(file: np.lib.npyio.NpzFile, key: str, fold: int) -> Examples:
    target = file[f"{key}_target"].astype(np.int64)
    return Examples(file[key], target, np.ones(len(target)), int(file[f"inputs{fold}"]))
