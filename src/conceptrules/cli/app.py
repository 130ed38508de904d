"""The commands. Each one checks what it is given, works, and writes; heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from conceptrules import __version__
from conceptrules.cli import columns
from conceptrules.cli.files import tables as files
from conceptrules.cli.opening import check_streams, network_of, opened, task
from conceptrules.cli.options import (
    TABLE,
    Called,
    Data,
    Device,
    Drop,
    Effort,
    Jobs,
    Keep,
    Kinds,
    Layers,
    MaxCategories,
    MaxEdges,
    MaxEpochs,
    MaxRuleLength,
    MaxRules,
    Model,
    Negation,
    Only,
    Out,
    Polish,
    Quiet,
    Rate,
    RecipeName,
    Scoring,
    Seed,
    Settings,
    Stored,
    Target,
)
from conceptrules.io.model_file import dumps, save
from conceptrules.model.errors import InputError

app = typer.Typer(
    help="Learn small networks of AND/OR rules from a table, read them, and predict with them.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"conceptrules {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The options that need no command; the help is that of `app`."""


@app.command()
def fit(
    data: Data,
    *,
    target: Target,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file; - for standard output.")],
    drop: Drop,
    only: Only,
    kind: Kinds,
    recipe: RecipeName = "polished",
    effort: Effort = "default",
    scoring: Scoring = "macro-F1",
    max_edges: MaxEdges = None,
    max_rules: MaxRules = None,
    max_rule_length: MaxRuleLength = None,
    layers: Layers = "auto",
    rate: Rate = "auto",
    negation: Negation = None,
    max_epochs: MaxEpochs = 400,
    max_categories: MaxCategories = 256,
    seed: Seed = 0,
    n_jobs: Jobs = -1,
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Learn a network from a table and write it to a file."""
    files.check_model_output(output)
    files.check_not_input(output, [data])
    polish = Polish(recipe, effort, scoring, max_edges, max_rules, max_rule_length)
    settings = Settings(polish, layers, rate, negation, max_epochs, max_categories, seed, n_jobs, device)
    clf, X, y = task(data, target, drop, only, kind, settings)
    start = perf_counter()
    clf.fit(X, y)
    if output == files.STREAM:
        sys.stdout.buffer.write(dumps(clf.network_).encode())  # UTF-8, whatever the terminal's encoding
        sys.stdout.buffer.flush()
    else:
        with files.naming(output):
            save(clf, Path(output).resolve())
    if not quiet:
        rules = sum(len(level.rules) for level in clf.network_.levels)
        counts = f"{_counted(rules, 'rule')}, {_counted(clf.network_.edges, 'edge')}"
        typer.echo(f"{counts}, learned from {len(y)} rows in {perf_counter() - start:.1f} s", err=True)


@app.command()
def predict(model: Model, data: Data, output: Out = files.STREAM, n_jobs: Jobs = -1) -> None:
    """Add a column `prediction` to a table; its other columns stay as they are, the target too if it is there.

    The table may be larger than memory: it is read, answered and written in chunks.
    """
    from conceptrules.cli.files import streaming

    files.check_table_output(output)
    files.check_not_input(output, [model, data])
    check_streams(model, data)
    summary = streaming.predict(network_of(model), data, output, n_jobs)
    for column, count in summary.unseen.items():
        message = f"column {column!r}: {count} of {summary.rows} rows have a value that the model has no category for"
        typer.echo(message, err=True)


@app.command()
def evaluate(
    paths: Annotated[list[str], typer.Argument(metavar="[MODEL] DATA", help="No model with --cv. " + TABLE)],
    *,
    target: Target = "",
    cv: Annotated[int, typer.Option(help="Learn and test on this many folds instead of testing a model.")] = 0,
    drop: Drop,
    only: Only,
    kind: Kinds,
    recipe: RecipeName = "polished",
    effort: Effort = "default",
    scoring: Scoring = "macro-F1",
    max_edges: MaxEdges = None,
    max_rules: MaxRules = None,
    max_rule_length: MaxRuleLength = None,
    layers: Layers = "auto",
    rate: Rate = "auto",
    negation: Negation = None,
    max_epochs: MaxEpochs = 400,
    max_categories: MaxCategories = 256,
    seed: Seed = 0,
    n_jobs: Jobs = -1,
    device: Device = "auto",
) -> None:
    """Accuracy, macro-F1, edges and the confusion matrix, of a model on a table or by cross-validation.

    Without --target, the target is the one column that the model does not know.
    The options for learning only count with --cv.
    """
    from conceptrules.cli import show
    from conceptrules.cli.commands import evaluate as evaluation

    if len(paths) != (1 if cv else 2):
        raise InputError("give a model and a table, or only a table with --cv and --target")
    if not cv:
        network, source = opened(*paths)
        show.show_evaluation([evaluation.evaluate(network, *columns.labelled(source, target, network))])
        return
    if not target:
        raise InputError("--cv learns, and so needs to know the target; say it with --target")
    polish = Polish(recipe, effort, scoring, max_edges, max_rules, max_rule_length)
    settings = Settings(polish, layers, rate, negation, max_epochs, max_categories, seed, n_jobs, device)
    clf, X, y = task(paths[0], target, drop, only, kind, settings)
    show.show_evaluation(evaluation.cross_validate(clf, X, y, cv, seed))


@app.command()
def explain(
    model: Model,
    data: Data,
    *,
    row: Annotated[int, typer.Option(help="The row to explain; rows count from 1.")] = 1,
    rows: Annotated[int, typer.Option(help="How many rows to explain, from that one on.")] = 1,
    fixed: Annotated[
        list[str],
        typer.Option(
            default_factory=list, show_default=False, help="A column that is to stay; repeat it, or separate by commas."
        ),
    ],
    to: Annotated[str, typer.Option(help="The class that the smallest change is to give.", show_default=False)] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON for each row.")] = False,
) -> None:
    """Say why a row gets its class, and the smallest change that would give it another one."""
    from conceptrules.cli.commands.explain import explain_rows

    explain_rows(*opened(model, data), row, rows, fixed, to, as_json)


@app.command()
def rules(model: Model) -> None:
    """Print a network in words."""
    typer.echo(str(network_of(model)))


@app.command()
def diff(
    old: Model,
    new: Model,
    data: Annotated[str, typer.Argument(help="Rows to decide by both. " + TABLE, show_default=False)] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what differs between two models. The exit code is 0 if all rows get the same class from both, 1 if not.

    It is 3 where that is not decided, since the models are too large.
    """
    from conceptrules.cli.commands import diff as difference

    if [old, new, data].count(files.STREAM) > 1:
        raise InputError(
            "only one of the models and the table can come from standard input; name a file for the others"
        )
    found = difference.difference(network_of(old), network_of(new), files.open_table(data) if data else None)
    typer.echo(difference.as_json(found) if as_json else difference.as_text(found))
    raise typer.Exit(difference.exit_code(found))


@app.command()
def schema() -> None:
    """Print the JSON Schema of the model file, in its newest version."""
    from conceptrules.io.schema import schema as read_schema

    typer.echo(read_schema(), nl=False)


@app.command()
def draw(
    model: Model,
    output: Annotated[str, typer.Option("--output", "-o", help="An .svg, .png or .pdf file; - for SVG.")],
    rule_set: Annotated[
        str, typer.Option(help="Draw only this class, or concept (C1.2), as a stack of its rules.")
    ] = "",
    theme: Annotated[str, typer.Option(help="light, dark, or auto: the reader's (SVG only).")] = "auto",
    fold: Annotated[int, typer.Option(min=0, help="Fold networks of more than so many edges; 0 folds none.")] = 240,
) -> None:
    """Draw a network, or one rule set of it."""
    from conceptrules.cli.commands import draw as drawing

    drawing.check(output, theme)
    files.check_not_input(output, [model])
    drawing.draw(network_of(model), output, rule_set, theme, fold)


@app.command()
def export(
    model: Model,
    *,
    to: Annotated[str, typer.Option(help="sql, python, javascript, c, markdown, latex, ...", show_default=False)],
    output: Annotated[str, typer.Option("--output", "-o", help="The file; - for standard output.")] = files.STREAM,
    dialect: Annotated[str, typer.Option(help="Of SQL: duckdb, sqlite, postgres, ...", show_default="duckdb")] = "",
    table: Annotated[str, typer.Option(help="SQL: the table to ask, or schema.table.", show_default="data")] = "",
    view: Annotated[str, typer.Option(help="SQL: make a view of this name.", show_default=False)] = "",
    reasons: Annotated[bool, typer.Option("--reasons", help="SQL: add the rules that fire.")] = False,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="SQL: add the probabilities.")] = False,
    column: Called,
    stored: Stored,
    keep: Keep,
    prefix: Annotated[str, typer.Option(help="SQL: goes before the names of the added columns.")] = "",
    name: Annotated[str, typer.Option(help="Of the function, in programming languages.", show_default="decide")] = "",
    verify: Annotated[bool, typer.Option(help="Run the export, and compare it with the model row by row.")] = True,
    data: Annotated[str, typer.Option(help="Verify on the rows of this table too.", show_default=False)] = "",
) -> None:
    """Write a network in another language, and prove that it decides the same there."""
    from conceptrules.cli.commands.export import called, run, types_of

    files.check_not_input(output, [model, data])
    check_streams(model, data)
    options = {"dialect": dialect, "table": table, "view": view, "reasons": reasons, "probabilities": probabilities}
    options |= {"columns": called(column), "types": types_of(stored), "keep": keep, "prefix": prefix, "name": name}
    given = {option: value for option, value in options.items() if value}
    run(lambda: network_of(model), to, given, output, verify, data)


@app.command()
def report(
    model: Model,
    data: Annotated[str, typer.Argument(help="Rows to test the model on. " + TABLE, show_default=False)] = "",
    *,
    output: Annotated[str, typer.Option("--output", "-o", help="An .html file; - for standard output.")],
    target: Target = "",
    title: Annotated[str, typer.Option(help="The heading.", show_default=False)] = "",
    include_rows: Annotated[
        bool, typer.Option("--include-rows", help="Offer real rows to try, right and wrong ones; they are in the file.")
    ] = False,
) -> None:
    """Write one HTML file that says what a model does, how well, and how far to trust it.

    It needs no network. Without --target, the target is the one column that the model does not know.
    """
    from conceptrules.cli.commands import report as reporting

    order = reporting.Order(target, title, include_rows)
    reporting.check(output, data, order)
    files.check_not_input(output, [model, data])
    network, source = opened(model, data) if data else (network_of(model), None)
    reporting.write(network, source, output, order)


@app.command()
def demo(
    seed: Seed = 0,
    report: Annotated[str, typer.Option(help="Where the report goes, an .html file.")] = "conceptrules-demo.html",
) -> None:
    """Learn tic-tac-toe, find the eight winning lines among the rules, and write a report."""
    from conceptrules.cli.commands import report as reporting
    from conceptrules.cli.commands.demo import demo as run

    reporting.check(report, "", reporting.Order())
    raise typer.Exit(0 if run(seed, report) == 8 else 1)


@app.command()
def datasets(
    name: Annotated[
        str, typer.Argument(help="A data set to write as a table, its target last.", show_default=False)
    ] = "",
    output: Out = files.STREAM,
    folder: Annotated[str | None, typer.Option(help="Where the files are; by default $CONCEPTRULES_DATA.")] = None,
) -> None:
    """List the data sets that are there, or write one of them."""
    from conceptrules.cli import show
    from conceptrules.datasets import load as load_dataset

    if name:
        files.check_table_output(output)
        data = load_dataset(name, folder)
        files.write_table(data.X.append_column(data.target, [data.y.tolist()]), output)
    else:
        show.show_datasets(folder)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
