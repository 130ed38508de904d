"""Table 2, computed: what the paper says of its data sets, counted on ours. `python -m benchmarks.paper properties`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from benchmarks.paper.folds import load
from benchmarks.paper.records import RESULTS, write_json
from benchmarks.paper.reference import data_names
from conceptrules.binarize import Binarizer


def properties(name: str) -> dict[str, int]:
    """Cut points are fitted on all rows here, as in the paper."""
    data = load(name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")  # mushroom has one, veil-type, and that is known
        binarizer = Binarizer().fit(data.X, data.y)
    return {
        "instances": len(data.y),
        "classes": len(np.unique(data.y)),
        "original": data.X.num_columns,
        "binary": len(binarizer.predicates_),
    }


def write_properties(root: Path = RESULTS) -> Path:
    return write_json(root / "properties.json", [{"data": name, **properties(name)} for name in data_names()])
