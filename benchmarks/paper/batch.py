"""A batch of all that is missing of our own columns, on a machine with a GPU and many cores: lanes, a process each.

    python -m benchmarks.paper.batch cpu --jobs 10 --seconds 500 &
    python -m benchmarks.paper.batch gpu --data connect-4,chess --seconds 500 &
    python -m benchmarks.paper.batch gpu --data adult,wine --seconds 500

The GPU makes all searches, and the columns of the larger tables. The cores make those of the smallest, so that anyone
can make them again; to time the column, the GPU makes their seed 0, too, which is kept apart. Lanes share a GPU well:
each waits for the host now and then. What is worth most comes first. A part is begun only where the time that is left
should do for it, and keeps its records at once, so that the next call goes on from there; after each, `--out FOLDER`
gets records and settings as one archive.
"""

from __future__ import annotations

import gc
import os
import sys
import tarfile
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, perf_counter, sleep

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))

from benchmarks import jsonl  # noqa: E402  # after the numbers of threads
from benchmarks.paper import crs  # noqa: E402
from benchmarks.paper.progress import say  # noqa: E402
from benchmarks.paper.records import RECORDS, Run, missing, this_place, write_entry  # noqa: E402
from benchmarks.paper.search import NAME, Trial, judge, keep, search  # noqa: E402
from benchmarks.paper.training_data import divided, fold_of  # noqa: E402

HERE = Path(__file__).parent
ON_GPU = RECORDS / "on-gpu"
SEEDS = range(5)
WAIT = 2.0
"""Seconds between two looks whether a search is over; enough for its settings to be written, too."""
# Seconds that a search, a seed of the CRS column, four seeds of it, P = 0, and four seeds of that are thought to take.
SECONDS = {
    "connect-4": (290, 50, 130, 130, 160),
    "chess": (90, 40, 90, 50, 70),
    "adult": (105, 15, 45, 50, 70),
    "letRecog": (90, 25, 70, 40, 60),
    "bank-marketing": (95, 20, 50, 60, 80),
    "magic04": (60, 10, 25, 20, 30),
    "mushroom": (60, 10, 25, 20, 30),
    "nursery": (65, 10, 25, 20, 30),
    "wine": (190, 10, 25, 30, 40),
    "blogger": (120, 10, 25, 30, 40),
    "tic-tac-toe": (70, 10, 25, 30, 40),
    "banknote": (100, 10, 25, 30, 40),
}
SMALL = ("wine", "blogger", "tic-tac-toe", "banknote")


@dataclass(frozen=True, slots=True)
class Part:
    """Something to do, as long as it is not done and what it needs is there."""

    name: str
    seconds: float
    done: Callable[[], bool]
    ready: Callable[[], bool]
    do: Callable[[], None]


def searched(data: str) -> bool:
    return jsonl.find(RECORDS / NAME, {"data": data}) is not None


def on_record(experiment: str, data: str) -> bool:
    return any(entry["data"] == data for entry in jsonl.read(RECORDS / f"{experiment}.jsonl"))


def all_there(runs: Sequence[Run], root: Path = RECORDS) -> bool:
    return not any(missing(one.data, one.model, one.protocol, one.seed, root=root) for one in runs)


def rules(data: str, seeds: Sequence[int]) -> list[Run]:
    return [Run(data, "crs", "fold", seed) for seed in seeds]


def zeros(data: str, seeds: Sequence[int], protocol: str = "fold") -> list[Run]:
    return [Run(data, model, protocol, seed) for model in ("mllp0", "crs0") for seed in seeds]


def published(data: str) -> list[Run]:
    return [Run(data, "crs", "published"), *zeros(data, [0], "published")]


def parts_of_gpu(place: crs.Place, names: Sequence[str]) -> Iterator[Part]:
    def runs(name: str, data: str, wanted: list[Run], seconds: float, root: Path = RECORDS) -> Part:
        do = partial(crs.run, data, wanted, place, root=root)
        return Part(f"{data}: {name}", seconds, lambda: all_there(wanted, root), lambda: searched(data), do)

    thought = {data: SECONDS[data] for data in names}
    beyond = {data: SECONDS[data] for data in names if data not in SMALL}
    for data, (seconds, *_) in thought.items():
        yield Part(f"{data}: search", seconds, partial(searched, data), lambda: True, partial(_search, data, place))
    for data, (_, seconds, *_) in thought.items():
        part = runs("CRS", data, rules(data, [0]), seconds, ON_GPU if data in SMALL else RECORDS)
        yield Part(part.name, part.seconds, part.done, part.ready, partial(timed, data, part.do, place.device))
    for data, (_, _, _, seconds, _) in beyond.items():
        yield runs("P = 0, and cut points of all rows", data, zeros(data, [0]) + published(data), seconds)
    if crs.FIGURE in names:
        done = partial(on_record, "rates", crs.FIGURE)
        yield Part(f"{crs.FIGURE}: rates", 100, done, lambda: True, partial(crs.rates, place))
    for data in {"connect-4", "adult"}.intersection(names):
        done = partial(on_record, "gap", data)
        yield Part(f"{data}: gap", 30, done, partial(searched, data), partial(crs.gap, data, place))
    for data, (_, _, seconds, _, _) in beyond.items():
        yield runs("CRS, other seeds", data, rules(data, SEEDS[1:]), seconds)
    for data, (*_, seconds) in sorted(beyond.items(), key=lambda item: item[1][-1]):
        yield runs("P = 0, other seeds", data, zeros(data, SEEDS[1:]), seconds)


def gpu(given: Namespace) -> None:
    place = crs.Place(given.device)
    end = monotonic() + given.seconds
    for part in parts_of_gpu(place, given.data.split(",")):
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
        archive(given.out)


def cpu(given: Namespace) -> None:
    """Run all small tables at once, each as soon as another lane has searched it."""
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
    while not searched(data):
        if monotonic() > end:
            say(f"{data}: nobody has searched it")
            return
        sleep(WAIT)
    sleep(WAIT)
    every = [*(rules(data, [seed]) + zeros(data, [seed]) for seed in SEEDS), published(data)]
    jobs = [pool.submit(crs.run, data, runs, crs.Place("cpu", 1)) for runs in every if not all_there(runs)]
    for number, job in enumerate(jobs):
        try:
            job.result(timeout=max(1.0, end - monotonic()))
        except TimeoutError:
            say(f"{data}: {len(jobs) - number} runs are left for later")
            return
        say(f"{data}: {number + 1} of {len(jobs)} runs")
        archive(out)


def warm_up() -> None:
    """Compile the kernels, so that the processes find them on the disk."""
    judge([Trial("blogger", 0, 0, {"layers": [4, 4, 4], "negation": True, "binarization_rate": 0.5}, 1)], "cpu", 1)
    judge([Trial("blogger", 0, 0, {"layers": [4], "negation": False, "binarization_rate": 0.0}, 1)], "cpu", 1)


def timed(data: str, do: Callable[[], None], device: str) -> None:
    """Time a data set's share of the column, from the file to the simplified rules of all folds."""
    fold_of.cache_clear()  # what the search has read is read again
    divided.cache_clear()
    start = perf_counter()
    do()
    seconds = perf_counter() - start
    entry = {"data": data, "seed": 0, "seconds": seconds, "device": device, "place": this_place()}
    write_entry("crs_times", entry)


def archive(out: Path | None) -> None:
    """Pack all records and settings as they are now."""
    if out is None:
        return
    half = out / f".paper-{os.getpid()}"
    with jsonl.locked(out):  # of two lanes that end at the same moment, the later has the records of both
        with tarfile.open(half, "w:gz") as file:
            for path in (HERE / "records", HERE / "settings"):
                file.add(path, f"benchmarks/paper/{path.name}", filter=_whole)
        half.replace(out / "paper.tar.gz")


def _whole(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out a file that somebody is writing."""
    return None if Path(entry.name).name.startswith(".") else entry


def _search(data: str, place: crs.Place) -> None:
    keep(search(data, partial(judge, device=place.device, cores=place.cores), place.device))


def arguments() -> Namespace:
    parser = ArgumentParser("python -m benchmarks.paper.batch", None, __doc__)
    parser.add_argument("lane", choices=("gpu", "cpu"))
    parser.add_argument("--data", default=",".join(SECONDS), help="tables of a lane of the GPU, separated by commas")
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
