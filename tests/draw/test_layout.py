"""Where things are drawn: everything that counts, nothing on top of another, few crossings."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.draw.fold import fold_graph, fold_to
from conceptrules.draw.graph import bare_text, collect_graph
from conceptrules.draw.layout import Drawing, lay_out, spread
from conceptrules.draw.node_order import (
    count_crossings,
    count_crossings_by_layer,
    group_by_column,
    initial_order,
    order_nodes,
)
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, size_of
from conceptrules.model.text import literal_text
from tests.draw.networks import empty, hostile, large
from tests.strategies import networks


def used_edges(network: RuleNetwork) -> Counter[tuple[str, str, bool]]:
    """Walked down from the classes, one node at a time."""
    found: Counter[tuple[str, str, bool]] = Counter()
    todo = [(len(network.levels) - 1, index, f"class{index}") for index in range(len(network.classes))]
    seen = set(todo)
    rules_seen = set()
    while todo:
        level, index, name = todo.pop()
        for rule in network.levels[level].concepts[index].rules:
            found[f"{level + 1}.{rule}", name, False] += 1
            if (level, rule) in rules_seen:
                continue
            rules_seen.add((level, rule))
            for literal in network.levels[level].rules[rule].literals:
                below = f"c{level}.{literal.index}" if level else f"p{literal.index}"
                columns = {column.name: column for column in network.columns}
                test = network.predicates[literal.index] if level == 0 else None
                size = 1 if test is None else size_of(test, columns[test.column])
                found[below, f"{level + 1}.{rule}", literal.negated] += size
                if level and (level - 1, literal.index, below) not in seen:
                    seen.add((level - 1, literal.index, below))
                    todo.append((level - 1, literal.index, below))
    return found


@given(networks(odd=True))
def test_every_edge_of_a_used_node_is_drawn_once(network):
    drawing = lay_out(network, fold=None)
    drawn = Counter()
    for line in drawing.lines:
        drawn[line.edge.source, line.edge.target, line.edge.negated] += line.edge.count
    assert drawn == used_edges(network)
    assert len(drawing.lines) == len(drawn)
    assert drawing.edges + drawing.unused == network.edges


@given(networks(odd=True), st.integers(2, 6))
def test_folding_loses_no_edge(network, limit):
    whole = collect_graph(network)
    small = fold_to(whole, limit)
    assert sum(edge.count for edge in small.edges) == sum(edge.count for edge in whole.edges)
    assert sum(node.members for node in small.nodes.values()) == len(whole.nodes)
    assert {end for edge in small.edges for end in (edge.source, edge.target)} <= set(small.nodes)


@pytest.mark.parametrize(
    "network", [large(2000, classes=26, columns=500), large(2000, deep=True)], ids=["wide", "deep"]
)
def test_a_large_network_is_folded_and_says_so(network):
    drawing = lay_out(network)
    assert drawing.edges + drawing.unused == network.edges > 1500
    alone = [line for line in drawing.lines if "fold" not in line.edge.source + line.edge.target]
    assert len(alone) <= 240
    assert len(drawing.marks) < 250
    hidden = drawing.edges - len(alone)
    assert any(f"with {hidden} edges of {network.edges}" in label.text for label in drawing.labels)
    assert len(lay_out(network, fold=None).lines) == drawing.edges


def test_a_network_of_200_edges_is_drawn_in_full():
    drawing = lay_out(large(200))
    assert all(line.edge.count == 1 and mark.node.members == 1 for line in drawing.lines for mark in drawing.marks)


def test_folding_keeps_the_rules_that_cover_most_and_one_of_each_class():
    graph = collect_graph(large(2000, classes=3))
    small = fold_graph(graph, 240)
    kept = [node for node in small.layers[1] if node.members == 1]
    gone = {node.id for node in graph.layers[1]} - {node.id for node in kept}
    assert max(graph.nodes[name].weight for name in gone) <= max(node.weight for node in kept)
    assert {up for node in kept for up in small.above[node.id]} == {"class0", "class1", "class2"}


@pytest.mark.parametrize(
    "network",
    [large(10, 4), large(50), large(200), large(200, deep=True), large(2000), large(900, 500, 26), hostile(), empty()],
    ids=["10", "50", "200", "deep", "2000", "500 columns", "hostile", "empty"],
)
def test_nothing_lies_on_top_of_anything(network):
    drawing = lay_out(network)
    for mark in drawing.marks:
        assert mark.x >= 0
        assert mark.y >= 0
        assert mark.x + mark.width <= drawing.width
        assert mark.y + mark.height <= drawing.height
    assert not [(a.node.id, b.node.id) for a, b in combinations(drawing.marks, 2) if overlapping(a, b)]


def overlapping(a, b) -> bool:
    beside = a.x + a.width <= b.x + 0.01 or b.x + b.width <= a.x + 0.01
    above = a.y + a.height <= b.y + 0.01 or b.y + b.height <= a.y + 0.01
    return not beside and not above


@given(networks())
def test_layers_lie_from_the_predicates_at_the_bottom_to_the_classes_on_top(network):
    drawing = lay_out(network)
    place = {mark.node.id: mark for mark in drawing.marks}
    for line in drawing.lines:
        assert place[line.edge.target].y + place[line.edge.target].height <= line.end[1] < line.start[1]
        assert line.start[1] <= place[line.edge.source].y


@given(networks(odd=True))
def test_the_order_has_no_more_crossings_than_before_and_the_same_nodes(network):
    graph = collect_graph(network)
    order = order_nodes(graph)
    assert count_crossings(graph, order) <= count_crossings(graph, initial_order(graph))
    assert [sorted(layer) for layer in order] == [sorted(layer) for layer in initial_order(graph)]
    columns = [block[0].column for block in group_by_column([graph.nodes[name] for name in order[0]])]
    assert len(columns) == len(set(columns))


@given(networks())
def test_crossings_are_those_of_all_pairs(network):
    graph = collect_graph(network)
    order = initial_order(graph)
    place = {name: (depth, number) for depth, layer in enumerate(order) for number, name in enumerate(layer)}
    pairs = [
        ((place[a.source][1] - place[b.source][1]) * (place[a.target][1] - place[b.target][1]))
        for a, b in combinations(graph.edges, 2)
        if place[a.source][0] == place[b.source][0]
    ]
    assert count_crossings(graph, order) == sum(product < 0 for product in pairs)


def test_crossings_that_can_go_go():
    names = [f"x{i}" for i in range(6)]
    columns, predicates = [Column(name, "boolean") for name in names], [Equals(name, True) for name in names]
    rules = [Rule([Literal((i * 5 + 3) % 6)]) for i in range(6)]
    network = RuleNetwork(columns, predicates, [Level(rules, [Concept([1, 3, 5]), Concept([0, 2, 4])])], ["a", "b"])
    graph = collect_graph(network)
    assert count_crossings(graph, initial_order(graph)) > 0
    assert count_crossings(graph, order_nodes(graph)) == 0


@pytest.mark.parametrize("deep", [False, True])
def test_even_random_edges_cross_a_fifth_less(deep):
    graph = collect_graph(large(200, deep=deep))  # 5,114 of 7,053 crossings are left, and 1,867 of 2,709
    assert count_crossings(graph, order_nodes(graph)) < 0.8 * count_crossings(graph, initial_order(graph))


def test_rules_stand_below_their_class():
    """Where no rule is shared, no edge above the rules needs to cross."""
    for classes in (2, 10, 26):
        graph = collect_graph(large(300, classes=classes))
        assert count_crossings_by_layer(graph, initial_order(graph))[1] > 0
        assert count_crossings_by_layer(graph, order_nodes(graph))[1] == 0


def test_the_classes_stand_in_the_order_in_which_they_win():
    network = large(50, classes=3)
    network = RuleNetwork(
        network.columns, network.predicates, network.levels, network.classes, ("class 2", "class 0", "class 1")
    )
    marks = sorted((mark.x, mark.text) for mark in lay_out(network).marks if mark.node.kind == "class")
    assert [text for _, text in marks] == ["class 2", "class 0", "class 1"]


def test_a_network_without_rules_says_so():
    texts = [label.text for label in lay_out(empty()).labels]
    assert "There is no rule." in texts
    assert "Where no class fires, the answer is a." in texts


def test_edges_that_no_class_depends_on_are_counted():
    columns, predicates = [Column("x", "boolean")], [Equals("x", True)]
    levels = [Level([Rule([Literal(0)]), Rule([Literal(0)])], [Concept([0])])]
    drawing = lay_out(RuleNetwork(columns, predicates, levels, ["a"]))
    assert (drawing.edges, drawing.unused) == (2, 1)
    assert any("Not drawn: 1 edge that no class depends on." in label.text for label in drawing.labels)


@pytest.mark.parametrize(
    ("predicate", "kind", "text", "words"),
    [
        (Interval("x y", 1, 2.5), "number", "> 1, ≤ 2.5", "1 < x y ≤ 2.5"),
        (Interval("x y", high=2), "number", "≤ 2", "x y ≤ 2"),
        (Interval("x y", low=-1e-7), "number", "> -1e-07", "x y > -1e-07"),
        (Interval("x y"), "number", "present", "x y is present"),
        (Interval("x y", low=86400e6), "date", "> 1970-01-02", "x y > 1970-01-02"),
        (Equals("x y", "a and b"), "category", '= "a and b"', 'x y = "a and b"'),
        (Missing("x y"), "category", "missing", "x y is missing"),
    ],
)
def test_predicates_in_words(predicate, kind, text, words):
    column = Column("x y", kind)
    network = RuleNetwork([column], [predicate], [Level([Rule([Literal(0)])], [Concept([0])])], ["a"])
    assert bare_text(predicate, column) == text
    assert literal_text(network, 0, Literal(0), "≤") == words


def test_a_negated_interval_is_told_as_such():
    network = RuleNetwork([Column("x")], [Interval("x", 1)], [Level([Rule([Literal(0, True)])], [Concept([0])])], ["a"])
    assert literal_text(network, 0, Literal(0, True), "≤") == "not (x > 1)"


@given(st.lists(st.tuples(st.floats(-100, 1100), st.floats(1, 50)), min_size=1, max_size=15))
def test_things_in_a_row_keep_their_order_and_distance(things):
    wanted, sizes = zip(*things, strict=True)
    centres = spread(wanted, sizes, 1000)
    for (a, size_a), (b, size_b) in pairwise(zip(centres, sizes, strict=True)):
        assert b - a >= (size_a + size_b) / 2 - 1e-6
    assert centres[0] - sizes[0] / 2 >= -1e-6
    assert centres[-1] + sizes[-1] / 2 <= 1000 + 1e-6


def test_a_drawing_is_a_value():
    assert lay_out(large(50)) == lay_out(large(50))
    assert isinstance(lay_out(large(50)), Drawing)


@pytest.mark.parametrize(
    ("values", "text"),
    [(("a",), "≤ a"), (("b", "c", "d"), "> a"), (("b", "c"), "> a, ≤ c"), (("a", "c"), "in {a, c}")],
)
def test_sets_without_the_name_of_their_column(values, text):
    assert bare_text(OneOf("rank", values), Column("rank", "ordinal", ("a", "b", "c", "d"))) == text


def test_predicates_of_an_ordinal_column_stand_in_its_order():
    column = Column("rank", "ordinal", ("low", "mid", "high", "top"))
    sets = [OneOf("rank", column.categories[start:stop]) for start, stop in ((2, 4), (0, 3), (0, 1), (1, 2))]
    level = Level((Rule([Literal(index) for index in range(5)]),), (Concept((0,)),))
    network = RuleNetwork((column,), (*sets, Missing("rank")), (level,), ("yes",))
    graph = collect_graph(network)
    assert [node.text for node in graph.layers[0]] == ["≤ low", "> low, ≤ mid", "≤ high", "> mid", "missing"]
    assert {edge.source: edge.count for edge in graph.edges if edge.target == "1.0"} == {
        "p0": 1, "p1": 1, "p2": 1, "p3": 2, "p4": 1
    }  # fmt: skip
    assert any("a range of an order two" in label.text for label in lay_out(network).labels)
