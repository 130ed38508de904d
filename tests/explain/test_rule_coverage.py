"""Rules as records and as tables."""

from __future__ import annotations

import narwhals as nw
import pytest
from hypothesis import given

from conceptrules.explain.rule_coverage import BACKENDS, coverage, rule_records
from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.errors import InputError
from tests.strategies import measured_networks, measured_scorecards, networks


@given(measured_networks())
def test_records_of_classes_are_their_coverage(network):
    last = len(network.levels)
    found = [record for record in rule_records(network) if record["level"] == last]
    figures = sorted((r["text"], str(r["for"]), r["covers"], r["decides"]) for r in found)
    assert figures == sorted((r.text, str(r.label), r.rows, r.decided) for r in coverage(network))
    intervals = sorted(
        (r["text"], str(r["for"]), (r["precision_low"], r["precision_high"])) for r in found if r["covers"]
    )
    assert intervals == sorted((r.text, str(r.label), r.interval) for r in coverage(network) if r.rows)
    assert len(rule_records(network)) == sum(len(c.rules) for level in network.levels for c in level.concepts)


@given(networks(odd=True))
def test_a_table_has_a_row_for_each_record(network):
    for backend in BACKENDS:
        frame = nw.from_native(network.to_frame(backend))
        assert frame.columns[:3] == ["for", "rule", "text"]
        assert frame["text"].to_list() == [record["text"] for record in rule_records(network)]


@given(measured_scorecards(odd=True))
def test_the_records_of_a_scorecard_are_its_points_and_its_edges(network):
    records = [record for record in rule_records(network) if record["level"] == len(network.levels)]
    rules = [record for record in records if record["rule"] != "base"]
    assert len(rules) == network.head.edges
    assert [r["points"] for r in records if r["rule"] == "base"] == list(network.head.base)
    sums = [sum(row[output] for row in network.head.points) for output in range(network.head.outputs)]
    assert sum(r["points"] for r in rules) == sum(sums)
    frame = nw.from_native(network.to_frame("pandas"))
    assert "decides" not in frame.columns
    assert frame["text"].to_list() == [record["text"] for record in rule_records(network)]


@given(networks())
def test_other_backends_are_refused(network):
    with pytest.raises(InputError, match="backend is 'excel'; it can be pandas, polars, pyarrow"):
        network.to_frame("excel")


def test_coverage_of_a_scorecard_speaks_for_the_class_that_a_rule_raises():
    level = Level([Rule([Literal(0)]), Rule([Literal(0, True)])], ())
    head = Points([[5], [-8]], [0], cutoff=1, probabilities=[(0, 0.5)])
    card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"], head=head)
    card = card.measure([[20], [30], [50], [60], [70]], ["no", "yes", "yes", "yes", "no"])
    assert [(rule.text, rule.label, rule.rows, rule.right, rule.points) for rule in coverage(card)] == [
        ("not (age > 41)", "no", 2, 1, (-8,)),
        ("age > 41", "yes", 3, 2, (5,)),
    ]


def test_coverage_of_a_number_counts_rows_only():
    level = Level([Rule([Literal(0)])], ())
    card = RuleNetwork([Column("age")], [Interval("age", 41)], [level], (), head=Points([[5]], [20], step=0.5))
    with pytest.raises(InputError, match="no statistics"):
        coverage(card)
    (rule,) = coverage(card.measure([[20], [50], [60]], [1.0, 2.0, 2.5]))
    assert (rule.label, rule.rows, rule.right, rule.precision, rule.points) == ("prediction", 2, None, None, (5,))
    assert {record["for"] for record in rule_records(card)} == {"prediction"}
