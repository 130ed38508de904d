"""Derived columns of a table, worked out from its own: `model.derived.derive` for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.derived import Length, Mention, Relation, normalise_text
from conceptrules.model.predicate import Column, Kind
from conceptrules.tables.column_values import ColumnValues, to_numbers

Read = Callable[[str], ColumnValues]
"""Reads the values of the column of a name."""


class DerivedColumns:
    """Works out the derived columns of a table. A text is read once for all columns that ask for its words."""

    def __init__(self, columns: Sequence[Column], read: Read) -> None:
        self._derivations, self._kinds = [column.derivation for column in columns], [column.kind for column in columns]
        self._read = read
        self._mentions: dict[str, dict[Mention, NDArray[np.bool_]]] = {}

    def compute(self, number: int) -> NDArray[Any]:
        """Return the values of a column, counted from 0, as an array that a table can hold."""
        derivation = self._derivations[number]
        match derivation:
            case Relation():
                return _relate(derivation, self._kinds[number], self._read)
            case Length(column=text):
                return _measure_length(self._read(text))
            case Mention(column=text):
                if text not in self._mentions:
                    asked = [each for each in self._derivations if isinstance(each, Mention) and each.column == text]
                    mentioned = find_mentions(self._read(text), asked)
                    self._mentions[text] = dict(zip(asked, mentioned.T, strict=True))
                return self._mentions[text][derivation]
        raise AssertionError(derivation)


def _relate(relation: Relation, kind: Kind, read: Read) -> NDArray[Any]:
    left, right = (cells.by_row(to_numbers(cells)) for cells in map(read, relation.columns))
    with np.errstate(all="ignore"):
        if relation.operator == "<":
            known = ~(np.isnan(left) | np.isnan(right))
            less = (left < right).astype(object)
            less[~known] = None
            return (left < right) if known.all() else less
        numbers = left - right if relation.operator == "-" else np.where(right == 0, np.nan, left / right)
    if kind != "duration":
        return numbers
    return np.where(np.isnan(numbers), np.datetime64("NaT").astype(np.int64), numbers).astype(np.int64).astype("m8[us]")


def _measure_length(cells: ColumnValues) -> NDArray[np.float64]:
    lengths = [np.nan if value is None else float(len(value)) for value in cells.values.tolist()]
    return cells.by_row(np.array(lengths, np.float64))


def find_mentions(cells: ColumnValues, mentions: Sequence[Mention]) -> NDArray[np.bool_]:
    """Return (rows, mentions): whether each text mentions any of the terms."""
    mentions_of: dict[str, list[int]] = {}
    for index, mention in enumerate(mentions):
        for term in mention.terms:
            mentions_of.setdefault(term, []).append(index)
    longest = max((term.count(" ") for term in mentions_of), default=0) + 1
    mentioned = np.zeros((len(cells.values), len(mentions)), np.bool_)
    for row, text in enumerate(cells.values.tolist()):
        if text is not None:
            for term in list_terms(text, longest) & mentions_of.keys():
                mentioned[row, mentions_of[term]] = True
    return cells.by_row(mentioned)


def list_terms(text: str, longest: int = 2) -> set[str]:
    """Return the words of a text, and its runs of up to so many words."""
    words = normalise_text(text).split(" ")[1:-1]
    terms = set(words)
    for length in range(2, longest + 1):
        terms.update(map(" ".join, zip(*(islice(words, start, None) for start in range(length)), strict=False)))
    terms.discard("")
    return terms
