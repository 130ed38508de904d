"""The cells of columns under a policy, in the order that certificates state."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conceptrules.logic.column_cells import raw_value
from conceptrules.logic.policies.possible_rows import PossibleCells, cut_column, network_space, policy_tests, space_of
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, Missing, Rule, RuleNetwork
from conceptrules.model.policy import Banned, Domain, Implies, Locked, Policy
from conceptrules.model.predicate import Predicate
from conceptrules.model.rule_reader import Stated

AGE, DAY, FLAG = Column("x"), Column("x", "date"), Column("x", "boolean")
JOB, CODE, ANY = (Column("x", "category", some) for some in (("a", "b"), (1, 2), ()))
RANK = Column("x", "ordinal", ("low", "mid", "high"))
CLOSED = Domain(unseen=False)
CUT: list[Predicate] = [Interval("x", 5, 9)]
FARTHEST = 2.0**63 - 1024


def equals(*values: str | float) -> list[Predicate]:
    return [Equals("x", value) for value in values]


@pytest.mark.parametrize(
    ("column", "tests", "domain", "values", "possible"),
    [
        (AGE, CUT, Domain(), (5.0, 9.0, 10.0, None), 0b1111),
        (AGE, CUT, Domain((("x", 5, 8),), False), (5.0, 9.0, 10.0, None), 0b0001),
        (AGE, CUT, Domain((("x", 9, 10),), ("x",)), (5.0, 9.0, 10.0, None), 0b1110),
        (AGE, CUT, Domain((("y", 9, 10),), ("y",)), (5.0, 9.0, 10.0, None), 0b0111),
        (AGE, [], Domain(), (0.0, None), 0b11),
        (AGE, [Interval("x", 1e300)], Domain(), (1e300, math.nextafter(1e300, math.inf), None), 0b111),
        (DAY, [Interval("x", 0.2, 0.7)], Domain(), (0.0, None, FARTHEST, None), 0b1101),
        (DAY, [Interval("x", 0.2, 1.0)], Domain(), (0.0, 1.0, FARTHEST, None), 0b1111),
        (DAY, [Interval("x", 1e19)], Domain(), (FARTHEST, None, None), 0b101),
        (DAY, [Interval("x", -1e19)], Domain(), (None, FARTHEST, None), 0b110),
        (DAY, [Interval("x", -FARTHEST)], Domain(), (-FARTHEST, FARTHEST, None), 0b111),
        (JOB, equals("a"), Domain(), ("a", "b", None), 0b111),
        (JOB, equals("a"), CLOSED, ("a", "b", None), 0b111),
        (JOB, equals("a", "b"), CLOSED, ("a", "b", "", None), 0b1011),
        (JOB, equals("a", "x"), CLOSED, ("a", "x", "b", None), 0b1101),
        (JOB, equals("a", "b"), Domain(), ("a", "b", "other", None), 0b1111),
        (JOB, equals("a", "b", "other", "x"), Domain(), ("a", "b", "other", "x", "otherother", None), 0b111111),
        (JOB, equals(3), Domain(), (3, "a", None), 0b110),
        (CODE, equals(1, 2), Domain(), (1, 2, 0, None), 0b1111),
        (CODE, equals(0, 1, 2, True), Domain(), (0, 1, 2, 3, None), 0b11111),
        (CODE, equals(1, 0), CLOSED, (1, 0, 2, None), 0b1101),
        (CODE, equals("y"), Domain(), ("y", 1, None), 0b110),
        (ANY, equals("y", 1), CLOSED, ("y", 1, "other", None), 0b1111),
        (FLAG, [], Domain(), (False, True, "", None), 0b1011),
        (FLAG, equals(True), Domain(missing=False, unseen=False), (False, True, "", None), 0b0011),
        (RANK, equals("mid"), Domain(), ("low", "mid", "high", "other", None), 0b11111),
        (RANK, [], CLOSED, ("low", "mid", "high", "", None), 0b10111),
    ],
)
def test_the_cells_of_a_column(
    column: Column, tests: list[Predicate], domain: Domain, values: tuple[object, ...], possible: int
) -> None:
    cells = cut_column(column, tests, domain)
    assert (cells.values, bin(cells.possible)) == (values, bin(possible))
    if column.ordered:
        assert len(cells.cuts) == len(values) - 2
        assert cells.listed == ()
    else:
        assert cells.listed == values[:-2]
        assert cells.cuts == ()
    there = [cell for cell in range(len(values)) if possible >> cell & 1]
    assert cells.members() == there
    assert cells.ascending() == [cell for cell in there if cell < len(values) - (1 if column.ordered else 2)]
    assert cells.closed == (not domain.unseen and bool(column.categories) and column.kind != "boolean")


def test_the_cell_of_a_value() -> None:
    age, job = cut_column(AGE, CUT, Domain()), cut_column(JOB, equals("b", "x"), Domain())
    assert [age.cell_of(value) for value in (-math.inf, 5.0, 5.1, 9.0, 9.1, None, math.nan)] == [0, 0, 1, 1, 2, 3, 3]
    assert [job.cell_of(value) for value in ("b", "x", "a", "new", None)] == [0, 1, 2, 2, 3]
    closed = cut_column(JOB, equals("b", "x"), CLOSED)
    assert [closed.cell_of(value) for value in ("b", "x", "a", "new", None)] == [0, -1, 2, -1, 3]


def test_where_predicates_hold_among_what_is_possible() -> None:
    cells = cut_column(AGE, CUT, Domain((("x", 0, 9),)))
    assert bin(cells.where(Interval("x"))) == "0b11"
    assert bin(cells.where(Interval("x", 5))) == "0b10"
    assert bin(cells.where(Missing("x"))) == "0b1000"
    assert cells.where(Interval("x", 9)) == 0


def test_a_table_of_cells_ends_with_one_for_what_no_row_has() -> None:
    cells = cut_column(AGE, CUT, Domain())
    assert cells.membership(0b1010).tolist() == [False, True, False, True, False]
    assert not cells.membership(0b1111)[-1]


def test_values_as_a_table_holds_them() -> None:
    assert raw_value(DAY, 7.0) == np.datetime64(7, "us")
    assert raw_value(AGE, None) is None
    assert raw_value(JOB, "a") == "a"


COLUMNS = (Column("age"), Column("pay"), Column("job", "category", ("a", "b")), Column("zip", "category"))
POLICY = Policy(
    (
        Implies("age > 1", "yes"),
        Locked("age > 2", "yes", "decides"),
        Locked("age > 3", "yes"),
        Banned("job = gone", "no"),
    ),
    Domain((("pay", 0, 10),), impossible=("pay > 4 and age > 4",)),
)


def test_the_tests_that_proofs_need_to_see() -> None:
    assert policy_tests(POLICY, COLUMNS) == [
        Stated(Interval("age", 2)),
        Stated(Interval("age", 3)),
        Stated(Interval("age", 1)),
        Stated(Interval("pay", 4)),
        Stated(Interval("age", 4)),
        Stated(Equals("job", "gone")),
    ]


def test_columns_are_cut_by_rules_and_by_the_policy() -> None:
    space = space_of(COLUMNS, [Interval("age", 9)], POLICY)
    assert list(space) == ["age", "pay", "job"]
    assert space["age"].cuts == (1, 2, 3, 4, 9)
    assert space["pay"].cuts == (math.nextafter(0, -math.inf), 4, 10)
    assert space["pay"].members() == [1, 2, 4]
    assert space["job"].listed == ("gone",)
    assert list(space_of(COLUMNS, [], POLICY, ["zip"])) == ["age", "pay", "job", "zip"]


def test_a_range_without_an_end_cuts_on_one_side() -> None:
    space = space_of(COLUMNS, [], Policy((), Domain((("age", -math.inf, 5), ("pay", 1, math.inf)))))
    assert space["age"].cuts == (5,)
    assert space["pay"].cuts == (math.nextafter(1, -math.inf),)
    assert (space["age"].members(), space["pay"].members()) == ([0, 2], [1, 2])


def test_all_columns_of_a_network_have_cells() -> None:
    level = Level([Rule([Literal(1)])], [Concept([0]), Concept()])
    network = RuleNetwork(COLUMNS, [Interval("pay", 3), Interval("age", 3)], [level], ["yes", "no"])
    space = network_space(network, Policy())
    assert {name: cells.cuts for name, cells in space.items()} == {"age": (3,), "pay": (), "job": (), "zip": ()}


def test_a_column_without_a_possible_value_is_told() -> None:
    policy = Policy((), Domain((("day", 0.2, 0.7),), missing=False))
    with pytest.raises(InputError) as error:
        space_of([Column("age"), Column("day", "date")], [], policy)
    assert str(error.value) == (
        "domain: no row is possible, since column 'day' has no possible value; widen the domain"
    )


def test_cells_are_open_unless_told_otherwise() -> None:
    assert not PossibleCells(AGE, (0.0, None), (), (), 0b11).closed
