"""A reason, taken away, changes the score by what it says; rules name the one that decided and the nearest."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.io import dumps, loads
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from tests.strategies import all_inputs, networks, scorecards

COLUMNS = [Column("age"), Column("debt", missing=True), Column("job", "category", ("cook", "nurse"))]
TESTS = [Interval("age", 41), Interval("debt", 1000), Equals("job", "cook")]
LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(0), Literal(1)]), Rule([Literal(2, True)])], ())
HEAD = Points([[3], [-2], [1], [4]], [1], cutoff=3, probabilities=[(-1, 0.1), (4, 0.95)])
CARD = RuleNetwork(COLUMNS, TESTS, [LEVEL], ["good", "bad"], head=HEAD)
CODED = CARD.with_reason_codes({"debt": ("R01", "Debt is high")})
ROWS = [[50, 2000, "cook"], [20, 0, "nurse"]]
RULES = Level([Rule([Literal(0), Literal(1)]), Rule([Literal(2)])], [Concept([0]), Concept([1])])
DECISION = RuleNetwork(COLUMNS, TESTS, [RULES], ["no", "yes"], default="yes")


def test_the_columns_that_cost_most_points():
    reasons = CODED.reasons(ROWS)
    assert reasons.to_list() == ["age (-4)", "job (-4); R01: Debt is high (-2)"]
    assert [(each.column, each.code, each.points) for each in reasons[1]] == [("job", "job", 4), ("debt", "R01", 2)]
    assert CODED.reasons(ROWS, 1, to="bad").to_list() == ["job (-4)", "age (-3)"]
    usual = pd.DataFrame({"age": [30, 20, 50], "debt": [0, 5000, None], "job": ["nurse", "nurse", "cook"]})
    assert CODED.reasons(ROWS, against=usual).to_list() == ["age (-4)", ""]
    frame = reasons.to_frame("pandas")
    assert frame["code_2"].tolist() == ["", "R01"]
    assert frame["points_2"].tolist() == [0, 2]
    assert len(CARD.reasons([])) == 0


def test_the_rule_that_decided_and_the_nearest():
    reasons = DECISION.with_reason_codes({"age": ("A", "Age")}).reasons(
        [[50, 9, "cook"], [50, 2000, "cook"], [1, 1, "x"]]
    )
    assert reasons.to_list() == [
        "job = cook; no if age > 41 and debt > 1000 (debt)",
        "age > 41 and debt > 1000; yes if it did not hold (A: Age; debt)",
        "no rule holds; no if age > 41 and debt > 1000 (A: Age; debt)",
    ]
    assert reasons.to_frame("pandas")["decided_by"].tolist()[2] == "no rule holds"
    assert reasons[0][0].points is None
    assert DECISION.reasons([[1, 1, "cook"]], to="no").nearest[0] == "no if age > 41 and debt > 1000"


@given(scorecards())
def test_each_reason_taken_away_changes_the_score_by_what_it_says(card: RuleNetwork):
    rows = all_inputs(len(card.columns))[:16]
    if not len(rows) or not card.columns:
        return
    several = len(card.classes) > 2
    reasons = card.reasons(rows.tolist(), len(card.columns), to=card.classes[1])
    answers = card.predict(rows.tolist())
    scores = np.atleast_2d(card.scores(rows.tolist()).T).T
    for number, row in enumerate(rows.tolist()):
        costs = dict.fromkeys((column.name for column in card.columns), 0)
        costs.update({reason.column: reason.points for reason in reasons[number]})
        for place, column in enumerate(card.columns):
            changed = [*row[:place], not row[place], *row[place + 1 :]]
            gain = np.atleast_1d(card.scores([changed])[0]) - scores[number]
            if several:
                ranked = scores[number] + np.array(card.head.offsets)
                rival = card.classes.index(answers[number])
                if rival == 1:
                    rival = int(np.where(np.arange(len(ranked)) == 1, np.iinfo(np.int64).min, ranked).argmax())
                gain = gain[1:2] - gain[rival]
            assert max(int(gain[0]), 0) == costs[column.name]


@given(networks(), st.integers(0, 3))
def test_the_nearest_rule_decides_otherwise_where_its_conditions_hold(network: RuleNetwork, number: int):
    if not network.columns:
        return
    row = all_inputs(len(network.columns))[number % 2 ** len(network.columns)].tolist()
    reasons, before = network.reasons([row], len(network.columns)), network.predict([row])[0]
    if " if " not in reasons.nearest[0] or reasons.nearest[0].endswith(("did not hold", "holds")):
        return
    named = {reason.column for reason in reasons[0]}
    changed = [value != (column.name in named) for value, column in zip(row, network.columns, strict=True)]
    assert named
    assert network.predict([changed])[0] in set(network.classes) - {before} | {network.default}


def test_reason_codes_are_kept_and_checked():
    again = loads(dumps(CODED))
    assert again.reason_codes == (("debt", "R01", "Debt is high"),)
    with pytest.raises(InputError, match=r"reason codes name column 'dept', which .* not have; did you mean debt\?"):
        CARD.with_reason_codes({"dept": ("R01", "Debt")})
    with pytest.raises(InputError, match="the reason code of 'debt' is 'R01'; give a code and a text"):
        CARD.with_reason_codes({"debt": "R01"})
    with pytest.raises(InputError, match=r"reason_codes\.debt must be a code and a text"):
        loads(dumps(CODED).replace('["R01", "Debt is high"]', '["R01"]'))


def test_the_number_of_a_table_stands_for_the_class_of_a_file_of_text():
    card = replace(CARD, classes=("0", "1"))
    assert card.reasons(ROWS, to=0).to_list() == card.reasons(ROWS, to="0").to_list()
    wished = 1 - int(card.predict(ROWS)[0])
    assert card.explain(ROWS[0], to=wished) == card.explain(ROWS[0], to=str(wished))


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        (CARD, {"n": 0}, "n is 0; it needs a whole number"),
        (CARD, {"to": "badd"}, "to is 'badd', which is not a class of the network; did you mean bad?"),
        (CARD, {"against": "usual"}, "against is 'usual'; it is 'best', or rows"),
        (CARD, {"against": []}, "against has no rows"),
        (DECISION, {"against": ROWS}, "against is for scorecards"),
    ],
)
def test_what_cannot_be_asked(network, options, message):
    with pytest.raises(InputError) as error:
        network.reasons(ROWS, **options)
    assert message in str(error.value)
