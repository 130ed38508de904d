"""A scorecard as SQL: the sum of points of the rules that hold, and what its scores say of class and probability.

Both queries use it: each hands in what tells where a rule holds, and gets expressions over columns with the scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from sqlglot import exp

from conceptrules.export.sql.literals import MOST_TERMS, number_literal
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork

_FARTHEST = 700  # the exponents of e that doubles hold reach a little beyond


def add_points(head: Points, rules: Sequence[str], scores: Sequence[str]) -> list[exp.Expr]:
    """Return the scores, under these names, of columns that have 1 where a rule holds, and otherwise 0."""
    sums = []
    for output, name in enumerate(scores):
        points = [(row[output], rule) for row, rule in zip(head.points, rules, strict=True) if row[output]]
        terms = [exp.Mul(this=exp.convert(value), expression=exp.column(rule)) for value, rule in points]
        sums.append(exp.alias_(add_terms(exp.convert(head.base[output]), terms), name))
    return sums


def add_terms(first: exp.Expr, terms: Sequence[exp.Expr]) -> exp.Expr:
    """Return the sum of terms; many are put into brackets of fifty."""
    if len(terms) > MOST_TERMS:
        groups = [terms[start : start + MOST_TERMS] for start in range(0, len(terms), MOST_TERMS)]
        return add_terms(first, [exp.Paren(this=add_terms(group[0], group[1:])) for group in groups])
    return reduce(lambda total, term: exp.Add(this=total, expression=term), terms, first)


@dataclass(frozen=True, slots=True)
class ScoreAnswers:
    """What the scores say, which are columns of these names; `own` makes names for further ones."""

    network: RuleNetwork
    head: Points
    scores: Sequence[str]
    own: Callable[[str], str]
    dialect: str

    def layers(self, probabilities: bool) -> Iterator[tuple[str, list[exp.Expr]]]:
        """Yield what the answers of several classes need besides the scores: layers, each made from the one before."""
        if self.head.outputs == 1:
            return
        best = [_greatest(self._ranked()).as_(self.own("best"))]
        # Two scores may be farther apart than whole numbers of 32 bits are.
        largest = exp.cast(_greatest(self._columns()), exp.DataType.Type.DOUBLE).as_(self.own("largest"))
        yield "largest", [*best, *([largest] if probabilities else [])]
        if probabilities:
            powers = map(self._power, self._columns(), range(1, 1 + self.head.outputs))
            yield "powers", [exp.column(self.own("best")), *powers]

    def answer(self, label: Callable[[int], exp.Expr]) -> exp.Expr:
        """Return the class, of which `label` writes the one of an index, or the number that is predicted."""
        if self.head.step is not None:
            total = exp.cast(exp.column(self.scores[0]), exp.DataType.Type.DOUBLE)
            number = exp.Mul(this=total, expression=self._double(self.head.step))
            return exp.Exp(this=number) if self.head.link == "log" else number
        if self.head.outputs == 1:
            reaches = exp.GTE(this=exp.column(self.scores[0]), expression=exp.convert(self.head.cutoff))
            return exp.case().when(reaches, label(1)).else_(label(0))
        *ranked, _ = self._ranked()
        winner = exp.case()
        for index, score in enumerate(ranked):
            winner.when(exp.EQ(this=score, expression=exp.column(self.own("best"))), label(index), copy=False)
        return winner.else_(label(len(ranked)), copy=False)

    def probabilities(self) -> list[exp.Expr]:
        """Return the probability of each class."""
        if self.head.outputs > 1:
            powers = [exp.column(self.own(f"e{number}")) for number in range(1, 1 + self.head.outputs)]
            total = exp.Paren(this=add_terms(powers[0], [power.copy() for power in powers[1:]]))
            return [exp.Div(this=power.copy(), expression=total.copy()) for power in powers]
        (_, lowest), *table = self.head.probabilities
        cases = []
        for share_of in (lambda share: 1 - share, lambda share: share):
            case = exp.case()
            for least, share in reversed(table):
                reaches = exp.GTE(this=exp.column(self.scores[0]), expression=exp.convert(least))
                case.when(reaches, self._double(share_of(share)), copy=False)
            otherwise = self._double(share_of(lowest))
            cases.append(case.else_(otherwise, copy=False) if table else otherwise)
        return cases

    def _columns(self) -> list[exp.Expr]:
        return [exp.column(name) for name in self.scores]

    def _ranked(self) -> list[exp.Expr]:
        pairs = zip(self._columns(), self.head.offsets, strict=True)
        return [exp.Add(this=score, expression=exp.convert(offset)) if offset else score for score, offset in pairs]

    def _power(self, score: exp.Expr, number: int) -> exp.Expr:
        """Return e to the power of a score's distance from the largest; 0 where doubles, or databases, have no such."""
        distance = exp.Paren(this=exp.Sub(this=score, expression=exp.column(self.own("largest"))))
        power = exp.Exp(this=exp.Mul(this=self._double(self.head.unit), expression=distance))
        tiny = exp.LT(this=distance.copy(), expression=exp.convert(-math.floor(_FARTHEST / self.head.unit)))
        return exp.case().when(tiny, self._double(0.0)).else_(power).as_(self.own(f"e{number}"))

    def _double(self, value: float) -> exp.Expr:
        return exp.cast(number_literal(value, self.dialect), exp.DataType.Type.DOUBLE)


def _greatest(values: Sequence[exp.Expr]) -> exp.Expr:
    return exp.Greatest(this=values[0], expressions=list(values[1:]), ignore_nulls=True)
