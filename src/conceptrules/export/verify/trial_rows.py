"""Rows to try an export on, with what the network itself answers on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.probe_rows import Row, covering_rows
from conceptrules.model.evaluation import Bits, PackedBits, decide_fired, layers, pack, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Predicate, Value, holds
from conceptrules.model.statistics import probabilities
from conceptrules.tables.table import open_table, read_columns, read_packed_bits


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What an engine says about rows."""

    classes: NDArray[np.intp]
    """The index of the class of each row."""
    rules: Bits | None = None
    """Which rules fire, as (rows, rules), in the order of `rule_ids`; None where the export does not tell."""
    probabilities: NDArray[np.float64] | None = None
    """The probabilities, as (rows, classes), where the export tells."""

    def take(self, rows: NDArray[np.intp]) -> Answers:
        """Return the answers on some of the rows."""
        rules = None if self.rules is None else self.rules[rows]
        stated = None if self.probabilities is None else self.probabilities[rows]
        return Answers(self.classes[rows], rules, stated)


@dataclass(frozen=True, slots=True, eq=False)
class TrialRows:
    """Rows, column by column, with values as `Column` reads them (None or NaN where missing)."""

    values: dict[str, list[Value | None]]
    expected: Answers

    def __len__(self) -> int:
        return len(self.expected.classes)

    def take(self, rows: NDArray[np.intp]) -> TrialRows:
        """Return some of the rows."""
        if len(rows) == len(self):
            return self
        values = {name: [column[row] for row in rows.tolist()] for name, column in self.values.items()}
        return TrialRows(values, self.expected.take(rows))

    def row(self, index: int) -> Row:
        """Return one row."""
        return {name: column[index] for name, column in self.values.items()}


def covering_trial(network: RuleNetwork, limit: int = 10_000) -> TrialRows:
    """Return the rows that cover the network; what it answers is worked out from the meaning of each predicate."""
    rows = covering_rows(network, limit)
    values = {column.name: [row[column.name] for row in rows] for column in network.columns}
    return make_trial(network, values, len(rows))


def make_trial(network: RuleNetwork, values: dict[str, list[Value | None]], rows: int) -> TrialRows:
    """Return rows with these values, and what the network answers on them."""
    coded = {name: _encode(column) for name, column in values.items()}
    bits = [_plain_bits(predicate, *coded[predicate.column]) for predicate in network.predicates]
    matrix = np.array(bits, dtype=np.bool_).reshape(len(bits), rows).T
    return TrialRows(values, answer_rows(network, pack(matrix)))


def table_trial(network: RuleNetwork, table: Any) -> TrialRows:
    """Return the rows of a table, with what the network predicts. Columns that no rule uses are not read."""
    opened = open_table(table)
    used = network.used_columns
    values: dict[str, list[Value | None]] = {column.name: [None] * opened.rows for column in network.columns}
    for column, cells in read_columns(network.columns, opened, used):
        values[column.name] = cells.to_list(ordered=column.ordered)
    indices = [index for predicates in used.values() for index in predicates]
    bits = read_packed_bits(network.columns, network.predicates, opened, indices)
    return TrialRows(values, answer_rows(network, bits))


def answer_rows(network: RuleNetwork, words: PackedBits) -> Answers:
    """Return the network's own answers, from the bits of its predicates."""
    hidden = [unpack(layer) for layer in layers(network, words)]
    stated = probabilities(network, hidden[-1]) if network.statistics is not None else None
    return Answers(decide_fired(network, hidden[-1]), np.concatenate(hidden[1::2], axis=1), stated)


def _encode(values: list[Value | None]) -> tuple[list[Value | None], NDArray[np.intp]]:
    """Return the different values (0 is not -0, NaN is not None), and which of them each row holds."""
    names = list(map(repr, values))
    distinct = dict(zip(names, values, strict=True))
    codes = {name: code for code, name in enumerate(distinct)}
    return list(distinct.values()), np.array([codes[name] for name in names], dtype=np.intp)


def _plain_bits(predicate: Predicate, distinct: list[Value | None], codes: NDArray[np.intp]) -> Bits:
    """Look at each different value once: there are far fewer of them than rows."""
    bits: Bits = np.array([holds(predicate, value) for value in distinct], dtype=np.bool_)[codes]
    return bits
