"""The order of categories: as given, as the table or numbers have it, or as words say it (low < med < high)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

import numpy as np

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.values import brief, int_if_whole
from conceptrules.tables.column_values import ColumnValues, to_codes

_SCALES = (
    "none no zero | very low vlow lowest | low | medium med mid middle moderate average normal | high "
    "| very high vhigh highest",
    "none | tiny | small | medium med mid middle | big large | huge very large very big",
    "xxs | xs | s | m | l | xl | xxl | xxxl",
    "short | medium med mid middle average | long tall",
    "light | medium med mid middle | heavy",
    "slow | medium med mid middle average | fast",
    "none no | few little | some | many much | most | all",
    "terrible awful | very bad very poor vbad | bad poor | fair average acceptable acc ok okay satisfactory | good "
    "| very good vgood | excellent great",
    "never | rarely seldom rare | sometimes occasionally | often frequently | usually | always",
    "none no absent | minimal | mild slight | moderate medium | severe strong | very severe extreme critical",
    "strongly disagree | disagree | neutral undecided neither | agree | strongly agree",
    "very dissatisfied | dissatisfied | neutral | satisfied | very satisfied",
    "unlikely | possible | likely | certain",
    "freezing | cold | cool | mild | warm | hot",
    "baby infant | child | teenager teen | young | adult | middle middle aged | senior old elderly",
    "beginner | intermediate | advanced | expert",
    "bronze | silver | gold | platinum",
    "first 1st | second 2nd | third 3rd | fourth 4th | fifth 5th | sixth 6th",
    "mon monday | tue tues tuesday | wed wednesday | thu thur thurs thursday | fri friday | sat saturday | sun sunday",
    "jan january | feb february | mar march | apr april | may | jun june | jul july | aug august | sep sept september "
    "| oct october | nov november | dec december",
)
_NUMBER = r"(\d+(?:\.\d+)?)"
_BELOW = re.compile(rf"(?:<=?|under|below|less than|up to) ?{_NUMBER}")
_BETWEEN = re.compile(rf"{_NUMBER} ?(?:-|to|\.\.) ?{_NUMBER}")
_ABOVE = re.compile(
    rf"(?:>=?|over|above|more than|at least) ?{_NUMBER}|{_NUMBER} ?(?:\+|(?:or|and)? ?(?:more|over|above|up))"
)
_FEWEST = 3
"""Two categories need no order."""


def _rank_phrases(scale: str) -> dict[str, int]:
    """Return the rank of each word; a phrase of a scale is one that begins with a word such as very."""
    ranks = {}
    for rank, step in enumerate(scale.split("|")):
        for phrase in re.findall(r"(?:very|strongly|middle(?= aged)) \w+|\w+", step):
            ranks[phrase] = rank
    return ranks


_RANKS = tuple(map(_rank_phrases, _SCALES))


def find_word_order(categories: Sequence[object]) -> tuple[str, ...] | None:
    """Return categories from the lowest to the highest, or None where their words do not say it.

    All of them have to be on one scale, each with a rank of its own.

    >>> find_word_order(["high", "low", "med", "vhigh"])
    ('low', 'med', 'high', 'vhigh')
    >>> find_word_order(["2", "4", "5more", "3"])
    ('2', '3', '4', '5more')
    >>> find_word_order(["red", "green", "low"])
    """
    words = [category for category in categories if isinstance(category, str)]
    if len(words) < _FEWEST or len(words) < len(categories):
        return None
    plain = [re.sub(r"[\s_\-]+", " ", word).strip().lower() for word in words]
    for ranks in _RANKS:
        if all(word in ranks for word in plain):
            return _sort_words(words, [float(ranks[word]) for word in plain])
    if all(word.strip().isdigit() for word in words):
        return None
    bounds: list[float] = []
    for word in words:
        bound = _read_bound(word.strip().lower())
        if bound is None:
            return None
        bounds.append(bound)
    return _sort_words(words, bounds)


def _sort_words(words: Sequence[str], ranks: Sequence[float]) -> tuple[str, ...] | None:
    if len(set(ranks)) < len(ranks):
        return None
    return tuple(word for _, word in sorted(zip(ranks, words, strict=True)))


def _read_bound(text: str) -> float | None:
    """Return a number that places a range among others: "<30", "30-59", ">=60", "5 or more", "more", "3"."""
    if text in ("more", "many"):
        return inf
    if below := _BELOW.fullmatch(text):
        return -1 / (1 + float(below[1]))  # before all others, and "<10" before "<20"
    if between := _BETWEEN.fullmatch(text) or re.fullmatch(_NUMBER, text):
        return float(between[1])
    if above := _ABOVE.fullmatch(text):
        return float(above[1] or above[2]) + 0.5
    return None


def find_order(cells: ColumnValues) -> tuple[Value, ...]:
    """Return the categories from the lowest to the highest; raise an error where nothing says which is which."""
    if cells.order is not None:
        return tuple(map(int_if_whole, cells.order))
    values = {int_if_whole(value) for value in cells.values[~cells.missing].tolist()}
    if any(isinstance(value, str) for value in values):
        first = ", ".join(brief(value) for value in sorted(values)[:3])
        raise InputError(
            f"column {cells.name!r} is to be ordinal, but nothing says in which order {first}, ... come; "
            f"give it, from the lowest to the highest: kinds={{{cells.name!r}: [{first}, ...]}}"
        )
    return tuple(sorted(values))


def check_all_listed(cells: ColumnValues, order: tuple[Value, ...], first_row: int = 0) -> None:
    """Raise an `InputError` if a value is not in the order that the user gives; rows count from `first_row`."""
    unlisted = cells.by_row(~cells.missing & (to_codes(cells, order) < 0))
    if not unlisted.any():
        return
    row = int(np.argmax(unlisted))
    value = cells.values[row if cells.codes is None else cells.codes[row]]
    listed = ", ".join(map(brief, order[:10])) + (", ..." if len(order) > 10 else "")
    raise InputError(
        f"column {cells.name!r} holds {brief(value)} in row {first_row + row}, which is not in the order that kinds "
        f"gives: {listed}; add it where it belongs, or mend the row"
    )
