"""Hostile names, and networks that are too large, too small or without anything."""

from __future__ import annotations

import math
import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model.evaluation import decide_fired, layers_plain
from conceptrules.model.predicate import holds, printable
from conceptrules.model.statistics import edges
from conceptrules.report import report
from conceptrules.report.collect import keep_used_columns
from conceptrules.report.form import form_fields, to_form
from conceptrules.report.rule_list import group_rules
from tests.report import examples
from tests.strategies import networks


class Tags(HTMLParser):
    """The elements of a page, and the attributes that run or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.bad: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            outside = name in ("src", "href", "action", "srcset") and not (value or "").startswith("#")
            if name.startswith("on") or name == "style" or outside:
                self.bad.append((tag, name))


def tags_of(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    return parser


@cache
def hostile_page(with_rows: bool) -> str:
    network, table, y = examples.hostile()
    rows = (table, y.tolist()) if with_rows else ()
    return report(network, *rows, title=examples.HOSTILE[0], include_rows=with_rows)


@cache
def large_page() -> str:
    return report(examples.large())


@pytest.mark.parametrize("with_rows", [False, True])
def test_hostile_names_are_text(with_rows):
    html = hostile_page(with_rows)
    parsed = tags_of(html)
    assert parsed.tags.count("script") == 2
    assert parsed.bad == []
    assert {"img", "iframe", "object", "embed", "link"}.isdisjoint(parsed.tags)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028\u202e]", html)
    html.encode()


def test_hostile_names_are_shown_and_run_nothing(open_page):
    network, table, y = examples.hostile()
    page = open_page(report(network, table, y.tolist(), title=examples.HOSTILE[2], include_rows=True)).page
    names = [" ".join(printable(name or "(no name)").split()) for name in examples.HOSTILE]
    found = [" ".join(text.split()) for text in page.locator(".field-name").all_text_contents()]
    assert sorted(found) == sorted(names)
    assert page.title() == examples.HOSTILE[2]
    assert page.locator("img").count() == 0


def test_the_policy_lets_nothing_else_run(open_page):
    opened = open_page(report(examples.no_rule()))
    ran = opened.run("""() => new Promise((done) => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        setTimeout(() => done(window.ran === true));
    })""")
    assert not ran
    assert len(opened.errors) == 1
    assert "Content Security Policy" in opened.errors.pop()


def test_a_network_without_any_rule(open_page):
    page = open_page(report(examples.no_rule())).page
    assert "always old" in page.locator(".lead").text_content() or "every row" in page.locator(".lead").text_content()
    assert page.locator("#decision-class").text_content() == "old"
    assert page.locator("#decision-rules").text_content() == "none"
    assert "There are no figures" in page.locator("#rules .intro").text_content()
    page.wait_for_selector("#counterfactual[data-size=none]", state="attached")


def test_a_long_search_does_not_leave_the_counterfactual_of_another_row(open_page):
    opened = open_page(report(examples.many_classes()[0]))
    opened.page.wait_for_selector("#counterfactual[data-state=done]", state="attached")
    assert "proved" in opened.page.locator("#counterfactual").text_content()
    opened.run("findCounterfactual = function* () { while (true) yield; }; showAnswer()")
    opened.page.wait_for_selector("#counterfactual .searching", state="attached")
    assert opened.page.locator("#counterfactual").text_content() == "Searching …"


def test_500_columns_stay_usable(open_page):
    network = examples.wide()
    page = open_page(report(network)).page
    form = form_fields(keep_used_columns(network))
    shown_fields = page.locator(".fields .field:visible")
    assert shown_fields.count() == 36 < len(form)
    page.locator("#field-search").fill("column 49")
    wanted = [field for field in form if "column 49" in field.name]
    assert shown_fields.count() == len(wanted)
    page.locator("#field-search").fill("")
    page.locator("#all-fields").click()
    assert shown_fields.count() == len(form)


def test_26_classes(open_page):
    network, table, y = examples.many_classes()
    page = open_page(report(network, table, y.tolist())).page
    assert page.locator(".matrix tbody tr").count() == 26
    assert page.locator("[id^=class-] > h3").count() == 26


def test_2000_edges_are_folded_and_nothing_is_lost(open_page):
    network = examples.large()
    assert edges(network) > 2000
    html = large_page()
    assert len(html.encode()) < 2_000_000
    page = open_page(html).page
    rules = page.locator(".rule:visible").count()
    assert rules < page.locator(".rule").count()
    more = page.locator(".rule-group:visible .more:visible").first
    more.click()
    assert page.locator(".rule:visible").count() > rules


@pytest.mark.parametrize(
    ("network", "write"),
    [
        (examples.large(), large_page),
        (examples.many_classes()[0], lambda: report(examples.many_classes()[0])),
        (examples.hostile()[0], lambda: hostile_page(False)),
    ],
)
def test_the_rule_list_has_every_edge(network, write):
    found = group_rules(network, None)
    sizes = {item.node: item.size for group in found for item in group.items}
    uses = sum(len(group.items) for group in found if not group.id.startswith("unused"))
    assert sum(sizes.values()) + uses == edges(network)
    html = write()
    assert html.count('class="rule"') == sum(len(group.items) for group in found)


def test_the_path_is_lit_through_folded_parts(open_page):
    opened = open_page(large_page())
    drawn, lit, held = opened.run("""() => {
        const members = (node) => (node.dataset.members || node.dataset.node).split(" ");
        const rules = [...document.querySelectorAll("#path .rule")];
        return [
            rules.flatMap(members),
            rules.filter((node) => node.classList.contains("is-lit")).flatMap(members),
            decide(namedRow(row)).rules.map(drawn),
        ];
    }""")
    assert set(held) & set(drawn) <= set(lit)
    assert opened.page.locator("#path .folded.rule.is-lit").count() > 0


DECIDE = "(rows) => rows.map((values) => { setRow(values); return decide(namedRow(row)).class; })"


def meaning(network, rows):
    """The class of each row of values as the columns read them, by the plain evaluation."""
    bits = [[holds(predicate, row[predicate.column]) for predicate in network.predicates] for row in rows]
    fired = layers_plain(network, np.array(bits, dtype=bool).reshape(len(rows), len(network.predicates)))[-1]
    return decide_fired(network, fired).tolist()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(networks(odd=True))
def test_odd_networks_decide_as_python_does(open_page, network):
    rows, asked = covering_rows(network, 50), keep_used_columns(network)
    entered = [to_form([row[column.name] for column in asked.columns], form_fields(asked)) for row in rows]
    values = [[str(v).replace("inf", "Infinity") if v in (math.inf, -math.inf) else v for v in row] for row in entered]
    opened = open_page(report(network))
    assert opened.run(DECIDE, values) == meaning(network, rows)
    opened.page.context.close()
