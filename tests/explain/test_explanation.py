"""Explanations on hand-made networks, and laws on random ones."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.explain.explanation import Absent, Explanation, explain, list_rule_texts
from conceptrules.explain.nearest_miss import find_nearest_miss
from conceptrules.io import dumps, loads
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import with_statistics
from tests.draw.html_reader import Reader
from tests.strategies import all_inputs, flag_networks, measured_networks

COLUMNS = (Column("age"), Column("job", "category", ("cook", "nurse", "smith")), Column("ill", "boolean"))
PREDICATES = (Interval("age", 40), Equals("job", "cook"), Equals("job", "nurse"), Equals("ill", True))
# "high": old and ill, or a nurse. "low": a cook. "mid": everything else.
RULES = [Rule([Literal(0), Literal(3)]), Rule([Literal(2)]), Rule([Literal(1)])]
ONE_LEVEL = RuleNetwork(
    COLUMNS,
    PREDICATES,
    [Level(RULES, [Concept([0, 1]), Concept([2]), Concept()])],
    ["high", "low", "mid"],
    ["low", "high", "mid"],
    "mid",
)
# C1.1: old or a nurse. C1.2: ill. high: C1.1 and not C1.2. low: C1.2.
TWO_LEVELS = RuleNetwork(
    COLUMNS,
    PREDICATES,
    [
        Level([Rule([Literal(0)]), Rule([Literal(2)]), Rule([Literal(3)])], [Concept([0, 1]), Concept([2])]),
        Level([Rule([Literal(0), Literal(1, True)]), Rule([Literal(1)])], [Concept([0]), Concept([1])]),
    ],
    ["high", "low"],
)


def row(age: float = 20, job: str | None = "smith", ill: bool = False) -> dict[str, object]:
    return {"age": age, "job": job, "ill": ill}


def test_one_class_fires():
    found = ONE_LEVEL.explain(row(age=50, ill=True))
    assert (found.label, found.settled, found.rivals) == ("high", "one", ())
    assert [(rule.owner, rule.level, rule.index, rule.text) for rule in found.fired] == [
        ("high", 0, 0, "age > 40 and ill = True")
    ]
    assert found.right is found.fired[0].coverage is found.fired[0].precision is None


def test_several_fire_and_the_first_wins():
    found = ONE_LEVEL.explain(row(age=50, job="cook", ill=True))
    assert (found.label, found.settled) == ("low", "several")
    (rival,) = found.rivals
    assert rival.label == "high"
    assert rival.reason == "when both fire, low comes before high"
    assert [rule.text for rule in rival.rules] == ["age > 40 and ill = True"]


def test_none_fires_and_the_default_answers():
    found = ONE_LEVEL.explain(row(age=50))
    assert (found.label, found.settled, found.fired) == ("mid", "none", ())
    assert found.nearest.label == "low"  # of rules that lack as much, that of the class that comes first
    assert found.nearest.unmet == ("job = cook",)
    assert found.nearest.wins


def test_the_nearest_miss_may_lose_all_the_same():
    found = ONE_LEVEL.explain(row(job="cook"))
    assert (found.nearest.label, found.nearest.unmet, found.nearest.wins) == ("high", ("job = nurse",), False)


def test_rules_below_are_named_with_their_concept():
    found = TWO_LEVELS.explain(row(age=50, job="nurse"))
    assert [(rule.owner, rule.level, rule.text) for rule in found.fired] == [
        ("high", 1, "C1.1 and not C1.2"),
        ("C1.1", 0, "age > 40"),
        ("C1.1", 0, "job = nurse"),
    ]
    assert found.nearest.unmet == ("ill = True",)


def test_a_negated_concept_is_told_with_the_rules_that_do_not_hold():
    found = TWO_LEVELS.explain(row(age=50, job="nurse"))
    assert found.absent == (Absent("C1.2", ("ill = True",)),)
    assert "C1.2 does not hold, since none of these does\n  ill = True\n" in str(found)
    assert "<p>C1.2 does not hold, since none of these does</p><ul><li><code>ill = True</code>" in found._repr_html_()
    assert ONE_LEVEL.explain(row(job="cook")).absent == ()


@pytest.mark.parametrize(
    ("rules", "lines"),
    [(0, ["C1.1 never holds: it has no rule"]), (9, ["C1.1 does not hold, since none of these does", "  and 1 more"])],
)
def test_an_absent_concept_can_have_no_rule_or_many(rules, lines):
    below = Level([Rule([Literal(0)])] * rules, [Concept(range(rules))])
    above = Level([Rule([Literal(0, True)])], [Concept([0]), Concept()])
    network = RuleNetwork(COLUMNS[:1], PREDICATES[:1], [below, above], ["a", "b"])
    assert [line for line in str(network.explain([1])).split("\n") if line in lines] == lines


def test_a_miss_is_counted_through_negated_concepts():
    found = TWO_LEVELS.explain(row(ill=True))
    assert found.nearest.label == "high"
    assert found.nearest.unmet == ("age > 40", "ill != True")


def test_what_cannot_hold_is_no_miss():
    level = Level([Rule([Literal(0), Literal(0, True)]), Rule()], [Concept([0]), Concept([1])])
    network = RuleNetwork(COLUMNS[:1], PREDICATES[:1], [level], ["never", "always"])
    assert network.explain([1]).nearest is None
    above = Level([Rule([Literal(0, True)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])
    below = Level([Rule()], [Concept([0]), Concept()])
    network = RuleNetwork(COLUMNS[:1], PREDICATES[:1], [below, above], ["never", "neither"])
    assert network.explain([1]).nearest is None


def test_figures_are_those_of_the_training_rows():
    bits = np.array([[1, 0, 0, 1], [1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
    network = with_statistics(ONE_LEVEL, pack(bits), np.array([0, 0, 1, 2]))
    found = network.explain(row(age=50, ill=True))
    assert found.fired[0].coverage == 0.75
    assert found.fired[0].precision == pytest.approx(2 / 3)
    assert (found.rows, found.right) == (3, pytest.approx(2 / 3))
    assert found.probability == pytest.approx((2 + 0.5) / 4)
    assert "Of 3 training rows with this outcome, 67% were high; the probability stated is 62%." in str(found)
    assert "(held on 75% of the training rows, 67% of them high [20-94%])" in str(found)
    silent = network.explain(row(job="nurse")).fired[0]
    assert (silent.coverage, silent.precision) == (0, None)
    unseen = network.explain(row(job="cook"))
    assert (unseen.rows, unseen.right, unseen.label) == (0, None, "low")
    assert "No training row had just this outcome; the probability stated is" in str(unseen)


def test_a_rule_that_is_named_by_its_number_is_said_to_hold_or_what_it_lacks():
    found = ONE_LEVEL.explain(row(age=50, ill=False), rule="R1.1")
    assert found.rule.unmet == ("ill = True",)
    assert "R1.1 does not hold on this row: it lacks ill = True\n  age > 40 and ill = True" in str(found)
    assert "R1.1 holds on this row\n" in str(ONE_LEVEL.explain(row(age=50, ill=True), rule="R1.1"))
    with pytest.raises(InputError, match=r"the network has no rule R9\.1; the last of each level are R1\."):
        ONE_LEVEL.explain(row(age=50), rule="R9.1")
    with pytest.raises(InputError, match="give the number of a rule"):
        ONE_LEVEL.explain(row(age=50), rule="age > 40")


ROWS = [{"age": 50, "job": "nurse", "ill": True}, {"age": 30, "job": "cook", "ill": False}]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, list])
def test_several_rows_are_explained_as_a_table_of_their_kind(make):
    found = ONE_LEVEL.explain(make(ROWS))
    assert type(found) is type(pd.DataFrame() if make is list else make(ROWS))
    singles = [ONE_LEVEL.explain(each) for each in ROWS]
    frame = nw.from_native(found)
    assert frame["answer"].to_list() == [each.label for each in singles]
    assert frame["rules"].to_list() == [", ".join(f"R1.{rule.index + 1}" for rule in each.fired) for each in singles]
    for text, single in zip(frame["counterfactual"].to_list(), singles, strict=True):
        assert text.startswith(f"{single.counterfactual.label} if ")
        assert all(change.after in text for change in single.counterfactual.changes)


def test_a_table_of_explanations_takes_a_class_that_some_rows_have_already():
    label = ONE_LEVEL.explain(ROWS[0]).label
    found = ONE_LEVEL.explain(pd.DataFrame(ROWS), to=label)
    assert [text.split(" if ")[0] == label for text in found["counterfactual"]] == [False, True]


def test_several_counterfactuals_each_do_without_a_column_of_an_earlier_one():
    found = ONE_LEVEL.explain(row(), count=3)
    changed = [{change.column for change in each.changes} for each in (found.counterfactual, *found.alternatives)]
    assert len(changed) > 1
    assert all(set(map(frozenset, changed[:place])).isdisjoint({frozenset(each)}) for place, each in enumerate(changed))
    assert sorted(map(len, changed)) == list(map(len, changed))
    assert str(found).count("\nor ") == len(found.alternatives)
    for each in found.alternatives:
        after = row() | {change.column: change.example for change in each.changes}
        assert ONE_LEVEL.predict([after])[0] == each.label
    with pytest.raises(InputError, match="count is 0"):
        ONE_LEVEL.explain(row(), count=0)


def test_columns_that_cannot_change_are_declared_once():
    changed = ONE_LEVEL.explain(row()).counterfactual.changes[0]
    training = Training("1", 0, (("immutable", (changed.column, "gone")),), 10, None, None)
    declared = replace(ONE_LEVEL, training=training)
    found = declared.explain(row())
    assert found.fixed == (changed.column,)
    assert changed.column not in {each.column for each in found.counterfactual.changes}
    assert f"while {changed.column} stays" in str(found)
    loaded = loads(dumps(declared))
    assert loaded.explain(row()).counterfactual == found.counterfactual


def test_the_text_reads_like_this():
    assert str(ONE_LEVEL.explain(row(age=50, job="cook", ill=True), fixed=["age"])) == (
        "low: several classes fire, and it comes first.\n"
        "\n"
        "low because\n"
        "  R1.3: job = cook\n"
        "\n"
        "high fired too and lost: when both fire, low comes before high\n"
        "high because\n"
        "  R1.1: age > 40 and ill = True\n"
        "\n"
        "counterfactual while age stays: high if\n"
        "  job is any other (such as smith) instead of job = cook\n"
        "This is proved to be the smallest: nothing less than a change of 1 column will do."
    )


def test_text_without_a_change_and_with_a_bound():
    stuck = ONE_LEVEL.explain(row(), fixed=["age", "job", "ill"], to="low")
    assert "Nothing that the row could say gives low while age, job and ill stay; this is proved." in str(stuck)
    bound = ONE_LEVEL.explain(row(), limit=0)
    assert str(bound).endswith(
        "counterfactual: none found yet\n"
        "The search reached its limit. At least 1 column must change, and perhaps no change helps at all."
    )


def test_hostile_names_are_text_in_html_and_terminal():
    name, value, label = "<script>alert(1)</script>", '"><img src=x onerror=y>', "<b>\x1b[2J\n"
    columns = [Column(name, "category", (value, "x")), Column("a&b")]
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1]), Concept()])
    network = RuleNetwork(columns, [Equals(name, value), Interval("a&b", 1)], [level], [label, "no", "<i>"])
    for found in (network.explain([value, 2]), network.explain(["x", 2]), network.explain([None, 0], limit=0)):
        reader = Reader(found._repr_html_())
        assert reader.tags <= {"div", "p", "strong", "ul", "li", "code"}
        assert "\x1b" not in str(found)
    reader = Reader(network.explain([value, 2])._repr_html_())
    assert "<script>alert(1)</script>" in reader.text
    assert "onerror" in reader.text
    assert "&amp;" not in reader.text


@given(measured_networks(), st.data())
def test_an_explanation_says_what_the_network_does(network: RuleNetwork, data: st.DataObject) -> None:
    size = len(network.predicates)
    bits = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    if not bits:
        return
    found = network.explain(bits)
    hidden = layers_plain(network, np.array([bits]))
    firing = {name for name, fires in zip(network.classes, hidden[-1][0], strict=True) if fires}
    assert found.label == network.predict([bits])[0]
    assert {rival.label for rival in found.rivals} == firing - {found.label}
    assert all(hidden[2 * rule.level + 1][0, rule.index] for rule in found.fired)
    assert bool(found.fired) == bool(firing)
    if found.nearest is not None:
        assert found.nearest.label not in {found.label, *firing}
        assert found.nearest.unmet
        assert not hidden[-2][0, found.nearest.index]
    assert str(found)
    assert found._repr_html_()


def test_needs_are_met_by_what_they_name():
    """Flipping what the nearest miss lacks makes its rule hold, where no literal is shared."""
    holds = [layer[0] for layer in layers_plain(TWO_LEVELS, np.array([[False, False, False, True]]))]
    miss = find_nearest_miss(TWO_LEVELS, holds, 1)
    assert len(miss.unmet) == 2
    met = layers_plain(TWO_LEVELS, np.array([[True, False, False, False]]))
    assert met[-2][0, miss.index]


def test_mistakes_are_told():
    with pytest.raises(InputError, match="did you mean 'age'"):
        ONE_LEVEL.explain(row(), fixed=["Age"])
    with pytest.raises(InputError, match="already"):
        ONE_LEVEL.explain(row(), to="mid")
    for wrong in ({"limit": -1}, {"seconds": "1"}, {"seconds": float("nan")}):
        with pytest.raises(InputError, match="give a number that is not negative"):
            ONE_LEVEL.explain(row(), **wrong)
    with pytest.raises(InputError, match="this table has 0"):
        ONE_LEVEL.explain(np.zeros((0, 3)))


def test_an_explanation_is_a_value():
    assert ONE_LEVEL.explain(row()) == ONE_LEVEL.explain(row())
    assert isinstance(ONE_LEVEL.explain(row()), Explanation)


@given(flag_networks())
def test_fired_rules_of_many_rows_are_those_of_each(network):
    table = all_inputs(len(network.columns))
    for row, rules, reason in zip(table, network.fired(table), list_rule_texts(network, table), strict=True):
        found = explain(network, row, limit=0)
        last = len(network.levels) - 1
        alone = [*found.fired, *(rule for rival in found.rivals for rule in rival.rules)]
        assert list(rules) == [rule for rule in alone if rule.level == last]
        assert (reason == "no rule holds") == (not rules)
        assert all(rule.text in reason for rule in found.fired)
        assert all(f"{rule.owner} because" in reason for rule in found.fired if rule.level < last)


def test_reasons_are_the_rules_of_the_answer():
    rows = [row(age=50, ill=True, job="nurse"), row(job="cook", age=50, ill=True), row()]
    assert list_rule_texts(ONE_LEVEL, rows) == [
        "(age > 40 and ill = True) or (job = nurse)",
        "job = cook",
        "no rule holds",
    ]
    assert [[rule.owner for rule in rules] for rules in ONE_LEVEL.fired(rows)] == [["high"] * 2, ["low", "high"], []]


def test_a_clause_of_the_policy_that_keeps_the_decision_is_told():
    level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    policy = Policy.of(
        implies=[{"if": "age > 50", "then": "old"}, {"if": "age <= 20", "then": "young"}],
        locked=[{"rule": "age > 41", "class": "old"}],
        default="young",
    )
    made = RuleNetwork((Column("age"),), (Interval("age", 41),), (level,), ("old", "young"), default="young")
    made = replace(made, policy=policy)
    assert explain(made, {"age": 60}).clauses == ("if age > 50, then old", "old has the rule: age > 41")
    assert "The policy asks for this: if age > 50, then old." in str(explain(made, {"age": 60}))
    assert explain(made, {"age": 45}).clauses == ("old has the rule: age > 41",)
    assert explain(made, {"age": 30}).clauses == ("young is answered where no rule holds",)
    assert explain(replace(made, policy=None), {"age": 60}).clauses == ()
