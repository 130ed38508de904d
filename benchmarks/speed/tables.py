"""The rows that are measured on: the real tables where $CONCEPTRULES_DATA has them, else random ones of their shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules import datasets
from conceptrules.binarize import Binarizer
from conceptrules.datasets import DatasetError
from conceptrules.kernels.mllp.cohort import KernelRows

# Categories of adult's eight text columns, and of those the ones with gaps.
_ADULT_TEXT = {"workclass": 8, "education": 16, "marital-status": 7, "occupation": 14, "relationship": 6, "race": 5}
_ADULT_TEXT |= {"sex": 2, "native-country": 41}
_ADULT_GAPS = ("workclass", "occupation", "native-country")
_ADULT_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A table, the class of each row, and where both come from."""

    X: pa.Table
    y: NDArray[Any]
    source: str


@cache
def adult() -> Labelled:
    """adult's 32,561 rows: six columns of numbers, eight of text, three of them with gaps."""
    try:
        data = datasets.load("adult")
        return Labelled(data.X, data.y, "adult")
    except DatasetError:
        return _like_adult(32_561)


def _like_adult(rows: int) -> Labelled:
    rng = np.random.default_rng(0)
    numbers = {name: np.round(rng.gamma(2, 20, rows)).astype(np.int64) for name in _ADULT_NUMBERS}
    codes = {name: np.minimum(rng.geometric(0.3, rows) - 1, count - 1) for name, count in _ADULT_TEXT.items()}
    text = {name: pa.array(np.char.add(f"{name} ", code.astype(str))) for name, code in codes.items()}
    for name in _ADULT_GAPS:
        gaps = np.asarray(pa.array(text[name]).to_numpy(zero_copy_only=False), dtype=object)
        gaps[rng.random(rows) < 0.05] = None
        text[name] = pa.array(gaps)
    odds = numbers["age"] / 40 + numbers["hours-per-week"] / 60 - codes["education"] / 2 + rng.logistic(0, 1, rows)
    return Labelled(pa.table(numbers | text), np.where(odds > 2, ">50K", "<=50K"), "random, of adult's shape")


def numeric_columns(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if pa.types.is_integer(kind := table[name].type) or _floating(kind)]


def _floating(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind))


def sampled(data: Labelled, rows: int, seed: int) -> Labelled:
    """So many rows of a table, drawn with replacement."""
    chosen = np.random.default_rng(seed).integers(0, data.X.num_rows, rows)
    return Labelled(data.X.take(chosen).combine_chunks(), data.y[chosen], data.source)


def training_rows(name: str, rows: int, inputs: int, classes: int, seed: int) -> tuple[KernelRows, str]:
    """The bits of so many rows of a data set, each row kept (a fit would merge equal ones), and where they are from."""
    rng = np.random.default_rng(seed)
    try:
        data = datasets.load(name)
        chosen = rng.permutation(len(data.y))[:rows]
        bits = Binarizer().fit(data.X, data.y).transform(data.X)[chosen]
        target = np.unique(data.y, return_inverse=True)[1][chosen]
        source = f"{name}, {bits.shape[0]} rows, {bits.shape[1]} bits"
    except DatasetError:
        bits, target = random_bits(rows, inputs, classes, rng)
        source = f"random, {rows} rows, {inputs} bits"
    return KernelRows.of(bits, target, np.ones(len(target))), source


def random_bits(
    rows: int, inputs: int, classes: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Groups of about ten bits with one set in each, as a binarizer makes them; two of the groups say the class."""
    groups = np.array_split(np.arange(inputs), max(inputs // 10, 1))
    bits = np.zeros((rows, inputs), dtype=np.bool_)
    chosen = [rng.integers(0, len(group), rows) for group in groups]
    for group, code in zip(groups, chosen, strict=True):
        bits[np.arange(rows), group[code]] = True
    return bits, (chosen[0] + chosen[-1] + (rng.random(rows) < 0.1)) % classes


def growing(rows: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """A table with 155 literals whatever its number of rows, nearly all of which differ.

    Six columns of numbers with steps at four places that the cut points find (30 intervals), and 25 categorical columns
    with five categories (125). A table sampled from a small one would not do: equal rows are merged, and more rows
    of the same few give ever more cut points.
    """
    rng = np.random.default_rng(seed)
    numbers = rng.random((6, rows))
    codes = rng.integers(0, 5, (25, rows), dtype=np.int8)
    odds = 2 * np.floor(numbers * 5).sum(axis=0) - 24 + (codes[0] == 1) - (codes[1] == 2)
    names = [f"category {k}" for k in range(5)]
    columns: dict[str, Any] = {f"number {k}": column for k, column in enumerate(numbers)}
    columns |= {f"text {k}": pd.Categorical.from_codes(code, names) for k, code in enumerate(codes)}
    return pd.DataFrame(columns, copy=False), np.where(odds + rng.logistic(0, 1, rows) > 0, "yes", "no")
