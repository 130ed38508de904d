"""`conceptrules datasets`: the tables that come with the package, listed or written."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from conceptrules.cli.console import console, table
from conceptrules.cli.files import check_table_output, write_table
from conceptrules.cli.options import Json, Out
from conceptrules.datasets import DatasetError, find, load
from conceptrules.datasets.catalogue import Entry
from conceptrules.datasets.loading import entries
from conceptrules.tables.files.formats import STREAM

_NUMBERS = ("rows", "columns", "classes")


def datasets(
    name: Annotated[
        str, typer.Argument(help="A data set to write as a table, its target last.", show_default=False)
    ] = "",
    output: Out = STREAM,
    folder: Annotated[str | None, typer.Option(help="Where the files are; by default $CONCEPTRULES_DATA.")] = None,
    as_json: Json = False,
) -> None:
    """List the data sets and where they were found, or write one of them."""
    if name:
        _write(name, output, folder)
        return
    rows = [
        (entry.name, entry.rows, entry.columns, entry.classes, entry.target, _place(entry, folder), entry.doi)
        for entry in entries(folder).values()
    ]
    headings = ["name", *_NUMBERS, "target", "where", "doi"]
    if as_json:
        typer.echo(json.dumps([dict(zip(headings, row, strict=True)) for row in rows], indent=1))
    else:
        console().print(table(headings, rows, _NUMBERS))


def _write(name: str, output: str, folder: str | None) -> None:
    check_table_output(output)
    data = load(name, folder=folder)
    write_table(data.X.append_column(data.target, [data.y.tolist()]), output)


def _place(entry: Entry, folder: str | None) -> str:
    try:
        return str(find(entry.name, folder=folder) or "embedded")
    except DatasetError:
        return f"not found: {entry.file}"
