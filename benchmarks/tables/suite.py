"""The tables of the suite and their folds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from conceptrules import datasets
from conceptrules.datasets.loading import Entry, folders, manifest

FOLDS = 5
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """A table in the two forms that models take: as it was read, and as a data frame with categories."""

    entry: Entry
    X: Any
    y: NDArray[Any]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The columns under the names 0, 1, ...: LightGBM refuses names with brackets or quotes."""
        columns = {
            str(k): np.asarray(column.to_numpy(), dtype=np.float64)
            if number
            else pd.Categorical(column.to_numpy(zero_copy_only=False))
            for k, (column, number) in enumerate(zip(self.X.columns, self.numbers, strict=True))
        }
        return pd.DataFrame(columns)

    @property
    def numbers(self) -> list[bool]:
        """Whether each column is one of numbers; all others are categories."""
        return [name in self.entry.continuous for name in self.X.column_names]

    def folds(self) -> list[tuple[Index, Index]]:
        """Return the training and the test rows of each fold."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")  # some classes have fewer than five rows
            return list(StratifiedKFold(FOLDS, shuffle=True, random_state=7).split(self.y, self.y))


def tables() -> dict[str, tuple[Entry, Path]]:
    """Return by name what the manifests of the data folders list, the smallest table first, and where each one is."""
    found = {name: (entry, folder) for folder in reversed(folders()) for name, entry in manifest(folder).items()}
    return dict(sorted(found.items(), key=lambda item: (item[1][0].rows, item[0])))


@lru_cache(1)
def load(name: str) -> Table:
    """Return a table of the suite."""
    entry, folder = tables()[name]
    data = datasets.load(name, folder=folder)
    return Table(entry, data.X, data.y)
