"""`conceptrules prove`: whether a model satisfies a policy, as text or JSON, with a certificate if asked for."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.commands.diff import plain_values
from conceptrules.cli.files import (
    check_model_output,
    check_not_input,
    check_output,
    check_streams,
    name_errors_after,
    read_model,
    write_model,
)
from conceptrules.cli.options import TABLE, Json, Model, Target, TextOptions, Without
from conceptrules.io.json_readers import finite
from conceptrules.logic.policies.proof import Proof, recorded
from conceptrules.logic.policies.proof import prove as proof_of
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair, LeastPrecision, LeastRows, Policy
from conceptrules.model.policy.plain import to_plain
from conceptrules.model.predicate import shown
from conceptrules.tables.files.table_reader import TableFile, open_file

PROVED, REFUTED, UNDECIDED = 0, 1, 3  # 2 is an error


def prove(
    model: Model,
    policy: Annotated[
        str,
        typer.Argument(help="A policy file (TOML); by default, the model's own policy.", show_default=False),
    ] = "",
    *,
    data: Annotated[str, typer.Option(help="Rows to check clauses about rows on. " + TABLE, show_default=False)] = "",
    target: Target = "",
    certificate: Annotated[
        str, typer.Option(help="Write a certificate there, for python -m conceptrules.check.", show_default=False)
    ] = "",
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Write the model with the policy and the verdicts.", show_default=False),
    ] = "",
    text: Annotated[TextOptions, Without("dates")],
    as_json: Json = False,
) -> None:
    """Decide whether a model satisfies a policy: for all possible rows, not for a sample.

    The exit code is 0 if every clause is proved, 1 if one is refuted, and 3 if none is refuted but one is undecided.
    """
    check_streams(model, data)
    if certificate:
        check_not_input(certificate, [model, *([policy] if policy else []), data])
        check_output(certificate)
    if output:
        check_model_output(output)
        check_not_input(output, [*([policy] if policy else []), data])
    asked = Policy.read(policy) if policy else None
    network = read_model(model)
    asked = asked or network.policy
    if asked is None:
        raise InputError(f"{model} carries no policy; give a policy file")
    source = open_file(data, text.format) if data else None
    table, labels = _rows(network, asked, source, target) if source else (None, None)
    proof = proof_of(network, asked, data=table, labels=labels)
    typer.echo(as_json_text(proof) if as_json else shown_lines(proof))
    if certificate:
        from conceptrules.logic.policies.certificate import certificate as certified

        told = tomllib.loads(Path(policy).read_text(encoding="utf-8-sig")) if policy else finite(to_plain(asked))
        with name_errors_after(certificate):
            Path(certificate).write_text(certified(network, asked, proof, told), encoding="utf-8")
    if output:
        write_model(replace(network, policy=asked, proof=recorded(proof)), output)
    raise typer.Exit({"proved": PROVED, "refuted": REFUTED, "undecided": UNDECIDED}[proof.outcome])


def shown_lines(proof: Proof) -> str:
    """Return the verdicts as text without control characters."""
    return "\n".join(map(shown, str(proof).splitlines()))


def as_json_text(proof: Proof) -> str:
    """Return the verdicts as JSON."""
    return json.dumps(plain_values(as_plain(proof)), indent=1, allow_nan=False)


def as_plain(proof: Proof) -> dict[str, Any]:
    """Return the verdicts as dictionaries and lists."""
    return {"hash": proof.hash, "outcome": proof.outcome, "verdicts": [asdict(one) for one in proof.verdicts]}


def _rows(network: RuleNetwork, policy: Policy, source: TableFile, target: str) -> tuple[Any, Any]:
    """Return the columns of the network and those of groups, and the classes where there are some."""
    if target or any(isinstance(clause, LeastRows | LeastPrecision | Fair) for clause in policy.clauses):
        try:
            table, labels = columns.read_labelled_rows(source, target, network)
        except InputError:
            if target or policy.of_kind(LeastPrecision):
                raise
            table, labels = columns.read_rows(source, network), None
    else:
        table, labels = columns.read_rows(source, network), None
    return columns.add_group_columns(table, source, policy), labels
