"""A line for each fold that is done, and a bar below them where there is a terminal and rich."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

Say = Callable[[str], None]


def say(text: str) -> None:
    """Print a plain line: it reads well in a log, and needs nothing installed."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def counted(total: int) -> Iterator[Say]:
    """Give a function that says a line and counts it."""
    if total and sys.stderr.isatty() and find_spec("rich"):
        with _bar(total) as step:
            yield step
        return
    done = 0

    def step_plainly(text: str) -> None:
        nonlocal done
        done += 1
        say(f"[{done}/{total}] {text}")

    yield step_plainly


@contextmanager
def _bar(total: int) -> Iterator[Say]:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task("folds", total=total)

        def step(text: str) -> None:
            shown.console.print(text, markup=False, highlight=False)
            shown.advance(task)

        yield step
