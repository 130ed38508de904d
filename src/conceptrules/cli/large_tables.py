"""Tables of several files, or of one that is large: they are read in batches."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conceptrules.cli import columns
from conceptrules.cli.learner import Learner, classifier
from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import PARQUET, STREAM, table_suffix
from conceptrules.tables.files.table_reader import open_parquet
from conceptrules.tables.files.text_format import TextFormat

if TYPE_CHECKING:
    from conceptrules.cli.learner import Classifier

LARGE = 64 << 20
"""Bytes of a text that is read in batches."""


def files_of(data: Sequence[str]) -> list[str]:
    """Return the files that names, patterns and folders stand for; a single name stays as it is."""
    if len(data) == 1 and not glob.has_magic(data[0]) and not os.path.isdir(data[0]):
        return list(data)
    if STREAM in data:
        raise InputError(f"{STREAM} is standard input, which cannot be read together with files; give one of them")
    from conceptrules.tables.sources import unread

    return list(unread(list(data)).given)


def is_large(name: str) -> bool:
    """Return whether a file is read in batches."""
    if name == STREAM or not os.path.isfile(name):
        return False
    if table_suffix(name) == PARQUET:
        from conceptrules.learn.shards.from_source import IN_MEMORY

        return bool(open_parquet(name).metadata.num_rows > IN_MEMORY)
    return os.path.getsize(name) > LARGE


def batches_task(
    files: Sequence[str],
    target: str,
    drop: Sequence[str],
    only: Sequence[str],
    kind: Sequence[str],
    learner: Learner,
    text: TextFormat,
) -> tuple[Classifier, Any]:
    """Return the estimator, and the table that its `fit` reads in batches."""
    from dataclasses import replace

    from conceptrules.tables.sources import columns_of, unread

    table = replace(unread(list(files)), text=text)
    names, where = columns_of(table), files[0] if len(files) == 1 else f"{files[0]} and the other files"
    chosen = columns.features(names, columns.known(target, names, where), drop, only, where)
    kinds = columns.kinds(kind, names, where)
    return classifier(learner, {name: kinds[name] for name in chosen if name in kinds}), table.of([*chosen, target], {})
