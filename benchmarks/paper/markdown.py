"""Markdown: tables, signed numbers and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; figures stand on the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def signed(value: float) -> str:
    """Return a number with a sign, and with no minus before a zero."""
    text = f"{value:+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def named(names: Sequence[str]) -> str:
    """Return names in brackets, if there are any."""
    return f" ({', '.join(names)})" if names else ""
