"""`conceptrules explain`: why rows get their classes, as text or as one line of JSON each."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import read_model_and_table
from conceptrules.cli.options import Data, Model, TextOptions
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import label_text
from conceptrules.tables.files.table_reader import TableFile
from conceptrules.tables.table import nearest


def explain(
    model: Model,
    data: Data,
    *,
    row: Annotated[int, typer.Option(help="The row to explain; rows count from 1.")] = 1,
    rows: Annotated[int, typer.Option(help="How many rows to explain, from that one on.")] = 1,
    fixed: Annotated[
        list[str],
        typer.Option(
            default_factory=list,
            show_default=False,
            help="A column that the counterfactual must not change; repeat it, or separate names by commas.",
        ),
    ],
    to: Annotated[str, typer.Option(help="The class that the counterfactual is to give.", show_default=False)] = "",
    text: TextOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each row.")] = False,
) -> None:
    """Say why a row gets its class, and what would give it another one.

    The counterfactual is the fewest columns to change so that the row gets another class.
    """
    explain_rows(*read_model_and_table(model, data, text.format), row, rows, fixed, to, as_json)


def explain_rows(
    network: RuleNetwork, source: TableFile, first: int, count: int, fixed: Sequence[str], to: str, as_json: bool
) -> None:
    """Print the explanations of `count` rows. Rows count from 1; options are checked before any row is read."""
    if first < 1 or count < 1:
        raise InputError(f"--row {first} --rows {count}: rows count from 1, and at least one is explained")
    names = [column.name for column in network.columns]
    unchanged = columns.parse_names(fixed, names, "the model")
    wanted = _class(network, to) if to else None
    table = columns.read_rows(source, network)
    if first > len(table):
        raise InputError(f"--row {first}: {source.name} has {len(table)} rows")
    chosen = range(first - 1, min(first - 1 + count, len(table)))
    for number in chosen:
        row = table.slice(number, 1)
        # One of many rows that has the wanted class already is no mistake, and must not end the command half way.
        there = len(chosen) > 1 and wanted is not None and network.predict(row)[0] == wanted
        explanation = network.explain(row, fixed=unchanged, to=None if there else wanted)
        if as_json:
            typer.echo(json.dumps(_finite(asdict(explanation)), default=str, allow_nan=False))
        else:
            heading = f"row {number + 1}\n\n" if len(chosen) > 1 else ""
            typer.echo(f"{heading}{explanation}" + "\n" * (number != chosen[-1]))
    if len(table) > len(chosen):
        shown = f"row {first}" if len(chosen) == 1 else f"rows {first} to {chosen[-1] + 1}"
        typer.echo(f"{source.name} has {len(table)} rows; explained: {shown} (--row and --rows choose)", err=True)


def _finite(value: Any) -> Any:
    """Return the value with infinities as text, since JSON has none."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _class(network: RuleNetwork, text: str) -> Value:
    """Return the class that is written like this."""
    known = {label_text(name): name for name in network.classes}
    if text not in known:
        raise InputError(f"--to {text}: the model has no such class; {nearest(text, known)}")
    return known[text]
