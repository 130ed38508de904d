"""What is known of a network that was learned from a store of rows: counts of all rows, added up block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.stability import DecisionKinds, decision_kinds, joined_kinds, stability_of
from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard
from conceptrules.learn.calibration import Comparison, calibrated, optimism
from conceptrules.learn.provenance import training_of
from conceptrules.learn.search.coded_network import CodedNetwork, read_from_bins
from conceptrules.learn.search.description import fold_comparisons, validation_of
from conceptrules.learn.search.fit import FoundNetwork
from conceptrules.learn.shards.fit import StoreTask
from conceptrules.model.evaluation import class_words, decide_fired, unpack
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.pareto import Choice
from conceptrules.model.statistics import pattern_rows, with_statistics
from conceptrules.tables.hashes import SKETCH_SIZE

Sums = NDArray[np.int64]
Patterns = Mapping[tuple[bool, ...], Sums]
"""The rows of each class on which just these classes fire."""
Weighed = tuple[tuple[tuple[bool, ...], tuple[float, ...]], ...]
"""The same as weights, sorted: as `Statistics` has it."""
_PART = 2**17
"""Rows whose bits are looked at together: they stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What a network does on some rows, in units of weight."""

    rows: Sums
    covered: tuple[Sums, ...]
    """[level][rule, class]."""
    decided: tuple[Sums, ...]
    """[class][place, class]."""
    patterns: Patterns

    def statistics(self) -> Statistics:
        """Return the counts as weights of rows."""
        return Statistics(
            _weights(self.rows),
            tuple(_several(level) for level in self.covered),
            _in_weights(self.patterns),
            tuple(_several(rules) for rules in self.decided),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What a network does on all rows, and on those that were held out of learning."""

    every: Tally
    held: Patterns
    kinds: DecisionKinds
    whole: bool
    """Whether all weights are whole numbers."""


def count_block(networks: Sequence[CodedNetwork], block: Shard, first_key: int | None) -> list[Counted]:
    """Return what networks do on a block of rows, of which those with the key `first_key` or above are held out."""
    parts = [slice(start, start + _PART) for start in range(0, len(block.key), _PART)]
    return [_added([_counted(one, block.take(part), first_key) for part in parts]) for one in networks]


def added(blocks: Sequence[list[Counted]]) -> list[Counted]:
    """Return what networks do on all rows, from what they do on each block."""
    return [_added(several) for several in zip(*blocks, strict=True)]


def store_networks(found: Sequence[FoundNetwork], task: StoreTask) -> list[CodedNetwork]:
    """Return the networks as they are read from the codes of the store."""
    return [read_from_bins(task.finer, one.network) for one in found]


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """What is known of a table besides its rows."""

    rows: int
    fingerprint: Sequence[int]
    different: int
    categories_dropped: tuple[tuple[str, int], ...]


def describe_counted(
    found: FoundNetwork, counted: Counted, task: StoreTask, table: Provenance, parameters: Mapping[str, Any]
) -> Choice:
    """Return the network with statistics of all rows, calibrated probabilities, and how it came about.

    It is what `learn.search.description.describe` returns. Where rows outside of the sample chose the network, its
    probabilities are lowered to what is right on these.
    """
    network = replace(found.network, statistics=counted.every.statistics())
    comparisons = fold_comparisons(found, task.task) if task.first_key is None else [_comparison(network, counted.held)]
    trial = found.trial
    training = training_of(
        parameters,
        table.rows,
        table.categories_dropped,
        penalty=trial.penalty,
        augmented=trial.augmented,
    )
    total = int(counted.every.rows.sum())
    resampled = total // WEIGHT_UNIT if counted.whole else table.rows
    training = replace(
        training,
        validation=validation_of(comparisons, task.source),
        stability=stability_of(network, counted.kinds, resampled),
        fingerprint=tuple(table.fingerprint[:SKETCH_SIZE]),
        distinct=table.different,
    )
    described = replace(calibrated(network, optimism(comparisons)), training=training)
    return Choice(found.edges, found.score, described, found.coded.network)


def _comparison(network: RuleNetwork, held: Patterns) -> Comparison:
    """Return a network on the rows of its statistics, and on those of them that were held out."""
    assert network.statistics is not None
    seen = _in_weights(held)
    fired = np.array([pattern for pattern, _ in seen], np.bool_).reshape(-1, len(network.classes))
    mass = np.array([rows for _, rows in seen]).reshape(fired.shape)
    pattern, label = np.nonzero(mass)
    return Comparison(
        network,
        fired[pattern],
        label.astype(np.int64),
        mass[pattern, label],
        _confusion(network, network.statistics.patterns),
        _confusion(network, seen),
    )


def _confusion(network: RuleNetwork, patterns: Weighed) -> NDArray[np.float64]:
    counts = np.zeros((len(network.classes),) * 2)
    if patterns:
        fired = np.array([pattern for pattern, _ in patterns], np.bool_)
        np.add.at(counts, decide_fired(network, fired), np.array([rows for _, rows in patterns]))
    return counts


def _counted(coded: CodedNetwork, rows: Shard, first_key: int | None) -> Counted:
    target, weight = rows.target.astype(np.int64), rows.weight / WEIGHT_UNIT
    network, bits = coded.network, coded.bits(rows.codes)
    seen = with_statistics(network, bits, target, weight).statistics
    assert seen is not None
    held: dict[tuple[bool, ...], Sums] = {}
    if first_key is not None:
        mass = np.where(rows.key < np.uint64(first_key), 0, weight)
        fired = unpack(class_words(network.levels, bits))
        held = _in_units(pattern_rows(fired, target, mass, len(network.classes)))
    kinds = decision_kinds(network, bits, target, weight)
    return Counted(_tally(seen), held, kinds, not (rows.weight % WEIGHT_UNIT).any())


def _tally(seen: Statistics) -> Tally:
    classes = len(seen.rows)
    return Tally(
        _units(seen.rows),
        tuple(_units(level).reshape(-1, classes) for level in seen.covered),
        tuple(_units(rules).reshape(-1, classes) for rules in seen.decided),
        _in_units(seen.patterns),
    )


def _added(several: Sequence[Counted]) -> Counted:
    return Counted(
        _added_tallies([one.every for one in several]),
        _added_patterns([one.held for one in several]),
        joined_kinds([one.kinds for one in several]),
        all(one.whole for one in several),
    )


def _added_tallies(several: Sequence[Tally]) -> Tally:
    return Tally(
        np.sum([one.rows for one in several], axis=0),
        tuple(np.sum(levels, axis=0) for levels in zip(*(one.covered for one in several), strict=True)),
        tuple(np.sum(rules, axis=0) for rules in zip(*(one.decided for one in several), strict=True)),
        _added_patterns([one.patterns for one in several]),
    )


def _added_patterns(several: Sequence[Patterns]) -> Patterns:
    found: dict[tuple[bool, ...], Sums] = {}
    for one in several:
        for pattern, sums in one.items():
            found[pattern] = found[pattern] + sums if pattern in found else sums
    return found


def _in_units(patterns: Weighed) -> dict[tuple[bool, ...], Sums]:
    return {pattern: _units(rows) for pattern, rows in patterns}


def _in_weights(patterns: Patterns) -> Weighed:
    return tuple((pattern, _weights(patterns[pattern])) for pattern in sorted(patterns))


def _units(weights: Any) -> Sums:
    """Return weights as whole numbers of units; those of a part of the rows are exact."""
    units: Sums = np.rint(np.array(weights, np.float64) * WEIGHT_UNIT).astype(np.int64)
    return units


def _weights(units: Sums) -> tuple[float, ...]:
    return tuple((units / WEIGHT_UNIT).tolist())


def _several(units: Sums) -> tuple[tuple[float, ...], ...]:
    return tuple(map(_weights, units))
