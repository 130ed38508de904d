"""Rows that refute a claim: given ones with only one column varied, else near a given one, else made up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.column_cells import cell_numbers, raw_value
from conceptrules.logic.policies.card_claims import CardClaim
from conceptrules.logic.policies.claims import Box, Claim, Splitting
from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model.card import amount_text, chance_text, list_points, output_names
from conceptrules.model.derived import derive
from conceptrules.model.evaluation import Bits, decide, decide_fired, layers_plain, pack
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, holds
from conceptrules.model.scoring import answer_scores, network_scores, score_bits, score_numbers, score_probabilities
from conceptrules.model.text import plural, rule_text, value_text, word
from conceptrules.model.values import label_text
from conceptrules.tables.table import Table, list_labels, open_table, read_columns

AnyClaim = Claim | CardClaim
Origin = Choice["real", "near", "made up"]
_MAX_ROWS, _MAX_VALUES = 10_000, 1_000_000  # rows, and values of them, that are searched for a counterexample
_TRIED = 2_000  # rows that are made up where derived columns make those of a proof impossible
_NEAREST = 20  # given rows that are tried to start from


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """Rows as the network reads them."""

    table: Table
    labels: tuple[int, ...] | None
    """The class of each row as an index; -1 for one that the network does not know."""
    values: dict[str, tuple[Value | None, ...]]
    """The first rows' values of the columns that matter, by column."""
    cells: dict[str, NDArray[np.intp]]
    """The same as cells."""

    @property
    def searched(self) -> int:
        """How many rows are searched for a counterexample: as many as have cells."""
        return len(next(iter(self.cells.values()), ()))


def read_rows(network: RuleNetwork, space: Space, data: Any, labels: Iterable[object] | None) -> GivenRows:
    """Read rows, and their classes where they are given."""
    table = open_table(data)
    classes = {label_text(name): index for index, name in enumerate(network.classes)}
    known = None
    if labels is not None and network.classes:
        known = tuple(classes.get(label_text(label), -1) for label in list_labels(labels, table.rows))
    first = table.take(np.arange(min(_MAX_ROWS, _MAX_VALUES // (len(space) + 1), table.rows)))
    values: dict[str, tuple[Value | None, ...]] = {
        column.name: () for column in network.columns if column.name in space
    }
    for column, cells in read_columns(network.columns, first, values):
        values[column.name] = tuple(cells.to_list(ordered=column.ordered))
    coded = {}
    for name, column_values in values.items():
        cell_of = {value: space[name].cell_of(value) for value in set(column_values)}
        coded[name] = np.array([cell_of[value] for value in column_values], dtype=np.intp)
    return GivenRows(table, known, values, coded)


def find_refuting_row(
    network: RuleNetwork, splitting: Splitting, claims: Sequence[AnyClaim], rows: GivenRows
) -> tuple[AnyClaim, int] | None:
    """Return a claim that fails on a given row, if only the column of the claim is varied; None if none does.

    Rows that the policy calls impossible do not count.
    """
    if not claims or not rows.searched:
        return None
    space, column = splitting.space, claims[0].column
    varied: dict[int, tuple[NDArray[Any], NDArray[np.bool_]]] = {}

    def lie_in(box: Box, cells: dict[str, NDArray[np.intp]]) -> NDArray[np.bool_]:
        """Return which rows are in these cells in all columns."""
        inside = np.ones(rows.searched, dtype=bool)
        for name, mask in box.items():
            inside &= space[name].membership(mask)[cells[name]]
        return inside

    def vary(cell: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the classes, or the scores, of the rows with this cell of the column, and which are possible."""
        if cell not in varied:
            cells = dict(rows.cells)
            if column is not None:
                cells[column] = np.full_like(cells[column], cell)
            possible = lie_in({name: known.possible for name, known in space.items()}, cells)
            for rule in splitting.impossible:
                possible &= ~lie_in(rule, cells)
            bits = np.zeros((rows.searched, len(network.predicates)), dtype=bool)
            for index in network.used_predicates:
                predicate = network.predicates[index]
                bits[:, index] = lie_in({predicate.column: space[predicate.column].where(predicate)}, cells)
            answer = decide if network.head is None else network_scores
            varied[cell] = answer(network, pack(bits)), possible
        return varied[cell]

    for claim in claims:
        (first, first_possible), (second, second_possible) = vary(claim.first), vary(claim.second)
        relevant = first_possible & second_possible & lie_in(splitting.conjunction(claim.premise), rows.cells)
        fails = relevant & claim.find_failures(network, first, second)
        if fails.any():
            # A row that has one of the two cells already is the best to show.
            own = fails & (np.isin(rows.cells[column], (claim.first, claim.second)) if column is not None else True)
            return claim, int(np.flatnonzero(own if own.any() else fails)[0])
    return None


def can_be(network: RuleNetwork, space: Space, claim: AnyClaim, shown: Counterexample) -> bool:
    """Return whether derived columns hold on the rows of a counterexample what they are worked out to be.

    A proof lets them hold anything. So a row on which a claim fails may be one that no table can have.
    """
    asked = {*network.used_columns, *(test.predicate.column for test in claim.premise)}
    for values in shown.values:
        for column in network.columns:
            if column.derivation is not None and column.name in asked:
                sources = [values.get(name) for name in column.derivation.columns]
                cells = space[column.name]
                if cells.cell_of(derive(column.derivation, sources)) != cells.cell_of(values[column.name]):
                    return False
    return True


def make_up_rows(network: RuleNetwork, space: Space) -> GivenRows:
    """Return rows that try every part of a network, whose derived columns are worked out."""
    kinds = {column.name: column for column in network.own_columns}
    rows = [
        {name: raw_value(column, row[name]) for name, column in kinds.items()} for row in covering_rows(network, _TRIED)
    ]
    return read_rows(network, space, rows, None)


@dataclass(frozen=True, slots=True)
class Decision:
    """A row, what it gets, and why."""

    row: dict[str, Any]
    """A value for each column of the network, as a table holds it; None where it is missing."""
    text: str
    """The row as text, without the columns that do not matter."""
    label: Value
    """The class that it gets, or the number."""
    because: tuple[str, ...]
    """The rules of that class that hold, as text; none where the default answers. Of a scorecard, all that add to the
    scores, with what they add."""
    score: str = ""
    """The scores and the probability, as text; only of a scorecard."""

    @property
    def why(self) -> str:
        """What decides, in words."""
        if self.score:
            return f"{self.score}: {', '.join(self.because)}"
        return "no rule holds" if not self.because else "because " + ", and because ".join(self.because)

    def __str__(self) -> str:
        return f"  {self.text or 'any row'}\n    is {word(self.label)}: {self.why}"


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
    values: tuple[dict[str, Value | None], ...] = field(default=(), repr=False)
    """The same rows, as the columns are read."""

    def __str__(self) -> str:
        return "\n".join([self.source, *map(str, self.decisions)])

    @property
    def source(self) -> str:
        """Where the rows are from, in words."""
        if self.row is None:
            return "a made-up row:"
        if self.origin == "real":
            varied = f"with only {word(self.column)} varied" if self.column is not None else "as it is"
            return f"row {self.row + 1} of the data, {varied}:"
        names = ", ".join(map(word, self.changed))
        return f"row {self.row + 1} of the data with {plural(len(self.changed), 'column')} changed ({names}):"


def build_counterexample(
    network: RuleNetwork,
    splitting: Splitting,
    claim: AnyClaim,
    box: Box | None,
    rows: GivenRows | None,
    row: int | None,
) -> Counterexample:
    """Return the rows on which a claim fails: a given row, or one out of a box of cells and near a given one."""
    space = splitting.space
    origin: Origin = "real"
    cells: dict[str, int] = {}
    if box is not None:
        # The first cell of each column: a missing value only where nothing else will do.
        origin, row, cells = "made up", None, {name: cell_numbers(mask)[0] for name, mask in box.items()}
        if rows is not None and rows.searched:
            origin, (row, cells) = "near", _find_nearest(splitting, claim, box, rows)
    values = {name: space[name].values[cell] for name, cell in cells.items()}
    if rows is not None and row is not None:
        values = {**{name: column[row] for name, column in rows.values.items()}, **values}
    pairs = [values]
    if claim.column is not None:
        varied = space[claim.column]
        own = varied.cell_of(values[claim.column]) if claim.column in values else -1
        ends = (claim.first, claim.second)
        pairs = [values if own == cell else {**values, claim.column: varied.values[cell]} for cell in ends]
    decisions = tuple(_explain_decision(network, claim, one_row) for one_row in pairs)
    return Counterexample(origin, row, tuple(cells) if row is not None else (), claim.column, decisions, tuple(pairs))


def _find_nearest(splitting: Splitting, claim: AnyClaim, box: Box, rows: GivenRows) -> tuple[int, dict[str, int]]:
    """Return a given row, and the cells to put it in so that the claim fails: as few as can be found from this box.

    Of the rows that are nearest to the box, each column that is outside of it goes back to what the row says, if the
    claim still fails.
    """
    space = splitting.space
    outside = {name: ~space[name].membership(mask)[rows.cells[name]] for name, mask in box.items()}
    distance = np.sum([*outside.values(), np.zeros(rows.searched)], axis=0)
    candidates: list[tuple[int, dict[str, int]]] = []
    for row in np.argsort(distance, kind="stable")[:_NEAREST].tolist():
        cells = {name: int(column[row]) for name, column in rows.cells.items() if name in box}
        changed = {name: cell_numbers(box[name])[0] for name in box if outside[name][row]}
        for name in list(changed):
            if cells[name] >= 0 and space[name].possible >> cells[name] & 1:
                rest = {other: cell for other, cell in changed.items() if other != name}
                if splitting.fails(claim, {**cells, **rest}):  # type: ignore[arg-type]  # it goes with the head
                    changed = rest
        candidates.append((row, changed))
    return min(candidates, key=lambda candidate: len(candidate[1]))


def _explain_decision(network: RuleNetwork, claim: AnyClaim, values: dict[str, Value | None]) -> Decision:
    bits = np.array([[holds(predicate, values[predicate.column]) for predicate in network.predicates]])
    hidden = layers_plain(network, bits.reshape(1, len(network.predicates)))
    if network.head is not None:
        label, because, score = _explain_score(network, network.head, hidden[-2])
    else:
        label, because, score = *_explain_class(network, hidden), ""
    row = {column.name: raw_value(column, values.get(column.name)) for column in network.columns}
    relevant = {*network.used_columns, *(test.predicate.column for test in claim.premise), claim.column}
    shown = [column for column in network.columns if column.name in relevant and column.name in values]
    text = ", ".join(value_text(column, values[column.name]) for column in shown)
    return Decision(row, text, label, because, score)


def _explain_class(network: RuleNetwork, hidden: Sequence[Bits]) -> tuple[Value, tuple[str, ...]]:
    """Return the class of the only row, and the rules that give it."""
    answer = int(decide_fired(network, hidden[-1])[0])
    top = len(network.levels) - 1
    rules = [rule for rule in network.levels[top].concepts[answer].rules if hidden[2 * top + 1][0][rule]]
    return network.classes[answer], tuple(rule_text(network, top, rule) for rule in rules)


def _explain_score(network: RuleNetwork, head: Points, rules: Bits) -> tuple[Value, tuple[str, ...], str]:
    """Return the class or the number of the only row, what adds to its scores, and these as text."""
    scores = score_bits(head, rules)
    names, top = output_names(network), len(network.levels) - 1
    holding = [rule for rule in np.flatnonzero(rules[0]).tolist() if any(head.points[rule])]
    added = [f"{list_points(network, rule)} from {rule_text(network, top, rule)}" for rule in holding]
    if head.step is not None:
        base, total = (amount_text(int(score), head.step, head.link) for score in (head.base[0], scores[0, 0]))
        return float(score_numbers(head, scores)[0]), (f"base {base}", *added), total
    texts = [
        f"{value:,}" if len(names) == 1 else f"{name} {value:,}"
        for name, value in zip(names, scores[0].tolist(), strict=True)
    ]
    base = ", ".join(f"{value:,}" for value in head.base)
    answer, chances = int(answer_scores(head, scores)[0]), score_probabilities(head, scores)[0]
    shown = 1 if len(names) == 1 else answer
    chance = f"a probability of {word(network.classes[shown])} of {chance_text(float(chances[shown]))}"
    score = f"{'the score' if len(names) == 1 else 'the scores'} {', '.join(texts)}, {chance}"
    return network.classes[answer], (f"base {base}", *added), score
