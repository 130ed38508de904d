"""`conceptrules report`, run as a user would run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_app import _in_a_folder_of_its_own, refused, run  # noqa: F401  # fixtures


def written(name: str = "report.html") -> str:
    return Path(name).read_text(encoding="utf-8")


def test_a_report_with_rows(run):  # noqa: F811
    assert run("report", "model.json", "data.csv", "-o", "report.html") == ("", "")
    assert "<title>Predicting class</title>" in written()
    assert "given no rows" not in written()


def test_a_report_without_rows(run):  # noqa: F811
    run("report", "model.json", "-o", "report.html", "--title", "Ages & jobs")
    assert "<title>Ages &amp; jobs</title>" in written()
    assert "given no rows" in written()


def test_real_rows_only_if_asked_for(run):  # noqa: F811
    run("report", "model.json", "data.csv", "-o", "report.html", "--target", "class", "--include-rows")
    assert "It holds rows of the data" in written()


def test_a_report_on_standard_output(run):  # noqa: F811
    assert run("report", "model.json", "-o", "-")[0].startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.json", "-o", "report.csv"], "a report is HTML"),
        (["model.json", "-o", "nowhere/report.html"], "does not exist"),
        (["model.json", "-o", "report.html", "--include-rows"], "name the table after the model"),
        (["model.json", "-o", "report.html", "--target", "class"], "name the table after the model"),
        (["model.json", "data.csv", "-o", "report.html", "--target", "clas"], "did you mean 'class'?"),
        (["model.json", "none.csv", "-o", "report.html"], "none.csv"),
        (["-", "-", "-o", "report.html"], "only one input can come from standard input"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(refused, arguments, message):  # noqa: F811
    assert message in refused("report", *arguments)


def test_the_demo_refuses_a_place_that_is_no_page(refused):  # noqa: F811
    assert "a report is HTML" in refused("demo", "--report", "demo.txt")
