"""The smallest cover there is, for a concept over few cells: all rules that lie inside of it, and the cheapest choice.

Each combination of cells is a minterm, and a set of minterms a number with a bit for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from conceptrules.logic.minimisation.cover_reduction import Cover, Task
from conceptrules.logic.minimisation.cubes import Cube

_MINTERMS = 1024
_WIDEST = 8  # cells of a variable; there are 2 ** 8 masks
_RULES = 20_000  # candidates before those that another makes needless go
_CHOICES = 400  # and after that
_BRANCHES = 20_000


@dataclass(frozen=True, slots=True)
class _Candidate:
    cube: Cube
    minterms: int
    cost: int


def smallest(task: Task, cover: Cover) -> Cover:
    """Return a cover of the lowest cost, or the given one where the question is too large."""
    variables = sorted({variable for cube in cover for variable in task.space.tested(cube)})
    widths = [task.space.variables[each].full.bit_length() for each in variables]
    if not variables or math.prod(widths) > _MINTERMS or max(widths) > _WIDEST:
        return cover
    if math.prod(widths) * (len(cover) + len(task.ignored) + len(task.asked or ())) > task.effort.left:
        return cover
    masks = [_masks(task, variable) for variable in variables]
    if math.prod(map(len, masks)) > _RULES:
        return cover
    wanted, free = _minterms(task, cover, variables, widths)
    candidates = _best(_candidates(task, variables, masks, wanted, free))
    if len(candidates) > _CHOICES:
        return cover
    found = _Search(candidates, task.total(cover)).run(_decisive(wanted, candidates))
    return _shared(task, cover) or (cover if found is None else found)


def _shared(task: Task, cover: Cover) -> Cover | None:
    """Return a single rule that another concept has anyway, if it does: nothing is cheaper."""
    cheaper = (cube for cube in sorted(task.shared) if task.cost(cube) < task.total(cover))
    same = (
        cube for cube in cheaper if task.inside(cube, cover) and all(task.inside(other, (cube,)) for other in cover)
    )
    return next(((cube,) for cube in same), None)


def _masks(task: Task, variable: int) -> list[int]:
    known = task.space.variables[variable]
    return [mask for mask in range(1, known.full + 1) if (word := known.worded(mask)) and word.mask == mask]


def _minterms(task: Task, cover: Cover, variables: Sequence[int], widths: Sequence[int]) -> tuple[int, int]:
    """Return the minterms on which the concept has to hold, and those on which it may."""
    wanted = free = 0
    for bit, cells in enumerate(product(*map(range, widths))):
        cube = task.space.everything
        for variable, cell in zip(variables, cells, strict=True):
            cube = task.space.replaced(cube, variable, 1 << cell)
        if task.inside(cube, ()):
            free |= 1 << bit
        elif any(not cube & ~other for other in cover):
            wanted |= 1 << bit
    return wanted, free


def _candidates(
    task: Task, variables: Sequence[int], masks: Sequence[Sequence[int]], wanted: int, free: int
) -> Iterator[_Candidate]:
    """Yield every rule that lies inside of the concept."""
    widths = [task.space.variables[each].full.bit_length() for each in variables]
    spread = [
        {mask: _spread(mask, math.prod(widths[:place]), widths[place], math.prod(widths[place + 1 :])) for mask in some}
        for place, some in enumerate(masks)
    ]
    # One variable after another: what holds on nothing that is wanted is not narrowed further.
    found = [(-1, task.space.everything)]
    for variable, where in zip(variables, spread, strict=True):
        found = [
            (both, task.space.replaced(cube, variable, mask))
            for minterms, cube in found
            for mask, part in where.items()
            if (both := minterms & part) & wanted
        ]
    for minterms, cube in found:
        if not minterms & ~(wanted | free):
            yield _Candidate(cube, minterms & wanted, task.cost(cube))


def _spread(mask: int, before: int, width: int, after: int) -> int:
    """Return the minterms whose cell of this variable is in the mask; the last variable changes fastest."""
    block = sum(((1 << after) - 1) << cell * after for cell in range(width) if mask >> cell & 1)
    return sum(block << place * width * after for place in range(before))


def _best(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Return the candidates without those that another one, not dearer, can replace."""
    kept: list[_Candidate] = []
    for each in sorted(candidates, key=lambda each: (each.cost, -each.minterms.bit_count(), each.cube)):
        if len(kept) > _CHOICES:
            break
        if all(each.minterms & ~other.minterms for other in kept):
            kept.append(each)
    return kept


def _decisive(wanted: int, candidates: Sequence[_Candidate]) -> int:
    """Return minterms that decide: whatever covers these covers all that is wanted."""
    options: dict[int, int] = {}
    for minterm in _bits(wanted):
        options.setdefault(sum(1 << at for at, each in enumerate(candidates) if each.minterms & minterm), minterm)
    few = sorted(options, key=int.bit_count)
    least: list[int] = []
    for each in few:
        if all(other & ~each for other in least):
            least.append(each)
    return sum(options[each] for each in least)


class _Search:
    """Branch and bound. The minterm that fewest candidates cover is decided first."""

    def __init__(self, candidates: Sequence[_Candidate], cost: int) -> None:
        self.candidates, self.cost = candidates, cost
        self.left = _BRANCHES
        self.found: Cover | None = None

    def run(self, wanted: int) -> Cover | None:
        """Return a cover cheaper than the given cost; None if there is none, or none was found."""
        self._branch(wanted, (), 0, self.candidates)
        return self.found

    def _branch(self, wanted: int, chosen: Cover, cost: int, candidates: Sequence[_Candidate]) -> None:
        self.left -= 1 + len(candidates) * wanted.bit_count() // 100
        if not wanted:
            if cost < self.cost:
                self.found, self.cost = chosen, cost
            return
        useful = [each for each in candidates if each.minterms & wanted]
        if self.left < 0 or cost + self._bound(wanted, useful) >= self.cost:
            return
        minterm = min(_bits(wanted), key=lambda minterm: sum(1 for each in useful if each.minterms & minterm))
        options = [each for each in useful if each.minterms & minterm]
        barred: list[_Candidate] = []
        for each in sorted(options, key=lambda each: each.cost / (each.minterms & wanted).bit_count()):
            rest = [other for other in useful if other is not each and other not in barred]
            self._branch(wanted & ~each.minterms, (*chosen, each.cube), cost + each.cost, rest)
            barred.append(each)

    def _bound(self, wanted: int, useful: Sequence[_Candidate]) -> int:
        """Return a lower bound of the cost: minterms that no candidate shares need a candidate each."""
        bound = 0
        while wanted:
            minterm = wanted & -wanted
            options = [each for each in useful if each.minterms & minterm]
            if not options:
                return self.cost
            bound += min(each.cost for each in options)
            for each in options:
                wanted &= ~each.minterms
        return bound


def _bits(minterms: int) -> Iterator[int]:
    while minterms:
        yield minterms & -minterms
        minterms &= minterms - 1
