"""Where everything of a drawn network goes: predicates at the bottom, classes on top, as in the paper's Figure 1.

Each column is a card with its predicates, and cards are stacked, which keeps them easy to read. Each predicate
has a wire on the right of its stack that leads up to the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean

from conceptrules.draw.appearance import shorten, text_width
from conceptrules.draw.fold import fold_graph, is_folded
from conceptrules.draw.graph import Edge, NetworkGraph, Node, collect_graph
from conceptrules.draw.node_order import order_nodes
from conceptrules.draw.predicate_cards import ROW, WORDS, CardStack, heading, right_end, row_text, stack_cards
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import word

FOLD = 240
"""How many edges the eye can follow; in larger networks the nodes that matter least are folded into groups."""
SMALL = 11.0
_MARGIN, _LABELS = 16.0, 84.0  # around all, and for the names of the layers on the left
_NODE = 22.0  # height of a rule or concept
_LEAST = 760.0  # width of what is drawn


@dataclass(frozen=True, slots=True)
class Mark:
    """A node in its place; x and y are its upper left corner."""

    node: Node
    text: str
    x: float
    y: float
    width: float
    height: float
    depends: tuple[str, ...]
    feeds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """An edge in its place: from `start` on the lower node to `end` on the upper one."""

    edge: Edge
    start: tuple[float, float]
    end: tuple[float, float]
    colour: int | None


@dataclass(frozen=True, slots=True)
class Wire:
    """The way from a predicate to the right, then up to where its edges start."""

    node: str
    points: tuple[tuple[float, float], ...]
    colour: int | None


@dataclass(frozen=True, slots=True)
class Label:
    """Text that is no node: the name of a column or of a layer, or a note."""

    text: str
    tooltip: str
    x: float
    y: float
    kind: str
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawn network as numbers; `conceptrules.draw.svg` writes it down."""

    title: str
    width: float
    height: float
    marks: tuple[Mark, ...]
    lines: tuple[EdgeLine, ...]
    wires: tuple[Wire, ...]
    labels: tuple[Label, ...]
    unused: int
    """Edges of nodes that no class depends on; they are not drawn."""

    @property
    def edges(self) -> int:
        """Return how many edges of the network are drawn, alone or in a folded line."""
        return sum(line.edge.count for line in self.lines)


def lay_out(network: RuleNetwork, fold: int | None = FOLD) -> Drawing:
    """Return the drawing of a network. Where it has more than `fold` edges, some are folded; None folds nothing."""
    graph = fold_graph(collect_graph(network), fold)
    order = order_nodes(graph)
    wide = max(_LEAST, _inner_width(graph))
    stacks = stack_cards([graph.nodes[name] for name in order[0]], wide)
    right = max(wide, right_end(stacks))
    centres = _centres(graph, order, {name: x for stack in stacks for name, x in stack.ports()}, right)
    return _assemble(network, graph, order, stacks, centres, right)


def _inner_width(graph: NetworkGraph) -> float:
    """Return the width that the widest layer above the predicates needs."""
    return max(sum(_size(graph, node)[0] + _apart(graph, node) for node in layer) for layer in graph.layers[1:])


def _size(graph: NetworkGraph, node: Node) -> tuple[float, float]:
    if node.kind == "class":
        return max(48.0, text_width(_name(graph, node), 13) * 1.08 + 24), 28.0
    return max(24.0, text_width(_name(graph, node), SMALL) + 10), _NODE


def _apart(graph: NetworkGraph, node: Node) -> float:
    return 14.0 if node.kind == "class" or len(graph.layers[node.layer]) <= 20 else 6.0


def _name(graph: NetworkGraph, node: Node) -> str:
    """Return the text of a node; in a full layer a rule is only its number."""
    if node.kind == "class":
        return shorten(node.text, WORDS if len(graph.layers[-1]) <= 8 else 12)
    full = len(graph.layers[node.layer]) > 20 and node.members == 1
    return node.text.partition(".")[2] if full else node.text


def _centres(
    graph: NetworkGraph, order: Sequence[Sequence[str]], ports: Mapping[str, float], right: float
) -> dict[str, float]:
    """Return where nodes go: near the mean of their neighbours, up from the predicates, then down, then up again."""
    centres = dict(ports)
    upwards = [(layer, graph.below) for layer in order[1:]]
    downwards = [(layer, graph.above) for layer in reversed(order[1:-1])]
    for layer, neighbours in [*upwards, *downwards, *upwards[1:]]:
        nodes = [graph.nodes[name] for name in layer]
        ideal = _ideal_centres([[centres[other] for other in neighbours.get(node.id, ())] for node in nodes], right / 2)
        sizes = [_size(graph, node)[0] + _apart(graph, node) for node in nodes]
        centres |= dict(zip(layer, spread(ideal, sizes, right), strict=True))
    return centres


def _ideal_centres(neighbours: Sequence[Sequence[float]], otherwise: float) -> list[float]:
    """Return the mean of the neighbours; a node without any goes with the one beside it, so that it moves nobody."""
    means = [fmean(centres) if centres else None for centres in neighbours]
    last = next((mean for mean in means if mean is not None), otherwise)
    return [last := last if mean is None else mean for mean in means]


def spread(ideal: Sequence[float], sizes: Sequence[float], right: float) -> list[float]:
    """Return centres from 0 to `right`, in this order, nearest to the ideal ones (least squares) without an overlap.

    >>> spread([5, 5, 90], [10, 10, 10], 100)
    [5.0, 15.0, 90.0]
    """
    if not ideal:
        return []
    gaps = [(a + b) / 2 for a, b in pairwise(sizes)]
    offsets = [0.0, *accumulate(gaps)]
    low, high = sizes[0] / 2, right - sizes[-1] / 2 - offsets[-1]
    free = _pool_ascending([centre - offset for centre, offset in zip(ideal, offsets, strict=True)])
    return [max(low, min(value, high)) + offset for value, offset in zip(free, offsets, strict=True)]


def _pool_ascending(values: Sequence[float]) -> list[float]:
    """Return the nearest ascending values: neighbours that go down are pooled at their mean."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]


def _assemble(
    network: RuleNetwork,
    graph: NetworkGraph,
    order: Sequence[Sequence[str]],
    stacks: Sequence[CardStack],
    centres: Mapping[str, float],
    right: float,
) -> Drawing:
    """Return everything in its place, with room for the labels on the left."""
    left = _MARGIN + _LABELS
    tops = _tops(graph)
    top, bottom = tops[0], tops[0] + max((stack.height for stack in stacks), default=0.0)
    marks, wires, headings = [], [], []
    for depth, layer in enumerate(order):
        for node in [graph.nodes[name] for name in layer] if depth else ():
            wide, high = _size(graph, node)
            below, above = graph.below.get(node.id, ()), graph.above.get(node.id, ())
            x = left + centres[node.id] - wide / 2
            marks.append(Mark(node, _name(graph, node), x, tops[depth], wide, high, below, above))
    ends = {mark.node.id: (mark.y, mark.y + mark.height) for mark in marks}
    ends |= dict.fromkeys(order[0], (top - 10, top - 10))
    for stack in stacks:
        x, end = left + stack.x, left + stack.x + stack.card_width
        for node, y in stack.rows():
            above = graph.above.get(node.id, ())
            marks.append(Mark(node, row_text(node), x, top + y, stack.card_width, ROW, (), above))
            port, middle = left + centres[node.id], top + y + ROW / 2
            wires.append(Wire(node.id, ((end, middle), (port, middle), (port, top - 10)), node.colour))
        for card, y in stack.headings():
            full = card[0].title or card[0].tooltip
            headings.append(Label(heading(card), full, x, top + y + 15, "column", card[0].colour))
    lines = [
        EdgeLine(
            edge,
            (left + centres[edge.source], ends[edge.source][0]),
            (left + centres[edge.target], ends[edge.target][1]),
            graph.nodes[edge.source].colour,
        )
        for edge in graph.edges
    ]
    notes = list(_notes(network, graph, bottom))
    least = max(_MARGIN * 2 + text_width(note.text, SMALL) for note in notes)
    rules = sum(len(level.rules) for level in network.levels)
    return Drawing(
        title=f"A network of {_count(rules, 'rule')} and {_count(network.edges, 'edge')}",
        width=max(left + right + _MARGIN, least),
        height=bottom + 44 + _MARGIN,
        marks=tuple(marks),
        lines=tuple(lines),
        wires=tuple(wires),
        labels=(*_captions(network, graph, tops), *headings, *notes),
        unused=graph.unused,
    )


def _tops(graph: NetworkGraph) -> dict[int, float]:
    """Return the upper edge of each layer; more edges between two layers need more room."""
    layer_of = {node.id: depth for depth, layer in enumerate(graph.layers) for node in layer}
    between = [0] * len(graph.layers)
    for edge in graph.edges:
        between[layer_of[edge.source]] += 1
    y, tops = 52.0, {}
    for depth in reversed(range(len(graph.layers))):
        tops[depth] = y
        if not graph.layers[depth]:
            continue
        height = 28.0 if depth == len(graph.layers) - 1 else _NODE
        y += height + 44 + min(1.1 * between[depth - 1], 130) + (14 if depth == 1 else 0)
    return tops


def _captions(network: RuleNetwork, graph: NetworkGraph, tops: Mapping[int, float]) -> Iterator[Label]:
    """Yield the names of the layers, on the left."""
    several = len(network.levels) > 1
    for depth, layer in enumerate(graph.layers):
        if not layer:
            continue
        level = f" {(depth + 1) // 2}" if several else ""
        name = ("rules" if depth % 2 else "concepts") + level
        name = "columns" if depth == 0 else "classes" if depth == len(graph.layers) - 1 else name
        yield Label(name, "", _MARGIN, tops[depth] + 15, "layer")


def _notes(network: RuleNetwork, graph: NetworkGraph, bottom: float) -> Iterator[Label]:
    """Yield who wins, on top, and at the foot how to read the lines and what is not drawn one by one."""
    firing = sum(not node.empty for node in graph.layers[-1])
    default = f"here no class fires, the answer is {shorten(word(network.default), 40)}."
    order = "The leftmost class that fires wins; w" if firing > 1 else "W"
    yield Label(order + default, "", _MARGIN, 28, "note")
    yield Label(" ".join(_legend(network, graph)), "", _MARGIN, bottom + 36, "note")


def _legend(network: RuleNetwork, graph: NetworkGraph) -> Iterator[str]:
    if not graph.edges:
        yield "There is no rule."
    else:
        yield "A rule is an AND, a concept or class an OR of what leads to it from below."
    if any(edge.negated for edge in graph.edges):
        yield "Dashed: not."
    hidden = sum(edge.count for edge in graph.edges if is_folded(graph, edge))
    if hidden:
        nodes = sum(node.members for node in graph.nodes.values() if node.members > 1)
        yield f"Folded: {nodes} nodes with {_count(hidden, 'edge')} of {network.edges}; fold=None unfolds them."
    if any(edge.count > 1 and not is_folded(graph, edge) for edge in graph.edges):
        yield "A set counts as many edges as it has values, a range of an order two."
    if graph.unused:
        yield f"Not drawn: {_count(graph.unused, 'edge')} that no class depends on."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
