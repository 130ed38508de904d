"""Hypothesis strategies for tables that nobody would make on purpose, with labels, weights and groups to match.

What a column may hold is drawn; which row holds which value comes from a seed, since drawing each cell would take
longer than learning from it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

Values = list[Any]
_HUGE = st.sampled_from([1e308, -1e308, 1.7976931348623157e308, 2.0**53, 2.0**63, 1e-308, 5e-324, -5e-324, 1e-15])
_WORDS = ["a", "b", "A", " a", "", " ", "1", "nan", "None", "NA"]
_ZONES = [dt.UTC, dt.timezone(dt.timedelta(hours=-9))]
_MANY_WORDS = [f"w{number}" for number in range(300)]
_UNICODE = [
    "é",
    "e\u0301",
    "名前",
    "🦀",
    "\u200b",
    "\ufeff",
    "a\x00b",
    "ß",
    "SS",
    "'",
    '"',
    "\\",
    "<b>",
    "a\nb",
    "%s {}",
]

POOLS: dict[str, st.SearchStrategy[Values]] = {
    "numbers": st.lists(st.floats(-100, 100).map(lambda x: round(x, 1)), min_size=2, max_size=8),
    "whole numbers": st.lists(st.integers(-3, 9), min_size=2, max_size=8),
    "extremes": st.lists(_HUGE | st.floats() | st.just(math.inf) | st.just(-math.inf), min_size=1, max_size=6),
    "large integers": st.lists(st.integers(-(2**70), 2**70) | st.just(10**400), min_size=1, max_size=4),
    "decimals": st.lists(st.decimals(allow_nan=None), min_size=1, max_size=4),
    "complex": st.just([1j, 2.0]),
    "booleans": st.just([True, False]),
    "words": st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6),
    "unicode": st.lists(st.sampled_from(_UNICODE) | st.text(max_size=5), min_size=1, max_size=6),
    "broken unicode": st.just(["\ud800", "a"]),
    "orders": st.sampled_from([["low", "med", "high"], ["1", "2", "4 or more"], ["mon", "tue"], ["<5", "5-9", "10+"]]),
    "many words": st.integers(2, 300).map(lambda count: _MANY_WORDS[:count]),
    "numpy scalars": st.just([np.float32(1.5), np.int8(3), np.float64(np.nan), np.bool_(True)]),
    "numpy text": st.just([np.str_("a"), np.str_("b")]),
    "bytes": st.just([b"a", b"\xff"]),
    "dates": st.lists(st.dates(), min_size=1, max_size=6),
    "moments": st.lists(st.datetimes(), min_size=1, max_size=6),
    "zoned": st.lists(st.datetimes(timezones=st.sampled_from(_ZONES)), min_size=1, max_size=4),
    "pandas moments": st.just([pd.Timestamp("2020-01-01"), pd.Timestamp("2262-04-11"), pd.NaT]),
    "numpy moments": st.just([np.datetime64("2020-01-01"), np.datetime64("NaT"), np.datetime64("2021-01-01T10", "ns")]),
    "times": st.lists(st.times(), min_size=1, max_size=3),
    "durations": st.lists(st.timedeltas(), min_size=1, max_size=6),
    "lists": st.just([[1, 2], [3], []]),
    "dictionaries": st.just([{"a": 1}, {"a": None}]),
    "arrays": st.just([np.arange(2), np.arange(3)]),
    "objects": st.just([object(), print, Ellipsis, frozenset([1])]),
    "mixed": st.just([1, "a", None, True, 2.5, dt.date(2020, 1, 1)]),
    "numbers and text": st.just([1, 2, "3", ""]),
    "booleans and numbers": st.just([True, 0, 2]),
    "dates and moments": st.just([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)]),
    "intervals": st.just([pd.Interval(0, 1), pd.Interval(1, 2)]),
}  # fmt: skip
_USUAL = ["numbers", "whole numbers", "words", "booleans", "dates", "durations", "extremes", "orders", "unicode"]
GAPS: Values = [None, math.nan, pd.NA, pd.NaT]

NAMES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["a", "b", "c", "", " ", "x0", "x1", "y", "class", "a b", "not", "a <= 1", "id", "1"]),
    st.text(max_size=4),
    st.sampled_from(_UNICODE),
    st.sampled_from([0, 1, 1.5, None, True, ("a", 1), math.nan, dt.date(2020, 1, 1), b"a"]),
)


@dataclass(frozen=True)
class Case:
    """A table in some flavour, and what else `fit` gets."""

    X: Any
    y: Any
    given: dict[str, Any]
    """Weights, groups or times."""
    class_weight: Any
    columns: tuple[str, ...]
    """The names of the columns as text, as errors say them."""
    rows: int
    story: str
    """How the table came about, for whoever has to find out why it failed."""


def _objects(values: Values) -> np.ndarray:
    array = np.empty(len(values), object)
    for row, value in enumerate(values):
        array[row] = value
    return array


def _pandas(names: Values, columns: list[Values]) -> Any:
    frame = pd.DataFrame({place: pd.Series(values) for place, values in enumerate(columns)})
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _pandas_objects(names: Values, columns: list[Values]) -> Any:
    frame = pd.DataFrame({place: pd.Series(_objects(values), dtype=object) for place, values in enumerate(columns)})
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _categorical(names: Values, columns: list[Values]) -> Any:
    frame = pd.DataFrame({place: pd.Categorical(values) for place, values in enumerate(columns)})
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _arrow(names: Values, columns: list[Values]) -> Any:
    return pa.table([pa.array(values) for values in columns], names=list(map(str, names)))


def _array(_: Values, columns: list[Values]) -> Any:
    array = np.empty((len(columns[0]) if columns else 0, len(columns)), object)
    for place, values in enumerate(columns):
        array[:, place] = _objects(values)
    return array


FLAVOURS: dict[str, Callable[[Values, list[Values]], Any]] = {
    "pandas": _pandas,
    "pandas of objects": _pandas_objects,
    "pandas converted": lambda names, columns: _pandas(names, columns).convert_dtypes(),
    "pandas categorical": _categorical,
    "polars": lambda names, columns: pl.DataFrame(
        [pl.Series(str(name), values, strict=False) for name, values in zip(names, columns, strict=True)]
    ),
    "polars of objects": lambda names, columns: pl.DataFrame(
        [pl.Series(str(name), values, dtype=pl.Object) for name, values in zip(names, columns, strict=True)]
    ),
    "pyarrow": _arrow,
    "pyarrow dictionaries": lambda names, columns: pa.table(
        [pa.array(values).dictionary_encode() for values in columns], names=list(map(str, names))
    ),
    "array of objects": _array,
    "array": lambda names, columns: np.array(columns).T,
    "masked array": lambda names, columns: np.ma.masked_invalid(np.array(columns, dtype=np.float64).T),
    "lists": lambda names, columns: [list(row) for row in zip(*columns, strict=True)],
    "dictionaries": lambda names, columns: [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)],
    "ragged dictionaries": lambda names, columns: [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in zip(*columns, strict=True)
    ],
}
_UNNAMED = ("array of objects", "array", "masked array", "lists")


@st.composite
def _column(draw: st.DrawFn, rows: int, rng: np.random.Generator, odd: bool) -> tuple[str, Values]:
    kind = draw(st.sampled_from(_USUAL if not odd else sorted(POOLS)))
    pool = draw(POOLS[kind])
    values = [pool[place] for place in rng.integers(0, len(pool), rows)]
    share = draw(st.sampled_from([0, 0, 0, 0.2, 0.9, 1]))
    gap = draw(st.sampled_from(GAPS)) if share else None
    return f"{kind}, {share:.0%} {gap!r}", [gap if rng.random() < share else value for value in values]


_LABELS: dict[str, Values] = {
    "text": ["yes", "no"],
    "three": ["a", "b", "c"],
    "odd text": ["", " ", "名", "nan"],
    "numbers": [0, 1],
    "floats": [1.0, 2.0],
    "booleans": [True, False],
    "numpy": [np.int8(1), np.int8(-1)],
    "one class": ["only"],
    "fractions": [0.5, 1.5, 2.0],
    "infinite": [0.0, math.inf],
    "huge": [10**30, -(10**30)],
    "gaps": ["a", "b", None],
    "nan": [0.0, 1.0, math.nan],
    "mixed": ["a", 1],
    "booleans and numbers": [True, 5],
    "dates": [dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
    "nested": [[1], [2]],
    "nested twice": [[1, 2], [2, 3]],
    "ragged": [[1], [2, 3]],
    "bytes": [b"a", b"b"],
}
_SOUND = ["text", "three", "odd text", "numbers", "floats", "booleans", "numpy"]
_AS: dict[str, Callable[[Values], Any]] = {
    "list": list,
    "array": np.array,
    "array of objects": _objects,
    "pandas": lambda values: pd.Series(values, name="answer"),
    "pandas converted": lambda values: pd.Series(values).convert_dtypes(),
    "categorical": lambda values: pd.Series(pd.Categorical(values)),
    "polars": lambda values: pl.Series("answer", values, strict=False),
    "pyarrow": pa.array,
}


@st.composite
def _labels(draw: st.DrawFn, rows: int, rng: np.random.Generator, columns: list[Values], odd: bool) -> tuple[str, Any]:
    kind = draw(st.sampled_from(_SOUND if not odd else sorted(_LABELS)))
    pool = _LABELS[kind]
    how = draw(st.sampled_from(["by chance", "by chance", "by the first column", "one row differs"]))
    if how == "by the first column" and columns:
        places = {repr(value): place for place, value in enumerate(dict.fromkeys(map(repr, columns[0])))}
        found = [pool[places.get(repr(value), 0) % len(pool)] for value in columns[0]]
    else:
        found = [pool[place] for place in rng.integers(0, len(pool), rows)]
    if how == "one row differs":
        found = [pool[0]] * (rows - 1) + [pool[-1]] * min(rows, 1)
    container = draw(st.sampled_from(sorted(_AS)))
    try:
        return f"{kind} labels {how} as {container}", _AS[container](found)
    except (Exception, pl.exceptions.PanicException):  # this container cannot hold them at all
        return f"{kind} labels {how} as list", found


_WEIGHTS: dict[str, Callable[[int, np.random.Generator], Any]] = {
    "fractions": lambda rows, rng: rng.random(rows),
    "whole": lambda rows, rng: rng.integers(0, 4, rows).tolist(),
    "mostly zero": lambda rows, rng: (rng.random(rows) < 0.2).astype(float),
    "all zero": lambda rows, rng: np.zeros(rows),
    "tiny": lambda rows, rng: np.full(rows, 1e-300),
    "heaviest": lambda rows, rng: np.full(rows, 1e9),
    "far apart": lambda rows, rng: 10.0 ** rng.integers(-300, 9, rows),
    "too heavy": lambda rows, rng: np.full(rows, 1e300),
    "negative": lambda rows, rng: rng.normal(size=rows),
    "nan": lambda rows, rng: np.full(rows, math.nan),
    "text": lambda rows, rng: ["1"] * rows,
    "words": lambda rows, rng: ["a"] * rows,
    "one": lambda rows, rng: 2.0,
    "too many": lambda rows, rng: np.ones(rows + 1),
    "pandas": lambda rows, rng: pd.Series(np.ones(rows), index=range(rows, 0, -1)),
}
_GROUPS: dict[str, Callable[[int, np.random.Generator], Any]] = {
    "few": lambda rows, rng: rng.integers(0, 3, rows),
    "words": lambda rows, rng: rng.choice(["a", "b", "c"], rows),
    "the same": lambda rows, rng: np.zeros(rows),
    "each its own": lambda rows, rng: np.arange(rows),
    "gaps": lambda rows, rng: [None] * rows,
    "moments": lambda rows, rng: pd.date_range("2020-01-01", periods=rows),
    "infinite": lambda rows, rng: [math.inf, -math.inf] * (rows // 2) + [0.0] * (rows % 2),
    "mixed": lambda rows, rng: ["a", 1] * (rows // 2) + [2] * (rows % 2),
    "too many": lambda rows, rng: np.arange(rows + 2),
}
_CLASS_WEIGHTS: Values = [
    "balanced",
    "balanced",
    {"yes": 0},
    {0: 1e9, 1: 1e-9},
    {"b": 0.0, "a": 3},
    {"no such": 1},
    "odd",
    5,
]


_ODDITIES = ["column", "column", "names", "rows", "labels", "sample_weight", "groups", "time", "class_weight"]


@st.composite
def bad_tables(draw: st.DrawFn) -> Case:
    """A table of up to 24 rows and 4 columns, with a few oddities at most, so that many tables can be learned from."""
    odd = draw(st.lists(st.sampled_from(_ODDITIES), max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    rows = draw(st.sampled_from([0, 1, 2, 3] if "rows" in odd else [6, 8, 12, 17, 24]))
    drawn = draw(st.lists(_column(rows, rng, odd=False), min_size=0 if "rows" in odd else 1, max_size=3))
    drawn += [draw(_column(rows, rng, odd=True)) for one in odd if one == "column"]
    columns = [values for _, values in drawn]
    names: Values = [f"c{place}" for place in range(len(drawn))]
    if "names" in odd:
        names = draw(st.lists(NAMES, min_size=len(drawn), max_size=len(drawn)))
    said, y = draw(_labels(rows, rng, columns, "labels" in odd))
    flavour = draw(st.sampled_from(sorted(FLAVOURS)))
    try:
        X = FLAVOURS[flavour](names, columns)
    except (Exception, pl.exceptions.PanicException):  # this kind of table cannot hold them at all
        flavour, X = "pandas of objects", _pandas_objects(names, columns)
    given: dict[str, Any] = {}
    for name in sorted({"sample_weight", "groups", "time"} & set(odd)):
        kinds = _WEIGHTS if name == "sample_weight" else _GROUPS
        kind = draw(st.sampled_from(sorted(kinds)))
        given[name] = kinds[kind](rows, rng)
        said += f", {kind} {name}"
    class_weight = draw(st.sampled_from(_CLASS_WEIGHTS)) if "class_weight" in odd else None
    if flavour == "ragged dictionaries":
        names = list(dict.fromkeys(name for row in X for name in row))
    texts = tuple(f"x{place}" for place in range(len(drawn))) if flavour in _UNNAMED else tuple(map(str, names))
    kinds_drawn = [kind for kind, _ in drawn]
    story = f"{flavour} of {kinds_drawn}, {rows} rows, names {names!r}, {said}, class_weight {class_weight!r}"
    return Case(X, y, given, class_weight, texts, rows, story)


def wide(columns: int, rows: int, seed: int) -> Case:
    """A table of very many columns: numbers, words, gaps and constants."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns)).round(2)
    table[:, ::7] = 1.0
    table[rng.random(table.shape) < 0.1] = math.nan
    table[:, ::11] = math.nan
    frame = pd.DataFrame(table, columns=[f"c{place}" for place in range(columns)])
    y = rng.choice(["a", "b"], rows)
    return Case(frame, y, {}, None, tuple(frame.columns), rows, f"{columns} columns, seed {seed}")


def many_classes(classes: int, each: int, seed: int) -> Case:
    """A table of very many classes, one of them far more often than the others."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(classes), each), np.zeros(5 * each, int)])
    frame = pd.DataFrame({"near": y + rng.normal(0, 0.3, len(y)), "word": rng.choice(["a", "b", None], len(y))})
    labels = np.array([f"class {label}" for label in y])
    return Case(frame, labels, {}, None, ("near", "word"), len(y), f"{classes} classes, seed {seed}")
