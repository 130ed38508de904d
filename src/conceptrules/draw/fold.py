"""A large graph made small: the nodes that matter most stay, the others of a group become one. No edge is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from conceptrules.draw.graph import Edge, Graph, Node
from conceptrules.model.text import word

_LIMITS = (60, 40, 28, 20, 14)
"""How many nodes a layer may have; tried from the most to the fewest."""


def folded(graph: Graph, edges: int | None) -> Graph:
    """Return a graph with at most about so many edges that are not folded; None folds nothing."""
    if edges is None or len(graph.edges) <= edges:
        return graph
    for limit in _LIMITS:
        smaller = fold_to(graph, limit)
        if sum(not is_folded(smaller, edge) for edge in smaller.edges) <= edges:
            break
    return smaller


def is_folded(graph: Graph, edge: Edge) -> bool:
    return graph.nodes[edge.source].members > 1 or graph.nodes[edge.target].members > 1


def fold_to(graph: Graph, limit: int) -> Graph:
    """Return a graph with at most about `limit` nodes in each layer below the classes."""
    layers = [_folded_predicates(graph.layers[0], limit)]
    layers += [_folded(graph, layer, limit) for layer in graph.layers[1:-1]]
    place = {name: node.id for layer in layers for node, names in layer for name in names}
    edges: Counter[tuple[str, str, bool]] = Counter()
    for edge in graph.edges:
        edges[place.get(edge.source, edge.source), place.get(edge.target, edge.target), edge.negated] += edge.count
    nodes = (*(tuple(_named(*pair) for pair in layer) for layer in layers), graph.layers[-1])
    return replace(graph, layers=nodes, edges=tuple(Edge(*ends, count) for ends, count in edges.items()))


Folded = list[tuple[Node, Sequence[str]]]
"""A node to draw, and the ids of the nodes that it stands for."""


def _named(node: Node, names: Sequence[str]) -> Node:
    return replace(node, stands_for=tuple(names)) if node.members > 1 else node


def _folded(graph: Graph, layer: Sequence[Node], limit: int) -> Folded:
    """Fold the rules of a layer, grouped by the class that wins first, so that each class shows what it has."""
    if len(layer) <= limit:
        return _kept(layer)
    rank = {node.id: number for number, node in enumerate(graph.layers[-1])}
    groups = {node.id: min((rank.get(up, 0) for up in graph.above.get(node.id, ())), default=0) for node in layer}
    kept = _heaviest(layer, limit, [groups[node.id] for node in layer])
    return _kept(kept) + _rest(_without(layer, kept), [groups[node.id] for node in layer], layer)


def _folded_predicates(layer: Sequence[Node], limit: int) -> Folded:
    """Fold predicates column by column; of very many columns, those with the fewest edges together."""
    if len(layer) <= limit:
        return _kept(layer)
    uses: Counter[str | None] = Counter()
    for node in layer:
        uses[node.column] += round(node.weight)
    busiest = {name for name, _ in uses.most_common(max(1, limit // 2))}
    inside = [node for node in layer if node.column in busiest]
    kept = _heaviest(inside, limit, [node.column for node in inside])
    rest = _rest(_without(inside, kept), [node.column for node in inside], inside)
    outside = [node for node in layer if node.column not in busiest]
    columns = list(dict.fromkeys(node.column for node in layer))
    order = {node.id: place for place, node in enumerate(layer)}
    folded = sorted(
        _kept(kept) + rest, key=lambda pair: (columns.index(pair[0].column), order.get(pair[0].id, len(order)))
    )
    return folded + (_kept(outside) if len(outside) == 1 else _others(outside))


def _kept(nodes: Iterable[Node]) -> Folded:
    return [(node, [node.id]) for node in nodes]


def _without(nodes: Sequence[Node], kept: Iterable[Node]) -> list[Node]:
    gone = {node.id for node in kept}
    return [node for node in nodes if node.id not in gone]


def _heaviest(nodes: Sequence[Node], limit: int, groups: Sequence[Hashable]) -> list[Node]:
    """Return the heaviest of each group, then the heaviest of all, with room for what the others fold into."""
    ranked = sorted(range(len(nodes)), key=lambda i: (-nodes[i].weight, i))
    first = list({groups[i]: i for i in reversed(ranked)}.values())
    room = max(limit - len(set(groups)), len(first))
    chosen = dict.fromkeys([*first, *ranked])
    return [nodes[i] for i in sorted(list(chosen)[:room])]


def _rest(nodes: Sequence[Node], groups: Sequence[Hashable], layer: Sequence[Node]) -> Folded:
    """Return one node for each group; a group of one needs no folding."""
    group_of = {node.id: group for node, group in zip(layer, groups, strict=True)}
    members: dict[Hashable, list[Node]] = defaultdict(list)
    for node in nodes:
        members[group_of[node.id]].append(node)
    return [
        (some[0] if len(some) == 1 else _several(some, number), [node.id for node in some])
        for number, some in enumerate(members.values())
    ]


def _several(nodes: Sequence[Node], number: int) -> Node:
    first = nodes[0]
    where = f" on {word(first.column)}" if first.column is not None else ""
    return replace(
        first,
        id=f"fold{first.layer}.{number}",
        text=f"and {len(nodes)} more" if first.kind == "predicate" else f"+{len(nodes)}",
        tooltip=f"{len(nodes)} more {first.kind}s{where}: " + ", ".join(node.text for node in nodes),
        weight=sum(node.weight for node in nodes),
        members=len(nodes),
    )


def _others(nodes: Sequence[Node]) -> Folded:
    """Fold what is left of many columns into one node, as if it were one column without a name."""
    if not nodes:
        return []
    names = list(dict.fromkeys(word(node.column) for node in nodes))
    weight = sum(node.weight for node in nodes)
    text = f"{len(nodes)} predicates"
    tip = f"{len(nodes)} predicates on {len(names)} more columns: {', '.join(names)}"
    rest = Node("fold0.rest", "predicate", 0, text, tip, weight, None, None, len(nodes))
    return [(rest, [node.id for node in nodes])]
