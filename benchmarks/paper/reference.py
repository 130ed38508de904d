"""What the paper prints: its data sets, its models and its figures (paper.toml); and the names of our own models."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

NAMES = {
    "crs": "CRS",
    "crs-learned": "CRS, learned priority",
    "mllp0": "MLLP(P=0)",
    "crs0": "CRS(P=0)",
    "c45": "C4.5",
    "cart": "CART",
    "sbrl": "SBRL",
    "lr": "LR",
    "svm": "SVM",
    "plnn": "PLNN",
    "gbdt": "GBDT",
    "rf10": "RF(10)",
    "rf100": "RF(100)",
}
LEARNED = "crs-learned"
"""The CRS with a learned priority, which the paper does not have: it stands beside the paper's CRS."""
OURS = ("crs", LEARNED, "mllp0", "crs0")
"""The columns that column.py trains, with several seeds."""
BASELINES = tuple(name for name in NAMES if name not in OURS)

COLUMN, FAST, BEST, CARD = "conceptrules", "conceptrules-fast", "conceptrules-best", "scorecard"
"""The library as it comes, with effort="fast", with effort="best", and its scorecards as they come."""
PAST = (COLUMN, FAST, BEST, CARD)


@cache
def paper_figures() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "paper.toml").read_text(encoding="utf-8"))


def data_names() -> tuple[str, ...]:
    return tuple(paper_figures()["properties"])


def paper_cell(data: str, model: str) -> float:
    """Return the cell of Table 1 that a model stands beside; `Average` is a row too."""
    figures = paper_figures()
    return float(figures["f1"][data][figures["columns"].index("crs" if model == LEARNED else model)])


def paper_best(data: str) -> float:
    """Return the best cell of a row of Table 1, over all models of the paper."""
    return float(max(paper_figures()["f1"][data]))
