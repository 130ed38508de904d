"""The files that commands read and write: their names, models, and tables as CSV or Parquet.

A file appears when it is complete; `-` is standard input or standard output.
"""

from __future__ import annotations

import csv as python_csv
import glob
import io
import os
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from conceptrules.io.model_file import dumps, load, read, save
from conceptrules.io.whole_file import whole_file
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.tables.files.formats import PARQUET, STREAM, USUAL, TextFormat, known_suffix
from conceptrules.tables.files.table_reader import TableFile, open_file

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
        both_exist = STREAM not in (name, output) and os.path.exists(name) and os.path.exists(output)
        if both_exist and os.path.samefile(name, output):
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
def name_errors_after(name: str) -> Iterator[None]:
    """Raise an error of a temporary file with the name that the user gave."""
    try:
        yield
    except OSError as error:
        raise (OSError(error.errno, error.strerror, name) if error.filename else error) from None


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
    with name_errors_after(output):
        save(network, Path(output).resolve())


@contextmanager
def open_output(name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard output, for bytes."""
    if name == STREAM:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # whoever reads it has seen enough, as `head` does; what is left goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        with name_errors_after(name), whole_file(Path(name).resolve()) as file:
            yield file


def write_bytes(data: bytes, name: str) -> None:
    """Write bytes to a file or to standard output."""
    with open_output(name) as file:
        file.write(data)


def write_table(table: pa.Table, name: str) -> None:
    """Write a table as Parquet or CSV, by the name of the file, or as CSV to standard output."""
    with open_output(name) as file:
        if is_parquet(name):
            parquet.write_table(table, file)
        else:
            file.write(csv_header(table.column_names) + csv_rows(table))


@contextmanager
def parquet_output(name: str, stored: pa.Schema, schema: pa.Schema) -> Iterator[parquet.ParquetWriter]:
    """Open a Parquet file to which tables with the schema `stored` are added.

    Readers find the types of `schema` in it: a Parquet file does not care what is a dictionary, it only keeps a note.
    """
    with open_output(name) as file, parquet.ParquetWriter(file, stored, store_schema=False) as writer:
        yield writer
        writer.add_key_value_metadata({"ARROW:schema": b64encode(schema.serialize().to_pybytes()).decode()})


def csv_header(columns: Sequence[str]) -> bytes:
    """Return the first line of a CSV file."""
    header = io.StringIO()
    python_csv.writer(header, lineterminator="\n").writerow(columns)
    return header.getvalue().encode()


def csv_rows(table: pa.Table) -> bytes:
    """Return the rows of a table as CSV, with quotes only around values that need them."""
    body = pa.BufferOutputStream()
    try:
        csv.write_csv(table, body, csv.WriteOptions(include_header=False, quoting_style="none"))
    except pa.ArrowInvalid:  # some value needs quotes, and pyarrow would then put them around all text
        return _quoted_rows(table)
    return body.getvalue().to_pybytes()


def _quoted_rows(table: pa.Table) -> bytes:
    comma, quote, nothing = (pa.scalar(text, pa.large_string()) for text in (",", '"', ""))
    columns = []
    for column in table.columns:
        texts = column.cast(pa.large_string())
        quoted = pc.binary_join_element_wise(quote, pc.replace_substring(texts, '"', '""'), quote, nothing)
        columns.append(pc.if_else(pc.match_substring_regex(texts, '[",\r\n]'), quoted, texts))
    lines = pc.binary_join_element_wise(*columns, comma, null_handling="replace", null_replacement="")
    return "".join(f"{line}\n" for line in lines.to_pylist()).encode()
