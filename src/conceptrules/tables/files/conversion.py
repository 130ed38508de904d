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
from conceptrules.tables.files.table_reader import CODES, Delimited, leading_zeros_message, mixed_zones_message

_TYPES = {
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "category": pa.string(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "duration": pa.duration("us"),
}
_GROUP_ROWS = 1 << 20
Show = Callable[[int], None]
"""Takes how many bytes of the files were read."""


def convert(
    names: Sequence[str], to: Path, columns: Sequence[str], kinds: Mapping[str, str], text: TextFormat, show: Show
) -> None:
    """Write these columns of CSV files, one after another, to a Parquet file; `kinds` has what some of them are."""
    types: dict[str, set[pa.DataType]] = {name: set() for name in columns}
    for chunk in _read_chunks(names, text, show):
        for name, kind in chunk.infer_types(columns, kinds).items():
            types[name].add(kind)
    inferred = {name: _combine_types(name, types[name]) for name in columns if name not in kinds}
    _warn_of_text(types, inferred)
    all_kinds = {**kinds, **inferred}
    schema = pa.schema([(name, _TYPES[all_kinds[name]]) for name in columns])
    with parquet.ParquetWriter(to, schema, compression="zstd", compression_level=1) as file:
        for chunk in _read_chunks(names, text, show):
            file.write_table(_convert_chunk(chunk, schema, all_kinds), _GROUP_ROWS)


def _read_chunks(names: Sequence[str], text: TextFormat, show: Show) -> Iterator[Delimited]:
    for name in names:
        before = 0
        with open_chunks(name, text=text) as table:
            for chunk in table.chunks():
                rows = chunk.open()
                assert isinstance(rows, Delimited)
                yield rows
                show(chunk.end - before)
                before = chunk.end


def _combine_types(name: str, types: set[pa.DataType]) -> str:
    """Return the kind of a column that has these types in its chunks; what does not go together is text."""
    known = {kind for kind in types if not pa.types.is_null(kind)}
    moments = {kind for kind in known if pa.types.is_timestamp(kind)}
    if len({kind.tz is None for kind in moments}) > 1:
        raise InputError(mixed_zones_message(name))
    types_of_kinds = {
        "number": {pa.int64(), pa.float64()},
        "boolean": {pa.bool_()},
        "date": {pa.date32()},
        "datetime": {pa.date32(), *moments},
        "duration": {pa.time32("s")},
    }
    if pa.float64() in known:
        known -= {CODES}  # beside fractions, 007 is a number
    return next((kind for kind, allowed in types_of_kinds.items() if known and known <= allowed), "category")


def _warn_of_text(types: Mapping[str, set[pa.DataType]], kinds: Mapping[str, str]) -> None:
    for name, kind in kinds.items():
        if kind == "category" and CODES in types[name]:
            warn(leading_zeros_message(name))
        elif kind == "category" and (others := types[name] - {pa.string(), pa.null()}):
            warn(
                f"column {name!r} is read as text, but parts of it hold nothing but values of the type "
                f"{min(map(str, others))}; if its words mean missing, say which ones do with --missing; if it is meant "
                "to be text, say so: kinds={" + repr(name) + ": 'category'}"
            )


def _convert_chunk(chunk: Delimited, schema: pa.Schema, kinds: Mapping[str, str]) -> pa.Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings were given for the whole text
        table = chunk.read(schema.names, kinds)
    if any(table.schema.field(name).type != schema.field(name).type for name in schema.names):
        in_utc = [_drop_zone(table[name]) for name in schema.names]
        table = pa.table(in_utc, names=schema.names).cast(schema)
    return table.select(schema.names)


def _drop_zone(column: pa.ChunkedArray) -> pa.ChunkedArray:
    zoned = pa.types.is_timestamp(column.type) and column.type.tz
    return column.cast(pa.timestamp(column.type.unit)) if zoned else column
