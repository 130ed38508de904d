"""A network as SQL: a SELECT that adds the class to the columns of a table, a view of it, or a model of dbt.

sqlglot writes it, from one of two trees: `GuardedQuery` reads each column as Python does, whatever its type, and takes
many lines for that; `TrustingQuery` is for readers, and takes the types of the table for granted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add

from sqlglot import exp

from conceptrules.export.sql.columns import derived_columns, table_columns, typed_inputs
from conceptrules.export.sql.guarded import GuardedQuery
from conceptrules.export.sql.literals import between, bit, check_labels, text_literal
from conceptrules.export.sql.names import (
    answer_columns,
    check_added,
    check_written,
    column_names,
    find_marks,
    make_query_names,
    split_name,
    table_expression,
)
from conceptrules.export.sql.readings import ASKED, DIALECTS
from conceptrules.export.sql.scores import ScoreAnswers, add_points
from conceptrules.export.wording import comment, header, rule_lines
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import require_own_columns
from conceptrules.model.errors import InputError
from conceptrules.model.heads import require_classes
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.text import date_text, datetime_text, number_text, word
from conceptrules.tables.prediction import probability_names, score_names
from conceptrules.tables.table import nearest

TRUSTING_DIALECTS = (*DIALECTS, "clickhouse", "oracle")
"""The dialects of trusting queries. What is written for ClickHouse and Oracle is never run here."""


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
    """Return a SELECT of the columns of the network and of its answer, `prediction`; of a scorecard, also its `score`.

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
        Whether to add a column for each class: `probability_bad`, and so on. Where databases could not tell the names
        apart, or could not have them, the classes have numbers instead: `probability_1`.
    columns : mapping from str to str, optional
        What the table calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns of the table to give back.
    prefix : str, default=""
        What goes before the names of the added columns.
    types : mapping from str to str, optional
        What the table holds in a column where its kind does not say it: {"smoker": "boolean"} where the network has
        the numbers 1 and 0. Only BigQuery and Snowflake need it.
    trust_types : bool, default=False
        Whether to take the types of the columns for granted: one short CASE with the rules, over the columns in use,
        without the guards that read each type as Python does. It also knows clickhouse and oracle.

    Returns
    -------
    str
        One SQL statement.

    Raises
    ------
    InputError
        If the extra `sql` is not installed, there is no such dialect, or a name or label cannot be written in it.
    """
    if probabilities:
        require_classes(network, "the option probabilities")
    shares = answer_columns(probability_names(network), prefix, dialect) if probabilities else []
    scores = answer_columns(score_names(network), prefix, dialect) if network.head else []
    if trust_types:
        if reasons or types or (probabilities and network.head is None):
            raise InputError("trust_types gives the prediction only; leave reasons, probabilities and types out")
        if dialect not in TRUSTING_DIALECTS:
            raise InputError(f"there is no dialect {dialect!r}; {nearest(dialect, TRUSTING_DIALECTS)}")
        table_names = column_names(network, columns or {})
        shown = dict.fromkeys([*(table_names[name] for name in network.used_columns), *keep])
        check_added(["prediction", *scores, *shares], prefix, shown, dialect)
        kept = [exp.column(name, quoted=True) for name in shown]
        require_own_columns(network.columns, "the short form of SQL")
        tree: exp.Expr = TrustingQuery(network, table_names, dialect).select(
            kept, split_name(table), prefix, scores, shares
        )
        notes = [f"SQL of {dialect}. It trusts the types of the columns, and that missing values are NULL."]
        notes += _explain_columns(network, scores, shares)
    else:
        if dialect not in DIALECTS:
            raise InputError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
        added = ["prediction", *(["rules"] if reasons else []), *scores, *shares]
        names = make_query_names(network, dialect, table, columns or {}, keep, prefix, added)
        read_columns = table_columns(typed_inputs(network, types), names, dialect)
        check_labels(network, dialect)
        derived = derived_columns(network, names)
        if derived and dialect not in ASKED:
            require_own_columns(network.columns, f"the SQL of {dialect}")
        tree = GuardedQuery(network, read_columns, derived, names, dialect).select(reasons, probabilities)
        notes = [f"SQL of {dialect}. Nothing but the value of the column counts: NULL and NaN are missing."]
        notes += [*_explain_columns(network, scores, shares), *rule_lines(network)]
    if view is not None:
        tree = exp.Create(this=table_expression(split_name(view)), kind="VIEW", expression=tree)
    text = tree.sql(dialect=dialect, pretty=True)
    check_written(tree, text, dialect)
    return "".join(f"-- {comment(line)}\n" for line in [*header(network), *notes]) + text + ";\n"


def _explain_columns(network: RuleNetwork, scores: Sequence[str], shares: Sequence[str]) -> Iterator[str]:
    """Yield which class each column of scores or probabilities is of."""
    for names in (scores if len(scores) > 1 else (), shares):
        meanings = (f"{name} is of {word(label)}" for name, label in zip(names, network.classes, strict=False))
        if names:
            yield f"{', '.join(meanings)}."


def dbt(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str = "data",
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
    probabilities: bool = False,
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
        What goes before the names of the added columns.
    probabilities : bool, default=False
        Of a scorecard: whether to add a column for each class.

    Returns
    -------
    str
        The content of a .sql file in the folder `models`.
    """
    if not table.isidentifier():
        raise InputError(f"{table!r} cannot be the name of a model of dbt; use letters, digits and _")
    rows = f"rows_of_{content_hash(network)[-16:]}"  # a name that nothing in the network has
    text = sql(
        network,
        dialect=dialect,
        table=rows,
        probabilities=probabilities,
        columns=columns,
        keep=keep,
        prefix=prefix,
        trust_types=True,
    )
    body = text.replace("{{", "{{ '{{' }}").replace("{%", "{{ '{%' }}").replace("{#", "{{ '{#' }}")
    body = body.replace("\r", "{{ '\\r' }}")  # Jinja, and whoever reads a file of text, turns it into \n
    quoted = table_expression([rows]).sql(dialect)
    model = body.removesuffix(";\n").replace(quoted, f"{{{{ ref('{table}') }}}}")
    return f"{{{{ config(materialized='view') }}}}\n\n{model}\n"


@dataclass(frozen=True, slots=True)
class TrustingQuery:
    """One CASE with the rules as they are; `columns` are what the table calls those of the network.

    It takes the table at its word: numbers are numbers, text is text, and NULL is the only missing value.
    """

    network: RuleNetwork
    columns: Mapping[str, str]
    dialect: str

    def select(
        self,
        kept: Sequence[exp.Column],
        table_parts: Sequence[str],
        prefix: str,
        scores: Sequence[str],
        shares: Sequence[str],
    ) -> exp.Select:
        """Return the query of a table: these columns of it, and what the network answers."""
        table = table_expression(table_parts)
        head = self.network.head
        if head is None:
            return exp.select(*kept, self._answer().as_(f"{prefix}prediction")).from_(table)
        own = partial(add, find_marks([*(column.name for column in kept), prefix, *table_parts]))
        answers = ScoreAnswers(self.network, head, [prefix + name for name in scores], own, self.dialect)
        level = len(self.network.levels) - 1
        rules = [
            bit(self.rule(level, rule.literals)).as_(own(f"r{number}"))
            for number, rule in enumerate(self.network.levels[level].rules, start=1)
        ]
        sums = add_points(head, [own(f"r{number}") for number in range(1, 1 + len(rules))], answers.scores)
        columns = [*kept, *map(exp.column, answers.scores)]
        layers = [(own("fires"), exp.select(*kept, *rules).from_(table))]
        layers.append((own("scores"), exp.select(*kept, *sums).from_(own("fires"))))
        for name, nodes in answers.layers(bool(shares)):
            layers.append((own(name), exp.select(*columns, *nodes).from_(layers[-1][0])))
        chances = answers.probabilities() if shares else []
        named = [chance.as_(f"{prefix}{name}") for name, chance in zip(shares, chances, strict=True)]
        answer = answers.answer(lambda index: self._label(self.network.classes[index])).as_(f"{prefix}prediction")
        tree = exp.select(*columns, answer, *named).from_(layers[-1][0])
        for name, layer in layers:
            tree.with_(name, as_=layer, copy=False)
        return tree

    def _answer(self) -> exp.Expr:
        """Return the class of a row."""
        case = exp.case()
        for index in self.network.priority_indices:
            condition = self.concept(len(self.network.levels) - 1, index)
            if condition is not None:
                case.when(condition, self._label(self.network.classes[index]), copy=False)
        default = self._label(self.network.default)
        return case.else_(default, copy=False) if case.args.get("ifs") else default

    def _label(self, value: Value) -> exp.Expr:
        """Return a class; all are text where they are of several types."""
        alike = len(set(map(type, self.network.classes))) == 1
        return write_literal(value if alike else str(value), self.dialect)

    def concept(self, level: int, index: int) -> exp.Expr | None:
        """Return where a concept holds; None where it never does."""
        nodes = self.network.levels[level]
        rules = [self.rule(level, nodes.rules[rule].literals) for rule in nodes.concepts[index].rules]
        return exp.or_(*rules, copy=False) if rules else None

    def rule(self, level: int, literals: Sequence[Literal]) -> exp.Expr:
        """Return where a rule holds."""
        if level == 0:
            terms = [self._condition(condition) for condition in conditions(self.network, 0, literals)]
        else:
            # A concept is written as 1 or 0, so that its negation holds on NULL too.
            concepts = [(bit(self.concept(level - 1, literal.index)), literal.negated) for literal in literals]
            terms = [concept.eq(0 if negated else 1) for concept, negated in concepts]
        return exp.and_(*terms, copy=False) if terms else exp.convert(1).eq(1)

    def _condition(self, condition: Condition) -> exp.Expr:
        literal = condition.literals[0]
        predicate = condition.both or self.network.predicates[literal.index]
        column = next(column for column in self.network.columns if column.name == predicate.column)
        x = exp.column(self.columns[column.name], quoted=True)
        if not literal.negated or condition.both is not None:
            return self.test(x, predicate, column)
        if isinstance(predicate, Missing):
            return x.is_(exp.null()).not_()
        return exp.or_(x.is_(exp.null()), exp.not_(self.test(x, predicate, column)))

    def test(self, x: exp.Column, predicate: Predicate, column: Column) -> exp.Expr:
        """Return where a predicate holds on a column of the table."""
        match predicate:
            case Missing():
                return x.is_(exp.null())
            case Interval(low=low, high=high):
                return between(x, low, high, lambda bound: self._bound(bound, column))
            case Equals(value=value):
                return x.eq(write_literal(value, self.dialect))
            case OneOf(values=values):
                return exp.In(this=x, expressions=[write_literal(value, self.dialect) for value in values])
        raise AssertionError(predicate)

    def _bound(self, value: float, column: Column) -> exp.Expr:
        if column.kind == "duration":
            raise InputError(
                f"column {column.name!r} is a duration, which this form of SQL does not write; leave trust_types out"
            )
        if column.kind == "number":
            return write_literal(value, self.dialect)
        text = (date_text if column.kind == "date" else datetime_text)(value)
        if self.dialect == "sqlite":  # it keeps times as text
            return exp.Literal.string(text)
        kind = "DATE" if column.kind == "date" and " " not in text else "TIMESTAMP"
        return exp.cast(exp.Literal.string(text), kind)


def write_literal(value: Value, dialect: str) -> exp.Expr:
    """Return a category or a class."""
    if isinstance(value, str):
        literal = text_literal(value, dialect) if "\0" in value else exp.Literal.string(value)
        if literal is None:
            raise InputError(f"{value!r} cannot be written in the SQL of {dialect}: it has no NUL")
        return literal
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, float) and math.isinf(value):
        raise InputError("a rule asks for infinity, which this form of SQL does not write; leave trust_types out")
    return exp.Literal.number(number_text(value)) if isinstance(value, float) else exp.convert(int(value))
