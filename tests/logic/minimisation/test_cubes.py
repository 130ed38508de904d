import itertools

from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.minimisation.cell_masks import ConceptVariable, variables_of
from conceptrules.logic.minimisation.cover_reduction import Task, absorbed, expanded, merged, reduced, shrunk
from conceptrules.logic.minimisation.cubes import Effort, Space, cells_in
from conceptrules.logic.minimisation.exact_cover import smallest
from conceptrules.logic.minimisation.witnesses import Witnesses
from conceptrules.model import Column, Equals, Interval

COLUMNS = variables_of(
    [Column("age"), Column("owns", "boolean")], [Interval("age", 1, 2), Interval("age", 3), Equals("owns", True)]
)
SPACE = Space([*COLUMNS.values(), ConceptVariable(0)])
EVERY = list(itertools.product(*(range(each.full.bit_length()) for each in SPACE.variables)))
PASSES = (expanded, merged, shrunk, reduced, smallest, lambda task, cover: absorbed(cover))


@st.composite
def cubes(draw):
    """Only those that literals can say."""
    cube = SPACE.everything
    for place, known in enumerate(SPACE.variables):
        masks = [mask for mask in range(1, known.full + 1) if known.worded(mask)]
        cube = SPACE.replaced(cube, place, draw(st.sampled_from([*masks, known.full, known.full])))
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
    assert list(SPACE.outside(first, second)) == outside
    assert list(SPACE.tested(first)) == list(SPACE.outside(SPACE.everything, first))


@given(cubes(), covers(max_size=8))
def test_covered(cube, cover):
    assert SPACE.covered(cube, cover, Effort(100_000)) == (points_of([cube]) <= points_of(cover))


@given(cubes(), covers(max_size=8), st.integers(0, 20))
def test_with_little_effort_what_is_said_to_be_covered_is(cube, cover, most):
    if SPACE.covered(cube, cover, Effort(most)):
        assert points_of([cube]) <= points_of(cover)


@given(covers(max_size=5), cubes())
def test_sample_points_lie_where_they_say(cover, cube):
    witnesses = Witnesses(SPACE, cover)
    assert witnesses.where(SPACE.everything) == witnesses.all
    # A point of the cube that the cover does not have shows that the cover does not contain the cube.
    if witnesses.where(cube) & ~witnesses.covered(cover):
        assert not points_of([cube]) <= points_of(cover)
    assert witnesses.where(cube).bit_count() <= witnesses.all.bit_count()


@st.composite
def tasks(draw, effort=100_000, little=50):
    cover, ignored = draw(covers(max_size=5)), draw(covers(max_size=2))
    asked = draw(st.none() | covers(max_size=3))
    shared = draw(st.sets(st.sampled_from(cover))) if cover else set()
    effort = draw(st.sampled_from([effort, little]))
    return Task(Witnesses(SPACE, cover), ignored, asked, Effort(effort), frozenset(shared)), cover


@given(tasks(), st.sampled_from(PASSES))
def test_a_pass_keeps_what_matters_and_costs_no_more(both, step):
    task, cover = both
    matters = (set(EVERY) if task.asked is None else points_of(task.asked)) - points_of(task.ignored)
    smaller = step(task, cover)
    assert points_of(smaller) & matters == points_of(cover) & matters
    assert task.total(smaller) <= task.total(cover)


# With little effort a cover may stay as it is, so all of them have enough.
@given(tasks(little=100_000))
def test_the_smallest_cover_is_no_larger_than_any_other(both):
    """Any two rules that the concept contains: a plain search."""
    task, cover = both
    matters = (set(EVERY) if task.asked is None else points_of(task.asked)) - points_of(task.ignored)
    wanted = points_of(cover) & matters
    found = smallest(task, reduced(task, cover))
    masks = [[mask for mask in range(1, each.full + 1) if each.worded(mask)] for each in SPACE.variables]
    for chosen in itertools.product(*masks):
        cube = SPACE.everything
        for place, mask in enumerate(chosen):
            cube = SPACE.replaced(cube, place, mask)
        if points_of([cube]) & matters == wanted and task.effort.left > 0 and wanted:
            assert task.total(found) <= task.cost(cube)


def rule_of(space, true, false):
    return space.replaced(space.replaced(space.everything, true, 0b10), false, 0b01)


def test_a_ring_of_rules_needs_half_of_them():
    """Not all three alike: six rules, each covered by others. Dropping one after another can end at four."""
    space = Space([ConceptVariable(0), ConceptVariable(1), ConceptVariable(2)])
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    for order in itertools.permutations(pairs):
        cover = tuple(rule_of(space, *pair) for pair in order)
        task = Task(Witnesses(space, cover), (), None, Effort(100_000))
        assert task.total(smallest(task, reduced(task, cover))) == 9
    stuck = (rule_of(space, 0, 1), rule_of(space, 1, 0), rule_of(space, 0, 2), rule_of(space, 2, 0))
    task = Task(Witnesses(space, stuck), (), None, Effort(100_000))
    assert reduced(task, stuck) == stuck
    assert task.total(smallest(task, stuck)) == 9


def test_effort_is_counted_and_shared() -> None:
    effort = Effort(10)
    effort.left -= 4
    assert (effort.most, effort.left, effort.spent) == (10, 6, 4)
    assert [effort.part(most).left for most in (0, 5, 6, 7, -1)] == [0, 5, 6, 6, 0]
    effort.left = -3
    assert (effort.part(5).left, effort.spent) == (0, 13)


def test_the_fields_of_a_cube() -> None:
    """Four cells of age and one for missing, true, false and missing, false and true: a guard bit above each."""
    assert SPACE.places == [0, 6, 10]
    assert bin(SPACE.everything) == "0b110111011111"
    assert bin(SPACE.guards) == "0b1001000100000"
    cube = SPACE.replaced(SPACE.everything, 1, 0b010)
    assert bin(cube) == "0b110010011111"
    assert [SPACE.mask(cube, place) for place in range(3)] == [0b11111, 0b010, 0b11]
    assert list(SPACE.tested(cube)) == [1]
    assert list(cells_in(0b10110)) == [0b10, 0b100, 0b10000]


def test_each_cube_that_is_looked_at_takes_effort() -> None:
    young = SPACE.replaced(SPACE.everything, 0, 0b00001)
    rest = SPACE.replaced(SPACE.everything, 0, 0b11110)
    for cover, covered, spent in (
        ([], False, 1),
        ([young], True, 2),
        ([rest], False, 2),
        ([SPACE.everything, rest], True, 3),
    ):
        effort = Effort(100)
        assert SPACE.covered(young, cover, effort) == covered
        assert effort.spent == spent
    effort = Effort(100)
    assert SPACE.covered(SPACE.everything, [young, rest], effort)
    assert effort.spent == 3 + 2
    for most, covered in ((4, False), (5, True)):
        assert SPACE.covered(SPACE.everything, [young, rest], Effort(most)) == covered
