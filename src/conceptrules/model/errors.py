"""Errors and warnings that come from input, not from a bug of ours.

The command line shows these errors as one line; anything else is a bug and shows its traceback.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from types import FrameType

_PACKAGE = __name__.partition(".")[0]


class ConceptRulesError(Exception):
    """Base of the errors that a user can mend; the message says how."""


class InputError(ConceptRulesError, ValueError):
    """A value that does not fit: a wrong name, range, file or table."""


class ColumnTypeError(ConceptRulesError, TypeError):
    """A column whose values have the wrong type."""


class ColumnWarning(UserWarning):
    """A column that is hardly a feature, such as an identifier; it is learned from all the same.

    Parameters
    ----------
    found : str
        What was found.
    columns : iterable of str
        The columns that it is about.
    """

    def __init__(self, found: str, columns: Iterable[str] = ()) -> None:
        super().__init__(f"{found}; leave it out if it is no feature")
        self.found = found
        self.columns = tuple(columns)


def warn(message: str | Warning) -> None:
    """Warn, and name the first line outside of this package on the way up: the call that the user wrote."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
