"""A network as SQL that reads every column as Python does, whatever its type in the table.

Layer by layer: readings of the columns (in PostgreSQL their types before that), predicates, then rules and concepts of
each level, each a table expression with a column of 0 and 1 for each node. A test on NULL is neither true nor false;
CASE makes 0 of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from conceptrules.export.sql.columns import DerivedColumn, TableColumn, refusal, type_expressions
from conceptrules.export.sql.derived import derive_layers
from conceptrules.export.sql.literals import (
    between,
    bit,
    class_pattern,
    concatenate,
    equal,
    join_many,
    label_literal,
    number_literal,
    probability_columns,
    text_if,
)
from conceptrules.export.sql.names import QueryNames, answer_columns, raw_column, table_expression
from conceptrules.export.sql.readings import read
from conceptrules.export.sql.reasons import (
    COLUMNS,
    DECIDING,
    DecisionReasons,
    ReasonColumns,
    make_decision_reasons,
    make_reason_columns,
)
from conceptrules.export.sql.scores import ScoreAnswers, add_points
from conceptrules.export.wording import rule_ids
from conceptrules.model.heads import Points
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate
from conceptrules.tables.prediction import probability_names, score_names

# Without MATERIALIZED, these two put each layer's expressions into the next one, and the text grows without end.
_MATERIALIZED = ("postgres", "sqlite")


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query, layer by layer."""

    network: RuleNetwork
    columns: Sequence[TableColumn]
    derived: Sequence[DerivedColumn]
    names: QueryNames
    dialect: str

    def select(self, reasons: bool, probabilities: bool) -> exp.Select:
        """Return the layers as table expressions, each made from the one before, and the answer from the last."""
        own = self.names.own
        first = exp.select(*self._readings()).from_(table_expression(self.names.table).as_(own("source")))
        first = first.where(refusal(self.columns, self.names, self.dialect))
        layers: list[tuple[str, exp.Select, bool]] = []
        if self.dialect == "postgres" and self.columns:
            layers.append(("types", exp.select(*type_expressions(self.columns, self.names)), True))
            first = first.join(own("types"), join_type="cross")
        layers.append(("inputs", first, False))
        if self.derived:
            read = {column.input.column.name: next(iter(column.readings.values())) for column in self.columns}
            for name, nodes in derive_layers(self.derived, read, self.names.own, self.dialect):
                carried = [exp.column(title) for column in self.columns for title in column.readings.values()]
                source = exp.select(*self._kept(), *carried, *nodes).from_(own(layers[-1][0]))
                layers.append((name, source, self.dialect in _MATERIALIZED))
        for name, nodes in self._layers(reasons, probabilities):
            shared = name != "predicates" and self.dialect in _MATERIALIZED
            layers.append((name, exp.select(*self._kept(), *nodes).from_(own(layers[-1][0])), shared))
        tree = exp.select(*self._kept(), *self._answers(reasons, probabilities)).from_(own(layers[-1][0]))
        for name, layer, materialized in layers:
            tree.with_(own(name), as_=layer, materialized=materialized or None, copy=False)
        return tree

    def _kept(self) -> list[exp.Column]:
        return [exp.column(name, quoted=True) for name in self.names.kept]

    def _readings(self) -> list[exp.Expr]:
        """Return the columns as they are and as they are read."""
        kept = [raw_column(self.names, name).as_(exp.to_identifier(name, quoted=True)) for name in self.names.kept]
        ways = [
            read(column.input, reading, column.raw, column.type, self.dialect).as_(name)
            for column in self.columns
            for reading, name in column.readings.items()
        ]
        return [*kept, *ways]

    def _layers(self, reasons: bool, probabilities: bool) -> list[tuple[str, list[exp.Expr]]]:
        """Return the nodes of each layer by its name; with reasons, the rules of the layers below go along."""
        own = self.names.own
        columns: list[TableColumn | DerivedColumn] = [*self.columns, *self.derived]
        predicates = [
            bit(self._test(column, self.network.predicates[index])).as_(own(f"p{index + 1}"))
            for column in columns
            for index in column.input.predicates
        ]
        costing = self._reason_columns() if reasons else None
        if costing:
            asked = {column.input.column.name: column for column in columns}
            predicates += costing.sayings(lambda mark: self._test(asked[mark.column], mark))
        layers: list[tuple[str, list[exp.Expr]]] = [("predicates", predicates)]
        carried: list[str] = []
        for number, level in enumerate(self.network.levels, start=1):
            names = [own(f"r{number}_{index}") for index in range(1, 1 + len(level.rules))]
            rules = [self._rule(rule.literals, number).as_(name) for rule, name in zip(level.rules, names, strict=True)]
            layers.append((f"rules_{number}", [*map(exp.column, carried), *rules]))
            carried += names if reasons else []
            deciding = self._decision_reasons() if reasons else None
            if deciding is not None:
                layers[-1][1].extend(deciding.lacks())
                carried += deciding.name_lacks().values()
            if costing:
                layers[-1][1].extend(costing.ends())
            if self.network.head is not None and number == len(self.network.levels):
                return [*layers, *self._score_layers(self.network.head, carried, probabilities)]
            concepts = [
                self._any_rule(concept.rules, number).as_(own(f"c{number}_{index}"))
                for index, concept in enumerate(level.concepts, start=1)
            ]
            layers.append((f"concepts_{number}", [*map(exp.column, carried), *concepts]))
        fires = self._class_columns()
        if deciding is not None:
            miss = deciding.miss().as_(own("miss"))
            layers.append(("misses", [*map(exp.column, (*carried, *fires)), miss]))
            carried.append(own("miss"))
        if probabilities:
            # Which classes fire, as one text, to look the probabilities up by.
            pattern = class_pattern(fires).as_(own("pattern"))
            layers.append(("patterns", [*map(exp.column, (*carried, *fires)), pattern]))
        return layers

    def _score_layers(
        self, head: Points, carried: Sequence[str], probabilities: bool
    ) -> Iterator[tuple[str, list[exp.Expr]]]:
        """Yield the sums of the points of a scorecard, and what its answers need besides."""
        answers, top = self._score_answers(head), len(self.network.levels)

        rules = [self.names.own(f"r{top}_{number}") for number in range(1, 1 + len(head.points))]
        sums = add_points(head, rules, answers.scores)
        costing = self._reason_columns() if carried else None
        ends = [end.alias_or_name for end in costing.ends()] if costing else []
        yield "scores", [*map(exp.column, (*carried, *ends)), *sums]
        if costing:
            yield "costs", [*map(exp.column, (*carried, *answers.scores)), *costing.costs(rules)]
            yield "ranks", [*map(exp.column, (*carried, *answers.scores)), *costing.ranks()]
        for name, nodes in answers.layers(probabilities):
            yield name, [*map(exp.column, (*carried, *answers.scores)), *nodes]

    def _score_answers(self, head: Points) -> ScoreAnswers:
        own = self.names.own
        return ScoreAnswers(self.network, head, [own(f"s{k}") for k in range(1, 1 + head.outputs)], own, self.dialect)

    def _reason_columns(self) -> ReasonColumns | None:
        return make_reason_columns(self.network, self.names.own, self.names.own("s1"))

    def _decision_reasons(self) -> DecisionReasons | None:
        return make_decision_reasons(self.network, self.names.own, self.dialect)

    def _test(self, column: TableColumn | DerivedColumn, predicate: Predicate) -> exp.Expr | None:
        read_as = {reading: exp.column(name) for reading, name in column.readings.items()}
        match predicate:
            case Missing():
                return exp.and_(*(each.is_(exp.null()) for each in read_as.values()))
            case Equals(value=value):
                return equal(read_as, value, self.dialect)
            case OneOf(values=values):
                return _any_equal([equal(read_as, value, self.dialect) for value in values])
            case Interval(low=low, high=high):
                x = next(iter(read_as.values()))
                return between(x, low, high, lambda bound: number_literal(bound, self.dialect))
        raise AssertionError(predicate)

    def _rule(self, literals: Sequence[Literal], number: int) -> exp.Expr:
        below = "p" if number == 1 else f"c{number - 1}_"
        terms = [
            exp.column(self.names.own(f"{below}{literal.index + 1}")).eq(0 if literal.negated else 1)
            for literal in literals
        ]
        return bit(join_many(exp.and_, terms)) if terms else exp.convert(1)

    def _any_rule(self, rules: Sequence[int], number: int) -> exp.Expr:
        terms = [exp.column(self.names.own(f"r{number}_{rule + 1}")).eq(1) for rule in rules]
        return bit(join_many(exp.or_, terms) if terms else None)

    def _class_columns(self) -> list[str]:
        top = len(self.network.levels)
        return [self.names.own(f"c{top}_{index}") for index in range(1, 1 + len(self.network.classes))]

    def _answers(self, reasons: bool, probabilities: bool) -> list[exp.Expr]:
        network, prefix = self.network, self.names.prefix
        scored = None if network.head is None else self._score_answers(network.head)
        if scored is not None:
            winner: exp.Expr = scored.answer(self._label)
        else:
            winner = self._first_firing()
        answers: list[exp.Expr] = [winner.as_(f"{prefix}prediction")]
        if reasons:
            names = [
                text_if(self.names.own(f"r{name.replace('.', '_')}"), f"{name} ", "") for name in rule_ids(network)
            ]
            fired = exp.Trim(this=concatenate(names)) if names else exp.Literal.string("")
            answers.append(fired.as_(f"{prefix}rules"))
            if (deciding := self._decision_reasons()) is not None:
                texts = deciding.texts(self.names.own("miss"))
                answers += [text.as_(prefix + name) for text, name in zip(texts, DECIDING, strict=True)]
        if scored is not None:
            pairs = zip(scored.scores, answer_columns(score_names(network), prefix, self.dialect), strict=True)
            answers += [exp.column(score).as_(prefix + name) for score, name in pairs]
        if reasons and (costing := self._reason_columns()) is not None:
            codes = costing.codes(self.dialect)
            answers += [code.as_(prefix + name) for code, name in zip(codes, COLUMNS, strict=True)]
        if probabilities:
            shares: Sequence[exp.Expr] = scored.probabilities() if scored is not None else self._pattern_shares()
            named = zip(answer_columns(probability_names(network), prefix, self.dialect), shares, strict=True)
            answers += [share.as_(f"{prefix}{name}") for name, share in named]
        return answers

    def _label(self, index: int) -> exp.Expr:
        return label_literal(self.network, self.network.classes[index], self.dialect)

    def _first_firing(self) -> exp.Expr:
        """Return the class that fires first by priority, or the default."""
        fires, winner = self._class_columns(), exp.case()
        for index in self.network.priority_indices:
            winner.when(exp.column(fires[index]).eq(1), self._label(index), copy=False)
        return winner.else_(self._label(self.network.default_index), copy=False)

    def _pattern_shares(self) -> Sequence[exp.Expr]:
        pattern = self.names.own("pattern")
        return probability_columns(self.network, pattern, self.dialect)


def _any_equal(tests: Sequence[exp.Expr | None]) -> exp.Expr | None:
    """Return an IN list of what the tests for equality compare with; None where no value can be equal."""
    possible = [test for test in tests if test is not None]
    if not possible:
        return None
    if all(isinstance(test, exp.EQ) and test.this == possible[0].this for test in possible):
        values = [test.expression.copy() for test in possible]
        return exp.In(this=possible[0].this.copy(), expressions=values)
    return exp.or_(*possible)
