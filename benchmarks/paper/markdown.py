"""Markdown: tables, signed numbers, and the accounts that are written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

ACCOUNTS = Path(__file__).parent / "accounts"


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


def account(name: str) -> str:
    """Return a text of the folder accounts/, which says by hand what we make of the figures."""
    return (ACCOUNTS / f"{name}.md").read_text(encoding="utf-8").strip()
