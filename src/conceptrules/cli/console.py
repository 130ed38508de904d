"""What commands print: tables on a terminal, drawn with rich, JSON, and text without control characters."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conceptrules.model.predicate import printable


def console() -> Console:
    """Return a console that cuts and wraps nothing, and takes no name for markup."""
    return Console(width=10_000, highlight=False, markup=False, emoji=False)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[str] = ()) -> Table:
    """Return plain columns under headings; those named in `numbers` are aligned to the right."""
    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        drawn.add_column(Text(printable(heading)), justify="right" if heading in numbers else "left")
    for row in rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn


def escape_lines(text: str) -> str:
    """Return the text with its control characters written as escapes; lines stay lines."""
    return "\n".join(map(printable, text.splitlines()))


def to_json(value: Any, indent: int | None = 1) -> str:
    """Return a value as JSON."""
    return json.dumps(_plain_values(value), indent=indent, allow_nan=False)


def _plain_values(value: Any) -> Any:
    """Return the value with dates and infinities as text, since JSON has none."""
    if isinstance(value, dict):
        return {key: _plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_values(item) for item in value]
    is_json = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_json else str(value)
