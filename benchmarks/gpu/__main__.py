"""How fast the GPU engine is, in one command, on a machine with a GPU: `python -m benchmarks.gpu`.

Prints every figure with its target, and exits with 1 where one falls short. The record is benchmarks/records/gpu.jsonl,
a line for each group and device. Where the tables are not on the machine with the GPU, or the packages that read them,
make the bits elsewhere (`python -m benchmarks.gpu bits FOLDER`), bring the folder, and say `--bits FOLDER`: NumPy,
torch and Triton are all that is needed then, but for the group `entry_points`, which reads tables.
`python -m benchmarks.gpu quality --device cpu` is the other half of the comparison of what is learned;
`python -m benchmarks.gpu table` reads the record.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import jsonl
from benchmarks.gpu.bits import NAMES, prepare
from benchmarks.speed import report
from benchmarks.speed.measure import Plan
from benchmarks.speed.report import Groups

RECORD = jsonl.RECORDS / "gpu.jsonl"
GROUPS = ("card", "cohorts", "dense", "wide", "quality", "entry_points")


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.gpu", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", default="run", choices=("run", "bits", "quality", "table"))
    parser.add_argument("paths", nargs="*", type=Path, help="a folder for bits")
    parser.add_argument("--bits", type=Path, help="a folder that `bits` wrote")
    parser.add_argument("--only", action="append", choices=GROUPS, metavar="NAME", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def run(groups: tuple[str, ...], bits: Path, device: str, plan: Plan) -> int:
    started = datetime.now(UTC)
    found: Groups = {}
    for group in groups:
        found[group] = []
        for measured in import_module(f"benchmarks.gpu.{group}").measure(bits, device, plan):
            print(f"{group}: " + "   ".join(report.row(measured)), flush=True)
            found[group].append(measured)
        report.keep(found, plan, started, RECORD, device.split(":", maxsplit=1)[0])
    print(f"kept in benchmarks/records/{RECORD.name}")
    missed = report.shortfalls(found)
    print("\n".join(missed) or "all targets are met")
    return 1 if missed else 0


def main() -> int:
    given = arguments()
    if given.command == "bits":
        prepare(NAMES, given.paths[0])
        return 0
    if given.command == "table":
        print(report.markdown(report.read(RECORD)))
        return 0
    groups = ("quality",) if given.command == "quality" else tuple(given.only or GROUPS)
    with TemporaryDirectory() as folder:
        bits = given.bits or Path(folder)
        if given.bits is None:
            prepare(NAMES, bits)
        return run(groups, bits, given.device, Plan(repeats=given.repeats))


if __name__ == "__main__":
    sys.exit(main())
