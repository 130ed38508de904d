"""Tables with a number to predict: our rules that add up beside trees, a line and ensembles, on the same five folds.

    python -m benchmarks.regression                  what is missing, or of an earlier learner; all fits on one thread
    python -m benchmarks.regression --max-rows 3000  of tables up to this size
    python -m benchmarks.regression report           the table of figures, in Markdown

The records are benchmarks/records/regression.jsonl. It needs the extra `bench`, and a folder of tables with
a MANIFEST.toml: --data says where it is.
"""

from __future__ import annotations

import sys
import time
import tomllib
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from benchmarks import digest, jsonl

RECORDS = jsonl.RECORDS / "regression.jsonl"
FOLDS = 5
Record = dict[str, Any]


def read_table(folder: Path, entry: dict[str, Any]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns to learn from, categories as text, and the number to predict."""
    table = pd.read_csv(folder / entry["file"])
    X = table[[*entry["continuous"], *entry["discrete"]]].copy()
    for name in entry["discrete"]:
        X[name] = X[name].astype(str)
    return X, table[entry["target"]].to_numpy(np.float64)


def one_hot(entry: dict[str, Any], regressor: Any) -> Any:
    """Return a pipeline that reads numbers and categories for a regressor that takes numbers only."""
    encode = make_column_transformer(
        (SimpleImputer(), entry["continuous"]), (OneHotEncoder(handle_unknown="ignore"), entry["discrete"])
    )
    return make_pipeline(encode, regressor)


def make_lightgbm(entry: dict[str, Any]) -> Any:
    from lightgbm import LGBMRegressor

    return one_hot(entry, LGBMRegressor(n_jobs=1, random_state=0, verbose=-1))


def make_ebm(entry: dict[str, Any]) -> Any:
    from interpret.glassbox import ExplainableBoostingRegressor

    kinds = ["continuous"] * len(entry["continuous"]) + ["nominal"] * len(entry["discrete"])
    return ExplainableBoostingRegressor(feature_types=kinds, random_state=0, n_jobs=1)


def make_ours(_: dict[str, Any], **settings: Any) -> Any:
    from conceptrules import ScorecardRegressor

    return ScorecardRegressor(random_state=0, n_jobs=1, **settings)


MODELS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "rules": make_ours,
    "rules, 30 edges": lambda entry: make_ours(entry, max_edges=30),
    "cart": lambda entry: one_hot(entry, DecisionTreeRegressor(random_state=0)),
    "linear": lambda entry: one_hot(entry, LinearRegression()),
    "forest": lambda entry: one_hot(entry, RandomForestRegressor(n_jobs=1, random_state=0)),
    "lightgbm": make_lightgbm,
    "ebm": make_ebm,
}
OURS = ("rules", "rules, 30 edges")
EBM_ROWS, EBM_FOLDS = 10_000, 3
"""Up to which size, and on how many of the folds, EBM is measured: it takes minutes where others take seconds."""


def count_edges(model: Any) -> int | None:
    """Return the edges of rules; of a tree, the conditions on the ways to its leaves, and the leaves."""
    if hasattr(model, "network_"):
        return int(model.network_.edges)
    tree = getattr(model[-1] if isinstance(model, Pipeline) else model, "tree_", None)
    if tree is None:
        return None
    depth = np.zeros(tree.node_count, int)
    for node in range(tree.node_count):
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0:
                depth[child] = depth[node] + 1
    leaves = tree.children_left < 0
    return int(depth[leaves].sum() + leaves.sum())


def measure(entry: dict[str, Any], X: pd.DataFrame, y: np.ndarray, name: str) -> Iterator[Record]:
    """Yield the figures of a model on each fold."""
    folds = enumerate(KFold(FOLDS, shuffle=True, random_state=0).split(X))
    for fold, (training, test) in islice(folds, EBM_FOLDS if name == "ebm" else FOLDS):
        model, start = MODELS[name](entry), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X.iloc[training], y[training])
            seconds = time.process_time() - start
            predicted = model.predict(X.iloc[test])
        record = {"table": entry["name"], "model": name, "fold": fold, "rows": len(y), "edges": count_edges(model),
                  "r2": float(r2_score(y[test], predicted)), "seconds": round(seconds, 3),
                  "mae": float(mean_absolute_error(y[test], predicted))}  # fmt: skip
        if name in OURS:
            record[digest.FIELD] = digest.learner(digest.NUMBERS)
        if name == "rules":
            network, ends = model.network_, model.predict_interval(X.iloc[test])
            record["columns"] = len(network.used_columns)
            record["covered"] = float(np.mean((ends[:, 0] <= y[test]) & (y[test] <= ends[:, 1])))
        yield record


def is_present(record: Record) -> bool:
    """Return whether a record is of the present learner, or of somebody else's."""
    return record["model"] not in OURS or record.get(digest.FIELD) == digest.current()[digest.NUMBERS]


def write_report(records: list[Record]) -> str:
    """Return the means over the folds of the tables that all models but EBM have finished, as Markdown."""
    frame = pd.DataFrame(records)
    finished = frame[frame["model"] != "ebm"].groupby("table")["model"].nunique() == len(MODELS) - 1
    frame = frame[frame["table"].isin(finished[finished].index)]
    r2 = frame.pivot_table(index="table", columns="model", values="r2")
    edges = frame.pivot_table(index="table", columns="model", values="edges")
    ours = frame[frame["model"] == "rules"].groupby("table")[["rows", "seconds", "covered"]].mean()
    order = ours.sort_values("rows", kind="stable").index
    lines = [
        "| table | rows | rules | 30 edges | CART | linear | forest | LightGBM | EBM "
        "| edges | of CART | 90 % | seconds |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for table in order:
        known = [r2.loc[table, name] if name in r2 else np.nan for name in MODELS]
        scores = " | ".join("-" if np.isnan(score) else f"{score:.3f}" for score in known)
        sizes = f"{edges.loc[table, 'rules']:.0f} | {edges.loc[table, 'cart']:,.0f}"
        lines.append(f"| {table} | {ours.rows[table]:,.0f} | {scores} | {sizes} | "
                     f"{100 * ours.covered[table]:.0f} % | {ours.seconds[table]:.1f} |")  # fmt: skip
    for what in ("mean", "median"):
        scores = " | ".join(f"{getattr(r2[name], what)():.3f}" if name != "ebm" else "" for name in MODELS)
        sizes = f"{getattr(edges['rules'], what)():.0f} | {getattr(edges['cart'], what)():,.0f}"
        lines.append(f"| **{what}** | | {scores} | {sizes} | {100 * getattr(ours.covered, what)():.0f} % | "
                     f"{getattr(ours.seconds, what)():.1f} |")  # fmt: skip
    return "\n".join(lines)


def main() -> int:
    parser = ArgumentParser(
        "python -m benchmarks.regression", None, __doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("command", nargs="?", default="run", choices=("run", "report"))
    parser.add_argument("--max-rows", type=int, default=10**9, metavar="N", help="leave larger tables out")
    parser.add_argument("--data", type=Path, default=Path("../shared/data-regression"), help="the folder of the tables")
    options = parser.parse_args()
    if options.command == "report":
        records = jsonl.read(RECORDS)
        print(write_report(records), digest.notice([each for each in records if each["model"] in OURS]), sep="\n\n")
        return 0
    folder = options.data
    entries = tomllib.loads((folder / "MANIFEST.toml").read_text())["dataset"]
    known = {(record["table"], record["model"]) for record in filter(is_present, jsonl.read(RECORDS))}
    for entry in sorted(entries, key=lambda each: int(each["rows"])):
        X, y = read_table(folder, entry)
        for name in MODELS if entry["rows"] <= options.max_rows else ():
            too_large = name == "ebm" and entry["rows"] > EBM_ROWS
            if not too_large and (entry["name"], name) not in known:
                records = list(measure(entry, X, y, name))
                jsonl.put(RECORDS, jsonl.rounded(records), ("table", "model", "fold"))
                print(entry["name"], name, np.mean([record["r2"] for record in records]).round(3), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
