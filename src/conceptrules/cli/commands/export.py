"""`conceptrules export`: a network in another language, verified before it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import tables as files
from conceptrules.export import export, format_of
from conceptrules.export.verify.comparison import verify
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork


def called(items: Sequence[str]) -> dict[str, str]:
    """`--column age=AGE` as a mapping."""
    return _pairs("--column", items, "model name=table name, for example age=AGE")


def types_of(items: Sequence[str]) -> dict[str, str]:
    """`--type smoker=boolean` as a mapping."""
    return _pairs("--type", items, "model name=type, for example smoker=boolean")


def _pairs(option: str, items: Sequence[str], form: str) -> dict[str, str]:
    pairs = [item.rpartition("=") for item in items]
    for item, (name, equals, other) in zip(items, pairs, strict=True):
        if not (equals and other):
            raise InputError(f"{option} {item!r} should read {form}")
        if [known for known, _, _ in pairs].count(name) > 1:
            raise InputError(f"{option} names {name!r} twice")
    return {name: other for name, _, other in pairs}


def run(
    model: Callable[[], RuleNetwork], to: str, options: Mapping[str, Any], output: str, verified: bool, data: str
) -> None:
    """Nothing is written unless the export decides as the network does."""
    format_of(to)
    if data and not verified:
        raise InputError("--data is what the export is verified on; leave it out, or --no-verify")
    if output != files.STREAM:
        files.check_output(output)
    network = model()
    table = columns.unlabelled(files.open_table(data), network) if data else None
    text = export(network, to, **options)
    said = _verified(network, to, text, table, options) if verified else None
    with files.naming(output):
        files.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"), output)
    if said is not None:
        typer.echo(said, err=True)


def _verified(network: RuleNetwork, to: str, text: Any, table: Any, options: Mapping[str, Any]) -> str:
    outcome = verify(network, to, text, table, **options)
    if outcome.skipped is not None:
        return f"not verified: {outcome.skipped}"
    return f"verified: {outcome.claim} on {outcome.rows} rows"
