"""Runs SQL: makes the table, asks, and reads the answers. Each database has a file of its own for how it is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from conceptrules.export.inputs import Input, inputs
from conceptrules.export.sql.labels import label_text, label_type
from conceptrules.export.sql.names import names_of, parts_of
from conceptrules.export.sql.query import sql
from conceptrules.export.sql.readings import holds_flags
from conceptrules.export.sql.types import told
from conceptrules.export.verify.engines import answers
from conceptrules.export.verify.engines.storage import holdable_rows
from conceptrules.export.verify.trial_rows import CLAIM, Answers, Trial, trial_of
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import EPOCH, Value
from conceptrules.model.values import is_missing

RUNS = ("duckdb", "postgres", "sqlite")


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of the table: its name, what it holds, its values; times in microseconds since 1970."""

    name: str
    kind: str
    """One of number, whole, flag, text, moment and duration."""
    values: Sequence[Any]


class Database(Protocol):
    """A module that reaches one database."""

    def missing(self, places: Sequence[Sequence[str]]) -> str | None:
        """Return why it cannot be asked here about tables or views of these names."""

    def ask(
        self, places: Sequence[Sequence[str]], columns: Sequence[Stored], queries: Sequence[tuple[str, str | None]]
    ) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each query on a table of the first name; a query may need a statement before it."""


def missing(dialect: str = "duckdb", table: Any = "data", view: Any = None, **options: Any) -> str | None:
    if options.get("trust_types"):
        return "a query that trusts the types of the table depends on them; its text was read again in its dialect"
    if dialect not in RUNS:
        return f"{dialect} does not run here; the text was read again in its dialect"
    return _database(dialect).missing(_places(table, view))


def claim(reasons: bool = False, **options: Any) -> str:
    """Say what is compared; without reasons, the text that is written says nothing about rules."""
    other = "the same class as the model (and the same fired rules, from the same query with reasons)"
    return CLAIM if reasons else other


def cover(network: RuleNetwork, trial: Trial, types: Mapping[str, str] | None = None, **options: Any) -> Trial:
    """Return each row twice, with 0 and with 1 for the numbers of columns that are told to hold true and false."""
    flags = [one.column.name for one in _used(network, types) if one.stored == "boolean"]
    if not flags:
        return trial
    values = {name: [*column, *column] for name, column in trial.values.items()}
    for shift, name in enumerate(flags):
        bits = [(row >> shift) % 2 for row in range(len(trial))]
        both = [*bits, *(1 - bit for bit in bits)]
        values[name] = [value if is_missing(value) else bit for value, bit in zip(values[name], both, strict=True)]
    return trial_of(network, values, 2 * len(trial))


def holdable(
    network: RuleNetwork,
    trial: Trial,
    dialect: str = "duckdb",
    types: Mapping[str, str] | None = None,
    **options: Any,
) -> Bits:
    return holdable_rows(_used(network, types), trial, nul=dialect != "postgres", flags=True)


def run(
    network: RuleNetwork,
    exported: str,
    trial: Trial,
    dialect: str = "duckdb",
    table: Any = "data",
    view: Any = None,
    reasons: bool = False,
    probabilities: bool = False,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
    types: Mapping[str, str] | None = None,
) -> Answers:
    """Run an export; one without reasons is run as it is, and once more with them, to know the fired rules."""
    names = names_of(network, dialect, table, columns or {}, keep, prefix, ())
    used = _used(network, types)
    stored = [*_stored(network, used, trial, names.columns), *_extra(names.kept, names.columns.values(), len(trial))]
    queries = [_query(exported, view, dialect)]
    if not reasons:
        same: dict[str, Any] = {"columns": columns, "keep": keep, "prefix": prefix or "conceptrules_", "types": types}
        queries.append((sql(network, dialect=dialect, table=table, reasons=True, **same), None))
    results = _database(dialect).ask(_places(table, view), stored, queries)
    first = len(names.kept)
    classes = [_index(network, row[first]) for row in results[0]]
    fired = [str(row[first + 1]).split() for row in results[-1]]
    found = answers(network, classes, fired)
    if not probabilities:
        return found
    stated = np.array([row[-len(network.classes) :] for row in results[0]], dtype=np.float64)
    return Answers(found.classes, found.rules, stated.reshape(len(trial), len(network.classes)))


def quoted(name: str, dialect: str) -> str:
    """Return a name as the dialect quotes it."""
    from sqlglot import exp

    return exp.to_identifier(name, quoted=True).sql(dialect)


def dotted(parts: Sequence[str], dialect: str) -> str:
    return ".".join(quoted(part, dialect) for part in parts)


def moment(microseconds: float) -> Any:
    """Return a Python datetime."""
    import datetime as dt

    return EPOCH + dt.timedelta(microseconds=int(microseconds))


def _database(dialect: str) -> Database:
    module: Any = import_module(f"conceptrules.export.verify.engines.{dialect}")
    return module


def _places(table: Any, view: Any) -> list[tuple[str, ...]]:
    return [parts_of(table), *([] if view is None else [parts_of(view)])]


def _query(exported: str, view: Any, dialect: str) -> tuple[str, str | None]:
    return (exported, None) if view is None else (f"SELECT * FROM {dotted(parts_of(view), dialect)}", exported)


def _used(network: RuleNetwork, types: Mapping[str, str] | None) -> tuple[Input, ...]:
    return told(inputs(network), types or {}, network.columns)


def _stored(network: RuleNetwork, used: Sequence[Input], trial: Trial, called: Mapping[str, str]) -> list[Stored]:
    """Return the columns in use with their values; the others, which do not matter, without any."""
    by_name = {one.column.name: one for one in used}
    result = []
    for column in network.columns:
        one, values = by_name.get(column.name), trial.values[column.name]
        kind = "text" if one is None else _kind(one)
        plain = [None] * len(values) if one is None else [_plain(value, kind) for value in values]
        result.append(Stored(called[column.name], kind, plain))
    return result


def _extra(kept: Sequence[str], known: Any, rows: int) -> list[Stored]:
    return [Stored(name, "text", [None] * rows) for name in kept if name not in known]


def _kind(one: Input) -> str:
    if holds_flags(one):
        return "flag"
    if one.family == "ordered":
        return {"date": "moment", "datetime": "moment"}.get(one.column.kind, one.column.kind)
    return "number" if one.family == "figure" else one.family


def _plain(value: Value | None, kind: str) -> Any:
    if value is None:
        return None
    if kind == "flag":
        return bool(value)
    if kind == "whole":
        return int(value)
    return value if kind == "text" else float(value)


def _index(network: RuleNetwork, found: Any) -> int:
    """Return the class with this label; -1 if there is none."""
    text = label_type(network) is str
    labels = [label_text(network, value) if text else value for value in network.classes]
    return labels.index(found) if found in labels else -1
