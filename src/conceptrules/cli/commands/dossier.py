"""`conceptrules dossier`: the file for the auditor, as a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import check_streams, read_model_and_table
from conceptrules.cli.options import By, Data, Model, Target, TextOptions, option
from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import STREAM


def dossier(
    model: Model,
    data: Data,
    *,
    output: Annotated[str, typer.Option("--output", "-o", help="The folder; one with an earlier dossier is replaced.")],
    owner: Annotated[
        str,
        option("A TOML file with the owner's answers.", default="owner.toml in the folder"),
    ] = "",
    target: Target = "",
    by: By,
    text: TextOptions,
) -> None:
    """Write the file for the auditor: what a model is for, how good and how stable it is, and how to check it.

    The folder has the dossier as HTML and Markdown, the model, the certificate of its policy, the checker, the owner's
    answers, and SHA-256 sums. The rows should be ones that the model was not learned from; none of them is in it.
    """
    from conceptrules.report.dossier_folder import write_dossier

    check_streams(model, data)
    inputs = [Path(name).resolve() for name in (model, data, owner) if name and name != STREAM]
    if inside := [path for path in inputs if path.parent == Path(output).resolve() and path.name != "owner.toml"]:
        raise InputError(f"{inside[0]} is in the folder that is written; name another folder")
    network, source = read_model_and_table(model, data, text.format)
    X, y = columns.read_labelled_rows(source, target, network)
    X, names = columns.add_audited_columns(X, source, network.policy, by)
    table = [("file", Path(source.name).name)]
    if data != STREAM:
        with open(data, "rb") as file:
            table.append(("SHA-256 of the file", hashlib.file_digest(file, "sha256").hexdigest()))
    still_open = write_dossier(network, X, y, output, owner=owner, by=names, source=table)
    questions = f"; {len(still_open)} questions to the owner are open ({', '.join(still_open)})" if still_open else ""
    typer.echo(f"{output}: dossier.html, dossier.md{questions}", err=True)
