"""`conceptrules datasets` and `demo`: the tables that come with the package, and what is learned from one of them."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from conceptrules.cli.commands.show import check_report_output
from conceptrules.cli.console import console, table, to_json
from conceptrules.cli.files import check_table_output, write_table
from conceptrules.cli.options import Json, Out, Seed, argument
from conceptrules.datasets import DatasetError, find, load
from conceptrules.datasets.loading import LINES, Entry, entries
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals
from conceptrules.tables.files.formats import STREAM

_NUMBERS = ("rows", "columns", "classes")


def datasets(
    name: Annotated[str, argument("A data set to write as a table, its target last.")] = "",
    output: Out = STREAM,
    folder: Annotated[str | None, typer.Option(help="Where the files are; by default $CONCEPTRULES_DATA.")] = None,
    as_json: Json = False,
) -> None:
    """List the data sets and where they were found, or write one of them."""
    if name:
        check_table_output(output)
        data = load(name, folder=folder)
        write_table(data.X.append_column(data.target, [data.y.tolist()]), output)
        return
    rows = [
        (entry.name, entry.rows, entry.columns, entry.classes, entry.target, _find_file(entry, folder), entry.doi)
        for entry in entries(folder).values()
    ]
    headings = ["name", *_NUMBERS, "target", "where", "doi"]
    if as_json:
        typer.echo(to_json([dict(zip(headings, row, strict=True)) for row in rows]))
    else:
        console().print(table(headings, rows, _NUMBERS))


def _find_file(entry: Entry, folder: str | None) -> str:
    try:
        return str(find(entry.name, folder=folder) or "embedded")
    except DatasetError:
        return f"not found: {entry.file}"


def demo(
    seed: Seed = 0,
    report: Annotated[str, typer.Option(help="Where the report goes, an .html file.")] = "conceptrules-demo.html",
) -> None:
    """Learn tic-tac-toe, find the eight winning lines among the rules, and write a report."""
    from conceptrules.classifier import ConceptRuleClassifier

    check_report_output(report)
    data = load("tic-tac-toe")
    out = console()
    out.print(f"Tic-tac-toe: {data.X.num_rows} final boards, squares 1 to 9; has x won (positive) or not (negative)?")
    out.print()
    # Without negation rules say where x is, not where o is not, which these boards do not tell apart.
    clf = ConceptRuleClassifier(effort="fast", negation=False, random_state=seed)
    start = perf_counter()
    clf.fit(data.X, data.y)
    seconds = perf_counter() - start
    out.print(str(clf.network_))
    lines = _find_winning_lines(clf.network_)
    rows = [("-".join(map(str, line)), "a rule" if line in lines else "not a rule") for line in LINES]
    out.print()
    out.print(table(["winning line of x", "in the network"], rows))
    out.print(
        f"\n{len(lines)} of {len(LINES)} winning lines are rules. Learned in {seconds:.1f} s; "
        f"{clf.network_.edges} edges; accuracy on all boards {clf.score(data.X, data.y):.4f}."
    )
    clf.report(data.X, data.y, report, title="Tic-tac-toe: has x won?")
    out.print(f"\nA report of it is in {Path(report).resolve()}; open it in a browser.")
    raise typer.Exit(0 if len(lines) == len(LINES) else 1)


def _find_winning_lines(network: RuleNetwork) -> list[tuple[int, ...]]:
    """Return the lines for which the class `positive` has the rule: x on these three squares, and nothing else."""
    concept = network.levels[-1].concepts[network.classes.index("positive")]
    rules = [network.levels[-1].rules[index] for index in concept.rules]
    positive_rules = {
        frozenset(network.predicates[literal.index] for literal in rule.literals)
        for rule in rules
        if not any(literal.negated for literal in rule.literals)
    }
    return [line for line in LINES if frozenset(Equals(str(square), "x") for square in line) in positive_rules]
