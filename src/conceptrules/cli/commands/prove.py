"""`conceptrules prove`: whether a model satisfies a policy, as text or JSON, with a certificate if asked for."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import escape_lines, to_json
from conceptrules.cli.files import (
    check_model_output,
    check_not_input,
    check_output,
    check_streams,
    read_model,
    write_bytes,
    write_model,
)
from conceptrules.cli.options import TABLE, Json, Model, Target, TextOptions, WithoutOption, argument, option
from conceptrules.io.json_readers import finite
from conceptrules.logic.policies.proof import Proof, record_proof, write_certificate
from conceptrules.logic.policies.proof import prove as prove_policy
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair, LeastPrecision, LeastRows, Policy
from conceptrules.model.policy.plain import to_plain
from conceptrules.tables.files.table_reader import TableFile, open_file

_EXIT_CODES = {"proved": 0, "refuted": 1, "undecided": 3}  # 2 is an error


def prove(
    model: Model,
    policy: Annotated[str, argument("A policy file (TOML); by default, the model's own policy.")] = "",
    *,
    data: Annotated[str, option("Rows to check clauses about rows on. " + TABLE)] = "",
    target: Target = "",
    certificate: Annotated[str, option("Write a certificate there, for python -m conceptrules.check.")] = "",
    output: Annotated[str, option("Write the model with the policy and the verdicts.", "--output", "-o")] = "",
    text: Annotated[TextOptions, WithoutOption("dates")],
    as_json: Json = False,
) -> None:
    """Decide whether a model satisfies a policy: for all possible rows, not for a sample.

    The exit code is 0 if every clause is proved, 1 if one is refuted, and 3 if none is refuted but one is undecided.
    """
    check_streams(model, data)
    if certificate:
        check_not_input(certificate, [model, policy, data])
        check_output(certificate)
    if output:
        check_model_output(output)
        check_not_input(output, [policy, data])
    read_policy = Policy.read(policy) if policy else None
    network = read_model(model)
    clauses = read_policy or network.policy
    if clauses is None:
        raise InputError(f"{model} carries no policy; give a policy file")
    table, labels = _read_rows(network, clauses, open_file(data, text.format), target) if data else (None, None)
    proof = prove_policy(network, clauses, data=table, labels=labels)
    typer.echo(to_json(proof_fields(proof)) if as_json else escape_lines(str(proof)))
    if certificate:
        content = tomllib.loads(Path(policy).read_text(encoding="utf-8-sig")) if policy else finite(to_plain(clauses))
        write_bytes(write_certificate(network, clauses, proof, content).encode(), certificate)
    if output:
        write_model(replace(network, policy=clauses, proof=record_proof(proof)), output)
    raise typer.Exit(_EXIT_CODES[proof.outcome])


def proof_fields(proof: Proof) -> dict[str, Any]:
    """Return the verdicts as dictionaries and lists."""
    return {"hash": proof.hash, "outcome": proof.outcome, "verdicts": [asdict(verdict) for verdict in proof.verdicts]}


def _read_rows(network: RuleNetwork, policy: Policy, source: TableFile, target: str) -> tuple[Any, Any]:
    """Return the columns of the network and of groups, and the classes where clauses need them and they are there."""
    table, labels = None, None
    if target or any(isinstance(clause, LeastRows | LeastPrecision | Fair) for clause in policy.clauses):
        try:
            table, labels = columns.read_labelled_rows(source, target, network)
        except InputError:
            if target or policy.of_kind(LeastPrecision):
                raise
    table = columns.read_rows(source, network) if table is None else table
    return columns.add_group_columns(table, source, policy), labels
