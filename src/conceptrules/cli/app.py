"""The command line application: it names the commands, which live in `conceptrules.cli.commands`."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules import __version__
from conceptrules.cli.commands import (
    datasets,
    diff,
    dossier,
    edit,
    evaluate,
    explain,
    export,
    fit,
    inspect,
    monitor,
    predict,
    prove,
    show,
    studio,
)
from conceptrules.cli.options import expand_options

app = typer.Typer(
    help="Learn small networks of AND/OR rules from a table, read them, and predict with them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (  # in the order of `conceptrules --help`
    inspect.inspect,
    fit.fit,
    predict.predict,
    evaluate.evaluate,
    monitor.monitor,
    explain.explain,
    show.rules,
    show.draw,
    show.report,
    dossier.dossier,
    export.export,
    export.read_dmn,
    diff.diff,
    prove.prove,
    edit.edit,
    edit.undo,
    edit.redo,
    edit.sign,
    edit.replay,
    edit.log,
    studio.studio,
    evaluate.measure,
    show.schema,
    datasets.datasets,
    datasets.demo,
):
    # Points may be negative: `edit` gets all that looks like an unknown option, and refuses what is none.
    app.command(context_settings={"ignore_unknown_options": command is edit.edit})(expand_options(command))


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"conceptrules {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options that need no command."""
