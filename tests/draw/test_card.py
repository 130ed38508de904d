"""A notebook shows a scorecard and the score of a row as tables: every rule and its points, hostile names as text."""

from __future__ import annotations

from dataclasses import replace

from conceptrules.model import Column, Equals, Interval, Level, Literal, Points, Rule, RuleNetwork
from tests.draw.html_reader import Reader
from tests.model.test_card import CARD, COUNTED

HOSTILE = "<script>alert('x')</script>"
SEEN = {
    "code",
    "details",
    "div",
    "em",
    "li",
    "p",
    "pre",
    "strong",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}


def test_the_card_has_every_rule_its_points_and_the_probabilities() -> None:
    html = replace(CARD, statistics=COUNTED)._repr_html_()
    shown = Reader(html)
    for text in ("bad = 1 is the answer from a score of 5 on", "> 43.5", "missing", "(was late)", "20.0%", "from 9"):
        assert text in shown.text
    table = html.partition("<details>")[0]
    for points in ("-3", "+5", "+3", "+9", "-1", "-2", "+1", "+2", "+4"):
        assert f'<td class="figure">{points}</td>' in table
    assert '<th rowspan="4">debt</th>' in table
    assert str(replace(CARD, statistics=COUNTED)).splitlines()[-1] in shown.text


def test_bars_go_to_the_right_for_points_and_to_the_left_for_points_taken_away() -> None:
    table = CARD._repr_html_()
    assert "margin-left: 50.0%; width: 50.0%" in table  # +9, the most points
    assert "margin-left: 44.4%; width: 5.6%" in table  # -1
    several = Points([[1, 0, -2]] * 9, [0, 0, 0], offsets=[0, 1, 0])
    assert 'class="bar"' not in replace(CARD, classes=("a", "b", "c"), head=several)._repr_html_()


def test_the_score_of_a_row_is_a_table_that_adds_up() -> None:
    shown = Reader(CARD.explain({"job": "cook", "debt": 50, "late": 2})._repr_html_())
    assert "bad = 1, since the score of 9 is at least 5. The chance of bad = 1 is 86.0%." in shown.text
    assert "debt > 43.5" in shown.text
    assert "+9" in shown.text


def test_hostile_names_are_text_and_nothing_runs_or_loads() -> None:
    columns = [Column(HOSTILE), Column("job", "category", (HOSTILE, "\x1b[2J"))]
    tests = [Interval(HOSTILE, 5), Equals("job", HOSTILE)]
    level = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(0), Literal(1)])], ())
    head = Points([[1], [2], [3]], [0], cutoff=1, probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, tests, [level], [f"{HOSTILE}0", f"{HOSTILE}1"], head=head, target=HOSTILE)
    card = replace(card, names=((f"{HOSTILE} > 5", HOSTILE),))
    for html in (card._repr_html_(), card.explain([9, HOSTILE])._repr_html_()):
        shown = Reader(html)
        assert shown.tags <= SEEN
        assert shown.attributes <= {"class", "style", "rowspan", "colspan", "aria-hidden"}
        assert HOSTILE in shown.text
        assert "\x1b" not in shown.text
