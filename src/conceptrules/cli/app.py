"""The command line application: it names the commands, which live in `conceptrules.cli.commands`."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules import __version__
from conceptrules.cli.commands import (
    datasets,
    demo,
    diff,
    draw,
    edit,
    evaluate,
    explain,
    export,
    fit,
    inspect,
    measure,
    predict,
    prove,
    report,
    rules,
    schema,
)

app = typer.Typer(
    help="Learn small networks of AND/OR rules from a table, read them, and predict with them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
# The order of `conceptrules --help`.
app.command()(inspect.inspect)
app.command()(fit.fit)
app.command()(predict.predict)
app.command()(evaluate.evaluate)
app.command()(explain.explain)
app.command()(rules.rules)
app.command()(draw.draw)
app.command()(report.report)
app.command()(export.export)
app.command()(diff.diff)
app.command()(prove.prove)
app.command()(edit.edit)
app.command()(edit.undo)
app.command()(edit.replay)
app.command()(edit.log)
app.command()(measure.measure)
app.command()(schema.schema)
app.command()(datasets.datasets)
app.command()(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"conceptrules {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options that need no command."""
