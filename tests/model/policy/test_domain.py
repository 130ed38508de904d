"""Which rows are possible."""

from __future__ import annotations

import math
from typing import Any

import pytest

from conceptrules.model import InputError
from conceptrules.model.policy import Domain


def test_all_rows_are_possible_unless_told_otherwise() -> None:
    domain = Domain()
    assert domain.can_miss("age")
    assert domain.unseen
    assert domain.names == ()


def test_gaps_are_possible_everywhere_nowhere_or_in_some_columns() -> None:
    assert not Domain(missing=False).can_miss("age")
    some = Domain(missing=["age"])  # type: ignore[arg-type]
    assert some.missing == ("age",)
    assert some.can_miss("age")
    assert not some.can_miss("job")


def test_the_names_are_those_of_ranges_and_gaps() -> None:
    assert Domain(ranges=(("age", 0, 120),), missing=("job",)).names == ("age", "job")


def test_lists_become_tuples_so_that_domains_are_values() -> None:
    domain = Domain(ranges=[["age", 0, 120]], impossible=["age > 90"])  # type: ignore[arg-type, list-item]
    assert domain == Domain(ranges=(("age", 0, 120),), impossible=("age > 90",))
    assert hash(domain) == hash(Domain(ranges=(("age", 0, 120),), impossible=("age > 90",)))


@pytest.mark.parametrize(("low", "high"), [(1, 1), (-math.inf, 0), (0.5, math.inf)])
def test_one_value_and_infinities_are_ranges(low: float, high: float) -> None:
    assert Domain(ranges=(("age", low, high),)).ranges == (("age", low, high),)


@pytest.mark.parametrize(
    ("low", "high"), [(2, 1), (math.nan, 1), (0, math.nan), (False, 1), (0, True), ("0", 1), (0, None)]
)
def test_what_is_no_range_is_refused(low: Any, high: Any) -> None:
    with pytest.raises(InputError, match=r"domain\.ranges\.age must be two numbers, the least first"):
        Domain(ranges=(("age", low, high),))


def test_a_column_has_one_range() -> None:
    with pytest.raises(InputError, match="'age' twice"):
        Domain(ranges=(("age", 0, 1), ("job", 0, 1), ("age", 0, 1)))
