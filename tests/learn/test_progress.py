"""Progress: a bar where one can be shown, lines with `verbose`, and otherwise nothing at all."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from conceptrules.learn import progress

POINT = SimpleNamespace(label="penalty 2 rows", edges=5.0, score=0.9)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rich think that it runs in a notebook, where no widgets are installed."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(progress, "find_spec", lambda name: None)


@pytest.mark.usefixtures("notebook")
def test_a_notebook_without_widgets_shows_nothing_and_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.search_progress(1, verbose=False) as show:
        show(POINT)
    assert capsys.readouterr() == ("", "")


def test_with_verbose_there_is_a_line_for_each_network(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.search_progress(1, verbose=True) as show:
        show(POINT)
    assert capsys.readouterr().err == "penalty 2 rows  5 edges  score 0.900\n"


@pytest.mark.parametrize(("terminal", "jupyter", "widgets"), [(True, False, False), (False, True, True)])
def test_a_terminal_and_a_notebook_with_widgets_show_bars(
    terminal: bool, jupyter: bool, widgets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "find_spec", lambda name: object() if widgets else None)
    console = SimpleNamespace(is_terminal=terminal, is_jupyter=jupyter)
    assert progress._shows_bars(console)  # type: ignore[arg-type]
