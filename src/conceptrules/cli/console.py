"""Tables on a terminal, drawn with rich."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conceptrules.model.predicate import shown


def console(*, stderr: bool = False) -> Console:
    """Return a console that cuts and wraps nothing, and takes no name for markup."""
    return Console(stderr=stderr, width=10_000, highlight=False, markup=False, emoji=False)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[str] = ()) -> Table:
    """Return plain columns under headings; those named in `numbers` are aligned to the right."""
    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        drawn.add_column(Text(shown(heading)), justify="right" if heading in numbers else "left")
    for row in rows:
        drawn.add_row(*(Text(shown(cell)) for cell in row))
    return drawn


def printable(text: str, plain: str) -> str:
    """Return the text, or the plainer one if standard output cannot show it."""
    try:
        text.encode(console().encoding)
    except UnicodeEncodeError:
        return plain
    return text
