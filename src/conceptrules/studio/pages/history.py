"""The history of the rules, with undo and redo, two states side by side, and what can be taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from nicegui import ui
from nicegui.events import UploadEventArguments

from conceptrules.edit.editing import list_active_edits, list_undone_edits
from conceptrules.edit.trail import edit_text
from conceptrules.logic.difference import Difference
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.text import word
from conceptrules.model.trail import list_signatures, signature_text
from conceptrules.studio.downloads import list_downloads, read_spreadsheet
from conceptrules.studio.pages.editor import try_operation
from conceptrules.studio.pages.frame import Page, heading, run_aside, say
from conceptrules.studio.session import (
    Session,
    compare_states,
    count_missing_signatures,
    redo_edit,
    sign_rules,
    undo_edit,
)
from conceptrules.studio.trail_page import describe_entry

_LARGEST = 20_000_000  # bytes of a spreadsheet


def show(page: Page) -> None:
    """Show the history."""
    network = page.session.network
    with ui.element("div").classes("bar"):
        undo = ui.button("Undo", on_click=partial(_ask_reason, page, "Take the last change back", undo_edit))
        undo.props("no-caps outline").set_enabled(bool(list_active_edits(network.trail)))
        redo = ui.button("Redo", on_click=partial(_ask_reason, page, "Make the change again", redo_edit))
        redo.props("no-caps outline").set_enabled(bool(list_undone_edits(network.trail)))
        ui.link("The trail as a page to print", "trail", new_tab=True)
        who = ui.input("Who makes the changes", value=page.session.who).props("outlined dense")

        async def rename() -> None:
            name = (who.value or "").strip()
            if name and name != page.session.who:
                page.complain(await page.studio.change(_change_person, name))

        who.on("blur", rename)
        who.on("keydown.enter", rename)
    heading(2, "Changes")
    if not network.trail:
        say("The rules are as they were learned: nothing was changed yet.")
    with ui.element("ol").classes("trail"):
        for entry in network.trail:
            with ui.element("li"):
                for number, line in enumerate(describe_entry(entry, network)):
                    say(line).classes("" if number < 2 else "quiet")
    _show_signatures(page)
    if network.trail:
        _show_comparison(page)


def _change_person(session: Session, who: str) -> Session:
    return replace(session, who=who)


def _ask_reason(page: Page, title: str, function: Callable[..., Session]) -> None:
    """Ask for the reason of an undo or a redo, and do it."""
    with page.client, ui.dialog(value=True).props(f'aria-label="{title}"') as dialog, ui.card():
        heading(2, title)
        why = ui.input("The reason; the trail keeps it").props("outlined dense autofocus").classes("why")

        async def act() -> None:
            if not (why.value or "").strip():
                why.props('error error-message="Say why, in a few words."')
                return
            dialog.close()
            page.complain(await page.studio.change(function, why.value))

        why.on("keydown.enter", act)
        with ui.element("div").classes("bar"):
            ui.button(title, on_click=act).props("no-caps")
            ui.button("Leave it", on_click=dialog.close).props("no-caps flat")


def _show_signatures(page: Page) -> None:
    """Show who has signed the rules as they are, and how many more the policy asks for; offer to sign."""
    network = page.session.network
    heading(2, "Signatures")
    silent = [number for number, entry in enumerate(network.trail, start=1) if not entry.why.strip()]
    if silent:
        numbers = ", ".join(map(str, silent))
        say(f"No reason was given for change {numbers}.").classes("removed")
    for entry in list_signatures(network):
        say(f"✓ {signature_text(entry)}, {entry.when} UTC: {entry.why}").classes("added")
    missing = count_missing_signatures(network)
    if missing:
        say(f"The policy asks for {missing} more {'person' if missing == 1 else 'people'} to sign.").classes("open")
    elif not list_signatures(network):
        say("Nobody has signed the rules as they are now. Any change makes earlier signatures void.").classes("quiet")
    with ui.element("div").classes("bar"):
        name = ui.input("Name")
        role = ui.input("Role")
        motive = ui.input("What you have checked, and why you sign").classes("wide")
        for field in (name, role, motive):
            field.props("outlined dense")
        button = ui.button("Sign").props("no-caps")

    async def act() -> None:
        texts = [(field.value or "").strip() for field in (name, role, motive)]
        page.complain(await page.studio.change(sign_rules, *texts))

    motive.on("keydown.enter", act)
    button.on_click(act)


def _show_comparison(page: Page) -> None:
    """Show two states side by side."""
    trail = page.session.network.trail
    heading(2, "Two states, side by side")
    names = {0: "as it was at first"} | {
        number: f"after change {number}: {edit_text(entry, trail)[:70]}" for number, entry in enumerate(trail, start=1)
    }
    with ui.element("div").classes("bar"):
        first = ui.select(names, value=0, label="Before").props("outlined dense")
        second = ui.select(names, value=len(trail), label="After").props("outlined dense")
        button = ui.button("Compare").props("no-caps outline")
    result = ui.element("div").props("aria-live=polite")

    async def compare() -> None:
        result.clear()
        try:
            difference = await run_aside(compare_states, page.session, first.value, second.value)
        except ConceptRulesError as error:
            page.complain(str(error))
            return
        with result:
            _show_difference(difference)

    button.on_click(compare)


def _show_difference(difference: Difference) -> None:
    if difference.data is not None:
        noun = "number" if difference.compared == "number" else "class"
        say(f"{difference.data.different:,} of {difference.data.rows:,} rows get another {noun}.").classes("lead")
    if not difference.sections and not difference.settings:
        say("The rules are the same.")
    for name, old, new in difference.settings:
        say(f"{name}: {old} → {new}")
    with ui.element("div").classes("states"):
        for title, side in (("Before", 0), ("After", 1)):
            with ui.element("section"):
                heading(3, title)
                for section in difference.sections:
                    say(section.name).classes("owner")
                    for rule in section.removed if side == 0 else section.added:
                        say(f"{'-' if side == 0 else '+'} {rule}").classes("removed" if side == 0 else "added")
                    for pair in section.changed:
                        say(f"~ {pair[side]}")
    if difference.same:
        say("Every row that there can be gets the same answer from both.")
    elif difference.row is not None:
        cells = ", ".join(f"{word(k)} = {word(v)}" for k, v in difference.row.items() if v is not None)
        say(f"A row that gets another answer: {cells}.").classes("quiet")


def show_exports(page: Page) -> None:
    """Show what can be taken away."""
    say(
        "Each file is written from the rules as they are now. A colleague needs the model file: it has the rules, "
        "every change with its reason, the test cases and the signatures, and opens in the studio. The report and the "
        "trail are for reading."
    )
    with ui.element("ul"):
        for name, text in list_downloads(page.session):
            with ui.element("li"):
                ui.link(text, f"export/{name}").props("download")
    if find_spec("openpyxl"):
        _take_spreadsheet(page)


def _take_spreadsheet(page: Page) -> None:
    """Take the spreadsheet back that somebody has edited."""
    heading(2, "Take an edited spreadsheet in")
    say("Change the Excel file, and bring it back: you see what that does before anything is made.")

    async def read(event: UploadEventArguments) -> None:
        content = await event.file.read()
        upload.reset()
        await try_operation(page, f"What {event.file.name} changes", lambda: read_spreadsheet(page.session, content))

    upload = ui.upload(label="An edited .xlsx file", on_upload=read, auto_upload=True, max_file_size=_LARGEST)
    upload.on_rejected(
        lambda: page.complain("Only .xlsx files of at most 20 MB are read: save the spreadsheet as one.")
    )
    upload.props('accept=.xlsx flat bordered aria-label="An edited .xlsx file"')
