"""`conceptrules report`: one HTML file about a model."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import (
    check_not_input,
    check_output,
    name_errors_after,
    read_model,
    read_model_and_table,
    write_bytes,
)
from conceptrules.cli.options import TABLE, Model, Target, TextOptions
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import shown
from conceptrules.tables.files.formats import STREAM


def report(
    model: Model,
    data: Annotated[str, typer.Argument(help="Rows to test the model on. " + TABLE, show_default=False)] = "",
    *,
    output: Annotated[str, typer.Option("--output", "-o", help="An .html file; - for standard output.")],
    target: Target = "",
    text: TextOptions,
    title: Annotated[str, typer.Option(help="The heading.", show_default=False)] = "",
    include_rows: Annotated[
        bool, typer.Option("--include-rows", help="Put real rows to try, right and wrong ones, into the file.")
    ] = False,
) -> None:
    """Write one HTML file that says what a model does, how well, and how far to trust it.

    The file needs no connection. Without --target, the target is the one column that the model does not know.
    """
    from conceptrules.report import report as html
    from conceptrules.report import write_report

    if include_rows and not data:
        raise InputError("--include-rows puts rows of a table into the report; name the table after the model")
    if target and not data:
        raise InputError("--target is a column of a table; name the table after the model")
    check_report_output(output)
    check_not_input(output, [model, data])
    network, source = read_model_and_table(model, data, text.format) if data else (read_model(model), None)
    X = y = None
    if source is not None:
        X, y = columns.read_labelled_rows(source, target, network)
        title = title or f"Predicting {shown(target or columns.find_target(source, network))}"
    options = {"title": title} if title else {}
    if output == STREAM:
        write_bytes(html(network, X, y, include_rows=include_rows, **options).encode(), output)
        return
    with name_errors_after(output):
        write_report(network, X, y, output, include_rows=include_rows, **options)


def check_report_output(output: str) -> None:
    """Raise now, rather than after long work, if a report of this name could not be written."""
    if output != STREAM:
        if not output.lower().endswith((".html", ".htm")):
            raise InputError(f"-o {output}: a report is HTML, name it for example report.html")
        check_output(output)
