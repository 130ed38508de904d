"""Every export in its real engine, on every data set: `python -m benchmarks.exports`.

A network is learned from each data set (the paper's twelve and the embedded ones; only the latter without
$CONCEPTRULES_DATA), exported, and run where the export is meant to run, on the rows that cover the network and on rows
of the data set. Class and fired rules are compared, row by row. The exit code is 1 if any row differs.

`--size` measures instead: ten million rows of Parquet, scored by `conceptrules predict` and by DuckDB with the SQL
export, in turns, and the memory that the former takes as its table grows. Records are kept in
benchmarks/records/: exports.jsonl has a line a data set, exports_size.jsonl one a size.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from importlib import import_module


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.exports", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--size", action="store_true", help="rows per second at size, rather than mismatches")
    parser.add_argument("--rows", type=int, default=10_000_000, help="with --size")
    parser.add_argument("--repeats", type=int, default=3, help="with --size")
    parser.add_argument("--only", action="append", metavar="NAME", help="this data set; repeat it for more")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # read when numba is loaded, so before any import of ours
    if options.size:
        return int(import_module("benchmarks.exports.size").run(options.rows, options.repeats, options.seed))
    return int(import_module("benchmarks.exports.comparison").run(options.only, options.seed))


if __name__ == "__main__":
    sys.exit(main())
