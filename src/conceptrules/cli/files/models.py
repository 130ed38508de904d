"""Model files that commands read and write; `-` is a stream."""

from __future__ import annotations

import sys
from pathlib import Path

from conceptrules.cli.files.file_names import STREAM, check_streams, naming
from conceptrules.cli.files.writer import write_bytes
from conceptrules.io.model_file import dumps, load, read, save
from conceptrules.model.network import RuleNetwork
from conceptrules.tables.files.formats import USUAL, TextFormat
from conceptrules.tables.files.table_reader import TableFile, open_file


def read_model(name: str) -> RuleNetwork:
    """Return the network of a model file."""
    return read(sys.stdin.buffer, "standard input") if name == STREAM else load(name)


def read_model_and_table(model: str, data: str, text: TextFormat = USUAL) -> tuple[RuleNetwork, TableFile]:
    """Return the network of a model file and the table to use it on, not both from standard input."""
    check_streams(model, data)
    return read_model(model), open_file(data, text)


def write_model(network: RuleNetwork, output: str) -> None:
    """Write a network to a model file or to standard output."""
    if output == STREAM:
        write_bytes(dumps(network).encode(), output)  # UTF-8, whatever the terminal's encoding
        return
    with naming(output):
        save(network, Path(output).resolve())
