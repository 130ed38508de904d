"""What people call a column where it is a reason for an answer: a code and a text, for each thing that it can say.

A table of such codes is plain: `{"debt": ["R01", "Debt"]}` is about all values of a column, and
`{"debt": {"high": [...], "low": [...], "missing": [...]}, "job": {"cook": [...], "": [...]}}` tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column

MISSING, HIGH, LOW = "missing", "high", "low"


@dataclass(frozen=True, slots=True)
class ReasonCode:
    """What people call a column, or one thing that it can say, where it is a reason."""

    column: str
    """The name of the column."""
    code: str
    """The code, such as "R01"."""
    text: str
    """The text, such as "Debt is high against income"."""
    case: str = ""
    """What the column says: "high" or "low" where less or more would have been better, "missing", or a category as
    text; empty: whatever has no code of its own."""


def read_reason_codes(table: Any) -> tuple[ReasonCode, ...]:
    """Return the codes of a plain table."""
    if not isinstance(table, Mapping):
        raise InputError(f"the reason codes are {table!r}; give a code and a text for columns, by their names")
    codes = []
    for column, entry in table.items():
        cases = entry if isinstance(entry, Mapping) else {"": entry}
        for case, pair in cases.items():
            if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(e, str) for e in pair):
                name = f"{column!r}" + (f", {case}," if case else "")
                raise InputError(f'the reason code of {name} is {pair!r}; give a code and a text: ("R01", "...")')
            codes.append(ReasonCode(str(column), pair[0], pair[1], str(case)))
    return tuple(codes)


def plain_reason_codes(codes: Sequence[ReasonCode]) -> dict[str, Any]:
    """Return the plain table of codes: the inverse of `read_reason_codes`."""
    table: dict[str, Any] = {}
    for each in codes:
        table.setdefault(each.column, {})[each.case] = [each.code, each.text]
    return {column: cases[""] if list(cases) == [""] else cases for column, cases in table.items()}


def check_reason_codes(codes: Sequence[ReasonCode], columns: Sequence[Column]) -> None:
    """Raise an `InputError` for a code of a column, or of something that it says, that there is not."""
    from conceptrules.model.rule_reader import nearest_name  # which knows networks

    known = {column.name: column for column in columns}
    seen: set[tuple[str, str]] = set()
    for each in codes:
        if each.column not in known:
            near = nearest_name(each.column, list(known))
            raise InputError(f"the reason codes name column {each.column!r}, which the network does not have; {near}")
        cases = list_cases(known[each.column])
        if each.case not in cases:
            near = nearest_name(each.case, [case for case in cases if case])
            kind = known[each.column].kind
            raise InputError(
                f"the reason codes of {each.column!r} have {each.case!r}, which a {kind} is not told apart by; {near}"
            )
        if (each.column, each.case) in seen:
            raise InputError(f"column {each.column!r} has two reason codes for the same; give it one")
        seen.add((each.column, each.case))


def list_cases(column: Column) -> list[str]:
    """Return what codes of a column can tell apart.

    >>> list_cases(Column("debt")), list_cases(Column("job", "category", ("cook", "nurse")))
    (['', 'missing', 'high', 'low'], ['', 'missing', 'cook', 'nurse'])
    """
    from conceptrules.model.values import label_text  # which knows networks

    if column.ordered or column.kind == "ordinal":
        return ["", MISSING, HIGH, LOW]
    values = (False, True) if column.kind == "boolean" else column.categories
    return ["", MISSING, *map(label_text, values)]


def find_code(codes: Sequence[ReasonCode], column: str, case: str = "") -> ReasonCode | None:
    """Return the code of what a column says, or else that of the column; None where there is neither."""
    known = {each.case: each for each in codes if each.column == column}
    return known.get(case) or known.get("")
