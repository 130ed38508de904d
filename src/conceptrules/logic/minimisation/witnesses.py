"""Witnesses: most questions about cubes are answered "no" by a sample row that shows it, without a proof.

A witness has one cell of each variable; a set of witnesses is a number with a bit for each. They lie in the rules, and
where a rule fails by one column only, since that is where the questions are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from conceptrules.logic.minimisation.cubes import Cube, Space, cells_in

_MOST = 50_000
_KEPT = 4_000  # masks, of 6 KB each at most
_INSIDE, _BESIDE = 4, 2  # witnesses in a rule, and in each cell beside it


class Witnesses:
    """The sample rows of a space; `all` has a bit for each of them."""

    def __init__(self, space: Space, cubes: Sequence[Cube]) -> None:
        self.space = space
        wanted = list(islice(_places(space, list(dict.fromkeys(cubes))), _MOST))
        self.all = (1 << len(wanted)) - 1
        self._cells = [_cells_of(space, variable, wanted) for variable in range(len(space.variables))]
        self._masks: dict[tuple[int, int], int] = {}

    def where(self, cube: Cube) -> int:
        """Return the witnesses in the cube."""
        found = self.all
        for variable in self.space.tested(cube):
            found &= self.cell(variable, self.space.mask(cube, variable))
        return found

    def covered(self, cubes: Iterable[Cube]) -> int:
        """Return the witnesses in any of these cubes."""
        found = 0
        for cube in cubes:
            found |= self.where(cube)
        return found

    def cell(self, variable: int, mask: int) -> int:
        """Return the witnesses in these cells of a variable."""
        if mask.bit_count() == 1:
            return self._cells[variable][mask.bit_length() - 1]
        key = variable, mask
        if key not in self._masks:
            if len(self._masks) > _KEPT:
                self._masks.clear()
            some = [found for cell, found in enumerate(self._cells[variable]) if mask >> cell & 1]
            self._masks[key] = sum(some)
        return self._masks[key]


def _places(space: Space, cubes: Sequence[Cube]) -> Iterator[Cube]:
    """Yield cubes to take a witness from each; every rule has had its turn before one has the next."""
    for _ in range(_INSIDE):
        yield from cubes
    beside = [
        (cube, variable, list(cells_in(space.variables[variable].full & ~space.mask(cube, variable))))
        for cube in cubes
        for variable in space.tested(cube)
    ]
    for turn in range(_BESIDE * max((len(cells) for _, _, cells in beside), default=0)):
        for cube, variable, cells in beside:
            if turn < _BESIDE * len(cells):
                yield space.replaced(cube, variable, cells[turn % len(cells)])


def _cells_of(space: Space, variable: int, wanted: Sequence[Cube]) -> list[int]:
    """Return for each cell of the variable the witnesses that have it; each takes a cell of its cube at random."""
    width = space.variables[variable].full.bit_length()
    masks = [space.mask(cube, variable) for cube in wanted]
    choices = {mask: [cell for cell in range(width) if mask >> cell & 1] for mask in set(masks)}
    shares = np.random.default_rng(variable).random(len(masks)).tolist()
    chosen = [choices[mask][int(share * len(choices[mask]))] for mask, share in zip(masks, shares, strict=True)]
    packed = [np.packbits(np.array(chosen, dtype=np.intp) == cell, bitorder="little") for cell in range(width)]
    return [int.from_bytes(bits.tobytes(), "little") for bits in packed]
