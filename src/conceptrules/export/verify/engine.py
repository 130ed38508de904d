"""What runs an export: the class that each engine extends, the rows to try it on, and what the network says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.export.inputs import Family, Input, is_double, is_utf8
from conceptrules.export.wording import rule_ids
from conceptrules.logic.probe_rows import Row, covering_rows
from conceptrules.model.derived import derive
from conceptrules.model.evaluation import Bits, PackedBits, decide_fired, layers, pack, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Predicate, Value, holds
from conceptrules.model.scoring import answer_scores, score_bits, score_numbers, score_probabilities
from conceptrules.model.statistics import probabilities
from conceptrules.tables.table import open_table, read_columns, read_used_bits


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What an engine says about rows."""

    classes: NDArray[np.intp]
    """The index of the class of each row."""
    rules: Bits | None = None
    """Which rules fire, as (rows, rules), in the order of `rule_ids`; None where the export does not tell."""
    probabilities: NDArray[np.float64] | None = None
    """The probabilities, as (rows, classes), where the export tells."""
    scores: NDArray[np.int64] | None = None
    """The scores of a scorecard, as (rows, outputs), where the export tells."""
    numbers: NDArray[np.float64] | None = None
    """The numbers that are predicted; None of classes."""

    def take(self, rows: NDArray[np.intp]) -> Answers:
        """Return the answers on some of the rows."""
        fired = None if self.rules is None else self.rules[rows]
        stated = None if self.probabilities is None else self.probabilities[rows]
        scores = None if self.scores is None else self.scores[rows]
        numbers = None if self.numbers is None else self.numbers[rows]
        return Answers(self.classes[rows], fired, stated, scores, numbers)


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


class ExportEngine:
    """Runs the exports of a format; `options` are those that an export was made with."""

    def missing(self, **options: Any) -> str | None:
        """Return why this export cannot be run here, with what to install; None if it can."""
        return None

    def run(self, network: RuleNetwork, exported: Any, trial: TrialRows, **options: Any) -> Answers:
        """Return what the export answers on the rows of `trial.values`."""
        raise NotImplementedError

    def adapt(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> TrialRows:
        """Return the rows that cover the network, as the engine can have them."""
        return trial

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        """Return which rows the engine's types can hold: PostgreSQL, for one, has no text with NUL in it."""
        return np.ones(len(trial), dtype=np.bool_)

    def claim(self, network: RuleNetwork, **options: Any) -> str:
        """Say what is compared."""
        return f"the same {answer_words(network)} and the same fired rules as the model"


def answer_words(network: RuleNetwork, probabilities: bool = True) -> str:
    """Return what a network answers besides the rules that fire, in words."""
    if network.head is None:
        return "class"
    scores = "score" if network.head.outputs == 1 else "scores"
    if not network.classes:
        return f"number and {scores}"
    return f"class, {scores} and probabilities" if probabilities else f"class and {scores}"


def named_answers(network: RuleNetwork, classes: Sequence[int], fired: Iterable[Iterable[str]]) -> Answers:
    """Return answers, made from the index of the class of each row and the names of its rules."""
    ids = rule_ids(network)
    rows = [set(names) for names in fired]
    unknown = set().union(*rows) - set(ids)
    if unknown:
        raise ValueError(f"the export names the rule {min(unknown)!r}, which the network does not have")
    rules = [[name in names for name in ids] for names in rows]
    return Answers(np.array(classes, dtype=np.intp), np.array(rules, dtype=np.bool_).reshape(len(rows), len(ids)))


def holdable_rows(used: Sequence[Input], trial: TrialRows, nul: bool = True, flags: bool = False) -> Bits:
    """Return the rows whose every value fits into UTF-8, float64 or a whole number of 64 bits.

    `nul` says whether text can hold NUL, `flags` whether there is a boolean type, which holds no other numbers.
    """
    result = np.ones(len(trial), dtype=np.bool_)
    for each in used:
        family: Family = "flag" if flags and each.holds_flags else each.family
        result &= [_is_holdable(value, family, nul) for value in trial.values[each.column.name]]
    return result


def _is_holdable(value: Value | None, family: Family, nul: bool) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return family == "text" and (nul or "\0" not in value) and is_utf8(value)
    if family == "whole":
        return value == value // 1 and -(2**63) <= value < 2**63
    return value in (0, 1) if family == "flag" else value != value or is_double(value)  # noqa: PLR0124


# Rows to try an export on


def covering_trial(network: RuleNetwork, limit: int = 10_000) -> TrialRows:
    """Return the rows that cover the network; what it answers is worked out from the meaning of each predicate."""
    rows = covering_rows(network, limit)
    values = {column.name: [row[column.name] for row in rows] for column in network.own_columns}
    return make_trial(network, values, len(rows))


def make_trial(network: RuleNetwork, values: dict[str, list[Value | None]], rows: int) -> TrialRows:
    """Return rows with these values, and what the network answers on them."""
    coded = {name: _encode(column) for name, column in values.items()}
    for column in network.columns:
        if column.derivation is not None:
            sources = zip(*(values[name] for name in column.derivation.columns), strict=True)
            coded[column.name] = _encode([derive(column.derivation, each) for each in sources])
    bits = [_plain_bits(predicate, *coded[predicate.column]) for predicate in network.predicates]
    matrix = np.array(bits, dtype=np.bool_).reshape(len(bits), rows).T
    return TrialRows(values, answer_rows(network, pack(matrix)))


def table_trial(network: RuleNetwork, table: Any) -> TrialRows:
    """Return the rows of a table, with what the network predicts. Columns that no rule uses are not read."""
    opened = open_table(table)
    values: dict[str, list[Value | None]] = {column.name: [None] * opened.rows for column in network.own_columns}
    needed = {name for column in network.columns if column.derivation for name in column.derivation.columns}
    for column, cells in read_columns(network.own_columns, opened, needed | set(network.used_columns)):
        values[column.name] = cells.to_list(ordered=column.ordered)
    return TrialRows(values, answer_rows(network, read_used_bits(network, opened)))


def answer_rows(network: RuleNetwork, words: PackedBits) -> Answers:
    """Return the network's own answers, from the bits of its predicates."""
    hidden = [unpack(layer) for layer in layers(network, words)]
    rules, head = np.concatenate(hidden[1::2], axis=1), network.head
    if head is None:
        stated = probabilities(network, hidden[-1]) if network.statistics is not None else None
        return Answers(decide_fired(network, hidden[-1]), rules, stated)
    scores = score_bits(head, hidden[-2])
    if head.step is not None:
        return Answers(np.zeros(len(scores), np.intp), rules, None, scores, score_numbers(head, scores))
    return Answers(answer_scores(head, scores), rules, score_probabilities(head, scores), scores)


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
