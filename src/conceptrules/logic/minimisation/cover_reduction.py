"""Fewer and shorter rules for one concept, with its meaning kept where it matters: expand, merge, shrink, drop.

What matters is given by cubes: on those of `ignored` the concept may say anything, and where `asked` is given it may
say anything outside of these too. All questions of the kind "is this cube within the concept" are decided exactly;
where that would take too long, the rule stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from conceptrules.logic.minimisation.cell_masks import Wording
from conceptrules.logic.minimisation.cubes import Cube, Effort, cells_in
from conceptrules.logic.minimisation.witnesses import Witnesses

Cover = tuple[Cube, ...]


class Task:
    """What a cover of a concept has to keep, and what its rules cost.

    `ignored` and `asked` are as the module says, and `shared` are rules that other concepts of the level have anyway.
    """

    def __init__(
        self,
        witnesses: Witnesses,
        ignored: Cover,
        asked: Cover | None,
        effort: Effort,
        shared: frozenset[Cube] = frozenset(),
    ) -> None:
        self.witnesses, self.space = witnesses, witnesses.space
        self.ignored, self.asked, self.effort, self.shared = ignored, asked, effort, shared
        self._costs: dict[Cube, int] = {}

    @cached_property
    def matters(self) -> int:
        """The witnesses where the concept has to keep its value."""
        asked = self.witnesses.all if self.asked is None else self.witnesses.covered(self.asked)
        return asked & ~self.witnesses.covered(self.ignored)

    def inside(self, cube: Cube, cover: Sequence[Cube]) -> bool:
        """Return whether the cover is proved to hold on all of the cube that matters; False if it is not decided."""
        space = self.space
        if self.effort.left <= 0:
            return False
        near = [other for other in (*cover, *self.ignored) if space.meet(cube, other)]
        self.effort.left -= len(cover) + len(self.ignored)
        if self.asked is None:
            return space.covered(cube, near, self.effort)
        self.effort.left -= len(self.asked)
        return all(space.covered(cube & part, near, self.effort) for part in self.asked if space.meet(cube, part))

    def worded(self, cube: Cube, variable: int) -> Wording:
        """Return the wording of a cube on one variable."""
        wording = self.space.variables[variable].worded(self.space.mask(cube, variable))
        assert wording is not None
        return wording

    def cost(self, cube: Cube) -> int:
        """Return the edges of a rule, with the one from its concept."""
        if cube not in self._costs:
            tested = () if cube in self.shared else self.space.tested(cube)
            self._costs[cube] = 1 + sum(self.worded(cube, variable).size for variable in tested)
        return self._costs[cube]

    def total(self, cover: Sequence[Cube]) -> int:
        """Return the edges of all rules of a cover."""
        return sum(map(self.cost, cover))


def reduced(task: Task, cover: Cover) -> Cover:
    """Return a cover that is as good and not larger."""
    best = cover
    while task.effort.left > 0:
        smaller = shrunk(task, merged(task, expanded(task, absorbed(best))))
        if task.total(smaller) >= task.total(best):
            break
        best = smaller
    return best


def absorbed(cover: Sequence[Cube]) -> Cover:
    """Return the cover without cubes that lie within another one."""
    kept: list[Cube] = []
    for cube in sorted(dict.fromkeys(cover), key=lambda cube: -cube.bit_count()):
        if all(cube & ~other for other in kept):
            kept.append(cube)
    stay = set(kept)
    return tuple(cube for cube in dict.fromkeys(cover) if cube in stay)


def expanded(task: Task, cover: Cover) -> Cover:
    """Return each rule with the shortest literals that keep it inside of the concept."""
    cubes = list(cover)
    out = task.matters & ~task.witnesses.covered(cover)
    for place in range(len(cubes)):
        for variable in list(task.space.tested(cubes[place])):
            low = task.space.mask(cubes[place], variable)
            cubes[place] = _reworded(task, cubes[place], variable, low, cubes, out)
    return absorbed(cubes)


def merged(task: Task, cover: Cover) -> Cover:
    """Return the cover with two rules as one, wherever one can say it with fewer edges."""
    out = task.matters & ~task.witnesses.covered(cover)
    waiting, done = list(reversed(cover)), list[Cube]()
    while waiting:
        cube = waiting.pop()
        both = _joined(task, cube, done, waiting, out)
        if both is None:
            done.append(cube)
        else:
            done = [other for other in done if other & ~both]
            waiting = [*(other for other in waiting if other & ~both), both]
    return tuple(done)


def shrunk(task: Task, cover: Cover) -> Cover:
    """Return the cover without rules that the others cover, and the rest no wider than needed where that is shorter."""
    cubes = list(cover)
    once, twice = _coverage(task, cubes)
    for cube in sorted(cover, key=lambda cube: (-task.cost(cube), cube)):
        place = cubes.index(cube)
        others = cubes[:place] + cubes[place + 1 :]
        alone = task.witnesses.where(cube) & task.matters & ~twice
        if not alone and task.inside(cube, others):
            cubes = others
        else:
            cubes[place] = _shrunk(task, cube, others, alone, task.matters & ~once)
        if place >= len(cubes) or cubes[place] != cube:
            once, twice = _coverage(task, cubes)
    return tuple(dict.fromkeys(cubes))


def _shrunk(task: Task, cube: Cube, others: list[Cube], alone: int, out: int) -> Cube:
    for variable in task.space.tested(cube):
        needed = _needed(task, cube, variable, others, alone, out)
        smaller = _reworded(task, cube, variable, needed, [cube, *others], out)
        if smaller != cube:  # what it covers alone is not what it was
            return smaller
    return cube


def _coverage(task: Task, cubes: Sequence[Cube]) -> tuple[int, int]:
    """Return the witnesses in at least one of the cubes, and those in at least two."""
    once = twice = 0
    for cube in cubes:
        points = task.witnesses.where(cube)
        twice |= once & points
        once |= points
    return once, twice


def _joined(task: Task, cube: Cube, done: list[Cube], waiting: list[Cube], out: int) -> Cube | None:
    """Return a cube inside of the concept that takes the place of this one and another, or None."""
    for other in done:
        if task.effort.left <= 0:
            break
        task.effort.left -= 5
        if task.witnesses.where(cube | other) & out:
            continue
        both = _hull(task, cube, other)
        if task.cost(both) >= task.cost(cube) + task.cost(other) or task.witnesses.where(both) & out:
            continue
        if task.inside(both, [cube, *done, *waiting]):
            return both
    return None


def _hull(task: Task, first: Cube, second: Cube) -> Cube:
    """Return the smallest cube with a wording that contains both."""
    space, both = task.space, first | second
    for variable in space.tested(both):
        mask = space.mask(both, variable)
        known = space.variables[variable]
        best = known.worded(mask) or known.cheapest(mask, known.full)
        assert best is not None
        both = space.replaced(both, variable, best.mask)
    return both


def _reworded(task: Task, cube: Cube, variable: int, low: int, cover: Sequence[Cube], out: int) -> Cube:
    """Return the cube with a shorter wording of one variable that holds in `low`, if one stays inside the concept."""
    return _shorter(task, cube, variable, low, _allowed(task, cube, variable, low, cover, out)) or cube


def _shorter(task: Task, cube: Cube, variable: int, low: int, high: int) -> Cube | None:
    wording = task.space.variables[variable].cheapest(low, high)
    other = None if wording is None else task.space.replaced(cube, variable, wording.mask)
    return other if other is not None and task.cost(other) < task.cost(cube) else None


def _allowed(task: Task, cube: Cube, variable: int, low: int, cover: Sequence[Cube], out: int) -> int:
    """Return the cells of a variable that the cube could have: a cube lies inside if it does so cell by cell.

    `out` are the witnesses that matter and are not covered. Only what could make the wording shorter is asked.
    """
    space, mask = task.space, task.space.mask(cube, variable)
    high = _possible(task, cube, variable, out)
    if _shorter(task, cube, variable, low, high) is None:
        return mask
    near = [other for other in cover if space.meet(space.replaced(cube, variable, high), other)]
    if high & ~mask and task.inside(space.replaced(cube, variable, high & ~mask), near):
        return high
    for cell in cells_in(high & ~mask):
        if not task.inside(space.replaced(cube, variable, cell), near):
            high &= ~cell
            if _shorter(task, cube, variable, low, high) is None:
                return mask
    return high


def _possible(task: Task, cube: Cube, variable: int, out: int) -> int:
    """Return the cells in which no witness says that the cube would not be inside."""
    full = task.space.variables[variable].full
    doubt = task.witnesses.where(task.space.replaced(cube, variable, full)) & out
    return sum(cell for cell in cells_in(full) if not doubt & task.witnesses.cell(variable, cell))


def _needed(task: Task, cube: Cube, variable: int, others: Sequence[Cube], alone: int, out: int) -> int:
    """Return the cells that the others do not cover; `alone` are the witnesses that only this cube covers."""
    space, mask = task.space, task.space.mask(cube, variable)
    high = _possible(task, cube, variable, out) | mask
    needed = sum(cell for cell in cells_in(mask) if alone & task.witnesses.cell(variable, cell))
    near = [other for other in others if space.meet(cube, other)]
    for cell in cells_in(mask & ~needed):
        if _shorter(task, cube, variable, needed, high) is None:
            return mask
        if not task.inside(space.replaced(cube, variable, cell), near):
            needed |= cell
    return needed
