"""Formulas over cells against brute force, and the forms in which they are kept."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.solver import FALSE, TRUE, FormulaPool, Undecided

FULL = (0b111, 0b11, 0b1111)
EVERY = list(itertools.product(*(range(full.bit_length()) for full in FULL)))
Meaning = frozenset[tuple[int, ...]]
ALL: Meaning = frozenset(EVERY)


def pool(work: int = 1_000_000) -> FormulaPool:
    return FormulaPool(FULL, work)


def where(column: int, cells: int) -> Meaning:
    return frozenset(row for row in EVERY if cells >> row[column] & 1)


Formula = tuple[str, object]
LITERALS = st.tuples(
    st.just("literal"), st.sampled_from([(column, cells) for column in range(3) for cells in range(FULL[column] + 1)])
)
FORMULAS = st.recursive(
    LITERALS,
    lambda parts: (
        st.tuples(st.sampled_from(["all", "any"]), st.lists(parts, max_size=4)) | st.tuples(st.just("not"), parts)
    ),
    max_leaves=20,
)


def built(formulas: FormulaPool, formula: Formula) -> tuple[int, Meaning]:
    """Return the number of a formula, and the rows on which it is true."""
    kind, parts = formula
    if kind == "literal":
        column, cells = parts  # type: ignore[misc]
        return formulas.literal(column, cells), where(column, cells)
    if kind == "not":
        number, rows = built(formulas, parts)  # type: ignore[arg-type]
        return formulas.negate(number), ALL - rows
    both = [built(formulas, part) for part in parts]  # type: ignore[attr-defined]
    joined: Callable[..., Meaning] = frozenset.intersection if kind == "all" else frozenset.union
    rows = joined(ALL if kind == "all" else frozenset(), *(rows for _, rows in both))
    made = formulas.all if kind == "all" else formulas.any
    return made(number for number, _ in both), rows


@given(FORMULAS)
def test_what_is_found_makes_the_formula_true_and_nothing_is_overlooked(formula: Formula) -> None:
    formulas = pool()
    number, rows = built(formulas, formula)
    for asked, wanted in ((number, rows), (formulas.negate(number), ALL - rows)):
        found = formulas.find(asked)
        assert (found is None) == (not wanted)
        if found is not None:
            possible = {row for row in EVERY if all(cells >> row[column] & 1 for column, cells in found.items())}
            assert possible
            assert possible <= wanted


@given(FORMULAS, FORMULAS)
def test_formulas_that_say_the_same_are_found_to_do_so(first: Formula, second: Formula) -> None:
    formulas = pool()
    (one, rows), (other, more) = built(formulas, first), built(formulas, second)
    apart = formulas.any([formulas.all([one, formulas.negate(other)]), formulas.all([other, formulas.negate(one)])])
    assert (formulas.find(apart) is None) == (rows == more)


def test_literals_of_no_cell_or_all_are_constants() -> None:
    formulas = pool()
    assert formulas.literal(0, 0) == FALSE
    assert formulas.literal(0, 0b111) == formulas.literal(1, 0b1111) == TRUE
    assert formulas.literal(0, 0b1001) == formulas.literal(0, 0b001) not in (FALSE, TRUE)


def test_equal_formulas_are_one_number() -> None:
    formulas = pool()
    a, b, c = formulas.literal(0, 0b001), formulas.literal(1, 0b01), formulas.literal(2, 0b0011)
    assert len({a, b, c}) == 3
    assert formulas.all([a, b]) == formulas.all([b, a, TRUE]) == formulas.all([a, formulas.all([b])])
    assert formulas.any([a, b]) == formulas.any([b, FALSE, a, b])
    assert formulas.all([a, formulas.all([b, c])]) == formulas.all([formulas.all([a, b]), c])
    assert formulas.any([a, formulas.any([b, c])]) == formulas.any([formulas.any([a, b]), c])
    assert formulas.all([a, b]) != formulas.any([a, b])
    assert (formulas.all([]), formulas.any([])) == (TRUE, FALSE)
    assert (formulas.all([a]), formulas.any([a])) == (a, a)


def test_what_decides_a_formula_is_all_that_is_left_of_it() -> None:
    formulas = pool()
    a, b = formulas.literal(0, 0b001), formulas.literal(1, 0b01)
    assert formulas.all([a, FALSE, b]) == FALSE
    assert formulas.any([a, TRUE, b]) == TRUE
    either = formulas.any([a, b])
    assert formulas.all([either, formulas.negate(either), FALSE]) == FALSE
    assert formulas.find(formulas.all([either, formulas.negate(either)])) is None


def test_literals_of_one_column_become_one() -> None:
    formulas = pool()
    low, middle, ends = (formulas.literal(0, cells) for cells in (0b011, 0b110, 0b101))
    assert formulas.all([low, middle]) == formulas.literal(0, 0b010)
    assert formulas.any([low, middle]) == TRUE
    assert formulas.all([low, middle, ends]) == FALSE
    assert formulas.any([formulas.literal(0, 0b001), formulas.literal(0, 0b100)]) == ends


def test_a_negation_is_that_of_each_part() -> None:
    formulas = pool()
    a, b = formulas.literal(0, 0b001), formulas.literal(1, 0b01)
    assert formulas.negate(TRUE) == FALSE
    assert formulas.negate(FALSE) == TRUE
    assert formulas.negate(a) == formulas.literal(0, 0b110)
    assert formulas.negate(formulas.all([a, b])) == formulas.any([formulas.negate(a), formulas.negate(b)])
    assert formulas.negate(formulas.any([a, b])) == formulas.all([formulas.negate(a), formulas.negate(b)])
    assert formulas.negate(formulas.negate(formulas.all([a, b]))) == formulas.all([a, b])


def test_cells_that_are_found_are_as_wide_as_can_be() -> None:
    formulas = pool()
    a, b, c = formulas.literal(0, 0b011), formulas.literal(1, 0b01), formulas.literal(2, 0b0011)
    assert formulas.find(TRUE) == {}
    assert formulas.find(FALSE) is None
    assert formulas.find(a) == {0: 0b011}
    assert formulas.find(formulas.all([a, b])) == {0: 0b011, 1: 0b01}
    assert formulas.find(formulas.any([a, b])) == {0: 0b011}
    assert formulas.find(formulas.all([formulas.any([a, b]), formulas.any([formulas.negate(a), c])])) == {
        0: 0b011,
        2: 0b0011,
    }


def test_too_much_work_is_undecided() -> None:
    formulas = pool(work=4)
    a, b = formulas.literal(0, 0b001), formulas.literal(1, 0b01)
    both = formulas.all([a, b])
    assert formulas.work == 2
    assert formulas.find(both) == {0: 0b001, 1: 0b01}
    assert formulas.find(both) is not None
    with pytest.raises(Undecided, match="not decided: too large"):
        formulas.find(both)
