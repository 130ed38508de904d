"""Labels and weights of the rows, checked before any long work starts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import exceptions
from sklearn.utils.validation import column_or_1d

from conceptrules.model.errors import ConceptRulesWarning, InputError, warn
from conceptrules.model.text import plural
from conceptrules.model.values import brief
from conceptrules.tables.column_values import read_values

Labels = NDArray[Any]


class DataConversionWarning(ConceptRulesWarning, exceptions.DataConversionWarning):  # type: ignore[misc]
    """Labels that are a table of one column; scikit-learn tests estimators for a warning of this name."""


MAX_WEIGHT = 1e9
"""The largest weight of a row or a class. Sums and products of such weights never overflow in the kernels."""
MANY_CLASSES = 50
"""More classes than this give a warning; more different numbers than this are probably a quantity."""
_MANY_SINGLE = 20  # more labels than this, most of them on one or two rows, are not classes
LARGEST_NUMBER = 1e300
"""The largest number to predict: sums of additions on top of it stay finite."""
BINS_HINT = "pd.qcut(y, 4).astype(str)"
"""How to cut a quantity into ranges."""
FEWER_HINT = "y.where(y.map(y.value_counts()) >= 10, 'other')"
"""How to put rare labels into one class."""


def check_labels(y: Any, name: str = "y", sample_weight: Any = None) -> tuple[Labels, NDArray[np.float64]]:
    """Return the label and the weight of each row; labels are text, numbers or booleans, none of them missing.

    Rows of weight 0 do not exist: their labels are not looked at, and another takes their place.
    """
    if y is None:
        raise InputError(f"a classifier requires {name} to be passed, but the target {name} is None")
    if str(getattr(y, "dtype", "")) in ("Int128", "UInt128"):  # NumPy has no such integers
        y = y.to_list()
    if hasattr(y, "to_numpy"):
        # Not by way of `np.asarray`, which makes floats of pandas' Int64. Arrow copies an array only if asked to.
        y = y.to_numpy(**{"zero_copy_only": False} if hasattr(y, "to_pylist") else {})
    labels = _to_one_column(y, name)
    weight = check_weights(sample_weight, len(labels))
    kept = weight > 0
    # NumPy would make text of the numbers in a list of both.
    objects = np.array(y, dtype=object).reshape(labels.shape) if isinstance(y, list | tuple) else labels
    family = _find_family(objects[kept], np.flatnonzero(kept), name)
    if not kept.all():
        labels = np.where(kept, labels, labels[kept][0])
    if labels.dtype == object and family != "category":
        labels = np.array(labels.tolist())  # whole numbers in a column of objects are classes like any others
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        row = np.flatnonzero(np.isinf(labels))[0]
        raise InputError(f"{name} holds infinity in row {row}; a class needs a finite number")
    fractions = labels[labels % 1 != 0] if labels.dtype.kind == "f" else labels[:0]
    if len(fractions):  # the first words are scikit-learn's, which tests estimators for them
        raise InputError(
            f"Unknown label type: continuous. {name} holds fractions such as {fractions[0]}, and has "
            f"{len(np.unique(labels))} different numbers: it is a quantity; cut it into a few ranges: {BINS_HINT}"
        )
    return labels, weight


def check_numbers(y: Any, name: str = "y") -> NDArray[np.float64]:
    """Return the number to predict of each row, or raise an `InputError` about the first value that is none."""
    if y is None:  # the first words are scikit-learn's, here and below, which tests estimators for them
        raise InputError(f"a regressor requires {name} to be passed, but the target {name} is None")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy(**{"zero_copy_only": False} if hasattr(y, "to_pylist") else {})
    column = _to_one_column(np.array(y, dtype=object) if isinstance(y, list | tuple) else y, name)
    if column.dtype.kind in "iuf":
        numbers = column.astype(np.float64)
    else:
        values = column.tolist()
        for row, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, Real | Decimal | None):
                raise InputError(
                    f"{name} holds {brief(value)} in row {row}, which is no number; a classifier predicts classes, and "
                    "numbers that were read as text have to be made numbers first"
                )
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    check_number_range(numbers, name)
    return numbers


def check_number_range(numbers: NDArray[np.float64], name: str, first_row: int = 0) -> None:
    """Raise an `InputError` about the first number that is missing, infinite, or too large."""
    for what, bad in (
        ("NaN", np.isnan(numbers)),
        ("infinity or a value too large for dtype('float64')", ~(np.abs(numbers) <= LARGEST_NUMBER)),
    ):
        if bad.any():
            raise InputError(
                f"Input {name} contains {what}. It is in row {first_row + int(bad.argmax())}; drop such rows, or give "
                f"{name} in a unit in which its largest value is at most {LARGEST_NUMBER:g}"
            )


def _to_one_column(y: Any, name: str) -> Labels:
    """Return labels that may be a table of one column, which gives the warning that scikit-learn gives."""
    try:
        labels: Labels = column_or_1d(y)
    except ValueError as error:
        raise InputError(f"{name} needs one label for each row: {error}") from error
    if np.asarray(y).ndim > 1:
        # The first words are scikit-learn's, which tests estimators for them.
        warn(
            DataConversionWarning(
                f"A column-vector {name} was passed when a 1d array was expected; give {name}.ravel()"
            )
        )
    return labels


def _find_family(labels: Labels, rows: NDArray[np.intp], name: str) -> str | None:
    """Return what the labels are; raise an error if one is missing, or if they cannot be classes."""
    if labels.dtype.kind == "U":  # text, and nothing else
        return "category"
    cells = read_values(name, labels)
    missing = np.flatnonzero(cells.missing)
    if len(missing):
        raise InputError(
            f"{name} has no label in {plural(len(missing), 'row')}, first in row {rows[missing[0]]}; "
            "drop what has none, or give it a class of its own"
        )
    if cells.family in ("date", "datetime", "duration"):
        raise InputError(f"{name} holds {cells.family}s; give classes as text, whole numbers or booleans")
    return cells.family


def encode_labels(labels: Labels) -> tuple[Labels, NDArray[np.intp]]:
    """Return the distinct labels, sorted, and the index of the label of each row among them.

    `np.unique` returns the same, but sorts all rows: 0.5 s for a million labels that are Python's strings.
    """
    if labels.dtype != object:
        return np.unique(labels, return_inverse=True)
    values = labels.tolist()
    distinct = sorted(set(values))
    index = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, values), dtype=np.intp, count=len(values))
    return np.fromiter(distinct, dtype=object, count=len(distinct)), codes


def check_classes(labels: Labels) -> Labels:
    """Return the distinct labels, sorted; raise an error unless there are at least two, and not far too many."""
    classes, codes = encode_labels(labels)
    check_class_counts(classes, np.bincount(codes))
    return classes


def check_class_counts(classes: Labels, counts: NDArray[np.intp], name: str = "y") -> None:
    """Raise an error unless there are at least two classes, and not far too many; `counts` has the rows of each."""
    if len(classes) < 2:
        count = f"1 class, {classes.tolist()[0]!r}" if len(classes) else "no rows, and so no class"
        raise InputError(f"{name} has {count}; a classifier needs rows of at least two classes")
    check_not_too_many(counts, classes.dtype.kind in "iuf", name)


def check_not_too_many(
    counts: NDArray[np.intp], numeric: bool, name: str = "y", bins: str = BINS_HINT, fewer: str = FEWER_HINT
) -> None:
    """Raise an error if labels are a quantity or names of single rows, and warn of more than MANY_CLASSES classes.

    `counts` has the rows of each class. Numbers are a quantity if there are more than MANY_CLASSES different ones, on
    average on fewer than ten rows each. Labels of any type are not classes if there are more than 20, most of them on
    one or two rows. `bins` and `fewer` are what to write instead.
    """
    different, rows = len(counts), int(counts.sum())
    single = different > _MANY_SINGLE and np.median(counts) <= 2
    if numeric and (single or different > max(MANY_CLASSES, rows / 10)):
        raise InputError(
            f"{name} seems to be a quantity: it has {different} different numbers in {plural(rows, 'row')}; "
            f"cut it into a few ranges to predict which one it is in: {bins}"
        )
    if single:
        raise InputError(
            f"{name} has {different} different labels in {plural(rows, 'row')}, most of them on one or two rows: it "
            f"seems to be a name or free text, and no class; put rare labels into one class: {fewer}"
        )
    if different > MANY_CLASSES:
        hint = f"cut a quantity into ranges: {bins}" if numeric else f"put rare ones into one: {fewer}"
        warn(f"{name} has {different} classes, which takes long and gives many rules; {hint}")


def check_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Return one weight for each row, none negative, not all 0; 1 for all where none are given."""
    if sample_weight is None:
        return np.ones(rows)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight needs numbers; {error}") from error
    weight = np.full(rows, weight) if weight.ndim == 0 else weight
    if weight.shape != (rows,):
        raise InputError(f"sample_weight has the shape {weight.shape}, it needs one weight for each of the {rows} rows")
    bad = np.flatnonzero(~((weight >= 0) & (weight < np.inf)))
    if len(bad):
        raise InputError(f"sample_weight[{bad[0]}] is {weight[bad[0]]}; weights need to be finite and at least 0")
    heavy = np.flatnonzero(weight > MAX_WEIGHT)
    if len(heavy):
        raise InputError(
            f"sample_weight[{heavy[0]}] is {weight[heavy[0]]:g}; a weight counts as so many rows, and {MAX_WEIGHT:g} "
            "are the most: divide all weights by their mean"
        )
    if not weight.any():
        raise InputError("all sample weights are zero: there are no rows to learn from")
    return weight


def check_class_weight(class_weight: Any, classes: Labels, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each class; `share` is the weight of its rows."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        # A class without rows here, all of which are held out, weighs nothing: no row asks for it.
        weights = np.zeros(len(classes))
        np.divide(share.sum() / len(classes), share, out=weights, where=share > share.sum() / MAX_WEIGHT)
        return np.where((weights > 0) | (share == 0), weights, MAX_WEIGHT)
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight is {class_weight!r}; use None, 'balanced' or {{class: weight}}")
    names = classes.tolist()
    for label, value in class_weight.items():
        if label not in names:
            raise InputError(f"class_weight names the class {label!r}, but the classes are {names}")
        if not isinstance(value, Real) or not 0 <= float(value) <= MAX_WEIGHT:
            raise InputError(
                f"class_weight of the class {label!r} is {value!r}; it needs a number from 0 to {MAX_WEIGHT:g}"
            )
    weights = np.array([class_weight.get(name, 1) for name in names], dtype=np.float64)
    if not weights.any():
        raise InputError(f"class_weight is 0 for all classes {names}; at least one needs to count")
    return weights
