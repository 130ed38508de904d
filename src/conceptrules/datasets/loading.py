"""Data sets by name: `load("tic-tac-toe")`.

Three need no file (tic-tac-toe, wine, breast-cancer). The paper's twelve are read from a folder, given as an argument
or in $CONCEPTRULES_DATA, as gzipped CSV with a header. tic-tac-toe and wine are in both groups; they are the same
table, row by row, so it does not matter where they come from: the file is read only if a folder is given in the call.

A folder with a MANIFEST.toml has further tables, those that it lists. In a call that names a folder, its manifest goes
before the catalogue; in all others the catalogue does. So a folder may have another table called breast-cancer.
"""

from __future__ import annotations

import difflib
import gzip
import os
import tomllib
from collections.abc import Sequence
from csv import reader as csv_reader
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

VARIABLE = "CONCEPTRULES_DATA"
LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))
"""The eight winning lines, as the names of the squares, row by row from the top left."""

Board = tuple[str, ...]
_BLANK = "b"


class DatasetError(LookupError):
    """The error of a data set that is not known, or whose file is not there or not right; it says what to do."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table and the class of each of its rows."""

    name: str
    """The name of the data set."""
    X: pa.Table
    """The table: discrete columns as text, continuous ones as numbers, null where a value is missing.
    `X.to_pandas()` gives a data frame."""
    y: np.ndarray
    """The class of each row, always text."""
    target: str
    """The name of the column with the classes."""
    citation: str
    """Where the data set comes from."""
    doi: str
    """Its DOI, or an empty text."""

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.X.num_rows} rows, {self.X.num_columns} columns, target {self.target!r})"


@dataclass(frozen=True, slots=True)
class Entry:
    """One data set of the catalogue."""

    name: str
    citation: str
    rows: int
    columns: int
    classes: int
    target: str
    doi: str = ""
    continuous: tuple[str, ...] = ()
    embedded: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}.csv.gz"

    @property
    def origin(self) -> str:
        """Where a person finds it: the citation, with the DOI where there is one."""
        return f"{self.citation}, doi:{self.doi}" if self.doi else self.citation


@cache
def catalogue() -> dict[str, Entry]:
    """Return by name the entries of the package's catalogue, which is known before any file is opened."""
    text = files("conceptrules.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {
        name: Entry(name, **fields | {"continuous": tuple(fields.get("continuous", ()))})
        for name, fields in tomllib.loads(text).items()
    }


def manifest(folder: str | os.PathLike[str]) -> dict[str, Entry]:
    """Return by name the entries of a folder's MANIFEST.toml; a folder without one has none."""
    path = Path(folder, "MANIFEST.toml")
    content = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    entries = {}
    for fields in content.get("dataset", []):
        if fields.get("kind") == "regression":  # `load` gives classes
            continue
        citation, _, doi = fields.get("citation", "").partition(", doi:")
        entries[fields["name"]] = Entry(
            fields["name"],
            citation,
            rows=fields["rows"] if "rows" in fields else fields["instances"],
            columns=len(fields["continuous"]) + len(fields["discrete"]),
            classes=fields["classes"],
            target=fields["target"],
            doi=doi,
            continuous=tuple(fields["continuous"]),
        )
    return entries


def folders() -> list[Path]:
    """Return the folders that the environment variable CONCEPTRULES_DATA names, with os.pathsep between them."""
    return [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


def entries(folder: str | os.PathLike[str] | None = None) -> dict[str, Entry]:
    """Return by name, in alphabetical order, what is known of each data set that `load` can be asked for."""
    if folder is not None:
        known = catalogue() | manifest(folder)
    else:
        known = {name: entry for path in reversed(folders()) for name, entry in manifest(path).items()} | catalogue()
    return dict(sorted(known.items()))


def names(*, folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the names that `load` knows.

    Parameters
    ----------
    folder : str or os.PathLike, optional
        The folder with the files; by default those of the environment variable CONCEPTRULES_DATA.

    Returns
    -------
    list of str
        The names, in alphabetical order: those of the package, and those of the folders' MANIFEST.toml.

    Examples
    --------
    >>> {"adult", "tic-tac-toe", "wine"} <= set(names())
    True
    """
    return list(entries(folder))


def find(name: str, *, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the file that `load` would read.

    Parameters
    ----------
    name : str
        The name of a data set.
    folder : str or os.PathLike, optional
        The folder with the files; by default those of the environment variable CONCEPTRULES_DATA, which may name
        several with os.pathsep between them.

    Returns
    -------
    pathlib.Path or None
        The file; None if the data set is embedded and no folder is given.

    Raises
    ------
    DatasetError
        If there is no such data set, or its file is not in the folder.

    Examples
    --------
    >>> find("wine") is None
    True
    """
    entry = _find_entry(name, folder)
    if folder is None and entry.embedded:
        return None
    searched = folders() if folder is None else [Path(folder)]
    path = next((path / entry.file for path in searched if (path / entry.file).is_file()), None)
    if path is None:
        into = " or ".join(map(str, searched)) or f"a folder and set ${VARIABLE} to it (or give the folder)"
        source = f". Source: {entry.origin}" if entry.origin else ""
        raise DatasetError(f"data set {name!r} needs the file {entry.file}: put it into {into}{source}")
    return path


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Return a data set by its name.

    Parameters
    ----------
    name : str
        The name of a data set: one of `names()`.
    folder : str or os.PathLike, optional
        The folder with the files; by default those of the environment variable CONCEPTRULES_DATA. Without a folder,
        "tic-tac-toe", "wine" and "breast-cancer" need no file.

    Returns
    -------
    Dataset
        The table, the classes, and where they come from.

    Raises
    ------
    DatasetError
        If there is no such data set, or its file is not there or not right.

    Examples
    --------
    >>> load("tic-tac-toe")
    Dataset('tic-tac-toe', 958 rows, 9 columns, target 'class')
    """
    entry = _find_entry(name, folder)
    path = find(name, folder=folder)
    X, y = _make_embedded(entry) if path is None else _read(path, entry)
    return Dataset(name, X, y, entry.target, entry.citation, entry.doi)


def _find_entry(name: str, folder: str | os.PathLike[str] | None) -> Entry:
    known = entries(folder)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise DatasetError(f"there is no data set {name!r}; {hint}")
    return known[name]


def _read(path: Path, entry: Entry) -> tuple[pa.Table, np.ndarray]:
    import pyarrow as pa
    from pyarrow import csv

    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        header = next(csv_reader(lines), [])
    missing = [column for column in (*entry.continuous, entry.target) if column not in header]
    if missing:
        raise DatasetError(f"{path} has no column {missing[0]!r}; it is not the data set {entry.name!r}")
    # Only the empty field is missing: words such as none, NA and null are categories like others.
    options = csv.ConvertOptions(
        column_types={column: pa.string() for column in header if column not in entry.continuous},
        null_values=[""],
        strings_can_be_null=True,
    )
    table = csv.read_csv(path, convert_options=options)
    return table.drop_columns([entry.target]), _to_text(table[entry.target].to_pylist())


def _make_embedded(entry: Entry) -> tuple[pa.Table, np.ndarray]:
    """Return a data set that needs no file: made by playing, or scikit-learn's copy of it."""
    import pyarrow as pa

    if entry.name == "tic-tac-toe":
        boards = list_final_boards()
        columns = dict(zip(map(str, range(1, 10)), zip(*boards, strict=True), strict=True))
        labels = ["positive" if has_won(board, "x") else "negative" for board in boards]
    elif entry.name == "wine":  # with the names and labels of the UCI file
        from sklearn.datasets import load_wine

        wine = load_wine()
        columns, labels = dict(zip(entry.continuous, wine.data.T, strict=True)), wine.target + 1
    else:
        from sklearn.datasets import load_breast_cancer

        cells = load_breast_cancer()
        columns = dict(zip(map(str, cells.feature_names), cells.data.T, strict=True))
        labels = cells.target_names[cells.target]
    return pa.table(columns), _to_text(labels)


def _to_text(labels: Sequence[object]) -> np.ndarray:
    return np.array([str(label) for label in labels])


def list_final_boards() -> list[Board]:
    """Return the 958 final boards, in the order of the UCI file: x has won, o has won, drawn; then squares as x, o, b.

    >>> len(list_final_boards()), "".join(list_final_boards()[0])
    (958, 'xxxxooxoo')
    """
    return sorted(_finals(), key=lambda board: (_outcome(board), ["xob".index(s) for s in board]))


def has_won(board: Board, player: str) -> bool:
    """Return whether a player has three in a row."""
    return any(all(board[square - 1] == player for square in line) for line in LINES)


def _outcome(board: Board) -> int:
    return 0 if has_won(board, "x") else 1 if has_won(board, "o") else 2


def _finals() -> set[Board]:
    """Try every move on every board of a game that goes on, and return the boards on which a game ends."""
    going: set[Board] = {(_BLANK,) * 9}
    ended: set[Board] = set()
    for player in "xoxoxoxox":
        moves = ((board, i) for board in going for i, mark in enumerate(board) if mark == _BLANK)
        moved = {(*board[:i], player, *board[i + 1 :]) for board, i in moves}
        ended |= {board for board in moved if has_won(board, player)}
        going = moved - ended
    return ended | going
