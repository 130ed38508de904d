"""`conceptrules rules`: a network in words."""

from __future__ import annotations

import typer

from conceptrules.cli.files.models import read_model
from conceptrules.cli.options import Model


def rules(model: Model) -> None:
    """Print the rules of a model in words."""
    typer.echo(str(read_model(model)))
