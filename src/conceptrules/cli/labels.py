"""The labels of a target column: checked before anything is learned from them."""

from __future__ import annotations

from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.model.errors import InputError
from conceptrules.tables.files.csv_errors import NEARLY_ALL, are_numbers


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
            f"if each one is a class, say --kind {quote(f'{target}=category')}; --bins 4 makes four ranges of them"
        )
    check_not_too_many(
        y.value_counts().field("counts").to_numpy(),
        len(numbers) > 0,
        f"the target column {target!r}",
        bins="--bins 4",
        fewer="edit the table, or take another --target",
    )


def _as_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return (pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column).cast(pa.float64())


def numbers_in(y: pa.ChunkedArray, target: str) -> np.ndarray:
    """Return the target as finite numbers."""
    try:
        numbers = _as_floats(y).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"--bins makes ranges of numbers, but the target column {target!r} holds others: {error}"
        ) from None
    if not np.isfinite(numbers).all():
        raise InputError(f"--bins makes ranges of finite numbers, but the target column {target!r} holds infinity")
    return numbers


def labels(column: pa.ChunkedArray, target: str, where: str) -> pa.ChunkedArray:
    """Return the target's values, none of them missing."""
    if len(column) == 0:
        raise InputError(f"{where} has column names but no rows")
    column = _plain(column)
    missing = pc.is_null(column, nan_is_null=True)
    if pa.types.is_string(column.type) and pc.all(are_numbers(column)).as_py():  # NaN is a word only among words
        missing = pc.or_(missing, pc.fill_null(pc.match_substring(column, "nan", ignore_case=True), False))
    if count := pc.sum(missing).as_py():
        raise InputError(
            f"the target column {target!r} has no value in {count} of {len(column)} rows, "
            f"first in row {pc.index(missing, True).as_py() + 1}; fill it in or take these rows out"
        )
    return column


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers, booleans and text as they are; anything else (dates, decimals) is a label by its text."""
    column = decoded(column)
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
    return column if any(test(column.type) for test in tests) else column.cast(pa.string())


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
