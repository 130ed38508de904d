"""Rules as cubes over the cells of columns: a rule says of each column in which of its cells a row has to lie.

A cube is one number: a field of bits for each variable, a bit for each of its cells, and above each field an empty
bit. Two cubes meet where no field of `a & b` is 0; adding a 1 to every bit of the fields carries into the empty bit
just where the field is not 0, so that one addition answers for all variables.

Most questions about cubes are answered "no" by a witness: a sample row that shows it, without a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from conceptrules.logic.column_cells import cell_numbers, split_cells
from conceptrules.logic.minimisation.variables import Variable, Wording

Cube = int
Cover = tuple[Cube, ...]
"""The rules of a concept."""

_QUESTION = 10_000  # cubes that one question may look at; nine in ten questions look at fewer than a thousand
_MAX_WITNESSES = 50_000
_CACHED_MASKS = 4_000  # of 6 KB each at most
_INSIDE, _BESIDE = 4, 2  # witnesses in a rule, and in each cell beside it


class CubeBudget:
    """Cubes that may still be looked at: counted, not timed, so that the result is always the same."""

    def __init__(self, left: int) -> None:
        self.total = self.left = left

    @property
    def spent(self) -> int:
        """The cubes that were looked at."""
        return self.total - self.left


class Space:
    """The variables of a level, and where the field of each lies."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.offsets: list[int] = []
        self.everything = self.guards = 0
        self._owners: dict[int, int] = {}
        offset = 0
        for number, variable in enumerate(self.variables):
            self.offsets.append(offset)
            self.everything |= variable.full << offset
            offset += variable.full.bit_length()
            self.guards |= 1 << offset
            self._owners[1 << offset] = number
            offset += 1

    def mask(self, cube: Cube, variable: int) -> int:
        """Return the cells of a variable in which the cube lies."""
        return cube >> self.offsets[variable] & self.variables[variable].full

    def with_mask(self, cube: Cube, variable: int, mask: int) -> Cube:
        """Return the cube with other cells of one variable."""
        offset = self.offsets[variable]
        return cube & ~(self.variables[variable].full << offset) | mask << offset

    def meet(self, first: Cube, second: Cube) -> bool:
        """Return whether two cubes have a row in common."""
        return ((first & second) + self.everything) & self.guards == self.guards

    def variables_outside(self, cube: Cube, other: Cube) -> Iterator[int]:
        """Yield the variables in which the cube is not within the other."""
        return (self._owners[guard] for guard in split_cells(((cube & ~other) + self.everything) & self.guards))

    def tested_variables(self, cube: Cube) -> Iterator[int]:
        """Yield the variables that the cube tests."""
        return self.variables_outside(self.everything, cube)

    def word_cube(self, cube: Cube) -> Iterator[Wording]:
        """Yield the wording of each variable that the cube tests."""
        for number in self.tested_variables(cube):
            wording = self.variables[number].find_wording(self.mask(cube, number))
            assert wording is not None
            yield wording

    def is_covered(self, cube: Cube, cover: Iterable[Cube], budget: CubeBudget) -> bool:
        """Return whether the cubes of the cover together contain the cube; False as well if that exceeds the budget.

        What the cube that covers most leaves over is split into cubes, and the others have to cover each of these.
        """
        before = left = min(_QUESTION, budget.left)
        everything, guards = self.everything, self.guards
        stack = [(cube, list(cover))]
        result = True
        while stack and result:
            rest, cubes = stack.pop()
            left -= len(cubes) + 1
            live = [other for other in cubes if ((rest & other) + everything) & guards == guards]
            if not live or left < 0:
                result = False
            elif all(rest & ~other for other in live):
                # The first is the largest, and the likeliest not to be covered.
                stack += reversed(list(self._split_uncovered(rest, live)))
        budget.left -= before - left
        return result

    def _split_uncovered(self, cube: Cube, live: list[Cube]) -> Iterator[tuple[Cube, list[Cube]]]:
        everything, guards = self.everything, self.guards
        best = min(live, key=lambda other: (((cube & ~other) + everything) & guards).bit_count())
        rest = [other for other in live if other is not best]
        for variable in self.variables_outside(cube, best):
            mask, within = self.mask(cube, variable), self.mask(best, variable)
            yield self.with_mask(cube, variable, mask & ~within), rest
            cube = self.with_mask(cube, variable, mask & within)


def absorb_cubes(cover: Sequence[Cube]) -> Cover:
    """Return the cover without cubes that lie within another one."""
    kept: list[Cube] = []
    for cube in sorted(dict.fromkeys(cover), key=lambda cube: -cube.bit_count()):
        if all(cube & ~other for other in kept):
            kept.append(cube)
    maximal = set(kept)
    return tuple(cube for cube in dict.fromkeys(cover) if cube in maximal)


class Witnesses:
    """The sample rows of a space; `all` has a bit for each of them.

    A witness has one cell of each variable; a set of witnesses is a number with a bit for each. They lie in the rules,
    and where a rule fails by one column only, since that is where the questions are.
    """

    def __init__(self, space: Space, cubes: Sequence[Cube]) -> None:
        self.space = space
        sampled = list(islice(_cubes_to_sample(space, list(dict.fromkeys(cubes))), _MAX_WITNESSES))
        self.all = (1 << len(sampled)) - 1
        self._cells = [_draw_cells(space, variable, sampled) for variable in range(len(space.variables))]
        self._masks: dict[tuple[int, int], int] = {}

    def inside(self, cube: Cube) -> int:
        """Return the witnesses in the cube."""
        witnesses = self.all
        for variable in self.space.tested_variables(cube):
            witnesses &= self.in_cells(variable, self.space.mask(cube, variable))
        return witnesses

    def inside_any(self, cubes: Iterable[Cube]) -> int:
        """Return the witnesses in any of these cubes."""
        witnesses = 0
        for cube in cubes:
            witnesses |= self.inside(cube)
        return witnesses

    def in_cells(self, variable: int, mask: int) -> int:
        """Return the witnesses in these cells of a variable."""
        if mask.bit_count() == 1:
            return self._cells[variable][mask.bit_length() - 1]
        key = variable, mask
        if key not in self._masks:
            if len(self._masks) > _CACHED_MASKS:
                self._masks.clear()
            self._masks[key] = sum(self._cells[variable][cell] for cell in cell_numbers(mask))
        return self._masks[key]


def _cubes_to_sample(space: Space, cubes: Sequence[Cube]) -> Iterator[Cube]:
    """Yield cubes to take a witness from each; every rule has had its turn before any has the next."""
    for _ in range(_INSIDE):
        yield from cubes
    beside = [
        (cube, variable, list(split_cells(space.variables[variable].full & ~space.mask(cube, variable))))
        for cube in cubes
        for variable in space.tested_variables(cube)
    ]
    for turn in range(_BESIDE * max((len(cells) for _, _, cells in beside), default=0)):
        for cube, variable, cells in beside:
            if turn < _BESIDE * len(cells):
                yield space.with_mask(cube, variable, cells[turn % len(cells)])


def _draw_cells(space: Space, variable: int, cubes: Sequence[Cube]) -> list[int]:
    """Return for each cell of the variable the witnesses that have it; each draws a cell of its cube at random."""
    width = space.variables[variable].full.bit_length()
    masks = [space.mask(cube, variable) for cube in cubes]
    choices = {mask: cell_numbers(mask) for mask in set(masks)}
    shares = np.random.default_rng(variable).random(len(masks)).tolist()
    drawn = [choices[mask][int(share * len(choices[mask]))] for mask, share in zip(masks, shares, strict=True)]
    packed = [np.packbits(np.array(drawn, dtype=np.intp) == cell, bitorder="little") for cell in range(width)]
    return [int.from_bytes(bits.tobytes(), "little") for bits in packed]
