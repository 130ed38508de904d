"""`conceptrules rules`, `draw`, `report` and `schema`: a model in words, as a picture and as a page, and its format."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import to_json
from conceptrules.cli.files import (
    check_not_input,
    check_output,
    read_model,
    read_model_and_table,
    write_bytes,
)
from conceptrules.cli.options import TABLE, By, Json, Model, Target, TextOptions, argument, option
from conceptrules.explain.rule_coverage import rule_records
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import printable
from conceptrules.model.values import label_text
from conceptrules.tables.files.formats import STREAM


def rules(
    model: Model,
    *,
    bins: Annotated[
        bool,
        typer.Option("--bins", help="Of a scorecard: add the rules of a column up to bins that are apart."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the rules of a model in words; with --json, a list of them with their figures."""
    network = read_model(model)
    if bins:
        from conceptrules.logic import split_into_bins

        network = split_into_bins(network)
    typer.echo(to_json(list(rule_records(network))) if as_json else str(network))


def schema() -> None:
    """Print the JSON Schema of the model file, in its newest version."""
    from conceptrules.io.model_file import schema as newest

    typer.echo(newest(), nl=False)


def draw(
    model: Model,
    output: Annotated[
        str, typer.Option("--output", "-o", help="An .svg, .png or .pdf file; - for SVG on standard output.")
    ],
    rule_set: Annotated[
        str, typer.Option(help="Draw only this class, or concept (C1.2), as a stack of its rules.")
    ] = "",
    theme: Annotated[str, typer.Option(help="light or dark; auto follows the reader's setting (SVG only).")] = "auto",
    fold: Annotated[
        int, typer.Option(min=0, help="Fold what matters least in networks of more edges; 0 folds nothing.")
    ] = 240,
) -> None:
    """Draw a network, or one rule set of it."""
    from conceptrules.draw.appearance import check_theme
    from conceptrules.draw.svg import check_picture

    checked_theme = check_theme(theme)
    to_bytes = str.encode if output == STREAM else check_picture(output)
    if output != STREAM:
        check_output(output)
    check_not_input(output, [model])
    network = read_model(model)
    labels = {label_text(label): label for label in network.classes}
    class_or_concept = labels.get(rule_set, rule_set) if rule_set else None
    picture = network.draw(class_or_concept, theme=checked_theme, fold=fold or None)
    write_bytes(to_bytes(picture.text), output)


def report(
    model: Model,
    data: Annotated[str, argument("Rows to test the model on. " + TABLE)] = "",
    *,
    output: Annotated[str, typer.Option("--output", "-o", help="An .html file; - for standard output.")],
    target: Target = "",
    by: By,
    text: TextOptions,
    title: Annotated[str, option("The heading.")] = "",
    include_rows: Annotated[
        bool, typer.Option("--include-rows", help="Put real rows to try, right and wrong ones, into the file.")
    ] = False,
) -> None:
    """Write one HTML file that says what a model does, how well, and how far to trust it.

    The file needs no connection. Without --target, the target is the one column that the model does not know.
    """
    from conceptrules.report import report as make_report

    if include_rows and not data:
        raise InputError("--include-rows puts rows of a table into the report; name the table after the model")
    if by and not data:
        raise InputError("--by scores the groups of a column of a table; name the table after the model")
    if target and not data:
        raise InputError("--target is a column of a table; name the table after the model")
    check_report_output(output)
    check_not_input(output, [model, data])
    network, source = read_model_and_table(model, data, text.format) if data else (read_model(model), None)
    X = y = None
    names: list[str] = []
    if source is not None:
        X, y = columns.read_labelled_rows(source, target, network)
        X, names = columns.add_audited_columns(X, source, network.policy, by)
        title = title or f"Predicting {printable(target or columns.find_target(source, network))}"
    html = make_report(network, X, y, include_rows=include_rows, by=names, **({"title": title} if title else {}))
    write_bytes(html.encode(), output)


def check_report_output(output: str) -> None:
    """Raise now, rather than after long work, if a report of this name could not be written."""
    if output != STREAM:
        if not output.lower().endswith((".html", ".htm")):
            raise InputError(f"-o {output}: a report is HTML, name it for example report.html")
        check_output(output)
