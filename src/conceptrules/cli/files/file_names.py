"""What the name of a file says: its format, and whether a file of that name can be written."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import PARQUET, STREAM, known_suffix

_NOT_A_MODEL = (".csv", ".tsv", ".gz", PARQUET)


def list_files(names: Sequence[str]) -> list[str]:
    """Return the files that names, patterns and folders stand for; a single name stays as it is."""
    if len(names) == 1 and not glob.has_magic(names[0]) and not os.path.isdir(names[0]):
        return list(names)
    if STREAM in names:
        raise InputError(f"{STREAM} is standard input, which cannot be read together with files; give one of them")
    from conceptrules.tables.sources import resolve_source

    return list(resolve_source(list(names)).data)


def is_parquet(name: str) -> bool:
    """Return whether a table of this name is written as Parquet; if not, it is written as CSV."""
    return name != STREAM and known_suffix(name, (".csv", PARQUET)) == PARQUET


def check_table_output(name: str) -> None:
    """Raise now, rather than after long work, if a table could not be written there."""
    if name != STREAM:
        known_suffix(name, (".csv", PARQUET))
        check_output(name)


def check_model_output(name: str) -> None:
    """Raise now if a model could not be written there, or would look like a table."""
    if name != STREAM:
        if name.lower().endswith(_NOT_A_MODEL):
            raise InputError(f"-o {name} is the name of a table; a model is JSON, name it for example model.json")
        check_output(name)


def check_not_input(output: str, inputs: Sequence[str]) -> None:
    """Raise if writing the output would destroy an input, by whatever name."""
    for name in inputs:
        there = STREAM not in (name, output) and os.path.exists(name) and os.path.exists(output)
        if there and os.path.samefile(name, output):
            raise InputError(f"-o {output} is the file {name} itself, which would be lost; name another one")


def check_streams(*names: str) -> None:
    """Raise if more than one input is to come from standard input."""
    if names.count(STREAM) > 1:
        raise InputError("only one input can come from standard input; name a file for the others")


def check_output(name: str) -> None:
    """Raise now, rather than after long work, if a file of this name could not be written."""
    path = Path(name).resolve()
    if not path.parent.is_dir():
        raise InputError(f"{name}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise InputError(f"{name} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{name} is not an ordinary file; use {STREAM} for standard output")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} cannot be written to; choose another")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Tell an error of a temporary file by the name that the user gave."""
    try:
        yield
    except OSError as error:
        raise (OSError(error.errno, error.strerror, name) if error.filename else error) from None
