"""What can be taken away from the studio: the model, the report, every export; and a spreadsheet that comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from conceptrules.edit.operations import Batch
from conceptrules.export import FORMATS, export
from conceptrules.io.encode import dumps
from conceptrules.model.errors import InputError
from conceptrules.report import report
from conceptrules.report.model_card import model_card
from conceptrules.studio.session import Session
from conceptrules.studio.trail_page import trail_html

_TITLES = {
    "c": "C",
    "dbt": "SQL: a model of dbt",
    "dmn": "DMN: a decision table for rule engines",
    "javascript": "JavaScript",
    "jdm": "JDM: a decision table for GoRules",
    "latex": "LaTeX: the rules as text",
    "markdown": "Markdown: the rules as text",
    "onnx": "ONNX",
    "pmml": "PMML",
    "python": "Python",
    "sql": "SQL: a query",
    "xlsx": "Excel: a decision table to edit",
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file that can be taken away."""

    name: str
    content: bytes
    kind: str


def list_downloads(session: Session) -> list[tuple[str, str]]:
    """Return what can be taken away: the name in the address, and what it is."""
    known = [name for name, each in FORMATS.items() if each.package is None or find_spec(each.package)]
    formats = sorted(((name, _TITLES.get(name, name)) for name in known), key=lambda pair: pair[1])
    own = [
        ("all", "Everything below, in one archive"),
        ("model", "The model file, with its trail, test cases and signatures"),
        ("report", "The report: one HTML file"),
        ("card", "The model card"),
        ("trail", "The trail: one HTML file that prints well"),
    ]
    return [*own, *formats]


def write_download(session: Session, name: str) -> Download:
    """Write a file of the rules as they are now."""
    stem = session.file.path.stem
    own: dict[str, Callable[[], tuple[str, str | bytes, str]]] = {
        "model": lambda: (".json", dumps(session.network), "application/json"),
        "report": lambda: (".html", _write_report(session), "text/html"),
        "card": lambda: ("-card.md", str(_make_card(session)), "text/markdown"),
        "trail": lambda: ("-trail.html", trail_html(session), "text/html"),
        "all": lambda: (".zip", _write_archive(session), "application/zip"),
    }
    if name in own:
        suffix, content, kind = own[name]()
    else:
        suffix, content, kind = "", export(session.network, name), "application/octet-stream"
        suffix = FORMATS[name].suffix
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    return Download(f"{stem}{suffix}", data, kind)


def _write_archive(session: Session) -> bytes:
    """Return an archive of everything; what a format cannot hold is said in a file of its own."""
    buffer, refused = BytesIO(), []
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, title in list_downloads(session):
            if name == "all":
                continue
            try:
                file = write_download(session, name)
            except InputError as error:
                refused.append(f"{title}: {error}\n")
            else:
                archive.writestr(f"{name}/{file.name}" if name in FORMATS else file.name, file.content)
        if refused:
            archive.writestr("not-written.txt", "".join(refused))
    return buffer.getvalue()


def read_spreadsheet(session: Session, content: bytes) -> Batch:
    """Return the edits that somebody made in a spreadsheet that was taken away, as one."""
    try:
        from conceptrules.export.tables.spreadsheet import read_xlsx
    except ImportError:
        raise InputError("to read a spreadsheet takes the package openpyxl: pip install 'conceptrules[xlsx]'") from None
    batch = read_xlsx(BytesIO(content), session.network)
    if not batch.operations:
        raise InputError("the spreadsheet says what the rules say: nothing was changed in it")
    return batch


def _write_report(session: Session) -> str:
    rows = session.rows
    if rows.labels is None:
        return report(session.network)
    return report(session.network, rows.table, rows.labels, title=_title(session))


def _make_card(session: Session) -> object:
    rows = session.rows
    known = (None, None) if rows.labels is None else (rows.table, rows.labels)
    return model_card(session.network, *known, title=_title(session), owner=session.who)


def _title(session: Session) -> str:
    target = session.network.target
    return f"Predicting {target}" if target else session.file.path.stem
