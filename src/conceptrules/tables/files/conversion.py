"""Texts of any size as one Parquet file. They are read twice: for what their columns are, and for their values.

Nothing is settled before the last row was seen: a column that begins with numbers and ends with words is text, as it is
where the whole text is read at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from conceptrules.model.errors import InputError, warn
from conceptrules.tables.files.chunks import open_chunks
from conceptrules.tables.files.formats import TextFormat
from conceptrules.tables.files.table_reader import CODES, Delimited, leading_zeros
from conceptrules.tables.table import nearest

_TYPES = {
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "category": pa.string(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "duration": pa.duration("us"),
}
_ROWS = 1 << 20  # of a row group
Show = Callable[[int], None]
"""Takes how many bytes of the files were read."""


def convert(
    names: Sequence[str], to: Path, columns: Sequence[str], kinds: Mapping[str, str], text: TextFormat, show: Show
) -> None:
    """Write these columns of CSV files, one after another, to a Parquet file; `kinds` has what some of them are."""
    found = _types(names, columns, kinds, text, show)
    every = {name: kinds.get(name) or _kind(name, some) for name, some in found.items()}
    _tell(found, {name: kind for name, kind in every.items() if name not in kinds})
    schema = pa.schema([(name, _TYPES[every[name]]) for name in columns])
    with parquet.ParquetWriter(to, schema, compression="zstd", compression_level=1) as file:
        for chunk in _chunks(names, text, show):
            file.write_table(_converted(chunk, schema, every), _ROWS)


def _types(
    names: Sequence[str], columns: Sequence[str], kinds: Mapping[str, str], text: TextFormat, show: Show
) -> dict[str, set[pa.DataType]]:
    """Return what the columns look like in each chunk."""
    found: dict[str, set[pa.DataType]] = {name: set() for name in columns}
    for chunk in _chunks(names, text, show):
        for name, kind in chunk.types(columns, kinds).items():
            found[name].add(kind)
    return found


def header(name: str, text: TextFormat) -> list[str]:
    """Return the names of the columns of a CSV file."""
    with open_chunks(name, text=text) as table:
        return table.columns


def check_alike(names: Sequence[str], text: TextFormat) -> list[str]:
    """Return the names of the columns, which all files need to have."""
    first = header(names[0], text)
    for name in names[1:]:
        here = header(name, text)
        if odd := next((column for column in first if column not in here), None):
            raise InputError(f"{name} has no column {odd!r}, which {names[0]} has; {nearest(odd, here)}")
        if odd := next((column for column in here if column not in first), None):
            raise InputError(f"{name} has a column {odd!r}, which {names[0]} has not; {nearest(odd, first)}")
    return first


def _chunks(names: Sequence[str], text: TextFormat, show: Show) -> Iterator[Delimited]:
    for name in names:
        before = 0
        with open_chunks(name, text=text) as table:
            for chunk in table.chunks():
                source = chunk.open()
                assert isinstance(source, Delimited)
                yield source
                show(chunk.place - before)
                before = chunk.place


def _kind(name: str, types: set[pa.DataType]) -> str:
    """Return what a column is that looks like these types in its chunks; what does not go together is text."""
    known = {kind for kind in types if not pa.types.is_null(kind)}
    moments = {kind for kind in known if pa.types.is_timestamp(kind)}
    if len({kind.tz is None for kind in moments}) > 1:
        raise InputError(f"column {name!r} has values with a time zone and values without; make them alike")
    ways = {
        "number": {pa.int64(), pa.float64()},
        "boolean": {pa.bool_()},
        "date": {pa.date32()},
        "datetime": {pa.date32(), *moments},
        "duration": {pa.time32("s")},
    }
    zeros = known - {CODES} if pa.float64() in known else known  # beside fractions, 007 is a number
    return next((kind for kind, way in ways.items() if zeros and zeros <= way), "category")


def _tell(found: Mapping[str, set[pa.DataType]], kinds: Mapping[str, str]) -> None:
    for name, kind in kinds.items():
        if kind == "category" and CODES in found[name]:
            warn(leading_zeros(name))
        elif kind == "category" and len(others := found[name] - {pa.string(), pa.null()}):
            warn(
                f"column {name!r} is read as text, but parts of it hold nothing but values of the type "
                f"{min(map(str, others))}; if its words mean missing, say which ones do with --missing; if it is meant "
                "to be text, say so: kinds={" + repr(name) + ": 'category'}"
            )


def _converted(chunk: Delimited, schema: pa.Schema, kinds: Mapping[str, str]) -> pa.Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to tell was told of the whole
        table = chunk.read(schema.names, kinds)
    if any(table.schema.field(name).type != schema.field(name).type for name in schema.names):
        zoneless = [_in_utc(table[name]) for name in schema.names]
        table = pa.table(zoneless, names=schema.names).cast(schema)
    return table.select(schema.names)


def _in_utc(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    return column.cast(pa.timestamp(kind.unit)) if pa.types.is_timestamp(kind) and kind.tz else column
