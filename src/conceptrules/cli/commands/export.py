"""`conceptrules export`: a network in another language, verified before it is written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import escape_lines
from conceptrules.cli.files import (
    check_model_output,
    check_not_input,
    check_output,
    check_streams,
    read_model,
    write_bytes,
    write_model,
)
from conceptrules.cli.options import Model, argument, option
from conceptrules.export import FORMATS, format_of
from conceptrules.export import export as exported
from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import STREAM
from conceptrules.tables.files.table_reader import open_file


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlOptions:
    """How a query is written."""

    dialect: Annotated[str, option("SQL: duckdb, sqlite, postgres, ...", default="duckdb")] = ""
    table: Annotated[str, option("SQL: the table to ask, or schema.table.", default="data")] = ""
    view: Annotated[str, option("SQL: make a view of this name.")] = ""
    reasons: Annotated[
        bool,
        typer.Option(
            "--reasons", help="SQL: add the rules that fire, and which decided; Python, JavaScript: add the reasons."
        ),
    ] = False
    probabilities: Annotated[bool, typer.Option("--probabilities", help="SQL: add the probabilities.")] = False
    trust_types: Annotated[
        bool, typer.Option("--trust-types", help="SQL: a short query that takes the types of the columns for granted.")
    ] = False
    columns: Annotated[
        list[str],
        option("SQL: what the table calls a column, as model name=table name. Repeat it for more columns.", "--column"),
    ] = field(default_factory=list)
    types: Annotated[
        list[str],
        option(
            "SQL: what the table holds in a column, if its kind does not say it: smoker=boolean. Only BigQuery "
            "and Snowflake need it.",
            "--type",
        ),
    ] = field(default_factory=list)
    keep: Annotated[list[str], option("SQL: a further column of the table to give back.")] = field(default_factory=list)
    prefix: Annotated[str, typer.Option(help="SQL: goes before the names of the added columns.")] = ""


def export(
    model: Model,
    *,
    to: Annotated[str, option(f"The format: {', '.join(FORMATS)}.", default="what the name of the file says")] = "",
    output: Annotated[str, typer.Option("--output", "-o", help="The file; - for standard output.")] = STREAM,
    sql: SqlOptions,
    name: Annotated[str, option("Programming languages: the name of the function.", default="decide")] = "",
    reasons_to: Annotated[
        str, option("PMML of a scorecard: the class that reasons cost points for; of a number, high or low.")
    ] = "",
    verify: Annotated[bool, typer.Option(help="Run the export, and compare it with the model row by row.")] = True,
    data: Annotated[str, option("Verify on the rows of this table too.")] = "",
) -> None:
    """Write a model in another language, after a check that it decides the same there."""
    from conceptrules.export.verify.comparison import verify as verify_export

    check_not_input(output, [model, data])
    check_streams(model, data)
    to = to or _format_of_file(output)
    format_of(to)
    if data and not verify:
        raise InputError("--data is what the export is verified on; leave it out, or --no-verify")
    mappings = {
        "columns": parse_columns(sql.columns),
        "types": _parse_pairs("--type", sql.types, "model name=type, for example smoker=boolean"),
    }
    chosen = asdict(sql) | mappings | {"name": name, "reasons_to": reasons_to}
    options = {option: value for option, value in chosen.items() if value}
    if output != STREAM:
        check_output(output)
    network = read_model(model)
    rows = columns.read_rows(open_file(data), network) if data else None
    text = exported(network, to, **options)
    outcome = verify_export(network, to, text, data=rows, **options) if verify else None
    write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"), output)
    if outcome is not None:
        verified = f"verified: {outcome.claim} on {outcome.rows} rows"
        typer.echo(verified if outcome.skipped is None else f"not verified: {outcome.skipped}", err=True)


def read_dmn(
    file: Annotated[str, argument("The DMN file; - for standard input.")],
    *,
    output: Annotated[
        str, option("The model file to write; without it, the rules are only shown.", "--output", "-o")
    ] = "",
    default: Annotated[
        str, option("The class where no row holds, if no row of the table is for everything else.")
    ] = "",
) -> None:
    """Read a decision table in DMN, of this package or of another tool, and show its rules as a model."""
    from conceptrules.export.tables import read_dmn as read

    if output:
        check_model_output(output)
        check_not_input(output, [file])
    try:
        text = sys.stdin.buffer.read() if file == STREAM else Path(file).read_bytes()
        network = read(text.decode("utf-8-sig"), default=default or None)
    except UnicodeDecodeError:
        raise InputError(f"{file} is no DMN: it is not text in UTF-8") from None
    typer.echo(escape_lines(str(network)), err=output == STREAM)
    if output:
        write_model(network, output)


def parse_columns(items: Sequence[str]) -> dict[str, str]:
    """Read what the table calls the columns: `age=AGE`."""
    return _parse_pairs("--column", items, "model name=table name, for example age=AGE")


def _format_of_file(name: str) -> str:
    """Return the format that the suffix of a file means."""
    formats = [to for to, each in FORMATS.items() if name.lower().endswith(each.suffix)]
    if len(formats) != 1:
        raise InputError(f"say the format with --to: one of {', '.join(formats or FORMATS)}")
    return formats[0]


def _parse_pairs(option: str, items: Sequence[str], form: str) -> dict[str, str]:
    """Read `--column age=AGE` as a mapping."""
    pairs = [item.rpartition("=") for item in items]
    for item, (name, equals, other) in zip(items, pairs, strict=True):
        if not (equals and other):
            raise InputError(f"{option} {item!r} should read {form}")
        if [known for known, _, _ in pairs].count(name) > 1:
            raise InputError(f"{option} names {name!r} twice")
    return {name: other for name, _, other in pairs}
