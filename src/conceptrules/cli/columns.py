"""Which columns a command works with: checked by their names before any values are read, and read as what they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.cli import targets
from conceptrules.cli.options import FeatureOptions
from conceptrules.model.derived import read_relation
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.predicate import Column, Value
from conceptrules.model.values import int_if_whole, label_text, parse_cuts
from conceptrules.tables.column_values import check_readable
from conceptrules.tables.date_parts import DatePart, part_of, part_values, with_date_parts
from conceptrules.tables.files.table_reader import Delimited, TableFile
from conceptrules.tables.files.written_values import NEARLY_ALL, are_numbers
from conceptrules.tables.table import nearest, open_table

KindOption = str | tuple[Value, ...]
"""What `--kind` says of a column: its kind, or its categories in their order."""
_WORDS_FOR_MISSING = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "?", "-", "--", ".")
_REGRESSION = "--regression learns from"


def require_column(name: str, columns: Sequence[str], where: str) -> str:
    """Return the name if it is a column; otherwise raise an error with the nearest one."""
    if name in columns:
        return name
    if len(columns) == 1 and (delimiters := [delimiter for delimiter in ";\t|," if delimiter in columns[0]]):
        raise InputError(
            f"there is no column {name!r} in {where}, whose only column is {columns[0]!r}; is {delimiters[0]!r} its "
            "delimiter? It is a comma in .csv and a tab in .tsv, unless --delimiter says otherwise"
        )
    raise InputError(f"there is no column {name!r} in {where}; {nearest(name, columns)}")


def parse_names(items: Sequence[str], columns: Sequence[str], where: str) -> list[str]:
    """Return the columns that an option names, `a,b` being two of them unless there is a column of that very name."""
    names = [name for item in items for name in ([item] if item in columns else map(str.strip, item.split(",")))]
    return [require_column(name, columns, where) for name in names]


def select_features(columns: Sequence[str], target: str, options: FeatureOptions, where: str) -> list[str]:
    """Return the columns to learn from, in the order of the table."""
    require_column(target, columns, where)
    dropped = parse_names(options.drop, columns, where)
    kept = parse_names(options.only, columns, where)
    if target in dropped:
        raise InputError(f"--drop names the target column {target!r}; the target is never learned from, leave it out")
    features = [name for name in columns if name != target and name not in dropped and (not kept or name in kept)]
    if not features:
        raise InputError(f"no column of {where} is left to learn from besides the target {target!r}")
    return features


def parse_kinds(items: Sequence[str], columns: Sequence[str], where: str) -> dict[str, KindOption]:
    """Read `--kind zip=category` and `--kind size=S<M<L` as a mapping; the binarizer checks what it says."""
    pairs = [item.rpartition("=") for item in items]
    for item, (name, equals, kind) in zip(items, pairs, strict=True):
        if not (name and equals and kind):
            raise InputError(f"--kind {item!r} should read column=kind, for example zip=category or size=S<M<L")
    return {
        require_column(name, columns, where): _parse_order(kind) if "<" in kind else kind for name, _, kind in pairs
    }


def parse_relations(
    items: Sequence[str], columns: Sequence[str], where: str, search: str | None
) -> list[tuple[str, str, str]] | str:
    """Read `--relation "debt / income"` as the columns and what stands between them; `--relations auto` as it is."""
    if search is not None:
        if search != "auto" or items:
            raise InputError("--relations auto looks for relations, --relation 'debt / income' names one; give either")
        return search
    relations = [read_relation(item, columns) for item in items]
    for name in (name for relation in relations for name in relation.columns):
        require_column(name, columns, where)
    return [(relation.left, relation.operator, relation.right) for relation in relations]


def _parse_order(text: str) -> tuple[Value, ...]:
    """Read `1<2<10` as numbers if all of them are, and as text otherwise."""
    parts = [part.strip() for part in text.split("<")]
    if not all(parts):
        raise InputError(f"--kind gives the order {text!r}, with nothing beside a <; write for example size=S<M<L")
    try:
        return tuple(map(int_if_whole, map(float, parts)))
    except ValueError:
        return tuple(parts)


def read_examples(
    source: TableFile,
    target: str,
    options: FeatureOptions,
    kinds: Mapping[str, KindOption],
    bins: int = 0,
    regression: bool = False,
) -> tuple[pa.Table, np.ndarray]:
    """Return the table to learn from and the class of each row; with `bins`, these are ranges of the target's numbers.

    With `regression`, they are the numbers themselves, or ranges of these.

    Labels in text files are text: 01 and False stay as they are.
    A target whose kind is given as category may hold fractions, and is text in Parquet too.
    """
    features = select_features(source.columns, target, options, source.name)
    orders = {name: kind for name, kind in kinds.items() if isinstance(kind, tuple)}
    readings = {name: kind if isinstance(kind, str) else _kind_of_categories(kind) for name, kind in kinds.items()}
    readings |= {name: "category" for name, kind in kinds.items() if kind == "text"}
    table = source.read([*features, target], readings | {target: "category"})
    if isinstance(source, Delimited):
        _warn_of_words_for_missing(table.select([name for name in features if name not in kinds]))
    table = _match_types(table, {name: order for name, order in orders.items() if name in features})
    y = targets.check_labels(table[target], target, source.name)
    if regression and not bins:
        return table.drop_columns([target]), targets.finite_numbers(y, target, _REGRESSION)
    if len(y.unique()) < 2:
        raise InputError(f"the target column {target!r} is {y[0].as_py()!r} in every row; learning needs two classes")
    if bins:
        numbers = targets.finite_numbers(y, target, *([_REGRESSION] if regression else []))
        y = pa.chunked_array([targets.label_ranges(numbers, targets.find_cuts(numbers, bins))])
    elif kinds.get(target) == "category":
        y = y.cast(pa.string())
    else:
        targets.check_classes(y, target)
    return table.drop_columns([target]), y.to_numpy()


def read_holdout_column(source: TableFile, name: str, option: str, target: str) -> np.ndarray:
    """Return the column that says which rows are held out together."""
    if require_column(name, source.columns, source.name) == target:
        raise InputError(f"{option} names the target column {target!r}; name one that says which rows to hold out")
    column = targets.decode_dictionary(source.read([name], {name: "category"} if option == "--groups" else {})[name])
    targets.check_complete(pc.is_null(column, nan_is_null=True), f"the column {name!r} of {option}")
    return column.to_numpy()


def read_exposure(source: TableFile, name: str, target: str) -> np.ndarray:
    """Return the column of exposures."""
    if require_column(name, source.columns, source.name) == target:
        raise InputError("--exposure names the target column; name one that says how long each row was exposed")
    column = targets.check_labels(source.read([name], {name: "category"})[name], name, source.name)
    return targets.finite_numbers(column, name, "--exposure reads")


def _warn_of_words_for_missing(table: pa.Table) -> None:
    """Warn of words that often mean missing, in columns of text; of a few among numbers, the reader does."""
    first_columns: dict[str, str] = {}
    for name in table.column_names:
        if pa.types.is_string(table[name].type) and (pc.mean(are_numbers(table[name])).as_py() or 0) < NEARLY_ALL:
            for word in pc.unique(table[name]).to_pylist():
                if word in _WORDS_FOR_MISSING:
                    first_columns.setdefault(word, name)
    if first_columns:
        words, column = ", ".join(map(repr, first_columns)), next(iter(first_columns.values()))
        warnings.warn(
            f"{words} (first in column {column!r}) often means missing, and is read as a category; if it does mean "
            f"missing, say --missing {quote(','.join(first_columns))}",
            stacklevel=2,
        )


def read_labelled_rows(source: TableFile, target: str, network: RuleNetwork) -> tuple[pa.Table, np.ndarray]:
    """Return the columns that a network uses and the true class of each row, or its number."""
    target = require_column(target, source.columns, source.name) if target else find_target(source, network)
    if not network.classes:
        return read_rows(source, network), read_labels(source, target, network)
    column = _read_classes(source, target, network)
    classes = [label_text(label) for label in network.classes]
    if not {label_text(label) for label in column.unique().to_pylist()} & set(classes):
        raise InputError(
            f"no value of the column {target!r} of {source.name} is a class of the model: the first is "
            f"{label_text(column[0].as_py())!r}, the classes are {', '.join(map(repr, classes))}; check --target"
        )
    return read_rows(source, network), column.to_numpy()


def _read_classes(source: TableFile, target: str, network: RuleNetwork) -> pa.ChunkedArray:
    column = targets.check_labels(source.read([target], {target: "category"})[target], target, source.name)
    cuts = parse_cuts(network.classes)
    if cuts is None:
        return _match_type(column, network.classes)
    return pa.chunked_array([targets.label_ranges(targets.finite_numbers(column, target), cuts)])


def read_labels(source: TableFile, target: str, network: RuleNetwork) -> np.ndarray:
    """Return the true class, or the true number, of each row; whether the classes are known is not checked."""
    if network.classes:
        return _read_classes(source, target, network).to_numpy()
    column = targets.check_labels(source.read([target], {target: "category"})[target], target, source.name)
    return targets.finite_numbers(column, target, "the model predicts")


def read_rows(source: TableFile, network: RuleNetwork) -> pa.Table:
    """Return the columns that a network uses, read as what it learned them as."""
    parts = find_date_parts(network, source.columns)
    kinds = {name: "datetime" for part in parts for name in part.columns}
    categories = {}
    for column in network.own_columns:
        if column.kind in ("category", "ordinal"):
            categories[column.name] = column.categories
        if column.name not in {part.name for part in parts}:
            is_category = column.name in categories
            kind = _kind_of_categories(column.categories) if is_category else column.kind
            kind = "category" if kind == "text" else kind
            kinds[require_column(column.name, source.columns, source.name)] = kind
    table = source.read(list(kinds), kinds)
    if parts:
        table = _add_date_parts(table, parts).select([column.name for column in network.own_columns])
    return _match_types(table, categories)


def add_group_columns(table: pa.Table, source: TableFile, policy: Policy | None) -> pa.Table:
    """Return a table with the columns of the groups that a policy compares, which the network need not have."""
    return add_columns(table, source, [clause.column for clause in (policy.of_kind(Fair) if policy else ())])


def add_audited_columns(
    table: pa.Table, source: TableFile, policy: Policy | None, by: Sequence[str]
) -> tuple[pa.Table, list[str]]:
    """Return a table with the columns whose groups are scored, those of a policy only if they are there, and `by`."""
    names = parse_names(by, source.columns, source.name)
    fair = [clause.column for clause in (policy.of_kind(Fair) if policy else ()) if clause.column in source.columns]
    return add_columns(table, source, [*names, *fair]), names


def add_columns(table: pa.Table, source: TableFile, names: Iterable[str]) -> pa.Table:
    """Return a table with these columns of a file added, where it has them not yet."""
    for name in dict.fromkeys(names):
        if name not in table.column_names:
            require_column(name, source.columns, source.name)
            table = table.append_column(name, source.read([name])[name])
    return table


def find_target(source: TableFile, network: RuleNetwork) -> str:
    """Return the target that the network names, or else the one column that it does not know."""
    if network.target in source.columns:
        return network.target
    known = {column.name for column in network.own_columns}
    known |= {name for part in find_date_parts(network, source.columns) for name in part.columns}
    unknown = [column for column in source.columns if column not in known]
    if len(unknown) == 1:
        return unknown[0]
    hint = f"it could be {' or '.join(map(repr, unknown[:10]))}" if unknown else "the model learns from all of them"
    raise InputError(f"which column of {source.name} is the target? {hint}; say it with --target")


def find_date_parts(network: RuleNetwork, columns: Sequence[str]) -> list[DatePart]:
    """Return the columns of a network that are parts of dates in these columns, and not there themselves."""
    parts = [part_of(column.name, columns) for column in network.own_columns if column.name not in columns]
    return [part for part in parts if part is not None]


def replace_dates(table: pa.Table) -> pa.Table:
    """Return the table with parts of its dates instead of the dates, but those that are the same in every row."""
    with_parts = with_date_parts(table)
    if with_parts is table:
        raise InputError("--date-parts makes parts of dates, but no column to learn from holds dates; leave it out")
    added = [name for name in with_parts.column_names if name not in table.column_names]
    return with_parts.drop_columns([name for name in added if len(with_parts[name].unique()) == 1])


def _add_date_parts(table: pa.Table, parts: Sequence[DatePart]) -> pa.Table:
    """Return the table with these parts of its dates added."""
    opened = open_table(table)
    moments = {}
    for name in dict.fromkeys(name for part in parts for name in part.columns):
        cells = opened.cells(opened.names.index(name))
        check_readable(cells, Column(name, "datetime"))
        moments[name] = cells.by_row(cells.values).astype("M8[us]")
    for part in parts:
        table = table.append_column(part.name, pa.array(part_values(part, moments)))
    return table


def _kind_of_categories(categories: Sequence[Value]) -> str:
    """Return how to read the text of a column with these categories."""
    types = set(map(type, categories))
    if types <= {str}:
        return "category"
    return "boolean" if types == {bool} else "number"


def _match_types(table: pa.Table, values: Mapping[str, Sequence[Value]]) -> pa.Table:
    """Return the table with these columns in the types of their categories."""
    for name, categories in values.items():
        index = table.column_names.index(name)
        table = table.set_column(index, name, _match_type(table[index], categories))
    return table


def _match_type(column: pa.ChunkedArray, values: Sequence[Value]) -> pa.ChunkedArray:
    """Return a column of the type of these categories or classes, where only the format of the file made it another."""
    types = set(map(type, values))
    if types == {str} and column.type == pa.dictionary(pa.int32(), pa.string()):
        return column
    plain = targets.decode_dictionary(column)
    if types == {str}:
        if pa.types.is_floating(plain.type):
            plain = pc.if_else(pc.is_nan(plain), None, plain)
        numeric = pa.types.is_integer(plain.type) or pa.types.is_floating(plain.type)
        return plain.cast(pa.string()) if numeric else column
    if not (pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type)) or str in types:
        return column
    try:
        return plain.cast(pa.bool_() if types == {bool} else pa.float64())
    except pa.ArrowInvalid:  # not what it should be: whoever reads the column raises the error
        return column


def parse_class(network: RuleNetwork, text: str) -> Value:
    """Return the class that is written like this."""
    known = {label_text(name): name for name in network.classes}
    if text not in known:
        raise InputError(f"--to {text}: the model has no such class; {nearest(text, known)}")
    return known[text]
