"""Reasons in SQL: what each column costs a row of a scorecard with one score, and the codes of the four that cost most.

Each step is a layer: the best and the worst that a column can add, what it costs against the answer, and its rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from conceptrules.explain.reason_columns import ReasonColumn
from conceptrules.export.code.reasons import CostingColumn, list_reason_tables
from conceptrules.export.sql.literals import bit, text_literal
from conceptrules.export.sql.scores import add_terms
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import Literal, RuleNetwork

COLUMNS = ("reason_1", "reason_2", "reason_3", "reason_4")


@dataclass(frozen=True, slots=True)
class ReasonColumns:
    """The columns with the reasons; `own` makes names, and `score` is the column of the score."""

    columns: Sequence[CostingColumn]
    head: Points
    own: Callable[[str], str]
    score: str

    def name(self, letter: str) -> list[str]:
        """Return a name for each column that can cost something."""
        return [self.own(f"{letter}{number}") for number in range(1, 1 + len(self.columns))]

    def ends(self) -> Iterator[exp.Expr]:
        """Yield the most and the least that each column can add, from the predicates."""
        for column, best, worst in zip(self.columns, self.name("best_"), self.name("worst_"), strict=True):
            sums = [self._sum_cell(column, cell) for cell in column.cells]
            yield _choose(sums, max, exp.Greatest).as_(best)
            yield _choose(sums, min, exp.Least).as_(worst)

    def costs(self, rules: Sequence[str]) -> Iterator[exp.Expr]:
        """Yield what each column costs, from the score, the rules that hold and the ends."""
        for column, best, worst, cost in zip(self.columns, *map(self.name, ("best_", "worst_", "cost_")), strict=True):
            terms = [_times(exp.column(rules[paying.rule]), paying.points[0]) for paying in column.rules]
            now = exp.Paren(this=add_terms(exp.convert(0), terms))
            up, down = exp.column(best) - now, now.copy() - exp.column(worst)
            if self.head.step is not None:
                yield up.as_(cost)
            else:
                answered = exp.GTE(this=exp.column(self.score), expression=exp.convert(self.head.cutoff))
                yield exp.case().when(answered, down).else_(up).as_(cost)

    def ranks(self) -> Iterator[exp.Expr]:
        """Yield the rank of each column; 0 where it costs nothing."""
        costs = self.name("cost_")
        for number, (cost, rank) in enumerate(zip(costs, self.name("rank_"), strict=True)):
            x = exp.column(cost)
            before = [
                bit((exp.GTE if other < number else exp.GT)(this=exp.column(costs[other]), expression=x.copy()))
                for other in range(len(costs))
                if other != number
            ]
            yield exp.case().when(x > 0, add_terms(exp.convert(1), before)).else_(exp.convert(0)).as_(rank)

    def codes(self, dialect: str) -> Iterator[exp.Expr]:
        """Yield the code of the column of each rank; NULL where fewer cost something."""
        for rank, _ in enumerate(COLUMNS, start=1):
            case = exp.case()
            for name, column in zip(self.name("rank_"), self.columns, strict=True):
                text = _read_code(column.column)
                code = text_literal(text, dialect)
                if code is None:
                    raise InputError(f"the code {text!r} cannot be written in the SQL of {dialect}; change it")
                case.when(exp.column(name).eq(rank), code, copy=False)
            yield case if self.columns else exp.null()

    def _sum_cell(self, column: CostingColumn, cell: Sequence[bool]) -> tuple[int, list[exp.Expr]]:
        """Return what the rules about a column add for a value: what is sure, and what other columns decide."""
        sure, terms = 0, []
        for rule in column.rules:
            if all(cell[place] == holds for place, holds in rule.own):
                sure += 0 if rule.rest else rule.points[0]
                if rule.rest:
                    terms.append(_times(bit(exp.and_(*map(self._test, rule.rest))), rule.points[0]))
        return sure, terms

    def _test(self, literal: Literal) -> exp.Expr:
        return exp.column(self.own(f"p{literal.index + 1}")).eq(0 if literal.negated else 1)


def make_reason_columns(network: RuleNetwork, own: Callable[[str], str], score: str) -> ReasonColumns | None:
    """Return the columns with the reasons of a network; None unless it is a scorecard of one level with one score."""
    if network.head is None or network.head.outputs > 1 or len(network.levels) > 1:
        return None
    return ReasonColumns(list_reason_tables(network).columns, network.head, own, score)


def _read_code(asked: ReasonColumn) -> str:
    """Return the code of a column; raise an `InputError` if it depends on what the row says."""
    codes = {entry.code for entry in asked.codes}
    if len(codes) > 1 or (codes and all(entry.case for entry in asked.codes)):
        raise InputError(
            f"the reason codes of {asked.column.name!r} depend on what the row says, which SQL does not tell apart; "
            "give the column one code for this export, or leave reasons out"
        )
    return next(iter(codes), asked.column.name)


def _choose(
    sums: Sequence[tuple[int, list[exp.Expr]]], choose: Callable[..., int], function: type[exp.Greatest | exp.Least]
) -> exp.Expr:
    """Return the largest or the smallest of some sums; those that nothing else decides are compared here."""
    fixed = [sure for sure, terms in sums if not terms]
    values = [add_terms(exp.convert(sure), terms) for sure, terms in sums if terms]
    values += [exp.convert(choose(fixed))] if fixed else []
    if len(values) < 2:
        return values[0] if values else exp.convert(0)
    return function(this=values[0], expressions=values[1:], ignore_nulls=True)


def _times(value: exp.Expr, points: int) -> exp.Expr:
    return exp.Mul(this=exp.convert(points), expression=value)
