"""The cells of columns: a value for each set of values that tests do not tell apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from conceptrules.logic.column_cells import ColumnCells, cells_of, elementary_cells, lies_inside, rules_inside
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    Predicate,
    Rule,
    RuleNetwork,
)
from conceptrules.model.predicate import holds
from conceptrules.model.rule_reader import Stated, read_rule

AGE, JOB, CODE = Column("x"), Column("x", "category", ("a", "b")), Column("x", "category", (1, 2.5))
ANY, FLAG, DAY, LAST = (Column("x", kind) for kind in ("category", "boolean", "date", "duration"))
RANK = Column("x", "ordinal", ("a", "b", "c"))
FARTHEST = 2**63 - 1


def network(column: Column, *tests: Predicate, unused: tuple[Predicate, ...] = ()) -> RuleNetwork:
    level = Level([Rule([Literal(place)]) for place in range(len(tests))], [Concept(range(len(tests)))])
    return RuleNetwork([column], [*tests, *unused], [level], ["yes"])


@pytest.mark.parametrize(
    ("column", "tests", "told_apart", "every"),
    [
        (AGE, [Interval("x", 27, 41)], (27.0, 41.0), (27.0, 41.0, 42.0, None)),
        (AGE, [Interval("x", 5), Interval("x", high=5)], (5.0, 6.0, None), (5.0, 6.0, None)),
        (AGE, [Interval("x", 1e300)], (1e300, math.nextafter(1e300, math.inf)),
         (1e300, math.nextafter(1e300, math.inf), None)),
        (AGE, [Interval("x", 9), Interval("x", high=-1)], (-1.0, 9.0, 10.0), (-1.0, 9.0, 10.0, None)),
        (AGE, [Interval("x")], (0.0, None), (0.0, None)),
        (JOB, [Equals("x", "a")], ("a", "other"), ("a", "other", None)),
        (JOB, [OneOf("x", ("a", "b")), Equals("x", "other")], ("a", "other", "otherother"),
         ("a", "b", "other", "otherother", None)),
        (JOB, [Equals("x", "other"), Equals("x", "longest")], ("other", "longest", "otherlongest"),
         ("other", "longest", "otherlongest", None)),
        (JOB, [Equals("x", 3)], ("other",), ("other", None)),
        (CODE, [Equals("x", 1), Equals("x", 2)], (0.0, 1, 2), (0.0, 1, 2, None)),
        (CODE, [Equals("x", 0), Equals("x", "a")], (0.0, 1), (0.0, 1, None)),
        (ANY, [Equals("x", 1), Equals("x", 0), Equals("x", "a")], ("a", "other", 0.0, 1), ("a", "other", 0.0, 1, None)),
        (FLAG, [Equals("x", True)], (True, False), (True, False, None)),
        (FLAG, [Equals("x", True), Equals("x", False)], (True, False, None), (True, False, None)),
        (RANK, [OneOf("x", ("b", "c"))], ("b", "other"), ("b", "c", "other", None)),
        (DAY, [Interval("x", 0.2, 0.7)], (0.0,), (0.0, float(FARTHEST), None)),
        (DAY, [Interval("x", 0.2, 1.7), Interval("x", 5)], (0.0, 1.0, float(FARTHEST)),
         (0.0, 1.0, 5.0, float(FARTHEST), None)),
        (DAY, [Interval("x", 1e19)], (float(FARTHEST),), (float(FARTHEST), None)),
        (DAY, [Interval("x", -1e20)], (float(FARTHEST), None), (float(FARTHEST), None)),
        (LAST, [Interval("x", high=-3)], (-3.0, float(FARTHEST)), (-3.0, float(FARTHEST), None)),
    ],
)  # fmt: skip
def test_a_value_of_each_cell(
    column: Column, tests: list[Predicate], told_apart: tuple[object, ...], every: tuple[object, ...]
) -> None:
    assert cells_of([network(column, *tests)])["x"] == ColumnCells(column, told_apart)  # type: ignore[arg-type]
    assert elementary_cells(column, tests) == ColumnCells(column, every)  # type: ignore[arg-type]


def test_only_what_rules_ask_for_cuts_a_column() -> None:
    some = network(AGE, Interval("x", 5), unused=(Interval("x", 7),))
    assert cells_of([some])["x"].values == (5.0, 6.0)
    assert cells_of([network(AGE, unused=(Interval("x", 7),))]) == {}


def test_two_networks_cut_a_column_together() -> None:
    cells = cells_of([network(AGE, Interval("x", 5)), network(AGE, Interval("x", 7))])
    assert cells["x"].values == (5.0, 7.0, 8.0)
    dates = cells_of([network(DAY, Interval("x", 5)), network(Column("x", "datetime"), Interval("x", 7))])
    assert dates["x"] == ColumnCells(DAY, (5.0, 7.0, float(FARTHEST)))


def test_where_a_predicate_holds() -> None:
    cells = ColumnCells(AGE, (27.0, 41.0, 42.0, None))
    assert cells.where(Interval("x", 27)) == 0b0110
    assert cells.where(Interval("x", high=41)) == 0b0011
    assert cells.where(Missing("x")) == 0b1000


@pytest.mark.parametrize(
    ("column", "value", "raw"),
    [
        (AGE, 2.5, 2.5),
        (JOB, "a", "a"),
        (DAY, None, None),
        (DAY, 86_400e6, np.datetime64("1970-01-02T00:00", "us")),
        (Column("x", "datetime"), 1.0, np.datetime64(1, "us")),
        (LAST, -7.0, np.timedelta64(-7, "us")),
        (LAST, 1e30, np.timedelta64(FARTHEST, "us")),
        (DAY, -1e30, np.datetime64(-FARTHEST, "us")),
    ],
)
def test_values_as_a_table_holds_them(column: Column, value: object, raw: object) -> None:
    cells = ColumnCells(column, ("unused", value))  # type: ignore[arg-type]
    assert cells.raw(1) == raw
    assert type(cells.raw(1)) is type(raw)


def test_no_table_suits_both() -> None:
    with pytest.raises(InputError) as error:
        cells_of([network(Column("x", "category", ("a", "b", "c"))), network(CODE)])
    assert str(error.value) == (
        "column 'x' is category ['a', 'b'] in one network and category [1, 2.5] in the other; no table suits both"
    )


COLUMNS = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay"))
TESTS = {
    "age": [
        "age > 27",
        "age > 41",
        "age <= 41",
        "27 < age <= 41",
        "not (age > 27)",
        "age is missing",
        "age is present",
    ],
    "job": ["job = nurse", "job != nurse", "job in {nurse, cook}", "job not in {nurse, cook}", "job is missing"],
}
VALUES: dict[str, list[float | str | None]] = {"age": [27.0, 41.0, 50.0, None], "job": ["nurse", "cook", "smith", None]}
RULES = [
    *("always", "age > 41 and age <= 27"),
    *itertools.chain(*TESTS.values()),
    *(" and ".join(pair) for pair in itertools.product(*TESTS.values())),
]


def rows_of(text: str) -> set[tuple[float | str | None, ...]]:
    tests = read_rule(text, COLUMNS)
    rows = [dict(zip(VALUES, row, strict=True)) for row in itertools.product(*VALUES.values())]
    held = [all(holds(one.predicate, row[one.predicate.column]) != one.negated for one in tests) for row in rows]
    return {tuple(row.values()) for row, there in zip(rows, held, strict=True) if there}


@pytest.mark.parametrize("region", RULES)
def test_a_rule_lies_inside_where_all_its_rows_do(region: str) -> None:
    for rule in RULES:
        if rows_of(rule):  # what contradicts itself is not looked at in other columns
            found = lies_inside(COLUMNS, read_rule(rule, COLUMNS), read_rule(region, COLUMNS))
            assert found == (rows_of(rule) <= rows_of(region)), rule


def test_columns_that_the_region_does_not_name_do_not_matter() -> None:
    rule, region = [Stated(Interval("pay", 5)), Stated(Interval("age", 60))], [Stated(Interval("age", 50))]
    assert lies_inside(COLUMNS, rule, region)
    assert not lies_inside(COLUMNS, rule[:1], region)


def test_the_rules_of_the_first_level_that_lie_inside() -> None:
    tests = [Interval("age", 60), Interval("age", 40), Interval("pay", 5)]
    rules = [Rule([Literal(0), Literal(2)]), Rule([Literal(1)]), Rule([Literal(0)]), Rule([Literal(0, True)]), Rule()]
    network = RuleNetwork(COLUMNS, tests, [Level(rules, [Concept([0, 1, 2, 3, 4])])], ["yes"])
    assert rules_inside(network, read_rule("age > 50", COLUMNS)) == (0, 2)
    assert rules_inside(network, read_rule("not (age > 70)", COLUMNS)) == (3,)
    assert rules_inside(network, ()) == (0, 1, 2, 3, 4)
