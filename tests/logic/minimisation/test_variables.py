import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.minimisation.variables import ConceptVariable, variables_of
from conceptrules.model import Column, Equals, Interval, Missing, OneOf
from conceptrules.model.predicate import bounds_of

COLUMNS = (
    Column("age"),
    Column("day", "date"),
    Column("job", "category", ("nurse", "smith")),
    Column("size", "ordinal", ("S", "M", "L", "XL")),
    Column("owns", "boolean"),
)
CUTS = (-math.inf, 1.0, 2.0, 3.0, math.inf)
SETS = {
    name: [OneOf(name, some) for size in range(1, 5) for some in itertools.combinations(categories, size)]
    for name, categories in (("job", ("nurse", "smith")), ("size", ("S", "M", "L", "XL")), ("owns", (True, False)))
}
TESTS = {
    **{name: [Interval(name, *pair) for pair in itertools.combinations(CUTS, 2)] for name in ("age", "day")},
    **SETS,
}


def variable(name):
    return variables_of(COLUMNS, TESTS[name])[name]


def literals(name):
    """Every predicate there is on the column, and its negation: what holds where, and what it counts."""
    known = variable(name)
    singles = [Equals(name, *test.values) for test in TESTS[name] if isinstance(test, OneOf) and len(test.values) == 1]
    for test in (*TESTS[name], *singles, Missing(name)):
        size, mask = bounds_of(test, known.column), known.mask_of(test)
        yield from ((mask, size), (known.full & ~mask, size))


def shortest(name):
    """By mask, what the shortest AND of at most three literals counts."""
    known = {variable(name).full: 0}
    for _ in range(3):
        for (mask, size), (other, more) in itertools.product(list(known.items()), literals(name)):
            known[mask & other] = min(size + more, known.get(mask & other, 99))
    return known


SHORTEST = {name: shortest(name) for name in TESTS}


@pytest.mark.parametrize("name", TESTS)
def test_every_mask_that_literals_can_say_is_worded(name):
    """All that there are: no column here needs more than three literals."""
    known = variable(name)
    for mask in range(1, known.full + 1):
        wording = known.find_wording(mask)
        assert (wording is None) == (mask not in SHORTEST[name])
        if wording is not None:
            assert wording.mask == mask
            assert (
                wording.size == SHORTEST[name][mask] == sum(bounds_of(test, known.column) for test, _ in wording.tests)
            )


@given(st.data(), st.sampled_from(list(TESTS)))
def test_a_wording_means_its_mask_and_no_shorter_one_fits(data, name):
    known = variable(name)
    high = data.draw(st.integers(1, known.full))
    low = data.draw(st.integers(1, known.full)) & high or high & -high
    wording = known.find_wording(low, high)
    fits = [size for mask, size in SHORTEST[name].items() if mask and low | mask == mask and mask | high == high]
    assert (wording is None) == (not fits)
    if wording is not None:
        held = known.full
        for test, negated in wording.tests:
            held &= known.full & ~known.mask_of(test) if negated else known.mask_of(test)
        assert held == wording.mask
        assert low | held == held
        assert held | high == high
        assert wording.size == min(fits)


@pytest.mark.parametrize("name", TESTS)
def test_pieces_have_a_wording_and_make_up_the_mask(name):
    known = variable(name)
    for mask in range(1, known.full + 1):
        parts = known.split_mask(mask)
        assert all(known.find_wording(piece) for piece in parts)
        assert sum(parts) == mask


def test_cells_that_no_predicate_tells_apart_stay_apart():
    """x > 3 and 1 < x <= 2 fail both predicates alike."""
    known = variables_of([Column("x")], [Interval("x", high=1), Interval("x", 2, 3)])["x"]
    assert known.find_wording(0b1000).tests == ((Interval("x", 3), False),)


def test_values_that_are_equal_are_one_category():
    known = variables_of([Column("x", "category", (1, 2))], [Equals("x", 1), Equals("x", True), Equals("x", 2)])["x"]
    assert known.full.bit_length() == 4  # 1, 2, other, missing


def test_a_concept_is_true_or_false():
    known = ConceptVariable(3)
    assert [known.find_wording(mask).tests for mask in (1, 2, 3)] == [((3, True),), ((3, False),), ()]
    assert known.find_wording(0b10, 0b11).size == 0
