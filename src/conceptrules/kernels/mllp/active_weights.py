"""Which weights an epoch works on: the learnable ones, and the masked ones that round to 1.

A masked weight that rounds to 0 gives a factor of 1 on every row, so that it is skipped: at a rate of 0.9 that leaves
about a tenth of all weights. The lists are made once an epoch, as sparse rows (CSR): by the node that a weight leads
into, for the forward pass, and by the node that it leads out of, for the backward pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conceptrules.kernels.mllp.loops import compiled


class ActiveWeights(NamedTuple):
    """Nodes are numbered through all layers, the inputs first. The entries of node n are `first[n] : first[n + 1]`.

    Learnable weights are numbered by their node and then their source, which is their order in the flat row.
    """

    needed: Any
    """Nodes that some class depends on through active weights; the others rest for an epoch."""
    position: Any
    """Where each learnable weight lies in the flat row of all weights."""
    into_first: Any
    into_source: Any
    """The learnable weights by the node they lead into: the source of each."""
    out_first: Any
    out_number: Any
    out_target: Any
    """The learnable weights into needed nodes, by the node they lead out of: the number and the target of each."""
    one_into_first: Any
    one_into_source: Any
    one_out_first: Any
    one_out_target: Any
    """The masked weights that round to 1, into needed nodes: the same two lists."""


@compiled
def find_active_weights(sizes: Any, weights: Any, masked: Any) -> Any:
    nodes = sizes.sum()
    needed = _find_needed_nodes(sizes, ~masked | (weights > 0.5))
    source, target = _list_endpoints(sizes)
    position = np.flatnonzero(~masked)
    into_first, _ = _group_by_node(nodes, target[position])
    used = np.flatnonzero(needed[target[position]])
    out_first, out = _group_by_node(nodes, source[position[used]])
    ones = np.flatnonzero(masked & (weights > 0.5) & needed[target])
    one_into_first, _ = _group_by_node(nodes, target[ones])
    one_out_first, one_out = _group_by_node(nodes, source[ones])
    return ActiveWeights(
        needed,
        position,
        into_first,
        source[position],
        out_first,
        used[out],
        target[position[used[out]]],
        one_into_first,
        source[ones],
        one_out_first,
        target[ones[one_out]],
    )


@compiled
def _find_needed_nodes(sizes: Any, active: Any) -> Any:
    """From the classes down. At a rate of 0.9, four in five of the uppermost rules reach neither of two classes."""
    needed = np.zeros(sizes.sum(), np.bool_)
    node, k = len(needed), len(active)
    needed[node - sizes[-1] :] = True
    for layer in range(len(sizes) - 1, 0, -1):
        below = node - sizes[layer] - sizes[layer - 1]
        for _ in range(sizes[layer]):
            node -= 1
            k -= sizes[layer - 1]
            if needed[node]:
                for j in range(sizes[layer - 1]):
                    needed[below + j] |= active[k + j]
    return needed


@compiled
def _list_endpoints(sizes: Any) -> Any:
    """Return the two nodes of every weight."""
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
def _group_by_node(nodes: int, node_of: Any) -> Any:
    """Sort entries by their node (a counting sort): where the entries of each node begin, and their order."""
    first = np.zeros(nodes + 1, np.int64)
    for node in node_of:
        first[node + 1] += 1
    for node in range(nodes):
        first[node + 1] += first[node]
    free, order = first.copy(), np.empty(len(node_of), np.int64)
    for k in range(len(node_of)):
        order[free[node_of[k]]] = k
        free[node_of[k]] += 1
    return first, order
