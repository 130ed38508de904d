"""Ranges of a quantity as classes: `--bins 4` makes four of about the same number of rows.

The names of the classes say what the ranges are, so that a model file is enough to read a target of numbers by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.text import number_text

_NAME = re.compile(r"(?:up to|over|(?P<low>\S+) to) (?P<high>\S+)")


def cuts(values: NDArray[np.float64], bins: int) -> list[float]:
    """Return the values that end each range but the last.

    >>> cuts(np.arange(8.0), 4)
    [1.0, 3.0, 5.0]
    """
    if bins < 2:
        raise InputError(f"--bins {bins} is out of range: at least 2")
    ends = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    found: list[float] = ends[ends < values.max()].tolist()
    if not found:
        raise InputError("--bins finds one range only, because most rows have the largest value; leave --bins out")
    return found


def names(cuts: Sequence[float]) -> list[str]:
    """Return the names of the ranges, from the lowest up.

    >>> names([1.0, 3.5])
    ['up to 1', '1 to 3.5', 'over 3.5']
    """
    ends = list(map(number_text, cuts))
    return [f"up to {ends[0]}", *map("{} to {}".format, ends, ends[1:]), f"over {ends[-1]}"]


def labels(values: NDArray[np.float64], cuts: Sequence[float]) -> NDArray[np.object_]:
    """Return the name of the range of each value; a value that ends a range is in it."""
    return np.array(names(cuts), dtype=object)[np.searchsorted(cuts, values, side="left")]


def cuts_of(classes: Sequence[Value]) -> list[float] | None:
    """Return the cuts that gave these classes their names; None if other names are among them.

    >>> cuts_of(["1 to 3.5", "over 3.5", "up to 1"]), cuts_of(["up to 1", "more"])
    ([1.0, 3.5], None)
    """
    matches = [_NAME.fullmatch(name) if isinstance(name, str) else None for name in classes]
    try:
        ends = {float(match["high"]) for match in matches if match}
    except ValueError:
        return None
    return sorted(ends) if ends and set(names(sorted(ends))) == set(classes) else None
