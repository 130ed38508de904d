"""Tables with a number to predict: our rules that add up beside trees, a line and ensembles, on the same five folds.

    python -m benchmarks.regression                  what is missing, or of an earlier learner; all fits on one thread
    python -m benchmarks.regression --max-rows 3000  of tables up to this size

The records are benchmarks/records/regression.jsonl. It needs the extra `bench`, and a folder of tables with
a MANIFEST.toml: --data says where it is.
"""

from __future__ import annotations

import sys
import time
import tomllib
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold

from benchmarks import digest, jsonl
from benchmarks.tables.models import REGRESSORS
from benchmarks.tables.runs import stop_note, time_limit

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


OURS = ("rules", "rules, 30 edges")
EBM_ROWS, EBM_FOLDS = 10_000, 3
"""Up to which size, and on how many of the folds, EBM is measured: it takes minutes where others take seconds."""


def measure(entry: dict[str, Any], X: pd.DataFrame, y: np.ndarray, name: str, limit: float = 600.0) -> Iterator[Record]:
    """Yield the figures of a model on each fold, or a note where it was stopped or failed; then no other is tried."""
    model, numbers = REGRESSORS[name], [column in entry["continuous"] for column in X]
    coded = X if model.ours else X.set_axis([str(k) for k in range(X.shape[1])], axis=1)
    if not model.ours:
        coded = coded.astype({str(k): "category" for k, number in enumerate(numbers) if not number})
    folds = enumerate(KFold(FOLDS, shuffle=True, random_state=0).split(X))
    for fold, (training, test) in islice(folds, EBM_FOLDS if name == "ebm" else FOLDS):
        record = {"table": entry["name"], "model": name, "fold": fold, "rows": len(y)}
        estimator, start = model.make(numbers, 0, **model.settings), time.process_time()
        try:
            with warnings.catch_warnings(), time_limit(limit):
                warnings.simplefilter("ignore")
                estimator.fit(coded.iloc[training], y[training])
                seconds = time.process_time() - start
                predicted = estimator.predict(coded.iloc[test])
        except TimeoutError:
            yield {**record, "note": stop_note(limit), "code": model.code()}
            return
        size, columns = model.size(estimator)
        record |= {
            "edges": size, "columns": columns, "r2": float(r2_score(y[test], predicted)), "seconds": round(seconds, 3),
            "mae": float(mean_absolute_error(y[test], predicted)), "code": model.code(), **model.learner(),
        }  # fmt: skip
        if name == "rules":
            ends = estimator.predict_interval(coded.iloc[test])
            record["covered"] = float(np.mean((ends[:, 0] <= y[test]) & (y[test] <= ends[:, 1])))
        yield record


def is_present(record: Record) -> bool:
    """Return whether a record is of the present learner, or of somebody else's."""
    return record["model"] not in OURS or record.get(digest.FIELD) == digest.current()[digest.NUMBERS]


def main() -> int:
    parser = ArgumentParser(
        "python -m benchmarks.regression", None, __doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--max-rows", type=int, default=10**9, metavar="N", help="leave larger tables out")
    parser.add_argument("--data", type=Path, default=Path("../shared/data-regression"), help="the folder of the tables")
    parser.add_argument("--models", default=";".join(REGRESSORS), help=f"of {'; '.join(REGRESSORS)}, with semicolons")
    parser.add_argument("--limit", type=float, default=600.0, help="processor seconds of a fit, at most (600)")
    parser.add_argument("--records", type=Path, default=RECORDS, help="another file of records")
    options = parser.parse_args()
    folder = options.data
    entries = tomllib.loads((folder / "MANIFEST.toml").read_text())["dataset"]
    known = {(record["table"], record["model"]) for record in filter(is_present, jsonl.read(options.records))}
    for entry in sorted(entries, key=lambda each: int(each["rows"])):
        X, y = read_table(folder, entry)
        for name in options.models.split(";") if entry["rows"] <= options.max_rows else ():
            too_large = name == "ebm" and entry["rows"] > EBM_ROWS
            if not too_large and (entry["name"], name) not in known:
                records = list(measure(entry, X, y, name, options.limit))
                jsonl.put(options.records, jsonl.rounded(records), ("table", "model", "fold"))
                print(entry["name"], name, [record.get("note", record.get("r2")) for record in records], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
