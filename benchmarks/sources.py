"""The records behind the pages, and whether they are of the present learner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.paper.reference import COLUMN, OURS
from benchmarks.paper.results import Results, read_results
from benchmarks.speed import report
from benchmarks.speed.measure import Measurement
from benchmarks.tables.comparison import NUMBERS, THIRTY
from benchmarks.tables.scorecards import CARD, PLAIN
from benchmarks.tables.summary import FAST, Cells, summarise
from benchmarks.tables.summary import OURS as DEFAULT

Record = Mapping[str, Any]


@cache
def read(name: str) -> tuple[Record, ...]:
    """Return the records of a file in benchmarks/records/."""
    return tuple(jsonl.read(jsonl.RECORDS / f"{name}.jsonl"))


@cache
def paper() -> Results:
    return read_results()


@cache
def suite() -> Cells:
    """Return the tables of the suite on which ours, CART and LightGBM are all on record."""
    summary = summarise(read("tables"))
    return {name: row for name, row in summary.items() if {DEFAULT, "cart", "lightgbm"} <= row.keys()}


@cache
def measurements(file: str) -> dict[str, Measurement]:
    """Return the measurements of speed.jsonl or gpu.jsonl by `group: name`."""
    groups = report.read(jsonl.RECORDS / f"{file}.jsonl")
    return {f"{group}: {one.name}": one for group, measured in groups.items() for one in measured}


SOURCES: Mapping[str, Callable[[], Iterable[Record]]] = {
    "tables": lambda: [record for record in read("tables") if record["model"] in (DEFAULT, FAST)],
    "numbers": lambda: [record for record in read("regression") if record["model"] in (NUMBERS, THIRTY)],
    "cards": lambda: [record for record in read("tables") if record["model"] in (CARD, PLAIN)],
    "paper": lambda: paper().places(OURS),
    "column": lambda: paper().places((COLUMN,)),
    "speed": lambda: read("speed"),
    "gpu": lambda: [record for record in read("gpu") if record["group"] != "card"],
    "scale": lambda: read("scale"),
    "steering": lambda: [record for record in read("steering") if "LightGBM" not in record["way"]],
    "proofs": lambda: read("proofs"),
    "mllp_defaults": lambda: read("mllp_defaults"),
    "exports": lambda: read("exports"),
    "exports_size": lambda: read("exports_size"),
}
"""By name, the records of our learners that a part of a page is made from; those of other packages have no digest."""


def notice(names: Iterable[str], what: str = digest.FIGURES) -> str:
    """Return what a reader has to know about the age of some sources, or ""."""
    return digest.notice((record for name in sorted(set(names)) for record in SOURCES[name]()), what)
