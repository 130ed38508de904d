"""Everything of our own columns that is missing, on a machine with a GPU and many cores: two lanes, each in a process.

    python -m benchmarks.paper.lanes cpu --jobs 10 --seconds 500 &
    python -m benchmarks.paper.lanes gpu --seconds 500

The GPU takes the large tables and, to time the column, seed 0 of all; the cores take the rest of the small ones. What
is worth most comes first. A part is begun only where the time that is left should do for it, and keeps its records at
once, so that the next call goes on from there; after each, `--out FOLDER` gets results and settings as one archive.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tarfile
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from time import monotonic, perf_counter
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))

from benchmarks.paper import crs  # noqa: E402  # after the numbers of threads
from benchmarks.paper.progress import say  # noqa: E402
from benchmarks.paper.records import RESULTS, Run, missing, this_place, write_json  # noqa: E402
from benchmarks.paper.search import NAME, Trial, judge, keep, search  # noqa: E402
from conceptrules.learn.fit import Score  # noqa: E402

HERE = Path(__file__).parent
COLUMN = RESULTS / "column.json"
SEEDS = range(5)
ARCHIVING = Lock()
CHUNK = 12
"""Trials that a core takes at a time."""
# Seconds that a search, a seed of the CRS column, five seeds of it, P = 0, and five seeds of that are thought to take.
LARGE = {
    "connect-4": (90, 45, 60, 90, 200),
    "chess": (60, 20, 30, 40, 60),
    "adult": (60, 20, 30, 40, 60),
    "letRecog": (70, 20, 35, 40, 70),
    "bank-marketing": (60, 20, 30, 30, 50),
    "magic04": (45, 15, 20, 25, 40),
}
SMALL = ("nursery", "wine", "blogger", "mushroom", "tic-tac-toe", "banknote")


@dataclass(frozen=True, slots=True)
class Part:
    """Something to do, as long as it is not done and what it needs is there."""

    name: str
    seconds: float
    done: Callable[[], bool]
    ready: Callable[[], bool]
    do: Callable[[], None]


def searched(data: str) -> bool:
    return (RESULTS / data / NAME).exists()


def all_there(runs: Sequence[Run]) -> bool:
    return not any(missing(one.data, one.model, one.protocol, one.seed) for one in runs)


def rules(data: str, seeds: Sequence[int]) -> list[Run]:
    return [Run(data, "crs", "fold", seed) for seed in seeds]


def zeros(data: str, seeds: Sequence[int], protocol: str = "fold") -> list[Run]:
    return [Run(data, model, protocol, seed) for model in ("mllp0", "crs0") for seed in seeds]


def published(data: str) -> list[Run]:
    return [Run(data, "crs", "published"), *zeros(data, [0], "published")]


def parts_of_gpu(place: crs.Place) -> Iterator[Part]:
    def runs(name: str, data: str, wanted: list[Run], seconds: float) -> Part:
        do = partial(crs.run, data, wanted, place)
        return Part(f"{data}: {name}", seconds, lambda: all_there(wanted), lambda: searched(data), do)

    for data, (seconds, *_) in LARGE.items():
        found = partial(_search, data, partial(judge, device=place.device, cores=place.cores), place.device)
        yield Part(f"{data}: search", seconds, lambda data=data: searched(data), lambda: True, found)  # type: ignore[misc]
    for data in (*LARGE, *SMALL):
        part = runs("CRS", data, rules(data, [0]), LARGE[data][1] if data in LARGE else 15)
        yield Part(part.name, part.seconds, part.done, part.ready, partial(timed, data, part.do, place.device))
    for data, (_, _, _, seconds, _) in LARGE.items():
        yield runs("P = 0, and cut points of all rows", data, zeros(data, [0]) + published(data), 1.3 * seconds)
    yield Part(
        "connect-4: rates",
        80,
        (RESULTS / "connect-4" / "rate-f0.json").exists,
        lambda: True,
        partial(crs.rates, place),
    )
    for data in ("connect-4", "adult"):
        done = (RESULTS / data / "gap.json").exists
        yield Part(f"{data}: gap", 20, done, partial(searched, data), partial(crs.gap, data, place))
    for data, (_, _, seconds, _, _) in LARGE.items():
        yield runs("CRS, other seeds", data, rules(data, SEEDS[1:]), seconds)
    for data, (*_, seconds) in sorted(LARGE.items(), key=lambda item: item[1][-1]):
        yield runs("P = 0, other seeds", data, zeros(data, SEEDS[1:]), seconds)


def gpu(given: Namespace) -> None:
    place = crs.Place(given.device)
    end = monotonic() + given.seconds
    for part in parts_of_gpu(place):
        left = end - monotonic()
        if part.done():
            continue
        if not part.ready() or left < part.seconds * given.scale:
            say(f"{part.name}: left for later ({left:.0f} s left)")
            continue
        start = perf_counter()
        try:
            part.do()
        except Exception:  # machines are dear: what failed is said, and the rest is done
            say(f"{part.name}: failed\n{traceback.format_exc()}")
            continue
        say(f"{part.name}: {perf_counter() - start:.1f} s (thought {part.seconds:g})")
        gc.collect()  # networks on the device that are done with
        archive(given.out, "gpu")


def cpu(given: Namespace) -> None:
    """All small tables at once: each begins with its search, whose trials share the cores; its runs come after."""
    end = monotonic() + given.seconds
    warm_up()
    with (
        ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool,
        ThreadPoolExecutor(len(SMALL)) as threads,
    ):
        waiting = [threads.submit(small, data, pool, end, given.out) for data in SMALL]
        for data, one in zip(SMALL, waiting, strict=True):
            if problem := one.exception():
                say(f"{data}: failed\n{''.join(traceback.format_exception(problem))}")
        pool.shutdown(cancel_futures=True)


def small(data: str, pool: ProcessPoolExecutor, end: float, out: Path | None) -> None:
    if not searched(data) and monotonic() < end:
        _search(data, partial(spread, pool=pool), "cpu")
        archive(out, "cpu")
    jobs: list[Future[None]] = []
    for runs in [*(rules(data, [seed]) + zeros(data, [seed]) for seed in SEEDS), published(data)]:
        # Seed 0 of the column is timed on the GPU.
        wanted = [one for one in runs if (one.model, one.protocol, one.seed) != ("crs", "fold", 0)]
        if not all_there(wanted):
            jobs.append(pool.submit(crs.run, data, wanted, crs.Place("cpu", 1)))
    for number, job in enumerate(jobs):
        try:
            job.result(timeout=max(1.0, end - monotonic()))
        except TimeoutError:
            say(f"{data}: {len(jobs) - number} runs are left for later")
            return
        say(f"{data}: {number + 1} of {len(jobs)} runs")
        archive(out, "cpu")


def spread(trials: Sequence[Trial], pool: ProcessPoolExecutor) -> list[Score]:
    chunks = [trials[start : start + CHUNK] for start in range(0, len(trials), CHUNK)]
    waiting = [pool.submit(judge, chunk, "cpu", 1) for chunk in chunks]
    return [score for one in waiting for score in one.result()]


def warm_up() -> None:
    """Compiles the kernels, so that the processes find them on the disk."""
    judge([Trial("blogger", 0, 0, {"layers": [4, 4, 4], "negation": True, "binarization_rate": 0.5}, 1, 1)], "cpu", 1)
    judge([Trial("blogger", 0, 0, {"layers": [4], "negation": False, "binarization_rate": 0.0}, 1, 1)], "cpu", 1)


def timed(data: str, do: Callable[[], None], device: str) -> None:
    """A data set's share of the column, from the file to the simplified rules of all folds."""
    start = perf_counter()
    do()
    known: dict[str, Any] = {"seed": 0, "sets": {}}
    if COLUMN.exists():
        known = json.loads(COLUMN.read_text(encoding="utf-8"))
    known["sets"][data] = {"seconds": perf_counter() - start, "device": device, "place": this_place()}
    write_json(COLUMN, known)


def archive(out: Path | None, lane: str) -> None:
    if out is None:
        return
    half = out / f".{lane}"
    with ARCHIVING:
        with tarfile.open(half, "w:gz") as file:
            for path in _belonging(lane):
                file.add(path, f"benchmarks/paper/{path.relative_to(HERE)}", filter=_whole)
        half.replace(out / f"paper-{lane}.tar.gz")


def _belonging(lane: str) -> list[Path]:
    """The lane of cores has only the small tables, so that its archive can be unpacked after the other's."""
    folders = [HERE / "results", HERE / "settings"]
    return folders if lane == "gpu" else [folder / data for folder in folders for data in SMALL]


def _whole(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Not those that somebody is writing."""
    return None if Path(entry.name).name.startswith(".") else entry


def _search(data: str, judged: Callable[[Sequence[Trial]], list[Score]], device: str) -> None:
    keep(search(data, judged, device))


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.paper.lanes", None, __doc__)
    parser.add_argument("lane", choices=("gpu", "cpu"))
    parser.add_argument("--seconds", type=float, default=1e9, help="how long there is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes of the lane of cores")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", type=float, default=1.0, help="of what parts are thought to take")
    parser.add_argument("--out", type=Path, help="a folder for archives")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    (gpu if given.lane == "gpu" else cpu)(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
