"""Gaps and overlaps, rules that never decide, rows that only one rule decides, and test cases."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from conceptrules.edit.cases import CaseResult, DropCase, case_text, run_cases
from conceptrules.logic.rule_conflicts import RuleFinding, find_deciding_rows, find_gap, find_overlaps
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.text import column_word, plural, word
from conceptrules.studio.checks import RuleUse, answer_row, count_rule_uses, make_case, read_given_row
from conceptrules.studio.pages.editor import open_panel, plain, try_operation, write_title
from conceptrules.studio.pages.effects import EditTrial, as_number, row_text
from conceptrules.studio.pages.frame import Page, heading, run_aside, say, show_table
from conceptrules.studio.session import count_shorter_edges, shorten


async def show(page: Page) -> None:
    """Show the test cases, and then what can be proved."""
    _show_cases(page)
    _show_shorter(page)
    heading(2, "Rules on the given rows")
    uses = ui.element("div")
    heading(2, "Gaps and overlaps")
    conflicts = ui.element("div").props("aria-live=polite")
    heading(2, "Rules that never decide")
    idle = ui.element("div").props("aria-live=polite")
    for part in (conflicts, idle):
        with part:
            say("Proving ...").classes("quiet")
    network = page.session.network
    counted = await run_aside(count_rule_uses, page.session)
    if uses.is_deleted:
        return
    with uses:
        _show_uses(counted)
    try:
        gap = await run_aside(find_gap, network)
        overlaps = [] if network.head is not None else await run_aside(lambda: list(find_overlaps(network)))
        findings = await run_aside(lambda: list(find_deciding_rows(network)))
    except ConceptRulesError as error:
        page.complain(str(error))
        return
    if conflicts.is_deleted:  # another tab was opened meanwhile
        return
    conflicts.clear()
    with conflicts:
        _show_conflicts(page, gap, overlaps)
    idle.clear()
    with idle:
        _show_idle(page, findings)


def _show_shorter(page: Page) -> None:
    if (shorter := count_shorter_edges(page.session.network)) is not None:
        heading(2, "A shorter form")
        say(
            f"The rules have {plural(page.session.network.edges, 'edge')}; {shorter} say the same on all possible rows."
        )

        async def look() -> None:
            await try_operation(page, "Take the shorter form", lambda: shorten(page.session))

        ui.button("Look at the shorter form", on_click=look).props("no-caps outline")


def _show_uses(uses: list[RuleUse]) -> None:
    decisive = sum(use.alone > 0 for use in uses)
    say(
        f"{decisive} of {plural(len(uses), 'rule')} decide rows that no other rule decides: without them, these rows "
        "would get another answer."
    )
    lines = [
        [use.text, "" if use.label is None else word(use.label), f"{use.covered:,}", f"{use.alone:,}"] for use in uses
    ]
    with ui.expansion("Each rule, those that decide least alone first").props("dense"):
        show_table(["rule", "for", "rows", "only it decides"], lines)


def _show_conflicts(page: Page, gap: RuleFinding, overlaps: list[RuleFinding]) -> None:
    network = page.session.network
    if not gap.decided:
        say("Whether some rule holds on every possible row is not decided: too large.")
    elif gap.row is None:
        say("✓ Proved: on every possible row some rule holds.").classes("added")
    else:
        then = f"the answer is {word(network.default)}" if network.head is None else "the score is the base"
        say(f"Gap: on some rows no rule holds, and {then}. For example: {row_text(gap.row)}.")
    if network.head is not None:
        say("Lines of a card add up, so that they may hold together.").classes("quiet")
    for overlap in overlaps:
        if overlap.row is not None:
            say(
                f"Overlap: rules of {overlap.text} hold together on some rows; {word(overlap.label)} wins. "
                f"For example: {row_text(overlap.row)}."
            )
        elif overlap.decided:
            say(f"✓ Proved: rules of {overlap.text} never hold together.").classes("added")
        else:
            say(f"Whether rules of {overlap.text} hold together is not decided: too large.")


def _show_idle(page: Page, findings: list[RuleFinding]) -> None:
    idle = [finding for finding in findings if finding.decided and finding.row is None]
    open_ones = sum(not finding.decided for finding in findings)
    if page.session.network.head is None:
        found = "decide nothing on any possible row: without them, every answer is the same"
    else:
        found = "hold on no possible row"
    if idle:
        say(f"Proved: {plural(len(idle), 'rule')} {found}.").classes("removed")
        with ui.element("ul"):
            for finding in idle:
                say(finding.text + ("" if finding.label is None else f" → {word(finding.label)}"), "li")
    else:
        say(f"✓ Proved of {plural(len(findings) - open_ones, 'rule')}: none of them is idle.").classes("added")
    if open_ones:
        say(f"Not decided of {plural(open_ones, 'rule')}: too large.")


def _show_cases(page: Page) -> None:
    heading(2, "Test cases")
    results = run_cases(page.session.network)
    failed = sum(not result.passed for result in results)
    if not results:
        say("There are none. A test case is a row and the answer that it must get; all run after each change.")
    elif failed:
        say(f"✗ {failed} of {plural(len(results), 'case')} fail.").classes("removed").props("role=alert")
    else:
        say(f"✓ {'All ' if len(results) > 1 else ''}{plural(len(results), 'case')} pass.").classes("added")
    with ui.element("ul").classes("rules"):
        for result in results:
            _show_case(page, result)
    ui.button("Add a test case", on_click=partial(_add_case, page)).props("no-caps outline")


def _show_case(page: Page, result: CaseResult) -> None:
    case = result.case
    with ui.element("li").classes("rule"):
        with ui.element("div").classes("what"):
            mark = "✓ passes" if result.passed else f"✗ fails: the answer is {word(result.answer)}"
            say(f"{case.note or 'A row'} → {word(case.answer)}: {mark}").classes(
                "added" if result.passed else "removed"
            )
            say(case_text(page.session.network, case)).classes("figures")

        async def drop() -> None:
            operation = DropCase(dict(case.row), case.answer, case.note)
            await try_operation(page, "Drop a test case", lambda: operation)

        name = plain(case.note or case_text(page.session.network, case))
        ui.button("Drop", on_click=drop).props(f'no-caps outline dense aria-label="Drop the test case {name}"')


def _add_case(page: Page) -> None:
    """Open the panel that adds a test case, from a given row or from nothing."""
    network = page.session.network
    with open_panel(page, "Add a test case") as panel, ui.element("div").classes("panel"):
        form = ui.element("div")
        trial = EditTrial(page, panel.close)
    fields: dict[str, Any] = {}
    with form:
        write_title("Add a test case", panel)
        with ui.element("div").classes("bar"):
            number = ui.number("Row of the given rows", value=1, min=1, precision=0).props("outlined dense")
            take = ui.button("Take its values").props("no-caps outline")
        say("An empty field is a missing value.").classes("quiet")
        with ui.element("div").classes("bar"):
            for column in network.own_columns:
                fields[column.name] = ui.input(column_word(column)).props("outlined dense")
        ask = ui.button("What is the answer now?").props("no-caps outline")
        answer = ui.input("The answer that it must get").props("outlined dense").classes("why")
        note = ui.input("What the case is about").props("outlined dense").classes("why")
        show_effect = ui.button("Show what this does").props("no-caps")

    def cells() -> dict[str, str]:
        return {name: str(field.value or "") for name, field in fields.items()}

    def take_row() -> None:
        try:
            row = read_given_row(page.session, int(as_number(number.value) or 0))
        except ConceptRulesError as error:
            trial.refuse(str(error))
            return
        for name, text in row.items():
            fields[name].set_value(text)

    def ask_answer() -> None:
        try:
            answer.set_value(answer_row(network, cells()))
        except ConceptRulesError as error:
            trial.refuse(str(error))

    async def run() -> None:
        try:
            operation = make_case(network, cells(), (answer.value or "").strip(), note.value or "")
        except ConceptRulesError as error:
            trial.refuse(str(error))
            return
        await trial.run(operation)

    take.on_click(take_row)
    ask.on_click(ask_answer)
    show_effect.on_click(run)
