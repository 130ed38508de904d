"""Networks from DMN: our own files come back, others are read where rules can say them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.tables import read_dmn
from conceptrules.export.tables.feel import FeelReader
from conceptrules.export.tables.value_sets import ValueSet
from conceptrules.export.verify.engine import covering_trial, make_trial
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD
from tests.strategies import BOOLEANS, networks, number_cards, scorecards

INF = float("inf")


DISHES = (("season", "string"), ("guests", "integer"))


def table(rows, inputs=DISHES, hit='hitPolicy="FIRST"', extra="", output='name="dish"'):
    """A file as Camunda's modeler writes it."""
    columns = "".join(
        f'<input id="i{n}" label="{n}"><inputExpression typeRef="{t}"><text>{n}</text></inputExpression></input>'
        for n, t in inputs
    )
    lines = "".join(
        f"<rule id='r{place}'>{''.join(f'<inputEntry><text>{cell}</text></inputEntry>' for cell in row[:-1])}"
        f"<outputEntry><text>{row[-1]}</text></outputEntry></rule>"
        for place, row in enumerate(rows)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" '
        'xmlns:dmndi="https://www.omg.org/spec/DMN/20191111/DMNDI/" id="d" name="DRD" '
        'namespace="http://camunda.org/schema/1.0/dmn">'
        f'<decision id="dish" name="Dish"><decisionTable id="t" {hit}>{columns}<output id="o" {output}>{extra}'
        f"</output>{lines}</decisionTable></decision><dmndi:DMNDI/></definitions>"
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same(data):
    make = data.draw(st.sampled_from([networks, scorecards, number_cards]))
    network = data.draw(make(odd=data.draw(BOOLEANS), flat=True))
    try:
        again = read_dmn(export(network, "dmn"))
    except InputError as error:
        assume("infinite number" not in str(error))
        raise
    assert (again.columns, again.classes, again.priority, again.default) == (
        network.columns, network.classes, network.priority, network.default,
    )  # fmt: skip
    trial = covering_trial(network, 100)
    days = [trial.values[column.name] for column in network.columns if column.kind == "date"]
    whole = np.array(
        [all(not day[row] or day[row] % 86_400e6 == 0 for day in days) for row in range(len(trial))], dtype=bool
    )
    answers = make_trial(again, trial.values, len(trial)).expected
    assert (answers.classes == trial.expected.classes)[whole].all()
    if network.head is not None:
        assert (answers.scores == trial.expected.scores)[whole].all()


def test_a_changed_file_of_ours_is_read_as_it_is_now():
    text = export(NETWORK, "dmn").replace("<text>&gt; 41</text>", "<text>&gt;= 45</text>")
    assert str(read_dmn(text)).count("age > 44.99999999999999 and job = nurse") == 1
    card = read_dmn(export(CARD, "dmn").replace("<text>-2</text>", "<text>-5</text>"))
    assert sorted(card.head.points) == [(-5,), (1,), (3,), (4,)]
    assert card.head.probabilities == CARD.head.probabilities
    with pytest.raises(InputError, match="the decision 'class' was changed, and only the rows of points are read"):
        read_dmn(export(CARD, "dmn").replace("&gt;= 3", "&gt;= 4"))


def test_the_dishes_of_camunda():
    rows = [
        ('"Fall"', "&lt;= 8", '"Spareribs"'),
        ('"Winter"', "&lt;= 8", '"Roastbeef"'),
        ('"Spring"', "[5..8]", '"Steak"'),
        ('not("Winter")', "&gt; 8", '"Stew"'),
        ("-", "-", '"Salad"'),
    ]
    network = read_dmn(table(rows))
    assert network.target == "Dish"
    assert [column.kind for column in network.columns] == ["category", "number"]
    assert network.columns[0].categories == ("Fall", "Winter", "Spring")
    seen = [
        ("Fall", 8),
        ("Winter", 3),
        ("Spring", 4),
        ("Spring", 5),
        ("Summer", 9),
        ("Winter", 9),
        (None, 9),
        ("Fall", None),
    ]
    answers = network.predict([{"season": season, "guests": guests} for season, guests in seen]).tolist()
    assert answers == ["Spareribs", "Roastbeef", "Salad", "Steak", "Stew", "Salad", "Stew", "Salad"]


def test_rows_of_first_by_turns_are_read_where_they_exclude_each_other():
    one = [('"a"', "-", '"x"'), ('"b"', "-", '"y"'), ('"c"', "-", '"x"'), ("-", "-", '"z"')]
    network = read_dmn(table(one))
    assert network.predict([{"season": s, "guests": 1} for s in "abcd"]).tolist() == ["x", "y", "x", "z"]
    both = [('"a"', "-", '"x"'), ("-", "&gt; 3", '"y"'), ('"b"', "&gt; 2", '"x"'), ("-", "-", '"z"')]
    with pytest.raises(InputError, match=r"rows of . and . decide by turns"):
        read_dmn(table(both))


def test_other_hit_policies():
    rows = [('"a"', "&lt; 3", '"x"'), ('"a"', "&gt;= 3", '"y"')]
    with pytest.raises(
        InputError, match="no row is for everything else: add one with - in all inputs, or say default="
    ):
        read_dmn(table(rows, hit=""))
    assert read_dmn(table(rows, hit=""), default="z").default == "z"
    stated = '<defaultOutputEntry><text>"y"</text></defaultOutputEntry>'
    assert read_dmn(table(rows, hit='hitPolicy="ANY"', extra=stated)).default == "y"
    overlap = [('"a"', "-", '"x"'), ("-", "&gt;= 3", '"y"')]
    with pytest.raises(InputError, match="row 1 and row 2 can hold together, which UNIQUE does not allow"):
        read_dmn(table(overlap, hit=""), default="x")
    ranked = '<outputValues><text>"y","x"</text></outputValues>'
    assert read_dmn(table(overlap, hit='hitPolicy="PRIORITY"', extra=ranked), default="x").priority == ("y", "x")


def test_points_of_another_tool_become_a_card_of_a_number():
    rows = [("-", "-", "1.5"), ('"a"', "-", "2"), ("-", "&gt; 3", "-0.25")]
    network = read_dmn(table(rows, hit='hitPolicy="COLLECT" aggregation="SUM"'))
    assert network.predict([{"season": "a", "guests": 9}, {"season": None, "guests": None}]).tolist() == [3.25, 1.5]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([('contains(?, "x")', "-", '"x"')], {}, "row 1, input 'season': 'contains(?, \"x\")' is none of what a rule"),
        ([('"a"', "&lt; guests", '"x"')], {}, "row 1, input 'guests': '< guests' is none of what"),
        ([('&gt; 3', "-", '"x"')], {}, "row 1, input 'season': '> 3' compares 'season', which is no number or date"),
        ([('"a"', "[8..5]", '"x"')], {}, "row 1, input 'guests': no value is in the range '[8..5]'"),
        ([('"a"', "-", "guests + 1")], {}, "row 1, output: 'guests + 1' is no text, number, true or false"),
        ([('"a"', '"x"')], {}, "row 1: there are 1 entries for 2 inputs"),
        ([("-", "-", '"x"')], {"hit": 'hitPolicy="RULE ORDER"'}, "the table has the hit policy RULE ORDER; a"),
        ([("-", "-", '"x"')], {"hit": 'hitPolicy="COLLECT" aggregation="MAX"'}, "the hit policy COLLECT MAX"),
        ([("-", "-", '"x"')], {"inputs": (("a + b", "number"), ("c", "number"))}, "input 1: 'a + b' is worked out"),
        ([("-", "-", '"x"')], {"inputs": (("a", "tPerson"), ("c", "number"))}, "input 1: 'a' is of the type tPerson"),
        ([("-", '"x"')], {"inputs": DISHES[:1], "output": 'name="x"/><output name="y"'}, "has 2 outputs (x, y)"),
    ],
)  # fmt: skip
def test_what_a_network_cannot_say_is_named_by_cell(rows, options, message):
    with pytest.raises(InputError) as error:
        read_dmn(table(rows, **options))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "<a/>", "name,age\n", export(NETWORK, "dmn")[:900]])
def test_other_files_are_one_line(text):
    with pytest.raises(InputError, match="the file is no DMN: "):
        read_dmn(text)


def test_several_tables_are_refused():
    text = table([("-", "-", '"x"')])
    decision = text[text.index("<decision ") : text.index("<dmndi")]
    with pytest.raises(InputError, match="the file has 0 decision tables; a network is one of them"):
        read_dmn(text.replace(decision, ""))
    with pytest.raises(InputError, match="the file has 2 decision tables: 'Dish', 'Two'"):
        read_dmn(text.replace(decision, decision + decision.replace('"Dish"', '"Two"')))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ValueSet(ranges=((-INF, INF),), missing=True)),
        ("<= 5, null", ValueSet(ranges=((-INF, 5.0),), missing=True)),
        ("not(null)", ValueSet(ranges=((-INF, INF),))),
        ("]1..2]", ValueSet(ranges=((1.0, 2.0),))),
        ("not(> 5)", ValueSet(ranges=((-INF, 5.0),))),
        ("(1..2], (2..3]", ValueSet(ranges=((1.0, 3.0),))),
        ("not((1..2])", ValueSet(ranges=((-INF, 1.0), (2.0, INF)))),
    ],
)
def test_entries_are_sets(text, values):
    made = FeelReader(text, Column("x"), "ordered").read()
    assert (made.ranges, made.missing) == (values.ranges, values.missing)


def test_dates_and_durations():
    day = 86_400e6
    read = {
        ("date", '> date("1970-01-03")'): (2 * day, INF),
        ("datetime", '<= date and time("1970-01-01T00:00:01")'): (-INF, 1e6),
        ("datetime", '<= @"1970-01-01T02:00:00+01:00"'): (-INF, 3600e6),
        ("duration", '> duration("P1DT2H")'): (day + 7200e6, INF),
        ("duration", '<= duration("-PT0.5S")'): (-INF, -5e5),
    }
    for (kind, text), expected in read.items():
        assert FeelReader(text, Column("x", kind), "ordered").read().ranges == (expected,)
    with pytest.raises(InputError, match="'soon' is no date"):
        FeelReader('> date("soon")', Column("x", "date"), "ordered").read()


def test_names_of_columns_that_feel_cannot_have_come_back():
    odd = replace(NETWORK, columns=tuple(replace(c, name=f'my "{c.name}"') for c in NETWORK.columns),
                  predicates=tuple(replace(p, column=f'my "{p.column}"') for p in NETWORK.predicates))  # fmt: skip
    text = export(odd, "dmn")
    assert "<text>column_1</text>" in text
    assert read_dmn(text).columns == odd.columns
