"""`conceptrules demo`: tic-tac-toe learned from its final boards, and the rules of the game read off the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conceptrules import datasets
from conceptrules.cli.commands.report import check_report_output
from conceptrules.cli.console import console, table
from conceptrules.cli.options import Seed
from conceptrules.datasets.tictactoe import LINES
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Predicate

Line = tuple[int, ...]


def demo(
    seed: Seed = 0,
    report: Annotated[str, typer.Option(help="Where the report goes, an .html file.")] = "conceptrules-demo.html",
) -> None:
    """Learn tic-tac-toe, find the eight winning lines among the rules, and write a report."""
    check_report_output(report)
    raise typer.Exit(0 if learn_tic_tac_toe(seed, report) == len(LINES) else 1)


def learn_tic_tac_toe(seed: int, report: str) -> int:
    """Learn and print the network, write its report, and return how many winning lines of x are rules of it."""
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.kernels.timing import timed

    data = datasets.load("tic-tac-toe")
    out = console()
    out.print(f"Tic-tac-toe: {data.X.num_rows} final boards, squares 1 to 9; has x won (positive) or not (negative)?")
    out.print("Learning. The first run on a machine compiles its kernels before that, which takes about a minute.\n")
    # Without negation rules say where x is, not where o is not, which these boards do not tell apart.
    clf = ConceptRuleClassifier(effort="fast", negation=False, random_state=seed)
    with timed() as seconds:
        clf.fit(data.X, data.y)
    out.print(str(clf.network_))
    found = winning_lines(clf.network_)
    rows = [("-".join(map(str, line)), "a rule" if line in found else "not a rule") for line in LINES]
    out.print()
    out.print(table(["winning line of x", "in the network"], rows))
    out.print(
        f"\n{len(found)} of {len(LINES)} winning lines are rules. Learned in {seconds}; "
        f"{clf.network_.edges} edges; accuracy on all boards {clf.score(data.X, data.y):.4f}."
    )
    clf.report(data.X, data.y, report, title="Tic-tac-toe: has x won?")
    out.print(f"\nA report of it is in {Path(report).resolve()}; open it in a browser.")
    return len(found)


def winning_lines(network: RuleNetwork) -> list[Line]:
    """Return the lines for which the class `positive` has the rule: x on these three squares, and nothing else."""
    concept = network.levels[-1].concepts[network.classes.index("positive")]
    rules = [network.levels[-1].rules[index] for index in concept.rules]
    found = {
        frozenset(network.predicates[literal.index] for literal in rule.literals)
        for rule in rules
        if not any(literal.negated for literal in rule.literals)
    }
    return [line for line in LINES if _squares(line) in found]


def _squares(line: Line) -> frozenset[Predicate]:
    return frozenset(Equals(str(square), "x") for square in line)
