"""The code of the README and the docs runs, and prints what the page says.

A `python` block is run; a `text` block right after it is what it prints. In a `console` block, lines that begin with
`$ ` are run in a shell, and what follows is their output. `...` stands for anything. The blocks of a page share one
folder, and its Python blocks one namespace. Blocks of other languages are left alone.

A block under the comment `<!-- needs pyspark -->` is left out where that package or Java is not installed.
What comes after the comment `<!-- needs hepatitis -->` needs a table that may not be here; then the test ends there,
and is skipped.
Learned rules are floating-point work and may differ between kinds of processors. Output under the comment
`<!-- may differ between machines -->` must come, but if it differs the test is skipped, which shows, and does not fail.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from conceptrules import datasets
from conceptrules.cli import main

ROOT = Path(__file__).parents[1]
LONG = {"gallery.md"}  # it learns six networks, large ones too, only to draw them
PAGES = [
    pytest.param(page, id=page.name, marks=[pytest.mark.long] if page.name in LONG else [])
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
]
BLOCK = re.compile(r"^(<!-- (?:may differ|needs) [^>]*-->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Our own program, with a file or a filter for its output or with a word on its exit code, and nothing else of a shell.
NO_SHELL = re.compile(
    r"""conceptrules (?P<arguments>(?:[^|<>&;$*'"]|'[^']*'|"[^"$]*")*?)"""
    r"""(?: > (?P<file>[\w.-]+)| \| (?P<filter>[^|].*))?(?P<code> \|\| echo "exit code \$\?")?"""
)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def run_python(code: str, names: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, "block", "exec"), names)
    return output.getvalue()


def run_command(command: str) -> str:
    """Standard output and error of a command, in this process where it needs no shell: starting one takes seconds."""
    found = NO_SHELL.fullmatch(command)
    if found is None:
        return run_shell(command)
    output = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("default")  # as in a shell: they are shown, and no errors
        into = stack.enter_context(open(found["file"], "w", encoding="utf-8")) if found["file"] else output
        stack.enter_context(contextlib.redirect_stdout(into))
        stack.enter_context(contextlib.redirect_stderr(output))
        code = run_main(shlex.split(found["arguments"]))
    if found["code"] and code:
        print("exit code", code, file=output)
    text = output.buffer.getvalue().decode()
    assert code == 0 or found["code"], text
    return run_shell(found["filter"], text) if found["filter"] else without_blanks(text)


def run_main(arguments: list[str]) -> int | str | None:
    try:
        main(arguments)
    except SystemExit as end:
        return end.code or 0
    return 0


def without_blanks(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())  # rich fills tables up with blanks


def run_shell(command: str, text: str | None = None) -> str:
    """Standard output and error of a shell command, with this environment's programs first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": path},
        check=False,
    )
    assert run.returncode == 0, run.stdout
    return without_blanks(run.stdout)


def run_page(text: str) -> Iterator[tuple[str, str, bool]]:
    """What the page says, what is printed, and whether these may differ."""
    names: dict[str, object] = {}
    printed = None
    for mark, language, code in BLOCK.findall(text):
        if mark == "<!-- needs pyspark -->\n":
            if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
                printed = None
                continue
        elif mark.startswith("<!-- needs "):
            datasets.load(mark.split()[2])
        if language == "text" and printed is not None:
            yield code, printed, mark.startswith("<!-- may differ")
        printed = run_python(code, names) if language == "python" else None
        if language == "console":
            for command, expected in COMMAND.findall(code):
                yield expected, run_command(command), mark.startswith("<!-- may differ")


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_and_print_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    same = doctest.OutputChecker().check_output
    different = []
    try:
        for expected, found, may_differ in run_page(page.read_text(encoding="utf-8")):
            if not same(expected, found, doctest.ELLIPSIS):
                assert may_differ, f"the page says:\n{expected}\nbut this is printed:\n{found}"
                assert found
                different.append(found)
    except datasets.DatasetError as error:
        pytest.skip(f"the end of the page was not run: {error}")
    if different:
        pytest.skip("examples come out differently here:\n" + "\n".join(different))


def test_the_readme_has_code_to_run():
    languages = [language for _, language, _ in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))]
    assert {"python", "console", "text"} <= set(languages)
