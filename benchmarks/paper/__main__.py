"""The paper's experiments; its own columns are trained by `python -m benchmarks.paper.column`.

    python -m benchmarks.paper run --data adult,wine --model cart,lr    what is missing of these, fold by fold
    python -m benchmarks.paper run --data all --model svm --jobs 14     in 14 processes of one thread each
    python -m benchmarks.paper run --data all --model conceptrules      the library as it comes
    python -m benchmarks.paper times                                    how long it takes on adult, beside LightGBM
    python -m benchmarks.paper properties                               Table 2, counted on the data sets
    python -m benchmarks.paper tables                                   the pages and figures, from the records

A run that was interrupted goes on where it stopped. `--quick` runs again what it is told, keeps its records apart, and
sets them beside the committed ones.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable

from benchmarks.paper.reference import BASELINES, PAST, data_names

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def listed(every: tuple[str, ...], more: tuple[str, ...] = ()) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of names with commas between them, or all; `more` are known too, and not part of all."""
    known = every + more

    def read(text: str) -> tuple[str, ...]:
        names = every if text == "all" else tuple(text.split(","))
        for name in names:
            if name not in known:
                raise ArgumentTypeError(f"there is no {name!r}; known are {', '.join(known)}, and all")
        return names

    return read


def seeds(text: str) -> tuple[int, ...]:
    """Read seeds that are given as `3`, `0,2` or `0..4`."""
    first, dots, last = text.partition("..")
    try:
        return tuple(range(int(first), int(last) + 1)) if dots else tuple(map(int, text.split(",")))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no seed; give one such as 0, or 0,1, or 0..4") from None


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.paper", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run what is missing")
    run.add_argument("--data", type=listed(data_names()), required=True, help="names with commas, or all")
    run.add_argument("--model", type=listed(BASELINES, PAST), required=True, help="names with commas, or all")
    run.add_argument("--protocol", choices=("fold", "published"), default="fold")
    run.add_argument("--seed", type=seeds, default=(0,), help="0, or 0,1, or 0..4 (0)")
    run.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    run.add_argument("--limit", type=float, default=3600.0, help="seconds after which a fold is stopped (3600)")
    run.add_argument("--retry", action="store_true", help="run folds again that are on record as failed")
    run.add_argument("--quick", action="store_true", help="run again, with records beside the committed ones")
    times = commands.add_parser("times", help="fits of adult beside LightGBM's, into records/; on a quiet machine")
    times.add_argument("--threads", type=int, default=1)
    commands.add_parser("properties", help="count what Table 2 says of the data sets, into records/")
    tables = commands.add_parser("tables", help="the pages and figures, from the records")
    tables.add_argument("--out", help="another folder than benchmarks/paper")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.command == "tables":
        from benchmarks.paper.pages import write_pages

        write_pages(given.out)
        return 0
    if given.command == "properties":
        from benchmarks.paper.properties import write_properties

        write_properties()
        return 0
    if given.command == "times":
        os.environ.update(dict.fromkeys(THREADS, str(given.threads)))
        from benchmarks.paper.times import write_times

        write_times(given.threads)
        return 0
    # Libraries read these when they are loaded, so this comes before any of them.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    from benchmarks.paper.runner import Plan, run

    return run(Plan(**{key: value for key, value in vars(given).items() if key != "command"}))


if __name__ == "__main__":
    sys.exit(main())
