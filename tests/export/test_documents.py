"""Markdown and LaTeX: every rule is there, and hostile names are only names."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from conceptrules.export import export
from conceptrules.export.documents import escape_markdown
from conceptrules.export.wording import rule_ids
from conceptrules.model.card import points_text
from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule
from conceptrules.model.statistics import with_statistics
from conceptrules.model.text import rule_text
from tests.export.hostile import hostile_network
from tests.export.sql.test_query import measured
from tests.export.verify.test_comparison import network
from tests.model.test_heads import CARD, make_number_card
from tests.model.test_heads import SEVERAL as POINTS_OF_SEVERAL

SEVERAL = replace(CARD, classes=("a", "b", "c"), head=POINTS_OF_SEVERAL)

DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{longtable,textcomp}
\begin{document}
\input{rules.tex}
THE END
\end{document}
"""


@pytest.mark.parametrize("made", [network(), measured()])
@pytest.mark.parametrize("to", ["markdown", "latex"])
def test_every_rule_is_in_the_tables(made, to):
    text = export(made, to)
    used = {
        f"{n + 1}.{rule + 1}" for n, level in enumerate(made.levels) for each in level.concepts for rule in each.rules
    }
    assert used <= set(rule_ids(made))
    assert used == set(re.findall(r"\bR(\d+\.\d+) [|&]", text))
    assert "If none fires" in text


def test_markdown_shows_figures_where_there_are_some():
    text = export(measured(), "markdown")
    assert f"| R1.1 | {escape_markdown(rule_text(measured(), 0, 0))} | 3 | 66.7% \\[20-94%\\] |" in text
    assert r"& 3 & 66.7\% [20-94\%] \\" in export(measured(), "latex")
    assert "| rule | literals |\n" in export(network(), "markdown")


@pytest.mark.parametrize("card", [CARD, SEVERAL, make_number_card(), make_number_card(link="log")])
@pytest.mark.parametrize("to", ["markdown", "latex"])
def test_every_rule_of_a_card_is_in_the_tables_with_its_points(card, to):
    text = export(card, to)
    for rule in range(len(card.head.points)):
        (line,) = (line for line in text.splitlines() if re.match(rf"(\| )?R1\.{rule + 1} ", line))
        cells = [cell.strip() for cell in re.split(r"[|&]|\\\\", line)]
        expected = [points_text(points, card.head.step, card.head.link) for points in card.head.points[rule]]
        assert [cell for cell in cells if cell][2:] == [cell for cell in expected if cell]
    assert "base" in text


def test_a_card_has_all_steps_of_its_probabilities_that_read_differently():
    text = export(CARD, "markdown")
    assert text.count("%") == len({share for _, share in CARD.head.probabilities})
    assert "| score from | chance of bad |\n|---:|---:|\n| -1 | 10.0% |\n| 2 | 40.0% |\n" in text


def test_a_card_shows_the_concepts_below_and_the_rows_that_training_saw():
    below = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0, 1])])
    top = Level([Rule([Literal(0)]), Rule([Literal(0, True)]), Rule([])], ())
    card = with_statistics(replace(CARD, levels=[below, top]), pack(np.eye(4, 2, dtype=bool)), np.array([0, 1, 1, 0]))
    text = export(card, "markdown")
    assert "| R2.1 | C1.1 | +3 | 2 | 50.0% |" in text
    assert "**C1.1 means any of**\n\n| rule | literals | rows | right |\n" in text
    assert "| R1.2 | 1000 \\< debt \\<= 5000 | 1 |  |" in text


def test_latex_prints_hostile_names(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (tmp_path / "rules.tex").write_text(latin(export(hostile_network(), "latex")), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def latin(text: str) -> str:
    """pdfLaTeX has no letters beyond Latin ones."""
    return "".join(letter if ord(letter) < 0x250 else "x" for letter in text)
