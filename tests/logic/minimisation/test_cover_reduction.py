"""What each pass over a cover finds, and not only that it breaks nothing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.minimisation.cover_reduction import (
    CoverTask,
    expand_rules,
    merge_rules,
    reduce_cover,
    shrink_rules,
)
from conceptrules.logic.minimisation.cubes import Cover, Cube, CubeBudget, Space, Witnesses, absorb_cubes
from conceptrules.logic.minimisation.variables import ConceptVariable, variables_of
from conceptrules.model import Column, Equals, Interval, Missing
from conceptrules.model.predicate import Predicate
from tests.logic.minimisation.test_cubes import EVERY, SPACE, covers, points_of

JOBS = ("nurse", "smith", "cook")
TESTS: list[Predicate] = [Interval("age", 1), Interval("age", 2), *(Equals("job", name) for name in JOBS)]
PEOPLE = Space([*variables_of([Column("age"), Column("job", "category", JOBS)], TESTS).values(), ConceptVariable(0)])
# The cells of age are up to 1, up to 2, above, missing; those of job the three, any other, missing.
YOUNG, MIDDLE, OLD, AGELESS = 0b0001, 0b0010, 0b0100, 0b1000
NURSE, SMITH, COOK, OTHER, JOBLESS = 0b00001, 0b00010, 0b00100, 0b01000, 0b10000
YES, NO = 0b10, 0b01


def rule(age: int | None = None, job: int | None = None, concept: int | None = None) -> Cube:
    cube = PEOPLE.everything
    for place, mask in enumerate((age, job, concept)):
        cube = cube if mask is None else PEOPLE.with_mask(cube, place, mask)
    return cube


def task(cover: Cover, ignored: Cover = (), asked: Cover | None = None, shared: tuple[Cube, ...] = ()) -> CoverTask:
    return CoverTask(Witnesses(PEOPLE, cover), ignored, asked, CubeBudget(100_000), frozenset(shared))


def test_what_rules_cost() -> None:
    some = [rule(), rule(OLD), rule(MIDDLE), rule(OLD, NURSE, YES), rule(job=NURSE | SMITH)]
    found = task(())
    assert [found.cost(cube) for cube in some] == [1, 2, 3, 4, 3]
    assert found.total_cost(some) == 13
    assert task((), shared=(some[3],)).total_cost(some) == 10


def test_what_matters_is_asked_and_not_ignored() -> None:
    cover, ignored, asked = (rule(OLD), rule(job=NURSE)), (rule(concept=YES),), (rule(OLD), rule(MIDDLE))
    witnesses = Witnesses(PEOPLE, cover)
    skipped = witnesses.inside(ignored[0])
    assert CoverTask(witnesses, ignored, None, CubeBudget(1)).matters == witnesses.all & ~skipped
    assert (
        CoverTask(witnesses, ignored, asked, CubeBudget(1)).matters == witnesses.inside(rule(OLD | MIDDLE)) & ~skipped
    )
    assert skipped
    assert witnesses.inside(rule(OLD | MIDDLE)) not in (0, witnesses.all)


def test_inside_is_decided_where_it_matters() -> None:
    cover = (rule(OLD), rule(MIDDLE, NURSE))
    assert task(cover).is_inside(rule(OLD, NURSE), cover)
    assert not task(cover).is_inside(rule(MIDDLE), cover)
    assert task(cover, ignored=(rule(MIDDLE, NURSE | SMITH | COOK | OTHER | JOBLESS),)).is_inside(rule(MIDDLE), cover)
    assert task(cover, asked=(rule(job=NURSE), rule(OLD))).is_inside(rule(MIDDLE), cover)
    assert not task(cover, asked=(rule(job=NURSE), rule(MIDDLE))).is_inside(rule(MIDDLE), cover)
    assert task(cover, asked=()).is_inside(rule(), cover)
    exhausted = CoverTask(Witnesses(PEOPLE, cover), (), None, CubeBudget(0))
    assert not exhausted.is_inside(rule(OLD), cover)


def test_a_question_takes_effort() -> None:
    cover, ignored, asked = (rule(OLD), rule(MIDDLE)), (rule(YOUNG),), (rule(job=NURSE), rule(job=SMITH))
    for some, most in ((None, 3), (asked, 5)):
        found = task(cover, ignored, some)
        assert not found.is_inside(rule(AGELESS), cover)
        assert found.budget.spent >= most


def test_a_cube_within_another_goes() -> None:
    cover = (rule(OLD, NURSE), rule(job=NURSE), rule(OLD), rule(OLD), rule(MIDDLE, SMITH))
    assert absorb_cubes(cover) == (rule(job=NURSE), rule(OLD), rule(MIDDLE, SMITH))
    assert absorb_cubes(()) == ()


@pytest.mark.parametrize(
    ("cover", "ignored", "asked", "found"),
    [
        # A literal that the other rules make needless.
        ((rule(OLD), rule(MIDDLE, NURSE)), (), None, (rule(OLD), rule(MIDDLE | OLD, NURSE))),
        ((rule(concept=YES), rule(OLD, concept=NO)), (), None, (rule(concept=YES), rule(OLD))),
        # Where the concept may say anything.
        ((rule(OLD, NURSE),), (rule(YOUNG | MIDDLE | AGELESS),), None, (rule(job=NURSE),)),
        ((rule(OLD, NURSE),), (), (rule(OLD),), (rule(job=NURSE),)),
        ((rule(OLD, NURSE),), (), (rule(job=NURSE),), (rule(OLD),)),
        # A wider interval is shorter: one bound for two.
        ((rule(MIDDLE),), (rule(OLD),), None, (rule(MIDDLE | OLD),)),
        # Nothing to gain: one bound or another costs the same.
        ((rule(OLD), rule(YOUNG | MIDDLE, NURSE)), (), None, (rule(OLD), rule(YOUNG | MIDDLE, NURSE))),
        ((rule(OLD, NURSE), rule(MIDDLE, SMITH)), (), None, (rule(OLD, NURSE), rule(MIDDLE, SMITH))),
    ],
)
def test_rules_get_the_shortest_literals(cover: Cover, ignored: Cover, asked: Cover | None, found: Cover) -> None:
    assert expand_rules(task(cover, ignored, asked), cover) == found


@pytest.mark.parametrize(
    ("cover", "ignored", "asked", "found"),
    [
        ((rule(OLD, NURSE), rule(MIDDLE, NURSE)), (), None, (rule(MIDDLE | OLD, NURSE),)),
        ((rule(OLD, NURSE), rule(OLD, SMITH)), (), None, (rule(OLD, NURSE | SMITH),)),
        ((rule(OLD, concept=YES), rule(OLD, concept=NO)), (), None, (rule(OLD),)),
        # Three become one, in two steps.
        ((rule(YOUNG, NURSE), rule(MIDDLE, NURSE), rule(OLD, NURSE)), (), None, (rule(YOUNG | MIDDLE | OLD, NURSE),)),
        # No AND says "nurse or missing", so the rule says more where that does not matter.
        ((rule(OLD, NURSE), rule(OLD, JOBLESS)), (rule(job=SMITH | COOK | OTHER),), None, (rule(OLD),)),
        ((rule(OLD, NURSE), rule(OLD, JOBLESS)), (), (rule(job=NURSE), rule(job=JOBLESS)), (rule(OLD),)),
        ((rule(OLD, NURSE), rule(OLD, JOBLESS)), (), None, (rule(OLD, NURSE), rule(OLD, JOBLESS))),
        # What would say too much, or cost more, stays apart.
        ((rule(OLD, NURSE), rule(MIDDLE, SMITH)), (), None, (rule(OLD, NURSE), rule(MIDDLE, SMITH))),
        ((rule(job=NURSE), rule(job=SMITH, age=OLD)), (), None, (rule(job=NURSE), rule(job=SMITH, age=OLD))),
    ],
)
def test_two_rules_become_one(cover: Cover, ignored: Cover, asked: Cover | None, found: Cover) -> None:
    assert merge_rules(task(cover, ignored, asked), cover) == found


@pytest.mark.parametrize(
    ("cover", "ignored", "asked", "found"),
    [
        # A rule within the others goes, alone or together.
        ((rule(OLD, NURSE), rule(OLD)), (), None, (rule(OLD),)),
        ((rule(OLD, concept=YES), rule(job=NURSE, concept=NO), rule(OLD, NURSE)), (), None,
         (rule(OLD, concept=YES), rule(job=NURSE, concept=NO))),
        ((rule(OLD, NURSE), rule(concept=YES)), (rule(OLD),), None, (rule(concept=YES),)),
        ((rule(OLD, NURSE), rule(concept=YES)), (), (rule(YOUNG),), (rule(concept=YES),)),
        # Of the jobs of the second rule, the first has one.
        ((rule(job=NURSE), rule(OLD, NURSE | SMITH)), (), None, (rule(job=NURSE), rule(OLD, SMITH))),
        # A bound that another rule makes needless.
        ((rule(OLD, NURSE), rule(YOUNG | MIDDLE | OLD, NURSE, YES)), (), None,
         (rule(OLD, NURSE), rule(YOUNG | MIDDLE | OLD, NURSE, YES))),
        ((rule(OLD), rule(MIDDLE, NURSE)), (), None, (rule(OLD), rule(MIDDLE | OLD, NURSE))),
    ],
)  # fmt: skip
def test_rules_get_no_wider_than_needed(cover: Cover, ignored: Cover, asked: Cover | None, found: Cover) -> None:
    assert shrink_rules(task(cover, ignored, asked), cover) == found


@st.composite
def plain_tasks(draw: st.DrawFn) -> tuple[CoverTask, Cover]:
    """Draw a cover with what matters, and enough effort; no rule is shared, so that each costs what it says."""
    cover, ignored = draw(covers(max_size=4)), draw(covers(max_size=2))
    asked = draw(st.none() | covers(max_size=3))
    return CoverTask(Witnesses(SPACE, cover), ignored, asked, CubeBudget(1_000_000)), cover


def matters(task: CoverTask) -> set[tuple[int, ...]]:
    return (set(EVERY) if task.asked is None else points_of(task.asked)) - points_of(task.ignored)


@given(plain_tasks())
def test_no_literal_of_an_expanded_rule_can_be_shorter(both: tuple[CoverTask, Cover]) -> None:
    task, cover = both
    there = points_of(cover) & matters(task)
    for cube in expand_rules(task, cover):
        for place, known in enumerate(SPACE.variables):
            mask = SPACE.mask(cube, place)
            for wider in range(1, known.full + 1):
                other = SPACE.with_mask(cube, place, wider)
                if not mask & ~wider and known.find_wording(wider) and task.cost(other) < task.cost(cube):
                    assert not points_of([other]) & matters(task) <= there


@given(plain_tasks())
def test_no_two_merged_rules_have_a_cheaper_one_in_their_place(both: tuple[CoverTask, Cover]) -> None:
    task, cover = both
    there = points_of(cover) & matters(task)
    for one, other in itertools.combinations(merge_rules(task, cover), 2):
        hull = one | other
        if all(known.find_wording(SPACE.mask(hull, place)) for place, known in enumerate(SPACE.variables)):
            cheaper = task.cost(hull) < task.cost(one) + task.cost(other)
            assert not (cheaper and points_of([hull]) & matters(task) <= there)


@given(plain_tasks())
def test_a_rule_that_the_others_cover_makes_a_cover_smaller(both: tuple[CoverTask, Cover]) -> None:
    task, cover = both
    needless = [
        cube
        for cube in cover
        if points_of([cube]) & matters(task) <= points_of([other for other in cover if other != cube])
    ]
    if needless:
        assert task.total_cost(shrink_rules(task, cover)) < task.total_cost(cover)
        assert task.total_cost(reduce_cover(task, cover)) < task.total_cost(cover)


def test_passes_are_repeated_until_nothing_gets_smaller() -> None:
    """Merging two rules makes a third needless, and that makes a literal of the fourth so."""
    cover = (rule(YOUNG, NURSE), rule(MIDDLE, NURSE), rule(OLD, NURSE), rule(OLD, SMITH, YES), rule(OLD, SMITH, NO))
    assert reduce_cover(task(cover), cover) == (rule(YOUNG | MIDDLE | OLD, NURSE), rule(OLD, SMITH))
    exhausted = CoverTask(Witnesses(PEOPLE, cover), (), None, CubeBudget(0))
    assert reduce_cover(exhausted, cover) is cover


def test_a_missing_value_is_a_cell_like_others() -> None:
    space = Space(list(variables_of([Column("age")], [Interval("age", 1), Missing("age")]).values()))
    cover = (0b001, 0b010, 0b100)
    assert reduce_cover(CoverTask(Witnesses(space, cover), (), None, CubeBudget(1_000)), cover) == (0b111,)


def test_rules_that_others_have_anyway_are_not_merged_at_a_loss() -> None:
    cover = (rule(job=NURSE), rule(job=SMITH))
    for shared in (cover[:1], cover):
        assert merge_rules(task(cover, shared=shared), cover) == cover
    assert merge_rules(task(cover), cover) == (rule(job=NURSE | SMITH),)


# A space so large that the few witnesses do not see the one place that matters.
NAMES = [f"n{place}" for place in range(80)]
LARGE = Space(
    list(
        variables_of(
            [Column("age"), Column("a", "category"), Column("b", "category")],
            [Interval("age", 1), *(Equals(column, name) for column in "ab" for name in NAMES)],
        ).values()
    )
)
GROWN = LARGE.with_mask(LARGE.everything, 0, 0b010)
NOT_FIRST = [LARGE.with_mask(LARGE.everything, place, LARGE.variables[place].full & ~1) for place in (1, 2)]
CORNER = LARGE.with_mask(LARGE.with_mask(LARGE.everything, 1, 1), 2, 1)


def large_task(cover: Cover) -> CoverTask:
    witnesses = Witnesses(LARGE, cover)
    assert not witnesses.inside(CORNER)
    return CoverTask(witnesses, (), None, CubeBudget(1_000_000))


def test_what_no_witness_sees_is_proved_before_a_literal_goes() -> None:
    """Not the first of a, or not the first of b, is all but one corner: only there the third rule is needed."""
    cover = (*NOT_FIRST, GROWN)
    assert expand_rules(large_task(cover), cover) == cover
    assert shrink_rules(large_task(cover), cover) == cover
    assert reduce_cover(large_task(cover), cover) == cover


def test_what_no_witness_sees_is_proved_before_two_rules_become_one() -> None:
    cover = (*NOT_FIRST, GROWN, LARGE.with_mask(LARGE.everything, 0, 0b001))
    assert merge_rules(large_task(cover), cover)[:2] == cover[:2]
    kept = (*cover[:2], LARGE.with_mask(LARGE.everything, 0, 0b011))
    assert merge_rules(large_task(cover), cover) == kept
    every = (*cover, LARGE.with_mask(LARGE.everything, 0, 0b100))
    assert reduce_cover(large_task(every), every) == (LARGE.everything,)


def test_a_long_rule_that_only_a_corner_needs_stays() -> None:
    long = LARGE.with_mask(GROWN, 1, 0b11)
    cover = (*NOT_FIRST, long)
    found = shrink_rules(large_task(cover), cover)
    effort = CubeBudget(1_000_000)
    assert LARGE.is_covered(long, found, effort)
    assert all(LARGE.is_covered(cube, cover, effort) for cube in found)
    assert found != cover[:2]
