"""From any table to a store of coded rows: the first two stages of every fit, read and store.

A table in memory is one batch, whose cells are read once. Files and streams are read in batches, some passes over, and
their codes are kept on disk. The partitions of a dask DataFrame are read by the workers that have them, and their codes
stay there. Cut points, codes and keys are the same on each way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.binarize.binarizer import check_rows
from conceptrules.binarize.value_counts import count_column
from conceptrules.kernels.search.shards import fixed_weights
from conceptrules.learn.checks import check_validation_labels, check_validation_table, warn_of_light_weights
from conceptrules.learn.coding.encoding import Coding, ReadBatch, choose_keys, encode_batch, make_bins
from conceptrules.learn.coding.number_target import NumberSums, NumberTarget, check_exposure
from conceptrules.learn.coding.reading import (
    ColumnPasses,
    Show,
    TrainingClasses,
    encode_read,
    fit_to_counts,
    map_batches,
    plan_counting,
    read_classes,
    sort_groups,
)
from conceptrules.learn.coding.scratch import open_scratch_folder
from conceptrules.learn.coding.store import DiskStore, MemoryStore, RowStore, ShardFiles, check_disk_space
from conceptrules.learn.folds import check_one_holdout, raise_same_group, read_holdout_column
from conceptrules.learn.inputs import ColumnRoles, FitInputs, FitOptions, assign_roles
from conceptrules.learn.memory import check_memory
from conceptrules.learn.progress import reading_progress
from conceptrules.model.errors import InputError
from conceptrules.tables.dask_frames import DaskFrame, is_dask_frame
from conceptrules.tables.groups import read_groups
from conceptrules.tables.hashes import SKETCH_SIZE, SmallestHashes
from conceptrules.tables.labels import (
    check_class_weight,
    check_classes,
    check_labels,
    check_numbers,
    check_weights,
    encode_labels,
)
from conceptrules.tables.sources import Source, is_source, list_columns, open_source, read_whole, resolve_source
from conceptrules.tables.table import Table, drop_columns, open_table, take_named_columns

IN_MEMORY = 100_000
"""Rows of a table that is read as a whole, wherever it is: so many are searched in memory in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """The coded rows of a table, and what is known of it."""

    store: RowStore
    validation: RowStore | None
    """The rows that the user gives to choose the network; None: rows of the store are held out."""
    coding: Coding
    binarizer: Binarizer
    class_weight: NDArray[np.float64]
    """What a row of each class weighs."""
    weight: float
    """That of all rows together, whatever their classes weigh."""
    fingerprint: tuple[int, ...]
    """The smallest hashes of the rows."""
    distinct: int
    """How many different rows there are; an estimate beyond 65,536."""

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        return self.coding.classes


@contextmanager
def code_table(
    inputs: FitInputs, options: FitOptions[Any], scratch: Any = None, client: Any = None
) -> Iterator[CodedTable]:
    """Yield the coded rows of a table, which last as long as the context does.

    `scratch` is the folder for what does not fit into memory, and `client` a Dask cluster.
    """
    if not is_source(inputs.X) and client is not None:
        raise InputError("client is for a dask DataFrame or Parquet files; a table in memory is learned from here")
    if inputs.X_val is not None and is_source(inputs.X) != is_source(inputs.X_val):
        raise InputError("X_val has to be of the same kind as X: both in memory, or both read in batches")
    if not is_source(inputs.X):
        yield _code_memory(inputs, options)
    elif client is not None or is_dask_frame(inputs.X):
        yield _code_dask(inputs, options, client)
    else:
        with open_scratch_folder(scratch) as folder:
            yield _code_files(inputs, options, folder)


def _code_memory(inputs: FitInputs, options: FitOptions[Any]) -> CodedTable:
    """Code a table in memory. Labels, weights and classes are checked before the table is opened."""
    X, y, sample_weight, groups, time, exposure = take_named_columns(
        inputs.X, inputs.y, inputs.sample_weight, inputs.groups, inputs.time, inputs.exposure
    )
    check_one_holdout(groups, time)
    members = _read_members(options.fair_columns, X, inputs.policy_data)
    # Nothing is learned from the columns that the policy forbids, not even cuts.
    table = drop_columns(X, options.forbidden) if options.forbidden else open_table(X)
    number, numbers = None, None
    if options.number is None:
        labels, weight = check_labels(y, sample_weight=sample_weight)
        classes = check_classes(labels)
    else:
        numbers, weight, exposures = _read_numbers(options.number, y, sample_weight, exposure)
        learned, sums = weight > 0, NumberSums(options.number)
        sums.add(numbers[learned], weight[learned], exposures[learned])
        number = sums.find_quantiles("y")[0]
        labels, classes, weight = number.find_strata(numbers), number.strata, number.weigh(weight, exposures)
    warn_of_light_weights(int(np.count_nonzero(weight)), float(weight.sum()))
    check_class_weight(options.class_weight, classes, np.ones(len(classes)))
    holdout = None
    if groups is not None or time is not None:
        name, values = ("groups", groups) if time is None else ("time", time)
        holdout = read_holdout_column(name, values, len(labels))
    check_rows(table, len(labels))
    kept = np.flatnonzero(weight)
    needed = options.estimate_bytes(len(kept), len(table.names), len(classes))
    what = f"{len(table.names):,} columns and {len(classes):,} classes"
    check_memory(needed, len(kept), what, "from fewer columns, or give fit a Parquet file, read in chunks")
    if len(kept) < len(weight):  # rows of weight 0 are never looked at
        table, labels, weight = table.take(kept), labels[kept], weight[kept]
        holdout = None if holdout is None else holdout.take(kept)
        members = tuple(names[kept] for names in members)
        numbers = None if numbers is None else numbers[kept]
    table = table.read_once()
    binarizer = options.binarizer.fit(table, labels, sample_weight=weight)
    target = labels if number is not None else encode_labels(labels)[1]
    moments = None
    if time is not None and holdout is not None:
        moments = count_column(holdout, np.zeros(len(weight), np.intp), weight, 1)
    keys = choose_keys(options, inputs, moments, by_groups=groups is not None)
    groups_of = zip(options.fair_columns, members, strict=True)
    names = {column: sort_groups(column, set(each.tolist()) - {None}) for column, each in groups_of}
    coding = Coding(make_bins(binarizer, options, classes), classes, keys, names, number)
    encoded = encode_batch(ReadBatch(table, target, fixed_weights(weight), holdout, members, numbers), coding)
    if keys.by == "groups" and (encoded.shard.key == encoded.shard.key[0]).all():
        raise_same_group("groups")
    hashes, share = SmallestHashes(), np.bincount(target, weight, len(classes)).astype(np.float64)
    hashes.add(encoded.hashes)
    return CodedTable(
        store=MemoryStore([encoded.shard], options.threads),
        validation=_code_validation(inputs, options, coding),
        coding=coding,
        binarizer=binarizer,
        class_weight=check_class_weight(options.class_weight, classes, share),
        weight=float(weight.sum()),
        fingerprint=tuple(hashes.kept[:SKETCH_SIZE].tolist()),
        distinct=hashes.n_distinct,
    )


def _read_numbers(
    number: NumberTarget, y: Any, sample_weight: Any, exposure: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the number for each unit of exposure, the weight, and the exposure of each row."""
    numbers = check_numbers(y)
    number.check(numbers, "y")
    exposures = np.ones(len(numbers)) if exposure is None else check_exposure(exposure, len(numbers))
    return numbers / exposures, check_weights(sample_weight, len(numbers)), exposures


def _code_validation(inputs: FitInputs, options: FitOptions[Any], coding: Coding) -> MemoryStore | None:
    """Code the rows in memory that the user gives to choose the network."""
    y_val = inputs.y if inputs.y_val is None and isinstance(inputs.y, str) else inputs.y_val
    if inputs.X_val is None and inputs.y_val is None:
        return None
    if not isinstance(inputs.exposure, str | None):
        raise InputError("with X_val, exposure has to be the name of a column, which X_val has, too")
    X_val, y_val, exposure = take_named_columns(inputs.X_val, y_val, inputs.exposure)
    _check_no_holdout(inputs)
    numbers = None
    if coding.number is None:
        table, target, weight = check_validation_labels(X_val, y_val, coding.classes)
    else:
        table = check_validation_table(X_val, y_val)
        numbers, weight, exposures = _read_numbers(coding.number, y_val, None, exposure)
        check_rows(table, len(numbers))
        target, weight = coding.number.find_strata(numbers), coding.number.weigh(weight, exposures)
    members = _read_members(options.fair_columns, X_val, None)
    weights = fixed_weights(weight)
    keys = replace(coding.keys, by="rows")
    encoded = encode_batch(ReadBatch(table, target, weights, None, members, numbers), replace(coding, keys=keys))
    return MemoryStore([encoded.shard], options.threads)


def _code_files(inputs: FitInputs, options: FitOptions[Any], folder: Path) -> CodedTable:
    """Code a table that is read in batches; one of few rows is read as a whole."""
    unread = resolve_source(inputs.X)
    columns = list_columns(unread)
    roles = assign_roles(columns, inputs, options)
    kinds = options.binarizer.check_columns(columns)

    def open_columns(table: Any, folder: Path, roles: ColumnRoles) -> Source:
        with reading_progress(options.verbose) as show:
            needed = resolve_source(table).restrict_to(roles.all_columns, roles.read_kinds(kinds))
            source = open_source(needed, lambda: folder, lambda size: show("text or stream", 0, size))
        if not source.rows:
            raise InputError(f"{source.name} has columns but no rows; give at least one row to learn from")
        return source

    source = open_columns(unread, folder, roles)
    validation = None
    if inputs.X_val is not None or inputs.y_val is not None:
        _check_validation_table(inputs)
        validation_folder = folder / "validation"
        validation_folder.mkdir()
        validation = open_columns(inputs.X_val, validation_folder, roles.without_holdout())
    if source.rows <= IN_MEMORY:
        return _code_memory(_read_into_memory(inputs, roles, source, validation), options)
    weighted = roles.weight is not None or roles.exposure is not None
    check_disk_space(folder, source.rows, len(roles.features), weighted, roles.number is not None)
    reader = _FileReader(source, folder, options.threads)
    held_out = None if validation is None else _FileReader(validation, folder / "validation", options.threads)
    return _code_batches(reader, held_out, roles, inputs, options)


def _code_dask(inputs: FitInputs, options: FitOptions[Any], client: Any) -> CodedTable:
    """Code a dask DataFrame, or Parquet files, on the workers of a cluster; one of few rows is read here."""
    from conceptrules.learn.coding.dask_workers import PartitionReader, find_client

    source = DaskFrame.open(inputs.X)
    roles = assign_roles(source.schema.names, inputs, options)
    validation = None
    if inputs.X_val is not None or inputs.y_val is not None:
        _check_validation_table(inputs)
        validation = DaskFrame.open(inputs.X_val)
    with source.files.watch():
        if source.rows <= IN_MEMORY:
            return _code_memory(_read_into_memory(inputs, roles, source, validation), options)
        client = find_client(client)
        reader = PartitionReader(client, source, options.threads)
        held_out = None if validation is None else PartitionReader(client, validation, options.threads)
        return _code_batches(reader, held_out, roles, inputs, options)


class TableReader(Protocol):
    """A table that is read in batches, here or on the workers of a cluster."""

    def read_classes(self, roles: ColumnRoles, show: Show) -> TrainingClasses:
        """Return the classes, with the weight of each, and the groups that have to be treated alike."""

    def plan_counting(self, roles: ColumnRoles, classes: TrainingClasses, show: Show) -> ColumnPasses:
        """Return how the values of columns are counted, and columns compared."""

    def encode(self, roles: ColumnRoles, coding: Coding, show: Show) -> tuple[RowStore, SmallestHashes]:
        """Return the coded rows, and the smallest hashes of these."""


@dataclass(frozen=True, slots=True, eq=False)
class _FileReader:
    """A table in files, whose codes are kept in a folder."""

    source: Source
    folder: Path
    threads: int

    def read_classes(self, roles: ColumnRoles, show: Show) -> TrainingClasses:
        return read_classes(self.source, roles, self.threads, show).check_classes()

    def plan_counting(self, roles: ColumnRoles, classes: TrainingClasses, show: Show) -> ColumnPasses:
        return plan_counting(self.source, roles, classes.labels, self.threads, show)

    def encode(self, roles: ColumnRoles, coding: Coding, show: Show) -> tuple[RowStore, SmallestHashes]:
        hashes = SmallestHashes()
        encode_one: Callable[..., Any] = partial(encode_read, roles, coding)
        columns, weighted = len(coding.table.bins), roles.weight is not None or roles.exposure is not None
        with ShardFiles(self.folder, columns, len(roles.fair), weighted, roles.number is not None) as files:
            for batch in map_batches(self.source, roles.all_columns, encode_one, self.threads, show, "codes"):
                files.add(batch.shard)
                hashes.add(batch.hashes)
        return DiskStore(files, self.threads), hashes


def _code_batches(
    reader: TableReader,
    validation: TableReader | None,
    roles: ColumnRoles,
    inputs: FitInputs,
    options: FitOptions[Any],
) -> CodedTable:
    """Code a table that is read in batches: its classes are read first, then its values are counted, then coded."""
    binarizer = options.binarizer
    with reading_progress(options.verbose) as show:
        classes = reader.read_classes(roles, show)
        roles = replace(roles, number=classes.number)
        class_weight = check_class_weight(options.class_weight, classes.labels, classes.weight)
        moments = fit_to_counts(roles, classes, binarizer, reader.plan_counting(roles, classes, show))
        roles = roles.restrict_to(binarizer)
        keys = choose_keys(options, inputs, moments, by_groups=roles.groups is not None)
        table = make_bins(binarizer, options, classes.labels)
        coding = Coding(table, classes.labels, keys, classes.groups, classes.number)
        store, hashes = reader.encode(roles, coding, show)
        held_out = None
        if validation is not None:
            plain = replace(coding, keys=replace(keys, by="rows"))
            held_out, _ = validation.encode(roles.without_holdout(), plain, show)
    return CodedTable(
        store=store,
        validation=held_out,
        coding=coding,
        binarizer=binarizer,
        class_weight=class_weight,
        weight=float(classes.weight.sum()),
        fingerprint=tuple(hashes.kept[:SKETCH_SIZE].tolist()),
        distinct=hashes.n_distinct,
    )


def _read_into_memory(inputs: FitInputs, roles: ColumnRoles, source: Source, validation: Source | None) -> FitInputs:
    """Return the inputs with their tables in memory. Columns keep their roles by their names."""
    held_out = None if validation is None else read_whole(validation, roles.without_holdout().all_columns)
    return replace(inputs, X=read_whole(source, roles.all_columns), X_val=held_out, y_val=None)


def _check_validation_table(inputs: FitInputs) -> None:
    _check_no_holdout(inputs)
    if inputs.X_val is None:
        raise InputError("y_val is given, but X_val is not; give the table of the validation rows as X_val")
    if inputs.y_val not in (None, inputs.y):
        raise InputError(f"y_val is {inputs.y_val!r}; in X_val the classes are in the column {inputs.y!r} as in X")


def _check_no_holdout(inputs: FitInputs) -> None:
    name = next((name for name in ("time", "groups") if getattr(inputs, name) is not None), None)
    if name is not None:
        raise InputError(f"X_val and {name} both say which rows are held out; give one of them")


def _read_members(columns: Sequence[str], X: Any, policy_data: Any) -> tuple[NDArray[Any], ...]:
    """Return the group of each row for each column that has to be fair, from the first table that has the column."""
    tables = [open_table(table) for table in (X, policy_data) if table is not None] if columns else []
    if len({table.rows for table in tables}) > 1:
        raise InputError(f"policy_data has {tables[-1].rows} rows; X has {tables[0].rows}, and needs as many")

    def find_table(column: str) -> Table:
        for table in tables:
            if column in table.names:
                return table
        raise InputError(
            f"fair.{column}: the table has no column {column!r}; give it in policy_data, a table with a row for each "
            "row of X"
        )

    return tuple(read_groups(find_table(column), column) for column in columns)
