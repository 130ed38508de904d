"""Markdown and LaTeX: every rule is there, and hostile names are only names."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from conceptrules.export import export
from conceptrules.export.documents import escape_markdown
from conceptrules.export.wording import rule_ids
from conceptrules.model.text import rule_text
from tests.export.hostile import hostile_network
from tests.export.sql.test_query import measured
from tests.export.verify.test_comparison import network

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
