"""What a user hands to `fit`: the tables, which column is what, and the options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from conceptrules.binarize import Binarizer
from conceptrules.binarize.value_counts import GivenKind
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.coding.number_target import NumberTarget
from conceptrules.learn.folds import check_one_holdout
from conceptrules.model.errors import InputError, warn
from conceptrules.model.policy import Fair, Forbidden, Policy
from conceptrules.model.values import brief
from conceptrules.tables.sources import check_column_name
from conceptrules.tables.table import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class FitInputs:
    """The tables that a fit learns from, as the user gives them."""

    X: Any
    y: Any
    sample_weight: Any = None
    X_val: Any = None
    y_val: Any = None
    groups: Any = None
    time: Any = None
    policy_data: Any = None
    exposure: Any = None
    """How long, or how much, each row was exposed to what is counted; then rates are learned."""


class Effort(Protocol):
    """How hard to try."""

    @property
    def folds(self) -> int:
        """Folds that are held out in turn, up to 5,000 different rows."""


class LearnerSettings(Protocol):
    """What the settings of every learner say."""

    @property
    def effort_level(self) -> Effort: ...

    def choose_bins(self, rows: int) -> int:
        """Return the most bins of a column of so many rows, unless the user says how many."""


Settings = TypeVar("Settings", bound=LearnerSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions(Generic[Settings]):
    """How to learn."""

    settings: Settings
    policy: Policy | None
    class_weight: Any
    binarizer: Binarizer
    """Unfitted, with the settings of the columns."""
    max_bins: int | None
    validation_fraction: float | None
    threads: int
    verbose: bool
    parameters: Mapping[str, Any]
    """Those of the estimator, for the record."""
    rng: np.random.Generator
    estimate_bytes: Callable[[int, int, int], float]
    """How much memory that many rows, columns and classes take."""
    checkpoint: Checkpoint | None = None
    number: NumberTarget | None = None
    """How the target is read where it is a number; None: it is a class."""

    @property
    def forbidden(self) -> list[str]:
        """The columns that the policy forbids."""
        return [] if self.policy is None else [clause.column for clause in self.policy.of_kind(Forbidden)]

    @property
    def fair_columns(self) -> tuple[str, ...]:
        """The columns of groups that the policy wants to be treated alike."""
        clauses = () if self.policy is None else self.policy.of_kind(Fair)
        return tuple(dict.fromkeys(clause.column for clause in clauses))


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """Which columns of a table are what."""

    target: str
    weight: str | None
    features: tuple[str, ...]
    groups: str | None = None
    """The column whose rows of one value are held out together."""
    time: str | None = None
    """The column of moments; the newest rows are held out."""
    fair: tuple[str, ...] = ()
    """Columns of groups that a policy wants to be treated alike; they may be features, too."""
    number: NumberTarget | None = None
    """How the target is read where it is a number; None: it is a class."""

    @property
    def exposure(self) -> str | None:
        """The column of exposures, if there is one."""
        return None if self.number is None else self.number.exposure

    @property
    def outcome(self) -> list[str]:
        """The target, and the columns of weights and of exposures if there are some."""
        return [name for name in (self.target, self.weight, self.exposure) if name is not None]

    @property
    def holdout(self) -> str | None:
        """The column that says which rows are held out."""
        return self.groups or self.time

    @property
    def all_columns(self) -> list[str]:
        """All columns that are read."""
        holdout = [] if self.holdout is None else [self.holdout]
        return list(dict.fromkeys([*self.features, *self.outcome, *holdout, *self.fair]))

    def without_holdout(self) -> ColumnRoles:
        """Return the roles of the columns of validation rows, none of which are held out."""
        return replace(self, groups=None, time=None)

    def restrict_to(self, binarizer: Binarizer) -> ColumnRoles:
        """Return the roles without the features that a fitted binarizer leaves out."""
        return replace(self, features=tuple(column.name for column in binarizer.columns_ if column.derivation is None))

    def read_kinds(self, kinds: Mapping[str, GivenKind]) -> dict[str, str]:
        """Return how columns of text are read: as the user says, labels as they are written, weights as numbers."""
        own = {**dict.fromkeys(self.outcome, "number"), **({} if self.number else {self.target: "category"})}
        return {name: _read_kind(given) for name, given in kinds.items() if name in self.features} | own


def _read_kind(given: GivenKind) -> str:
    if given.kind != "ordinal":
        return "category" if given.kind == "text" else given.kind
    return "category" if given.order is None or isinstance(given.order[0], str) else "number"


def assign_roles(names: Sequence[str], inputs: FitInputs, options: FitOptions[Any]) -> ColumnRoles:
    """Return the roles of the columns of a table that is read in batches, or raise an `InputError`.

    The error names the nearest column where one is not there.
    """
    target = inputs.y
    if not isinstance(target, str):
        raise InputError(
            f"y is {brief(target)}; for a table that is read in batches it is the name of the target column, such as "
            f"{names[-1]!r}"
        )
    check_one_holdout(inputs.groups, inputs.time)
    if inputs.policy_data is not None:
        raise InputError(
            "policy_data is for a table in memory; of a table that is read in batches the policy reads its own columns"
        )
    named = {"sample_weight": inputs.sample_weight, "groups": inputs.groups, "time": inputs.time,
             "exposure": inputs.exposure}  # fmt: skip
    for role, name in named.items():
        if name is None:
            continue
        if not isinstance(name, str):
            raise InputError(f"{role} needs the name of a column for a table that is read in batches")
        if check_column_name(name, names, role) == target:
            raise InputError(f"{role} is the target column {target!r}; name another one")
    check_column_name(target, names, "y")
    for name in options.forbidden:
        if name not in names:
            warn(f"column {name!r} is forbidden, but the table has no such column; {nearest(name, names)}")
    for name in options.fair_columns:
        if name not in names:
            raise InputError(f"fair.{name}: the table has no column {name!r}; {nearest(name, names)}")
    features = tuple(name for name in names if name not in (target, *named.values(), *options.forbidden))
    if not features:
        raise InputError(f"no column is left to learn from besides the target {target!r}")
    number = options.number and replace(options.number, exposure=inputs.exposure)
    return ColumnRoles(target, inputs.sample_weight, features, inputs.groups, inputs.time, options.fair_columns, number)
