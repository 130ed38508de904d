"""`conceptrules inspect`: what is worth a look in a table before learning from it."""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import console, table, to_json
from conceptrules.cli.options import Bins, Data, FeatureOptions, Json, Target, TextOptions
from conceptrules.model.errors import ColumnWarning, InputError
from conceptrules.model.text import plural
from conceptrules.tables.files.table_reader import open_file

_RANGES = 8
"""Ranges of a number to predict, of about as many rows each."""
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
    regression: Annotated[bool, typer.Option("--regression", help="The target is a number to predict.")] = False,
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
    if regression and bins:
        raise InputError("--regression predicts the number and --bins ranges of it; give one of them")
    # What tells ranges of a number apart tells the number.
    X, y = columns.read_examples(source, target, features, kinds, _RANGES if regression else bins, regression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)  # the table below says the same
        binarizer = Binarizer({name: kinds[name] for name in X.column_names if name in kinds}, 255).fit(X, y)
    findings = list(binarizer.inspection_)
    if regression:
        texts = [each.text.replace("tells the classes apart", "tells the number") for each in findings]
        pairs = zip(findings, texts, strict=True)
        findings = [replace(each, text=text) for each, text in pairs if each.topic != "class"]
    if as_json:
        typer.echo(to_json([asdict(finding) for finding in findings]))
    elif findings:
        rows = [(finding.topic, finding.text, _ADVICE[finding.topic]) for finding in findings]
        console().print(table(["about", "found", "what to do"], rows))
    else:
        typer.echo(f"nothing stands out in {plural(len(X.column_names), 'column')} of {plural(len(y), 'row')}")
