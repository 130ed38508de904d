"""Reasons in SQL: the codes of the four columns that cost a row of a scorecard with one score most, or the rule that
decided a row and the nearest one that would have decided otherwise.

Each step is a layer: the best and the worst that a column can add, what it costs against the answer, and its rank; or
what each rule lacks, and which lacks least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from sqlglot import exp

from conceptrules.explain.reason_columns import HIGHER, LOWER, ReasonColumn
from conceptrules.export.code.reasons import (
    CostingColumn,
    DecidingClass,
    DecidingRule,
    ReasonTables,
    list_reason_tables,
)
from conceptrules.export.sql.literals import MOST_TERMS, bit, concatenate, join_many, text_literal
from conceptrules.export.sql.scores import add_terms
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Predicate

COLUMNS = ("reason_1", "reason_2", "reason_3", "reason_4")
DECIDING = ("decided_by", "nearest")
_FAR = 10**6  # farther than any two things are that a column can say


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

    def sayings(self, test: Callable[[Predicate], exp.Expr | None]) -> Iterator[exp.Expr]:
        """Yield the number of what a row says of each column whose codes depend on it; `test` writes a predicate."""
        for column, said in zip(self.columns, self.name("said_"), strict=True):
            if len(_list_codes(column.column)) > 1:
                *marks, gap = map(test, column.column.marks)
                case = exp.case()
                for number, mark in ((column.column.missing, gap), *enumerate(marks)):
                    case = case if mark is None else case.when(mark, exp.convert(number), copy=False)
                yield case.else_(exp.convert(len(marks)), copy=False).as_(said)

    def ends(self) -> Iterator[exp.Expr]:
        """Yield the most and the least that each column can add, from the predicates, and what its code goes by."""
        names = zip(*map(self.name, ("best_", "worst_", "said_")), strict=True)
        for number, (column, (best, worst, said)) in enumerate(zip(self.columns, names, strict=True), start=1):
            sums = [self._sum_cell(column, cell) for cell in column.cells]
            yield _choose(sums, max, exp.Greatest).as_(best)
            yield _choose(sums, min, exp.Least).as_(worst)
            if len(_list_codes(column.column)) > 1:
                yield exp.column(said)
                for cell, (sure, terms) in enumerate(sums, start=1):
                    yield add_terms(exp.convert(sure), terms).as_(self.own(f"cell_{number}_{cell}"))

    def costs(self, rules: Sequence[str]) -> Iterator[exp.Expr]:
        """Yield what each column costs, from the score, the rules that hold and the ends."""
        for column, best, worst, cost in zip(self.columns, *map(self.name, ("best_", "worst_", "cost_")), strict=True):
            terms = [_times(exp.column(rules[paying.rule]), paying.points[0]) for paying in column.rules]
            now = exp.Paren(this=add_terms(exp.convert(0), terms))
            up, down = exp.column(best) - now, now.copy() - exp.column(worst)
            yield self._by_answer(down, up).as_(cost)
        for number, (column, said, key) in enumerate(
            zip(self.columns, self.name("said_"), self.name("key_"), strict=True), start=1
        ):
            if len(_list_codes(column.column)) > 1:
                yield self._key(number, column, exp.column(said)).as_(key)

    def _by_answer(self, down: exp.Expr, up: exp.Expr) -> exp.Expr:
        """Return the one or the other expression: what speaks for the answer has put the score up, or else down."""
        if self.head.step is not None:
            return up
        answered = exp.GTE(this=exp.column(self.score), expression=exp.convert(self.head.cutoff))
        return exp.case().when(answered, down).else_(up)

    def _key(self, number: int, column: CostingColumn, said: exp.Expr) -> exp.Expr:
        """Return what the code of a column goes by: what the row says, and on which side of it the nearest best is.

        As in `network.reasons`, the lower one is the nearest of two that are equally near.
        """
        target = self._by_answer(exp.column(self.own(f"worst_{number}")), exp.column(self.own(f"best_{number}")))
        sides: list[exp.Expr] = []
        for sign, choose in ((-1, exp.Greatest), (1, exp.Least)):
            ends: list[exp.Expr] = []
            for cell, place in enumerate(column.numbers, start=1):
                is_best = exp.column(self.own(f"cell_{number}_{cell}")).eq(exp.Paren(this=target.copy()))
                beyond = (said.copy() > place) if sign < 0 else (said.copy() < place)
                ends.append(
                    exp.case().when(exp.and_(is_best, beyond), exp.convert(place)).else_(exp.convert(sign * _FAR))
                )
            sides.append(choose(this=ends[0], expressions=ends[1:], ignore_nulls=True) if len(ends) > 1 else ends[0])
        nearer = exp.LTE(this=said.copy() - sides[0], expression=sides[1] - said.copy())
        side = exp.case().when(nearer, exp.convert(HIGHER)).else_(exp.convert(LOWER))
        return exp.Add(this=exp.Mul(this=exp.convert(3), expression=said.copy()), expression=side)

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
        for column, key in zip(self.columns, self.name("key_"), strict=True):
            if len(_list_codes(column.column)) > 1:
                yield exp.column(key)

    def codes(self, dialect: str) -> Iterator[exp.Expr]:
        """Yield the code of the column of each rank; NULL where fewer cost something."""
        for rank, _ in enumerate(COLUMNS, start=1):
            case = exp.case()
            for name, key, column in zip(self.name("rank_"), self.name("key_"), self.columns, strict=True):
                case.when(exp.column(name).eq(rank), _write_code(column.column, key, dialect), copy=False)
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


@dataclass(frozen=True)
class DecisionReasons:
    """The columns `decided_by` and `nearest` of a network of one level that decides by rules; `own` makes names."""

    tables: ReasonTables
    network: RuleNetwork
    own: Callable[[str], str]
    dialect: str

    @cached_property
    def candidates(self) -> list[tuple[DecidingClass, DecidingRule]]:
        """The rules that can be the nearest, in the order of the priority of their classes."""
        return [(each, rule) for each in self.tables.classes for rule in each.rules if rule.possible]

    @cached_property
    def losing(self) -> int:
        """From this rank on, the class of a rule would not win; from twice as much on, the rule does not count."""
        return len(self.candidates) * (2 + max((len(rule.conditions) for _, rule in self.candidates), default=0))

    def name_lacks(self) -> dict[int, str]:
        """Return a name for the number of conditions that each rule lacks, by the number of the rule."""
        return {rule.rule: self.own(f"lacks_{rule.rule + 1}") for _, rule in self.candidates}

    def lacks(self) -> Iterator[exp.Expr]:
        """Yield how many conditions each rule lacks, from the predicates."""
        for number, name in self.name_lacks().items():
            literals = self.network.levels[0].rules[number].literals
            terms = [_times(exp.column(self.own(f"p{i.index + 1}")), 1 if i.negated else -1) for i in literals]
            yield add_terms(exp.convert(sum(not each.negated for each in literals)), terms).as_(name)

    def miss(self) -> exp.Expr:
        """Return the least rank of a rule: those that would win come first, then those that lack least, then those of
        the first classes. Divided by the number of the rules, it leaves the place of the rule."""
        lacks, silent = self.name_lacks(), join_many(exp.and_, [self._fires(each, 0) for each in self.tables.classes])
        earlier: list[exp.Expr] = []
        ranks: dict[int, list[exp.Expr]] = {each.index: [] for each in self.tables.classes}
        for place, (each, rule) in enumerate(self.candidates):
            rank = _times(exp.column(lacks[rule.rule]), len(self.candidates))
            ranks[each.index].append(add_terms(exp.convert(place), [rank]))
        cases = []
        for each in self.tables.classes:
            answered = self._fires(each)
            if each.index == self.network.default_index:
                answered = exp.or_(answered, silent)
            for rank in ranks[each.index]:
                case = exp.case().when(answered, exp.convert(2 * self.losing))
                if earlier:
                    case = case.when(join_many(exp.or_, earlier), add_terms(exp.convert(self.losing), [rank]))
                cases.append(case.else_(rank))
            earlier.append(self._fires(each))
        return _least([*cases, exp.convert(2 * self.losing)])

    def texts(self, miss: str) -> Iterator[exp.Expr]:
        """Yield both texts, from the rules and classes that fire and the column with `miss`."""
        fired = {each.index: self._join_fired(each) for each in self.tables.classes if each.rules}
        yield self._choose_fired(fired, self._write("no rule holds"))
        rank = exp.column(miss)
        nearest = self._name_rule(rank)
        text = exp.case().when(rank < self.losing, nearest)
        for number, each in enumerate(self.tables.classes):
            for later in self.tables.classes[number + 1 :]:
                both = exp.and_(self._fires(each), self._fires(later))
                text.when(both, self._write(f"{later.label} if it did not hold"), copy=False)
            if each.index != self.network.default_index:
                text.when(self._fires(each), self._write(f"{self.tables.default} if it did not hold"), copy=False)
        text.when(rank >= 2 * self.losing, self._write("nothing else can be answered"), copy=False)
        unless = {each.index: self._write(f" and no rule of {each.label} holds") for each in self.tables.classes}
        answered = self._choose_fired(unless, unless[self.network.default_index])
        yield text.else_(concatenate([nearest.copy(), answered]), copy=False)

    def _name_rule(self, rank: exp.Expr) -> exp.Expr:
        """Return the class and the rule of a rank."""
        if not self.candidates:
            return self._write("")
        case = exp.case(exp.Paren(this=exp.Mod(this=rank, expression=exp.convert(len(self.candidates)))))
        for place, (each, rule) in enumerate(self.candidates):
            case.when(exp.convert(place), self._write(f"{each.label} if {rule.text}"), copy=False)
        return case

    def _fires(self, each: DecidingClass, bit: int = 1) -> exp.Expr:
        return exp.column(self.own(f"c1_{each.index + 1}")).eq(bit)

    def _choose_fired(self, texts: Mapping[int, exp.Expr], otherwise: exp.Expr) -> exp.Expr:
        """Return the text of the first class that fires."""
        case = exp.case()
        for each in self.tables.classes:
            if each.index in texts:
                case.when(self._fires(each), texts[each.index], copy=False)
        return case.else_(otherwise, copy=False) if texts else otherwise

    def _join_fired(self, each: DecidingClass) -> exp.Expr:
        """Return the rules of a class that hold, which some do."""
        if len(each.rules) == 1:
            return self._write(each.rules[0].text)
        columns = [exp.column(self.own(f"r1_{rule.rule + 1}")) for rule in each.rules]
        alone, joined = (
            concatenate(
                [
                    exp.case().when(column.eq(1), self._write(form.format(rule.text))).else_(self._write(""))
                    for column, rule in zip(columns, each.rules, strict=True)
                ]
            )
            for form in ("{}", " or ({})")
        )
        longest = exp.convert(sum(len(rule.text) + 6 for rule in each.rules))
        several = exp.Substring(this=joined, start=exp.convert(5), length=longest)
        return exp.case().when(add_terms(columns[0], columns[1:]).eq(1), alone).else_(several)

    def _write(self, text: str) -> exp.Expr:
        """Return text as the dialect writes it, or, where it cannot hold it, with escapes."""
        literal = text_literal(text, self.dialect)
        return literal or text_literal(text.encode("unicode_escape").decode(), self.dialect) or exp.null()


def make_decision_reasons(network: RuleNetwork, own: Callable[[str], str], dialect: str) -> DecisionReasons | None:
    """Return the columns with the rule that decided and the nearest; None of scorecards and of several levels."""
    if network.head is not None or len(network.levels) > 1:
        return None
    return DecisionReasons(list_reason_tables(network), network, own, dialect)


def _least(values: Sequence[exp.Expr]) -> exp.Expr:
    """Return the least of some numbers."""
    if len(values) == 1:
        return values[0]
    if len(values) > MOST_TERMS:
        groups = range(0, len(values), MOST_TERMS)
        return _least([_least(values[start : start + MOST_TERMS]) for start in groups])
    return exp.Least(this=values[0], expressions=list(values[1:]), ignore_nulls=True)


def _list_codes(asked: ReasonColumn) -> dict[str, list[int]]:
    """Return the codes of a column, each with the numbers that it goes by; the one with most of these comes last."""
    codes: dict[str, list[int]] = {}
    for said, side in product(range(asked.missing + 1), (LOWER, HIGHER)):
        codes.setdefault(asked.describe(said, side)[0], []).append(3 * said + side)
    return dict(sorted(codes.items(), key=lambda each: len(each[1])))


def _write_code(asked: ReasonColumn, key: str, dialect: str) -> exp.Expr:
    """Return the code of a column, which may go by what is in the column `key`."""
    texts = _list_codes(asked)
    codes = {text: text_literal(text, dialect) for text in texts}
    for text, code in codes.items():
        if code is None:
            raise InputError(f"the code {text!r} cannot be written in the SQL of {dialect}; change it")
    *told, last = [code for code in codes.values() if code is not None]
    case = exp.case()
    for code, keys in zip(told, texts.values(), strict=False):
        case.when(exp.In(this=exp.column(key), expressions=list(map(exp.convert, keys))), code, copy=False)
    return case.else_(last, copy=False) if told else last


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
