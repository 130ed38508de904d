"""Sample rows lie where they say, in every rule and on every side of it."""

from __future__ import annotations

from hypothesis import given

from conceptrules.logic.minimisation.cubes import Cube
from conceptrules.logic.minimisation.witnesses import Witnesses
from tests.logic.minimisation.test_cubes import SPACE, covers, cubes


def rows_of(witnesses: Witnesses) -> list[Cube]:
    """Return each witness as a cube of one cell in each variable."""
    rows = []
    for bit in range(witnesses.all.bit_length()):
        row = SPACE.everything
        for place, known in enumerate(SPACE.variables):
            cells = [1 << cell for cell in range(known.full.bit_length())]
            (cell,) = [cell for cell in cells if witnesses.cell(place, cell) >> bit & 1]
            row = SPACE.replaced(row, place, cell)
        rows.append(row)
    return rows


def among(rows: list[Cube], *some: Cube) -> int:
    return sum(1 << bit for bit, row in enumerate(rows) if any(not row & ~cube for cube in some))


@given(covers(max_size=5), cubes(), cubes())
def test_the_witnesses_in_cubes_are_those_whose_cells_are(cover: tuple[Cube, ...], first: Cube, second: Cube) -> None:
    witnesses = Witnesses(SPACE, cover)
    rows = rows_of(witnesses)
    assert witnesses.all == among(rows, SPACE.everything)
    for _ in range(2):  # what was asked before is looked up
        assert witnesses.where(first) == among(rows, first)
        assert witnesses.covered([first, second]) == among(rows, first, second)
    assert witnesses.covered([]) == 0
    for place, known in enumerate(SPACE.variables):
        for mask in range(1, known.full + 1):
            assert witnesses.cell(place, mask) == among(rows, SPACE.replaced(SPACE.everything, place, mask))


@given(covers(max_size=5))
def test_there_are_witnesses_in_each_rule_and_in_each_cell_beside_it(cover: tuple[Cube, ...]) -> None:
    rows = rows_of(Witnesses(SPACE, cover))
    wanted = 4 * len(cover)
    for cube in cover:
        assert sum(not row & ~cube for row in rows) >= 4
        for place in SPACE.tested(cube):
            mask = SPACE.mask(cube, place)
            for cell in range(SPACE.variables[place].full.bit_length()):
                if not mask >> cell & 1:
                    wanted += 2
                    beside = SPACE.replaced(cube, place, 1 << cell)
                    assert sum(not row & ~beside for row in rows) >= 2
    assert len(rows) == wanted
