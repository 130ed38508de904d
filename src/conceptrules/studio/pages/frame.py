"""The frame of the page: what is open, the tabs, and how changes reach every open page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Any, TypeVar

from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from nicegui import app, background_tasks, ui

from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.text import plural
from conceptrules.report.sentences import judge_fairness, three_sentences
from conceptrules.studio.downloads import write_download
from conceptrules.studio.session import Session, audit_session, read_again
from conceptrules.studio.trail_page import trail_html

T = TypeVar("T")
TABS = ("Rules", "Learn again", "Check", "History and signatures", "Export")


class Studio:
    """The session that all open pages show; one change is made at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.pages: list[Page] = []
        self._turn = asyncio.Lock()

    def show_page(self) -> None:
        """Build a page for a browser that has opened the studio."""
        page = Page(self)
        self.pages.append(page)
        ui.context.client.on_delete(lambda: self.pages.remove(page))
        page.build()

    async def change(self, function: Callable[..., Session], *arguments: Any) -> str:
        """Replace the session by what a function makes of it; return why not, or nothing if it is done."""
        async with self._turn:
            try:
                self.session = await run_aside(function, self.session, *arguments)
            except (ConceptRulesError, OSError) as error:
                for page in self.pages:
                    page.refresh()  # the file may have changed
                return str(error)
        for page in self.pages:
            page.refresh()
        return ""

    def add_downloads(self) -> None:
        """Add the addresses of what can be downloaded, and of the trail as a page."""

        @app.get("/trail")
        def show_trail() -> Response:
            return HTMLResponse(trail_html(self.session))

        @app.get("/export/{name}")
        async def download(name: str) -> Response:
            try:
                file = await run_aside(write_download, self.session, name)
            except ConceptRulesError as error:
                return PlainTextResponse(f"{error}\n", 422)
            headers = {"content-disposition": f'attachment; filename="{file.name}"'}
            return Response(file.content, media_type=file.kind, headers=headers)


class Page:
    """What one browser shows."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.tab, self.client = studio, TABS[0], ui.context.client
        self.state: dict[str, Any] = {}
        """What people have chosen on this page: filters, and the like."""

    @property
    def session(self) -> Session:
        """The session."""
        return self.studio.session

    def build(self) -> None:
        """Build the page."""
        ui.add_css(files("conceptrules.studio").joinpath("style.css").read_text(encoding="utf-8"))
        ui.colors(primary="#0b5cad")
        ui.query("html").props("lang=en")
        with ui.element("header").classes("page-head"):
            self.head = ui.element("div")
            tabs = ui.tabs(on_change=self._open_tab).classes("tabs")
            tabs.props("no-caps align=left inline-label outside-arrows mobile-arrows aria-label=Parts")
            with tabs:
                for name in TABS:
                    ui.tab(name)
        self.body = ui.element("div").classes("work").props("tabindex=-1")
        self.refresh()
        tabs.set_value(self.tab)

    def refresh(self) -> None:
        """Show the session as it is now."""
        with self.client:
            self._show_head()
            self.show_body()

    def _open_tab(self, event: Any) -> None:
        if event.value != self.tab:
            self.tab = event.value
            self.show_body()

    def show_body(self) -> None:
        """Show the open tab."""
        from conceptrules.studio.pages import checks, history, learning, rules

        parts = (rules.show, learning.show, checks.show, history.show, history.show_exports)
        show: Callable[[Page], Any] = dict(zip(TABS, parts, strict=True))[self.tab]
        self.body.clear()
        with self.body:
            work = show(self)
            if work is not None:  # what takes longer comes later
                background_tasks.create(_fill(self.body, work))

    def _show_head(self) -> None:
        session = self.session
        network, audited = session.network, audit_session(session)
        fairness = judge_fairness(audited)
        self.head.clear()
        with self.head:
            with ui.element("div").classes("title-line"):
                heading(1, session.file.path.name)
                say(f"{plural(session.rows.table.rows, 'row')} of {session.rows.name}").classes("quiet")
                say(fairness.short).classes(f"badge {fairness.kind}").props(f'title="{fairness.text}"')
                say(f"as {session.who}").classes("quiet")
            say(three_sentences(network, audited)[2].replace("given to this report ", "").replace("this report", "it"))
            if session.file.is_changed:
                with ui.element("div").classes("notice bad").props("role=alert"):
                    say(f"{session.file.path.name} was changed on disk by something else: nothing more is written.")
                    ui.button("Read the file again", on_click=self._read_again).props("no-caps outline")

    async def _read_again(self) -> None:
        self.complain(await self.studio.change(read_again))

    def complain(self, problem: str) -> bool:
        """Show why something was not done; return whether it was."""
        if problem:
            with self.client:  # the button that was pressed may have been built anew
                ui.notify(problem, type="negative", multi_line=True, timeout=0, close_button="Close")
        return not problem


async def run_aside(function: Callable[..., T], *arguments: Any) -> T:
    """Return what a function returns, which runs beside the page meanwhile.

    Its thread does not keep the studio from ending, as those of asyncio do: a proof may take long.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(settle_future: Callable[[Any], None], outcome: Any) -> None:
        with suppress(RuntimeError):  # the studio has ended
            loop.call_soon_threadsafe(lambda: None if future.done() else settle_future(outcome))

    def work() -> None:
        try:
            settle(future.set_result, function(*arguments))
        except BaseException as error:
            settle(future.set_exception, error)

    threading.Thread(target=work, daemon=True).start()
    return await future


async def _fill(part: ui.element, work: Awaitable[None]) -> None:
    with part, suppress(RuntimeError):  # the part is not there any more: another tab was opened meanwhile
        await work


def heading(level: int, text: str) -> ui.element:
    """Write a heading."""
    with ui.element(f"h{level}") as element:
        ui.html(_escape(text), sanitize=False, tag="span")
    return element


def say(text: str, tag: str = "p") -> ui.html:
    """Write a line of text; `set_content` takes HTML."""
    return ui.html(_escape(text), sanitize=False, tag=tag)


def _escape(text: str) -> str:
    from conceptrules.draw.appearance import escape_text

    return escape_text(text)


def show_table(headings: list[str], lines: list[list[str]], caption: str = "") -> ui.element:
    """Write a table that scrolls on a narrow page."""
    head = "".join(f'<th scope="col">{_escape(text)}</th>' for text in headings)
    body = "".join("<tr>" + "".join(f"<td>{_escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    title = f"<caption>{_escape(caption)}</caption>" if caption else ""
    label = _escape(caption or headings[0])
    return ui.html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>",
        sanitize=False,
    )
