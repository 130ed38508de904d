"""The panel where a rule is changed or written: cuts on histograms, conditions, points, names, locks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from conceptrules.edit.operations import (
    AddLiteral,
    AddRule,
    BanRule,
    Batch,
    ChangeRule,
    DropLiteral,
    DropRule,
    LockRule,
    MoveCut,
    Operation,
    Rename,
    SetPoints,
    UnlockRule,
)
from conceptrules.edit.points import Amounts
from conceptrules.model.card import output_names
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.predicate import Column
from conceptrules.model.rule_reader import read_bound
from conceptrules.model.text import category_word, column_word, find_column, lists_text, states_itself, word
from conceptrules.report.charts import chart_svg
from conceptrules.studio.pages.effects import EditTrial, as_number
from conceptrules.studio.pages.frame import Page, heading, say
from conceptrules.studio.rule_views import (
    ConditionView,
    RuleView,
    count_rules_at_cut,
    cut_text,
    describe_points,
    explain_points,
    list_owners,
    make_histogram,
    move_cut_of_rule,
    say_answer,
)

_ORDERED = {">": "is more than", "<=": "is at most"}
_LISTED = {"in": "is one of", "not in": "is none of"}
_GAPS = {"missing": "is missing", "present": "is not missing"}


def open_panel(page: Page, title: str) -> ui.dialog:
    """Open a panel at the right of the page, over all of a narrow one; Esc closes it."""
    with page.client:  # not in the part of the page that a change builds anew
        panel = ui.dialog(value=True)
    panel.props(f'position=right full-height transition-duration=0 aria-label="{plain(title)}"')
    panel.on("hide", panel.delete)
    return panel


def edit_rule(page: Page, rule: RuleView) -> None:
    """Open the panel that changes a rule."""
    _RuleEditor(page, rule)


class _RuleEditor:
    """The panel of one rule."""

    def __init__(self, page: Page, rule: RuleView) -> None:
        self.page, self.rule = page, rule
        self.panel = open_panel(page, f"Change the rule {rule.text}")
        with self.panel, ui.element("div").classes("panel"), ui.element("div"):
            write_title("Change a rule", self.panel)
            say(f"{rule.text} → {rule.answer}").classes("lead")
            say(", ".join(rule.figures)).classes("quiet")
            self._list_conditions()
            self.bench = ui.element("div")
            with ui.element("div").classes("bar"):
                self._button("Add a condition", self._add_condition)
                self._button("Write the rule anew", self._write_anew)
                if rule.points:
                    self._button("Set its points", self._set_points)
                self._button("Name it", self._name)
            with ui.element("div").classes("bar"):
                self._button("Drop it", self._try(DropRule(rule.text, rule.label)))
                if rule.locked:
                    self._button("Unlock it", self._try(UnlockRule(rule.text)))
                else:
                    self._button("Lock it", self._try(LockRule(rule.text, rule.label)))
                self._button("Drop and ban it", self._try(BanRule(rule.text, rule.label)))
        with self.panel.default_slot.children[0]:
            self.trial = EditTrial(page, self.panel.close)

    def _button(self, text: str, action: Callable[[], Any]) -> None:
        ui.button(text, on_click=action).props("no-caps outline dense")

    def _try(self, operation: Operation) -> Callable[[], Any]:
        async def run() -> None:
            self.bench.clear()
            await self.trial.run(operation)

        return run

    def _list_conditions(self) -> None:
        heading(3, "Conditions")
        for condition in self.rule.conditions:
            with ui.element("div").classes("bar"):
                say(condition.text, "span").classes("condition")
                for cut in condition.cuts:
                    text = "Move the cut" if len(condition.cuts) == 1 else f"Move {cut}"
                    button = ui.button(text, on_click=partial(self._move_cut, condition, cut))
                    button.props(f'no-caps outline dense aria-label="Move the cut {cut} of {plain(condition.column)}"')
                drop = ui.button(
                    "Drop", on_click=self._try(DropLiteral(self.rule.text, condition.text, self.rule.label))
                )
                drop.props(f'no-caps outline dense aria-label="Drop the condition {plain(condition.text)}"')

    def _move_cut(self, condition: ConditionView, cut: str) -> None:
        """Show the histogram of a column with a slider for a cut point."""
        page, network = self.page, self.page.session.network
        name = condition.column
        self.bench.clear()
        with self.bench:
            heading(3, f"Move the cut of {name} from {cut}")
            drawing = ui.element("div")
            column = next(column for column in network.columns if column.name == name)
            shared = count_rules_at_cut(network, name, cut)
            field: Any
            if column.kind == "ordinal":
                words = [category_word(column, value) for value in column.categories[:-1]]
                field = ui.select(words, value=cut, label="The last category below the cut").props("outlined dense")
            else:
                field = self._show_slider(drawing, name, cut)
            everywhere = None
            if shared > 1:
                everywhere = ui.radio(
                    {False: "in this rule only", True: f"in all {shared} rules that cut there"}, value=False
                ).props("inline dense")

            async def show() -> None:
                new = str(field.value or "").strip()
                if everywhere is not None and everywhere.value:
                    await self.trial.run(MoveCut(name, cut, new))
                    return
                try:
                    text = move_cut_of_rule(network, self.rule.text, name, cut, new)
                except ConceptRulesError as error:
                    self.trial.refuse(str(error))
                    return
                await self.trial.run(ChangeRule(self.rule.text, text, self.rule.label))

            if column.kind != "ordinal":
                field.on("keydown.enter", show)
                self.slider.on("change", show, throttle=0.3, leading_events=False)  # each press of a key is a change
            ui.button("Show what this does", on_click=show).props("no-caps")
        page.client.run_javascript(f"getHtmlElement({field.id})?.scrollIntoView({{block: 'nearest'}})")

    def _show_slider(self, drawing: ui.element, name: str, cut: str) -> Any:
        """Draw the column, with a slider and a field for the new cut."""
        session = self.page.session
        histogram = make_histogram(session.network, session.rows, name, cut)
        with drawing:
            ui.html(chart_svg(histogram.chart), sanitize=False)
            legend = " ".join(
                f'<span><span class="key k{series.colour}"></span>{series.name}</span>'
                for series in histogram.chart.legend
            )
            ui.html(legend, sanitize=False).classes("quiet")
            if histogram.missing:
                say(f"In {histogram.missing:,} rows the value is missing.").classes("quiet")
        # The browser's own slider: it has its role and its name where the focus is, which that of the library has not.
        self.slider = ui.element("input").classes("why").props(f'type=range aria-label="The cut of {plain(name)}"')
        self.slider.props(f"min={histogram.low} max={histogram.high} step={histogram.step}")
        # The attribute, not the property: that one would be set again whenever the page shows something new.
        self.slider.props["^value"] = read_bound(find_column(session.network, name), cut)
        field = ui.input(f"The new cut of {name}", value=cut).props("outlined dense")
        self.slider.on(
            "input",
            lambda event: field.set_value(cut_text(session.network, name, float(event.args))),
            js_handler="(event) => emit(event.target.value)",
        )
        self.slider.run_method("focus")
        return field

    def _add_condition(self) -> None:
        self.bench.clear()
        with self.bench:
            heading(3, "Add a condition")
            form = ConditionForm(self.page)

            async def show() -> None:
                await self.trial.run(AddLiteral(self.rule.text, form.text(), self.rule.label))

            ui.button("Show what this does", on_click=show).props("no-caps")

    def _write_anew(self) -> None:
        self.bench.clear()
        with self.bench:
            heading(3, "Write the rule anew")
            field = ui.textarea("The rule in words", value=self.rule.text).props("outlined autogrow").classes("why")

            async def show() -> None:
                await self.trial.run(ChangeRule(self.rule.text, field.value or "", self.rule.label))

            ui.button("Show what this does", on_click=show).props("no-caps")

    def _set_points(self) -> None:
        self.bench.clear()
        with self.bench:
            heading(3, "Set its points")
            form = PointsForm(self.page, self.rule)

            async def show() -> None:
                await self.trial.run(SetPoints(self.rule.text, form.value() or 0))

            form.on_enter(show)
            ui.button("Show what this does", on_click=show).props("no-caps")

    def _name(self) -> None:
        self.bench.clear()
        with self.bench:
            heading(3, "Name it")
            field = ui.input("What people call it", value=self.rule.title).props("outlined dense").classes("why")

            async def show() -> None:
                await self.trial.run(Rename(self.rule.text, field.value or ""))

            field.on("keydown.enter", show)
            ui.button("Show what this does", on_click=show).props("no-caps")


def write_rule(page: Page) -> None:
    """Open the panel that adds a rule."""
    network = page.session.network
    owners = dict(list_owners(network))
    with open_panel(page, "Add a rule") as panel, ui.element("div").classes("panel"):
        form = ui.element("div")
        trial = EditTrial(page, panel.close)
    with form:
        write_title("Add a rule", panel)
        answers = {name: say_answer(network, name, name in map(word, network.classes)) for name in owners}
        owner = ui.select(answers, value=next(iter(owners)), label="The answer where it holds")
        owner.props("outlined dense").set_visibility(network.head is None)
        heading(3, "Conditions, all of which have to hold")
        condition = ConditionForm(page)
        put_in = ui.button("Put this condition into the rule").props("no-caps outline")
        text = ui.textarea("The rule in words").props("outlined autogrow").classes("why")
        points = PointsForm(page, None) if network.head is not None else None
        show = ui.button("Show what this does").props("no-caps")

    def put() -> None:
        text.set_value(" and ".join(filter(None, [(text.value or "").strip(), condition.text()])))

    async def run() -> None:
        words = (text.value or "").strip() or condition.text()
        await trial.run(AddRule(words, owners[owner.value], points.value() if points else None))

    put_in.on_click(put)
    show.on_click(run)


async def try_operation(page: Page, title: str, make: Callable[[], Operation]) -> None:
    """Open a panel that tries an edit, or says why it cannot be made."""
    with open_panel(page, title) as panel, ui.element("div").classes("panel"):
        form = ui.element("div")
        trial = EditTrial(page, panel.close)
    with form:
        write_title(title, panel)
    try:
        operation = make()
    except ConceptRulesError as error:
        trial.refuse(str(error))
        return
    with form:
        for part in operation.operations if isinstance(operation, Batch) else [operation]:
            say(part.text)
    await trial.run(operation)


class PointsForm:
    """Fields for the points of a rule: one for each score."""

    def __init__(self, page: Page, rule: RuleView | None) -> None:
        network = page.session.network
        names = output_names(network)
        noun = describe_points(network)
        now = _points_now(page, rule)
        if hint := explain_points(network):
            say(hint).classes("quiet")
        with ui.element("div").classes("bar"):
            self.fields = [
                ui.number(noun if len(names) == 1 else f"{noun} for {name}", value=value).props("outlined dense")
                for name, value in zip(names, now, strict=True)
            ]

    def value(self) -> Amounts | None:
        """Return the points."""
        values = [as_number(field.value) for field in self.fields]
        if any(value is None for value in values):
            return None
        return values[0] if len(values) == 1 else tuple(value for value in values if value is not None)

    def on_enter(self, action: Callable[[], Any]) -> None:
        """Do something when Enter is pressed in a field."""
        for field in self.fields:
            field.on("keydown.enter", action)


def _points_now(page: Page, rule: RuleView | None) -> list[float | None]:
    head = page.session.network.head
    assert head is not None
    if rule is None or head.link == "log":
        return [None] * head.outputs
    level, index = (int(part) - 1 for part in rule.name[1:].split("."))
    assert level == len(page.session.network.levels) - 1
    step = head.step or 1
    return [points * step for points in head.points[index]]


class ConditionForm:
    """Fields that write a condition: a column, a test and a value."""

    def __init__(self, page: Page) -> None:
        self.columns = {column.name: column for column in page.session.network.columns if column.kind != "text"}
        first = next(iter(self.columns))
        with ui.element("div").classes("bar"):
            self.column = ui.select(list(self.columns), value=first, label="Column", with_input=True)
            self.column.props("outlined dense").on_value_change(self._choose_column)
            self.rest = ui.element("div").classes("bar")
        self._choose_column()

    def _choose_column(self) -> None:
        column = self.columns.get(self.column.value or "")
        self.rest.clear()
        if column is None:
            return
        tests = {} if states_itself(column) or not lists_or_orders(column) else _GAPS
        tests = (_ORDERED if column.ordered or column.kind == "ordinal" else _LISTED) | tests
        with self.rest:
            self.test = ui.select(tests, value=next(iter(tests)), label="Test").props("outlined dense")
            self.value: Any
            if column.ordered:
                self.value = ui.input("Value").props("outlined dense")
            else:
                values = column.categories or ((False, True) if column.kind == "boolean" else ())
                words = [category_word(column, value) for value in values]
                several = column.kind != "ordinal"
                self.value = ui.select(words, multiple=several, label="Value", with_input=len(words) > 10)
                self.value.props("outlined dense")

    def text(self) -> str:
        """Return the condition in words."""
        column = self.columns.get(self.column.value or "")
        if column is None:
            return ""
        name, test, value = column_word(column), self.test.value, self.value.value
        if test in _GAPS:
            return f"{name} is {test}"
        if isinstance(value, list):
            return (
                f"{name} {test} {{{', '.join(value)}}}"
                if len(value) != 1
                else (f"{name} {'=' if test == 'in' else '!='} {value[0]}")
            )
        return f"{name} {test} {value or ''}"


def lists_or_orders(column: Column) -> bool:
    """Return whether a column has values that can be missing."""
    return column.derivation is None or lists_text(column) or column.ordered


def write_title(text: str, panel: ui.dialog) -> None:
    """Write the title of a panel, with a button that closes it."""
    with ui.element("div").classes("title-line"):
        heading(2, text)
        ui.button("Close", on_click=panel.close).props("no-caps flat dense")


def plain(text: str) -> str:
    """Return text that can stand in an attribute."""
    return text.replace('"', "'").replace("\\", "/")
