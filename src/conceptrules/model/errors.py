"""Errors and warnings that come from input, not from a bug of ours.

The command line shows these errors as one line; anything else is a bug and shows its traceback.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shlex import quote
from types import FrameType

_PACKAGE = __name__.partition(".")[0]


class ConceptRulesError(Exception):
    """Base of the errors that a user can mend; the message says how."""


class InputError(ConceptRulesError, ValueError):
    """A value that does not fit: a wrong name, range, file or table."""


class ColumnTypeError(ConceptRulesError, TypeError):
    """A column whose values have the wrong type."""


class ConceptRulesWarning(UserWarning):
    """Base of the warnings of this package: what works, but may not be what was meant."""


class ColumnWarning(ConceptRulesWarning):
    """A column that is hardly a feature, such as a copy of the target; it is learned from all the same.

    Parameters
    ----------
    found : str
        What was found.
    columns : iterable of str
        The columns that it is about.
    """

    def __init__(self, found: str, columns: Iterable[str] = ()) -> None:
        self.found = found
        self.columns = tuple(columns)
        super().__init__(f"{found}; {self._advice()}")

    def _advice(self) -> str:
        return "leave it out if it is no feature"

    def option(self) -> str:
        """Return what helps on the command line.

        Returns
        -------
        str
            An option, and what it does.
        """
        dropped = " ".join(f"--drop {quote(name)}" for name in self.columns[:5])
        return f"{dropped} leaves {'it' if len(self.columns) == 1 else 'them'} out"


class LeftOutWarning(ColumnWarning):
    """Columns that are not learned from: identifiers, and copies of other columns.

    Parameters
    ----------
    reasons : iterable of str
        What was found of each column.
    columns : iterable of str
        The columns.
    """

    def __init__(self, reasons: Iterable[str], columns: Iterable[str]) -> None:
        super().__init__(f"not learned from: {', '.join(reasons)}", columns)

    def _advice(self) -> str:
        return f"keep={list(self.columns[:5])} learns from {'it' if len(self.columns) == 1 else 'them'} all the same"

    def option(self) -> str:
        """Return what helps on the command line.

        Returns
        -------
        str
            An option, and what it does.
        """
        kept = " ".join(f"--keep {quote(name)}" for name in self.columns[:5])
        return f"{kept} learns from {'it' if len(self.columns) == 1 else 'them'} all the same"


class DateWarning(ColumnWarning):
    """Columns of dates, which are learned from as they are.

    Parameters
    ----------
    columns : iterable of str
        The columns.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        names = ", ".join(map(repr, columns))
        super().__init__(f"a rule on a date tells old rows from new ones: {names}", columns)

    def _advice(self) -> str:
        return "conceptrules.tables.with_date_parts makes months, weekdays and days between dates of it"

    def option(self) -> str:
        """Return what helps on the command line.

        Returns
        -------
        str
            An option, and what it does.
        """
        return "--date-parts learns from months, weekdays and days between dates instead"


@contextmanager
def short_errors(start: str = "") -> Iterator[None]:
    """Cut what an `InputError` says to a length that a person reads: names and rules in it may be of any length."""
    try:
        yield
    except InputError as error:
        raise InputError(start + shortened(str(error), 600)) from None


def shortened(text: str, most: int = 60) -> str:
    """Return a text, cut after `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


class NothingLearnedWarning(ConceptRulesWarning):
    """A network without rules: it answers the default class on every row."""


def warn(message: str | Warning) -> None:
    """Warn, and name the first line outside of this package on the way up: the call that the user wrote."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    # A context manager of ours is entered through contextlib.
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (_PACKAGE, "contextlib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ConceptRulesWarning, stacklevel=level)
