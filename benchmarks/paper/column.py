"""The search and the columns of the paper's method, on a machine with a GPU: what is missing, until the time is over.

    python -m benchmarks.paper.column inputs FOLDER                              here: the bits of all folds
    python -m benchmarks.paper.column train FOLDER --state STATE --seconds 500   there, until all is done
    python -m benchmarks.paper.column take STATE                                 here: what came back, into records/

What is trained there sees no class of a test row: rules are judged here. NumPy, torch and Triton do for `train`. A part
is begun only where the time that is left should do for it, and is kept at once, so that the next call goes on from
there. PROTOCOL.md says what is trained.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import jsonl
from benchmarks.paper.choice import (
    FOLDS,
    JUDGED,
    MODELS,
    Scores,
    Trial,
    chosen,
    first_round,
    least_steps,
    lengths,
    plan_of,
    protocol,
    scores_of,
    second_round,
)
from benchmarks.paper.splits import split
from conceptrules.learn.mllp.examples import Examples, with_negations

if TYPE_CHECKING:
    from benchmarks.paper.cohorts import Cohort, Kept, Training

PHASES = ("first", "second", "column")
DATA = (
    *("connect-4", "chess", "bank-marketing", "adult", "letRecog", "magic04", "nursery", "mushroom"),
    *("wine", "blogger", "tic-tac-toe", "banknote"),
)
"""The largest first."""
HELD = 0.2
"""The share of the training rows that a split holds out, as in the paper."""
MEMORY, LOOK_ROWS = 80_000_000_000, 2048
"""Bytes that the networks of one launch may take; rows of a look, which take most of them."""
SMALLEST = {1: 256, 3: 64}
"""Networks of one depth that are no wider than this are trained together, in the shape of the widest."""
START = 1000
"""Seeds of the column are no seeds of a split."""


class Fold:
    """The rows of a fold."""

    def __init__(self, arrays: Mapping[str, Any], number: int) -> None:
        self.inputs, self.classes = arrays[f"{number}.sizes"].tolist()
        packed, target, weight = (arrays[f"{number}.{name}"] for name in ("packed", "target", "weight"))
        self.training = Examples(packed, target, weight, self.inputs)
        tested = arrays[f"{number}.test"]
        nothing = np.zeros(len(tested))
        self.test = Examples(tested, nothing.astype(np.int64), nothing + 1, self.inputs)

    @cache  # noqa: B019  # a fold lives as long as its table is worked on
    def split(self, number: int, negation: bool) -> tuple[Examples, Examples]:
        both = split(self.training, HELD, np.random.default_rng(number))
        return (with_negations(both[0]), with_negations(both[1])) if negation else both

    @cache  # noqa: B019
    def whole(self, negation: bool, test: bool = False) -> Examples:
        rows = self.test if test else self.training
        return with_negations(rows) if negation else rows


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to do: a phase of a data set, with random binarization or without."""

    phase: str
    kind: str
    data: str

    @property
    def name(self) -> str:
        return f"{self.phase}-{self.kind}-{self.data}"


class Lane:
    """What is there, what is missing, and how to make it."""

    def __init__(self, inputs: Path, state: Path, device: str) -> None:
        self.inputs, self.state, self.device = inputs, state, device
        state.mkdir(parents=True, exist_ok=True)

    @cached_property
    def searched(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(one["data"], one["kind"]): one for one in jsonl.read(self.inputs / "candidates.jsonl")}

    @lru_cache(maxsize=1)  # noqa: B019
    def folds(self, data: str) -> list[Fold]:
        with np.load(self.inputs / f"{data}.npz") as arrays:
            return [Fold(arrays, number) for number in range(FOLDS)]

    def path(self, part: Part) -> Path:
        return self.state / f"{part.name}.{'npz' if part.phase == 'column' else 'json'}"

    def scores(self, kind: str, data: str) -> Scores:
        """Return all trials on record."""
        found = {}
        for phase in ("first", "second"):
            path = self.path(Part(phase, kind, data))
            if path.exists():
                for place, scores in json.loads(path.read_text())["trials"]:
                    found[Trial(*place)] = scores
        return found

    def trials(self, part: Part) -> list[Trial]:
        if part.phase == "first":
            return first_round(part.kind, part.data, self.searched[part.data, part.kind]["folds"])
        return second_round(part.kind, part.data, self.scores(part.kind, part.data))

    def configuration(self, part: Part, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.searched[part.data, part.kind]["configurations"][number]
        return found

    def ready(self, part: Part) -> bool:
        return part.phase == "first" or self.path(Part("first", part.kind, part.data)).exists()

    def do(self, part: Part) -> None:
        start = time.perf_counter()
        if part.phase == "column":
            found = packed(self.column(part))
            half = self.state / f".{part.name}.npz"
            np.savez_compressed(half, **found, seconds=time.perf_counter() - start)
        else:
            half = self.state / f".{part.name}"
            trials = [[astuple(trial), scores] for trial, scores in self.search(part)]
            half.write_text(json.dumps({"trials": trials, "seconds": time.perf_counter() - start}))
        half.replace(self.path(part))

    def search(self, part: Part) -> Iterator[tuple[Trial, dict[str, list[float]]]]:
        """Train what a phase of the search asks for, and give the scores of each trial."""
        alike = defaultdict(list)
        for trial in self.trials(part):
            alike[width(self.configuration(part, trial.number))].append(trial)
        for trials in alike.values():
            trainings = [self.trial(part, trial) for trial in trials]
            for some in shares(trainings):
                cohort = self.cohort(part, [trainings[place] for place in some])
                looks = np.stack([look.cpu().numpy() for look in cohort.train(lengths(part.kind)[-1])])
                say(part, cohort)
                for k, place in enumerate(some):
                    yield trials[place], scores_of(looks[:, :, k], part.kind)

    def column(self, part: Part) -> dict[tuple[str, int, int], Found]:
        """Train on all training rows of each fold what it has chosen; of several starts the best is kept."""
        scores, folds = self.scores(part.kind, part.data), self.folds(part.data)
        models: dict[Chosen, list[str]] = defaultdict(list)
        for fold, model in product(range(FOLDS), MODELS[part.kind]):
            choice = chosen(part.kind, part.data, scores, fold, model)
            models[fold, choice.number, choice.epochs].append(model)
        alike = defaultdict(list)
        for fold, number, epochs in models:
            alike[width(self.configuration(part, number)), epochs].append((fold, number, epochs))
        best: dict[tuple[str, int, int], Found] = {}
        for (_, epochs), some in alike.items():
            starts = list(product(some, range(protocol()["seeds"]), range(plan_of(part.kind, part.data)["starts"])))
            cohort = self.cohort(part, [self.start(part, *place) for place in starts])
            names = sorted({JUDGED[model] for place in some for model in models[place]})
            for name, weights in cohort.train_and_keep(epochs, names).items():
                kept = cohort.kept(name, weights)
                tests = [
                    folds[fold].whole(self.configuration(part, number)["negation"], True)
                    for (fold, number, _), *_ in starts
                ]
                answers = cohort.answers(tests) if name == "mllp" else [None] * len(tests)
                for (place, seed, start), one, answered in zip(starts, kept, answers, strict=True):
                    for model in models[place]:
                        key, found = (model, place[0], seed), Found(one, answered, place[1], start)
                        if JUDGED[model] == name and (key not in best or one.score > best[key].kept.score):
                            best[key] = found
            say(part, cohort)
        return best

    def trial(self, part: Part, trial: Trial) -> Training:
        given, fold = self.configuration(part, trial.number), self.folds(part.data)[trial.fold]
        rows, held = fold.split(trial.split, given["negation"])
        return _training(given, rows, held, fold.classes, (trial.split, trial.start, trial.number))

    def start(self, part: Part, place: Chosen, seed: int, start: int) -> Training:
        given, fold = self.configuration(part, place[1]), self.folds(part.data)[place[0]]
        return _training(given, fold.whole(given["negation"]), None, fold.classes, (START + seed, start, place[1]))

    def cohort(self, part: Part, trainings: Sequence[Training]) -> Cohort:
        from benchmarks.paper.cohorts import Cohort

        return Cohort(trainings, least_steps(part.data), self.device)


Chosen = tuple[int, int, int]
"""A fold, the number of a configuration, and epochs."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best start of a seed: what was kept of it, its answers on the test rows, its configuration and number."""

    kept: Kept
    answers: NDArray[np.uint8] | None
    number: int
    start: int


def _training(
    given: Mapping[str, Any], rows: Examples, held: Examples | None, classes: int, seed: tuple[int, ...]
) -> Training:
    from benchmarks.paper.cohorts import Training

    return Training(tuple(given["layers"]), given["binarization_rate"], given["l2"], rows, held, classes, seed)


def width(given: Mapping[str, Any]) -> tuple[int, int]:
    """Return what has to be alike in networks that share launches: depth, and width, small ones as one."""
    depth, widest = len(given["layers"]), max(given["layers"])
    return depth, max(widest, SMALLEST[depth])


def packed(best: Mapping[tuple[str, int, int], Found]) -> dict[str, Any]:
    """Return networks as arrays: of rules the edges, of the others the answers on the test rows."""
    arrays: dict[str, Any] = {}
    for (model, fold, seed), found in best.items():
        key, kept = f"{model}.{fold}.{seed}", found.kept
        arrays[f"{key}.of"] = np.array([found.number, found.start, kept.epoch, kept.default])
        arrays[f"{key}.score"] = np.array(kept.score)
        arrays[f"{key}.priority"] = np.array(kept.priority, np.uint8)
        if found.answers is None:
            arrays[f"{key}.edges"] = np.flatnonzero(kept.weights > 0.5).astype(np.uint32)
        else:
            arrays[f"{key}.answers"] = found.answers
    return arrays


def shares(trainings: Sequence[Training]) -> Iterator[list[int]]:
    """Divide trainings so that each share fits into memory."""
    sizes = [max(each) for each in zip(*(one.sizes for one in trainings), strict=True)]
    rows = max(len(one.rows) for one in trainings)
    weights, nodes, look = sum(a * b for a, b in pairwise(sizes)), sum(sizes), min(rows, LOOK_ROWS)
    each = 60 * weights + 4 * look * 8 * nodes + rows * (60 + 12 * sizes[-1])
    parts = -(-len(trainings) * each // MEMORY)
    for part in range(parts):
        yield list(range(part, len(trainings), parts))


def say(part: Part, cohort: Cohort) -> None:
    seconds, networks = time.perf_counter() - cohort.began, len(cohort.trainings)
    steps = cohort.trainer.rows.steps * cohort.epoch
    print(
        f"{part.name}: {networks} in {cohort.trainer.shape.sizes}, {cohort.epoch} epochs, {steps} steps, "
        f"{seconds:.1f} s, {1e6 * seconds / steps / networks:.2f} us a step and network",
        flush=True,
    )


def train(given: Namespace) -> None:
    import torch

    from benchmarks import digest
    from benchmarks.paper.records import this_place

    torch.set_float32_matmul_precision("high")  # ten bits of the first layer's gradients are enough
    end = time.monotonic() + given.seconds
    lane = Lane(given.folder, given.state, given.device)
    (given.state / "place.json").write_text(json.dumps(this_place(digest.MLLP)))
    for names in product(*(text.split(",") for text in (given.phases, given.kinds, given.data))):
        part = Part(*names)
        left = end - time.monotonic()
        has_rows = (lane.inputs / f"{part.data}.npz").exists()
        if not has_rows or lane.path(part).exists() or not lane.ready(part):
            continue
        if left < given.part:
            print(f"{part.name}: left for later, {left:.0f} s are left", flush=True)
            continue
        lane.do(part)
        print(f"{part.name}: {end - time.monotonic():.0f} s are left", flush=True)


def main() -> int:
    parser = ArgumentParser("python -m benchmarks.paper.column", None, __doc__)
    parser.add_argument("command", choices=("inputs", "train", "take"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--protocol", choices=("fold", "published"), default="fold", help="of inputs and take")
    parser.add_argument("--state", type=Path, help="a folder for what was trained")
    parser.add_argument("--seconds", type=float, default=1e9, help="how long there is")
    parser.add_argument("--part", type=float, default=90, help="seconds that a part may take")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--kinds", default=",".join(MODELS))
    parser.add_argument("--data", default=",".join(DATA))
    given = parser.parse_args()
    if given.command == "train":
        train(given)
        return 0
    from benchmarks.paper import column_records

    (column_records.write_inputs if given.command == "inputs" else column_records.take)(given.folder, given.protocol)
    return 0


if __name__ == "__main__":
    sys.exit(main())
