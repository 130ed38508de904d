"""Cubes over cells against the rows that they contain, one by one, and the witnesses of cubes."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.column_cells import split_cells
from conceptrules.logic.minimisation.cover_reduction import (
    CoverTask,
    expand_rules,
    merge_rules,
    reduce_cover,
    shrink_rules,
)
from conceptrules.logic.minimisation.cubes import Cube, CubeBudget, Space, Witnesses, absorb_cubes
from conceptrules.logic.minimisation.exact_cover import find_smallest_cover
from conceptrules.logic.minimisation.variables import ConceptVariable, variables_of
from conceptrules.model import Column, Equals, Interval

COLUMNS = variables_of(
    [Column("age"), Column("owns", "boolean")], [Interval("age", 1, 2), Interval("age", 3), Equals("owns", True)]
)
SPACE = Space([*COLUMNS.values(), ConceptVariable(0)])
EVERY = list(itertools.product(*(range(each.full.bit_length()) for each in SPACE.variables)))
PASSES = (
    expand_rules,
    merge_rules,
    shrink_rules,
    reduce_cover,
    find_smallest_cover,
    lambda task, cover: absorb_cubes(cover),
)


@st.composite
def cubes(draw):
    """Only those that literals can say."""
    cube = SPACE.everything
    for place, known in enumerate(SPACE.variables):
        masks = [mask for mask in range(1, known.full + 1) if known.find_wording(mask)]
        cube = SPACE.with_mask(cube, place, draw(st.sampled_from([*masks, known.full, known.full])))
    return cube


def covers(**sizes):
    return st.lists(cubes(), unique=True, **sizes).map(tuple)


def points_of(cover):
    """One by one."""
    return {
        cells
        for cells in EVERY
        for cube in cover
        if all(SPACE.mask(cube, place) >> cell & 1 for place, cell in enumerate(cells))
    }


@given(cubes(), cubes())
def test_cubes_meet_where_they_share_a_point(first, second):
    assert SPACE.meet(first, second) == bool(points_of([first]) & points_of([second]))
    outside = [each for each in range(len(SPACE.variables)) if SPACE.mask(first, each) & ~SPACE.mask(second, each)]
    assert list(SPACE.variables_outside(first, second)) == outside
    assert list(SPACE.tested_variables(first)) == list(SPACE.variables_outside(SPACE.everything, first))


@given(cubes(), covers(max_size=8))
def test_covered(cube, cover):
    assert SPACE.is_covered(cube, cover, CubeBudget(100_000)) == (points_of([cube]) <= points_of(cover))


@given(cubes(), covers(max_size=8), st.integers(0, 20))
def test_with_little_effort_what_is_said_to_be_covered_is(cube, cover, most):
    if SPACE.is_covered(cube, cover, CubeBudget(most)):
        assert points_of([cube]) <= points_of(cover)


@given(covers(max_size=5), cubes())
def test_sample_points_lie_where_they_say(cover, cube):
    witnesses = Witnesses(SPACE, cover)
    assert witnesses.inside(SPACE.everything) == witnesses.all
    # A point of the cube that the cover does not have shows that the cover does not contain the cube.
    if witnesses.inside(cube) & ~witnesses.inside_any(cover):
        assert not points_of([cube]) <= points_of(cover)
    assert witnesses.inside(cube).bit_count() <= witnesses.all.bit_count()


@st.composite
def tasks(draw, effort=100_000, little=50):
    cover, ignored = draw(covers(max_size=5)), draw(covers(max_size=2))
    asked = draw(st.none() | covers(max_size=3))
    shared = draw(st.sets(st.sampled_from(cover))) if cover else set()
    effort = draw(st.sampled_from([effort, little]))
    return CoverTask(Witnesses(SPACE, cover), ignored, asked, CubeBudget(effort), frozenset(shared)), cover


@given(tasks(), st.sampled_from(PASSES))
def test_a_pass_keeps_what_matters_and_costs_no_more(both, step):
    task, cover = both
    matters = (set(EVERY) if task.asked is None else points_of(task.asked)) - points_of(task.ignored)
    smaller = step(task, cover)
    assert points_of(smaller) & matters == points_of(cover) & matters
    assert task.total_cost(smaller) <= task.total_cost(cover)


# With little effort a cover may stay as it is, so all of them have enough.
@given(tasks(little=100_000))
def test_the_smallest_cover_is_no_larger_than_any_other(both):
    """Any two rules that the concept contains: a plain search."""
    task, cover = both
    matters = (set(EVERY) if task.asked is None else points_of(task.asked)) - points_of(task.ignored)
    wanted = points_of(cover) & matters
    found = find_smallest_cover(task, reduce_cover(task, cover))
    masks = [[mask for mask in range(1, each.full + 1) if each.find_wording(mask)] for each in SPACE.variables]
    for chosen in itertools.product(*masks):
        cube = SPACE.everything
        for place, mask in enumerate(chosen):
            cube = SPACE.with_mask(cube, place, mask)
        if points_of([cube]) & matters == wanted and task.budget.left > 0 and wanted:
            assert task.total_cost(found) <= task.cost(cube)


def rule_of(space, true, false):
    return space.with_mask(space.with_mask(space.everything, true, 0b10), false, 0b01)


def test_a_ring_of_rules_needs_half_of_them():
    """Not all three alike: six rules, each covered by others. Dropping one after another can end at four."""
    space = Space([ConceptVariable(0), ConceptVariable(1), ConceptVariable(2)])
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    for order in itertools.permutations(pairs):
        cover = tuple(rule_of(space, *pair) for pair in order)
        task = CoverTask(Witnesses(space, cover), (), None, CubeBudget(100_000))
        assert task.total_cost(find_smallest_cover(task, reduce_cover(task, cover))) == 9
    stuck = (rule_of(space, 0, 1), rule_of(space, 1, 0), rule_of(space, 0, 2), rule_of(space, 2, 0))
    task = CoverTask(Witnesses(space, stuck), (), None, CubeBudget(100_000))
    assert reduce_cover(task, stuck) == stuck
    assert task.total_cost(find_smallest_cover(task, stuck)) == 9


def test_what_is_spent_is_counted() -> None:
    budget = CubeBudget(10)
    budget.left -= 13
    assert (budget.total, budget.left, budget.spent) == (10, -3, 13)


def test_the_fields_of_a_cube() -> None:
    """Four cells of age and one for missing, true, false and missing, false and true: a guard bit above each."""
    assert SPACE.offsets == [0, 6, 10]
    assert bin(SPACE.everything) == "0b110111011111"
    assert bin(SPACE.guards) == "0b1001000100000"
    cube = SPACE.with_mask(SPACE.everything, 1, 0b010)
    assert bin(cube) == "0b110010011111"
    assert [SPACE.mask(cube, place) for place in range(3)] == [0b11111, 0b010, 0b11]
    assert list(SPACE.tested_variables(cube)) == [1]
    assert list(split_cells(0b10110)) == [0b10, 0b100, 0b10000]


def test_each_cube_that_is_looked_at_takes_effort() -> None:
    young = SPACE.with_mask(SPACE.everything, 0, 0b00001)
    rest = SPACE.with_mask(SPACE.everything, 0, 0b11110)
    for cover, covered, spent in (
        ([], False, 1),
        ([young], True, 2),
        ([rest], False, 2),
        ([SPACE.everything, rest], True, 3),
    ):
        effort = CubeBudget(100)
        assert SPACE.is_covered(young, cover, effort) == covered
        assert effort.spent == spent
    effort = CubeBudget(100)
    assert SPACE.is_covered(SPACE.everything, [young, rest], effort)
    assert effort.spent == 3 + 2
    for most, covered in ((4, False), (5, True)):
        assert SPACE.is_covered(SPACE.everything, [young, rest], CubeBudget(most)) == covered


def rows_of(witnesses: Witnesses) -> list[Cube]:
    """Return each witness as a cube of one cell in each variable."""
    rows = []
    for bit in range(witnesses.all.bit_length()):
        row = SPACE.everything
        for place, known in enumerate(SPACE.variables):
            cells = [1 << cell for cell in range(known.full.bit_length())]
            (cell,) = [cell for cell in cells if witnesses.in_cells(place, cell) >> bit & 1]
            row = SPACE.with_mask(row, place, cell)
        rows.append(row)
    return rows


def among(rows: list[Cube], *some: Cube) -> int:
    return sum(1 << bit for bit, row in enumerate(rows) if any(not row & ~cube for cube in some))


@given(covers(max_size=5), cubes(), cubes())
def test_the_witnesses_in_cubes_are_those_whose_cells_are(cover: tuple[Cube, ...], first: Cube, second: Cube) -> None:
    witnesses = Witnesses(SPACE, cover)
    rows = rows_of(witnesses)
    assert witnesses.all == among(rows, SPACE.everything)
    for _ in range(2):  # what was asked before is looked up
        assert witnesses.inside(first) == among(rows, first)
        assert witnesses.inside_any([first, second]) == among(rows, first, second)
    assert witnesses.inside_any([]) == 0
    for place, known in enumerate(SPACE.variables):
        for mask in range(1, known.full + 1):
            assert witnesses.in_cells(place, mask) == among(rows, SPACE.with_mask(SPACE.everything, place, mask))


@given(covers(max_size=5))
def test_there_are_witnesses_in_each_rule_and_in_each_cell_beside_it(cover: tuple[Cube, ...]) -> None:
    rows = rows_of(Witnesses(SPACE, cover))
    wanted = 4 * len(cover)
    for cube in cover:
        assert sum(not row & ~cube for row in rows) >= 4
        for place in SPACE.tested_variables(cube):
            mask = SPACE.mask(cube, place)
            for cell in range(SPACE.variables[place].full.bit_length()):
                if not mask >> cell & 1:
                    wanted += 2
                    beside = SPACE.with_mask(cube, place, 1 << cell)
                    assert sum(not row & ~beside for row in rows) >= 2
    assert len(rows) == wanted
