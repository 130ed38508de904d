"""Networks of the search as values of the language, and what their predicates say of rows as bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import CODES
from conceptrules.learn.search.binned_table import BinnedTable, Bins
from conceptrules.learn.search.locked_rules import LockedRules
from conceptrules.learn.search.regularization_path import Snapshot
from conceptrules.model.evaluation import PackedBits, pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Predicate, Value, holds
from conceptrules.model.rule_reader import Stated


@dataclass(frozen=True, slots=True, eq=False)
class CodedNetwork:
    """A network whose predicates are read from bins."""

    network: RuleNetwork
    position: NDArray[np.intp]
    """The column of each predicate."""
    allowed: NDArray[np.bool_]
    """[predicate, code]: where it holds."""

    def bits(self, codes: NDArray[np.uint8]) -> PackedBits:
        """Return the bits of the predicates on rows."""
        columns = [allowed[codes[:, at]] for at, allowed in zip(self.position, self.allowed, strict=True)]
        return pack(np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0), np.bool_))


def coded_network(
    table: BinnedTable, classes: tuple[Value, ...], snapshot: Snapshot, locked: LockedRules | None = None
) -> CodedNetwork:
    """Return a network. Locked rules are said in their own words."""
    numbers: dict[Predicate, int] = {}
    where: dict[Predicate, tuple[int, NDArray[np.bool_]]] = {}
    said = () if locked is None else locked.tests
    rules = _rules(table, snapshot, numbers, where, len(classes), said)
    network = RuleNetwork(
        tuple(bins.column for bins in table.bins),
        tuple(numbers),
        (_level(rules),),
        classes,
        tuple(classes[c] for c in snapshot.order),
        classes[snapshot.default],
    )
    position = np.array([where[test][0] for test in numbers], np.intp)
    allowed = np.array([where[test][1] for test in numbers], np.bool_).reshape(len(numbers), CODES)
    return CodedNetwork(network, position, allowed)


def read_from_bins(table: BinnedTable, network: RuleNetwork) -> CodedNetwork:
    """Return a network whose bounds are cut points of the table, such as a simplified one, to be read from bins."""
    places = {bins.column.name: place for place, bins in enumerate(table.bins)}
    position = np.array([places[test.column] for test in network.predicates], np.intp)
    holding = [_codes_of(test, table.bins[at]) for test, at in zip(network.predicates, position.tolist(), strict=True)]
    return CodedNetwork(network, position, np.array(holding, np.bool_).reshape(len(holding), CODES))


def _rules(
    table: BinnedTable,
    snapshot: Snapshot,
    numbers: dict[Predicate, int],
    where: dict[Predicate, tuple[int, NDArray[np.bool_]]],
    classes: int,
    said: Sequence[Sequence[Stated]],
) -> list[list[Rule]]:
    rules: list[list[Rule]] = [[] for _ in range(classes)]
    places = {bins.column.name: place for place, bins in enumerate(table.bins)}
    for number, (owner, length, columns, allowed) in enumerate(zip(*snapshot.rules[:4], strict=True)):
        literals = []
        for one in said[number] if number < len(said) else ():
            column = places[one.predicate.column]
            literals.append(Literal(numbers.setdefault(one.predicate, len(numbers)), one.negated))
            where.setdefault(one.predicate, (column, _codes_of(one.predicate, table.bins[column])))
        if number < len(said):
            rules[owner].append(Rule(tuple(literals)))
            continue
        for place in np.argsort(columns[:length], kind="stable"):
            column, holding = int(columns[place]), allowed[place]
            bins = table.bins[column]
            for test, negated in bins.tests(holding):
                literals.append(Literal(numbers.setdefault(test, len(numbers)), negated))
                where.setdefault(test, (column, _codes_of(test, bins)))
        rules[owner].append(Rule(tuple(literals)))
    return rules


def _level(concepts: Sequence[list[Rule]]) -> Level:
    rules: dict[Rule, int] = {}
    numbers = [tuple(dict.fromkeys(rules.setdefault(rule, len(rules)) for rule in some)) for some in concepts]
    return Level(tuple(rules), tuple(Concept(tuple(sorted(some))) for some in numbers))


def _codes_of(test: Predicate, bins: Bins) -> NDArray[np.bool_]:
    """Return in which bins a predicate holds; the code behind them is that of missing and unseen values."""
    result = np.zeros(CODES, np.bool_)
    for code, value in enumerate(bins.examples()):
        result[code] = holds(test, value)
    result[bins.count] = holds(test, None)
    return result
