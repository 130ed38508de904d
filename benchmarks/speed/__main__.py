"""How fast it is, in one command: `python -m benchmarks.speed`.

Each figure is a ratio of times taken in turns in one process, at least five times; the median is compared with its
target, and the exit code is 1 where one falls short. The record is benchmarks/records/speed.jsonl, a line a group.
`--quick` takes a few minutes: smaller tables, and a part of what the slow baselines do; its record is kept apart, in
benchmarks/.quick/. `python -m benchmarks.speed table` and `plot` read the record only: the tables of
docs/performance.md, and its picture.

Tables come from $CONCEPTRULES_DATA; without it, from random rows of the same shape. It needs the extra `bench`.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from datetime import UTC, datetime
from importlib import import_module

from benchmarks.speed import report
from benchmarks.speed.measure import Plan
from benchmarks.speed.report import Groups

GROUPS = ("startup", "binarization", "prediction", "single", "training", "growth", "recipe")


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.speed", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", default="run", choices=("run", "table", "plot"))
    parser.add_argument("--quick", action="store_true", help="a few minutes instead of about half an hour")
    parser.add_argument("--only", action="append", choices=GROUPS, metavar="NAME", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def one_thread() -> None:
    """Libraries read these when they are loaded, so this comes before any of them. What needs two is told so itself."""
    os.environ.update(dict.fromkeys(report.THREAD_VARIABLES, "1"))


def run(groups: tuple[str, ...], plan: Plan) -> int:
    one_thread()
    started, path = datetime.now(UTC), report.QUICK if plan.quick else report.RECORD
    found: Groups = {}
    for group in groups:
        print(f"{group} ...", file=sys.stderr, flush=True)
        found[group] = []
        for measured in import_module(f"benchmarks.speed.{group}").measure(plan):
            print("   ".join(report.row(measured)), file=sys.stderr, flush=True)
            found[group].append(measured)
        path = report.keep(
            found, plan, started, report.QUICK if plan.quick else report.RECORD
        )  # after each group, so that a run that is stopped leaves something
    report.show(found)
    print(f"kept in benchmarks/{path.parent.name}/{path.name}")
    missed = report.shortfalls(found)
    print("\n".join(missed) or "all targets are met")
    return 1 if missed else 0


def main() -> int:
    given = arguments()
    if given.command == "run":
        return run(tuple(given.only or GROUPS), Plan(given.quick, given.seed, given.repeats))
    found = report.read(report.QUICK if given.quick else report.RECORD)
    if given.command == "table":
        print(report.markdown(found))
    else:
        import_module("benchmarks.speed.plot").draw(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
