"""Rules as cubes over the cells of columns: a rule says of each column in which of its cells a row has to lie.

A cube is one number: a field of bits for each variable, a bit for each of its cells, and above each field an empty
bit. Two cubes meet where no field of `a & b` is 0; adding a 1 to every bit of the fields carries into the empty bit
just where the field is not 0, so that one addition tells for all variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conceptrules.logic.minimisation.cell_masks import Variable

Cube = int
# Cubes that one question may look at. Nine in ten questions look at fewer than a thousand.
QUESTION = 10_000


class Effort:
    """Cubes that may still be looked at: counted, not timed, so that the result is always the same."""

    def __init__(self, left: int) -> None:
        self.most = self.left = left

    @property
    def spent(self) -> int:
        """The cubes that were looked at."""
        return self.most - self.left

    def part(self, most: int) -> Effort:
        """Return a share of what is left, at most `most`."""
        return Effort(max(0, min(most, self.left)))


class Space:
    """The variables of a level, and where the field of each lies."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.places: list[int] = []
        self.everything = self.guards = 0
        self._owners: dict[int, int] = {}
        place = 0
        for number, variable in enumerate(self.variables):
            self.places.append(place)
            self.everything |= variable.full << place
            place += variable.full.bit_length()
            self.guards |= 1 << place
            self._owners[1 << place] = number
            place += 1

    def mask(self, cube: Cube, variable: int) -> int:
        """Return the cells of a variable in which the cube lies."""
        return cube >> self.places[variable] & self.variables[variable].full

    def replaced(self, cube: Cube, variable: int, mask: int) -> Cube:
        """Return the cube with other cells of one variable."""
        place = self.places[variable]
        return cube & ~(self.variables[variable].full << place) | mask << place

    def meet(self, first: Cube, second: Cube) -> bool:
        """Return whether two cubes have a row in common."""
        return ((first & second) + self.everything) & self.guards == self.guards

    def tested(self, cube: Cube) -> Iterator[int]:
        """Yield the variables that the cube tests."""
        return self._set(((cube ^ self.everything) + self.everything) & self.guards)

    def outside(self, cube: Cube, other: Cube) -> Iterator[int]:
        """Yield the variables in which the cube is not within the other."""
        return self._set(((cube & ~other) + self.everything) & self.guards)

    def _set(self, guards: int) -> Iterator[int]:
        while guards:
            yield self._owners[guards & -guards]
            guards &= guards - 1

    def covered(self, cube: Cube, cover: Iterable[Cube], effort: Effort) -> bool:
        """Return whether the cubes of the cover together contain the cube; False as well if that takes too much effort.

        What the cube that covers most leaves over is split into cubes, and the others have to cover each of these.
        """
        left = min(QUESTION, effort.left)
        before = left
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
                stack += reversed(list(self._left_over(rest, live)))
        effort.left -= before - left
        return result

    def _left_over(self, cube: Cube, live: list[Cube]) -> Iterator[tuple[Cube, list[Cube]]]:
        everything, guards = self.everything, self.guards
        best = min(live, key=lambda other: (((cube & ~other) + everything) & guards).bit_count())
        others = [other for other in live if other is not best]
        for variable in self.outside(cube, best):
            mask, within = self.mask(cube, variable), self.mask(best, variable)
            yield self.replaced(cube, variable, mask & ~within), others
            cube = self.replaced(cube, variable, mask & within)


def cells_in(mask: int) -> Iterator[int]:
    """Yield the cells of a mask, as masks."""
    while mask:
        yield mask & -mask
        mask &= mask - 1
