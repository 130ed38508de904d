"""A network as SQL for a reader: one CASE with the rules as they are, which trusts the types of the columns.

A guarded query reads every column whatever its type, as Python does, and takes many lines for that. This one takes the
table at its word: numbers are numbers, text is text, and NULL is the only missing value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from conceptrules.export.sql.literals import between, bit
from conceptrules.model.conditions import Condition, conditions
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.text import date_text, datetime_text, number_text


@dataclass(frozen=True, slots=True)
class TrustingQuery:
    """A query of one CASE; `columns` are what the table calls those of the network."""

    network: RuleNetwork
    columns: Mapping[str, str]
    dialect: str

    def answer(self) -> exp.Expr:
        """Return the class of a row."""
        case = exp.case()
        for index in self.network.priority_indices:
            condition = self._concept(len(self.network.levels) - 1, index)
            if condition is not None:
                case.when(condition, self._label(self.network.classes[index]), copy=False)
        default = self._label(self.network.default)
        return case.else_(default, copy=False) if case.args.get("ifs") else default

    def _label(self, value: Value) -> exp.Expr:
        """Return a class; all are text where they are of several types."""
        alike = len(set(map(type, self.network.classes))) == 1
        return _literal(value if alike else str(value))

    def _concept(self, level: int, index: int) -> exp.Expr | None:
        """Return where a concept holds; None where it never does."""
        nodes = self.network.levels[level]
        rules = [self._rule(level, nodes.rules[rule].literals) for rule in nodes.concepts[index].rules]
        return exp.or_(*rules, copy=False) if rules else None

    def _rule(self, level: int, literals: Sequence[Literal]) -> exp.Expr:
        if level == 0:
            terms = [self._condition(condition) for condition in conditions(self.network, 0, literals)]
        else:
            # A concept is written as 1 or 0, so that its negation holds on NULL too.
            concepts = [(bit(self._concept(level - 1, literal.index)), literal.negated) for literal in literals]
            terms = [concept.eq(0 if negated else 1) for concept, negated in concepts]
        return exp.and_(*terms, copy=False) if terms else exp.convert(1).eq(1)

    def _condition(self, condition: Condition) -> exp.Expr:
        literal = condition.literals[0]
        predicate = condition.both or self.network.predicates[literal.index]
        column = next(column for column in self.network.columns if column.name == predicate.column)
        x = exp.column(self.columns[column.name], quoted=True)
        if not literal.negated or condition.both is not None:
            return self._test(x, predicate, column)
        if isinstance(predicate, Missing):
            return x.is_(exp.null()).not_()
        return exp.or_(x.is_(exp.null()), exp.not_(self._test(x, predicate, column)))

    def _test(self, x: exp.Column, predicate: Predicate, column: Column) -> exp.Expr:
        match predicate:
            case Missing():
                return x.is_(exp.null())
            case Interval(low=low, high=high):
                return between(x, low, high, lambda bound: self._bound(bound, column))
            case Equals(value=value):
                return x.eq(_literal(value))
            case OneOf(values=values):
                return exp.In(this=x, expressions=list(map(_literal, values)))
        raise AssertionError(predicate)

    def _bound(self, value: float, column: Column) -> exp.Expr:
        if column.kind == "duration":
            raise InputError(
                f"column {column.name!r} is a duration, which this form of SQL does not write; leave trust_types out"
            )
        if column.kind == "number":
            return _literal(value)
        text = (date_text if column.kind == "date" else datetime_text)(value)
        if self.dialect == "sqlite":  # it keeps times as text
            return exp.Literal.string(text)
        kind = "DATE" if column.kind == "date" and " " not in text else "TIMESTAMP"
        return exp.cast(exp.Literal.string(text), kind)


def _literal(value: Value) -> exp.Expr:
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, float) and math.isinf(value):
        raise InputError("a rule asks for infinity, which this form of SQL does not write; leave trust_types out")
    return exp.Literal.number(number_text(value)) if isinstance(value, float) else exp.convert(int(value))
