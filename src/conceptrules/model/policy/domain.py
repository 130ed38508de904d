"""Which rows are possible: proofs speak of these, and of no others."""

from __future__ import annotations

import math
from dataclasses import dataclass

from conceptrules.model.errors import InputError


@dataclass(frozen=True, slots=True)
class Domain:
    """The rows that are possible. By default these are all rows that a table could hold.

    Parameters
    ----------
    ranges : tuple of (str, float, float), default=()
        Columns with their least and their greatest value, both possible.
    missing : bool or tuple of str, default=True
        Whether values can be missing; or the columns where they can.
    unseen : bool, default=True
        Whether a column can hold categories that training did not see.
    impossible : tuple of str, default=()
        Rules in words: no possible row satisfies one of these.

    Raises
    ------
    InputError
        If a range has no value in it, or a column has two.
    """

    ranges: tuple[tuple[str, float, float], ...] = ()
    missing: bool | tuple[str, ...] = True
    unseen: bool = True
    impossible: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", tuple((name, low, high) for name, low, high in self.ranges))
        object.__setattr__(self, "impossible", tuple(self.impossible))
        if not isinstance(self.missing, bool):
            object.__setattr__(self, "missing", tuple(self.missing))
        names = [name for name, _, _ in self.ranges]
        for name, low, high in self.ranges:
            if not (_is_number(low) and _is_number(high) and low <= high):
                raise InputError(f"domain.ranges.{name} must be two numbers, the least first, found {[low, high]}")
            if names.count(name) > 1:
                raise InputError(f"domain.ranges names {name!r} twice; give one range")

    def can_miss(self, column: str) -> bool:
        """Return whether a value of this column can be missing."""
        return self.missing if isinstance(self.missing, bool) else column in self.missing

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that ranges and gaps name."""
        gaps = () if isinstance(self.missing, bool) else self.missing
        return (*(name for name, _, _ in self.ranges), *gaps)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
