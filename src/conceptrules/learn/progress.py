"""Progress bars: of training (loss, F1, edges by epoch) and of the search (score, edges by penalty)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console


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

    if _shows_bars(console):
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


def _shows_bars(console: Console) -> bool:
    """Return whether there is a terminal, or a notebook with widgets: without them it would show a warning instead."""
    return console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)


def _state(scores: Sequence[Line]) -> str:
    best = max(scores, key=lambda line: line.crs_f1)
    return f"loss {best.loss:.4f}  F1 of MLLP {best.mllp_f1:.3f}, of rules {best.crs_f1:.3f}  {best.edges} edges"


@contextmanager
def reading_progress(verbose: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that takes what a pass over a table is for, and how many more rows and bytes it has read.

    In a terminal or a notebook there is a line that changes; elsewhere there is one for each pass with `verbose`, else
    nothing.
    """
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    console, passes = Console(stderr=True), _Passes()
    if console.is_terminal or console.is_jupyter:
        columns = (TextColumn("reading"), TimeElapsedColumn(), TextColumn("{task.fields[state]}"))
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("reading", total=None, state="")

            def show(purpose: str, rows: int, size: int) -> None:
                passes.add(purpose, rows, size)
                bar.update(task, state=str(passes))

            yield show
    elif verbose:

        def tell(purpose: str, rows: int, size: int) -> None:
            if passes.purpose not in ("", purpose):
                print(passes, file=sys.stderr)
            passes.add(purpose, rows, size)

        yield tell
        if passes.purpose:
            print(passes, file=sys.stderr)
    else:
        yield lambda purpose, rows, size: None


class _Passes:
    """How far the reading of a table is."""

    def __init__(self) -> None:
        self.number, self.purpose, self.rows, self.size = 0, "", 0, 0

    def add(self, purpose: str, rows: int, size: int) -> None:
        if purpose != self.purpose:
            self.number, self.purpose, self.rows, self.size = self.number + 1, purpose, 0, 0
        self.rows, self.size = self.rows + rows, self.size + size

    def __str__(self) -> str:
        return f"pass {self.number}, {self.purpose}: {self.rows:,} rows, {self.size / 1e9:.2f} GB"


class PathPoint(Protocol):
    """What the bar shows of one network of a path."""

    @property
    def label(self) -> str:
        """What leads to it, such as its penalty."""

    @property
    def edges(self) -> float: ...

    @property
    def score(self) -> float: ...


@contextmanager
def search_progress(steps: int | None, verbose: bool) -> Iterator[Callable[[Any], None]]:
    """Yield a function that shows the latest network of a path, of at most so many; None: nobody knows how many.

    In a terminal or a notebook it is a bar; elsewhere it is a line for each network with `verbose`, else nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if _shows_bars(console):
        columns = (TextColumn("networks {task.completed}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, TextColumn("{task.fields[state]}"), console=console, transient=True) as bar:
            task = bar.add_task("searching", total=steps, state="starting")
            yield lambda trial: bar.update(task, advance=1, state=_point(trial))
    elif verbose:
        yield lambda trial: print(_point(trial), file=sys.stderr)
    else:
        yield lambda trial: None


def _point(trial: PathPoint) -> str:
    return f"{trial.label}  {trial.edges:.0f} edges  score {trial.score:.3f}"
