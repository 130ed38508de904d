"""The smallest cover there is, for a concept over few cells: all rules that lie inside it, and the cheapest choice.

Each combination of cells is a minterm, and a set of minterms a number with a bit for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from conceptrules.logic.column_cells import split_cells
from conceptrules.logic.minimisation.cover_reduction import CoverTask
from conceptrules.logic.minimisation.cubes import Cover, Cube

_MAX_MINTERMS = 1024
_MAX_CELLS = 8  # of a variable; there are 2 ** 8 masks
_MAX_RULES = 20_000  # candidates before those that another makes needless go
_MAX_CANDIDATES = 400  # and after that
_MAX_BRANCHES = 20_000


@dataclass(frozen=True, slots=True)
class _Candidate:
    cube: Cube
    minterms: int
    cost: int


def find_smallest_cover(task: CoverTask, cover: Cover) -> Cover:
    """Return a cover of the lowest cost, or the given one where the question is too large."""
    space = task.space
    variables = sorted({variable for cube in cover for variable in space.tested_variables(cube)})
    widths = [space.variables[variable].full.bit_length() for variable in variables]
    if not variables or math.prod(widths) > _MAX_MINTERMS or max(widths) > _MAX_CELLS:
        return cover
    if math.prod(widths) * (len(cover) + len(task.ignored) + len(task.asked or ())) > task.budget.left:
        return cover
    masks = [
        [mask for mask in range(1, known.full + 1) if (wording := known.find_wording(mask)) and wording.mask == mask]
        for known in (space.variables[variable] for variable in variables)
    ]
    if math.prod(map(len, masks)) > _MAX_RULES:
        return cover
    needed, free = _split_minterms(task, cover, variables, widths)
    candidates = _drop_dominated(_list_candidates(task, variables, masks, needed, free))
    if len(candidates) > _MAX_CANDIDATES:
        return cover
    search = _Search(task.total_cost(cover))
    search.branch(_drop_implied(needed, candidates), (), 0, candidates)
    return _find_shared_rule(task, cover) or (cover if search.best is None else search.best)


def _find_shared_rule(task: CoverTask, cover: Cover) -> Cover | None:
    """Return a single rule that another concept has anyway, if there is one: nothing is cheaper."""
    cheaper = (cube for cube in sorted(task.shared) if task.cost(cube) < task.total_cost(cover))
    inside = (cube for cube in cheaper if task.is_inside(cube, cover))
    return next(((cube,) for cube in inside if all(task.is_inside(other, (cube,)) for other in cover)), None)


def _split_minterms(task: CoverTask, cover: Cover, variables: Sequence[int], widths: Sequence[int]) -> tuple[int, int]:
    """Return the minterms on which the concept has to hold, and those on which it may."""
    needed = free = 0
    for bit, cells in enumerate(product(*map(range, widths))):
        cube = task.space.everything
        for variable, cell in zip(variables, cells, strict=True):
            cube = task.space.with_mask(cube, variable, 1 << cell)
        if task.is_inside(cube, ()):
            free |= 1 << bit
        elif any(not cube & ~other for other in cover):
            needed |= 1 << bit
    return needed, free


def _list_candidates(
    task: CoverTask, variables: Sequence[int], masks: Sequence[Sequence[int]], needed: int, free: int
) -> Iterator[_Candidate]:
    """Yield every rule that lies inside the concept."""
    widths = [task.space.variables[variable].full.bit_length() for variable in variables]
    # One variable after another: what holds on nothing that is needed is not narrowed further.
    partial = [(-1, task.space.everything)]
    for index, variable in enumerate(variables):
        before, after = math.prod(widths[:index]), math.prod(widths[index + 1 :])
        minterms_of = {mask: _minterms_in(mask, before, widths[index], after) for mask in masks[index]}
        partial = [
            (both, task.space.with_mask(cube, variable, mask))
            for minterms, cube in partial
            for mask, own in minterms_of.items()
            if (both := minterms & own) & needed
        ]
    for minterms, cube in partial:
        if not minterms & ~(needed | free):
            yield _Candidate(cube, minterms & needed, task.cost(cube))


def _minterms_in(mask: int, before: int, width: int, after: int) -> int:
    """Return the minterms whose cell of this variable is in the mask; the last variable changes fastest."""
    block = sum(((1 << after) - 1) << cell * after for cell in range(width) if mask >> cell & 1)
    return sum(block << repeat * width * after for repeat in range(before))


def _drop_dominated(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Return the candidates without those that another one of at most the same cost can replace."""
    kept: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda each: (each.cost, -each.minterms.bit_count(), each.cube)):
        if len(kept) > _MAX_CANDIDATES:
            break
        if all(candidate.minterms & ~other.minterms for other in kept):
            kept.append(candidate)
    return kept


def _drop_implied(needed: int, candidates: Sequence[_Candidate]) -> int:
    """Return the minterms that decide: whatever covers these covers all that is needed."""
    minterm_of: dict[int, int] = {}  # by the candidates that cover it, as bits
    for minterm in split_cells(needed):
        covering = sum(1 << bit for bit, each in enumerate(candidates) if each.minterms & minterm)
        minterm_of.setdefault(covering, minterm)
    deciding: list[int] = []
    for covering in sorted(minterm_of, key=int.bit_count):
        if all(other & ~covering for other in deciding):
            deciding.append(covering)
    return sum(minterm_of[covering] for covering in deciding)


class _Search:
    """Branch and bound for a cover cheaper than `cost`. The minterm that fewest candidates cover is decided first."""

    def __init__(self, cost: int) -> None:
        self.cost, self.left = cost, _MAX_BRANCHES
        self.best: Cover | None = None

    def branch(self, needed: int, chosen: Cover, cost: int, candidates: Sequence[_Candidate]) -> None:
        """Keep the cheapest cover of the needed minterms that has the chosen rules."""
        self.left -= 1 + len(candidates) * needed.bit_count() // 100
        if not needed:
            if cost < self.cost:
                self.best, self.cost = chosen, cost
            return
        useful = [each for each in candidates if each.minterms & needed]
        if self.left < 0 or cost + self._bound_cost(needed, useful) >= self.cost:
            return
        minterm = min(split_cells(needed), key=lambda minterm: sum(1 for each in useful if each.minterms & minterm))
        options = [each for each in useful if each.minterms & minterm]
        tried: list[_Candidate] = []
        for option in sorted(options, key=lambda each: each.cost / (each.minterms & needed).bit_count()):
            tried.append(option)
            rest = [other for other in useful if other not in tried]
            self.branch(needed & ~option.minterms, (*chosen, option.cube), cost + option.cost, rest)

    def _bound_cost(self, needed: int, useful: Sequence[_Candidate]) -> int:
        """Return a lower bound of the cost: minterms that share no candidate need a candidate each."""
        bound = 0
        while needed:
            minterm = needed & -needed
            options = [each for each in useful if each.minterms & minterm]
            if not options:
                return self.cost
            bound += min(each.cost for each in options)
            for option in options:
                needed &= ~option.minterms
        return bound
