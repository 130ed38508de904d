"""Reading tables: any common kind of table in, the bits of predicates and the answers of a network out."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from operator import eq
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from conceptrules.model.errors import ColumnTypeError, InputError, warn
from conceptrules.model.evaluation import Bits, PackedBits, octets_for, unpack, words_of
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Predicate, Value
from conceptrules.tables.column_values import (
    DECLARED,
    ColumnValues,
    check_readable,
    encode_series,
    read_coded_values,
    read_order,
    read_values,
    to_codes,
)
from conceptrules.tables.derived import DerivedColumns
from conceptrules.tables.packing import column_words


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table whose columns are read one by one, when asked for."""

    names: tuple[str, ...]
    column: Callable[[int], nw.Series[Any] | NDArray[Any]]
    first: Callable[[], Sequence[Any]]
    """The values of the first row."""
    rows: int
    named: bool = True
    """Whether the names are the table's own; otherwise they are x0, x1, ... and columns go by position."""
    strings: bool = True
    """Whether the table's own names are text; others, such as numbers, are written as text here."""
    remembered: Callable[[int], ColumnValues] | None = None
    """The values of a column, kept after the first reading; None: every reading is a new one."""

    def __post_init__(self) -> None:
        _check_different(self.names)

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return a table of these rows only; what the others hold is never looked at."""
        return replace(
            self,
            column=lambda position: self.column(position)[rows],
            first=lambda: [self.column(position)[int(rows[0])] for position in range(len(self.names))],
            rows=len(rows),
            remembered=None,
        )

    def without(self, names: Container[str]) -> Table:
        """Return a table without these columns; nobody who has it can look at them."""
        kept = [position for position, name in enumerate(self.names) if name not in names]
        return self.select(kept, [self.names[position] for position in kept])

    def select(self, positions: Sequence[int], names: Sequence[str]) -> Table:
        """Return a table of the columns at these positions, under these names."""
        # What was read already stays so, but under another name: errors name the column.
        same = self.remembered is not None and all(map(eq, names, (self.names[position] for position in positions)))
        return replace(
            self,
            names=tuple(names),
            column=lambda position: self.column(positions[position]),
            first=lambda: [self.first()[position] for position in positions],
            remembered=(lambda position: self.cells(positions[position])) if same else None,
        )

    def read_once(self) -> Table:
        """Return the same table, which keeps the cells of each column that it has read."""
        return replace(self, remembered=cache(self.cells))

    def cells(self, position: int) -> ColumnValues:
        """Return the cells of a column."""
        return self._read(position) if self.remembered is None else self.remembered(position)

    def _read(self, position: int) -> ColumnValues:
        name, column = self.names[position], self.column(position)
        if isinstance(column, np.ndarray):
            return read_values(name, column)
        declared, coded = column.dtype in DECLARED, encode_series(column)
        if coded is not None:
            # An error about mixed types names the row, which a dictionary does not know.
            with suppress(ColumnTypeError):
                return replace(read_coded_values(name, *coded, declared=declared), order=read_order(column))
        return replace(read_values(name, _array(column), declared=declared), order=read_order(column))


def open_table(data: Any) -> Table:
    """Open a table of pandas, polars or pyarrow, a 2-D array, rows as lists or dictionaries, or one dictionary."""
    if isinstance(data, Table):
        return data
    try:
        native = nw.from_native(data, pass_through=True, allow_series=True)
    except DuplicateError:
        _check_different(list(map(str, getattr(data, "column_names", None) or data.columns)))
        raise  # pragma: no cover: narwhals and we count alike
    if isinstance(native, nw.DataFrame):
        names = native.columns  # asked for once: pandas takes long to list thousands
        return Table(
            tuple(map(str, names)),
            lambda position: native.get_column(names[position]),
            lambda: native.row(0),
            len(native),
            strings=all(isinstance(name, str) for name in names),
        )
    if isinstance(native, nw.LazyFrame):
        raise InputError("a lazy table has no rows yet; give table.collect()")
    if hasattr(data, "tocsr"):
        raise InputError("Sparse data is not supported; give X.toarray()")
    if isinstance(data, Mapping):
        return _from_dictionaries([data])
    if isinstance(data, list | tuple):
        return _from_rows(data)
    return _from_array(data)


def _check_different(names: Sequence[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"duplicate column names: {repeated[0]!r} occurs more than once; rename or drop one")


def take_named_columns(data: Any, *values: Any) -> tuple[Any, ...]:
    """Return a table without its columns of labels, weights and the like, and these, where they are given by name."""
    names = [name for name in values if isinstance(name, str)]
    native = nw.from_native(data, pass_through=True) if names else None
    if not isinstance(native, nw.DataFrame):
        return data, *values
    for name in names:
        if name not in native.columns:
            raise InputError(f"the table has no column {name!r}; {nearest(name, native.columns)}")
    columns = [native.get_column(value).to_native() if isinstance(value, str) else value for value in values]
    return native.drop(list(dict.fromkeys(names))).to_native(), *columns


def drop_columns(data: Any, names: Sequence[str]) -> Table:
    """Open a table without some columns; names that it does not have give a warning, since they may be misspelt."""
    table = open_table(data)
    if not table.named:
        raise InputError(f"an array has no names of columns, so {names[0]!r} cannot be left out; leave it out of X")
    known = set(table.names)
    if known <= set(names):
        raise InputError("every column of the table is forbidden; allow one to learn from")
    unknown = [name for name in names if name not in known]
    if unknown:
        rest = f" (nor {len(unknown) - 1:,} others that are)" if len(unknown) > 1 else ""
        hint = nearest(unknown[0], table.names)
        warn(f"column {unknown[0]!r} is forbidden, but the table has no such column{rest}; {hint}")
    return table.without(names)


def read_bits(
    columns: Sequence[Column], predicates: Sequence[Predicate], table: Any, used: Iterable[int] | None = None
) -> Bits:
    """Return where each predicate holds: (rows, predicates). With `used`, the others are not read and left False.

    >>> from conceptrules.model.predicate import Interval, Missing
    >>> read_bits([Column("age")], [Interval("age", high=27), Missing("age")], [{"age": 20}, {"age": None}])
    array([[ True, False],
           [False,  True]])
    """
    return unpack(read_packed_bits(columns, predicates, table, used))


def read_packed_bits(
    columns: Sequence[Column], predicates: Sequence[Predicate], table: Any, used: Iterable[int] | None = None
) -> PackedBits:
    """Return what `read_bits` does, packed: an eighth of the memory, and the rows never exist as anything larger."""
    opened = open_table(table)
    words = words_of(octets_for(len(predicates), opened.rows))
    by_column: dict[str, list[int]] = defaultdict(list)
    for index in range(len(predicates)) if used is None else used:
        by_column[predicates[index].column].append(index)
    for column, cells in read_columns(columns, opened, by_column):
        indices = by_column[column.name]
        words[indices] = column_words([predicates[index] for index in indices], cells)
    return PackedBits(words, opened.rows)


def read_used_bits(network: RuleNetwork, table: Any) -> PackedBits:
    """Return where the predicates that a network uses hold on the rows of a table; the others are left False."""
    return read_packed_bits(network.columns, network.predicates, table, network.used_predicates)


def list_labels(labels: Iterable[object], rows: int | None = None) -> list[object]:
    """Return labels as Python's values; raise if there is not one for each of so many rows."""
    values: list[object] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if rows is not None and len(values) != rows:
        raise InputError(f"the table has {rows} rows, but there are {len(values)} labels; give one for each row")
    return values


def count_unseen(columns: Sequence[Column], table: Any) -> dict[str, int]:
    """Count the rows whose value training never showed, by column: a new category, or a gap where there was none."""
    counts = {}
    for column, cells in read_columns(columns, open_table(table)):
        unseen = cells.missing & (not column.missing)
        if not column.ordered and column.kind != "text":
            unseen |= ~cells.missing & (to_codes(cells, column.categories) < 0)
        counts[column.name] = int(np.count_nonzero(cells.by_row(unseen)))
    return {name: count for name, count in counts.items() if count}


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest one that exists, or all of them."""
    known = list(names)
    folded = {other.casefold(): other for other in known}
    near = [folded[other] for other in difflib.get_close_matches(name.casefold(), folded, n=1)]
    listed = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
    return f"did you mean {near[0]!r}?" if near else f"there are {listed}"


def _array(series: nw.Series[Any]) -> NDArray[Any]:
    """Return the values as NumPy has them; gaps become NaN, NaT, None or pandas' NA."""
    if series.dtype.is_nested():  # polars would make a 2-D array of it
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    if series.dtype in DECLARED:  # pyarrow would fill the gaps with one of the categories
        values = np.full(len(series), None, dtype=object)
        values[~series.is_null().to_numpy()] = series.drop_nulls().to_numpy()
        return values
    wide = series.dtype in (nw.Int128, nw.UInt128)  # NumPy has no such integers
    return (series.cast(nw.Float64) if wide else series).to_numpy()


def _from_dictionaries(rows: Sequence[Mapping[Any, Any]]) -> Table:
    keys = list(dict.fromkeys(key for row in rows for key in row))
    columns = tuple(np.fromiter((row.get(key) for row in rows), dtype=object, count=len(rows)) for key in keys)
    return _from_columns(columns, len(rows), keys)


def _from_rows(rows: Sequence[Any]) -> Table:
    """Read rows, but not by `np.asarray`, which would turn the numbers of a mixed row into text."""
    if rows and all(isinstance(row, Mapping) for row in rows):
        return _from_dictionaries(rows)
    if not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return _from_array(rows)
    widths = [len(row) for row in rows]
    odd = next((row for row, width in enumerate(widths) if width != widths[0]), None)
    if odd is not None:
        raise InputError(f"row {odd} has {widths[odd]} values, row 0 has {widths[0]}; rows must be of one length")
    columns = tuple(np.fromiter(column, dtype=object, count=len(rows)) for column in zip(*rows, strict=True))
    return _from_columns(columns, len(rows))


def _from_array(data: Any) -> Table:
    array = np.asarray(data)
    if isinstance(data, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(data)] = None
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead (from {type(data).__name__}). Reshape your data with "
            "array.reshape(-1, 1) if it is one column or array.reshape(1, -1) if it is one row"
        )
    return _from_columns(tuple(array.T), len(array))


def _from_columns(columns: tuple[NDArray[Any], ...], rows: int, keys: Sequence[Any] | None = None) -> Table:
    return Table(
        _array_names(len(columns)) if keys is None else tuple(map(str, keys)),
        columns.__getitem__,
        lambda: [column[0] for column in columns],
        rows,
        named=keys is not None,
        strings=keys is not None and all(isinstance(key, str) for key in keys),
    )


def _array_names(count: int) -> tuple[str, ...]:
    return tuple(f"x{position}" for position in range(count))


def locate_columns(columns: Sequence[Column], table: Table) -> list[int]:
    """Return where each column is in the table: by name if both have names, otherwise by position."""
    names = tuple(column.name for column in columns)
    if table.named and not (names and names == _array_names(len(names)) and set(names).isdisjoint(table.names)):
        positions = {name: position for position, name in enumerate(table.names)}
        for name in names:
            if name not in positions:
                raise InputError(f"column {name!r} is missing from the table; {nearest(name, table.names)}")
        return [positions[name] for name in names]
    if len(table.names) != len(names) and (table.names or table.rows):
        raise InputError(
            f"X has {len(table.names)} features, but conceptrules is expecting {len(names)} features as input: "
            f"{', '.join(names)}"
        )
    if table.named:
        warn("the table has column names, but training had none; columns go by position")
    return list(range(len(names)))


def match_columns(columns: Sequence[Column], table: Table) -> tuple[Table, list[int]]:
    """Return the table with the derived ones among these columns, and where each column is in it."""
    derived = [column for column in columns if column.derivation is not None]
    if not derived or (not table.names and not table.rows):
        return table, locate_columns(columns, table)
    own = [column for column in columns if column.derivation is None]
    numbers = {column.name: number for number, column in enumerate((*own, *derived))}
    return _add_derived(own, derived, table), [numbers[column.name] for column in columns]


def _add_derived(own: Sequence[Column], derived: Sequence[Column], table: Table) -> Table:
    """Return a table of these columns, its own first and then those that are worked out from them."""
    positions, by_name = locate_columns(own, table), {column.name: number for number, column in enumerate(own)}

    def read(name: str) -> ColumnValues:
        number = by_name[name]
        cells = table.cells(positions[number])
        check_readable(cells, own[number])
        return cells

    names = tuple(column.name for column in (*own, *derived))
    work = DerivedColumns(derived, read)

    def find_column(position: int) -> nw.Series[Any] | NDArray[Any]:
        return table.column(positions[position]) if position < len(own) else work.compute(position - len(own))

    def read_cells(position: int) -> ColumnValues:
        if position < len(own):
            return table.cells(positions[position])
        return read_values(names[position], work.compute(position - len(own)))

    def read_first() -> list[Any]:
        first = table.first()
        return [*(first[position] for position in positions), *(work.compute(n)[0] for n in range(len(derived)))]

    return replace(table, names=names, column=find_column, first=read_first, remembered=read_cells, named=True)


def read_columns(
    columns: Sequence[Column], table: Table, names: Container[str] | None = None
) -> Iterator[tuple[Column, ColumnValues]]:
    """Yield the columns of these names with their values; all columns have to be there.

    A table without rows may have no columns either, so nothing is read of it.
    """
    table, positions = match_columns(columns, table)
    for column, position in zip(columns, positions, strict=True):
        if table.rows and (names is None or column.name in names):
            cells = table.cells(position)
            check_readable(cells, column)
            yield column, cells


def open_row(row: Any) -> Table:
    """Open a table of one row: a dictionary, a list of values, a row of a pandas table, or such a table."""
    table = open_rows(row)
    if table.rows != 1:
        raise InputError(f"one row is explained at a time, this table has {table.rows}; give one of them, X[i : i + 1]")
    return table


def open_rows(row: Any) -> Table:
    """Open a table, which may be one row as `open_row` takes it."""
    native = nw.from_native(row, pass_through=True, allow_series=True)
    if isinstance(native, nw.Series):
        row = row.to_dict() if native.implementation.is_pandas() else [native.to_list()]
    elif isinstance(row, np.ndarray) and row.ndim == 1:
        row = [row.tolist()]
    elif isinstance(row, list | tuple) and not any(
        isinstance(value, Mapping | list | tuple | np.ndarray) for value in row
    ):
        row = [row]
    return open_table(row)


def read_row(columns: Sequence[Column], table: Table) -> tuple[Value | None, ...]:
    """Return the values of a table's only row, one for each column; None is missing."""
    return tuple(cells.to_list(ordered=column.ordered)[0] for column, cells in read_columns(columns, table))
