"""Values to try a column with: each cut point with its neighbours, and what could be taken for a category."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.probe_values import probe_values
from conceptrules.model.predicate import Column, Equals, Interval


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
