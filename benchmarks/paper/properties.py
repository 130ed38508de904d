"""Table 2, computed: what the paper says of its data sets, counted on ours. `python -m benchmarks.paper properties`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from benchmarks.paper.folds import load
from benchmarks.paper.records import RECORDS, write_entry
from benchmarks.paper.reference import data_names
from conceptrules.binarize import Binarizer


def properties(name: str) -> dict[str, int]:
    """Count rows, classes, columns and bits; cut points are fitted on all rows here, as in the paper."""
    data = load(name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")  # mushroom has one, veil-type, and that is known
        binarizer = Binarizer(keep=data.X.column_names).fit(data.X, data.y)
    return {
        "instances": len(data.y),
        "classes": len(np.unique(data.y)),
        "original": data.X.num_columns,
        "binary": len(binarizer.predicates_),
    }


def write_properties(root: Path = RECORDS) -> None:
    """Count and keep the properties of all data sets."""
    for name in data_names():
        write_entry("properties", {"data": name, **properties(name)}, root=root)
