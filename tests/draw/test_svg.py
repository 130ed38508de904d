"""The drawing as SVG text, and what a notebook shows: well-formed, complete, and names stay text."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given

from conceptrules import InputError
from conceptrules.draw.layout import lay_out
from conceptrules.draw.rule_set import collect_rule_set
from conceptrules.draw.svg import network_svg, stylesheet
from conceptrules.model.predicate import printable
from tests.draw.html_reader import Reader
from tests.draw.networks import HOSTILE, empty, hostile, large
from tests.draw.test_layout import used_edges
from tests.strategies import measured_networks, networks

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "style", "rect", "path", "circle", "text", "g"}


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def check_harmless(root: ElementTree.Element) -> None:
    """Only shapes and words; nothing that runs, loads or links."""
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in SHAPES
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name or name == "style"]
    style = "".join(element.text or "" for element in root.iter(f"{SVG}style"))
    assert "url" not in style
    assert "@import" not in style


def drawn_edges(root: ElementTree.Element) -> Counter[tuple[str, str, bool]]:
    edges: Counter[tuple[str, str, bool]] = Counter()
    for path in root.iter(f"{SVG}path"):
        kinds = path.attrib["class"].split()
        if "edge" in kinds:
            count = int(path.get("data-count", "1"))
            edges[path.attrib["data-from"], path.attrib["data-to"], "negated" in kinds] += count
    return edges


@given(networks(odd=True))
def test_the_drawing_has_every_edge_that_the_measure_counts(network):
    root = parsed(network.draw(fold=None).text)
    check_harmless(root)
    assert drawn_edges(root) == used_edges(network)


@pytest.mark.parametrize("network", [large(2000, 500, 26), large(2000, deep=True)], ids=["wide", "deep"])
def test_a_folded_drawing_counts_every_edge(network):
    root = parsed(network.draw().text)
    assert sum(drawn_edges(root).values()) == sum(used_edges(network).values())
    assert drawn_edges(parsed(network.draw(fold=None).text)) == used_edges(network)
    assert len(network.draw().text) < 300_000


@given(networks())
def test_each_node_names_its_neighbours(network):
    root = parsed(network.draw(fold=None).text)
    nodes = {node.attrib["data-node"]: node for node in root.iter(f"{SVG}g") if "data-depends" in node.attrib}
    below = {(up, name) for name, node in nodes.items() for up in node.attrib["data-feeds"].split()}
    above = {(name, down) for name, node in nodes.items() for down in node.attrib["data-depends"].split()}
    assert above == below == {(target, source) for source, target, _ in used_edges(network)}
    assert {f"class{index}" for index in range(len(network.classes))} <= set(nodes)


def test_hostile_names_are_text_in_the_drawing():
    root = parsed(hostile().draw().text)
    check_harmless(root)
    words = "\n".join(element.text or "" for element in root.iter(f"{SVG}title"))
    labels = [element.get("aria-label", "") for element in root.iter()]
    for name in HOSTILE:
        # Names that could be misread are in quotes, with their quotes and backslashes escaped, as in the text.
        inside = name.translate({10: "\\n", 9: "\\t", 0: "\\u0000", 27: "\\u001b", 34: '\\"'})
        assert printable(inside) in words
        assert any(printable(inside) in label for label in labels)


def test_the_text_in_a_drawing_is_short_and_has_no_control_characters():
    for element in parsed(hostile().draw().text).iter(f"{SVG}text"):
        text = "".join(element.itertext())
        assert text.isprintable()
        assert "".join(child.tail or "" for child in element) or len(element.text or "") <= 120


@given(measured_networks(odd=True))
def test_a_rule_set_is_drawn_with_all_its_literals(network):
    for index, label in enumerate(network.classes):
        root = parsed(network.draw(label, fold=None).text)
        check_harmless(root)
        stacks = [stack for stack in root.iter(f"{SVG}g") if stack.get("class") == "stack"]
        assert stacks[0].attrib["data-node"] == f"class{index}"
        found = [row_edges(row) for stack in stacks for row in stack.iter(f"{SVG}g") if row.get("class") == "row"]
        assert sorted(found) == sorted(wanted_rows(network, index))


def row_edges(row: ElementTree.Element) -> tuple[str, tuple[str, ...]]:
    boxes = [
        box for box in row.iter(f"{SVG}g") if "condition" in box.attrib["class"].split() and "data-node" in box.attrib
    ]
    return row.attrib["data-node"], tuple(sorted(name for box in boxes for name in box.attrib["data-node"].split()))


def wanted_rows(network, index):
    """The rules of a class, and those of all concepts that it depends on, once for each concept."""
    concepts = {index}
    for level in reversed(range(len(network.levels))):
        below = set()
        for concept in concepts:
            for rule in network.levels[level].concepts[concept].rules:
                literals = network.levels[level].rules[rule].literals
                names = [f"c{level}.{lit.index}" if level else f"p{lit.index}" for lit in literals]
                yield f"{level + 1}.{rule}", tuple(sorted(names))
                below |= {literal.index for literal in literals}
        concepts = below


def test_a_large_rule_set_says_what_is_left_out():
    network = large(2000)
    rules = collect_rule_set(network, "class 0")
    shown_edges = sum(1 + row.size for row in rules.stacks[0].rules)
    hidden = sum(1 + len(network.levels[0].rules[rule].literals) for rule in network.levels[0].concepts[0].rules)
    assert shown_edges <= 240
    assert rules.stacks[0].more.endswith(f"more rules with {hidden - shown_edges} edges")
    assert not collect_rule_set(network, "class 0", None).stacks[0].more
    assert "more rules with" in network.draw("class 0").text


def test_a_concept_can_be_drawn_by_its_name():
    network = large(100, deep=True)
    rules = collect_rule_set(network, "C1.2")
    assert [stack.id for stack in rules.stacks] == ["c1.1"]
    assert rules.stacks[0].heading.startswith("C1.2 means")


@pytest.mark.parametrize("wrong", ["klass 0", "C9.9", 7])
def test_an_unknown_rule_set_is_refused_with_the_nearest_name(wrong):
    with pytest.raises(
        InputError, match=r"there is no class or concept .*(did you mean class 0\?|there are class 0, class 1)"
    ):
        large(50).draw(wrong)


@pytest.mark.parametrize("fold", [0, -1, 1.5, "all"])
def test_a_wrong_fold_is_refused(fold):
    with pytest.raises(InputError, match="fold is"):
        large(50).draw(fold=fold)


def test_a_wrong_theme_is_refused():
    with pytest.raises(InputError, match="the theme is 'blue'; it can be 'auto', 'light' or 'dark'"):
        large(50).draw(theme="blue")
    with pytest.raises(InputError, match="the theme is 'blue'"):
        large(50).draw("class 0", theme="blue")


def test_a_network_without_rules_is_drawn():
    root = parsed(empty().draw().text)
    assert not drawn_edges(root)
    assert "There is no rule." in [element.text for element in root.iter(f"{SVG}text")]
    assert "b never" in [
        element.findtext(f"{SVG}title") for element in parsed(empty().draw("b").text).iter(f"{SVG}text")
    ]


def test_the_themes():
    auto, light, dark = (stylesheet(theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme: dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert "@media screen and" in auto  # paper is light
    assert "#ffffff" in light
    assert "#ffffff" not in dark
    assert "<style>" not in network_svg(lay_out(empty()), style=False).text


def test_hostile_names_are_text_in_html():
    network = hostile()
    page = Reader(network._repr_html_())
    assert page.tags <= SHAPES | {"div", "details", "summary", "pre"}
    assert not [name for name in page.attributes if name.startswith("on") or "href" in name or name == "src"]
    assert str(network) in page.text


def test_a_drawing_is_shown_by_notebooks_and_is_the_same_each_time():
    drawn = large(50).draw()
    assert drawn._repr_svg_() == str(drawn) == drawn.text
    assert drawn == large(50).draw()
