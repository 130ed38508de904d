"""Which rules lie inside of others."""

from __future__ import annotations

import itertools

import pytest

from conceptrules.logic.regions import lies_inside, rules_inside
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import holds
from conceptrules.model.rule_reader import Stated, read_rule

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
