"""Values to try a column with: each cut point with its neighbours, and what could be taken for a category."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.probe_values import probe_values
from conceptrules.model.predicate import Column, Equals, Interval, Predicate


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_point_is_seen_with_its_neighbours(cut):
    values = probe_values(Column("x"), [Interval("x", high=cut)])
    near = {cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf), math.inf, -math.inf}
    assert near <= {value for value in values if value is not None}
    assert values[-1] is None
    assert any(isinstance(value, float) and math.isnan(value) for value in values)


def test_times_are_whole_microseconds_on_both_sides_of_a_cut():
    values = probe_values(Column("t", "datetime"), [Interval("t", 0.5)])
    assert {0.0, 1.0} <= set(values)
    assert all(value is None or value == round(value) for value in values)


def test_categories_come_with_what_could_be_taken_for_them():
    values = probe_values(Column("job", "category", ("Cook", "nurse")), [Equals("job", "Cook")])
    assert values[:2] == ["Cook", "nurse"]
    assert {"Cook ", "COOK", "cook", "", None} <= set(values)
    assert probe_values(Column("n", "category", (2**63 - 1,)), [])[:-1] == [2**63 - 1, 2**63 - 2]


FIRST, LAST = -719_161 * 86_400e6, 2_932_895 * 86_400e6
FAR = 2.0**53


@pytest.mark.parametrize(
    ("column", "tests", "values"),
    [
        (Column("x"), [], [-math.inf, 0.0, 1.0, math.inf]),
        (Column("x", "date"), [Interval("x", 1.5)], [FIRST, 0.0, 1.0, 2.0, LAST]),
        (Column("x", "datetime"), [Interval("x", high=7)], [FIRST, 0.0, 6.0, 7.0, 8.0, LAST]),
        (Column("x", "datetime"), [Interval("x", high=FIRST), Interval("x", 2 * FIRST)],
         [FIRST, FIRST + 8, 0.0, LAST]),
        (Column("x", "date"), [Interval("x", LAST)], [FIRST, 0.0, LAST - 32, LAST]),
        (Column("x", "duration"), [Interval("x", FAR), Interval("x", 1e17)], [-FAR, 0.0, FAR - 1, FAR]),
        (Column("x", "duration"), [Interval("x", -FAR)], [-FAR, 1 - FAR, 0.0, FAR]),
        (Column("x", "boolean"), [Equals("x", True)], [True, False]),
        (Column("x", "category", ("Cook", "nurse")), [Equals("x", "Cook")],
         ["Cook", "nurse", "Cook ", "COOK", "cook", "never seen", ""]),
        (Column("x", "category"), [Equals("x", "a ")], ["a ", "a  ", "A ", "never seen", ""]),
        (Column("x", "category"), [Equals("x", "")], ["", " ", "never seen"]),
        (Column("x", "category"), [], ["never seen", ""]),
        (Column("x", "category", ("a",)), [Equals("x", 3), Equals("x", "b")], ["b", "a", "b ", "B", "never seen", ""]),
        (Column("x", "ordinal", ("a", "b")), [Equals("x", "b")], ["b", "a", "b ", "B", "never seen", ""]),
        (Column("x", "category", (1,)), [Equals("x", "a")], [1, 0, 2]),
        (Column("x", "category"), [Equals("x", 3)], [3, 2, 4]),
        (Column("x", "category", (1, 2.5)), [], [1, 2.5, 0, 2, 1.5, 3.5, 0.5]),
        (Column("x", "category", (0.5, math.inf)), [], [0.5, math.inf, -0.5, 1.5]),
        (Column("x", "category", (2**63 - 1, -(2**63))), [], [2**63 - 1, -(2**63), 2**63 - 2, 1 - 2**63]),
        (Column("x", "category", (2**63,)), [], [2**63, 2**63 - 1, 2**63 + 1]),
        (Column("x", "category", (-(2**63) - 1,)), [], [-(2**63) - 1, -(2**63) - 2, -(2**63)]),
    ],
)  # fmt: skip
def test_the_values_of_each_kind(column: Column, tests: list[Predicate], values: list[object]) -> None:
    found = probe_values(column, tests)
    assert found[-1] is None
    kept = found[:-3] if column.kind == "number" else found[:-1]  # -0, NaN and None come last
    assert list(map(repr, kept)) == list(map(repr, values))
