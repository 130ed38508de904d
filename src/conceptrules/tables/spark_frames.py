"""Spark DataFrames: each batch of rows is answered by the executor that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from narwhals.dependencies import is_pyspark_connect_dataframe, is_pyspark_dataframe

from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Kind
from conceptrules.model.values import NOUNS, readable
from conceptrules.tables.files.table_reader import check_distinct
from conceptrules.tables.prediction import decide, label_array, predict_proba, probability_names
from conceptrules.tables.table import nearest

_FAMILIES: dict[str, Kind] = {
    **dict.fromkeys(("byte", "short", "integer", "long", "float", "double", "decimal"), "number"),
    **dict.fromkeys(("string", "char", "varchar"), "category"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "datetime"),
    "boolean": "boolean",
    "date": "date",
    "daytimeinterval": "duration",
}
"""What columns of Spark's types hold; nothing is known of other types before their values come."""
_THE_FRAME = "the Spark DataFrame"


def with_predictions(frame: Any, model: Any, column: str = "prediction", *, probabilities: bool = False) -> Any:
    """Return a Spark DataFrame with a column of predictions added.

    The network goes to the executors, which answer their rows batch by batch with `DataFrame.mapInArrow`. They need
    this package, pyarrow and pandas. Nothing runs before Spark is asked for rows.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Columns that the network does not know stay as they are.
    model : RuleNetwork or fitted estimator
        What answers; `conceptrules.load` reads it from a model file.
    column : str, default="prediction"
        The name of the column with the answers.
    probabilities : bool, default=False
        Whether to add a column `probability_<class>` for each class, too.

    Returns
    -------
    pyspark.sql.DataFrame
        All columns of the frame, and the new ones.

    Raises
    ------
    InputError
        If the frame lacks a column of the network or already has one of the new names.
    ColumnTypeError
        If the type of a column is not one that the network can read.
    """
    if not (is_pyspark_dataframe(frame) or is_pyspark_connect_dataframe(frame)):
        raise InputError(
            f"with_predictions takes a Spark DataFrame, not a {type(frame).__name__}; predict answers other tables"
        )
    network = _find_network(model, probabilities)
    added = [column, *(probability_names(network) if probabilities else [])]
    _check_names(frame.columns, network, added)
    _check_types(frame.schema.fields, network)

    def predict_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _predict_batches(network, added, batches)

    return frame.mapInArrow(predict_batches, _make_schema(frame.schema.fields, network, added))


def _find_network(model: Any, probabilities: bool) -> RuleNetwork:
    network = getattr(model, "network_", model)
    if not isinstance(network, RuleNetwork):
        raise InputError(
            f"the model is a {type(model).__name__}; give a fitted estimator, or a network such as load('model.json')"
        )
    if probabilities and network.statistics is None:
        raise InputError("the network has no statistics to tell probabilities by; network.measure(X, y) counts them")
    return network


def _check_names(names: Sequence[str], network: RuleNetwork, added: Sequence[str]) -> None:
    check_distinct(_THE_FRAME, list(names))
    for column in network.own_columns:
        if column.name not in names:
            raise InputError(f"column {column.name!r} is missing from {_THE_FRAME}; {nearest(column.name, names)}")
    taken = {name.casefold(): name for name in names}  # by default, case does not count in Spark
    for name in added:
        if name.casefold() in taken:
            raise InputError(
                f"{_THE_FRAME} already has a column {taken[name.casefold()]!r}; rename it or drop it"
                + (", or name another one: column='answer'" if name == added[0] else "")
            )


def _check_types(fields: Sequence[Any], network: RuleNetwork) -> None:
    types = {field.name: field.dataType for field in fields}
    for column in network.own_columns:
        kind = types[column.name]
        family = _FAMILIES.get(kind.typeName())
        if family is not None and not readable(family, column):
            learned = (
                f"categories such as {column.categories[0]!r}"
                if not column.ordered and column.categories
                else NOUNS[column.kind]
            )
            raise ColumnTypeError(
                f"column {column.name!r} of {_THE_FRAME} is of the type {kind.simpleString()} ({NOUNS[family]}), but "
                f"the network has learned it as {learned}; cast it to the type that it had in training"
            )


def _make_schema(fields: Sequence[Any], network: RuleNetwork, added: Sequence[str]) -> Any:
    from pyspark.sql import types

    labels = {pa.int64(): types.LongType(), pa.float64(): types.DoubleType(), pa.bool_(): types.BooleanType()}
    answer = labels.get(label_array(network.classes).type, types.StringType())
    kinds = [answer, *(types.DoubleType() for _ in added[1:])]
    return types.StructType([*fields, *map(types.StructField, added, kinds)])


def _predict_batches(
    network: RuleNetwork, added: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    labels, known = label_array(network.classes), [column.name for column in network.own_columns]
    for batch in batches:
        X = pa.Table.from_batches([batch]).select(known)
        columns = [*batch.columns, labels.take(pa.array(decide(network, X)))]
        if len(added) > 1:
            columns += map(pa.array, predict_proba(network, X).T)
        yield pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, *added])
