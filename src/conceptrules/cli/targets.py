"""The target column: labels that are checked before anything is learned from them, and ranges of a quantity as classes.

`--bins 4` makes four ranges of about the same number of rows. The names of the classes say what the ranges are, so
that a model file is enough to read a target of numbers by.
"""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.values import name_ranges
from conceptrules.tables.files.written_values import NEARLY_ALL, are_numbers


def check_labels(column: pa.ChunkedArray, target: str, where: str) -> pa.ChunkedArray:
    """Return the labels of a target column, or raise if a row has none; dates and decimals become text."""
    if len(column) == 0:
        raise InputError(f"{where} has column names but no rows")
    column = decode_dictionary(column)
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
    if not any(test(column.type) for test in tests):
        column = column.cast(pa.string())
    missing = pc.is_null(column, nan_is_null=True)
    if pa.types.is_string(column.type) and pc.all(are_numbers(column)).as_py():  # NaN is a word only among words
        missing = pc.or_(missing, pc.fill_null(pc.match_substring(column, "nan", ignore_case=True), False))
    check_complete(missing, f"the target column {target!r}")
    return column


def check_complete(missing: pa.ChunkedArray, column: str) -> None:
    """Raise if a value of a column is missing."""
    if count := pc.sum(missing).as_py():
        raise InputError(
            f"{column} has no value in {count} of {len(missing)} rows, "
            f"first in row {pc.index(missing, True).as_py() + 1}; fill it in or take these rows out"
        )


def check_classes(y: pa.ChunkedArray, target: str) -> None:
    """Raise if the classes are a quantity, or names of single rows; warn if they are very many."""
    from conceptrules.tables.labels import check_not_too_many  # which loads scikit-learn

    numeric = y
    if pa.types.is_string(y.type):
        texts = are_numbers(y)
        numeric = y.filter(texts) if pc.mean(texts).as_py() >= NEARLY_ALL else y.slice(0, 0)
    elif not (pa.types.is_integer(y.type) or pa.types.is_floating(y.type)):
        numeric = y.slice(0, 0)
    numbers = _as_floats(numeric)
    fractions = numeric.filter(pc.not_equal(numbers, pc.floor(numbers)))
    if len(fractions):
        raise InputError(
            f"the target column {target!r} holds fractions such as {fractions[0]}, not classes; "
            f"--regression predicts the number, and --bins 4 makes four ranges of it; if each one is a class, say "
            f"--kind {quote(f'{target}=category')}"
        )
    check_not_too_many(
        y.value_counts().field("counts").to_numpy(),
        len(numbers) > 0,
        f"the target column {target!r}",
        bins="--bins 4, or predict the number itself: --regression",
        fewer="edit the table, or take another --target",
    )


def finite_numbers(y: pa.ChunkedArray, target: str, what: str = "--bins makes ranges of") -> NDArray[np.float64]:
    """Return the target as finite numbers; `what` is what is done with these."""
    try:
        numbers: NDArray[np.float64] = _as_floats(y).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{what} numbers, but the target column {target!r} holds others: {error}") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"{what} finite numbers, but the target column {target!r} holds infinity")
    return numbers


def _as_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return (pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column).cast(pa.float64())


def decode_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with its values in place of the codes of a dictionary."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def find_cuts(values: NDArray[np.float64], bins: int) -> list[float]:
    """Return the values that end each range but the last.

    >>> find_cuts(np.arange(8.0), 4)
    [1.0, 3.0, 5.0]
    """
    if bins < 2:
        raise InputError(f"--bins {bins} is out of range: at least 2")
    ends = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    cuts: list[float] = ends[ends < values.max()].tolist()
    if not cuts:
        raise InputError("--bins finds one range only, because most rows have the largest value; leave --bins out")
    return cuts


def label_ranges(values: NDArray[np.float64], cuts: Sequence[float]) -> NDArray[np.object_]:
    """Return the name of the range of each value; a value that ends a range is in it."""
    return np.array(name_ranges(cuts), dtype=object)[np.searchsorted(cuts, values, side="left")]
