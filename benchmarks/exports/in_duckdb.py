"""Scores a Parquet file with the SQL export in DuckDB, as a process of its own that loads nothing of ours.

`python -m benchmarks.exports.in_duckdb FOLDER THREADS`, where the folder has in.parquet and model.sql.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb


def score(folder: Path, threads: int) -> None:
    connection = duckdb.connect(config={"threads": threads})
    connection.execute(f"CREATE VIEW data AS SELECT * FROM read_parquet('{folder / 'in.parquet'}')")
    query = (folder / "model.sql").read_text(encoding="utf-8").rstrip().removesuffix(";")
    connection.execute(f"COPY (\n{query}\n) TO '{folder / 'duckdb.parquet'}' (FORMAT parquet)")


if __name__ == "__main__":
    score(Path(sys.argv[1]), int(sys.argv[2]))
