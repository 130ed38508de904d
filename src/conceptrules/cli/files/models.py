"""Model files that commands read; `-` is standard input."""

from __future__ import annotations

import sys

from conceptrules.cli.files.file_names import STREAM, check_streams
from conceptrules.cli.files.table_reader import Source, open_table
from conceptrules.io.model_file import load, read
from conceptrules.model.network import RuleNetwork


def read_model(name: str) -> RuleNetwork:
    """Return the network of a model file."""
    return read(sys.stdin.buffer, "standard input") if name == STREAM else load(name)


def read_model_and_table(model: str, data: str) -> tuple[RuleNetwork, Source]:
    """Return the network of a model file and the table to use it on, not both from standard input."""
    check_streams(model, data)
    return read_model(model), open_table(data)
