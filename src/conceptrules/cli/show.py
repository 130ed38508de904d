"""What the commands print, drawn with rich."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, pstdev

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conceptrules.cli.commands.evaluate import Evaluation
from conceptrules.datasets import DatasetError, find
from conceptrules.datasets.catalogue import Entry, catalogue
from conceptrules.model.predicate import shown


def console(*, stderr: bool = False) -> Console:
    """Nothing is cut or wrapped: a table is as wide as what is in it, and names are not taken for markup."""
    return Console(stderr=stderr, width=10_000, highlight=False, markup=False, emoji=False)


def show_evaluation(folds: Sequence[Evaluation]) -> None:
    """Scores (with their spread, if there are several folds) and the confusion matrix of all rows."""
    scores = Table.grid(padding=(0, 2))
    scores.add_row("accuracy", _spread([fold.accuracy for fold in folds]))
    scores.add_row("macro-F1", _spread([fold.macro_f1 for fold in folds]))
    scores.add_row("edges", _spread([fold.edges for fold in folds], digits=0 if len(folds) == 1 else 1))
    console().print(scores)
    console().print()
    console().print(_matrix(folds))


def show_datasets(folder: str | None) -> None:
    """All data sets, with their shape and where they are."""
    numbers = ["rows", "columns", "classes"]
    rows = [
        (entry.name, entry.rows, entry.columns, entry.classes, entry.target, _place(entry, folder), entry.doi)
        for entry in catalogue().values()
    ]
    console().print(table(["name", *numbers, "target", "where", "doi"], rows, numbers))


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[str] = ()) -> Table:
    """Plain columns under headings; those named in `numbers` lean to the right."""
    drawn = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        drawn.add_column(Text(shown(heading)), justify="right" if heading in numbers else "left")
    for row in rows:
        drawn.add_row(*(Text(shown(cell)) for cell in row))
    return drawn


def _place(entry: Entry, folder: str | None) -> str:
    try:
        return str(find(entry.name, folder) or "embedded")
    except DatasetError:
        return f"not found: {entry.file}"


def _spread(values: Sequence[float], digits: int = 4) -> str:
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    sign = _printable("±", "+-")
    return f"{mean(values):.{digits}f} {sign} {pstdev(values):.{digits}f} over {len(values)} folds"


def _printable(text: str, plain: str) -> str:
    """The text, or a plainer one where standard output cannot show it."""
    try:
        text.encode(console().encoding)
    except UnicodeEncodeError:
        return plain
    return text


def _matrix(folds: Sequence[Evaluation]) -> Table:
    classes = folds[0].classes
    counts = np.sum([fold.matrix for fold in folds], axis=0)
    headings = ["true \\ predicted", *classes]
    return table(headings, [(label, *row) for label, row in zip(classes, counts.tolist(), strict=True)], classes)
