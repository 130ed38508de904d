from dataclasses import replace

import numpy as np
from hypothesis import given

from conceptrules.logic.difference import Logic, Rows, diff
from conceptrules.logic.rule_matching import Section, sections
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, OneOf, Rule, RuleNetwork
from tests.model.test_canonical import shuffled
from tests.model.test_text import ADULT
from tests.strategies import networks

COLUMNS = (Column("age"), Column("job", "category", ("nurse", "smith")), Column("gain"))


def network(*rules, cut=27, classes=("yes", "no"), default="no"):
    """For the first class; a rule is a string of a(ge), j(ob) and g(ain), capitals are negated."""
    predicates = (Interval("age", cut), Equals("job", "nurse"), Interval("gain", high=5000))
    made = [Rule(tuple(Literal("ajg".index(c.lower()), c.isupper()) for c in rule)) for rule in rules]
    level = Level(tuple(made), (Concept(tuple(range(len(made)))), *(Concept() for _ in classes[1:])))
    return RuleNetwork(COLUMNS, predicates, (level,), classes, classes, default)


def test_rules_added_removed_and_changed():
    found = diff(network("ajg", "J", "G"), network("G", "aj", "g"))
    changed = ("age > 27 and gain <= 5000 and job = nurse", "age > 27 and job = nurse")
    assert found.sections == (Section("yes", ("gain <= 5000",), ("job != nurse",), (changed,)),)


def test_a_cut_point_that_moved():
    found = diff(network("aj"), network("aj", cut=30))
    assert found.sections == (Section("yes", (), (), (("age > 27 and job = nurse", "age > 30 and job = nurse"),)),)
    assert found.settings == (("cut points of 'age'", "27", "30"),)
    assert found.logic == (Logic("yes", False, True), Logic("no", True, True))
    assert found.same is False
    assert found.row == {"age": 30.0, "job": "nurse", "gain": None}
    assert found.decisions == ("yes", "no")


def test_what_surrounds_the_rules():
    old, new = network("a", default="yes"), network("a", classes=("no", "yes"))
    new = replace(new, columns=(*COLUMNS, Column("zip", "category")))
    assert diff(old, new).settings == (
        ("classes", "yes, no", "no, yes"),
        ("priority", "yes, no", "no, yes"),
        ("default", "yes", "no"),
        ("column 'zip'", "none", "category"),
    )


def test_other_rules_can_decide_alike():
    found = diff(network("a", "j"), network("a", "Aj"))
    assert found.same
    assert found.row is None
    assert found.logic[0] == Logic("yes", True, True)
    assert found.sections == (Section("yes", (), (), (("job = nurse", "job = nurse and not (age > 27)"),)),)


def test_rows_of_a_table():
    table = [{"age": age, "job": "nurse", "gain": 0} for age in range(20, 40)]
    found = diff(network("a"), network("a", cut=33), table=table)
    assert found.data == Rows(20, 6, tuple((i, "yes", "no") for i in range(8, 13)))


def test_concepts_are_matched_whatever_their_number():
    low, high = ADULT.levels
    turned = {0: 1, 1: 0}
    rules = tuple(Rule(tuple(Literal(turned[i.index], i.negated) for i in rule.literals)) for rule in high.rules)
    other = replace(ADULT, levels=(Level(low.rules, low.concepts[::-1]), Level(rules, high.concepts)), statistics=None)
    assert sections(ADULT, other) == ()
    fewer = replace(other, levels=(Level(low.rules, (Concept((2,)), low.concepts[0])), other.levels[1]))
    (found,) = sections(ADULT, fewer)
    assert (found.name, found.removed, found.added, found.changed) == ("C1.2", ("5013 < gain <= 6514",), (), ())


def test_another_number_of_levels():
    found = sections(network("a"), ADULT)
    assert [section.name for section in found] == ["yes", ">50K", "new C1.1", "new C1.2"]
    assert found[1].added == ("new C1.1 and not new C1.2", "new C1.2")


def test_columns_that_no_table_suits_are_a_reason():
    text = network("a")
    number = replace(text, columns=(COLUMNS[0], Column("job", "category", (1,)), COLUMNS[2]), predicates=(
        text.predicates[0], Equals("job", 1), text.predicates[2]))  # fmt: skip
    found = diff(text, number)
    assert (found.same, found.logic[0]) == (None, Logic("yes", None, None))
    assert "no table suits both" in found.reason


@given(networks())
def test_a_network_does_not_differ_from_itself_in_another_order(network):
    other = shuffled(network, np.random.default_rng(0))
    assert diff(network, other).same
    # Of concepts that are equal, any can be matched with any.
    apart = all(len(set(level.rules)) == len(level.rules) for level in network.levels)
    if apart and all(len(set(level.concepts)) == len(level.concepts) for level in network.levels[:-1]):
        assert sections(network, other) == ()


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
