from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from conceptrules.logic.difference import ClassImplications, RowChanges, RuleChanges, compare_rules, diff
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, OneOf, Rule, RuleNetwork
from tests.logic.test_canonical import shuffled
from tests.model.test_text import ADULT
from tests.strategies import networks

PEOPLE = (Column("age"), Column("job", "category", ("nurse", "smith")), Column("gain"))


def people(*rules, cut=27, classes=("yes", "no"), default="no"):
    """For the first class; a rule is a string of a(ge), j(ob) and g(ain), capitals are negated."""
    predicates = (Interval("age", cut), Equals("job", "nurse"), Interval("gain", high=5000))
    made = [Rule(tuple(Literal("ajg".index(c.lower()), c.isupper()) for c in rule)) for rule in rules]
    level = Level(tuple(made), (Concept(tuple(range(len(made)))), *(Concept() for _ in classes[1:])))
    return RuleNetwork(PEOPLE, predicates, (level,), classes, classes, default)


def test_rules_added_removed_and_changed():
    found = diff(people("ajg", "J", "G"), people("G", "aj", "g"))
    changed = ("age > 27 and gain <= 5000 and job = nurse", "age > 27 and job = nurse")
    assert found.sections == (RuleChanges("yes", ("gain <= 5000",), ("job != nurse",), (changed,)),)


def test_a_cut_point_that_moved():
    found = diff(people("aj"), people("aj", cut=30))
    assert found.sections == (RuleChanges("yes", (), (), (("age > 27 and job = nurse", "age > 30 and job = nurse"),)),)
    assert found.settings == (("cut points of 'age'", "27", "30"),)
    assert found.logic == (ClassImplications("yes", False, True), ClassImplications("no", True, True))
    assert found.same is False
    assert found.row == {"age": 30.0, "job": "nurse", "gain": None}
    assert found.decisions == ("yes", "no")


def test_what_surrounds_the_rules():
    old, new = people("a", default="yes"), people("a", classes=("no", "yes"))
    new = replace(new, columns=(*PEOPLE, Column("zip", "category")))
    assert diff(old, new).settings == (
        ("classes", "yes, no", "no, yes"),
        ("priority", "yes, no", "no, yes"),
        ("default", "yes", "no"),
        ("column 'zip'", "none", "category"),
    )


def test_other_rules_can_decide_alike():
    found = diff(people("a", "j"), people("a", "Aj"))
    assert found.same
    assert found.row is None
    assert found.logic[0] == ClassImplications("yes", True, True)
    assert found.sections == (RuleChanges("yes", (), (), (("job = nurse", "job = nurse and not (age > 27)"),)),)


def test_rows_of_a_table():
    table = [{"age": age, "job": "nurse", "gain": 0} for age in range(20, 40)]
    found = diff(people("a"), people("a", cut=33), table=table)
    assert found.data == RowChanges(20, 6, tuple((i, "yes", "no") for i in range(8, 13)))


def test_concepts_are_matched_whatever_their_number():
    low, high = ADULT.levels
    turned = {0: 1, 1: 0}
    rules = tuple(Rule(tuple(Literal(turned[i.index], i.negated) for i in rule.literals)) for rule in high.rules)
    other = replace(ADULT, levels=(Level(low.rules, low.concepts[::-1]), Level(rules, high.concepts)), statistics=None)
    assert compare_rules(ADULT, other) == ()
    fewer = replace(other, levels=(Level(low.rules, (Concept((2,)), low.concepts[0])), other.levels[1]))
    (found,) = compare_rules(ADULT, fewer)
    assert (found.name, found.removed, found.added, found.changed) == ("C1.2", ("5013 < gain <= 6514",), (), ())


def test_another_number_of_levels():
    found = compare_rules(people("a"), ADULT)
    assert [section.name for section in found] == ["yes", ">50K", "new C1.1", "new C1.2"]
    assert found[1].added == ("new C1.1 and not new C1.2", "new C1.2")


def test_columns_that_no_table_suits_are_a_reason():
    text = people("a")
    number = replace(text, columns=(PEOPLE[0], Column("job", "category", (1,)), PEOPLE[2]), predicates=(
        text.predicates[0], Equals("job", 1), text.predicates[2]))  # fmt: skip
    found = diff(text, number)
    assert (found.same, found.logic[0]) == (None, ClassImplications("yes", None, None))
    assert "no table suits both" in found.reason


@given(networks())
def test_a_network_does_not_differ_from_itself_in_another_order(network):
    other = shuffled(network, np.random.default_rng(0))
    assert diff(network, other).same
    # Of concepts that are equal, any can be matched with any.
    apart = all(len(set(level.rules)) == len(level.rules) for level in network.levels)
    if apart and all(len(set(level.concepts)) == len(level.concepts) for level in network.levels[:-1]):
        assert compare_rules(network, other) == ()


def test_another_order_is_told():
    def ranked(*order):
        level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
        predicate = OneOf("rank", order[:2])
        return RuleNetwork((Column("rank", "ordinal", order),), (predicate,), (level,), ("yes", "no"), default="no")

    found = diff(ranked("a", "b", "c"), ranked("b", "c", "a"))
    assert found.settings == (("column 'rank'", "ordinal (a < b < c)", "ordinal (b < c < a)"),)
    assert not found.same
    assert found.row in ({"rank": "a"}, {"rank": "c"})
    assert found.sections[0].changed == (("rank <= b", "rank <= c"),)


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
    found = compare_rules(classes(old, ["f"]), classes(new, ["f"]))
    wanted = RuleChanges("yes", tuple(added), tuple(removed), tuple(changed))
    assert found == ((wanted,) if added or removed or changed else ())


def test_classes_come_in_the_order_of_the_old_network_and_then_of_the_new() -> None:
    old = classes(["a"], ["b"], ["c"], names=("x", "y", "same"))
    new = classes(["c"], ["d"], ["e"], names=("same", "z", "y"))
    assert compare_rules(old, new) == (
        RuleChanges("x", (), ("a > 0",), ()),
        RuleChanges("y", ("e > 0",), ("b > 0",), ()),
        RuleChanges("z", ("d > 0",), (), ()),
    )


TOP = Level([Rule([Literal(0)]), Rule([Literal(1, True)])], [Concept([0]), Concept([1])])


def test_concepts_go_with_those_that_share_most_with_them() -> None:
    old = network(level(["ab", "c"], ["de", "f"]), TOP)
    new = network(level(["de", "F"], ["ab", "c"]), TOP)
    assert compare_rules(old, new) == (
        RuleChanges("yes", ("C1.2",), ("C1.1",), ()),
        RuleChanges("no", ("not C1.1",), ("not C1.2",), ()),
        RuleChanges("C1.2", (), (), (("f > 0", "f > 1"),)),
    )


def test_concepts_without_a_partner_are_gone_or_new() -> None:
    old = network(level(["a"], ["b"]), TOP)
    new = network(level(["c"], ["b"], ["d"]), TOP)
    assert compare_rules(old, new) == (
        RuleChanges("yes", ("new C1.1",), ("C1.1",), ()),
        RuleChanges("C1.1", (), ("a > 0",), ()),
        RuleChanges("new C1.1", ("c > 0",), (), ()),
        RuleChanges("new C1.3", ("d > 0",), (), ()),
    )


def test_equal_literals_pair_concepts_where_no_rule_is_equal() -> None:
    old = network(level(["ab"], ["cd"]), TOP)
    new = network(level(["c"], ["a"]), TOP)
    assert compare_rules(old, new) == (
        RuleChanges("yes", ("C1.2",), ("C1.1",), ()),
        RuleChanges("no", ("not C1.1",), ("not C1.2",), ()),
        RuleChanges("C1.1", (), (), (("a > 0 and b > 0", "a > 0"),)),
        RuleChanges("C1.2", (), (), (("c > 0 and d > 0", "c > 0"),)),
    )


def test_an_equal_rule_counts_more_than_equal_literals() -> None:
    """The first shares a rule of two with it, the second all literals and no rule."""
    old = network(level(["ab", "c"], ["a", "bd"]), TOP)
    new = network(level(["ab", "d"]), Level([Rule([Literal(0)])], [Concept([0]), Concept()]))
    names = [section.name for section in compare_rules(old, new)]
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
    found = compare_rules(old, network(level(*others), moved))
    assert [section.name for section in found if section.name in ("yes", "C1.1")] == ["C1.1"] * (concept != others[1])


def test_concepts_of_the_second_level_are_named_as_in_the_old_network() -> None:
    middle = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])
    turned = Level([Rule([Literal(1)]), Rule([Literal(0)])], [Concept([0]), Concept([1])])
    old = network(level(["a"], ["b"]), middle, TOP)
    assert compare_rules(old, network(level(["b"], ["a"]), turned, TOP)) == ()
    assert compare_rules(old, network(level(["b"], ["a"]), middle, TOP)) == (
        RuleChanges("yes", ("C2.2",), ("C2.1",), ()),
        RuleChanges("no", ("not C2.1",), ("not C2.2",), ()),
    )


def test_a_network_of_fewer_levels() -> None:
    deep = network(level(["a"], ["b"]), TOP)
    assert compare_rules(deep, classes(["a"], ["b"])) == (
        RuleChanges("yes", ("a > 0",), ("C1.1",), ()),
        RuleChanges("no", ("b > 0",), ("not C1.2",), ()),
        RuleChanges("C1.1", (), ("a > 0",), ()),
        RuleChanges("C1.2", (), ("b > 0",), ()),
    )
