"""What a run leaves behind: a line of records/EXPERIMENT.jsonl for a data set, a model, a protocol and a seed.

The line has an entry for each fold. A fold is written as soon as it is done, so an interrupted run goes on where it
stopped: `missing` says what is left.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.paper.reference import CARD, OURS, PAST
from conceptrules import __version__

RECORDS = Path(__file__).parent / "records"
QUICK = Path(__file__).parent / ".quick"
"""Where `run --quick` keeps its records, away from the committed ones (and from git)."""
PROTOCOLS = ("fold", "published")
FOLDS = 5
PACKAGES = ("numpy", "scikit-learn", "numba", "lightgbm", "torch", "triton")
STAGES = ("CRS_O", "CRS_DN", "CRS_RR", "CRS_DN_RR")
"""Edges of a CRS: as extracted, without dead nodes, without redundant rules, without both."""
EXPERIMENTS = ("baselines", "crs", "conceptrules")
"""The files whose lines are runs; the other files have lines of their own kind."""


def experiment_of(model: str) -> str:
    """Return the name of the file that keeps the runs of a model."""
    if model in OURS:
        return "crs"
    return "conceptrules" if model in PAST else "baselines"


@dataclass(frozen=True, slots=True)
class Run:
    """What is run, and the key of its record."""

    data: str
    model: str
    protocol: str = "fold"
    seed: int = 0

    def path(self, root: Path = RECORDS) -> Path:
        """Return the file that keeps the record of this run."""
        return root / f"{experiment_of(self.model)}.jsonl"


KEY = tuple(Run.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Fold:
    """What came out on one fold; where nothing could, `failed` says why.

    `scores` holds f1 (macro), accuracy and f1_common (macro over classes with at least 5 training rows); `seconds`
    holds fit and predict; `edges` has one entry a stage of simplification, or the model's own count as `edges`.
    """

    fold: int
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)
    validation: float | None = None
    edges: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A run, read back: its folds in order, the settings it was given, and where and when each fold was run."""

    run: Run
    folds: tuple[Fold, ...]
    settings: Mapping[str, Any]
    places: tuple[Mapping[str, Any], ...]
    times: Mapping[int, str]

    @property
    def complete(self) -> bool:
        """Whether all folds are there and none of them failed."""
        return len(self.folds) == FOLDS and not any(fold.failed for fold in self.folds)

    @property
    def failed(self) -> str:
        """Why the run has no result, in the words of its first fold that failed."""
        return next((fold.failed for fold in self.folds if fold.failed), "")


def missing(
    data: str, model: str, protocol: str = "fold", seed: int = 0, *, root: Path = RECORDS, retry: bool = False
) -> list[int]:
    """Return the folds that are still to do. One that failed is done, unless it is to be tried again."""
    record = read(Run(data, model, protocol, seed), root)
    done = {fold.fold for fold in record.folds if not (retry and fold.failed)} if record else set()
    return [fold for fold in range(FOLDS) if fold not in done]


def write_fold(
    run: Run,
    fold: Fold,
    settings: Mapping[str, Any],
    *,
    root: Path = RECORDS,
    place: Mapping[str, Any] | None = None,
) -> Path:
    """Put a fold into the record of its run, in the place of an earlier one of the same number; other folds stay."""
    _check(run, fold)
    path = run.path(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    where = dict(place or this_place(learner_of(run.model)))
    return jsonl.change(path, asdict(run), lambda known: _merged(known or {}, run, fold, settings, where))


def read(run: Run, root: Path = RECORDS) -> Record | None:
    """Return the record of a run, or None if it has none."""
    entry = jsonl.find(run.path(root), asdict(run))
    return record_of(entry) if entry else None


def record_of(entry: Mapping[str, Any]) -> Record:
    """Return a line of a file of runs as a record."""
    times = {fold["fold"]: fold["finished"] for fold in entry["folds"]}
    names = Fold.__dataclass_fields__
    folds = tuple(Fold(**{key: value for key, value in fold.items() if key in names}) for fold in entry["folds"])
    run = Run(*(entry[name] for name in KEY))
    return Record(run, folds, entry["settings"], tuple(entry["places"]), times)


def read_all(root: Path = RECORDS) -> list[Record]:
    """Return every run on record, experiment by experiment, in the order of the lines."""
    return [record_of(entry) for name in EXPERIMENTS for entry in jsonl.read(root / f"{name}.jsonl")]


def remove(run: Run, root: Path) -> None:
    """Forget a run."""
    jsonl.change(run.path(root), asdict(run), lambda known: None)


def write_entry(experiment: str, entry: Mapping[str, Any], *key: str, root: Path = RECORDS) -> Path:
    """Put a line into the file of an experiment that is not made of runs. Floats are rounded."""
    return jsonl.put(root / f"{experiment}.jsonl", [jsonl.rounded(entry)], key or ("data",))


def learner_of(model: str) -> str:
    """Return which of our learners is behind a model, or "" for a baseline."""
    if model == CARD:
        return digest.POINTS
    return {"crs": digest.MLLP, "conceptrules": digest.SEARCH}.get(experiment_of(model), "")


def this_place(learner: str = "") -> dict[str, Any]:
    """Return versions and machine, and the digest of one of our learners where a run is about it."""
    return {
        "python": platform.python_version(),
        "conceptrules": __version__,
        **{name: number for name in PACKAGES if (number := _version(name))},
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        **({"gpu": card} if (card := _card()) else {}),
        **({digest.FIELD: digest.learner(learner)} if learner else {}),
    }


def _check(run: Run, fold: Fold) -> None:
    if run.protocol not in PROTOCOLS:
        raise ValueError(f"there is no protocol {run.protocol!r}; give one of {', '.join(PROTOCOLS)}")
    if not 0 <= fold.fold < FOLDS:
        raise ValueError(f"there is no fold {fold.fold}; folds count from 0 to {FOLDS - 1}")
    if not fold.failed and "f1" not in fold.scores:
        raise ValueError(f"fold {fold.fold} of {run} has no f1 among its scores; give it, or say why in `failed`")


def _merged(
    known: Mapping[str, Any], run: Run, fold: Fold, settings: Mapping[str, Any], place: dict[str, Any]
) -> dict[str, Any]:
    earlier = [entry | {"place": known["places"][entry["place"]]} for entry in known.get("folds", [])]
    filled = {key: value for key, value in asdict(fold).items() if value not in ({}, "", None)}
    new = filled | {"place": place, "finished": datetime.now(UTC).isoformat(timespec="seconds")}
    folds = [*(entry for entry in earlier if entry["fold"] != fold.fold), jsonl.rounded(new)]
    places: list[dict[str, Any]] = []
    for entry in folds:  # where only a fold was run that is replaced now is forgotten
        if entry["place"] not in places:
            places.append(entry["place"])
    folds = sorted(
        (entry | {"place": places.index(entry["place"])} for entry in folds), key=lambda entry: entry["fold"]
    )
    return {**asdict(run), "settings": settings, "places": places, "folds": folds}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _card() -> str:
    """The GPU, if the run has anything to do with one: whoever uses it has loaded torch."""
    torch = sys.modules.get("torch")
    return str(torch.cuda.get_device_name(0)) if torch is not None and torch.cuda.is_available() else ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
