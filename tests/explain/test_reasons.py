"""A reason is true of the row and, taken away, changes the score by what it says; rules name the one that decided and
the nearest."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conceptrules.io import dumps, loads
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    Points,
    Rule,
    RuleNetwork,
)
from conceptrules.model.reason_codes import list_cases, plain_reason_codes
from conceptrules.model.scoring import answer_scores
from conceptrules.model.values import label_text
from tests.logic.policies.brute_force import all_rows, cards, satisfies
from tests.logic.test_equivalence import VALUES
from tests.strategies import all_inputs, networks, scorecards

COLUMNS = [Column("age"), Column("debt", missing=True), Column("job", "category", ("cook", "nurse"))]
TESTS = [Interval("age", 41), Interval("debt", 1000), Equals("job", "cook")]
LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(0), Literal(1)]), Rule([Literal(2, True)])], ())
HEAD = Points([[3], [-2], [1], [4]], [1], cutoff=3, probabilities=[(-1, 0.1), (4, 0.95)])
CARD = RuleNetwork(COLUMNS, TESTS, [LEVEL], ["good", "bad"], head=HEAD)
CODED = CARD.with_reason_codes({"debt": {"low": ("R01", "Little debt"), "missing": ("R02", "No debt is stated")}})
ROWS = [[50, 2000, "cook"], [20, 0, "nurse"]]
RULES = Level([Rule([Literal(0), Literal(1)]), Rule([Literal(2)])], [Concept([0]), Concept([1])])
DECISION = RuleNetwork(COLUMNS, TESTS, [RULES], ["no", "yes"], default="yes")


def test_the_columns_that_cost_most_points():
    reasons = CODED.reasons(ROWS)
    assert reasons.to_list() == ["age > 41 (-4)", "job = nurse (-4); R01: Little debt [debt <= 1000] (-2)"]
    assert [(each.column, each.code, each.points) for each in reasons[1]] == [("job", "job", 4), ("debt", "R01", 2)]
    assert CODED.reasons(ROWS, 1, to="bad").to_list() == ["job = cook (-4)", "age <= 41 (-3)"]
    usual = pd.DataFrame({"age": [30, 20, 50], "debt": [0, 5000, None], "job": ["nurse", "nurse", "cook"]})
    assert CODED.reasons(ROWS, against=usual).to_list() == ["age > 41 (-4)", ""]
    frame = reasons.to_frame("pandas")
    assert frame["code_2"].tolist() == ["", "R01"]
    assert frame["condition_1"].tolist() == ["age > 41", "job = nurse"]
    assert frame["points_2"].tolist() == [0, 2]
    assert len(CARD.reasons([])) == 0


def test_the_rule_that_decided_and_the_nearest():
    reasons = DECISION.with_reason_codes({"age": ("A", "Age")}).reasons(
        [[50, 9, "cook"], [50, 2000, "cook"], [1, 1, "x"]]
    )
    assert reasons.to_list() == [
        "job = cook; no if age > 41 and debt > 1000 (debt <= 1000)",
        "age > 41 and debt > 1000; yes if it did not hold (A: Age [age > 41]; debt > 1000)",
        "no rule holds; no if age > 41 and debt > 1000 (A: Age [age <= 41]; debt <= 1000)",
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


def test_a_rule_whose_concepts_take_from_each_other_what_it_needs_is_not_the_nearest():
    columns, predicates = [Column("x", "boolean"), Column("y", "boolean")], [Equals("x", True), Equals("y", True)]
    below = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([0, 1])])
    above = Level([Rule([Literal(0), Literal(1, True)])], [Concept(), Concept([0])])  # x, and neither x nor y
    network = RuleNetwork(columns, predicates, [below, above], ["a", "b"], default="a")
    reasons = network.reasons([[False, False]], 2)
    assert reasons.nearest == ("no single rule would change the answer",)
    assert reasons[0] == ()


@settings(max_examples=60, deadline=None)
@given(cards(), st.data())
def test_reasons_are_true_and_exact_on_columns_of_all_kinds(card: RuleNetwork, data):
    """Ranges, categories, gaps and unseen values, with codes for them: against all values that a row could have."""
    tests = [test for test in card.predicates if isinstance(test, Interval) and test.column == "joined"]
    assume(all(test.low in (-np.inf, int(max(test.low, 0))) for test in tests))  # text has whole microseconds
    table = {column.name: draw_codes(column, data) for column in card.columns if data.draw(st.booleans())}
    card = card.with_reason_codes(table)
    aims = (None, *(card.classes or ("high", "low")))
    to, rows = data.draw(st.sampled_from(aims)), all_rows(card)
    reasons, margins = card.reasons(rows, len(card.columns), to=to), measure_margins(card, rows, to)
    margin_of = {repr(row): margin for row, margin in zip(rows, margins, strict=True)}
    for row, found in zip(rows, reasons, strict=True):
        costs = {reason.column: reason.points for reason in found}
        for column in card.columns:
            known = column.categories or ((True, False) if column.kind == "boolean" else ())
            tested = [test for test in card.predicates if test.column == column.name]
            named = {each for test in tested for each in getattr(test, "values", (getattr(test, "value", None),))}
            possible = {*known, *named}  # what a rule asks about may be, too, as in proofs
            values = [value for value in VALUES[column.name] if value is not None and (not known or value in possible)]
            best = max(margin_of[repr({**row, column.name: value})](row) for value in values)
            assert costs.get(column.name, 0) == max(best - margin_of[repr(row)](row), 0)
        for reason in found:
            assert reason.condition.endswith("is any other") or satisfies(reason.condition, row)
            value, cases = row[reason.column], table.get(reason.column, {})
            if reason.text.startswith("about "):
                case = reason.text.removeprefix("about ")
                assert value is not None if case in ("", "high", "low") else (value is None) == (case == "missing")
                if case not in ("", "high", "low", "missing"):
                    assert label_text(value) == case
            elif reason.text == reason.condition:
                assert value is None or not {"", label_text(value)} & set(cases)


def draw_codes(column: Column, data):
    cases = data.draw(st.lists(st.sampled_from(list_cases(column)), unique=True))
    return {case: (f"R{number}", f"about {case}") for number, case in enumerate(cases)}


def measure_margins(card: RuleNetwork, rows, to):
    """For each row a function of another row: the lead over the rival of that row, for the class that it is to get."""
    scores, head = np.asarray(card.scores(rows)).reshape(len(rows), -1), card.head
    answers = answer_scores(head, scores) if card.classes else []
    numbers = {repr(row): number for number, row in enumerate(rows)}

    def sides(row):
        number = numbers[repr(row)]
        if not card.classes:
            return (-1 if to == "low" else 1), None
        target = None if to is None else card.classes.index(to)
        if len(card.classes) == 2:
            return (1 if (target if target is not None else 1 - answers[number]) else -1), None
        others = scores[number] + np.array(head.offsets)
        others[answers[number]] = np.iinfo(np.int64).min
        if target is None:
            return int(others.argmax()), int(answers[number])
        return target, int(others.argmax()) if answers[number] == target else int(answers[number])

    def margin(own):
        def against(row):
            toward, rival = sides(row)
            return int(own[0] * toward) if rival is None else int(own[toward] - own[rival])

        return against

    return list(map(margin, scores))


def test_high_low_and_missing_have_codes_of_their_own():
    reasons = CODED.reasons([[20, None, "cook"], [20, 5, "cook"], [20, 5000, "cook"]], to="good")
    assert [[each.code for each in found] for found in reasons] == [["R02"], ["R01"], []]
    assert reasons[0][0].text == "No debt is stated"
    general = CARD.with_reason_codes({"debt": ("R01", "Debt")}).reasons([[20, None, "cook"]], to="good")
    assert general.to_list() == ["R01: debt is missing (-2)"]  # what is said of a column need not be true of a gap
    by_job = CARD.with_reason_codes({"job": {"nurse": ("J1", "Job: nurse"), "": ("J0", "Another job")}})
    assert by_job.reasons([[20, 5, "nurse"], [20, 5, "smith"]], 1, to="good").to_list() == [
        "J1: Job: nurse [job = nurse] (-4)",
        "J0: Another job [job is any other] (-4)",
    ]


def test_a_gap_is_nothing_that_a_row_could_say_instead():
    """A card that pays for a missing debt does not tell a customer that stating it was a fault."""
    level = Level([Rule([Literal(0)])], ())
    card = replace(CARD, predicates=(Missing("debt"),), levels=(level,), head=replace(HEAD, points=((4,),)))
    assert card.reasons([[20, 5, "cook"]], to="bad").to_list() == [""]


def test_reason_codes_are_kept_and_checked():
    codes = {"debt": {"high": ["R01", "Debt is high"], "missing": ["R02", "No debt"]}, "age": ["R03", "Age"]}
    again = loads(dumps(CARD.with_reason_codes(codes)))
    assert plain_reason_codes(again.reason_codes) == codes
    with pytest.raises(InputError, match=r"reason codes name column 'dept', which .* not have; did you mean debt\?"):
        CARD.with_reason_codes({"dept": ("R01", "Debt")})
    with pytest.raises(InputError, match="the reason code of 'debt' is 'R01'; give a code and a text"):
        CARD.with_reason_codes({"debt": "R01"})
    with pytest.raises(InputError, match=r"'debt' have 'hihg', which a number is not told apart by; did you mean high"):
        CARD.with_reason_codes({"debt": {"hihg": ("R01", "Debt")}})
    with pytest.raises(InputError, match=r"'job' have 'low', which a category is not told apart by"):
        CARD.with_reason_codes({"job": {"low": ("R01", "Job")}})
    with pytest.raises(InputError, match=r"reason_codes: the reason code of 'age' is \['R03'\]"):
        loads(dumps(CARD.with_reason_codes(codes)).replace('["R03", "Age"]', '["R03"]'))


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
