"""What a run leaves behind: one small JSON for a data set, a model, a protocol and a seed, with an entry for each fold.

A fold is written as soon as it is done, so an interrupted run goes on where it stopped: `missing` says what is left.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conceptrules import __version__

RESULTS = Path(__file__).parent / "results"
QUICK = Path(__file__).parent / ".quick"
"""Where `run --quick` keeps its records, away from the committed ones (and from git)."""
PROTOCOLS = ("fold", "published")
FOLDS = 5
DIGITS = 6
RUN_FILE = re.compile(r".+-(fold|published)-s\d+\.json")
PACKAGES = ("numpy", "scikit-learn", "numba", "lightgbm", "torch", "triton")
STAGES = ("CRS_O", "CRS_DN", "CRS_RR", "CRS_DN_RR")
"""Edges of a CRS: as extracted, without dead nodes, without redundant rules, without both."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is run."""

    data: str
    model: str
    protocol: str = "fold"
    seed: int = 0

    def path(self, root: Path = RESULTS) -> Path:
        return root / self.data / f"{self.model}-{self.protocol}-s{self.seed}.json"


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
        return len(self.folds) == FOLDS and not any(fold.failed for fold in self.folds)

    @property
    def failed(self) -> str:
        """Why the run has no result, in the words of its first fold that failed."""
        return next((fold.failed for fold in self.folds if fold.failed), "")


def missing(
    data: str, model: str, protocol: str = "fold", seed: int = 0, *, root: Path = RESULTS, retry: bool = False
) -> list[int]:
    """The folds that are still to do. One that failed is done, unless it is to be tried again."""
    record = read(Run(data, model, protocol, seed), root)
    done = {fold.fold for fold in record.folds if not (retry and fold.failed)} if record else set()
    return [fold for fold in range(FOLDS) if fold not in done]


def write_fold(
    run: Run,
    fold: Fold,
    settings: Mapping[str, Any],
    *,
    root: Path = RESULTS,
    place: Mapping[str, Any] | None = None,
) -> Path:
    """Put a fold into the run's file, in the place of an earlier one of the same number; other folds stay."""
    _check(run, fold)
    path = run.path(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent):
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        replace_text(path, _text(_merged(content, run, fold, settings, place or this_place())))
    return path


def read(run: Run, root: Path = RESULTS) -> Record | None:
    path = run.path(root)
    return read_file(path) if path.exists() else None


def read_file(path: Path) -> Record:
    content = json.loads(path.read_text(encoding="utf-8"))
    run = Run(content["data"], content["model"], content["protocol"], content["seed"])
    entries = content["folds"]
    times = {entry["fold"]: entry["finished"] for entry in entries}
    names = Fold.__dataclass_fields__
    folds = tuple(Fold(**{key: value for key, value in entry.items() if key in names}) for entry in entries)
    return Record(run, folds, content["settings"], tuple(content["places"]), times)


def read_all(root: Path = RESULTS) -> list[Record]:
    """Every run on record, in the order of file names."""
    return [read_file(path) for path in sorted(root.glob("*/*.json")) if RUN_FILE.fullmatch(path.name)]


def this_place() -> dict[str, Any]:
    """Versions and machine."""
    return {
        "python": platform.python_version(),
        "conceptrules": __version__,
        **{name: found for name in PACKAGES if (found := _version(name))},
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        **({"gpu": card} if (card := _card()) else {}),
    }


def write_json(path: Path, content: Any) -> Path:
    """Any other record (a list of entries, say): compact, rounded, one entry a line, and never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = _dump(_rounded(content))
    if isinstance(content, list):
        text = "[\n" + ",\n".join(map(_dump, _rounded(content))) + "\n]"
    replace_text(path, text + "\n")
    return path


def _check(run: Run, fold: Fold) -> None:
    if run.protocol not in PROTOCOLS:
        raise ValueError(f"there is no protocol {run.protocol!r}; give one of {', '.join(PROTOCOLS)}")
    if not 0 <= fold.fold < FOLDS:
        raise ValueError(f"there is no fold {fold.fold}; folds count from 0 to {FOLDS - 1}")
    if not fold.failed and "f1" not in fold.scores:
        raise ValueError(f"fold {fold.fold} of {run} has no f1 among its scores; give it, or say why in `failed`")


def _merged(
    content: dict[str, Any], run: Run, fold: Fold, settings: Mapping[str, Any], place: Mapping[str, Any]
) -> dict[str, Any]:
    places = content.get("places", [])
    where = dict(place)
    if where not in places:
        places = [*places, where]
    others = [entry for entry in content.get("folds", []) if entry["fold"] != fold.fold]
    entry = {name: getattr(fold, name) for name in Fold.__dataclass_fields__}
    filled = {key: value for key, value in entry.items() if value not in ({}, "", None)}
    entry = filled | {"place": places.index(where), "finished": datetime.now(UTC).isoformat(timespec="seconds")}
    return {
        "data": run.data,
        "model": run.model,
        "protocol": run.protocol,
        "seed": run.seed,
        "settings": settings,
        "places": places,
        "folds": sorted([*others, _rounded(entry)], key=lambda entry: entry["fold"]),
    }


def _text(content: dict[str, Any]) -> str:
    """One line for each key, and one for each fold."""
    lines = [f'"{key}":{_dump(value)}' for key, value in content.items() if key != "folds"]
    folds = ",\n".join(map(_dump, content["folds"]))
    return "{\n" + ",\n".join(lines) + ',\n"folds":[\n' + folds + "\n]\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _rounded(value: Any) -> Any:
    """Plain JSON values, NumPy's included, with floats of six digits after the point."""
    if isinstance(value, Mapping):
        return {str(key): _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _rounded(value.tolist())
    return round(value, DIGITS) if isinstance(value, float) else value


def replace_text(path: Path, text: str) -> None:
    half = path.with_name(f".{path.name}.{os.getpid()}")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two processes may finish folds of the same run at the same moment."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
