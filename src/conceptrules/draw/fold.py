"""Folding a large graph: the nodes that matter most stay, the others of a group become one. No edge is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from conceptrules.draw.graph import Edge, NetworkGraph, Node
from conceptrules.model.text import word

_LIMITS = (60, 40, 28, 20, 14)
"""How many nodes a layer may have; tried from the most to the fewest."""


def fold_graph(graph: NetworkGraph, edges: int | None) -> NetworkGraph:
    """Return a graph with at most about so many edges that are not folded; None folds nothing."""
    if edges is None or len(graph.edges) <= edges:
        return graph
    for limit in _LIMITS:
        smaller = fold_to(graph, limit)
        if sum(not is_folded(smaller, edge) for edge in smaller.edges) <= edges:
            break
    return smaller


def is_folded(graph: NetworkGraph, edge: Edge) -> bool:
    """Return whether an edge begins or ends at a folded node."""
    return graph.nodes[edge.source].members > 1 or graph.nodes[edge.target].members > 1


def fold_to(graph: NetworkGraph, limit: int) -> NetworkGraph:
    """Return a graph with at most about `limit` nodes in each layer below the classes."""
    layers = [_fold_predicates(graph.layers[0], limit)]
    layers += [_fold_layer(graph, layer, limit) for layer in graph.layers[1:-1]]
    folded_into = {name: node.id for layer in layers for node in layer for name in node.stands_for or (node.id,)}
    edges: Counter[tuple[str, str, bool]] = Counter()
    for edge in graph.edges:
        source, target = (folded_into.get(end, end) for end in (edge.source, edge.target))
        edges[source, target, edge.negated] += edge.count
    drawn = tuple(Edge(*ends, count) for ends, count in edges.items())
    return replace(graph, layers=(*map(tuple, layers), graph.layers[-1]), edges=drawn)


def _fold_layer(graph: NetworkGraph, layer: Sequence[Node], limit: int) -> list[Node]:
    """Fold the rules of a layer, grouped by the class that wins first, so that each class shows what it has."""
    if len(layer) <= limit:
        return list(layer)
    rank = {node.id: number for number, node in enumerate(graph.layers[-1])}
    groups = {node.id: min((rank.get(up, 0) for up in graph.above.get(node.id, ())), default=0) for node in layer}
    return _fold_groups(layer, limit, groups)


def _fold_predicates(layer: Sequence[Node], limit: int) -> list[Node]:
    """Fold predicates column by column; of very many columns, those with the fewest edges together."""
    if len(layer) <= limit:
        return list(layer)
    uses: Counter[str | None] = Counter()
    for node in layer:
        uses[node.column] += round(node.weight)
    busiest = {name for name, _ in uses.most_common(max(1, limit // 2))}
    inside = [node for node in layer if node.column in busiest]
    outside = [node for node in layer if node.column not in busiest]
    columns = list(dict.fromkeys(node.column for node in layer))
    order = {node.id: number for number, node in enumerate(layer)}
    folded = _fold_groups(inside, limit, {node.id: node.column for node in inside})
    folded.sort(key=lambda node: (columns.index(node.column), order.get(node.id, len(order))))
    return folded + (outside if len(outside) <= 1 else [_join_columns(outside)])


def _fold_groups(layer: Sequence[Node], limit: int, groups: Mapping[str, Hashable]) -> list[Node]:
    """Return the heaviest nodes, then one node for what is left of each group; a single node needs no folding."""
    kept = _heaviest(layer, limit, [groups[node.id] for node in layer])
    kept_ids = {node.id for node in kept}
    members: dict[Hashable, list[Node]] = defaultdict(list)
    for node in layer:
        if node.id not in kept_ids:
            members[groups[node.id]].append(node)
    rest = [
        nodes[0] if len(nodes) == 1 else _join_group(nodes, number) for number, nodes in enumerate(members.values())
    ]
    return kept + rest


def _heaviest(nodes: Sequence[Node], limit: int, groups: Sequence[Hashable]) -> list[Node]:
    """Return the heaviest of each group, then the heaviest of all, with room for what the others fold into."""
    ranked = sorted(range(len(nodes)), key=lambda i: (-nodes[i].weight, i))
    first = list({groups[i]: i for i in reversed(ranked)}.values())
    room = max(limit - len(set(groups)), len(first))
    chosen = dict.fromkeys([*first, *ranked])
    return [nodes[i] for i in sorted(list(chosen)[:room])]


def _join_group(nodes: Sequence[Node], number: int) -> Node:
    first = nodes[0]
    where = f" on {word(first.column)}" if first.column is not None else ""
    return replace(
        first,
        id=f"fold{first.layer}.{number}",
        text=f"and {len(nodes)} more" if first.kind == "predicate" else f"+{len(nodes)}",
        tooltip=f"{len(nodes)} more {first.kind}s{where}: " + ", ".join(node.text for node in nodes),
        weight=sum(node.weight for node in nodes),
        members=len(nodes),
        stands_for=tuple(node.id for node in nodes),
    )


def _join_columns(nodes: Sequence[Node]) -> Node:
    """Fold the predicates of many columns into one node, as if it were one column without a name."""
    names = list(dict.fromkeys(word(node.column) for node in nodes))
    text, weight = f"{len(nodes)} predicates", sum(node.weight for node in nodes)
    tip = f"{text} on {len(names)} more columns: {', '.join(names)}"
    ids = tuple(node.id for node in nodes)
    return Node("fold0.rest", "predicate", 0, text, tip, weight, members=len(nodes), stands_for=ids)
