"""`conceptrules rules`: a network in words."""

from __future__ import annotations

import json

import typer

from conceptrules.cli.files import read_model
from conceptrules.cli.options import Json, Model
from conceptrules.explain.rule_coverage import rule_records


def rules(model: Model, *, as_json: Json = False) -> None:
    """Print the rules of a model in words; with --json, a list of them with their figures."""
    network = read_model(model)
    typer.echo(json.dumps(list(rule_records(network)), indent=1, default=str) if as_json else str(network))
