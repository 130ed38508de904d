"""What networks do on the rows of a store: counts in whole numbers, added up block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.stability import DecisionKinds, group_by_decision, join_kinds
from conceptrules.kernels.search.shards import NO_GROUP, WEIGHT_UNIT, Shard
from conceptrules.learn.calibration import RowComparison
from conceptrules.learn.search.coded_network import CodedNetwork
from conceptrules.model.evaluation import class_words, decide_fired, unpack
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.statistics import CellKey, CellRows, list_cells, pattern_rows, with_statistics

Sums = NDArray[np.int64]
Pattern = tuple[bool, ...]
Patterns = Mapping[Pattern, Sums]
"""The rows of each class on which exactly these classes fire."""
WeightedPatterns = tuple[tuple[Pattern, tuple[float, ...]], ...]
"""The same as weights, sorted, as `Statistics` has it."""
_PART = 2**17
"""Rows that are counted together: their bits stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkCounts:
    """What a network does on the rows of a store, in units of weight."""

    rows: Sums
    covered: tuple[Sums, ...]
    """[level][rule, class]."""
    decided: tuple[Sums, ...]
    """[class][rule of the class, class]."""
    patterns: Patterns
    held_out: Patterns
    """The same of the rows that were held out."""
    answered: Sums
    """[column of groups, group, class, answer]: how groups of people are treated."""
    cells: Mapping[CellKey, int]
    """The rows by what the used predicates say of each column."""
    kinds: DecisionKinds
    whole: bool
    """Whether all weights are whole numbers."""

    def to_statistics(self) -> Statistics:
        """Return the counts as weights of rows."""
        return Statistics(
            _to_weights(self.rows),
            tuple(tuple(map(_to_weights, level)) for level in self.covered),
            _weigh_patterns(self.patterns),
            tuple(tuple(map(_to_weights, rules)) for rules in self.decided),
            cells=list_cells({key: units / WEIGHT_UNIT for key, units in self.cells.items()}),
        )


def count_block(networks: Sequence[CodedNetwork], first_key: int, block: Shard) -> list[NetworkCounts]:
    """Return what networks do on a block of rows; rows whose key is `first_key` or above are held out."""
    parts = [block.take(slice(start, start + _PART)) for start in range(0, len(block.key), _PART)]
    return [add_counts([_count_rows(network, part, first_key) for part in parts]) for network in networks]


def add_counts(counts: Sequence[NetworkCounts]) -> NetworkCounts:
    """Return the sum of the counts of one network on several blocks."""
    return NetworkCounts(
        rows=np.sum([each.rows for each in counts], axis=0),
        covered=tuple(np.sum(level, axis=0) for level in zip(*(each.covered for each in counts), strict=True)),
        decided=tuple(np.sum(rules, axis=0) for rules in zip(*(each.decided for each in counts), strict=True)),
        patterns=_add_patterns([each.patterns for each in counts]),
        held_out=_add_patterns([each.held_out for each in counts]),
        answered=np.sum([each.answered for each in counts], axis=0),
        cells=add_cells([each.cells for each in counts]),
        kinds=join_kinds([each.kinds for each in counts]),
        whole=all(each.whole for each in counts),
    )


def compare_with_held_out(network: RuleNetwork, held_out: Patterns) -> RowComparison:
    """Compare what a network does on the rows of its statistics with what it does on held-out rows."""
    assert network.statistics is not None
    patterns = _weigh_patterns(held_out)
    fired = np.array([pattern for pattern, _ in patterns], np.bool_).reshape(-1, len(network.classes))
    mass = np.array([weights for _, weights in patterns]).reshape(fired.shape)
    pattern, label = np.nonzero(mass)
    return RowComparison(
        network,
        fired[pattern],
        label.astype(np.int64),
        mass[pattern, label],
        _count_confusion(network, network.statistics.patterns),
        _count_confusion(network, patterns),
    )


def _count_confusion(network: RuleNetwork, patterns: WeightedPatterns) -> NDArray[np.float64]:
    counts = np.zeros((len(network.classes),) * 2)
    if patterns:
        fired = np.array([pattern for pattern, _ in patterns], np.bool_)
        np.add.at(counts, decide_fired(network, fired), np.array([weights for _, weights in patterns]))
    return counts


def _count_rows(coded: CodedNetwork, rows: Shard, first_key: int) -> NetworkCounts:
    target, weight = rows.target.astype(np.int64), rows.weight / WEIGHT_UNIT
    network, bits, classes = coded.network, coded.bits(rows.codes), len(coded.network.classes)
    statistics = with_statistics(network, bits, target, weight).statistics
    assert statistics is not None
    fired = unpack(class_words(network.levels, bits))
    held_out = {}
    judging = np.flatnonzero(rows.key >= np.uint64(min(first_key, 2**64 - 1)))
    if first_key < 2**64 and len(judging):
        held_out = dict(pattern_rows(fired[judging], target[judging], weight[judging], classes))
    answered = np.zeros((rows.member.shape[1], NO_GROUP + 1, classes, classes), np.int64)
    for counts, member in zip(answered, rows.member.T, strict=True):
        np.add.at(counts, (member, target, decide_fired(network, fired)), rows.weight)
    return NetworkCounts(
        rows=_to_units(statistics.rows),
        covered=tuple(_to_units(level).reshape(-1, classes) for level in statistics.covered),
        decided=tuple(_to_units(rules).reshape(-1, classes) for rules in statistics.decided),
        patterns={pattern: _to_units(weights) for pattern, weights in statistics.patterns},
        held_out={pattern: _to_units(weights) for pattern, weights in held_out.items()},
        answered=answered,
        cells=cells_to_units(coded.count_cells(rows.codes, bits, weight)),
        kinds=group_by_decision(network, bits, target, weight),
        whole=not (rows.weight % WEIGHT_UNIT).any(),
    )


def cells_to_units(cells: CellRows) -> dict[CellKey, int]:
    """Return the rows of cells as whole numbers of units."""
    return {key: round(rows * WEIGHT_UNIT) for key, rows in cells.items()}


def add_cells(blocks: Sequence[Mapping[CellKey, int]]) -> Mapping[CellKey, int]:
    """Return the sum of the cells of several blocks."""
    total: Counter[CellKey] = Counter()
    for cells in blocks:
        total.update(cells)
    return total


def _add_patterns(blocks: Sequence[Patterns]) -> Patterns:
    total: dict[Pattern, Sums] = {}
    for patterns in blocks:
        for pattern, sums in patterns.items():
            total[pattern] = total[pattern] + sums if pattern in total else sums
    return total


def _weigh_patterns(patterns: Patterns) -> WeightedPatterns:
    return tuple((pattern, _to_weights(patterns[pattern])) for pattern in sorted(patterns))


def _to_units(weights: Any) -> Sums:
    """Return weights as whole numbers of units, exactly: the rows of a part are few enough for that."""
    units: Sums = np.rint(np.array(weights, np.float64) * WEIGHT_UNIT).astype(np.int64)
    return units


def _to_weights(units: Sums) -> tuple[float, ...]:
    return tuple((units / WEIGHT_UNIT).tolist())
