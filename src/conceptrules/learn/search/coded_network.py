"""Networks of the search as values of the language, and what their predicates say of rows as bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import WORD, MaskedNetworks
from conceptrules.kernels.search.values import CODES
from conceptrules.learn.binned_table import BinnedTable, Bins, join_mentions
from conceptrules.learn.search.locked_rules import LockedRules
from conceptrules.learn.search.path import Snapshot
from conceptrules.model.derived import Mention, make_derived
from conceptrules.model.evaluation import PackedBits, pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Predicate, Value, holds
from conceptrules.model.statistics import CellRows, count_cells


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Where a predicate holds: on the rows with one of these codes in any of these columns, or on all others."""

    positions: tuple[int, ...]
    allowed: tuple[NDArray[np.bool_], ...]
    """[code], for each of the columns."""
    negated: bool = False

    def find_rows(self, codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return on which rows the predicate holds."""
        first, *rest = zip(self.positions, self.allowed, strict=True)
        holding: NDArray[np.bool_] = first[1][codes[:, first[0]]]
        for position, allowed in rest:
            holding = holding | allowed[codes[:, position]]
        return ~holding if self.negated else holding


@dataclass(frozen=True, slots=True, eq=False)
class CodedNetwork:
    """A network whose predicates are read from bins."""

    network: RuleNetwork
    readings: tuple[Reading, ...]
    """How each predicate is read."""
    gaps: tuple[tuple[str, int, int], ...] = ()
    """The used columns that have bins, with their position, and the code of missing and unseen values."""

    def count_cells(self, codes: NDArray[np.uint8], bits: PackedBits, weight: NDArray[np.float64]) -> CellRows:
        """Return the rows by what the used predicates say of each column."""
        gaps = {name: codes[:, position] == code for name, position, code in self.gaps}
        return count_cells(self.network, bits, gaps, weight)

    def bits(self, codes: NDArray[np.uint8]) -> PackedBits:
        """Return the bits of the predicates on rows."""
        columns = [reading.find_rows(codes) for reading in self.readings]
        return pack(np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0), np.bool_))


def code_network(
    table: BinnedTable, classes: tuple[Value, ...], snapshot: Snapshot, locked: LockedRules | None = None
) -> CodedNetwork:
    """Return a network of the search as a value of the language. Locked rules are said in their own words."""
    predicates: dict[Predicate, int] = {}
    named = {bins.column.name: bins.column for bins in table.bins}
    rules: dict[Rule, int] = {}
    concepts: list[list[int]] = [[] for _ in classes]
    for number, (owner, length, columns, allowed) in enumerate(zip(*snapshot.rules[:4], strict=True)):
        if locked is not None and number < len(locked.tests):
            tests = [(test.predicate, test.negated) for test in locked.tests[number]]
        else:
            order = np.argsort(columns[:length], kind="stable")
            tests = join_mentions(
                [test for index in order for test in table.bins[columns[index]].state_tests(allowed[index])], named
            )
        rule = Rule(tuple(Literal(predicates.setdefault(test, len(predicates)), negated) for test, negated in tests))
        concepts[owner].append(rules.setdefault(rule, len(rules)))
    network = RuleNetwork(
        tuple(named.values()),
        tuple(predicates),
        (Level(tuple(rules), tuple(Concept(tuple(sorted(set(concept)))) for concept in concepts)),),
        classes,
        tuple(classes[c] for c in snapshot.order),
        classes[snapshot.default],
    )
    return read_from_bins(table, network)


def read_from_bins(table: BinnedTable, network: RuleNetwork) -> CodedNetwork:
    """Return a network whose bounds are cut points of the table, such as a simplified one, to be read from bins."""
    positions = {bins.column.name: position for position, bins in enumerate(table.bins)}
    columns = {column.name: column for column in network.columns}

    def read(test: Predicate) -> Reading:
        derivation = columns[test.column].derivation
        if test.column in positions or not isinstance(derivation, Mention) or not isinstance(test, Equals):
            return Reading((positions[test.column],), (_find_codes(test, table.bins[positions[test.column]]),))
        # Bins know single terms.
        text = columns[derivation.column]
        names = [make_derived(Mention(text.name, (term,)), [text]).name for term in derivation.terms]
        known = [_find_codes(Equals(name, True), table.bins[positions[name]]) for name in names]
        return Reading(tuple(positions[name] for name in names), tuple(known), not test.value)

    used = [name for name in network.used_columns if name in positions]
    gaps = tuple((name, positions[name], table.bins[positions[name]].count) for name in used)
    return CodedNetwork(network, tuple(map(read, network.predicates)), gaps)


def _find_codes(test: Predicate, bins: Bins) -> NDArray[np.bool_]:
    """Return in which bins a predicate holds; the code behind them is that of missing and unseen values."""
    result = np.zeros(CODES, np.bool_)
    for code, value in enumerate(bins.list_examples()):
        result[code] = holds(test, value)
    result[bins.count] = holds(test, None)
    return result


def mask_networks(snapshots: Sequence[Snapshot], code_map: NDArray[np.uint8]) -> MaskedNetworks:
    """Return networks as the passes over a store read them; `code_map` is the code here of each code of the store."""
    first = np.concatenate([[0], np.cumsum([-(-len(each.rules.owner) // WORD) for each in snapshots])]).astype(np.int64)
    allowed = np.ones((len(code_map), CODES, int(first[-1]) * WORD), np.bool_)
    owner = np.zeros(int(first[-1]) * WORD, np.int64)
    used = np.zeros(len(code_map), np.bool_)
    for snapshot, start, end in zip(snapshots, (first[:-1] * WORD).tolist(), (first[1:] * WORD).tolist(), strict=True):
        rules = snapshot.rules
        rank = np.empty(len(snapshot.order), np.int64)
        rank[snapshot.order] = np.arange(len(snapshot.order))
        for bit, rule in enumerate(np.argsort(rank[rules.owner], kind="stable").tolist(), start):
            owner[bit] = rules.owner[rule]
            for condition in range(rules.length[rule]):
                column = rules.column[rule, condition]
                allowed[column, :, bit] &= rules.allowed[rule, condition, code_map[column]] != 0
                used[column] = True
        allowed[:, :, start + len(rules.owner) : end] = False  # the rest of the last word is no rules
    if not used.any():  # a rule without conditions, or the rest of a word, needs a column to stand in
        used[:1] = True
    column = np.flatnonzero(used)
    mask = np.packbits(allowed[column], axis=2, bitorder="little").view("<u8").astype(np.uint64)
    default = np.array([snapshot.default for snapshot in snapshots], np.int64)
    return MaskedNetworks(column, mask, first, owner, default)
