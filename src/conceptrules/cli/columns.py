"""Which columns a command works with: checked on their names, before any values are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.cli.files import Source
from conceptrules.rules.errors import InputError
from conceptrules.rules.network import RuleNetwork
from conceptrules.rules.table import nearest


def known(name: str, columns: Sequence[str], where: str) -> str:
    """The name itself if it is a column; otherwise an error with the nearest one."""
    if name in columns:
        return name
    raise InputError(f"there is no column {name!r} in {where}; {nearest(name, columns)}")


def features(columns: Sequence[str], target: str, drop: Iterable[str], only: Iterable[str], where: str) -> list[str]:
    """The columns to learn from, in the order of the table."""
    dropped = [known(name, columns, where) for item in drop for name in _split(item, columns)]
    kept = [known(name, columns, where) for item in only for name in _split(item, columns)]
    if target in dropped:
        raise InputError(f"--drop names the target column {target!r}; the target is never learned from, leave it out")
    chosen = [name for name in columns if name != target and name not in dropped and (not kept or name in kept)]
    if not chosen:
        raise InputError(f"no column of {where} is left to learn from besides the target {target!r}")
    return chosen


def kinds(items: Sequence[str], columns: Sequence[str], where: str) -> dict[str, str]:
    """`--kind zip=category` as a mapping; the kinds themselves are checked by the binarizer."""
    pairs = [item.rpartition("=") for item in items]
    for item, (name, equals, kind) in zip(items, pairs, strict=True):
        if not (name and equals and kind):
            raise InputError(f"--kind {item!r} should read column=kind, for example zip=category")
    return {known(name, columns, where): kind for name, _, kind in pairs}


def examples(
    source: Source, target: str, drop: Iterable[str], only: Iterable[str], kinds: Mapping[str, str]
) -> tuple[pa.Table, np.ndarray]:
    """The table to learn from and the class of each row."""
    chosen = features(source.columns, known(target, source.columns, source.name), drop, only, source.name)
    table = source.read([*chosen, target], kinds)
    y = labels(table[target], target, source.name)
    check_classes(y, target)
    return table.drop_columns([target]), y


def check_classes(y: np.ndarray, target: str) -> None:
    """Two of them at least, and names or whole numbers."""
    values = y.tolist()
    if len(set(values)) < 2:
        raise InputError(f"the target column {target!r} is {values[0]!r} in every row; learning needs two classes")
    fractions = [value for value in values if isinstance(value, float) and not value.is_integer()]
    if fractions:
        raise InputError(
            f"the target column {target!r} holds fractions such as {fractions[0]!r}, not classes; "
            f"if each one is a class, say --kind {target}=category"
        )


def labelled(source: Source, target: str, network: RuleNetwork) -> tuple[pa.Table, np.ndarray]:
    """The columns that a network uses and the true class of each row."""
    target = known(target, source.columns, source.name) if target else default_target(source, network)
    text = all(isinstance(label, str) for label in network.classes)
    table = source.read([target], {target: "category"} if text else {})
    return unlabelled(source, network), labels(table[target], target, source.name)


def unlabelled(source: Source, network: RuleNetwork) -> pa.Table:
    """The columns that a network uses, read as the kinds that it learned them as."""
    kinds = {known(column.name, source.columns, source.name): column.kind for column in network.columns}
    return source.read(list(kinds), kinds)


def default_target(source: Source, network: RuleNetwork) -> str:
    """The one column that the network does not know."""
    names = {column.name for column in network.columns}
    others = [column for column in source.columns if column not in names]
    if len(others) == 1:
        return others[0]
    found = f"it could be {' or '.join(map(repr, others[:10]))}" if others else "the model learns from all of them"
    raise InputError(f"which column of {source.name} is the target? {found}; say it with --target")


def labels(column: pa.ChunkedArray, target: str, where: str) -> np.ndarray:
    """The target's values, none of them missing."""
    if len(column) == 0:
        raise InputError(f"{where} has column names but no rows")
    missing = pc.is_null(column, nan_is_null=True)
    if count := pc.sum(missing).as_py():
        raise InputError(
            f"the target column {target!r} has no value in {count} of {len(column)} rows, "
            f"first in row {pc.index(missing, True).as_py() + 1}; fill it in or take these rows out"
        )
    return _plain(column).to_numpy()


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers, booleans and text as they are; anything else (dates, decimals) is a label by its text."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
    return column if any(test(column.type) for test in tests) else column.cast(pa.string())


def _split(item: str, columns: Sequence[str]) -> list[str]:
    """`a,b` means two columns, unless there is a column of that very name."""
    return [item] if item in columns else [name.strip() for name in item.split(",")]
