"""Python, JavaScript and C beyond their decisions: what they take, refuse, need and promise."""

from __future__ import annotations

import datetime as dt
import json
import math
import shutil
import subprocess
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import EPOCH, Column, Equals, Interval, Missing
from conceptrules.model.statistics import with_statistics
from tests.export.test_laws import need

DAY = (dt.datetime(2020, 1, 1) - EPOCH) / dt.timedelta(microseconds=1)


def network() -> RuleNetwork:
    """One column of each kind; each has a rule and a class of its own."""
    columns = [
        Column("n"),
        Column("day", "date"),
        Column("when", "datetime"),
        Column("took", "duration"),
        Column("ok", "boolean"),
        Column("job", "category", ("cook",)),
        Column("size", "category", (1, 2**53 + 1)),
    ]
    predicates = [
        Interval("n", 0.1),
        Interval("day", DAY),
        Interval("when", DAY),
        Interval("took", 1e6),
        Equals("ok", True),
        Equals("job", "cook"),
        Equals("size", 2**53 + 1),
        Missing("n"),
    ]
    rules = [Rule([Literal(place)]) for place in range(len(predicates))]
    return RuleNetwork(columns, predicates, [Level(rules, [Concept([place]) for place in range(8)])], list("abcdefgh"))


ROW: dict[str, Any] = {"n": 0.0, "day": None, "when": None, "took": None, "ok": False, "job": "", "size": 1}


@pytest.fixture(scope="module")
def decide():
    names: dict[str, Any] = {}
    exec(export(network(), "python"), names)
    return names["decide"]


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"n": 1}, "1.1"),
        ({"n": True}, "1.1"),
        ({"n": np.float32(1)}, "1.1"),
        ({"n": np.int64(1)}, "1.1"),
        ({"n": Decimal("0.11")}, "1.1"),
        ({"n": math.inf}, "1.1"),
        ({"n": None}, "1.8"),
        ({"n": math.nan}, "1.8"),
        ({"n": Decimal("NaN")}, "1.8"),
        ({"day": dt.date(2020, 1, 2)}, "1.2"),
        ({"day": dt.datetime(2020, 1, 1, 0, 0, 0, 1)}, "1.2"),
        ({"when": dt.datetime(2020, 1, 1, 1, tzinfo=dt.UTC)}, "1.3"),
        ({"when": DAY + 1}, "1.3"),
        ({"took": dt.timedelta(seconds=2)}, "1.4"),
        ({"took": 2e6}, "1.4"),
        ({"took": dt.time(0, 0, 2)}, "1.4"),
        ({"took": pd.Timedelta(1_000_001_000, "ns")}, "1.4"),
        ({"when": pd.Timestamp("2020-01-01 00:00:00.000001")}, "1.3"),
        ({"ok": True}, "1.5"),
        ({"ok": np.bool_(True)}, "1.5"),
        ({"job": "cook"}, "1.6"),
        ({"job": np.str_("cook")}, "1.6"),
        ({"size": 2**53 + 1}, "1.7"),
    ],
)
def test_python_takes_what_tables_hold(decide, changed, rule):
    assert decide({**ROW, **changed})["rules"] == [rule]


@pytest.mark.parametrize(
    "unchanged",
    [
        {"when": dt.datetime(2020, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))},
        {"day": dt.date(2020, 1, 1)},
        {"job": "Cook"},
        {"size": 2.0**53},
        {"n": 0.1},
        {"took": pd.Timedelta(1_000_000_999, "ns")},  # tables hold microseconds
        {"when": pd.Timestamp("2020-01-01 00:00:00.000000999")},
        {"day": pd.Timestamp("2020-01-01 00:00:00.000000001")},
    ],
)
def test_python_decides_no_on_the_other_side(decide, unchanged):
    assert decide({**ROW, **unchanged})["rules"] == []
    assert decide({**ROW, **unchanged})["label"] == "a"


@pytest.mark.parametrize(
    ("name", "value"), [("n", "1"), ("day", "2020-01-01"), ("took", "1"), ("ok", 1), ("job", 1), ("size", "1")]
)
def test_python_refuses_what_a_table_would_not_hold(decide, name, value):
    with pytest.raises(TypeError, match=f"column '{name}' needs"):
        decide({**ROW, name: value})


def test_python_says_which_column_is_missing(decide):
    with pytest.raises(KeyError, match="job"):
        decide({name: value for name, value in ROW.items() if name != "job"})


def test_python_states_the_probabilities_of_predict_proba():
    """Of patterns of classes that training saw, and by the answer of others."""
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1]), Concept()])
    tests = [Interval("n", 1), Interval("n", high=5)]
    network = RuleNetwork([Column("n")], tests, [level], ["a", "b", "c"], ["b", "a", "c"], "c")
    bits = np.array([[True, False]] * 6 + [[False, True]] * 4)
    network = with_statistics(network, pack(bits), np.array([0, 0, 0, 0, 0, 2, 1, 1, 1, 2]))
    text = export(network, "python")
    scope: dict[str, Any] = {}
    exec(text, scope)
    rows = [{"n": value} for value in (0.0, 3.0, 7.0, None)]  # b; a and b, which training never saw; a; none
    stated = [scope["decide"](row)["probabilities"] for row in rows]
    np.testing.assert_allclose(stated, network.predict_proba(rows), rtol=1e-12)
    assert compare(network, "python", text).mismatches == ()
    assert compare(network, "python", text.replace(f"{stated[0][0]!r}", "0.5")).mismatches


def in_node(expression: str) -> Any:
    need("javascript")
    code = export(network(), "javascript") + f"\nconsole.log(JSON.stringify({expression}));"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_javascript_takes_dates_big_integers_and_booleans():
    rows = ["n: 1", "n: true", "n: 1n", "day: new Date(Date.UTC(2020, 0, 2))", "when: 1e16", "size: 9007199254740993n"]
    rows += ["size: 9007199254740992", "n: undefined", "n: NaN", "when: new Date(NaN)", "took: 2e6", "ok: true"]
    base = json.dumps(ROW)
    found = in_node("[" + ", ".join(f"decide(Object.assign({base}, {{{row}}})).rules" for row in rows) + "]")
    expected = [["1.1"], ["1.1"], ["1.1"], ["1.2"], ["1.3"], ["1.7"], [], ["1.8"], ["1.8"], [], ["1.4"], ["1.5"]]
    assert found == expected


def test_javascript_tells_everything():
    found = in_node(f"decide(Object.assign({json.dumps(ROW)}, {{n: 1, ok: true}}))")
    fires = [place in (0, 4) for place in range(8)]
    assert found == {"label": "a", "class": 0, "fires": fires, "rules": ["1.1", "1.5"], "concepts": ["1.1", "1.5"]}


@pytest.mark.parametrize("row", ["{}", '{n: "1"}', "{ok: 1}", "{job: 1}", '{size: "1"}', '{day: "2020"}'])
def test_javascript_refuses_what_a_table_would_not_hold(row):
    base = "{}" if row == "{}" else f"Object.assign({json.dumps(ROW)}, {row})"
    told = in_node(f"(() => {{ try {{ return decide({base}); }} catch (error) {{ return error.message; }} }})()")
    assert "needs" in told or "the row has no column" in told


def test_c_calls_nothing_but_memcmp(tmp_path):
    need("c")
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    (tmp_path / "decide.c").write_text(export(network(), "c"))
    subprocess.run(["gcc", "-std=c11", "-O0", "-c", "decide.c", "-o", "decide.o"], cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "-u", "decide.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert set(symbols.split()) <= {"U", "memcmp", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}


def test_c_takes_text_longer_than_a_string_may_be():
    need("c")
    from conceptrules.export.verify.comparison import compare

    long = "é" * 5000
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    made = RuleNetwork([Column("c", "category", (long,))], [Equals("c", long)], [level], [long, "b"], default="b")
    assert compare(made, "c", export(made, "c")).mismatches == ()


@pytest.mark.parametrize(
    ("to", "name"), [("python", "class"), ("javascript", "new"), ("c", "int"), ("c", "a b"), ("python", "")]
)
def test_a_name_that_no_function_can_have_is_refused(to, name):
    with pytest.raises(InputError, match="cannot be the name of a function"):
        export(network(), to, name=name)


@pytest.mark.parametrize("to", ["python", "javascript", "c"])
def test_the_text_says_the_rules_in_words(to):
    text = export(network(), to)
    assert "job = cook" in text
    assert "when > 2020-01-01 00:00" in text
