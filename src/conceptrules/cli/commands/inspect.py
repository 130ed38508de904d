"""`conceptrules inspect`: what is worth a look in a table before learning from it."""

from __future__ import annotations

import warnings
from dataclasses import asdict

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import console, table, to_json
from conceptrules.cli.options import Bins, Data, FeatureOptions, Json, Target, TextOptions
from conceptrules.model.errors import ColumnWarning
from conceptrules.model.text import plural
from conceptrules.tables.files.table_reader import open_file

_ADVICE = {
    "leak": "is it known when you decide? otherwise --drop",
    "identifier": "is left out; --keep",
    "date": "--date-parts, or --drop",
    "constant": "--drop",
    "categories": "group them, or --drop",
    "duplicate": "the second is left out; --keep",
    "class": "find more rows, or merge it with another class",
}


def inspect(
    data: Data,
    *,
    target: Target,
    features: FeatureOptions,
    bins: Bins = 0,
    as_json: Json = False,
    text: TextOptions,
) -> None:
    """Say what is worth a look in a table before learning from it.

    Finds columns that tell the classes apart alone (copies of the target?), identifiers, dates, constant and duplicate
    columns, columns with more than a hundred categories, and classes with fewer than ten rows.
    """
    from conceptrules.binarize import Binarizer

    source = open_file(data, text.format)
    kinds = columns.parse_kinds(features.kind, source.columns, source.name)
    X, y = columns.read_examples(source, target, features, kinds, bins)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)  # the table below says the same
        binarizer = Binarizer({name: kinds[name] for name in X.column_names if name in kinds}, 255).fit(X, y)
    findings = binarizer.inspection_
    if as_json:
        typer.echo(to_json([asdict(finding) for finding in findings]))
    elif findings:
        rows = [(finding.topic, finding.text, _ADVICE[finding.topic]) for finding in findings]
        console().print(table(["about", "found", "what to do"], rows))
    else:
        typer.echo(f"nothing stands out in {plural(len(X.column_names), 'column')} of {plural(len(y), 'row')}")
