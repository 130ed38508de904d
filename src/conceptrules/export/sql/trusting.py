"""A network as SQL for a reader: one CASE with the rules as they are, which trusts the types of the columns.

The query of `conceptrules.export.sql.query` reads every column whatever its type, as Python does, and takes many lines
for that. This one takes the table at its word: numbers are numbers, text is text, and NULL is the only missing value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conceptrules.export.comments import comment, header
from conceptrules.export.sql.inputs import table_of
from conceptrules.export.sql.names import check_written, parts_of
from conceptrules.export.sql.readings import DIALECTS
from conceptrules.model.conditions import conditions
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value, named
from conceptrules.model.text import date_text, datetime_text, number_text
from conceptrules.tables.table import nearest

TRUSTING_DIALECTS = (*DIALECTS, "clickhouse", "oracle")
"""The dialects of this form. ClickHouse and Oracle cannot be run here: their text is read again by sqlglot, no more."""


def trusting_sql(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    view: str | Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
) -> str:
    """Return a SELECT of the columns in use and of the answer, `prediction`; the types of the columns are trusted.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    dialect : str, default="duckdb"
        The database: one of `TRUSTING_DIALECTS`.
    table : str or sequence of str, default="data"
        The table to ask.
    view : str or sequence of str, optional
        With a name, the query is a CREATE VIEW of that name.
    columns : mapping from str to str, optional
        What the table calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns of the table to give back.
    prefix : str, default=""
        What goes before the name of the added column.

    Returns
    -------
    str
        One SQL statement.

    Raises
    ------
    InputError
        If there is no such dialect or column, or a rule asks about a duration, which databases write too differently.
    """
    from sqlglot import exp

    if dialect not in TRUSTING_DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}; {nearest(dialect, TRUSTING_DIALECTS)}")
    called = dict(columns or {})
    known = [column.name for column in network.columns]
    for name in called:
        if name not in known:
            raise InputError(f"the network has no column {name!r} to give another name; {nearest(name, known)}")
    shown = dict.fromkeys([*(called.get(name, name) for name in network.used_columns), *keep])
    if f"{prefix}prediction" in shown:
        raise InputError(f"the table has a column {prefix}prediction already; give the added one a prefix")
    answer = _answer(network, called, dialect).as_(f"{prefix}prediction")
    tree: Any = exp.select(*(exp.column(name, quoted=True) for name in shown), answer).from_(table_of(parts_of(table)))
    if view is not None:
        tree = exp.Create(this=table_of(parts_of(view)), kind="VIEW", expression=tree)
    text = tree.sql(dialect=dialect, pretty=True)
    check_written(tree, text, dialect)
    notes = [
        *header(network),
        f"SQL of {dialect}. It trusts the types of the columns, and that missing values are NULL.",
    ]
    return "".join(f"-- {comment(line)}\n" for line in notes) + text + ";\n"


def dbt(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str = "data",
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
) -> str:
    """Return a model file of dbt: the trusting query over `ref(table)`.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    dialect : str, default="duckdb"
        The database that dbt runs on.
    table : str, default="data"
        The model that dbt is to take the rows from.
    columns : mapping from str to str, optional
        What that model calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns to give back.
    prefix : str, default=""
        What goes before the name of the added column.

    Returns
    -------
    str
        The content of a .sql file in the folder `models`.
    """
    if not table.isidentifier():
        raise InputError(f"{table!r} cannot be the name of a model of dbt; use letters, digits and _")
    place = "conceptrules_rows"
    text = trusting_sql(network, dialect=dialect, table=place, columns=columns, keep=keep, prefix=prefix)
    body = text.replace("{{", "{{ '{{' }}").replace("{%", "{{ '{%' }}").replace("{#", "{{ '{#' }}").rstrip(";\n")
    before, _, after = body.rpartition("FROM ")
    _, _, rest = after.partition("\n")
    return f"{{{{ config(materialized='view') }}}}\n\n{before}FROM {{{{ ref('{table}') }}}}\n{rest}".rstrip("\n") + "\n"


def _answer(network: RuleNetwork, called: Mapping[str, str], dialect: str) -> Any:
    from sqlglot import exp

    last, case = len(network.levels) - 1, exp.case()
    for index in network.priority_indices:
        held = _concept(network, called, dialect, last, index)
        if held is not None:
            case.when(held, _label(network, network.classes[index]), copy=False)
    default = _label(network, network.default)
    return case.else_(default, copy=False) if case.args.get("ifs") else default


def _concept(network: RuleNetwork, called: Mapping[str, str], dialect: str, level: int, index: int) -> Any:
    """Return where a concept holds; None where it never does."""
    from sqlglot import exp

    rules = [
        _rule(network, called, dialect, level, network.levels[level].rules[rule].literals)
        for rule in network.levels[level].concepts[index].rules
    ]
    return exp.or_(*rules, copy=False) if rules else None


def _rule(
    network: RuleNetwork, called: Mapping[str, str], dialect: str, level: int, literals: Sequence[Literal]
) -> Any:
    from sqlglot import exp

    if level:
        terms = [_through(network, called, dialect, level - 1, literal) for literal in literals]
    else:
        terms = list(_terms(network, called, dialect, literals))
    return exp.and_(*terms, copy=False) if terms else exp.convert(1).eq(1)


def _through(network: RuleNetwork, called: Mapping[str, str], dialect: str, level: int, literal: Literal) -> Any:
    """Return a concept as 1 or 0, so that its negation is sure on NULL too."""
    from sqlglot import exp

    held = _concept(network, called, dialect, level, literal.index)
    one = exp.convert(0) if held is None else exp.case().when(held, exp.convert(1)).else_(exp.convert(0))
    return one.eq(0 if literal.negated else 1)


def _terms(network: RuleNetwork, called: Mapping[str, str], dialect: str, literals: Sequence[Literal]) -> Iterable[Any]:
    from sqlglot import exp

    kinds = {column.name: column for column in network.columns}
    for condition in conditions(network, 0, literals):
        literal = condition.literals[0]
        predicate = condition.both or network.predicates[literal.index]
        column = kinds[predicate.column]
        x = exp.column(called.get(column.name, column.name), quoted=True)
        test = _test(x, predicate, column, dialect)
        if not literal.negated or condition.both is not None:
            yield test
        elif isinstance(predicate, Missing):
            yield x.is_(exp.null()).not_()
        else:
            yield exp.or_(x.is_(exp.null()), exp.not_(test))


def _test(x: Any, predicate: Predicate, column: Column, dialect: str) -> Any:
    from sqlglot import exp

    match predicate:
        case Missing():
            return x.is_(exp.null())
        case Interval(low=low, high=high):
            tests: list[Any] = (
                [exp.GT(this=x.copy(), expression=_bound(low, column, dialect))] if low != -math.inf else []
            )
            tests += [exp.LTE(this=x.copy(), expression=_bound(high, column, dialect))] if high != math.inf else []
            return exp.and_(*tests) if tests else x.is_(exp.null()).not_()
        case Equals(value=value):
            return x.eq(_value(value))
        case OneOf():
            return exp.In(this=x, expressions=[_value(value) for value in named(predicate)])
    raise AssertionError(predicate)


def _bound(value: float, column: Column, dialect: str) -> Any:
    from sqlglot import exp

    if column.kind == "duration":
        raise InputError(
            f"column {column.name!r} is a duration, which this form of SQL does not write; leave trust_types out"
        )
    if column.kind == "number":
        return _value(value)
    text = exp.Literal.string((date_text if column.kind == "date" else datetime_text)(value))
    if dialect == "sqlite":  # it keeps times as text
        return text
    return exp.cast(text, "DATE" if column.kind == "date" and " " not in text.this else "TIMESTAMP")


def _value(value: Value) -> Any:
    from sqlglot import exp

    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, float) and math.isinf(value):
        raise InputError("a rule asks for infinity, which this form of SQL does not write; leave trust_types out")
    return exp.Literal.number(number_text(float(value))) if isinstance(value, float) else exp.convert(int(value))


def _label(network: RuleNetwork, value: Value) -> Any:
    """Return a class; all are text where they are of several types."""
    alike = len(set(map(type, network.classes))) == 1
    return _value(value if alike else str(value))
