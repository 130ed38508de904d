"""The report of a scorecard: its lines, its charts, the row to try, and what it says of rows that are odd."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules import InputError
from conceptrules.model import Column, Equals, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.card import read_card
from conceptrules.model.provenance import Training
from conceptrules.report import report
from conceptrules.report.collect import collect
from conceptrules.report.model_card import model_card
from conceptrules.report.payload import payload
from tests.strategies import measured_scorecards, number_cards

COLUMNS = [Column("age"), Column("job", "category", ("cook", "nurse"), True), Column("idle")]
TESTS = [Interval("age", 40), Equals("job", "cook"), Interval("age", 60)]
LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(1, True), Literal(2)])], ())
TWO = Points([[5], [-3], [2]], [1], cutoff=4, probabilities=[(-2, 0.1), (1, 0.2), (4, 0.7)])
SEVERAL = Points([[5, 0, -1], [0, 2, 3], [1, -4, 0]], [0, 1, 0], unit=0.3, offsets=[0, 0, 2])
CARD = RuleNetwork(COLUMNS, TESTS, [LEVEL], ("good", "bad"), head=TWO, target="risk")
CARDS = {
    "two": CARD,
    "several": RuleNetwork(COLUMNS, TESTS, [LEVEL], ("a", "b", "c"), head=SEVERAL),
    "number": RuleNetwork(COLUMNS, TESTS, [LEVEL], (), head=Points([[5], [-3], [2]], [40], step=0.5), target="mpg"),
    "factors": RuleNetwork(COLUMNS, TESTS, [LEVEL], (), head=Points([[5], [-3], [2]], [9], step=0.1, link="log")),
}
ROWS = [{"age": age, "job": job, "idle": 0.0} for age in (30, 50, 70) for job in ("cook", "nurse", "baker", None)]
GOOD = ["bad" if row["age"] > 60 or row["job"] == "nurse" else "good" for row in ROWS]


def answers(name: str) -> list:
    return {"two": GOOD, "several": list("abc" * 4)}.get(name, [float(row["age"]) for row in ROWS])


@given(measured_scorecards() | number_cards(), st.data())
@settings(max_examples=25)
def test_every_line_is_on_the_page_and_rows_to_try_have_low_and_high_scores(card, data):
    found = collect(card)
    model = json.loads(payload(found))
    assert {tuple(line["points"]) for line in model["lines"].values()} == set(card.head.points)
    html = unescape(re.sub(r"<[^>]*>", "", report(card)))
    shown = read_card(card)
    for line in [*(line for group in shown.groups for line in group), *shown.mixed]:
        assert line.text in html
        assert all(cell in html for cell in shown.cells(line.points))
    if card.head.outputs == 1 and found.fields:
        scores = {sample.title: score_sample(found, sample.values) for sample in found.samples}
        assert min(scores.values()) == scores[next(title for title in scores if title.startswith("Low"))]
        assert max(scores.values()) == scores[next(title for title in scores if title.startswith("High"))]


@pytest.mark.parametrize("name", CARDS)
def test_a_card_has_nothing_to_do_with_continuous_networks(name):
    assert "continuous network" not in report(CARDS[name])


def score_sample(found, values) -> float:
    row = {
        field.name: None if value is None else value if field.ordered else name_option(field, int(value))
        for field, value in zip(found.fields, values, strict=True)
    }
    return float(found.network.scores([row])[0])


def name_option(field, number: int):
    return "none of these" if number < 0 else field.options[number]


def test_charts_and_the_cut_offs_are_those_of_the_evaluation():
    found = collect(CARD, ROWS, GOOD)
    scores = CARD.evaluate(ROWS, GOOD)
    titles = [chart.title for chart in found.charts]
    assert titles == ["Scores by class", "Are the chances reliable?", f"ROC: area {scores.auc:.3f}", "Gains", "Lift"]
    bars = [series for series in found.charts[0].series if series.kind == "bars"]
    assert [sum(height for *_, height in series.points) for series in bars] == pytest.approx([1, 1])
    *_, last = found.charts[3].series[-1].points
    assert last == (1, 1)
    model = json.loads(payload(found))
    by_score = dict(scores.score_rows)
    for answered, hits, rows, positives in model["cutoffs"]:
        assert (rows, positives) == (len(ROWS), GOOD.count("bad"))
        cutoff = next(each for each in scores.cutoffs if each.answered == answered)
        assert hits == sum(counts[1] for score, counts in by_score.items() if score >= cutoff.score)


def test_charts_of_several_classes_and_of_numbers():
    several = collect(CARDS["several"], ROWS, answers("several"))
    assert [chart.title for chart in several.charts] == ["Are the chances reliable?", "ROC"]
    evaluation = CARDS["several"].evaluate(ROWS, answers("several"))
    areas = {each.label: each.auc for each in evaluation.by_class}
    for series in several.charts[1].legend:
        name, area = series.name.split()
        x, y = np.array(series.points).T
        assert np.trapezoid(y, x) == pytest.approx(areas[name])
        assert float(area) == pytest.approx(areas[name], abs=5e-4)
    number = collect(CARDS["number"], ROWS, answers("number"))
    assert [chart.title for chart in number.charts] == ["Predicted and true", "Errors"]
    assert sum(height for *_, height in number.charts[1].series[0].points) == pytest.approx(1)


@pytest.mark.parametrize("name", CARDS)
def test_the_page_adds_up_as_the_network_does(open_page, name):
    card, rows = CARDS[name], ROWS
    opened = open_page(report(card, rows, answers(name)))
    predicted = card.predict(rows).tolist()
    for row, answer, score in zip(rows, predicted, card.scores(rows).tolist(), strict=True):
        option = {"cook": 0, "nurse": 1, None: None}.get(row["job"], -1)
        texts = opened.run(
            "(values) => { const decision = (setRow(values), decide(namedRow(row)));"
            " const points = decision.rules.flatMap((name) => model.lines[name] ? [model.lines[name].points] : []);"
            " return [one('#decision-class').textContent, one('#score-lines .sum b').textContent, decision.scores,"
            " points, all('.card .is-lit').length, one('#single-changes').textContent]; }",
            [row["age"], option],
        )
        shown, total, scores, points, lit, changes = texts
        expected = [score] if np.isscalar(score) else score
        assert scores == expected
        assert (np.sum([card.head.base, *points], axis=0) == expected).all()
        assert lit == len(points)
        assert changes
        if card.classes:
            assert shown == answer
            assert int(total) == expected[card.classes.index(answer) if len(expected) > 1 else 0]
        else:
            assert float(shown) == float(total) == pytest.approx(answer, rel=5e-3)


@pytest.mark.parametrize("link", ["identity", "log"])
def test_the_row_to_try_shows_its_interval(open_page, link):
    head = CARDS["number"].head
    head = replace(head, link=link, step=0.05 if link == "log" else head.step)
    errors = ((-8.0, -1.0, 2.0, 9.0), (-7.0, 0.0, 1.0, 8.0))
    training = Training("1", None, (), len(ROWS), None, None, errors=errors)
    card = replace(CARDS["number"], head=head, training=training)
    opened = open_page(report(card, ROWS, answers("number")))
    script = "(values) => (setRow(values), one('#decision-odds').textContent)"
    shown = opened.run(script, [ROWS[0]["age"], 0])
    low, high = card.predict_interval(ROWS[:1])[0]
    texts = shown.removeprefix("90% of such numbers are between ").partition(", by")[0].split(" and ")
    assert [float(text.replace(",", "")) for text in texts] == pytest.approx([low, high], rel=5e-3, abs=head.step)


def test_moving_a_slider_moves_the_sum_and_the_cheapest_cut_off_follows_the_costs(open_page):
    opened = open_page(report(CARD, ROWS, GOOD))
    move = "(at) => { const slider = one('.slider'); slider.value = at; slider.dispatchEvent(new Event('input')); "
    read = "return Number(one('#score-lines .sum b').textContent); }"
    sums = [opened.run(move + read, at) for at in (0, 40, 72)]
    assert sums[1] - sums[0] == 5
    cheapest = "(cost) => { one('#cost-miss').value = cost; one('#cost-miss').dispatchEvent(new Event('input'));"
    cheapest += " return [one('.is-cheapest th').textContent, all('.cost').map((cell) => Number(cell.textContent))]; }"
    scores = CARD.evaluate(ROWS, GOOD)
    for cost in (0.01, 1, 100):
        marked, costs = opened.run(cheapest, cost)
        wrong = {
            cutoff.score: sum(
                counts[0] if score >= cutoff.score else cost * counts[1] for score, counts in scores.score_rows
            )
            for cutoff in scores.cutoffs
        }
        assert costs == pytest.approx([value / len(ROWS) for value in wrong.values()], rel=5e-3)
        assert wrong[int(marked)] == min(wrong.values())


def test_a_card_of_a_base_only_says_so():
    base = RuleNetwork(
        COLUMNS, (), [Level((), ())], ("good", "bad"), head=Points([], [0], cutoff=1, probabilities=[(0, 0.3)])
    )
    html = report(base, ROWS, GOOD)
    assert "There are no rules: all rows have the score of the base." in html
    assert "looks at nothing" in html
    number = RuleNetwork(COLUMNS, (), [Level((), ())], (), head=Points([], [7], step=0.5))
    assert "There are no rules: prediction is 3.5 on all rows." in report(number, ROWS, answers("number"))
    assert base.draw().text.count("<g class=") == 1


def test_rows_without_one_of_the_classes_have_no_curves():
    html = report(CARD, ROWS, ["good"] * len(ROWS))
    assert "Curves over cut-offs need rows of both classes, and these are of one." in html
    assert "Where to set the cut-off" not in html
    assert "Scores by class" in html
    unknown = report(CARD, ROWS, ["other"] * len(ROWS))
    assert "Scores by class" in unknown


def test_rows_that_do_not_fit_are_refused():
    rows = [{"age": 40, "idle": 0.0}]
    for card, label in ((CARD, "good"), (CARDS["number"], 3.0)):
        with pytest.raises(InputError, match="job"):
            report(card, rows, [label])
    with pytest.raises(InputError, match="holds 'good'"):
        report(CARDS["number"], ROWS, GOOD)


def test_real_rows_are_there_only_if_asked_for():
    for name, card in CARDS.items():
        plain = report(card, ROWS, answers(name))
        assert "made up from the rules" in plain
        assert "It holds rows of the data" in report(card, ROWS, answers(name), include_rows=True)


def test_the_model_card_has_the_metrics_of_the_head():
    two = str(model_card(CARD, ROWS, GOOD, title="Risk"))
    assert "a scorecard: rules with whole-number points that add up" in two
    assert "| AUC |" in two
    number = str(model_card(CARDS["number"], ROWS, answers("number"), title="Miles"))
    assert "| R2 |" in number
    assert "No row gets less than" in number
