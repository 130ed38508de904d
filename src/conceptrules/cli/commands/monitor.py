"""`conceptrules monitor`: whether a model still holds on new rows, as text, JSON, a page and a history."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Annotated, cast, get_args

import typer

from conceptrules.cli import columns
from conceptrules.cli.commands.export import SqlOptions, parse_columns
from conceptrules.cli.console import escape_lines, to_json
from conceptrules.cli.files import check_not_input, check_output, check_streams, list_files, read_model, write_bytes
from conceptrules.cli.options import TABLE, TABLES, Json, Model, TextOptions, WithoutOption, option
from conceptrules.export import load
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.monitor.comparison import compare_counts
from conceptrules.monitor.history import append_history, read_history
from conceptrules.monitor.tally import Counts, Tally
from conceptrules.monitor.watching import Every, check_counts, count_batch
from conceptrules.tables.files.chunks import Chunk, open_files
from conceptrules.tables.files.formats import STREAM, TextFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """What the columns of new rows are."""

    labels: Annotated[str, option("The column with the true class or number.")] = ""
    groups: Annotated[str, option("A column: each of its values is looked at by itself, too.")] = ""
    time: Annotated[str, option("A column of dates, numbers or text: each period is looked at by itself, too.")] = ""
    every: Annotated[str, typer.Option(help="How long periods of dates are: day, week, month or year.")] = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorOutput:
    """Where the comparison goes."""

    page: Annotated[str, option("Write an HTML page there.", "--html")] = ""
    history: Annotated[str, option("Add a line of JSON to this file, which has one for each run.")] = ""
    sql: Annotated[
        str, option("Write the comparison as a query there, - for standard output; then no rows are read.")
    ] = ""
    dbt_above: Annotated[
        float | None, option("--sql: write a test of dbt, which fails where a stability index is above this.")
    ] = None
    as_json: Json = False


_Warehouse = Annotated[
    SqlOptions,
    *map(WithoutOption, ("view", "reasons", "probabilities", "trust_types", "types", "keep", "prefix")),
]


def monitor(
    model: Model,
    data: Annotated[list[str], typer.Argument(default_factory=list, show_default=False, help=TABLES)],
    *,
    rows: RowOptions,
    reference: Annotated[
        str, option("Rows to compare with, instead of what the model keeps of training. " + TABLE)
    ] = "",
    policy: Annotated[str, option("A policy file (TOML) with triggers (monitor); by default the model's own.")] = "",
    output: MonitorOutput,
    warehouse: _Warehouse,
    text: TextOptions,
) -> None:
    """Compare new rows with training: how often rules hold, what moved, and what is still right.

    The table may be larger than memory: it is read in chunks. The exit code is 1 if a trigger of the policy fires.
    """
    if output.sql or output.dbt_above is not None:
        read = [*data, *filter(None, (reference, policy, output.page, output.history, rows.groups, rows.time))]
        if not output.sql:
            raise InputError("--dbt-above is for a test of dbt; name its file: --sql tests/drift.sql")
        if read:
            raise InputError(f"--sql writes a query, and nothing else is read or written then; leave out {read[0]}")
        write_query(model, rows.labels, output, warehouse)
        return
    if not data:
        raise InputError("name a table of new rows after the model, or a file for the query: --sql")
    files = list_files(data)
    check_streams(model, reference, *files)
    for path in filter(None, (output.page, output.history)):
        check_not_input(path, [model, reference, policy, *files])
        check_output(path)
    if output.page and output.page == output.history:
        raise InputError(f"--html and --history are both {output.page}; name two files")
    if rows.every not in get_args(Every):
        raise InputError(f"--every {rows.every!r} is unknown; use {', '.join(get_args(Every))}")
    asked = Policy.read(policy) if policy else None
    network = read_model(model)
    if output.history:
        read_history(output.history, content_hash(network))
    known = asked or network.policy
    before = _count_reference(network, list_files([reference]), rows.labels, text.format) if reference else None
    counts = _count_files(network, files, rows, text.format)
    result = compare_counts(network, before, counts, known.triggers if known else ())
    lines = append_history(output.history, result) if output.history else []
    if output.page:
        write_bytes(result.html(lines).encode(), output.page)
    typer.echo(to_json(result.plain()) if output.as_json else escape_lines(str(result)))
    raise typer.Exit(1 if result.fired else 0)


def write_query(model: str, labels: str, output: MonitorOutput, warehouse: SqlOptions) -> None:
    """Write the comparison as a query, or as a test of dbt."""
    load("sql", "sql.query:sql")  # raises, if sqlglot is not installed
    from conceptrules.monitor.warehouse import monitoring_sql

    check_not_input(output.sql, [model])
    if output.sql != STREAM:
        check_output(output.sql)
    query = monitoring_sql(
        read_model(model),
        dialect=warehouse.dialect or "duckdb",
        table=warehouse.table or "data",
        columns=parse_columns(warehouse.columns),
        labels=labels or None,
        dbt_above=output.dbt_above,
    )
    write_bytes(query.encode(), output.sql)


def _count_files(network: RuleNetwork, files: list[str], rows: RowOptions, text: TextFormat) -> Counts:
    """Return the counts of a table that is read in chunks."""
    texts = [column.name for column in network.columns if column.kind in ("category", "ordinal", "text")]
    with open_files(files, [*texts, *filter(None, (rows.labels, rows.groups))], text) as table:
        for name in filter(None, (rows.labels, rows.groups, rows.time)):
            columns.require_column(name, table.columns, table.name)
        return check_counts(reduce(add, (_count_chunk(network, chunk, rows) for chunk in table.chunks()), Counts()))


def _count_chunk(network: RuleNetwork, chunk: Chunk, rows: RowOptions) -> Counts:
    source = chunk.open()
    X = columns.read_rows(source, network)
    y = columns.read_labels(source, rows.labels, network) if rows.labels else None
    members = source.read([rows.groups], {rows.groups: "category"})[rows.groups] if rows.groups else None
    moments = source.read([rows.time])[rows.time] if rows.time else None
    return count_batch(network, X, y, members, moments, cast(Every, rows.every))


def _count_reference(network: RuleNetwork, files: list[str], labels: str, text: TextFormat) -> Tally:
    """Return the counts of the reference, with its labels where it has the column."""
    with open_files(files, (), text) as table:
        known = next((name for name in (labels, network.target) if name and name in table.columns), "")
    return _count_files(network, files, RowOptions(labels=known), text).total
