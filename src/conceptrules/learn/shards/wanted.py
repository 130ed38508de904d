"""Which columns of a table are learned from, and which have the labels and the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conceptrules.binarize.columns import GivenKind
from conceptrules.model.errors import InputError, warn
from conceptrules.model.values import brief
from conceptrules.tables.sources import check_column_name
from conceptrules.tables.table import nearest


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns of a table are what."""

    target: str
    weight: str | None
    features: tuple[str, ...]

    @property
    def every(self) -> list[str]:
        """All of them."""
        return [*self.features, *self.outcome]

    @property
    def outcome(self) -> list[str]:
        """The target, and the column of weights if there is one."""
        return [self.target] if self.weight is None else [self.target, self.weight]

    def text_kinds(self, kinds: Mapping[str, GivenKind]) -> dict[str, str]:
        """Return how columns of text are read: as the user says, labels as they are written, weights as numbers."""
        own = {self.target: "category", **({} if self.weight is None else {self.weight: "number"})}
        return {name: _text_kind(given) for name, given in kinds.items() if name in self.features} | own


def _text_kind(given: GivenKind) -> str:
    if given.kind != "ordinal":
        return given.kind
    return "category" if given.order is None or isinstance(given.order[0], str) else "number"


def wanted_columns(names: Sequence[str], target: Any, weight: Any, forbidden: Sequence[str]) -> Wanted:
    """Return which columns are what, or raise an `InputError` with the nearest name of one that is not there."""
    if not isinstance(target, str):
        raise InputError(
            f"y is {brief(target)}; for a table that is read in batches it is the name of the target column, such as "
            f"{names[-1]!r}"
        )
    if weight is not None and not isinstance(weight, str):
        raise InputError("sample_weight needs the name of a column for a table that is read in batches")
    check_column_name(target, names, "y")
    if weight is not None and check_column_name(weight, names, "sample_weight") == target:
        raise InputError(f"sample_weight is the target column {target!r}; name another one")
    for name in forbidden:
        if name not in names:
            warn(f"column {name!r} is forbidden, but the table has no such column; {nearest(name, names)}")
    features = tuple(name for name in names if name not in (target, weight, *forbidden))
    if not features:
        raise InputError(f"no column is left to learn from besides the target {target!r}")
    return Wanted(target, weight, features)
