"""Which columns a command works with: checked on their names, before any values are read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.cli import target_ranges as ranges
from conceptrules.cli.date_columns import parts_wanted, with_parts
from conceptrules.cli.labels import check_classes, decoded, labels, numbers_in
from conceptrules.cli.options import FeatureOptions
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.predicate import Column, Value
from conceptrules.model.values import label_text, whole
from conceptrules.tables.files.csv_errors import NEARLY_ALL, are_numbers
from conceptrules.tables.files.table_reader import Delimited, TableFile
from conceptrules.tables.table import nearest


def known(name: str, columns: Sequence[str], where: str) -> str:
    """Return the name if it is a column; otherwise raise an error with the nearest one."""
    if name in columns:
        return name
    if len(columns) == 1 and (found := [delimiter for delimiter in ";\t|," if delimiter in columns[0]]):
        raise InputError(
            f"there is no column {name!r} in {where}, whose only column is {columns[0]!r}; is {found[0]!r} its "
            "delimiter? It is a comma in .csv and a tab in .tsv, unless --delimiter says otherwise"
        )
    raise InputError(f"there is no column {name!r} in {where}; {nearest(name, columns)}")


def features(columns: Sequence[str], target: str, options: FeatureOptions, where: str) -> list[str]:
    """Return the columns to learn from, in the order of the table."""
    dropped = [known(name, columns, where) for item in options.drop for name in split(item, columns)]
    kept = [known(name, columns, where) for item in options.only for name in split(item, columns)]
    if target in dropped:
        raise InputError(f"--drop names the target column {target!r}; the target is never learned from, leave it out")
    chosen = [name for name in columns if name != target and name not in dropped and (not kept or name in kept)]
    if not chosen:
        raise InputError(f"no column of {where} is left to learn from besides the target {target!r}")
    return chosen


Told = str | tuple[Value, ...]
"""What a user says of a column: its kind, or its categories in their order."""


def kinds(items: Sequence[str], columns: Sequence[str], where: str) -> dict[str, Told]:
    """Read `--kind zip=category` and `--kind size=S<M<L` as a mapping; the binarizer checks what it says."""
    pairs = [item.rpartition("=") for item in items]
    for item, (name, equals, kind) in zip(items, pairs, strict=True):
        if not (name and equals and kind):
            raise InputError(f"--kind {item!r} should read column=kind, for example zip=category or size=S<M<L")
    return {known(name, columns, where): _order(kind) if "<" in kind else kind for name, _, kind in pairs}


def _order(text: str) -> tuple[Value, ...]:
    """Read `1<2<10` as numbers if all of them are, and as text otherwise."""
    parts = [part.strip() for part in text.split("<")]
    if not all(parts):
        raise InputError(f"--kind gives the order {text!r}, with nothing beside a <; write for example size=S<M<L")
    try:
        return tuple(map(whole, map(float, parts)))
    except ValueError:
        return tuple(parts)


def examples(
    source: TableFile, target: str, options: FeatureOptions, kinds: Mapping[str, Told], bins: int = 0
) -> tuple[pa.Table, np.ndarray]:
    """Return the table to learn from and the class of each row; with `bins`, these are ranges of the target's numbers.

    Labels in text files are text: 01 and False stay as they are.
    A target that is told to be a category may hold fractions, and is text in Parquet too.
    """
    chosen = features(source.columns, known(target, source.columns, source.name), options, source.name)
    readings = {name: _read_as(kind) for name, kind in kinds.items()}
    table = source.read([*chosen, target], {**readings, target: "category"})
    if isinstance(source, Delimited):
        _tell_gaps(table.select([name for name in chosen if name not in kinds]))
    for name, kind in kinds.items():
        if isinstance(kind, tuple) and name in chosen:
            index = table.column_names.index(name)
            table = table.set_column(index, name, _alike(table[index], kind))
    y = labels(table[target], target, source.name)
    if len(y.unique()) < 2:
        raise InputError(f"the target column {target!r} is {y[0].as_py()!r} in every row; learning needs two classes")
    if bins:
        numbers = numbers_in(y, target)
        y = pa.chunked_array([ranges.labels(numbers, ranges.cuts(numbers, bins))])
    elif kinds.get(target) == "category":
        y = y.cast(pa.string())
    else:
        check_classes(y, target)
    return table.drop_columns([target]), y.to_numpy()


def in_one_part(source: TableFile, name: str, option: str, target: str) -> np.ndarray:
    """Return the column that says which rows are held out together."""
    if known(name, source.columns, source.name) == target:
        raise InputError(f"{option} names the target column {target!r}; name one that says which rows to hold out")
    column = decoded(source.read([name], {name: "category"} if option == "--groups" else {})[name])
    missing = pc.is_null(column, nan_is_null=True)
    if count := pc.sum(missing).as_py():
        raise InputError(
            f"the column {name!r} of {option} has no value in {count} of {len(column)} rows, "
            f"first in row {pc.index(missing, True).as_py() + 1}; fill it in or take these rows out"
        )
    return column.to_numpy()


_GAPS = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "?", "-", "--", ".")


def _tell_gaps(table: pa.Table) -> None:
    """Warn of words that often mean missing, in columns of text; of a few among numbers, the reader does."""
    found: dict[str, str] = {}
    for name in table.column_names:
        if pa.types.is_string(table[name].type) and (pc.mean(are_numbers(table[name])).as_py() or 0) < NEARLY_ALL:
            found |= {word: name for word in pc.unique(table[name]).to_pylist() if word in _GAPS and word not in found}
    if found:
        words, where = ", ".join(map(repr, found)), next(iter(found.values()))
        warnings.warn(
            f"{words} (first in column {where!r}) often means missing, and is read as a category; if it does mean "
            f"missing, say --missing {quote(','.join(found))}",
            stacklevel=2,
        )


def _read_as(kind: Told) -> str:
    """Return how to read the text of a column of this kind."""
    if isinstance(kind, str):
        return kind
    return "category" if isinstance(kind[0], str) else "number"


def labelled(source: TableFile, target: str, network: RuleNetwork) -> tuple[pa.Table, np.ndarray]:
    """Return the columns that a network uses and the true class of each row."""
    target = known(target, source.columns, source.name) if target else default_target(source, network)
    column = labels(source.read([target], {target: "category"})[target], target, source.name)
    cuts = ranges.cuts_of(network.classes)
    column = (
        _alike(column, network.classes)
        if cuts is None
        else pa.chunked_array([ranges.labels(numbers_in(column, target), cuts)])
    )
    classes = [label_text(label) for label in network.classes]
    if not {label_text(label) for label in column.unique().to_pylist()} & set(classes):
        raise InputError(
            f"no value of the column {target!r} of {source.name} is a class of the model: the first is "
            f"{label_text(column[0].as_py())!r}, the classes are {', '.join(map(repr, classes))}; check --target"
        )
    return unlabelled(source, network), column.to_numpy()


def unlabelled(source: TableFile, network: RuleNetwork) -> pa.Table:
    """Return the columns that a network uses, read as what it learned them as."""
    parts = parts_wanted(network, source.columns)
    dates = {name: "datetime" for part in parts for name in part.columns}
    asked = [column for column in network.columns if column.name not in {part.name for part in parts}]
    kinds = {**dates, **{known(column.name, source.columns, source.name): _kind(column) for column in asked}}
    table = source.read(list(kinds), kinds)
    if parts:
        table = with_parts(table, parts).select([column.name for column in network.columns])
    for column in network.columns:
        if column.kind in ("category", "ordinal"):
            index = table.column_names.index(column.name)
            table = table.set_column(index, column.name, _alike(table[index], column.categories))
    return table


def with_groups(table: pa.Table, source: TableFile, policy: Policy | None) -> pa.Table:
    """Return a table with the columns of the groups that a policy compares, which the network need not have."""
    for name in dict.fromkeys(clause.column for clause in (policy.of_kind(Fair) if policy else ())):
        if name not in table.column_names:
            found = known(name, source.columns, source.name)
            table = table.append_column(name, source.read([found])[found])
    return table


def default_target(source: TableFile, network: RuleNetwork) -> str:
    """Return the target that the network names, or else the one column that it does not know."""
    if network.target in source.columns:
        return network.target
    names = {column.name for column in network.columns}
    names |= {name for part in parts_wanted(network, source.columns) for name in part.columns}
    others = [column for column in source.columns if column not in names]
    if len(others) == 1:
        return others[0]
    found = f"it could be {' or '.join(map(repr, others[:10]))}" if others else "the model learns from all of them"
    raise InputError(f"which column of {source.name} is the target? {found}; say it with --target")


def _kind(column: Column) -> str:
    """Return how to read the text of a column: that of a category as what its categories are."""
    types = set(map(type, column.categories))
    if column.kind not in ("category", "ordinal"):
        return column.kind
    if types <= {str}:
        return "category"
    return "boolean" if types == {bool} else "number"


def _alike(column: pa.ChunkedArray, values: Sequence[Value]) -> pa.ChunkedArray:
    """Return a column of the type of these categories or classes, where only the format of the file made it another."""
    types = set(map(type, values))
    if types == {str} and column.type == pa.dictionary(pa.int32(), pa.string()):
        return column
    plain = decoded(column)
    if types == {str}:
        if pa.types.is_floating(plain.type):
            plain = pc.if_else(pc.is_nan(plain), None, plain)
        numeric = pa.types.is_integer(plain.type) or pa.types.is_floating(plain.type)
        return plain.cast(pa.string()) if numeric else column
    if not (pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type)) or str in types:
        return column
    try:
        return plain.cast(pa.bool_() if types == {bool} else pa.float64())
    except pa.ArrowInvalid:  # not what it should be, which is told where it is read
        return column


def split(item: str, columns: Sequence[str]) -> list[str]:
    """Split `a,b` into two columns, unless there is a column of that very name."""
    return [item] if item in columns else [name.strip() for name in item.split(",")]
