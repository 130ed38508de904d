"""`conceptrules schema`: the JSON Schema of the model file."""

from __future__ import annotations

import typer


def schema() -> None:
    """Print the JSON Schema of the model file."""
    from conceptrules.io.model_file import schema as newest

    typer.echo(newest(), nl=False)
