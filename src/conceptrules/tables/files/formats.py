"""The formats of tables in files, by the ends of their names."""

from __future__ import annotations

from collections.abc import Sequence

from conceptrules.model.errors import InputError

STREAM = "-"
"""The name of standard input and standard output."""
DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = ".parquet"


def table_suffix(name: str) -> str:
    """Return the end of the name that says how a table is read."""
    return known_suffix(name, (*DELIMITERS, PARQUET))


def known_suffix(name: str, known: Sequence[str]) -> str:
    """Return which of these ends a name has, or raise an error that lists them."""
    for suffix in known:
        if name.lower().endswith(suffix):
            return suffix
    raise InputError(f"{name}: the name must end in one of {', '.join(known)}, or be {STREAM} for a stream of CSV")
