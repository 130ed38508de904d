"""The names in a query: those of the table, quoted, and our own, which never clash with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import ParseError, TokenError, exp, parse

from conceptrules.export.inputs import is_utf8
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.tables.table import nearest

_SENSITIVE = ("postgres", "snowflake")  # to the case of quoted names
_WORDS = {
    "types", "inputs", "derived", "predicates", "source", "pattern", "patterns", "fires", "scores", "largest", "best",
    "powers",
    "rules_of_rows", "scored_rows", "counts", "bins", "shares",
}  # fmt: skip
"""Our own tables and columns that have no number."""
_LONGEST_ANSWER = 63  # bytes of the name of a column with a score or a probability: what every database has
_LONGEST = {"postgres": 63}  # bytes; the rest is cut off


@dataclass(frozen=True, slots=True)
class QueryNames:
    """The names of a query."""

    table: tuple[str, ...]
    columns: dict[str, str]
    """What the table calls the columns of the network."""
    kept: tuple[str, ...]
    """The columns of the table that the query gives back."""
    prefix: str
    marks: str
    """Underscores that set our names apart from the table's."""

    def own(self, name: str) -> str:
        """Return a name of ours."""
        return self.marks + name


def make_query_names(
    network: RuleNetwork,
    dialect: str,
    table: str | Sequence[str],
    columns: Mapping[str, str],
    keep: Sequence[str],
    prefix: str,
    added: Sequence[str],
) -> QueryNames:
    """Return the names of a query, all of them checked."""
    table_names = column_names(network, columns)
    kept = tuple(dict.fromkeys([*table_names.values(), *keep]))
    for name in kept:
        _check_name(name, dialect)
    if not kept:
        raise InputError("the network has no columns, so there is no table to ask about; name some with keep")
    _check_distinct([*table_names.values(), *(name for name in kept if name not in table_names.values())], dialect)
    check_added(added, prefix, kept, dialect)
    if prefix and not (prefix.isascii() and prefix.isidentifier()):
        raise InputError(f"the prefix {prefix!r} needs to be a word of letters, digits and _")
    parts = split_name(table)
    for part in parts:
        _check_name(part, dialect)
    marks = find_marks([*kept, *parts, *(prefix + name for name in added)])
    return QueryNames(parts, table_names, kept, prefix, marks)


def column_names(network: RuleNetwork, columns: Mapping[str, str]) -> dict[str, str]:
    """Return what the table calls each column of the network; raise if `columns` renames one that does not exist."""
    known = [column.name for column in network.own_columns]
    for name in columns:
        if name not in known:
            raise InputError(f"the network has no column {name!r} to give another name; {nearest(name, known)}")
    return {name: columns.get(name, name) for name in known}


def answer_columns(names: list[str], prefix: str, dialect: str) -> list[str]:
    """Return the names of the columns of scores or probabilities, which go behind the prefix: those of predictions.

    Where the database could not tell them apart, or could not have them, the classes have numbers instead.
    """
    possible = all(re.fullmatch(r"[\w ]+", name) and len((prefix + name).encode()) <= _LONGEST_ANSWER for name in names)
    if possible and len({_fold(prefix + name, dialect).casefold() for name in names}) == len(names):
        return names
    return [f"{names[0].partition('_')[0]}_{number}" for number in range(1, 1 + len(names))]


def check_added(added: Sequence[str], prefix: str, kept: Iterable[str], dialect: str) -> None:
    """Raise if a column that the query adds has the name of one that it gives back."""
    taken = {_fold(name, dialect) for name in kept}
    for name in added:
        if _fold(prefix + name, dialect) in taken:
            raise InputError(f"the table has a column {prefix + name!r} already; give the added ones a prefix")


def split_name(name: str | Sequence[str]) -> tuple[str, ...]:
    """Return `schema.table` as its parts; a sequence is taken as it is."""
    parts = tuple(name.split(".")) if isinstance(name, str) else tuple(name)
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise InputError(f"{name!r} should read table, schema.table or catalog.schema.table")
    return parts


def table_expression(parts: Sequence[str]) -> exp.Table:
    """Return a table by the parts of its name."""
    quoted = [exp.to_identifier(part, quoted=True) for part in parts]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(quoted), strict=False)))


def raw_column(names: QueryNames, name: str) -> exp.Column:
    """Return a column of the table. It is qualified: SQLite takes an unknown "name" for text."""
    return exp.column(exp.to_identifier(name, quoted=True), table=names.own("source"))


def check_written(tree: exp.Expr, text: str, dialect: str) -> None:
    """Raise unless the text, read again in its dialect, is one statement with just the names and texts we wrote."""
    try:
        statements = [statement for statement in parse(text, dialect=dialect) if statement is not None]
    except (ParseError, TokenError):
        statements = []
    lost = _words(tree) ^ _words(statements[0]) if len(statements) == 1 else set()
    if lost or len(statements) != 1:
        what = repr(min(lost)) if lost else "a name"
        raise InputError(f"{what} cannot be written in the SQL of {dialect}; rename it, a column with columns={{...}}")


def _words(tree: exp.Expr) -> set[str]:
    """Return all names and texts of a statement, each once: reading SQL Server's again adds aliases."""
    return {
        node.this
        for node in tree.walk()
        if isinstance(node, exp.Identifier | exp.National) or (isinstance(node, exp.Literal) and node.is_string)
    }


def _check_name(name: str, dialect: str) -> None:
    if not name or "\0" in name or not is_utf8(name) or (dialect == "spark" and "${" in name):
        raise InputError(
            f"{name!r} cannot be a name in the SQL of {dialect}; for a column, say what the table calls it: "
            f"columns={{{name!r}: ...}}"
        )


def _check_distinct(names: Sequence[str], dialect: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        folded = _fold(name, dialect)
        if folded in seen:
            raise InputError(
                f"{seen[folded]!r} and {name!r} are one name in {dialect}; say what the table calls them with "
                "columns={...}"
            )
        seen[folded] = name


def _fold(name: str, dialect: str) -> str:
    folded = name if dialect in _SENSITIVE else name.casefold()
    return folded.encode("utf-8")[: _LONGEST.get(dialect)].decode("utf-8", "ignore")


def find_marks(names: Sequence[str]) -> str:
    """Return the fewest underscores that keep our own names from being one of these."""
    folded = [name.casefold() for name in names]
    marks = ""
    while any(_could_be_ours(name, marks) for name in folded):
        marks += "_"
    return marks


def _could_be_ours(name: str, marks: str) -> bool:
    rest = name.removeprefix(marks) if name.startswith(marks) else ""
    return rest in _WORDS or (
        rest[:1] in ("t", "x", "w", "d", "p", "r", "c", "s", "e")
        and rest.lstrip("abcdefghijklmnopqrstuvwxyz").replace("_", "").isdigit()
    )
