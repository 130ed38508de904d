"""A network as nodes and edges: those that a class depends on, layer by layer, with their words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as Choice

from conceptrules.draw.appearance import assign_colours
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    OneOf,
    Predicate,
    Value,
    categories_of,
    state_flag,
)
from conceptrules.model.statistics import edges as count_edges
from conceptrules.model.statistics import sizes_of
from conceptrules.model.text import (
    bound_texts,
    column_word,
    concept_name,
    literal_text,
    rule_name,
    rule_text,
    states_itself,
    word,
)

Kind = Choice["predicate", "rule", "concept", "class"]


@dataclass(frozen=True, slots=True)
class Node:
    """A predicate, rule, concept or class, or several that are folded into one."""

    id: str
    """p12, 1.3 (level 1, rule 3), c1.2, class0; levels count from 1, the rest from 0. fold... for several."""
    kind: Kind
    layer: int
    """0 for predicates, 1 for the rules of the first level, ..., the classes on top."""
    text: str
    tooltip: str
    weight: float = 0
    """How many training rows a rule covers; for all else, and without statistics, how many edges it has."""
    column: str | None = None
    colour: int | None = None
    members: int = 1
    empty: bool = False
    """Whether it is a class or concept without rules, which never fires."""
    stands_for: tuple[str, ...] = ()
    """The ids of the nodes that are folded into this one."""
    title: str | None = None
    """What stands above predicates of its column; None: they are of several."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from a node to one of the layer above; it stands for `count` of them, of folded nodes or of a set."""

    source: str
    target: str
    negated: bool = False
    count: int = 1


@dataclass(frozen=True)
class NetworkGraph:
    """Nodes in layers: first the predicates, in the order of the columns; last the classes, in the order they win."""

    layers: tuple[tuple[Node, ...], ...]
    edges: tuple[Edge, ...]
    unused: int
    """How many edges no class depends on; they are not among `edges`."""
    colours: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        return {node.id: node for layer in self.layers for node in layer}

    @cached_property
    def below(self) -> dict[str, tuple[str, ...]]:
        return _neighbours((edge.target, edge.source) for edge in self.edges)

    @cached_property
    def above(self) -> dict[str, tuple[str, ...]]:
        return _neighbours((edge.source, edge.target) for edge in self.edges)


def _neighbours(pairs: Iterator[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    neighbours: dict[str, dict[str, None]] = defaultdict(dict)  # a dictionary, to have each once and in order
    for node, neighbour in pairs:
        neighbours[node][neighbour] = None
    return {node: tuple(ids) for node, ids in neighbours.items()}


def collect_graph(network: RuleNetwork) -> NetworkGraph:
    """Return the nodes that some class depends on, and all their edges."""
    edges = tuple(_edges(network))
    degree = Counter(end for edge in edges for end in (edge.source, edge.target) for _ in range(edge.count))
    colours = assign_colours(network)
    layers = [tuple(_predicates(network, degree, colours))]
    for level in range(len(network.levels)):
        layers.append(tuple(node for node in _rules(network, level, degree) if node.id in degree))
        top = level + 1 == len(network.levels)  # a class is drawn even if it has no rule
        layers.append(tuple(node for node in _concepts(network, level, degree) if top or node.id in degree))
    unused = count_edges(network) - sum(edge.count for edge in edges)
    return NetworkGraph(tuple(layers), edges, unused, colours)


def rule_id(level: int, rule: int) -> str:
    """Return the id of a rule: ids count levels from 1 and the rest from 0; arguments count from 0."""
    return f"{level + 1}.{rule}"


def below_id(level: int, index: int) -> str:
    """Return the id of what a literal of this level refers to: a predicate or a concept."""
    return f"c{level}.{index}" if level else f"p{index}"


def above_id(network: RuleNetwork, level: int, index: int) -> str:
    """Return the id of a concept of this level, or of a class."""
    return f"class{index}" if level + 1 == len(network.levels) else f"c{level + 1}.{index}"


def _edges(network: RuleNetwork) -> Iterator[Edge]:
    """Yield the edges from the top down, so that only what a class depends on is met."""
    concepts = set(range(len(network.classes)))
    sizes = sizes_of(network)
    for level in reversed(range(len(network.levels))):
        here = network.levels[level]
        for index in sorted(concepts):
            for rule in here.concepts[index].rules:
                yield Edge(rule_id(level, rule), above_id(network, level, index))
        rules = sorted({rule for index in concepts for rule in here.concepts[index].rules})
        for rule in rules:
            for literal in here.rules[rule].literals:
                count = 1 if level else sizes[literal.index]
                yield Edge(below_id(level, literal.index), rule_id(level, rule), literal.negated, count)
        concepts = {literal.index for rule in rules for literal in here.rules[rule].literals}


def _predicates(network: RuleNetwork, degree: Mapping[str, int], colours: Mapping[str, int]) -> Iterator[Node]:
    """Yield the predicates column by column, in an order that reads well: by cut point or category, missing last."""
    columns = {column.name: (number, column) for number, column in enumerate(network.columns)}
    used = [index for index in range(len(network.predicates)) if below_id(0, index) in degree]
    for index in sorted(used, key=lambda i: _sort_key(network.predicates[i], *columns[network.predicates[i].column])):
        predicate, name = network.predicates[index], below_id(0, index)
        text = bare_text(predicate, columns[predicate.column][1])
        tip = literal_text(network, 0, Literal(index))
        colour = colours[predicate.column]
        title = column_word(columns[predicate.column][1])
        yield Node(name, "predicate", 0, text, tip, degree[name], predicate.column, colour, title=title)


def _sort_key(predicate: Predicate, number: int, column: Column) -> tuple[int, int, float, float, str]:
    match predicate:
        case Interval(low=low, high=high):
            return number, 0, high, low, ""
        case Equals(value=value):
            return number, 0, _rank(column, value), 0, str(value)
        case OneOf(values=values):
            return number, 0, _rank(column, values[-1]), _rank(column, values[0]), " ".join(map(str, values))
    return number, 1, 0, 0, ""


def _rank(column: Column, value: Value) -> int:
    return column.categories.index(value) if value in column.categories else len(column.categories)


def bare_text(predicate: Predicate, column: Column) -> str:
    """Return the predicate without the name of its column, for where that stands above it.

    >>> bare_text(Interval("age", 27, 41), Column("age"))
    '> 27, ≤ 41'
    """
    match state_flag(predicate, column):
        case Missing():
            return "missing"
        case Equals(value=value) if states_itself(column):
            return "yes" if value else "no"
        case Equals(value=value):
            return f"= {word(value)}"
        case Interval() | OneOf():
            bounds = bound_texts(predicate, column)
            if bounds is None:
                return f"in {{{', '.join(map(word, categories_of(predicate)))}}}"
            signs = [f"{sign} {bound}" for sign, bound in zip(">≤", bounds, strict=True) if bound is not None]
            return ", ".join(signs) or "present"
    raise AssertionError(predicate)


def _rules(network: RuleNetwork, level: int, degree: Mapping[str, int]) -> Iterator[Node]:
    covered = network.statistics.covered[level] if network.statistics else None
    for index in range(len(network.levels[level].rules)):
        name, text = rule_id(level, index), rule_name(level, index)
        rows = sum(covered[index]) if covered else None
        tip = f"{text}: {rule_text(network, level, index)}" + ("" if rows is None else f" ({rows:,.4g} training rows)")
        yield Node(name, "rule", 2 * level + 1, text, tip, degree[name] if rows is None else rows)


def _concepts(network: RuleNetwork, level: int, degree: Mapping[str, int]) -> Iterator[Node]:
    """Yield the concepts of a level; of the last one the classes, by priority."""
    top = level + 1 == len(network.levels)
    concepts = network.levels[level].concepts
    for index in network.priority_indices if top else range(len(concepts)):
        name, rules = above_id(network, level, index), concepts[index].rules
        text = word(network.classes[index]) if top else concept_name(level, index)
        tip = f"{'class ' * top}{text} {_any_of(level, rules)}"
        tip += "; the answer where no class fires" * (top and network.classes[index] == network.default)
        yield Node(name, "class" if top else "concept", 2 * level + 2, text, tip, degree[name], empty=not rules)


def _any_of(level: int, rules: tuple[int, ...]) -> str:
    """Say what a concept means; the rules have tooltips of their own."""
    names = ", ".join(rule_name(level, rule) for rule in rules)
    return f"holds if any of {names} does" if len(rules) > 1 else f"holds if {names} does" if rules else "never holds"
