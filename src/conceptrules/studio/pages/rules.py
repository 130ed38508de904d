"""The rules: as cards, as a decision table and as a network; the settings around them."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import Any

from nicegui import ui

from conceptrules.draw.views import draw
from conceptrules.edit.operations import Operation, SetCutoff, SetDefault, SetPoints, SetPriority
from conceptrules.model.card import card_text
from conceptrules.model.text import word
from conceptrules.studio.pages.editor import PointsForm, edit_rule, open_panel, plain, write_rule, write_title
from conceptrules.studio.pages.effects import EditTrial, as_number
from conceptrules.studio.pages.frame import Page, heading, say
from conceptrules.studio.rule_views import RuleView, list_owners, list_rules, view_table

_VIEWS = {"cards": "Cards", "table": "Decision table", "network": "Network"}
_MOST_CARDS = 60


def show(page: Page) -> None:
    """Show the rules."""
    network, state = page.session.network, page.state
    with ui.element("div").classes("bar"):
        ui.button("Add a rule", on_click=partial(write_rule, page)).props("no-caps")
        ui.button("Settings", on_click=partial(change_settings, page)).props("no-caps outline")
        view = ui.select(_VIEWS, value=state.get("view", "cards"), label="Shown as")
        column = ui.select(
            {"": "all columns", **{name: name for name in network.used_columns}},
            value=state.get("column", ""),
            label="Column",
        )
        names = [name for name, _ in list_owners(network)]
        owner = ui.select(
            {"": "all", **{name: name for name in names}},
            value=state.get("owner", ""),
            label="Class" if network.head is None else "Card",
        )
        words = ui.input("Search", value=state.get("words", "")).props("clearable")
    for field in (view, column, owner, words):
        field.props("outlined dense")
    owner.set_visibility(network.head is None)
    content = ui.element("div")

    def fill() -> None:
        page.state |= {"view": view.value, "column": column.value, "owner": owner.value, "words": words.value or ""}
        content.clear()
        with content:
            rules = list_rules(page.session, column.value or "", owner.value or "", words.value or "")
            if view.value == "network":
                _show_network(page)
            elif view.value == "table":
                _show_table(page, rules)
            else:
                _show_cards(page, rules)

    for field in (view, column, owner, words):
        field.on_value_change(fill)
    fill()


def _show_cards(page: Page, rules: list[RuleView], most: int = _MOST_CARDS) -> None:
    if not rules:
        say("No rule is like that." if page.session.network.edges else "There are no rules.")
        return
    for group, members in groupby(rules[:most], key=lambda rule: rule.group):
        if group:
            heading(2, group)
        elif page.session.network.head is not None:
            heading(2, "Several columns together")
        with ui.element("ul").classes("rules"):
            for rule in members:
                _show_card(page, rule)
    if len(rules) > most:
        more = ui.element("div").classes("bar")

        def show_all() -> None:
            parent = more.parent_slot.parent if more.parent_slot else None
            assert parent is not None
            parent.clear()
            with parent:
                _show_cards(page, rules, len(rules))

        with more:
            say(f"{most} of {len(rules)} rules.")
            ui.button("Show all", on_click=show_all).props("no-caps outline dense")


def _show_card(page: Page, rule: RuleView) -> None:
    with ui.element("li").classes("rule").props("data-test=rule"):
        with ui.element("div").classes("what"):
            ui.html(_rule_html(rule), sanitize=False)
            say(", ".join(rule.figures)).classes("figures").props(f"title={rule.name}")
        change = ui.button("Change", on_click=partial(edit_rule, page, rule))
        change.props(f'no-caps outline dense aria-label="Change the rule {plain(rule.text)}"')


def _rule_html(rule: RuleView) -> str:
    from conceptrules.draw.appearance import escape_text

    conditions = '<span class="joint">and</span>'.join(
        f'<span class="condition">{escape_text(each.text)}</span>' for each in rule.conditions
    )
    title = f"<em>{escape_text(rule.title)}</em>: " if rule.title else ""
    lock = '<span class="joint">locked</span>' if rule.locked else ""
    return (
        f'<p>{title}{conditions or "always"}<span class="joint">→</span>'
        f'<span class="owner">{escape_text(rule.answer)}</span>{lock}</p>'
    )


def _show_table(page: Page, rules: list[RuleView]) -> None:
    """Show the rules as a decision table, whose lines open the editor."""
    table = view_table(rules)
    answer = "points" if page.session.network.head is not None else "answer"
    with (
        ui.element("div").classes("scroll").props('tabindex=0 role=region aria-label="Decision table"'),
        ui.element("table").classes("decisions"),
    ):
        with ui.element("thead"), ui.element("tr"):
            for name in ("rule", *table.headings, answer, "rows"):
                say(name, "th").props("scope=col")
        with ui.element("tbody"):
            for rule, cells in table.lines:
                with ui.element("tr"):
                    with ui.element("td"):
                        ui.button(rule.name, on_click=partial(edit_rule, page, rule)).props(
                            f'no-caps flat dense aria-label="Change the rule {rule.name}"'
                        )
                    for cell in cells:
                        say(cell, "td")
                    say(rule.answer, "td")
                    say(rule.figures[0].partition(" ")[0] if rule.figures else "", "td")
    network = page.session.network
    if network.head is None:
        say(
            f"Where rules of several classes hold, the first of these wins: {', '.join(map(word, network.priority))}. "
            f"Where none holds, the answer is {word(network.default)}."
        )


def _show_network(page: Page) -> None:
    network = page.session.network
    ui.html(draw(network).text, sanitize=False).classes("drawing")
    if network.head is not None:
        ui.html(f"<pre>{_escape(card_text(network))}</pre>", sanitize=False).classes("scroll")


def _escape(text: str) -> str:
    from conceptrules.draw.appearance import escape_text

    return "\n".join(map(escape_text, text.splitlines()))


def change_settings(page: Page) -> None:
    """Open the panel with priority and default, or base and cut-off."""
    network = page.session.network
    with open_panel(page, "Settings") as panel, ui.element("div").classes("panel"):
        form = ui.element("div")
        trial = EditTrial(page, panel.close)
    with form:
        write_title("Settings", panel)
        show_form = _show_priority if network.head is None else _show_head
        show_form(page, trial.run)


def _show_priority(page: Page, run: Any) -> None:
    network = page.session.network
    order = list(network.priority)
    heading(3, "Which class wins where several fire")
    lines = ui.element("ol")

    def move(place: int, by: int) -> None:
        order[place], order[place + by] = order[place + by], order[place]
        fill()

    def fill() -> None:
        lines.clear()
        with lines:
            for place, label in enumerate(order):
                with ui.element("li"), ui.element("div").classes("bar"):
                    say(word(label), "span")
                    name = plain(word(label))
                    if place:
                        ui.button("Up", on_click=partial(move, place, -1)).props(
                            f'no-caps outline dense aria-label="Move {name} up"'
                        )
                    if place < len(order) - 1:
                        ui.button("Down", on_click=partial(move, place, 1)).props(
                            f'no-caps outline dense aria-label="Move {name} down"'
                        )

    fill()
    ui.button("Show what this order does", on_click=lambda: run(SetPriority(tuple(order)))).props("no-caps outline")
    heading(3, "The answer where no rule holds")
    labels = {word(label): label for label in network.classes}
    chosen = ui.select(list(labels), value=word(network.default), label="Class").props("outlined dense")
    ui.button("Show what this default does", on_click=lambda: run(SetDefault(labels[chosen.value]))).props(
        "no-caps outline"
    )


def _show_head(page: Page, run: Any) -> None:
    head = page.session.network.head
    assert head is not None

    def try_cutoff() -> Any:
        operation: Operation = SetCutoff(int(as_number(cutoff.value) or 0))
        return run(operation)

    if head.probabilities:
        heading(3, "The cut-off")
        label = f"From this score on the answer is {word(page.session.network.classes[1])}"
        cutoff = ui.number(label, value=head.cutoff, precision=0).props("outlined dense").classes("why")
        ui.button("Show what this cut-off does", on_click=try_cutoff).props("no-caps outline")
    heading(3, "The base, which every row has")
    base = PointsForm(page, None)
    for field, value in zip(base.fields, head.base, strict=True):
        field.set_value(None if head.link == "log" else value * (head.step or 1))
    ui.button("Show what this base does", on_click=lambda: run(SetPoints("base", base.value() or 0))).props(
        "no-caps outline"
    )
