"""The monitoring as one query: rules, answers, scores and used columns, bin by bin, against training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from conceptrules.export.sql.literals import bit
from conceptrules.export.sql.names import (
    check_written,
    column_names,
    find_marks,
    split_name,
    table_expression,
)
from conceptrules.export.sql.scores import add_points
from conceptrules.export.sql.trusting import TRUSTING_DIALECTS, TrustingQuery, write_literal
from conceptrules.export.wording import comment, header
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import refuse_texts
from conceptrules.model.errors import InputError
from conceptrules.model.network import Cell, RuleNetwork
from conceptrules.model.predicate import Predicate, Value, holds
from conceptrules.model.text import rule_text, word
from conceptrules.monitor.comparison import Comparison, count_answers, group_trained_scores, trained_tally
from conceptrules.monitor.figures import SMOOTHING
from conceptrules.monitor.wording import cell_text, range_ends, score_text
from conceptrules.tables.table import nearest


@dataclass(frozen=True, slots=True)
class CountedBin:
    """A bin of the query: the rows on which a condition holds, and those of training."""

    kind: str
    of: str
    text: str
    condition: exp.Expr
    trained: float


def monitoring_sql(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    columns: Mapping[str, str] | None = None,
    labels: str | None = None,
    dbt_above: float | None = None,
) -> str:
    """Return a query of the figures that `RuleNetwork.monitor` compares with training, bin by bin.

    It gives a row for each bin: `kind` (rule_psi, psi, csi, or precision with labels), `subject` (the rule, the column,
    answers or scores), `bin`, `row_count`, `share`, `trained_share`, and the `stability_index` of the subject. It takes
    the types of the table for granted, and NULL is the only missing value.

    Parameters
    ----------
    network : RuleNetwork
        A network of one or more levels, with the counts of training.
    dialect : str, default="duckdb"
        The database, as for the short query of `export("sql", trust_types=True)`.
    table : str or sequence of str, default="data"
        The table to ask. Of dbt, the model.
    columns : mapping from str to str, optional
        What the table calls a column, where that is not what the network calls it.
    labels : str, optional
        The column of the table with the true class.
    dbt_above : float, optional
        Write a test of dbt, which fails where a stability index is above this.

    Returns
    -------
    str
        One SELECT.

    Raises
    ------
    InputError
        If the network has no counts of training, or something cannot be written in the dialect.

    Examples
    --------
    >>> from conceptrules import ConceptRuleClassifier, datasets
    >>> wine = datasets.load("wine")
    >>> network = ConceptRuleClassifier(effort="fast").fit(wine.X, wine.y).network_
    >>> "stability_index" in monitoring_sql(network)
    True
    """
    if dialect not in TRUSTING_DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}; {nearest(dialect, TRUSTING_DIALECTS)}")
    texts = network.asked_derived if dialect not in ("duckdb", "postgres") else ()
    refuse_texts(texts, f"the monitoring in the SQL of {dialect}")
    if network.statistics is None or not network.statistics.cells:
        raise InputError("the network has no counts of training to compare with; fit it, or count with `measure`")
    if dbt_above is not None and not (isinstance(table, str) and table.isidentifier()):
        raise InputError(f"{table!r} cannot be the name of a model of dbt; use letters, digits and _")
    names = column_names(network, columns or {})
    asked = [f"rows_of_{content_hash(network)[-16:]}"] if dbt_above is not None else split_name(table)
    tree = WarehouseQuery(network, names, dialect, labels).select(asked, dbt_above)
    text = tree.sql(dialect=dialect, pretty=True)
    check_written(tree, text, dialect)
    if dbt_above is None:
        notes = [
            *header(network),
            f"SQL of {dialect}. It trusts the types of the columns; NULL is the only missing value.",
        ]
        return "".join(f"-- {comment(line)}\n" for line in notes) + text + ";\n"
    for mark in ("{{", "{%", "{#"):
        text = text.replace(mark, f"{{{{ '{mark}' }}}}")
    return text.replace(table_expression(asked).sql(dialect), f"{{{{ ref('{table}') }}}}") + "\n"


@dataclass(frozen=True, slots=True)
class WarehouseQuery:
    """The query, layer by layer: nodes of each row, their counts, a row for each bin, and the index of its subject."""

    network: RuleNetwork
    columns: Mapping[str, str]
    dialect: str
    labels: str | None

    def select(self, table: Sequence[str], above: float | None) -> exp.Select:
        """Return the query; with `above`, only the bins of subjects whose index is larger."""
        marks = find_marks([*self.columns.values(), *table, self.labels or ""])
        asked = TrustingQuery(self.network, self.columns, self.dialect)
        nodes = self._rule_nodes(asked, marks)
        kept = [exp.column(self.columns[each.name], quoted=True) for each in self.network.asked_columns]
        kept += [exp.column(self.labels, quoted=True)] if self.labels else []
        layers = [("rules_of_rows", exp.select(*kept, *nodes).from_(table_expression(table)))]
        head = self.network.head
        if head is not None:
            scores = [f"{marks}s{number}" for number in range(1, 1 + head.outputs)]
            rules = [self._node(marks, len(self.network.levels) - 1, rule) for rule in range(len(head.points))]
            own = [exp.column(node.alias) for node in nodes]
            sums = add_points(head, rules, scores)
            layers.append(("scored_rows", exp.select(*kept, *own, *sums).from_(f"{marks}rules_of_rows")))
        bins = list(self._bins(asked, marks))
        counts = [exp.alias_(exp.Sum(this=bit(each.condition)), f"{marks}n{i}") for i, each in enumerate(bins, start=1)]
        layers.append(("counts", exp.select(*counts).from_(f"{marks}{layers[-1][0]}")))
        rows = [self._bin_row(each, f"{marks}n{i}", f"{marks}counts") for i, each in enumerate(bins, start=1)]
        known = exp.select("*").from_(exp.union(*rows, distinct=False).subquery("all_bins"))
        layers.append(("bins", known.where("row_count > 0 OR trained_rows > 0")))
        layers.append(("shares", self._shares(f"{marks}bins")))
        tree = self._indices(f"{marks}shares")
        if above is not None:
            tree = exp.select("*").from_(tree.subquery("indices")).where(f"stability_index > {float(above)!r}")
        for name, layer in layers:
            tree.with_(f"{marks}{name}", as_=layer, copy=False)
        return tree.order_by("stability_index DESC", "kind", "subject", "bin")

    def _node(self, marks: str, level: int, rule: int) -> str:
        return f"{marks}r{level + 1}_{rule + 1}"

    def _rule_nodes(self, asked: TrustingQuery, marks: str) -> list[exp.Expr]:
        return [
            bit(asked.rule(level, rule.literals)).as_(self._node(marks, level, number))
            for level, nodes in enumerate(self.network.levels)
            for number, rule in enumerate(nodes.rules)
        ]

    def _bin_row(self, each: CountedBin, count: str, table: str) -> exp.Select:
        texts = zip((each.kind, each.of, each.text), ("kind", "subject", "bin"), strict=True)
        labels = [write_literal(text, self.dialect).as_(name) for text, name in texts]
        trained = exp.cast(exp.Literal.number(repr(float(each.trained))), exp.DataType.Type.DOUBLE)
        rows = exp.cast(exp.Coalesce(this=exp.column(count), expressions=[exp.convert(0)]), exp.DataType.Type.DOUBLE)
        return exp.select(*labels, rows.as_("row_count"), trained.as_("trained_rows")).from_(table)

    def _shares(self, bins: str) -> exp.Select:
        """Return the smoothed shares that the index is of, beside the plain ones."""
        over = "OVER (PARTITION BY kind, subject)"
        columns = ["kind", "subject", "bin", "row_count"]
        for name, share in (("row_count", "share"), ("trained_rows", "trained_share")):
            columns.append(f"{name} / NULLIF(SUM({name}) {over}, 0) AS {share}")
            columns.append(
                f"({name} + {SMOOTHING}) / (SUM({name}) {over} + {SMOOTHING} * COUNT(*) {over}) AS smooth_{share}"
            )
        return exp.select(*columns).from_(bins)

    def _indices(self, shares: str) -> exp.Select:
        part = "(smooth_share - smooth_trained_share) * LN(smooth_share / smooth_trained_share)"
        index = f"SUM({part}) OVER (PARTITION BY kind, subject) AS stability_index"
        return exp.select("kind", "subject", "bin", "row_count", "share", "trained_share", index).from_(shares)

    # Bins

    def _bins(self, asked: TrustingQuery, marks: str) -> Iterator[CountedBin]:
        yield from self._rule_bins(marks)
        yield from self._answer_bins(marks)
        yield from self._column_bins(asked)

    def _rule_bins(self, marks: str) -> Iterator[CountedBin]:
        network, counted = self.network, self.network.statistics
        assert counted is not None
        comparison, total = Comparison(network, trained_tally(network), False), sum(counted.rows)
        for level, nodes in enumerate(network.levels):
            for rule in range(len(nodes.rules)):
                node = exp.column(self._node(marks, level, rule))
                text, rows = rule_text(network, level, rule), counted.covered[level][rule]
                yield CountedBin("rule_psi", text, "holds", node.eq(1), sum(rows))
                yield CountedBin("rule_psi", text, "does not hold", node.eq(0), total - sum(rows))
                kind = comparison.class_of(level, rule)
                if self.labels and kind is not None:
                    label = write_literal(network.classes[kind], self.dialect)
                    true = exp.column(self.labels, quoted=True)
                    yield CountedBin("precision", text, "right", exp.and_(node.eq(1), true.eq(label)), rows[kind])
                    wrong = exp.and_(node.eq(1), true.copy().neq(label.copy()))
                    yield CountedBin("precision", text, "wrong", wrong, sum(rows) - rows[kind])

    def _answer_bins(self, marks: str) -> Iterator[CountedBin]:
        network, head, counted = self.network, self.network.head, self.network.statistics
        assert counted is not None
        if head is not None and head.outputs == 1:
            groups, score = group_trained_scores(counted), exp.column(f"{marks}s1")
            edges = [edge for edge, _ in groups]
            for low, (edge, rows) in zip([None, *edges], groups, strict=False):
                ends: list[exp.Expr] = [] if low is None else [score.copy() > low]
                ends += [] if edge == edges[-1] else [score.copy() <= edge]
                where = exp.and_(*ends) if ends else exp.convert(1).eq(1)
                yield CountedBin(
                    "psi", "scores", score_text(low, None if edge == edges[-1] else edge), where, sum(rows)
                )
        trained = count_answers(network, counted)
        for label, condition, weight in zip(network.classes, self._answer_conditions(marks), trained, strict=True):
            yield CountedBin("psi", "answers", word(label), condition, weight)

    def _answer_conditions(self, marks: str) -> list[exp.Expr]:
        """Return where each class is the answer."""
        network, head = self.network, self.network.head
        if not network.classes:
            return []
        if head is None:
            case = exp.case()
            level = len(network.levels) - 1
            for kind in network.priority_indices:
                rules = [
                    exp.column(self._node(marks, level, rule)).eq(1)
                    for rule in network.levels[level].concepts[kind].rules
                ]
                if rules:
                    case.when(exp.or_(*rules), exp.convert(kind), copy=False)
            default = exp.convert(network.default_index)
            answer = case.else_(default, copy=False) if case.args.get("ifs") else default
        elif head.outputs == 1:
            answer = exp.case().when(exp.column(f"{marks}s1") >= head.cutoff, exp.convert(1)).else_(exp.convert(0))
        else:
            ranked = [exp.column(f"{marks}s{i}") + offset for i, offset in enumerate(head.offsets, start=1)]
            case = exp.case()
            for kind, score in enumerate(ranked[:-1]):
                wins = exp.and_(*(score.copy() >= other.copy() for other in ranked if other is not score))
                case.when(wins, exp.convert(kind), copy=False)
            answer = case.else_(exp.convert(len(ranked) - 1), copy=False)
        return [answer.copy().eq(kind) for kind in range(len(network.classes))]

    def _column_bins(self, asked: TrustingQuery) -> Iterator[CountedBin]:
        network, counted = self.network, self.network.statistics
        assert counted is not None
        comparison = Comparison(network, trained_tally(network), False)
        for name, indices in network.used_columns.items():
            column = next(each for each in network.columns if each.name == name)
            tests = [network.predicates[index] for index in indices]
            cells = [cell for cell in counted.cells if cell.column == name]
            trained = comparison.merge_cells(name, cells)
            x = asked.write_column(column)
            gap = asked.is_missing(x, column)
            if not column.ordered and column.derivation is None:
                listed = [write_literal(value, self.dialect) for value in column.categories]
                gap = exp.or_(gap, exp.not_(exp.In(this=x.copy(), expressions=listed)))
            gap = bit(gap).eq(1)
            apart = comparison.knows_gaps(name)
            values: list[Value | None] = [*(range_ends(tests) if column.ordered else column.categories), None]
            for key in dict.fromkeys(_key_of(tests, value, apart) for value in values):
                where: list[exp.Expr] = [gap.copy() if key[1] else exp.not_(gap.copy())] if apart else []
                where += [bit(asked.test(x.copy(), test, column)).eq(int(test in key[0])) for test in tests]
                text = cell_text(network, Cell(name, *key, 0.0))
                yield CountedBin("csi", name, text, exp.and_(*where), trained.get(key, 0.0))


def _key_of(tests: Sequence[Predicate], value: Value | None, apart: bool) -> tuple[tuple[Predicate, ...], bool]:
    return tuple(test for test in tests if holds(test, value)), apart and value is None
