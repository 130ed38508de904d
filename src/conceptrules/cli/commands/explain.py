"""`conceptrules explain`: why rows get their classes, as text or as one line of JSON each."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import to_json
from conceptrules.cli.files import read_model_and_table
from conceptrules.cli.options import Data, Model, TextOptions, option
from conceptrules.explain.counterfactual import has_answer
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.text import word


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
    to: Annotated[str, option("The class that the counterfactual is to give; of a number, such as '>= 300'.")] = "",
    counterfactuals: Annotated[int, typer.Option(help="How many counterfactuals to look for.")] = 1,
    rule: Annotated[str, option("The number of a rule, such as R1.3: does it hold, and what does it lack?")] = "",
    text: TextOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each row.")] = False,
) -> None:
    """Say why a row gets its class, and what would give it another one.

    The counterfactual is the fewest columns to change so that the row gets another class.
    """
    network, source = read_model_and_table(model, data, text.format)
    if counterfactuals < 1:
        raise InputError(f"--counterfactuals {counterfactuals} is out of range: at least 1")
    if row < 1 or rows < 1:
        raise InputError(f"--row {row} --rows {rows}: rows count from 1, and at least one is explained")
    unchanged = columns.parse_names(fixed, [column.name for column in network.own_columns], "the model")
    target: Value | None = columns.parse_class(network, to) if to and network.classes else to or None
    table = columns.read_rows(source, network)
    if row > len(table):
        raise InputError(f"--row {row}: {source.name} has {len(table)} rows")
    numbers = range(row, min(row + rows, len(table) + 1))
    for number in numbers:
        single = table.slice(number - 1, 1)
        reached = target is not None and has_answer(network, network.predict(single).tolist()[0], target)
        if reached:  # which is no mistake
            typer.echo(f"row {number} is {target if not network.classes else word(target)} already", err=as_json)
        explanation = network.explain(
            single, fixed=unchanged, to=None if reached else target, rule=rule or None, count=counterfactuals
        )
        if as_json:
            typer.echo(to_json(asdict(explanation), indent=None))
        else:
            heading = f"row {number}\n\n" if len(numbers) > 1 else ""
            typer.echo(f"{heading}{explanation}" + "\n" * (number != numbers[-1]))
    if len(table) > len(numbers):
        explained = f"row {row}" if len(numbers) == 1 else f"rows {row} to {numbers[-1]}"
        typer.echo(f"{source.name} has {len(table)} rows; explained: {explained} (--row and --rows choose)", err=True)
