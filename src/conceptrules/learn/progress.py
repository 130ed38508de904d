"""Progress bars: of training (loss, F1, edges by epoch) and of the search (score, edges by penalty)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol


class Line(Protocol):
    """What the bar shows of one network of the cohort."""

    epoch: int
    loss: float
    mllp_f1: float
    crs_f1: float
    edges: int


@contextmanager
def training_progress(epochs: Sequence[int], verbose: bool) -> Iterator[Callable[[int, Sequence[Any]], None]]:
    """Yield a function that shows the latest scores of one fit of several; `epochs` are the most that each can take.

    Of a cohort it shows the network that is best at the moment. In a terminal or a notebook it is a bar; elsewhere it
    is a line for each snapshot with `verbose`, else nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    several = f" of {len(epochs)} fits" if len(epochs) > 1 else ""
    done = [0] * len(epochs)

    def named(number: int, scores: Sequence[Line]) -> str:
        fit = f"fit {number + 1}{several}, " if several else ""
        return f"{fit}epoch {scores[0].epoch}/{epochs[number]}  {_state(scores)}"

    if console.is_terminal or console.is_jupyter:
        columns = (TextColumn(f"epoch {{task.completed}}/{{task.total}}{several}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, TextColumn("{task.fields[state]}"), console=console, transient=True) as bar:
            task = bar.add_task("training", total=sum(epochs), state="starting; the first run on a machine compiles")

            def show(number: int, scores: Sequence[Line]) -> None:
                done[number] = max(done[number], scores[0].epoch)  # a refit starts again
                bar.update(task, completed=sum(done), state=_state(scores))

            yield show
    elif verbose:
        yield lambda number, scores: print(named(number, scores), file=sys.stderr)
    else:
        yield lambda number, scores: None


def _state(scores: Sequence[Line]) -> str:
    best = max(scores, key=lambda line: line.crs_f1)
    return f"loss {best.loss:.4f}  F1 of MLLP {best.mllp_f1:.3f}, of rules {best.crs_f1:.3f}  {best.edges} edges"


class PathPoint(Protocol):
    """What the bar shows of one penalty."""

    penalty: float
    edges: float
    score: float


@contextmanager
def search_progress(penalties: Sequence[float], verbose: bool) -> Iterator[Callable[[Any], None]]:
    """Yield a function that shows the latest penalty that was tried; the search may end before the last.

    In a terminal or a notebook it is a bar; elsewhere it is a line for each penalty with `verbose`, else nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if console.is_terminal or console.is_jupyter:
        columns = (TextColumn("penalties {task.completed}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, TextColumn("{task.fields[state]}"), console=console, transient=True) as bar:
            task = bar.add_task(
                "searching", total=len(penalties), state="starting; the first run on a machine compiles"
            )
            yield lambda trial: bar.update(task, advance=1, state=_point(trial))
    elif verbose:
        yield lambda trial: print(_point(trial), file=sys.stderr)
    else:
        yield lambda trial: None


def _point(trial: PathPoint) -> str:
    return f"penalty {trial.penalty:g} rows  {trial.edges:.0f} edges  score {trial.score:.3f}"
