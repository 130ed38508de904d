"""Figures in sentences: a page has a place for each, between two comments, and `make results` fills it.

    It takes <!-- figure: tables.fit -->1.4<!-- /figure --> seconds.

The name says which records the figure comes from: `tables.fit` is made from the source `tables`. A comment must not
stand at the beginning of a line, where Markdown would end the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import log10
from statistics import mean, median, stdev

from benchmarks.sources import Record, measurements, read, suite
from benchmarks.speed.measure import Measurement
from benchmarks.tables.summary import FAST, OURS, cells_of

PLACE = re.compile(r"(<!-- figure: ([\w.]+) -->)(.*?)(<!-- /figure -->)", re.DOTALL)
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_words(count: int) -> str:
    """Return a count as people write it in a sentence."""
    return WORDS[count] if count < len(WORDS) else f"{count:,}"


def digits(value: float, count: int = 2) -> str:
    """Return a number with so many digits that matter, and all those before the point."""
    places = max(0, count - 1 - int(log10(abs(value)) // 1)) if value else 0
    return f"{value:,.{places}f}"


def _fit(model: str) -> str:
    return digits(median(cell.cpu for (cell,) in cells_of(suite(), model)))


def _speed(name: str) -> Measurement:
    return measurements("speed")[name]


def _gpu(name: str) -> Measurement:
    return measurements("gpu")[name]


def _predicting(kind: str) -> Measurement:
    return _speed(f"prediction: pandas, {kind}, against LightGBM")


def _million(kind: str) -> float:
    """Return the milliseconds of predicting a million rows."""
    return 1000 * median(_predicting(kind).times["ours"])


def _stage(name: str) -> str:
    return digits(1000 * _predicting("dictionary").details["seconds by stage"][name])


def _training() -> list[float]:
    names = [name for name in measurements("speed") if name.startswith("training: ") and "P =" in name]
    return [_speed(name).value for name in names]


def _recipe(*names: str) -> float:
    return sum(_speed(f"recipe: of that, {name}").value for name in names)


def _epoch(stage: str) -> str:
    return digits(median(_speed(f"training: adult, P = 0.9, {stage}").times["ours"]))


def _targets() -> str:
    missed = [name for name, one in measurements("speed").items() if not one.met]
    return f"These targets are missed: {', '.join(missed)}." if missed else "All targets are met."


def _machine(file: str) -> str:
    records = read(file)
    days = sorted({record["started"][:10] for record in records})
    machines = {(record["machine"]["cores"], record["machine"]["processor"]) for record in records}
    told = " and ".join(f"{in_words(cores)} cores of an {processor}" for cores, processor in sorted(machines))
    return f"{told}, on {days[0]}" if len(days) == 1 else f"{told}, from {days[0]} to {days[-1]}"


def _wide(name: str) -> str:
    return digits(_gpu(f"wide: {name}").value)


def _scale(effort: str, way: str, rows: int) -> Record:
    key = (f"ten columns, effort {effort}", way, rows)
    return next(record for record in read("scale") if (record["what"], record["way"], record["rows"]) == key)


def _exponent(effort: str, first: int, last: int) -> str:
    small, large = (_scale(effort, "memory", rows)["cpu_s"] for rows in (first, last))
    return f"{log10(large / small) / log10(last / first):.1f}"


def _seconds_per_million() -> float:
    """Return by how much the processor time of a fit from disk grows with a million rows."""
    small, large = (_scale("fast", "disk", rows) for rows in (10**7, 10**8))
    return float(10**6 * (large["cpu_s"] - small["cpu_s"]) / (large["rows"] - small["rows"]))


def _dask(way: str) -> str:
    key = ("a whole fit, 14 columns, effort fast", way)
    return digits(next(record["seconds"] for record in read("scale") if (record["what"], record["way"]) == key))


def _steered(way: str, figure: str) -> float:
    return mean(record[figure] for record in read("steering") if (record["table"], record["way"]) == ("adult", way))


def _cost(way: str, free: str) -> str:
    points = round(100 * (_steered(free, "f1") - _steered(way, "f1")), 1)
    return f"{points + 0.0:.1f}".replace("-", "\N{MINUS SIGN}")  # + 0.0 makes 0 of -0


def _defaults(settings: str, figure: str) -> list[float]:
    """Return a figure of MLLPClassifier with some settings, table by table: the means of the folds."""
    found: dict[str, list[float]] = {}
    for record in read("mllp_defaults"):
        if record["settings"] == settings:
            found.setdefault(record["table"], []).append(record[figure])
    return [mean(values) for _, values in sorted(found.items())]


def _worth(settings: str, others: str) -> str:
    """Return by how many points some settings are better than others, with the standard error over the tables."""
    pairs = zip(_defaults(settings, "f1"), _defaults(others, "f1"), strict=True)
    points = [100 * (one - other) for one, other in pairs]
    return f"{mean(points):.1f} (± {stdev(points) / len(points) ** 0.5:.1f})".replace("-", "\N{MINUS SIGN}")


def _times_as_many(settings: str, others: str) -> str:
    return digits(mean(_defaults(settings, "edges")) / mean(_defaults(others, "edges")))


def _decided(all_decided: bool) -> list[Record]:
    return [record for record in read("proofs") if (record["undecided"] == 0) == all_decided]


def _slowest() -> Record:
    return max(_decided(True), key=lambda record: record["slowest"])


def _open() -> str:
    counts = [(record, record["proved"] + record["refuted"] + record["undecided"]) for record in _decided(False)]
    return ", ".join(f"{record['table']} {record['undecided']} of {every}" for record, every in counts)


FIGURES: Mapping[str, Callable[[], str]] = {
    "tables.fit": lambda: _fit(OURS),
    "tables.fast": lambda: _fit(FAST),
    "speed.machine": lambda: _machine("speed"),
    "speed.targets": _targets,
    "speed.million_dictionary": lambda: digits(_million("dictionary")),
    "speed.million_strings": lambda: digits(_million("plain strings") / 1000),
    "speed.strings_ratio": lambda: digits(_million("plain strings") / _million("dictionary"), 1),
    "speed.bits": lambda: _stage("table to bits"),
    "speed.rules": lambda: _stage("rules"),
    "speed.labels": lambda: _stage("labels"),
    "speed.dense_least": lambda: f"{min(_training()):.0f}",
    "speed.dense_most": lambda: f"{max(_training()):.0f}",
    "speed.recipe": lambda: digits(_speed(RECIPE).details["seconds measured"]),
    "speed.recipe_training": lambda: digits(_recipe("descent")),
    "speed.recipe_checks": lambda: digits(_recipe("looks at the validation rows")),
    "speed.recipe_reading": lambda: digits(_recipe("reading", "cut points", "table to bits", "equal rows merged"), 1),
    "speed.epoch_early": lambda: _epoch("early"),
    "speed.epoch_late": lambda: _epoch("late"),
    "speed.cohort": lambda: digits(_speed("training: a cohort of five rates, two threads against one").value),
    "gpu.epoch_sparse": lambda: _wide("1024_1024_1024, a million rows, P = 0.9, an epoch"),
    "gpu.epoch_dense": lambda: _wide("1024_1024_1024, a million rows, P = 0.0, an epoch"),
    "gpu.forward": lambda: _wide("forward, P = 0.0"),
    "gpu.backward": lambda: _wide("backward, both gradients, P = 0.0"),
    "gpu.loads": lambda: f"{median(_gpu('wide: forward, P = 0.0').details['loads, TB/s at least']):.0f}",
    "gpu.arithmetic": lambda: digits(_gpu("card: fp32 multiply-add, four chains a thread").value),
    "gpu.copy": lambda: digits(_gpu("card: copy, bytes read and written").value),
    "gpu.megabytes": lambda: str(_cohort("adult").details["megabytes"]),
    "scale.hundred_million_clock": lambda: digits(_scale("fast", "disk", 10**8)["wall_s"]),
    "scale.per_million": lambda: digits(_seconds_per_million()),
    "scale.ten_million_memory": lambda: digits(_scale("fast", "memory", 10**7)["cpu_s"]),
    "scale.exponent_fast": lambda: _exponent("fast", 10**4, 10**6),
    "scale.exponent_default": lambda: _exponent("default", 10**4, 10**6),
    "scale.exponent_small": lambda: _exponent("default", 10**4, 10**5),
    "scale.ten_billion_hours": lambda: f"{10**4 * _seconds_per_million() / 3600:.0f}",
    "scale.threads": lambda: _dask("two threads"),
    "scale.dask": lambda: _dask("two Dask workers"),
    "steering.order_cost": lambda: _cost("monotone", "free"),
    "steering.fair_cost": lambda: _cost("monotone and fair", "free"),
    "steering.fair_time": lambda: digits(_steered("monotone and fair", "seconds") / _steered("free", "seconds")),
    "steering.fairlearn_difference": lambda: f"{_steered(FAIRLEARN, 'difference'):.3f}",
    "steering.fairlearn_cost": lambda: _cost(FAIRLEARN, "LightGBM, monotone"),
    "steering.fairlearn_chance": lambda: f"{100 * _steered(FAIRLEARN, 'chance'):.1f} %",
    "mllp_defaults.tables": lambda: str(len(_defaults("default", "f1"))),
    "mllp_defaults.steps": lambda: _worth("default", "20 steps"),
    "mllp_defaults.refit": lambda: _worth("refit", "default"),
    "mllp_defaults.refit_edges": lambda: _times_as_many("refit", "default"),
    "proofs.decided": lambda: in_words(len(_decided(True))),
    "proofs.tables": lambda: in_words(len(read("proofs"))),
    "proofs.slowest": lambda: f"{_slowest()['slowest']:.2f}",
    "proofs.slowest_table": lambda: str(_slowest()["table"]),
    "proofs.slowest_edges": lambda: f"{_slowest()['edges']:,}",
    "proofs.open_count": lambda: in_words(len(_decided(False))).capitalize(),
    "proofs.open_slowest": lambda: digits(max(one["slowest"] for one in _decided(False))),
    "proofs.open": _open,
}  # fmt: skip
RECIPE = "recipe: the paper's recipe on adult, against LightGBM's default fit"
FAIRLEARN = "LightGBM, monotone, Fairlearn"


def _cohort(data: str) -> Measurement:
    return next(one for name, one in measurements("gpu").items() if name.startswith(f"cohorts: {data}"))


def sources(text: str) -> set[str]:
    """Return the names of the sources that the sentences of a page take figures from."""
    return {place[2].partition(".")[0] for place in PLACE.finditer(text)}


def fill_figures(text: str) -> str:
    """Return a page with each figure of its sentences as the records have it."""
    return PLACE.sub(lambda place: f"{place[1]}{FIGURES[place[2]]()}{place[4]}", text)
