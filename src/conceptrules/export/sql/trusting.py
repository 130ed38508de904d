"""SQL to read: one CASE with the rules as they stand, which takes the types of the table for granted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add

from sqlglot import exp

from conceptrules.export.sql.derived import state_mention
from conceptrules.export.sql.literals import between, bit, class_pattern, probability_columns, text_literal
from conceptrules.export.sql.names import find_marks, table_expression
from conceptrules.export.sql.readings import DIALECTS
from conceptrules.export.sql.scores import ScoreAnswers, add_points
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.derived import Length, Mention, Relation
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.text import date_text, datetime_text, number_text

TRUSTING_DIALECTS = (*DIALECTS, "clickhouse", "oracle")
"""The dialects of trusting queries. What is written for ClickHouse and Oracle is never run here."""


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
        own = partial(add, find_marks([*(column.name for column in kept), prefix, *table_parts]))
        if head is None:
            return self._select_class(kept, table, prefix, shares, own)
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

    def _select_class(
        self,
        kept: Sequence[exp.Column],
        table: exp.Table,
        prefix: str,
        shares: Sequence[str],
        own: Callable[[str], str],
    ) -> exp.Select:
        """Return the query of what wins by priority; probabilities need to know of every class whether it fires."""
        conditions = [self.concept(len(self.network.levels) - 1, index) for index in range(len(self.network.classes))]
        if not shares:
            return exp.select(*kept, self._answer(conditions).as_(f"{prefix}prediction")).from_(table)
        names = [own(f"c{number}") for number in range(1, 1 + len(conditions))]
        bits = [bit(condition).as_(name) for condition, name in zip(conditions, names, strict=True)]
        pattern = class_pattern(names).as_(own("pattern"))
        answer = self._answer([exp.column(name).eq(1) for name in names]).as_(own("answer"))
        chances = probability_columns(self.network, own("pattern"), self.dialect)
        named = [chance.as_(f"{prefix}{name}") for name, chance in zip(shares, chances, strict=True)]
        tree = exp.select(*kept, exp.column(own("answer")).as_(f"{prefix}prediction"), *named).from_(own("patterns"))
        tree.with_(own("fires"), as_=exp.select(*kept, *bits).from_(table), copy=False)
        tree.with_(own("patterns"), as_=exp.select(*kept, answer, pattern).from_(own("fires")), copy=False)
        return tree

    def _answer(self, conditions: Sequence[exp.Expr | None]) -> exp.Expr:
        """Return the class of a row, given where each class fires; None where it never does."""
        case = exp.case()
        for index in self.network.priority_indices:
            condition = conditions[index]
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
        x = self.write_column(column)
        if not literal.negated or condition.both is not None:
            return self.test(x, predicate, column)
        if isinstance(predicate, Missing):
            return exp.not_(exp.paren(self.is_missing(x, column)))
        return exp.or_(self.is_missing(x, column), exp.not_(self.test(x, predicate, column)))

    def write_column(self, column: Column) -> exp.Expr:
        """Return a column of the table, or what is worked out from such columns."""
        if column.derivation is None:
            return exp.column(self.columns[column.name], quoted=True)
        sources = [exp.column(self.columns[name], quoted=True) for name in column.derivation.columns]
        match column.derivation:
            case Mention() as mention:
                return exp.paren(state_mention(mention, sources[0], self.dialect))
            case Length():
                return exp.Length(this=sources[0])
            case Relation(operator="<"):
                return exp.paren(exp.LT(this=sources[0], expression=sources[1]))
            case Relation(operator=operator):
                left, right = (exp.cast(each, "DOUBLE") if column.kind == "number" else each for each in sources)
                if operator == "-":
                    return exp.paren(exp.Sub(this=left, expression=right))
                return exp.paren(exp.Div(this=left, expression=exp.func("NULLIF", right, exp.convert(0))))
        raise AssertionError(column)

    def is_missing(self, x: exp.Expr, column: Column) -> exp.Expr:
        """Return where a column is missing, which `write_column` wrote."""
        if isinstance(column.derivation, Relation) and column.derivation.operator == "<":  # not all have truth values
            return exp.or_(
                *(exp.column(self.columns[name], quoted=True).is_(exp.null()) for name in column.derivation.columns)
            )
        return x.is_(exp.null())

    def test(self, x: exp.Expr, predicate: Predicate, column: Column) -> exp.Expr:
        """Return where a predicate holds on a column of the table."""
        match predicate:
            case Missing():
                return self.is_missing(x, column)
            case Equals(value=value) if column.derivation is not None:
                return x if value else exp.not_(x)
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
