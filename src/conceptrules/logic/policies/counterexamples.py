"""Rows that refute a claim: real ones with only one column varied, else near a real one, else made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

import numpy as np

from conceptrules.logic.policies.claims import Claim
from conceptrules.logic.policies.given_rows import GivenRows
from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.policies.splitting import Box, Splitting
from conceptrules.model.evaluation import decide_fired, layers_plain
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, holds
from conceptrules.model.text import plural, rule_text, value_text, word

Origin = Choice["real", "near", "made up"]
_NEAREST = 20  # given rows that are tried to start from


@dataclass(frozen=True, slots=True)
class Decision:
    """A row, what it gets, and why."""

    row: dict[str, Any]
    """A value for each column of the network, as a table holds it; None where it is missing."""
    text: str
    """The row as text, without the columns that do not matter."""
    label: Value
    """The class that it gets."""
    because: tuple[str, ...]
    """The rules of that class that hold, as text; none where the default answers."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One row, or two that differ in one column, on which a clause fails. `print` shows it as text."""

    origin: Origin
    """Where the rows are from: a real row with at most that column varied, near one, or made up."""
    row: int | None
    """The number of the real row, counted from 0; None for one that was made up."""
    changed: tuple[str, ...]
    """The further columns in which the row differs from the real one."""
    column: str | None
    """The column in which two rows differ."""
    decisions: tuple[Decision, ...]
    """One row, or two, with what they get."""

    def __str__(self) -> str:
        return "\n".join([self.source, *(line for one in self.decisions for line in _lines(one))])

    @property
    def source(self) -> str:
        """Where the rows are from, in words."""
        if self.row is None:
            return "a made-up row:"
        varied = f"with only {word(self.column)} varied" if self.column is not None else "as it is"
        if self.origin == "real":
            return f"row {self.row + 1} of the data, {varied}:"
        more = f"row {self.row + 1} of the data with {plural(len(self.changed), 'column')} changed"
        names = ", ".join(map(word, self.changed))
        return f"{more} ({names}):"


def counterexample(
    network: RuleNetwork, splitting: Splitting, claim: Claim, box: Box | None, rows: GivenRows | None, row: int | None
) -> Counterexample:
    """Return the rows on which a claim fails: a given row, or one out of a box of cells and near a given one."""
    space = splitting.space
    origin: Origin = "real"
    cells: dict[str, int] = {}
    if box is not None:
        origin, row, cells = "made up", None, {name: _first(mask) for name, mask in box.items()}
        if rows is not None and len(next(iter(rows.cells.values()), ())):
            origin, (row, cells) = "near", _nearest(splitting, claim, box, rows)
    values = {name: space[name].values[cell] for name, cell in cells.items()}
    if rows is not None and row is not None:
        real = {name: some[row] for name, some in rows.values.items()}
        values = {**real, **values}
    pairs = [values]
    if claim.column is not None:
        varied = space[claim.column]
        own = varied.cell_of(values[claim.column]) if claim.column in values else -1
        ends = (claim.first, claim.second)
        pairs = [values if own == cell else {**values, claim.column: varied.values[cell]} for cell in ends]
    decisions = tuple(_decision(network, space, claim, one) for one in pairs)
    return Counterexample(origin, row, tuple(cells) if row is not None else (), claim.column, decisions)


def _nearest(splitting: Splitting, claim: Claim, box: Box, rows: GivenRows) -> tuple[int, dict[str, int]]:
    """Return a given row, and the cells to put it in so that the claim fails: as few as can be found from this box.

    Of the rows that are nearest to the box, each column that is outside of it goes back to what the row says, if the
    claim still fails.
    """
    space = splitting.space
    outside = {name: ~space[name].table(mask)[rows.cells[name]] for name, mask in box.items()}
    distance = np.sum([*outside.values(), np.zeros(len(next(iter(rows.cells.values()))))], axis=0)
    best: tuple[int, int, dict[str, int]] | None = None
    for row in np.argsort(distance, kind="stable")[:_NEAREST].tolist():
        cells = {name: int(some[row]) for name, some in rows.cells.items() if name in box}
        changed = {name: _first(box[name]) for name in box if outside[name][row]}
        for name in list(changed):
            if cells[name] >= 0 and space[name].possible >> cells[name] & 1:
                rest = {other: cell for other, cell in changed.items() if other != name}
                if splitting.fails(claim, {**cells, **rest}):
                    changed = rest
        if best is None or len(changed) < best[0]:
            best = len(changed), row, changed
    assert best is not None
    return best[1], best[2]


def _first(cells: int) -> int:
    """Return the first of these cells: a missing value only where nothing else will do."""
    return (cells & -cells).bit_length() - 1


def _decision(network: RuleNetwork, space: Space, claim: Claim, values: dict[str, Value | None]) -> Decision:
    bits = np.array([[holds(one, values[one.column]) for one in network.predicates]])
    hidden = layers_plain(network, bits.reshape(1, len(network.predicates)))
    kind = int(decide_fired(network, hidden[-1])[0])
    top = len(network.levels) - 1
    held = hidden[2 * top + 1][0]
    because = [rule_text(network, top, rule) for rule in network.levels[top].concepts[kind].rules if held[rule]]
    row: dict[str, Any] = {column.name: None for column in network.columns}
    row |= {name: space[name].raw(value) for name, value in values.items()}
    matter = {*network.used_columns, *(test.predicate.column for test in claim.premise), claim.column}
    shown = [column for column in network.columns if column.name in matter and column.name in values]
    text = ", ".join(value_text(column, values[column.name]) for column in shown)
    return Decision(row, text, network.classes[kind], tuple(because))


def _lines(decision: Decision) -> list[str]:
    why = "no rule holds" if not decision.because else "because " + ", and because ".join(decision.because)
    return [f"  {decision.text or 'any row'}", f"    is {word(decision.label)}: {why}"]
