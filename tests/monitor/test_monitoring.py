"""What changed is found, said and judged."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, mean_absolute_error, roc_auc_score

from conceptrules import InputError, Policy
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.derived import Relation, make_derived
from conceptrules.model.text import rule_text
from tests.monitor.examples import KINDS, learn, make_rows, targets_of

NEW = make_rows(500, north=0.4, seed=2)
SAME = make_rows(500, north=0.1, seed=3)


@pytest.fixture(scope="module", params=KINDS)
def drifted(request):
    network = learn(request.param)
    return request.param, network, network.monitor(NEW[0], targets_of(request.param, *NEW))


def test_each_rule_is_counted(drifted):
    kind, network, result = drifted
    before = make_rows()
    own = network.measure(NEW[0], targets_of(kind, *NEW)) if network.classes else None
    for number, rule in enumerate(result.rules):
        assert rule.text == rule_text(network, 0, number)
        if own:
            covered = own.statistics.covered[0][number]
            assert rule.holds.value == sum(covered) / 500
            if rule.precision:
                assert rule.precision.value in [rows / sum(covered) for rows in covered]
        assert rule.holds.trained == sum(network.statistics.covered[0][number]) / len(before[0])
        low, high = rule.holds.interval
        assert low <= rule.holds.value <= high


def test_the_drift_is_named(drifted):
    kind, _, result = drifted
    share = f"{(NEW[0].region == 'north').mean():.1%}"
    about = [text for text in result.changes if text.startswith("column region moved")]
    assert len(about) == 1
    assert f"region = north makes up {share}" in about[0]
    indices = {shift.of: shift.index.value for shift in result.shifts if shift.index.name == "csi"}
    assert all(value < indices["region"] / 5 for name, value in indices.items() if name != "region")
    if kind in ("decision", "card", "numbers"):
        assert any(": region " in text and "times as frequent" in text for text in result.changes), str(result)


def test_the_figures_are_those_of_scikit_learn(drifted):
    kind, network, result = drifted
    truth, answers = targets_of(kind, *NEW), network.predict(NEW[0])
    if kind == "numbers":
        assert result.figure("mae").value == pytest.approx(mean_absolute_error(truth, answers))
        assert result.figure("bias").value == pytest.approx(np.mean(answers - truth))
        return
    assert result.figure("accuracy").value == pytest.approx(accuracy_score(truth, answers))
    if kind != "several":
        stated = network.scores(NEW[0]) if kind == "card" else network.predict_proba(NEW[0])[:, 1]
        assert result.figure("auc").value == pytest.approx(roc_auc_score(truth == "yes", stated))
    assert result.figure("missing", "income").value == NEW[0].income.isna().mean()
    assert result.figure("missing", "income").trained == make_rows()[0].income.isna().mean()


def test_text_and_json_say_the_same(drifted):
    _, _, result = drifted
    plain = json.loads(json.dumps(result.plain()))
    assert plain["changes"] == list(result.changes)
    assert [rule["holds"]["value"] for rule in plain["rules"]] == [rule.holds.value for rule in result.rules]
    assert str(result).startswith("500 rows against 600 rows of training\n\n")
    assert result.changes[0] in str(result)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_like_those_of_training_give_hardly_a_change(kind):
    result = learn(kind).monitor(SAME[0])
    assert len(result.changes) <= 1
    assert result.figure("accuracy") is None
    assert "unjudged" in result.plain()


def test_a_reference_stands_in_for_training():
    network = learn("decision")
    unknown = replace(network, statistics=None)
    result = unknown.monitor(NEW[0], NEW[1])
    assert result.basis == "nothing"
    assert "its rules were edited or written by hand; give a reference" in str(result)
    assert all(rule.index is None and rule.holds.trained is None for rule in result.rules)
    known, by_reference = network.monitor(NEW[0]), unknown.monitor(NEW[0], reference=make_rows())
    assert by_reference.changes == tuple(text.replace("in training", "in the reference") for text in known.changes)
    assert (by_reference.basis, by_reference.rules[0].holds) == ("reference", known.rules[0].holds)


def test_groups_and_periods_are_looked_at_by_themselves():
    network = learn("decision")
    X = NEW[0].assign(day=pd.date_range("2024-01-01", periods=500, freq="4h"))
    result = network.monitor(X, groups="region", time="day")
    assert [name for name, _ in result.groups] == ["north", "south", "west"]
    assert [name for name, _ in result.periods] == ["2024-01", "2024-02", "2024-03"]
    north = dict(result.groups)["north"]
    assert north.rules == network.monitor(X[X.region == "north"]).rules
    assert "holds for 100% of rows" in str(north)
    assert sum(part.rows for _, part in result.periods) == 500
    years = network.monitor(X, time=X.day.dt.date.tolist(), every="year").periods
    assert [name for name, _ in years] == ["2024"]


def test_triggers_are_judged():
    network = learn("decision")
    policy = Policy.of(
        monitor=[
            {"when": "csi > 0.25", "of": "region"},
            {"when": "psi > 5"},
            {"when": "accuracy < 0.5"},
            {"when": "holds > 0.9", "within": "groups"},
        ]
    )
    result = network.monitor(NEW[0], groups="region", policy=policy)
    assert [each.trigger.when for each in result.fired] == ["csi > 0.25", "holds > 0.9"]
    assert str(result.fired[0]).startswith("csi > 0.25: csi of region is 0.")
    assert result.fired[1].part == "north"
    assert result.unjudged == ("accuracy < 0.5: there are no labels",)
    own = replace(network, policy=policy)
    assert own.monitor(NEW[0], groups="region").fired == result.fired
    with pytest.raises(InputError, match="is of 'regoin', which is no rule or used column; did you mean region"):
        network.monitor(NEW[0], policy=Policy.of(monitor=[{"when": "csi > 1", "of": "regoin"}]))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda X: X.drop(columns="region"), {}, "column 'region' is missing"),
        (lambda X: X[:0], {}, "the table has no rows, so there is nothing to monitor"),
        (lambda X: X, {"time": "when"}, "no column 'when'"),
        (lambda X: X, {"time": [None] * 500}, "500 rows have no time, the first is row 0"),
        (lambda X: X, {"groups": ["a"]}, "the table has 500 rows, but there are 1 values of groups"),
        (lambda X: X, {"groups": list(range(500))}, "there are 500 groups, and at most 200"),
        (lambda X: X, {"every": "hour"}, "every is 'hour'; it can be day, week, month, year"),
    ],
)
def test_what_cannot_be_monitored(change, options, message):
    with pytest.raises(InputError, match=message):
        learn("decision").monitor(change(NEW[0]), **options)


def test_labels_of_one_class_have_no_area():
    yes = NEW[1] == "yes"
    result = learn("card").monitor(NEW[0][yes], NEW[1][yes])
    assert result.figure("auc") is None
    assert "all labels are of one class, so there is no AUC" in result.notes


def test_unknown_categories_are_counted():
    X = NEW[0].assign(region=NEW[0].region.replace("west", "moon"))
    result = learn("decision").monitor(X)
    assert result.figure("unseen", "region").value == (X.region == "moon").mean()
    assert any("region is missing or unknown makes up" in text for text in result.changes)


def test_a_dask_frame_is_counted_in_partitions():
    dask = pytest.importorskip("dask.dataframe")
    X = NEW[0].assign(label=NEW[1])
    frame = dask.from_pandas(X, npartitions=3)
    parts, whole = (learn("card").monitor(table, "label") for table in (frame, X))
    assert (parts.rules, parts.shifts, parts.changes) == (whole.rules, whole.shifts, whole.changes)
    assert parts.figure("calibration").value == pytest.approx(whole.figure("calibration").value)


def test_columns_that_are_worked_out_are_looked_at_as_others():
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    derived = make_derived(Relation("age", "/", "income"), [Column("age"), Column("income", missing=True)])
    columns = [Column("age"), Column("income", missing=True), derived]
    network = RuleNetwork(columns, [Interval(derived.name, 1.5)], [level], ["yes", "no"], default="no")
    before, now = (make_rows(300, seed=seed)[0][["age", "income"]] for seed in (8, 9))
    network = network.measure(before, network.predict(before))
    result = network.monitor(now.assign(age=now.age * 3))
    ratio = 3 * now.age / now.income
    assert result.rules[0].holds.value == (ratio > 1.5).mean()
    assert result.figure("missing", derived.name).value == ratio.isna().mean()
    assert any(f"{derived.name} > 1.5 is " in text for text in result.changes)


def test_periods_of_numbers_are_in_their_order_and_gaps_of_arrow_are_gaps():
    X, _ = make_rows(30)
    result = learn("card").monitor(X, time=[10, 9, 100] * 10)
    assert [name for name, _ in result.periods] == ["9", "10", "100"]
    gaps = pa.chunked_array([["a", None, "b"] * 10])
    assert [name for name, _ in learn("card").monitor(X, groups=gaps).groups] == ["(missing)", "a", "b"]
    with pytest.raises(InputError, match="10 rows have no time, the first is row 1"):
        learn("card").monitor(X, time=gaps)


@pytest.mark.parametrize("kind", ["decision", "card"])
def test_a_fall_of_the_accuracy_is_a_change(kind):
    X, y = make_rows(400, seed=9)
    wrong = np.where(np.arange(400) % 4 == 0, np.where(y == "yes", "no", "yes"), y)
    result = learn(kind).monitor(X, wrong, reference=(X, y))
    share, before = (result.figure("accuracy").value, result.figure("accuracy").trained)
    assert f"{share:.1%} of the answers are right, in the reference {before:.1%}" in result.changes
    assert "95%  reference" in str(result)


def test_abstained_rows_are_those_without_exactly_one_class():
    X, _ = make_rows(200, 0.5)
    result = learn("decision").monitor(X)
    shares = [result.figure(name).value for name in ("default", "conflict", "abstained")]
    assert shares[2] == pytest.approx(shares[0] + shares[1])
