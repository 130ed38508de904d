"""The page in a real browser: it decides as Python does, loads nothing, and can be used without a mouse."""

from __future__ import annotations

import datetime as dt
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from conceptrules.datasets import DatasetError
from conceptrules.datasets.loading import catalogue
from conceptrules.explain.counterfactual import find_counterfactual
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval
from conceptrules.model.text import word
from conceptrules.report import report
from conceptrules.report.collect import keep_used_columns
from conceptrules.report.form import form_fields, to_form
from conceptrules.tables.table import open_table, read_row
from tests.report import examples

# Enters a row as a person would, through the elements of the form, and reads the decision off the page.
ENTER = """(rows) => rows.map((values) => {
  values.forEach((value, number) => {
    const field = document.querySelector(`.field[data-column="${number}"]`);
    const select = field.querySelector("select");
    const say = (element, type) => element.dispatchEvent(new Event(type, {bubbles: true}));
    if (select) {
      select.value = value === null ? "missing" : String(value);
      say(select, "change");
      return;
    }
    const missing = field.querySelector(".missing");
    if (missing.checked !== (value === null)) {
      missing.checked = value === null;
      say(missing, "change");
    }
    if (value !== null) {
      field.querySelector(".box").value = boxText(model.columns[number], value);
      say(field.querySelector(".box"), "input");
    }
  });
  return document.querySelector("#decision-class").textContent;
})"""
# The counterfactual of the row in the form, searched to its end at once.
CHANGE = """(rows) => rows.map((values) => {
  setRow(values);
  const search = findCounterfactual(model, [...row], decide(namedRow(row)).class, new Set(), 2000000);
  let next = search.next();
  while (!next.done) next = search.next();
  return next.value.changes === null ? (next.value.proved ? 0 : -1) : next.value.changes.length;
})"""


def form_rows(network: RuleNetwork, table: Any, count: int) -> list[list[float | None]]:
    network = keep_used_columns(network)
    opened, form = open_table(table), form_fields(network)
    rows = [read_row(network.columns, opened.take(np.array([place]))) for place in range(min(count, opened.rows))]
    return [list(to_form(row, form)) for row in rows]


def first(table: Any, count: int) -> Any:
    return table[:count] if isinstance(table, list) else table.slice(0, count)


def one_by_one(table: Any, count: int) -> list[Any]:
    return [table[place] if isinstance(table, list) else table.slice(place, 1) for place in range(count)]


def loaded(name: str, *sizes: int) -> examples.Data:
    try:
        return examples.dataset_example(name, sizes or (16,))
    except DatasetError as error:
        pytest.skip(str(error))


@cache
def adult_page() -> str:
    return report(*loaded("adult"))


@cache
def odd_page(name: str) -> str:
    network, X, y = getattr(examples, name)()
    return report(network, X, y.tolist())


def same_decisions(open_page, network: RuleNetwork, table: Any, count: int) -> None:
    opened = open_page(report(network))
    found = opened.run(ENTER, form_rows(network, table, count))
    assert found == [word(name) for name in network.predict(first(table, count)).tolist()]
    assert len(set(found)) > 1


@pytest.mark.parametrize("name", catalogue())
def test_the_page_decides_as_python_does_on_every_data_set(open_page, name):
    network, X, _ = loaded(name)
    same_decisions(open_page, network, X, 200 if name in ("tic-tac-toe", "adult") else 50)


@pytest.mark.parametrize("name", ["tic-tac-toe", "adult"])
def test_and_through_two_levels(open_page, name):
    network, X, _ = loaded(name, 40, 12, 20)
    same_decisions(open_page, network, X, 50)


def test_and_with_26_classes_gaps_and_unseen_categories(open_page):
    network, table, _ = examples.many_classes()
    same_decisions(open_page, network, table, 200)


def test_and_with_names_that_would_break_out(open_page):
    network, table, y = examples.hostile()
    opened = open_page(report(network, table, y.tolist(), include_rows=True))
    assert opened.run(ENTER, form_rows(network, table, 60)) == [word(name) for name in network.predict(table).tolist()]


@pytest.mark.parametrize(
    ("name", "sizes"), [("tic-tac-toe", ()), ("tic-tac-toe", (20, 8, 12)), ("adult", ()), ("26 classes", ())]
)
def test_the_counterfactual_is_as_small_as_pythons(open_page, name, sizes):
    network, table, _ = examples.many_classes() if name == "26 classes" else loaded(name, *sizes)
    opened = open_page(report(network))
    sizes = opened.run(CHANGE, form_rows(network, table, 30))
    changes = [find_counterfactual(network, row) for row in one_by_one(table, 30)]
    assert sizes == [0 if change is None else len(change.changes) for change in changes]
    assert all(change is None or change.proved for change in changes)
    assert any(sizes)


def test_a_slider_a_box_and_a_list_change_the_decision(open_page):
    network, _, _ = examples.many_classes()
    opened = open_page(report(network))
    page = opened.page
    for number in range(3):
        page.locator('.field[data-column="0"] .slider').press("End" if number % 2 else "Home")
        page.locator('.field[data-column="1"] .box').fill(str(number - 1.25))
        page.locator('.field[data-column="2"] select').select_option(label=["blue", "any other", "missing"][number])
        page.locator('.field[data-column="3"] select').select_option(label=["True", "False", "missing"][number])
        weight = ["bold", "any other", "missing"][number]
        page.locator('.field[data-column="4"] select').select_option(label=weight)
        row = {
            "width": opened.run("row[0]"),
            "height": number - 1.25,
            "ink": ["blue", "crimson", None][number],
            "serif": [True, False, None][number],
            "weight": ["bold", "ultra", None][number],
        }
        assert page.locator("#decision-class").text_content() == word(network.predict([row]).tolist()[0])
    page.locator('.field[data-column="0"] .missing').check()
    assert opened.run("row[0]") is None
    row["width"] = None
    assert page.locator("#decision-class").text_content() == word(network.predict([row]).tolist()[0])


def test_sliders_reach_every_cell_and_stand_where_the_value_is(open_page):
    network, _, _ = examples.many_classes()
    opened = open_page(report(network))
    positions, values, back, cuts = opened.run("""() => {
        const column = model.columns[1];
        const positions = [...Array((column.cuts.length + 1) * STEPS + 1).keys()];
        const values = positions.map((position) => valueAt(column, position));
        return [positions, values, values.map((value) => positionOf(column, value)), column.cuts];
    }""")
    assert values == sorted(values)
    assert positions == back
    assert set(cuts) <= set(values)
    assert len({sum(value > cut for cut in cuts) for value in values}) == len(cuts) + 1


def test_making_the_counterfactual_change_flips_the_decision(open_page):
    network, X, _ = loaded("tic-tac-toe")
    opened = open_page(report(network))
    page = opened.page
    for row in form_rows(network, X, 10):
        opened.run("(values) => setRow(values)", row)
        before = page.locator("#decision-class").text_content()
        page.wait_for_selector("#counterfactual[data-state=done]", state="attached")
        promised = page.locator("#counterfactual strong").text_content()
        page.get_by_role("button", name="Make this change").click()
        assert page.locator("#decision-class").text_content() == promised != before


def test_columns_that_are_kept_do_not_change(open_page):
    network, X, _ = loaded("tic-tac-toe")
    opened = open_page(report(network))
    [row] = form_rows(network, X, 1)
    opened.run("(values) => setRow(values)", row)
    keep = opened.page.locator(".keep")
    for number in range(keep.count()):
        keep.nth(number).check()
    opened.page.wait_for_selector("#counterfactual[data-size=none]", state="attached")
    assert "no change" in opened.page.locator("#counterfactual").text_content()


def moments() -> RuleNetwork:
    """Rules on a date, a time and a duration."""
    day = 86_400e6
    columns = [Column("born", "date"), Column("seen", "datetime"), Column("stay", "duration")]
    predicates = [Interval("born", 5000 * day), Interval("seen", high=9000.5 * day), Interval("stay", day, 3 * day)]
    rules = [Rule([Literal(0), Literal(1)]), Rule([Literal(2)])]
    return RuleNetwork(columns, predicates, [Level(rules, [Concept([0]), Concept([1])])], ["a", "b"], default="b")


def test_dates_times_and_durations_are_entered_as_such(open_page):
    network = moments()
    opened = open_page(report(network))
    page = opened.page
    for born in (dt.date(1983, 9, 10), dt.date(1983, 9, 11)):
        for seen in (dt.datetime(1994, 8, 23, 12, 0), dt.datetime(1994, 8, 23, 12, 1)):
            for hours in (24, 25, 72, 73):
                page.locator('.field[data-column="0"] .box').fill(born.isoformat())
                page.locator('.field[data-column="1"] .box').fill(seen.isoformat(timespec="minutes"))
                page.locator('.field[data-column="2"] .box').fill(str(hours * 3600))
                row = {"born": born, "seen": seen, "stay": dt.timedelta(hours=hours)}
                assert page.locator("#decision-class").text_content() == network.predict([row]).tolist()[0]
    parts = page.locator(".part").all_text_contents()
    assert parts == ["over 1983-09-10", "over 1994-08-23 12:00", "over 3 days 0:00:00"]


def test_pointing_at_a_node_shows_what_it_depends_on_and_feeds(open_page):
    network, X, y = loaded("tic-tac-toe", 12, 5, 8)
    page = open_page(report(network, X, y)).page
    node = page.locator('#drawing [data-node="2.0"]').first
    node.hover()
    depends, feeds = node.get_attribute("data-depends").split(), node.get_attribute("data-feeds").split()
    assert depends
    assert feeds
    for name in depends:
        assert "is-below" in page.locator(f'#drawing [data-node="{name}"]').get_attribute("class")
    for name in feeds:
        assert "is-above" in page.locator(f'#drawing [data-node="{name}"]').get_attribute("class")
    node.click()
    assert "Rule R2.1" in page.locator("#node-panel").text_content()


def test_the_path_of_the_row_is_lit(open_page):
    network, X, _ = loaded("tic-tac-toe", 12, 5, 8)
    opened = open_page(report(network))
    opened.run("(values) => setRow(values)", form_rows(network, X, 1)[0])
    lit, held = opened.run("""() => {
        const decision = decide(namedRow(row));
        const shown = [...document.querySelectorAll("#drawing .rule")].map((node) => node.dataset.node);
        const lit = [...document.querySelectorAll("#path .rule.is-lit")].map((node) => node.dataset.node);
        return [lit.sort(), decision.rules.map(drawn).filter((name) => shown.includes(name)).sort()];
    }""")
    assert lit == held
    assert lit


def test_rules_are_filtered_by_column_and_sorted(open_page):
    network, X, y = loaded("tic-tac-toe")
    page = open_page(report(network, X, y)).page
    shown = page.locator("#rules .rule:visible")
    everything = shown.count()
    page.locator("#rules-column").select_option(index=1)
    number = page.locator("#rules-column").input_value()
    assert 0 < shown.count() < everything
    assert all(number in (shown.nth(i).get_attribute("data-columns") or "").split() for i in range(shown.count()))
    page.locator("#rules-column").select_option(index=0)
    for order, key, falling in (("rows", "data-rows", True), ("length", "data-length", False)):
        page.locator("#rules-order").select_option(order)
        group = page.locator(".rule-group").first.locator(".rule:visible")
        values = [float(group.nth(i).get_attribute(key)) for i in range(group.count())]
        assert values == sorted(values, reverse=falling)


def test_the_keyboard_alone_reaches_everything(open_page):
    network, X, y = loaded("tic-tac-toe")
    page = open_page(report(network, X, y, include_rows=True)).page
    wanted = page.evaluate("""() => {
        const visible = (one) => one.checkVisibility() && !one.closest("details:not([open]) > :not(summary)");
        const can = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")];
        can.filter(visible).forEach((one, number) => (one.dataset.wanted = number));
        return document.querySelectorAll("[data-wanted]").length;
    }""")
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.wanted"))
    assert {str(number) for number in range(wanted)} <= reached
    assert wanted > 30


def test_the_keyboard_walks_through_the_drawing(open_page):
    network, X, y = loaded("tic-tac-toe", 6, 3, 4)
    opened = open_page(report(network, X, y))
    page = opened.page
    opened.run("nodes[0].focus()")
    met = set()
    waiting = [opened.run("document.activeElement.dataset.node")]
    while waiting:
        name = waiting.pop()
        for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
            opened.run("(name) => focusNode(nodeOf(name))", name)
            page.keyboard.press(key)
            found = opened.run("document.activeElement.dataset.node")
            if found not in met:
                met.add(found)
                waiting.append(found)
    assert met == set(opened.run("nodes.map((node) => node.dataset.node)"))
    page.keyboard.press("Enter")
    assert page.locator("#node-panel h3").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#node-panel h3").count() == 0


def test_a_rule_opens_by_key_and_leads_to_the_drawing_and_back(open_page):
    network, X, y = loaded("tic-tac-toe")
    page = open_page(report(network, X, y)).page
    rule = page.locator("#rules .rule").first
    rule.locator("summary").focus()
    page.keyboard.press("Enter")
    assert rule.get_attribute("open") is not None
    rule.get_by_role("button", name="Show in the drawing").press("Enter")
    assert page.evaluate("document.activeElement.dataset.node") == rule.get_attribute("data-node")
    page.get_by_role("link", name="Read it among the rules").press("Enter")
    assert page.url.endswith(f"#{rule.get_attribute('id')}")


NAMELESS = """() => [...document.querySelectorAll("input, select, button, a[href], summary, [role=button]")]
    .filter((one) => !(one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.labels?.length
        || one.textContent.trim()))
    .map((one) => one.outerHTML)"""


def test_a_screen_reader_finds_names_headings_and_landmarks(open_page):
    page = open_page(adult_page()).page
    assert page.evaluate(NAMELESS) == []
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("table").count() == page.locator("table:has(th)").count()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    broken = page.evaluate("""[...document.querySelectorAll("a[href^='#']")]
        .map((one) => one.getAttribute("href").slice(1)).filter((id) => !document.getElementById(id))""")
    assert broken == []


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_sticks_out_of_the_page(open_page, width):
    for html in (adult_page(), odd_page("many_classes"), odd_page("hostile")):
        page = open_page(html, viewport={"width": width, "height": 800}).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 800])
def test_a_drawing_wider_than_its_frame_opens_where_its_captions_begin(open_page, width):
    page = open_page(adult_page(), viewport={"width": width, "height": 800}).page
    frames = page.evaluate("all('.drawing').map((one) => [one.scrollLeft, one.scrollWidth - one.clientWidth])")
    assert len(frames) == 2
    assert all(most > 0 and left == 0 for left, most in frames)
    cut = """all('.drawing').flatMap((frame) => all('text.note, text.layer', frame).filter((one) =>
        one.getBoundingClientRect().left < frame.getBoundingClientRect().left))"""
    assert page.evaluate(cut) == []


CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = getComputedStyle(at).backgroundColor;
      if (found.startsWith("rgb") && !/, 0\\)$/.test(found)) return parts(found);
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("main *, nav *, footer *")].filter((one) => !one.closest("svg")
      && one.checkVisibility() && [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .map((one) => {
      const [a, b] = [light(parts(getComputedStyle(one).color)), light(ground(one))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), one.className, one.textContent.slice(0, 30)];
    }).filter(([ratio]) => ratio < 4.5);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(open_page, scheme):
    page = open_page(adult_page(), color_scheme=scheme).page
    assert page.evaluate(CONTRAST) == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    assert dark == (scheme == "dark")


def test_it_prints_to_pdf_with_everything_unfolded(open_page, tmp_path):
    page = open_page(adult_page(), color_scheme="dark").page
    folded = "document.querySelectorAll('details:not([open]):not(.form-only)').length"
    assert page.evaluate(folded) > 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(folded) == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(folded) > 0
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf()[:5] == b"%PDF-"
