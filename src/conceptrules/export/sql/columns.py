"""The columns of the table as a query reads them, and the refusal of what Python refuses to read.

Python reads a column of numbers from true and false too, and never from text; where it stops with an error, the query
has to. A condition for each column says what is wrong there: a value, of a type that the column is not read from. The
query asks these conditions before anything else. A column of any type without a value is missing, as in Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from conceptrules.export.inputs import Input, Storage, derived_inputs, inputs
from conceptrules.export.sql.literals import text_literal
from conceptrules.export.sql.names import QueryNames, raw_column, table_expression
from conceptrules.export.sql.readings import ASKED, TAKES, Reading, fill, is_open, main_reading, readings
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Kind
from conceptrules.model.values import NOUNS, readable
from conceptrules.tables.table import nearest

STORAGES: dict[Storage, Kind] = {
    "number": "number",
    "boolean": "boolean",
    "text": "category",
    "date": "date",
    "datetime": "datetime",
    "duration": "duration",
}
# The type of a column y of the table, asked once rather than in each row: PostgreSQL knows it without a row. COALESCE
# tells what a domain is made of.
_TYPE_OF = (
    "(SELECT CASE WHEN typcategory IN ('E', 'S') THEN 'text' ELSE FORMAT_TYPE(oid, NULL) END "
    "FROM pg_catalog.pg_type WHERE oid = PG_TYPEOF(COALESCE(y, NULL)))"
)
# What is missing, as conditions on the column x of the type t. In PostgreSQL its text is asked, not x itself: a value
# made of nothing but NULLs IS NULL.
_NULL = {"duckdb": "x IS NULL", "postgres": "CAST(x AS TEXT) IS NULL", "sqlite": "x IS NULL"}
_NAN = {
    "duckdb": "t IN ('FLOAT', 'DOUBLE') AND ISNAN(TRY_CAST(x AS DOUBLE))",
    "postgres": "t IN ('real', 'double precision', 'numeric') AND CAST(x AS TEXT) = 'NaN'",
}
# What is neither all text nor all numbers, of which only SQLite has columns: y is the column, of any row.
_MIXED = "t = 'text' AND EXISTS(SELECT 1 FROM rows WHERE TYPEOF(y) IN ('integer', 'real'))"
# An error with this text x. Only DuckDB has a function for it; the others repeat what they cannot read.
_ERROR = {"duckdb": "ERROR(x)", "postgres": "CAST(x AS BOOLEAN)", "sqlite": "JSON_EXTRACT('[]', x)"}
# With a setting below 1, PostgreSQL writes doubles with 15 digits or less.
_DIGITS = "CAST(CURRENT_SETTING('extra_float_digits') AS INT)"
_ROUNDED = "'numbers are read from all their digits: SET extra_float_digits = 1 first, it is ' || x"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column in use, as the query reads it."""

    input: Input
    name: str
    """What the table calls it."""
    raw: exp.Column
    """The column as it is."""
    type: exp.Expr
    """What tells its type."""
    readings: dict[Reading, str]
    """The names of what it is read as."""


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column that the query works out from others."""

    input: Input
    readings: dict[Reading, str]
    """The name of what it works out."""


def table_columns(used: Sequence[Input], names: QueryNames, dialect: str) -> list[TableColumn]:
    """Return the columns in use, each with the names of its readings: x1, or x1 and x1_2."""
    result = []
    for number, each in enumerate(used, start=1):
        name = names.columns[each.column.name]
        raw = raw_column(names, name)
        kind = exp.column(names.own(f"t{number}")) if dialect == "postgres" else exp.Typeof(this=raw.copy())
        titles = {
            reading: names.own(f"x{number}_{place}" if place > 1 else f"x{number}")
            for place, reading in enumerate(readings(each, dialect), start=1)
        }
        result.append(TableColumn(each, name, raw, kind, titles))
    return result


def derived_columns(network: RuleNetwork, names: QueryNames) -> list[DerivedColumn]:
    """Return the derived columns in use, each with its name in the query: d1, d2, ..."""
    return [
        DerivedColumn(each, {"flag" if each.family == "flag" else "number": names.own(f"d{number}")})
        for number, each in enumerate(derived_inputs(network), start=1)
    ]


def typed_inputs(network: RuleNetwork, types: Mapping[str, str] | None) -> tuple[Input, ...]:
    """Return the columns in use, with what `types` says that the table holds; raise if Python could not read that."""
    columns = {column.name: column for column in network.own_columns}
    storages: dict[str, Storage] = {}
    for name, storage in (types or {}).items():
        if name not in columns:
            raise InputError(f"the network has no column {name!r} to give a type; {nearest(name, columns)}")
        storages[name] = _check_storage(columns[name], storage)
    return tuple(_with_storage(used, storages.get(used.column.name)) for used in inputs(network))


def _check_storage(column: Column, storage: str) -> Storage:
    if storage not in STORAGES:
        raise InputError(f"there is no type {storage!r} for column {column.name!r}; there are {', '.join(STORAGES)}")
    if not readable(STORAGES[storage], column):
        needed = " or ".join(name for name, kind in STORAGES.items() if readable(kind, column))
        raise InputError(
            f"column {column.name!r} cannot be read from the type {storage!r}, nor could Python read it; "
            f"it needs {needed}"
        )
    return storage


def _with_storage(used: Input, storage: Storage | None) -> Input:
    """Return what a column holds; one without categories holds whatever the table says."""
    if storage is None:
        return used
    if used.column.kind != "category" or used.column.categories:
        return replace(used, storage=storage)
    return replace(used, storage=storage, family="text" if storage == "text" else "figure")


def type_expressions(columns: Sequence[TableColumn], names: QueryNames) -> list[exp.Expr]:
    """Return what PostgreSQL is asked first: how it writes numbers, and the types of the columns in use."""
    source = table_expression(names.table).as_(names.own("source"))
    cells = [exp.select(raw_column(names, column.name)).from_(source).limit(0).subquery() for column in columns]
    asked = [fill(_DIGITS, "postgres"), *(fill(_TYPE_OF, "postgres", y=cell) for cell in cells)]
    return [each.as_(names.own(f"t{number}")) for number, each in enumerate(asked)]


def refusal(columns: Sequence[TableColumn], names: QueryNames, dialect: str) -> exp.Expr | None:
    """Return a condition that is true, or an error on what cannot be read; None if the dialect needs none."""
    if dialect not in ASKED:
        return None
    case = exp.case()
    if dialect == "postgres" and any("number" in column.readings for column in columns):
        digits = exp.column(names.own("t0"))
        case.when(digits < 1, _error(fill(_ROUNDED, dialect, x=digits), dialect), copy=False)
    for column in columns:
        case.when(_has_wrong_type(column, dialect), _refuse(column, _needed(column), column.type, dialect), copy=False)
        if is_open(column.input) and dialect == "sqlite":
            both = exp.Literal.string("both in one column")
            case.when(_is_mixed(column, names), _refuse(column, "text or numbers", both, dialect), copy=False)
    return case.else_(exp.true(), copy=False) if case.args["ifs"] else None


def _has_wrong_type(column: TableColumn, dialect: str) -> exp.Expr:
    """Return whether there is a value, of a type that the column is not read from."""
    takes, reading = TAKES[dialect], main_reading(column.input)
    right = f"({takes['text']}) OR ({takes['number']})" if is_open(column.input) else takes[reading]
    # The right type first: nothing else is asked then.
    wrong = f"NOT ({right}) AND NOT {_NULL[dialect]}"
    if dialect in _NAN and takes["number"] not in right:
        wrong += f" AND NOT ({_NAN[dialect]})"
    return fill(wrong, dialect, x=column.raw, t=column.type)


def _is_mixed(column: TableColumn, names: QueryNames) -> exp.Expr:
    other = exp.column(exp.to_identifier(column.name, quoted=True), table="rows")
    rows = table_expression(names.table).as_("rows")
    condition = fill(_MIXED, "sqlite", t=column.type, y=other)
    return condition.transform(lambda node: rows if isinstance(node, exp.Table) else node)


def _needed(column: TableColumn) -> str:
    if is_open(column.input):
        return "text, numbers, true or false"
    kinds: dict[Reading, Kind] = {"number": "number", "text": "category"}
    return NOUNS[kinds.get(main_reading(column.input), column.input.column.kind)]


def _refuse(column: TableColumn, needed: str, actual: exp.Expr, dialect: str) -> exp.Expr:
    words = text_literal(f"column {column.name} needs {needed}, not ", dialect)
    return _error(exp.DPipe(this=words, expression=actual.copy(), safe=True), dialect)


def _error(message: exp.Expr, dialect: str) -> exp.Expr:
    return fill(_ERROR[dialect], dialect, x=message)
