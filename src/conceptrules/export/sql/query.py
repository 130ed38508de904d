"""A network as SQL: a SELECT that adds the class to the columns of a table, or a view of it. sqlglot writes it.

Layer by layer: readings of the columns (in PostgreSQL their types before that), predicates, then rules and concepts of
each level, each a table expression with a column of 0 and 1 for each node. A test on NULL is neither true nor false;
CASE makes 0 of that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conceptrules.export.comments import comment, header, rule_lines
from conceptrules.export.inputs import Input, inputs
from conceptrules.export.node_names import rule_ids
from conceptrules.export.sql.comparisons import check_dialect, equal, number_literal
from conceptrules.export.sql.inputs import (
    Query,
    inputs_of,
    reading_name,
    refused,
    source,
    table_of,
    types_of,
)
from conceptrules.export.sql.labels import check_labels, label_literal, probability_columns
from conceptrules.export.sql.names import check_written, names_of, parts_of
from conceptrules.export.sql.readings import readings
from conceptrules.export.sql.trusting import trusting_sql
from conceptrules.export.sql.types import told
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Value
from conceptrules.model.text import word

# Without MATERIALIZED, these two put each layer's expressions into the next one, and the text grows without end.
_MATERIALIZED = ("postgres", "sqlite")
_MANY = 50


def sql(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    view: str | Sequence[str] | None = None,
    reasons: bool = False,
    probabilities: bool = False,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
    types: Mapping[str, str] | None = None,
    trust_types: bool = False,
) -> str:
    """Return a SELECT of the columns of the network and of its answer, `prediction`.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    dialect : str, default="duckdb"
        The database: duckdb, sqlite, postgres, mysql, bigquery, snowflake, spark or tsql.
    table : str or sequence of str, default="data"
        The table to ask. Names with dots (`schema.table`) have parts; a sequence gives the parts themselves.
    view : str or sequence of str, optional
        With a name, the query is a CREATE VIEW of that name.
    reasons : bool, default=False
        Whether to add the fired rules: "1.2 1.5 2.1" in the column `rules`.
    probabilities : bool, default=False
        Whether to add a column for each class: `probability_1`, and so on.
    columns : mapping from str to str, optional
        What the table calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns of the table to give back.
    prefix : str, default=""
        What goes before the names of the added columns.
    types : mapping from str to str, optional
        What the table holds in a column where its kind does not say it: {"smoker": "boolean"} where the network has
        the numbers 1 and 0. Only BigQuery and Snowflake need to be told.
    trust_types : bool, default=False
        Whether to take the columns at their word: one short CASE of the rules, of the columns in use, without the
        guards that read each type as Python does. It also knows clickhouse and oracle.

    Returns
    -------
    str
        One SQL statement.

    Raises
    ------
    InputError
        If the extra `sql` is not installed, there is no such dialect, or a name or label cannot be written in it.
    """
    if trust_types:
        _need_sqlglot()
        if reasons or probabilities or types:
            raise InputError("trust_types gives the prediction only; leave reasons, probabilities and types out")
        return trusting_sql(network, dialect=dialect, table=table, view=view, columns=columns, keep=keep, prefix=prefix)
    check_dialect(dialect)
    _need_sqlglot()
    names = names_of(network, dialect, table, columns or {}, keep, prefix, _added(network, reasons, probabilities))
    query = Query(network, told(inputs(network), types or {}, network.columns), dialect, names)
    check_labels(network, dialect)
    tree = _select(query, reasons, probabilities)
    if view is not None:
        tree = _view(tree, parts_of(view))
    text = tree.sql(dialect=dialect, pretty=True)
    check_written(tree, text, dialect)
    return "".join(f"-- {comment(line)}\n" for line in _comments(network, dialect, probabilities)) + text + ";\n"


def _need_sqlglot() -> None:
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        raise InputError("SQL is written by sqlglot; install it with pip install 'conceptrules[sql]'") from None


def _comments(network: RuleNetwork, dialect: str, probabilities: bool) -> Iterable[str]:
    yield from header(network)
    yield f"SQL of {dialect}. Nothing but the value of the column counts: NULL and NaN are missing."
    if probabilities:
        named = (f"probability_{index} is of {word(label)}" for index, label in enumerate(network.classes, start=1))
        yield f"{', '.join(named)}."
    yield from rule_lines(network)


def _added(network: RuleNetwork, reasons: bool, probabilities: bool) -> list[str]:
    """Return the columns that the query adds."""
    shares = [f"probability_{index}" for index in range(1, len(network.classes) + 1)]
    return ["prediction", *(["rules"] if reasons else []), *(shares if probabilities else [])]


def _view(tree: Any, parts: Sequence[str]) -> Any:
    from sqlglot import exp

    return exp.Create(this=table_of(parts), kind="VIEW", expression=tree)


def _select(query: Query, reasons: bool, probabilities: bool) -> Any:
    """Return the layers as table expressions, each made from the one before, and the answer from the last."""
    from sqlglot import exp

    names, network = query.names, query.network
    steps: list[tuple[str, list[Any], bool]] = [
        ("predicates", _predicates(query), False),
    ]
    carried: list[str] = []
    for number, level in enumerate(network.levels):
        rules = [names.own(f"r{number + 1}_{index + 1}") for index in range(len(level.rules))]
        terms = [_rule(query, rule, number) for rule in level.rules]
        kept = [exp.column(name) for name in carried]
        steps.append((f"rules_{number + 1}", [*kept, *map(_named, terms, rules)], True))
        carried += rules if reasons else []
        titles = [names.own(f"c{number + 1}_{index + 1}") for index in range(len(level.concepts))]
        concepts = [_concept(query, concept, number) for concept in level.concepts]
        kept = [exp.column(name) for name in carried]
        steps.append((f"concepts_{number + 1}", [*kept, *map(_named, concepts, titles)], True))
    if probabilities:
        steps.append(("patterns", _patterns(query, carried), True))
    last = exp.select(*_kept(query), *_answer(query, reasons, probabilities)).from_(names.own(steps[-1][0]))
    return _with(query, steps, last)


def _with(query: Query, steps: Sequence[tuple[str, list[Any], bool]], last: Any) -> Any:
    from sqlglot import exp

    own = query.names.own
    first = exp.select(*inputs_of(query)).from_(source(query)).where(refused(query))
    tree = last
    if query.dialect == "postgres" and query.used:
        tree = tree.with_(own("types"), as_=exp.select(*types_of(query)), materialized=True, copy=False)
        first = first.join(own("types"), join_type="cross")
    tree = tree.with_(own("inputs"), as_=first, copy=False)
    before = own("inputs")
    for name, columns, shared in steps:
        part = exp.select(*_kept(query), *columns).from_(before)
        materialized = True if shared and query.dialect in _MATERIALIZED else None
        tree.with_(own(name), as_=part, materialized=materialized, copy=False)
        before = own(name)
    return tree


def _kept(query: Query) -> list[Any]:
    from sqlglot import exp

    return [exp.column(name, quoted=True) for name in query.names.kept]


def _named(expression: Any, name: str) -> Any:
    return expression.as_(name)


def _predicates(query: Query) -> list[Any]:
    return [
        _bit(_test(query, one, index, number)).as_(query.names.own(f"p{index + 1}"))
        for number, one in enumerate(query.used, start=1)
        for index in one.predicates
    ]


def _bit(condition: Any) -> Any:
    """Return 1 where the condition holds, and 0 where it does not or nobody can tell."""
    from sqlglot import exp

    if condition is None:
        return exp.convert(0)
    return exp.case().when(condition, exp.convert(1)).else_(exp.convert(0))


def _test(query: Query, one: Input, index: int, number: int) -> Any:
    from sqlglot import exp

    ways = readings(one, query.dialect)
    columns = [exp.column(reading_name(query, number, place)) for place in range(len(ways))]
    found = dict(zip(ways, columns, strict=True))
    match query.network.predicates[index]:
        case Missing():
            return exp.and_(*(column.is_(exp.null()) for column in columns))
        case Equals(value=value):
            return equal(found, value, query.dialect)
        case OneOf(values=values):
            return _one_of([equal(found, value, query.dialect) for value in values])
        case Interval(low=low, high=high):
            return _between(columns[0], low, high, query.dialect)
    raise AssertionError(index)


def _between(x: Any, low: float, high: float, dialect: str) -> Any:
    from sqlglot import exp

    tests: list[Any] = [exp.GT(this=x, expression=number_literal(low, dialect))] if low != -math.inf else []
    tests += [exp.LTE(this=x.copy(), expression=number_literal(high, dialect))] if high != math.inf else []
    return exp.and_(*tests) if tests else x.is_(exp.null()).not_()


def _one_of(tests: list[Any]) -> Any:
    """Return an IN list of what the tests for equality compare with; None where no value can be equal."""
    from sqlglot import exp

    possible = [test for test in tests if test is not None]
    if not possible:
        return None
    if all(isinstance(test, exp.EQ) and test.this == possible[0].this for test in possible):
        wanted = [test.expression.copy() for test in possible]
        return exp.In(this=possible[0].this.copy(), expressions=wanted)
    return exp.or_(*possible)


def _rule(query: Query, rule: Rule, level: int) -> Any:
    from sqlglot import exp

    if not rule.literals:
        return exp.convert(1)
    terms = []
    for literal in rule.literals:
        name = f"p{literal.index + 1}" if level == 0 else f"c{level}_{literal.index + 1}"
        terms.append(exp.column(query.names.own(name)).eq(0 if literal.negated else 1))
    return _bit(_many(exp.and_, terms))


def _concept(query: Query, concept: Concept, level: int) -> Any:
    from sqlglot import exp

    if not concept.rules:
        return exp.convert(0)
    terms = [exp.column(query.names.own(f"r{level + 1}_{rule + 1}")).eq(1) for rule in concept.rules]
    return _bit(_many(exp.or_, terms))


def _many(join: Any, terms: Sequence[Any]) -> Any:
    """Join terms in brackets by the fifty: databases limit how deep an expression goes."""
    from sqlglot import exp

    if len(terms) <= _MANY:
        return join(*terms)
    groups = [terms[start : start + _MANY] for start in range(0, len(terms), _MANY)]
    return _many(join, [exp.Paren(this=join(*group)) for group in groups])


def _fires(query: Query) -> list[str]:
    """Return the columns of the classes."""
    top = len(query.network.levels)
    return [query.names.own(f"c{top}_{index + 1}") for index in range(len(query.network.classes))]


def _patterns(query: Query, carried: Sequence[str]) -> list[Any]:
    """Return the classes, and which of them fire as one text, to look the probabilities up by."""
    from sqlglot import exp

    one, zero = exp.Literal.string("1"), exp.Literal.string("0")
    digits = [exp.case().when(exp.column(name).eq(1), one.copy()).else_(zero.copy()) for name in _fires(query)]
    kept = [exp.column(name) for name in (*carried, *_fires(query))]
    return [*kept, _named(_concatenated(digits), query.names.own("pattern"))]


def _answer(query: Query, reasons: bool, probabilities: bool) -> list[Any]:
    prefix = query.names.prefix
    network = query.network
    fires = _fires(query)
    added = [_winner(network, fires, query.dialect).as_(f"{prefix}prediction")]
    if reasons:
        added.append(_fired(query).as_(f"{prefix}rules"))
    if probabilities:
        shares = probability_columns(network, query.names.own("pattern"), fires, query.dialect)
        added += [share.as_(f"{prefix}probability_{index}") for index, share in enumerate(shares, start=1)]
    return added


def _winner(network: RuleNetwork, fires: Sequence[str], dialect: str) -> Any:
    from sqlglot import exp

    def label(value: Value) -> Any:
        return label_literal(network, value, dialect)

    case = exp.case()
    for index in network.priority_indices:
        case.when(exp.column(fires[index]).eq(1), label(network.classes[index]), copy=False)
    return case.else_(label(network.default), copy=False)


def _fired(query: Query) -> Any:
    """Return the names of the rules that fire, with blanks between them."""
    from sqlglot import exp

    ids = rule_ids(query.network)
    parts = [
        exp.case()
        .when(exp.column(query.names.own(f"r{name.replace('.', '_')}")).eq(1), exp.Literal.string(f"{name} "))
        .else_(exp.Literal.string(""))
        for name in ids
    ]
    return exp.Trim(this=_concatenated(parts)) if parts else exp.Literal.string("")


def _concatenated(parts: Sequence[Any]) -> Any:
    """Join texts by halves, so that the expression is only as deep as the logarithm of its length."""
    from sqlglot import exp

    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    left, right = _concatenated(parts[:half]), _concatenated(parts[half:])
    bracketed = [exp.Paren(this=side) if isinstance(side, exp.DPipe) else side for side in (left, right)]
    return exp.DPipe(this=bracketed[0], expression=bracketed[1], safe=True)
