"""`conceptrules measure`: the statistics of a model, counted again."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import check_model_output, check_not_input, read_model_and_table, write_model
from conceptrules.cli.options import Data, Model, Quiet, Target, TextOptions
from conceptrules.model.text import plural


def measure(
    model: Model,
    data: Data,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The model file, perhaps the same; - for standard output.")
    ],
    target: Target = "",
    quiet: Quiet = False,
    text: TextOptions,
) -> None:
    """Count again which rows the rules of a model cover and decide, after an edit or on newer rows.

    The rules stay as they are; the probabilities follow the new counts. Without --target, the target is the one that
    the model names, or else the one column that it does not know.
    """
    from conceptrules.explain.measurement import measure as counted

    check_model_output(output)
    check_not_input(output, [data])
    network, source = read_model_and_table(model, data, text.format)
    X, y = columns.read_labelled_rows(source, target, network)
    measured = counted(network, X, y)
    write_model(measured, output)
    if not quiet and measured.statistics is not None:
        typer.echo(f"counted on {plural(sum(measured.statistics.rows), 'row')}", err=True)
