"""Files that commands write: bytes, CSV and Parquet. A file appears when it is complete; `-` is standard output."""

from __future__ import annotations

import csv as python_csv
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

from conceptrules.cli.files.file_names import STREAM, is_parquet
from conceptrules.io.whole_file import whole_file


def write_bytes(data: bytes, name: str) -> None:
    """Write bytes to a file or to standard output."""
    if name == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(name).resolve()) as file:
        file.write(data)


def write_table(table: pa.Table, name: str) -> None:
    """Write a table as Parquet or CSV, by the name of the file, or as CSV to standard output."""
    if not is_parquet(name):
        with csv_output(name) as file:
            file.write(csv_header(table.column_names) + csv_rows(table))
        return
    with whole_file(Path(name).resolve()) as file:
        parquet.write_table(table, file)


@contextmanager
def csv_output(name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard output, for text."""
    if name == STREAM:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # who reads it has seen enough, as `head` does; what is left goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        with whole_file(Path(name).resolve()) as file:
            yield file


@contextmanager
def parquet_output(name: str, held: pa.Schema, schema: pa.Schema) -> Iterator[parquet.ParquetWriter]:
    """Open a Parquet file to which tables with the schema `held` are added.

    Readers find the types of `schema` in it: a Parquet file does not care what is a dictionary, it only keeps a note.
    """
    with whole_file(Path(name).resolve()) as file, parquet.ParquetWriter(file, held, store_schema=False) as writer:
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
    columns = [_quoted(column.cast(pa.large_string())) for column in table.columns]
    lines = pc.binary_join_element_wise(*columns, _large(","), null_handling="replace", null_replacement="")
    return "".join(f"{line}\n" for line in lines.to_pylist()).encode()


def _quoted(column: pa.ChunkedArray) -> pa.ChunkedArray:
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise(_large('"'), doubled, _large('"'), _large(""))
    return pc.if_else(pc.match_substring_regex(column, '[",\r\n]'), quoted, column)


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())
