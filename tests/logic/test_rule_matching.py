"""Which rules of two networks are the same, which were changed, and which are new."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conceptrules.logic.rule_matching import Section, sections
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork

NAMES = "abcdef"
COLUMNS = [Column(name) for name in NAMES]
TESTS = [Interval(name, low) for name in NAMES for low in (0, 1)]


def rule(text: str) -> Rule:
    """Return an AND: `a` is a > 0, `A` is a > 1."""
    return Rule([Literal(2 * NAMES.index(letter.lower()) + letter.isupper()) for letter in text])


def level(*concepts: Sequence[str]) -> Level:
    texts = list(dict.fromkeys(text for concept in concepts for text in concept))
    return Level([rule(text) for text in texts], [Concept([texts.index(text) for text in some]) for some in concepts])


def network(*levels: Level, classes: Sequence[str] = ("yes", "no")) -> RuleNetwork:
    return RuleNetwork(COLUMNS, TESTS, levels, classes)


def classes(*concepts: Sequence[str], names: Sequence[str] = ("yes", "no")) -> RuleNetwork:
    return network(level(*concepts), classes=names)


@pytest.mark.parametrize(
    ("old", "new", "added", "removed", "changed"),
    [
        (["a"], ["a"], [], [], []),
        (["a"], [], [], ["a > 0"], []),
        ([], ["a"], ["a > 0"], [], []),
        ([], [""], ["always"], [], []),
        # One literal on the same column is half alike, which is enough.
        (["a"], ["A"], [], [], [("a > 0", "a > 1")]),
        (["a"], ["b"], ["b > 0"], ["a > 0"], []),
        (["ab"], ["a"], [], [], [("a > 0 and b > 0", "a > 0")]),
        (["ab"], ["ac"], [], [], [("a > 0 and b > 0", "a > 0 and c > 0")]),
        (["abc"], ["a"], ["a > 0"], ["a > 0 and b > 0 and c > 0"], []),
        (["abc"], ["aB"], [], [], [("a > 0 and b > 0 and c > 0", "a > 0 and b > 1")]),
        (["ab"], ["A"], ["a > 1"], ["a > 0 and b > 0"], []),
        # The best pair is taken first, and each rule has one partner.
        (["abc", "de"], ["aB", "abd"], ["a > 0 and b > 1"], ["d > 0 and e > 0"],
         [("a > 0 and b > 0 and c > 0", "a > 0 and b > 0 and d > 0")]),
        (["ab", "a"], ["abc"], [], ["a > 0"], [("a > 0 and b > 0", "a > 0 and b > 0 and c > 0")]),
        (["ab", "ac"], ["ad", "ae"], [], [],
         [("a > 0 and b > 0", "a > 0 and d > 0"), ("a > 0 and c > 0", "a > 0 and e > 0")]),
        ([""], ["a"], ["a > 0"], ["always"], []),
    ],
)  # fmt: skip
def test_the_rules_of_one_class(
    old: list[str], new: list[str], added: list[str], removed: list[str], changed: list[tuple[str, str]]
) -> None:
    found = sections(classes(old, ["f"]), classes(new, ["f"]))
    wanted = Section("yes", tuple(added), tuple(removed), tuple(changed))
    assert found == ((wanted,) if added or removed or changed else ())


def test_classes_come_in_the_order_of_the_old_network_and_then_of_the_new() -> None:
    old = classes(["a"], ["b"], ["c"], names=("x", "y", "same"))
    new = classes(["c"], ["d"], ["e"], names=("same", "z", "y"))
    assert sections(old, new) == (
        Section("x", (), ("a > 0",), ()),
        Section("y", ("e > 0",), ("b > 0",), ()),
        Section("z", ("d > 0",), (), ()),
    )


TOP = Level([Rule([Literal(0)]), Rule([Literal(1, True)])], [Concept([0]), Concept([1])])


def test_concepts_go_with_those_that_share_most_with_them() -> None:
    old = network(level(["ab", "c"], ["de", "f"]), TOP)
    new = network(level(["de", "F"], ["ab", "c"]), TOP)
    assert sections(old, new) == (
        Section("yes", ("C1.2",), ("C1.1",), ()),
        Section("no", ("not C1.1",), ("not C1.2",), ()),
        Section("C1.2", (), (), (("f > 0", "f > 1"),)),
    )


def test_concepts_without_a_partner_are_gone_or_new() -> None:
    old = network(level(["a"], ["b"]), TOP)
    new = network(level(["c"], ["b"], ["d"]), TOP)
    assert sections(old, new) == (
        Section("yes", ("new C1.1",), ("C1.1",), ()),
        Section("C1.1", (), ("a > 0",), ()),
        Section("new C1.1", ("c > 0",), (), ()),
        Section("new C1.3", ("d > 0",), (), ()),
    )


def test_equal_literals_pair_concepts_where_no_rule_is_equal() -> None:
    old = network(level(["ab"], ["cd"]), TOP)
    new = network(level(["c"], ["a"]), TOP)
    assert sections(old, new) == (
        Section("yes", ("C1.2",), ("C1.1",), ()),
        Section("no", ("not C1.1",), ("not C1.2",), ()),
        Section("C1.1", (), (), (("a > 0 and b > 0", "a > 0"),)),
        Section("C1.2", (), (), (("c > 0 and d > 0", "c > 0"),)),
    )


def test_an_equal_rule_counts_more_than_equal_literals() -> None:
    """The first shares a rule of two with it, the second all literals and no rule."""
    old = network(level(["ab", "c"], ["a", "bd"]), TOP)
    new = network(level(["ab", "d"]), Level([Rule([Literal(0)])], [Concept([0]), Concept()]))
    names = [section.name for section in sections(old, new)]
    assert names == ["no", "C1.1", "C1.2"]


@pytest.mark.parametrize(
    ("concept", "others"),
    [
        (["a", "b"], (["a", "b", "c", "d", "e"], ["a"])),  # 2 of 5 rules, 1 of 2
        (["a", "bcd"], (["a", "BCD"], ["ab", "cd"])),  # a rule of three, and all literals in other rules
        (["a", "b"], (["a"], ["a", "b", "C"])),
        (["ab"], (["c"], ["ab"])),
        ([], (["a"], [])),
    ],
)
def test_the_second_of_two_concepts_is_the_nearest(concept: list[str], others: tuple[list[str], list[str]]) -> None:
    top = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    moved = Level([Rule([Literal(1)])], [Concept([0]), Concept()])
    old = network(level(concept), top)
    found = sections(old, network(level(*others), moved))
    assert [section.name for section in found if section.name in ("yes", "C1.1")] == ["C1.1"] * (concept != others[1])


def test_concepts_of_the_second_level_are_named_as_in_the_old_network() -> None:
    middle = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])
    turned = Level([Rule([Literal(1)]), Rule([Literal(0)])], [Concept([0]), Concept([1])])
    old = network(level(["a"], ["b"]), middle, TOP)
    assert sections(old, network(level(["b"], ["a"]), turned, TOP)) == ()
    assert sections(old, network(level(["b"], ["a"]), middle, TOP)) == (
        Section("yes", ("C2.2",), ("C2.1",), ()),
        Section("no", ("not C2.1",), ("not C2.2",), ()),
    )


def test_a_network_of_fewer_levels() -> None:
    deep = network(level(["a"], ["b"]), TOP)
    assert sections(deep, classes(["a"], ["b"])) == (
        Section("yes", ("a > 0",), ("C1.1",), ()),
        Section("no", ("b > 0",), ("not C1.2",), ()),
        Section("C1.1", (), ("a > 0",), ()),
        Section("C1.2", (), ("b > 0",), ()),
    )
