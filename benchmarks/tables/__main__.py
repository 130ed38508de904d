"""The suite of tables, in one command.

    python -m benchmarks.tables                                            everything that is missing
    python -m benchmarks.tables --tables iris,tae --models cart,lightgbm   of these only
    python -m benchmarks.tables --models conceptrules --seeds 0..4         five seeds, for the spread
    python -m benchmarks.tables flights                                    a million rows: time and memory
    python -m benchmarks.tables report                                     RESULTS.md and its pictures, from the records

A run that was interrupted goes on where it stopped. Each fit has one thread. Times are compared with a fit of LightGBM
on the same rows by the same process, and only with `--jobs 1`. The records are benchmarks/records/tables.jsonl. It
needs the extra `bench`, and the folders of tables in $CONCEPTRULES_DATA.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from benchmarks.paper.__main__ import THREADS, seeds

OURS = ("conceptrules", "conceptrules-fast", "scorecard", "scorecard-plain")
PEERS = ("cart", "cart-20", "linear", "boosted-rules", "figs", "rulefit", "optbinning", "ebm", "forest", "lightgbm")
NAMES = (*OURS, *PEERS)


def arguments(command_line: list[str] | None = None) -> Namespace:
    parser = ArgumentParser("python -m benchmarks.tables", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", default="run", choices=("run", "report", "flights"))
    parser.add_argument("--tables", default="all", help="names with commas, or all")
    parser.add_argument("--max-rows", type=int, default=10**9, metavar="N", help="leave larger tables out")
    parser.add_argument("--models", default=",".join(NAMES), help=f"of {', '.join(NAMES)}")
    parser.add_argument("--folds", type=seeds, default=(0, 1, 2, 3, 4), help="0, or 0,1, or 0..4 (0..4)")
    parser.add_argument("--seeds", type=seeds, default=(0,), help="of our models: 0, or 0,1, or 0..4 (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes; more than one, and times are not compared")
    parser.add_argument(
        "--limit", type=float, default=600.0, help="processor seconds after which a fit is stopped (600)"
    )
    parser.add_argument("--again", action="store_true", help="ours of an earlier learner, and what failed, again")
    parser.add_argument("--records", type=Path, help="another file than benchmarks/records/tables.jsonl")
    parser.add_argument("--numbers", type=Path, help="report: another file than benchmarks/records/regression.jsonl")
    parser.add_argument("--out", type=Path, help="report: another folder than benchmarks/tables")
    return parser.parse_args(command_line)


def parse_names(text: str, known: list[str], what: str) -> list[str]:
    """Return the names that are listed in a text, checked."""
    names = known if text == "all" else text.split(",")
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no {what} {name!r}; known are {', '.join(known) or 'none'}, and all")
    return names


def main(command_line: list[str] | None = None) -> int:
    options = arguments(command_line)
    if options.command == "report":
        from benchmarks.tables.page import write_page

        write_page(options.records, options.numbers, options.out)
        return 0
    # Libraries read these when they are loaded, so this comes before any of them.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if options.command == "flights":
        from benchmarks.tables.flights import main as flights

        return flights(min(options.max_rows, 10**6))
    from benchmarks.tables.runs import RECORD, Plan, run
    from benchmarks.tables.suite import tables

    known = tables()
    if not known:
        raise SystemExit("no tables: set $CONCEPTRULES_DATA to folders with a MANIFEST.toml, a colon between them")
    names = [
        name for name in parse_names(options.tables, list(known), "table") if known[name][0].rows <= options.max_rows
    ]
    models = parse_names(options.models, list(NAMES), "model")
    path = options.records or RECORD
    plan = Plan(names, models, options.folds, options.seeds, options.jobs, options.limit, options.again, path)
    for record in run(plan):
        text = record.get("note") or f"macro-F1 {100 * record['f1']:.2f}, {record['seconds']:.2f} s"
        print(f"{record['table']} {record['fold']} {record['model']} seed {record['seed']}: {text}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
