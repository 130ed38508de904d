"""`conceptrules monitor`: whether a model still holds on new rows, as text, JSON, a page and a history."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Annotated, cast, get_args

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import escape_lines, to_json
from conceptrules.cli.files import check_not_input, check_output, check_streams, list_files, read_model, write_bytes
from conceptrules.cli.options import TABLE, Files, Json, Model, TextOptions, option
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.monitor.comparison import compare_counts
from conceptrules.monitor.history import append_history, read_history
from conceptrules.monitor.tally import Counts, Tally
from conceptrules.monitor.watching import Every, check_counts, count_batch
from conceptrules.tables.files.chunks import Chunk, open_files
from conceptrules.tables.files.formats import TextFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """What the columns of new rows are."""

    labels: Annotated[str, option("The column with the true class or number.")] = ""
    groups: Annotated[str, option("A column: each of its values is looked at by itself, too.")] = ""
    time: Annotated[str, option("A column of dates, numbers or text: each period is looked at by itself, too.")] = ""
    every: Annotated[str, typer.Option(help="How long periods of dates are: day, week, month or year.")] = "month"


def monitor(
    model: Model,
    data: Files,
    *,
    rows: RowOptions,
    reference: Annotated[
        str, option("Rows to compare with, instead of what the model keeps of training. " + TABLE)
    ] = "",
    policy: Annotated[str, option("A policy file (TOML) with triggers, [[monitor]]; by default the model's own.")] = "",
    page: Annotated[str, option("Write an HTML page there.", "--html")] = "",
    history: Annotated[str, option("Add a line of JSON to this file, which has one for each run.")] = "",
    text: TextOptions,
    as_json: Json = False,
) -> None:
    """Compare new rows with training: how often rules hold, what moved, and what is still right.

    The table may be larger than memory: it is read in chunks. The exit code is 1 if a trigger of the policy fires.
    """
    files = list_files(data)
    check_streams(model, reference, *files)
    for output in filter(None, (page, history)):
        check_not_input(output, [model, reference, policy, *files])
        check_output(output)
    if page and page == history:
        raise InputError(f"--html and --history are both {page}; name two files")
    if rows.every not in get_args(Every):
        raise InputError(f"--every {rows.every!r} is unknown; use {', '.join(get_args(Every))}")
    asked = Policy.read(policy) if policy else None
    network = read_model(model)
    if history:
        read_history(history, content_hash(network))
    known = asked or network.policy
    before = _count_reference(network, list_files([reference]), rows.labels, text.format) if reference else None
    counts = _count_files(network, files, rows, text.format)
    result = compare_counts(network, before, counts, known.triggers if known else ())
    lines = append_history(history, result) if history else []
    if page:
        write_bytes(result.html(lines).encode(), page)
    typer.echo(to_json(result.plain()) if as_json else escape_lines(str(result)))
    raise typer.Exit(1 if result.fired else 0)


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
