"""Which weights an epoch visits, and in which order: the learnable ones, and the masked ones that round to 1.

Both kinds are listed twice, by the node they lead to (the way forward) and by the node they come from (the way back).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conceptrules.kernels.mllp.loops import compiled


class Visits(NamedTuple):
    """Nodes are numbered through all layers, the inputs first. The entries of node n are `first[n] : first[n + 1]`."""

    needed: Any
    """Nodes that a class depends on by weights that matter now; the others rest for an epoch."""
    place: Any
    """Where each learnable weight lies among all weights. Its number here is its number everywhere else."""
    first: Any
    source: Any
    """Learnable weights by the node they lead to: where each comes from."""
    up_first: Any
    up_weight: Any
    up_target: Any
    """The learnable weights into needed nodes, by the node they come from: their numbers, and where they lead to."""
    one_first: Any
    one_source: Any
    one_up_first: Any
    one_up_target: Any
    """The masked weights that round to 1: where each comes from, and where it leads to."""


@compiled
def _needed(sizes: Any, matters: Any) -> Any:
    """At P = 0.9 four in five of the uppermost rules have no weight that matters to any of two classes."""
    needed = np.zeros(sizes.sum(), np.bool_)
    node, k = len(needed), len(matters)
    needed[node - sizes[-1] :] = True
    for layer in range(len(sizes) - 1, 0, -1):
        below = node - sizes[layer] - sizes[layer - 1]
        for _ in range(sizes[layer]):
            node -= 1
            k -= sizes[layer - 1]
            if needed[node]:
                for j in range(sizes[layer - 1]):
                    needed[below + j] |= matters[k + j]
    return needed


@compiled
def _ends(sizes: Any) -> Any:
    """The two nodes of every weight."""
    count = (sizes[1:] * sizes[:-1]).sum()
    source, target = np.empty(count, np.int64), np.empty(count, np.int64)
    node, below, k = sizes[0], 0, 0
    for layer in range(1, len(sizes)):
        for _ in range(sizes[layer]):
            for j in range(sizes[layer - 1]):
                source[k], target[k] = below + j, node
                k += 1
            node += 1
        below += sizes[layer - 1]
    return source, target


@compiled
def _grouped(nodes: int, by: Any) -> Any:
    """An order of the entries by their node, and where the entries of each node begin in it."""
    first = np.zeros(nodes + 1, np.int64)
    for node in by:
        first[node + 1] += 1
    for node in range(nodes):
        first[node + 1] += first[node]
    free, order = first.copy(), np.empty(len(by), np.int64)
    for k in range(len(by)):
        order[free[by[k]]] = k
        free[by[k]] += 1
    return first, order


@compiled
def visits_of(sizes: Any, weights: Any, masked: Any) -> Any:
    nodes = sizes.sum()
    needed = _needed(sizes, ~masked | (weights > 0.5))
    source, target = _ends(sizes)
    place = np.flatnonzero(~masked)
    first, _ = _grouped(nodes, target[place])
    used = np.flatnonzero(needed[target[place]])
    up_first, up = _grouped(nodes, source[place[used]])
    ones = np.flatnonzero(masked & (weights > 0.5) & needed[target])
    one_first, _ = _grouped(nodes, target[ones])
    one_up_first, one_up = _grouped(nodes, source[ones])
    return Visits(
        needed,
        place,
        first,
        source[place],
        up_first,
        used[up],
        target[place[used[up]]],
        one_first,
        source[ones],
        one_up_first,
        target[ones[one_up]],
    )
