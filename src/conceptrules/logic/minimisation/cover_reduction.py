"""Fewer and shorter rules for one concept, with its meaning kept where it matters: expand, merge, shrink, drop.

What matters is given by cubes: on those of `ignored` the concept may say anything, and where `asked` is given it may
say anything outside of these too. All questions of the kind "is this cube within the concept" are decided exactly;
where that would take too long, the rule stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from conceptrules.logic.column_cells import split_cells
from conceptrules.logic.minimisation.cubes import Cover, Cube, CubeBudget, Witnesses, absorb_cubes


class CoverTask:
    """What a cover of a concept has to keep, and what its rules cost.

    `ignored` and `asked` are as the module says, and `shared` are rules that other concepts of the level have anyway.
    """

    def __init__(
        self,
        witnesses: Witnesses,
        ignored: Cover,
        asked: Cover | None,
        budget: CubeBudget,
        shared: frozenset[Cube] = frozenset(),
    ) -> None:
        self.witnesses, self.space = witnesses, witnesses.space
        self.ignored, self.asked, self.budget, self.shared = ignored, asked, budget, shared
        self._costs: dict[Cube, int] = {}

    @cached_property
    def matters(self) -> int:
        """The witnesses where the concept has to keep its value."""
        asked = self.witnesses.all if self.asked is None else self.witnesses.inside_any(self.asked)
        return asked & ~self.witnesses.inside_any(self.ignored)

    def is_inside(self, cube: Cube, cover: Sequence[Cube]) -> bool:
        """Return whether the cover is proved to hold on all of the cube that matters; False if it is not decided."""
        space = self.space
        if self.budget.left <= 0:
            return False
        near = [other for other in (*cover, *self.ignored) if space.meet(cube, other)]
        self.budget.left -= len(cover) + len(self.ignored)
        if self.asked is None:
            return space.is_covered(cube, near, self.budget)
        self.budget.left -= len(self.asked)
        return all(space.is_covered(cube & part, near, self.budget) for part in self.asked if space.meet(cube, part))

    def cost(self, cube: Cube) -> int:
        """Return the edges of a rule, with the one from its concept."""
        if cube not in self._costs:
            wordings = () if cube in self.shared else self.space.word_cube(cube)
            self._costs[cube] = 1 + sum(wording.size for wording in wordings)
        return self._costs[cube]

    def total_cost(self, cover: Sequence[Cube]) -> int:
        """Return the edges of all rules of a cover."""
        return sum(map(self.cost, cover))


def reduce_cover(task: CoverTask, cover: Cover) -> Cover:
    """Return a cover that is as good and not larger."""
    best = cover
    while task.budget.left > 0:
        smaller = shrink_rules(task, merge_rules(task, expand_rules(task, absorb_cubes(best))))
        if task.total_cost(smaller) >= task.total_cost(best):
            break
        best = smaller
    return best


def expand_rules(task: CoverTask, cover: Cover) -> Cover:
    """Return each rule with the shortest literals that keep it inside the concept."""
    cubes = list(cover)
    uncovered = task.matters & ~task.witnesses.inside_any(cover)
    for index in range(len(cubes)):
        for variable in list(task.space.tested_variables(cubes[index])):
            low = task.space.mask(cubes[index], variable)
            cubes[index] = _reword(task, cubes[index], variable, low, cubes, uncovered)
    return absorb_cubes(cubes)


def merge_rules(task: CoverTask, cover: Cover) -> Cover:
    """Return the cover with two rules as one, wherever one can say it with fewer edges."""
    uncovered = task.matters & ~task.witnesses.inside_any(cover)
    waiting, done = list(reversed(cover)), list[Cube]()
    while waiting:
        cube = waiting.pop()
        hull = _find_merger(task, cube, done, waiting, uncovered)
        if hull is None:
            done.append(cube)
        else:
            done = [other for other in done if other & ~hull]
            waiting = [*(other for other in waiting if other & ~hull), hull]
    return tuple(done)


def _find_merger(task: CoverTask, cube: Cube, done: list[Cube], waiting: list[Cube], uncovered: int) -> Cube | None:
    """Return a cube inside the concept that can replace this one and another; None if there is none."""
    space = task.space
    for other in done:
        if task.budget.left <= 0:
            break
        task.budget.left -= 5
        hull = cube | other
        if task.witnesses.inside(hull) & uncovered:
            continue
        # The smallest cube with a wording that contains both.
        for number in space.tested_variables(hull):
            mask, variable = space.mask(hull, number), space.variables[number]
            wording = variable.find_wording(mask) or variable.find_wording(mask, variable.full)
            assert wording is not None
            hull = space.with_mask(hull, number, wording.mask)
        if task.cost(hull) >= task.cost(cube) + task.cost(other) or task.witnesses.inside(hull) & uncovered:
            continue
        if task.is_inside(hull, [cube, *done, *waiting]):
            return hull
    return None


def shrink_rules(task: CoverTask, cover: Cover) -> Cover:
    """Return the cover without rules that the others cover, and the rest no wider than needed where that is shorter."""
    cubes = list(cover)
    once, twice = _count_coverage(task, cubes)
    for cube in sorted(cover, key=lambda cube: (-task.cost(cube), cube)):
        index = cubes.index(cube)
        rest = cubes[:index] + cubes[index + 1 :]
        alone = task.witnesses.inside(cube) & task.matters & ~twice
        if not alone and task.is_inside(cube, rest):
            cubes = rest
        else:
            cubes[index] = _shrink_rule(task, cube, rest, alone, task.matters & ~once)
        if index >= len(cubes) or cubes[index] != cube:
            once, twice = _count_coverage(task, cubes)
    return tuple(dict.fromkeys(cubes))


def _count_coverage(task: CoverTask, cubes: Sequence[Cube]) -> tuple[int, int]:
    """Return the witnesses in at least one of the cubes, and those in at least two."""
    once = twice = 0
    for cube in cubes:
        witnesses = task.witnesses.inside(cube)
        twice |= once & witnesses
        once |= witnesses
    return once, twice


def _shrink_rule(task: CoverTask, cube: Cube, others: list[Cube], alone: int, uncovered: int) -> Cube:
    """Return the rule with a shorter wording of one variable; `alone` are the witnesses that only this rule covers."""
    for variable in task.space.tested_variables(cube):
        needed = _find_needed_cells(task, cube, variable, others, alone, uncovered)
        smaller = _reword(task, cube, variable, needed, [cube, *others], uncovered)
        if smaller != cube:  # what it covers alone has changed
            return smaller
    return cube


def _find_needed_cells(
    task: CoverTask, cube: Cube, variable: int, others: Sequence[Cube], alone: int, uncovered: int
) -> int:
    """Return the cells of the cube that the others do not cover; all of them if no wording could get shorter."""
    space, mask = task.space, task.space.mask(cube, variable)
    high = _find_possible_cells(task, cube, variable, uncovered) | mask
    needed = sum(cell for cell in split_cells(mask) if alone & task.witnesses.in_cells(variable, cell))
    near = [other for other in others if space.meet(cube, other)]
    for cell in split_cells(mask & ~needed):
        if _find_shorter(task, cube, variable, needed, high) is None:
            return mask
        if not task.is_inside(space.with_mask(cube, variable, cell), near):
            needed |= cell
    return needed


def _reword(task: CoverTask, cube: Cube, variable: int, low: int, cover: Sequence[Cube], uncovered: int) -> Cube:
    """Return the cube with a shorter wording of one variable that holds in `low`, if one stays inside the concept.

    A cube lies inside the concept if it does so cell by cell. `uncovered` are the witnesses that matter and are not
    covered. Only what could make the wording shorter is asked.
    """
    space, mask = task.space, task.space.mask(cube, variable)
    high = _find_possible_cells(task, cube, variable, uncovered)
    shorter = _find_shorter(task, cube, variable, low, high)
    if shorter is not None:
        near = [other for other in cover if space.meet(space.with_mask(cube, variable, high), other)]
        if not high & ~mask or not task.is_inside(space.with_mask(cube, variable, high & ~mask), near):
            for cell in split_cells(high & ~mask):
                if not task.is_inside(space.with_mask(cube, variable, cell), near):
                    high &= ~cell
                    shorter = _find_shorter(task, cube, variable, low, high)
                    if shorter is None:
                        break
    return shorter or _find_shorter(task, cube, variable, low, mask) or cube


def _find_shorter(task: CoverTask, cube: Cube, variable: int, low: int, high: int) -> Cube | None:
    wording = task.space.variables[variable].find_wording(low, high)
    other = None if wording is None else task.space.with_mask(cube, variable, wording.mask)
    return other if other is not None and task.cost(other) < task.cost(cube) else None


def _find_possible_cells(task: CoverTask, cube: Cube, variable: int, uncovered: int) -> int:
    """Return the cells in which no witness shows that the cube would not be inside."""
    full = task.space.variables[variable].full
    outside = task.witnesses.inside(task.space.with_mask(cube, variable, full)) & uncovered
    return sum(cell for cell in split_cells(full) if not outside & task.witnesses.in_cells(variable, cell))
