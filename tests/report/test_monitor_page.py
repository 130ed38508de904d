"""The page: nothing in it runs or loads, and names are text."""

from __future__ import annotations

import re

import pytest

from conceptrules import ConceptRuleClassifier
from tests.monitor.examples import KINDS, learn, make_rows, targets_of

ROWS = make_rows(200, 0.3, seed=5)
EVIL = "</style><script>alert(1)</script><b>"


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_all_that_the_value_has(kind):
    result = learn(kind).monitor(ROWS[0], targets_of(kind, *ROWS), groups="region")
    page = result.html()
    for rule in result.rules:
        assert f'<th scope="row">{rule.name}: ' in page
    assert page.count("<details") == len(result.shifts)
    assert "north" in page
    assert not re.search(r"<script|https?://|src=|url\(", page)


def test_names_are_nothing_but_text():
    X, y = make_rows(200, 0.3)
    X = X.rename(columns={"region": EVIL}).assign(group=EVIL)
    result = (
        ConceptRuleClassifier(effort="fast", max_rules=2)
        .fit(X.drop(columns="group"), y)
        .network_.monitor(X, y, groups="group")
    )
    page = result.html([{"when": EVIL, "figures": {"accuracy": 1}}, {"when": EVIL, "figures": {"accuracy": 0.5}}])
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_a_browser_shows_it_without_a_complaint(open_page):
    days = ["2024-01-05"] * 90 + ["2024-02-05"] * 110
    opened = open_page(learn("decision").monitor(*ROWS, time=days).html(), viewport={"width": 420, "height": 800})
    assert opened.run("document.querySelectorAll('polyline').length") > 0
    assert opened.run("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.errors == []
