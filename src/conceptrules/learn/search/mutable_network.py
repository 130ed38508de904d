"""A network under work: which inputs each node has, and where it holds on the training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.priority import improved
from conceptrules.learn.scoring import SCORES, SLOPES, Floats
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.model.network import Concept, Level, Literal, Rule

Inputs = NDArray[np.int64]
Node = NDArray[np.uint64]


@dataclass(slots=True, eq=False)
class MutableNetwork:
    """Layers of nodes: rules (AND of the layer below and of its negations), concepts (OR of rules), ..., classes."""

    rows: Rows
    layers: list[list[Inputs]]
    order: list[int]
    default: int
    holds: list[list[Node]] = field(default_factory=list)
    """[layer][node]: on which rows."""

    @staticmethod
    def empty(rows: Rows, order: list[int], default: int) -> MutableNetwork:
        """No rules: all rows get the default class."""
        return MutableNetwork(rows, [[], [np.zeros(0, np.int64) for _ in range(rows.classes)]], order, default)

    def __post_init__(self) -> None:
        self.holds = []
        for depth, layer in enumerate(self.layers):
            below = self.below(depth)
            self.holds.append([self._value(depth, below, chosen) for chosen in layer])

    def below(self, depth: int) -> Node:
        """The inputs of a layer: for rules, the negations come after what they negate."""
        if depth == 0:
            return self.rows.words
        nodes = _stacked(self.holds[depth - 1], len(self.rows.full))
        return nodes if depth % 2 else np.concatenate([nodes, nodes ^ self.rows.full])

    def _value(self, depth: int, below: Node, chosen: Inputs) -> Node:
        if depth % 2:
            return np.bitwise_or.reduce(below[chosen], axis=0)
        return np.bitwise_and.reduce(below[chosen], axis=0) & self.rows.full

    @property
    def fired(self) -> Node:
        return _stacked(self.holds[-1], len(self.rows.full))

    @property
    def edges(self) -> int:
        return sum(len(chosen) for layer in self.layers for chosen in layer)

    @property
    def rules(self) -> int:
        """Of all levels."""
        return sum(len(layer) for layer in self.layers[::2])

    def confusion(self, fired: Node | None = None) -> Floats:
        return self.rows.confusion(self.fired if fired is None else fired, self.order, self.default)

    def score(self, fired: Node | None = None) -> float:
        """With other classes firing than those that do, if these are given."""
        return SCORES[self.rows.scoring](self.confusion(fired))

    def improve_priority(self) -> None:
        """Neighbours change places in the order, and another default is taken, while the score rises."""
        fired, score = self.fired, SCORES[self.rows.scoring]
        order, self.default = improved(
            self.order, self.default, lambda order, default: score(self.rows.confusion(fired, order, default))
        )
        self.order = list(order)

    def slope(self) -> Floats:
        return SLOPES[self.rows.scoring](self.confusion())

    def put(self, depth: int, node: int, chosen: Inputs) -> None:
        """Gives a node other inputs; what lies above follows."""
        self.layers[depth][node] = chosen
        self._hold(depth, node, self._value(depth, self.below(depth), chosen))

    def _hold(self, depth: int, node: int, value: Node) -> None:
        for (layer, place), words in self._upwards(depth, node, value).items():
            self.holds[layer][place] = words

    def forced(self, depth: int, node: int, value: Node) -> Node:
        """Which classes fire if the node holds on these rows instead."""
        changes, top = self._upwards(depth, node, value), len(self.layers) - 1
        nodes = [changes.get((top, c), words) for c, words in enumerate(self.holds[top])]
        return _stacked(nodes, len(self.rows.full))

    def _upwards(self, depth: int, node: int, value: Node) -> dict[tuple[int, int], Node]:
        """All nodes that hold on other rows if this node does, layer by layer."""
        found = {(depth, node): value}
        changed = [node]
        for layer in range(depth + 1, len(self.layers)):
            negated = len(self.layers[layer - 1])
            marks = np.zeros(2 * negated, bool)
            marks[changed] = True
            marks[negated:] = marks[:negated]
            below = [found.get((layer - 1, k), words) for k, words in enumerate(self.holds[layer - 1])]
            changed = []
            for k, chosen in enumerate(self.layers[layer]):
                if marks[chosen].any():
                    words = self._from(layer, below, chosen)
                    if not np.array_equal(words, self.holds[layer][k]):
                        found[layer, k] = words
                        changed.append(k)
            if not changed:
                break
        return found

    def _from(self, depth: int, below: Sequence[Node], chosen: Inputs) -> Node:
        if depth % 2:
            return np.bitwise_or.reduce([below[i] for i in chosen], axis=0)
        negated = len(below)
        nodes = [below[i] if i < negated else below[i - negated] ^ self.rows.full for i in chosen]
        return np.bitwise_and.reduce(nodes, axis=0)

    def add_rule(self, c: int, chosen: Inputs) -> None:
        """A new rule of the last level, for a class."""
        depth = len(self.layers) - 2
        holds = self._value(depth, self.below(depth), chosen)
        self.layers[depth].append(chosen)
        self.holds[depth].append(holds)
        self.layers[-1][c] = np.append(self.layers[-1][c], len(self.layers[depth]) - 1)
        self.holds[-1][c] = self.holds[-1][c] | holds

    def drop_rule(self, depth: int, rule: int) -> None:
        """Takes a rule of a layer out of the network, and out of the concepts that have it."""
        before = list(self.layers[depth + 1])
        del self.layers[depth][rule], self.holds[depth][rule]
        below = self.below(depth + 1)
        for concept, chosen in enumerate(before):
            kept = chosen[chosen != rule]
            self.layers[depth + 1][concept] = kept - (kept > rule)
            if len(kept) < len(chosen):
                self._hold(depth + 1, concept, self._value(depth + 1, below, self.layers[depth + 1][concept]))

    def copy(self) -> MutableNetwork:
        same = MutableNetwork(self.rows, [], list(self.order), self.default)
        same.layers, same.holds = [list(layer) for layer in self.layers], [list(nodes) for nodes in self.holds]
        return same

    def restore(self, before: MutableNetwork) -> None:
        self.layers, self.holds, self.order, self.default = before.layers, before.holds, before.order, before.default

    def levels(self) -> tuple[Level, ...]:
        return tuple(
            Level(
                tuple(self._rule(depth, chosen) for chosen in self.layers[depth]),
                tuple(Concept(tuple(chosen.tolist())) for chosen in self.layers[depth + 1]),
            )
            for depth in range(0, len(self.layers), 2)
        )

    def _rule(self, depth: int, chosen: Inputs) -> Rule:
        below = len(self.rows.words) // 2 if depth == 0 else len(self.layers[depth - 1])
        return Rule(tuple(Literal(i % below, negated=i >= below) for i in map(int, chosen)))


def _stacked(nodes: Sequence[Node], width: int) -> Node:
    return np.array(nodes, np.uint64).reshape(len(nodes), width)
