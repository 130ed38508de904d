"""The form of "try a row": what can be entered in each column, and where the rules change their mind."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Kind, Predicate, Value, finite_bounds, known_categories

DAY = 86_400_000_000.0  # microseconds


@dataclass(frozen=True, slots=True)
class Field:
    """One column of the form."""

    number: int
    """Its place among the columns of the network."""
    name: str
    kind: Kind
    missing: bool
    """Whether training rows had gaps here."""
    options: tuple[Value, ...] = ()
    """The categories, in their order."""
    open: bool = False
    """Whether there are categories besides the options, as far as is known."""
    cuts: tuple[float, ...] = ()
    """Where a predicate in use begins or ends, ascending."""
    ends: tuple[float, float] = (0.0, 1.0)
    """The ends of the slider: a bit beyond the cuts, since the file says nothing about the range of the data."""

    @property
    def ordered(self) -> bool:
        return Column("", self.kind).ordered


def fields(network: RuleNetwork) -> tuple[Field, ...]:
    """Return a field for each column of a network whose rules ask about all of them."""
    used = network.used_columns
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    return tuple(
        _field(
            number,
            column,
            [network.predicates[index] for index in used[column.name]],
            column.name in dropped,
        )
        for number, column in enumerate(network.columns)
    )


def _field(number: int, column: Column, predicates: Sequence[Predicate], dropped: bool) -> Field:
    if not column.ordered:
        options = _options(column, predicates)
        more = column.kind == "category" and (dropped or not column.categories)
        return Field(number, column.name, column.kind, column.missing, options, more)
    cuts = finite_bounds(predicates)
    ends = slider_ends(cuts, column.kind)
    return Field(number, column.name, column.kind, column.missing, cuts=cuts, ends=ends)


def _options(column: Column, predicates: Iterable[Predicate]) -> tuple[Value, ...]:
    """Return what a row can hold: text or numbers, whichever the first category is."""
    if column.kind == "boolean":
        return (False, True)
    known = known_categories(column, predicates)
    return tuple(value for value in known if isinstance(value, str) == isinstance(known[0], str))


def slider_ends(cuts: Sequence[float], kind: Kind) -> tuple[float, float]:
    """Return ends as far beyond the outer cuts as these are from their neighbours; not below 0 if all cuts are above.

    >>> slider_ends([27.0, 41.0], "number"), slider_ends([10.0], "number")
    ((13.0, 55.0), (5.0, 15.0))
    """
    if not cuts:
        return (0.0, 30 * DAY) if kind != "number" else (0.0, 1.0)
    near = 30 * DAY if kind in ("date", "datetime") else abs(cuts[0]) / 2 or 1.0
    below = cuts[1] - cuts[0] if len(cuts) > 1 else near
    above = cuts[-1] - cuts[-2] if len(cuts) > 1 else near
    low = cuts[0] - below
    if kind in ("number", "duration") and cuts[0] > 0:
        low = max(low, 0.0)
    return max(low, -sys.float_info.max), min(cuts[-1] + above, sys.float_info.max)
