"""The smallest cover against a plain search through all covers there are."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.minimisation.cover_reduction import CoverTask
from conceptrules.logic.minimisation.cubes import Cover, Cube, CubeBudget, Space, Witnesses
from conceptrules.logic.minimisation.exact_cover import find_smallest_cover
from conceptrules.logic.minimisation.layers import space_above
from conceptrules.logic.minimisation.variables import variables_of
from conceptrules.model import Column, Equals, Interval

SWITCHES, FOUR = space_above(3), space_above(4)
MIXED = Space(
    list(
        variables_of(
            [Column("age"), Column("owns", "boolean")], [Interval("age", 1), Interval("age", 2), Equals("owns", True)]
        ).values()
    )
)


def points_of(space: Space) -> list[Cube]:
    """Return the combinations of cells, each as a cube."""
    found = []
    for cells in itertools.product(*(range(each.full.bit_length()) for each in space.variables)):
        cube = space.everything
        for place, cell in enumerate(cells):
            cube = space.with_mask(cube, place, 1 << cell)
        found.append(cube)
    return found


def every_cube(space: Space) -> list[Cube]:
    """Return all cubes that literals can say."""
    masks = [[mask for mask in range(1, each.full + 1) if each.find_wording(mask)] for each in space.variables]
    found = []
    for chosen in itertools.product(*masks):
        cube = space.everything
        for place, mask in enumerate(chosen):
            cube = space.with_mask(cube, place, mask)
        found.append(cube)
    return found


POINTS = {space: points_of(space) for space in (SWITCHES, FOUR, MIXED)}
CUBES = {space: every_cube(space) for space in (SWITCHES, FOUR, MIXED)}


def bits(space: Space, cube: Cube) -> int:
    return sum(1 << bit for bit, point in enumerate(POINTS[space]) if not point & ~cube)


BITS = {space: [(cube, bits(space, cube)) for cube in CUBES[space]] for space in (SWITCHES, FOUR, MIXED)}


def cheapest(task: CoverTask, wanted: int, free: int) -> int:
    """Return the lowest cost of rules that cover what is wanted and nothing but that and what is free."""
    rules = [(some & wanted, task.cost(cube)) for cube, some in BITS[task.space] if not some & ~(wanted | free)]
    best, queue = {0: 0}, [(0, 0)]
    while queue:
        cost, covered = heapq.heappop(queue)
        if covered == wanted:
            return cost
        if cost == best[covered]:
            first = wanted & ~covered & -(wanted & ~covered)
            for some, more in rules:
                if some & first and cost + more < best.get(covered | some, 10**9):
                    best[covered | some] = cost + more
                    heapq.heappush(queue, (cost + more, covered | some))
    raise AssertionError("single points cover everything")


def single(space: Space, some: int) -> Cover:
    """Return a rule for each point; a boolean column has no literal for one value that is not another."""
    return tuple(point for bit, point in enumerate(POINTS[space]) if some >> bit & 1)


@given(st.sampled_from([SWITCHES, MIXED]), st.data())
def test_no_cover_is_cheaper(space: Space, data: st.DataObject) -> None:
    numbers = st.integers(0, (1 << len(POINTS[space])) - 1)
    holds, ignored = data.draw(numbers), data.draw(numbers) & data.draw(numbers)
    asked = data.draw(st.none() | numbers)
    cover = single(space, holds)
    outside = None if asked is None else single(space, asked)
    task = CoverTask(Witnesses(space, cover), single(space, ignored), outside, CubeBudget(10**6))
    every = (1 << len(POINTS[space])) - 1
    free = ignored | (0 if asked is None else every & ~asked)
    found = find_smallest_cover(task, cover)
    covered = 0
    for cube in found:
        covered |= bits(space, cube)
    assert covered & ~free == holds & ~free
    if cover:
        assert task.total_cost(found) == cheapest(task, holds & ~free, free)


def rule(**values: int) -> Cube:
    """Return a rule of the switches a, b and c: 1 is true, 0 is false."""
    cube = SWITCHES.everything
    for name, value in values.items():
        cube = SWITCHES.with_mask(cube, "abc".index(name), 0b10 if value else 0b01)
    return cube


def test_a_rule_that_another_concept_has_anyway_costs_one_edge() -> None:
    cover = (rule(a=1, b=1), rule(a=1, b=0))
    shared = frozenset([rule(a=1), rule(b=1), rule(c=0)])
    task = CoverTask(Witnesses(SWITCHES, cover), (), None, CubeBudget(10**6), shared)
    assert find_smallest_cover(task, cover) == (rule(a=1),)
    other = CoverTask(
        Witnesses(SWITCHES, cover), (), None, CubeBudget(10**6), frozenset([rule(b=1), rule(a=1, b=1, c=1)])
    )
    assert find_smallest_cover(other, cover) == (rule(a=1),)
    long = (rule(a=1, b=1, c=1),)
    for some, cost in ((frozenset(long), 1), (frozenset([rule(a=1)]), 4)):
        task = CoverTask(Witnesses(SWITCHES, long), (), None, CubeBudget(10**6), some)
        assert (find_smallest_cover(task, long), task.total_cost(long)) == (long, cost)


def test_without_effort_the_cover_stays() -> None:
    cover = (rule(a=1, b=1), rule(a=1, b=0))
    # Four minterms and two rules.
    for effort, found in ((7, cover), (10**6, (rule(a=1),))):
        assert find_smallest_cover(CoverTask(Witnesses(SWITCHES, cover), (), None, CubeBudget(effort)), cover) == found


def test_a_cover_that_nothing_beats_is_returned_itself() -> None:
    for cover in ((), (SWITCHES.everything,), (rule(a=1), rule(b=0))):
        assert find_smallest_cover(CoverTask(Witnesses(SWITCHES, cover), (), None, CubeBudget(10**6)), cover) is cover


@pytest.mark.parametrize(("columns", "cells"), [(4, 6), (1, 9), (3, 8), (0, 0)])
def test_what_is_too_large_stays_as_it_is(columns: int, cells: int) -> None:
    """Too many minterms, too many cells in one column, too many rules, or no question at all."""
    names = [f"x{place}" for place in range(columns)]
    tests = [Interval(name, cut) for name in names for cut in range(cells - 2)]
    space = Space(list(variables_of([Column(name) for name in names], tests).values()))
    assert [variable.full.bit_length() for variable in space.variables] == [cells] * columns
    first = space.everything
    for place in range(columns):
        first = space.with_mask(first, place, 0b1)
    second = space.with_mask(first, 0, 0b10) if columns else first
    cover = (first, second)
    assert find_smallest_cover(CoverTask(Witnesses(space, cover), (), None, CubeBudget(10**6)), cover) is cover


def test_a_column_of_eight_cells_is_not_too_large() -> None:
    space = Space(list(variables_of([Column("x")], [Interval("x", cut) for cut in range(6)]).values()))
    cover = (0b1, 0b10)
    assert find_smallest_cover(CoverTask(Witnesses(space, cover), (), None, CubeBudget(10**6)), cover) == (0b11,)


def test_the_effort_of_all_minterms_is_there_or_none_is_taken() -> None:
    """Four minterms, of which each is compared with two rules, one that is ignored and one that is asked."""
    cover = (rule(a=1, b=1), rule(a=1, b=0))
    ignored, asked = (rule(a=0, c=1),), (SWITCHES.everything,)
    for effort, found in ((4 * 4 - 1, cover), (10**6, (rule(a=1),))):
        assert (
            find_smallest_cover(CoverTask(Witnesses(SWITCHES, cover), ignored, asked, CubeBudget(effort)), cover)
            == found
        )


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_no_cover_of_four_switches_is_cheaper(share: float) -> None:
    """Where rules overlap in rings, the first choice that looks good is not the best."""
    random = np.random.default_rng(0)
    for _ in range(100):
        holds = sum(1 << bit for bit in range(16) if random.random() < share)
        cover = single(FOUR, holds)
        task = CoverTask(Witnesses(FOUR, cover), (), None, CubeBudget(10**6))
        found = find_smallest_cover(task, cover)
        assert {bit for cube in found for bit in range(16) if bits(FOUR, cube) >> bit & 1} == {
            bit for bit in range(16) if holds >> bit & 1
        }
        assert task.total_cost(found) == cheapest(task, holds, 0)
