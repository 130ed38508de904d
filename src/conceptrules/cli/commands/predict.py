"""`conceptrules predict`: tables of any size are read in chunks, answered on all cores, and written in order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar, cast, get_args

import numpy as np
import pyarrow as pa
import typer

from conceptrules.cli import columns
from conceptrules.cli.files import (
    check_not_input,
    check_streams,
    check_table_output,
    csv_header,
    csv_rows,
    is_parquet,
    list_files,
    open_output,
    parquet_output,
    read_model,
)
from conceptrules.cli.options import Files, Jobs, Model, Out, TextOptions, option
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.heads import require_classes
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value
from conceptrules.tables import prediction
from conceptrules.tables.files.chunks import Chunk, ChunkedTable, open_files
from conceptrules.tables.files.formats import STREAM, USUAL, TextFormat
from conceptrules.tables.prediction import label_array, probability_names, score_names
from conceptrules.tables.table import count_unseen

_INTERVAL = ("lower", "upper")
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AddedColumns:
    """The columns that are added to a table: the prediction, and what else was asked for."""

    network: RuleNetwork
    probabilities: bool = False
    reasons: bool = False
    to: Value | None = None
    """What the reasons say the row falls short of."""
    abstain: prediction.Abstain | None = None
    coverage: float | None = None
    """Of a number: the share of rows whose number is to be in its interval; None: no intervals."""

    @property
    def fields(self) -> list[pa.Field]:
        """The names and types of the columns."""
        shares = probability_names(self.network) if self.probabilities else []
        return [
            pa.field("prediction", label_array(self.network.classes).type if self.network.classes else pa.float64()),
            *(pa.field(name, pa.float64()) for name in (_INTERVAL if self.coverage is not None else ())),
            *(pa.field(name, pa.int64()) for name in score_names(self.network)),
            *(pa.field(name, pa.float64()) for name in shares),
            *([pa.field("reasons", pa.string())] if self.reasons else []),
        ]

    def compute(self, X: pa.Table) -> Iterator[pa.Array]:
        """Yield the values of the columns, in their order."""
        abstain = self.abstain
        undecided = None if abstain is None else prediction.find_undecided_rows(self.network, X, abstain)
        if self.network.classes:
            yield label_array(self.network.classes).take(pa.array(prediction.decide(self.network, X), mask=undecided))
        else:
            yield pa.array(prediction.predict(self.network, X))
        if self.coverage is not None:
            yield from map(pa.array, np.ascontiguousarray(self.network.predict_interval(X, self.coverage).T))
        if self.network.head is not None:
            yield from map(pa.array, prediction.find_scores(self.network, X).T)
        if self.probabilities:
            yield from map(pa.array, prediction.predict_proba(self.network, X).T)
        if self.reasons:
            yield pa.array(self.network.reasons(X, to=self.to).to_list(), pa.string())


def predict(
    model: Model,
    data: Files,
    *,
    output: Out = STREAM,
    n_jobs: Jobs = -1,
    text: TextOptions,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column with the probability of each class.")
    ] = False,
    reasons: Annotated[bool, typer.Option("--reasons", help="Add a column with what each answer is due to.")] = False,
    to: Annotated[str, option("The class that the reasons count lost points for; of a number: high or low.")] = "",
    interval: Annotated[
        float | None, option("Of a number: add an interval that holds this share of the numbers, such as 0.9.")
    ] = None,
    abstain: Annotated[
        str,
        typer.Option(help="Leave the prediction empty where no class fires (none), several do (several), or both."),
    ] = "",
) -> None:
    """Write a table with a column `prediction` added, and with the `score` of a scorecard.

    All other columns stay as they are, the target too if it is there. The table may be larger than memory: it is read,
    answered and written in chunks. The rows of several files are written one file after another.
    """
    check_table_output(output)
    files = list_files(data)
    check_not_input(output, [model, *files])
    check_streams(model, *files)
    network = read_model(model)
    if probabilities:
        require_classes(network, "--probabilities")
    if probabilities and network.statistics is None and network.head is None:
        raise InputError(f"{model} has no statistics to tell probabilities by; `conceptrules measure` counts them")
    if abstain not in ("", *get_args(prediction.Abstain)):
        raise InputError(f"--abstain {abstain!r} is unknown; use none, several or both")
    if interval is not None:
        network.predict_interval([], interval)  # which says what is wrong with the model, or with the share
    if to and not reasons:
        raise InputError("--to is for reasons; add --reasons")
    label = columns.parse_class(network, to) if to and network.classes else to or None
    added = AddedColumns(
        network, probabilities, reasons, label, cast(prediction.Abstain, abstain) if abstain else None, interval
    )
    rows, unseen = write_predictions(added, files, output, n_jobs, text.format)
    for column in network.own_columns:
        if unseen[column.name] and column.name in network.used_columns:  # the answers do not depend on others
            count = f"{unseen[column.name]} of {rows} rows"
            typer.echo(f"column {column.name!r}: {count} have {_describe_unseen(column)}", err=True)


def _describe_unseen(column: Column) -> str:
    """Return what rows can have in a column that training never showed."""
    gap, category = "no value, where training always had one", "a value that the model has no category for"
    if column.ordered:
        return gap
    return category if column.missing else f"{category}, or {gap}"


@dataclass(frozen=True, slots=True)
class AnsweredChunk:
    """A chunk with its predictions, ready to be written."""

    body: Any
    """CSV as bytes, or a table for Parquet."""
    file: str
    """The file that the chunk is from."""
    rows: int
    place: int
    """How far the files are read with it."""
    unseen: Mapping[str, int]
    """How many rows of each column have a value that the model has no category for."""
    zoned: Mapping[str, bool]
    """Whether the values of a column have a time zone, for each column of times."""


@dataclass(slots=True)
class ChunkTally:
    """What is known of the chunks written so far; they come in order."""

    rows: Counter[str] = field(default_factory=Counter)
    """How many there are of each file."""
    unseen: Counter[str] = field(default_factory=Counter)
    zoned: dict[str, bool] = field(default_factory=dict)

    def add(self, chunk: AnsweredChunk) -> None:
        """Count a chunk, or raise if its time zones differ from those of the chunks before."""
        for column, zoned in chunk.zoned.items():
            if self.zoned.setdefault(column, zoned) != zoned:
                problem = f"column {column!r} has values with a time zone and values without; make them alike"
                raise InputError(f"{chunk.file}: {problem}")
        self.rows[chunk.file] += chunk.rows
        self.unseen.update(chunk.unseen)


def write_predictions(
    added: AddedColumns, files: Sequence[str], output: str, n_jobs: int = -1, text: TextFormat = USUAL
) -> tuple[int, Counter[str]]:
    """Write the table in some files with columns added to `output`.

    Return the number of rows, and for each column how many of them have a value that the model has no category for.
    """
    from joblib import effective_n_jobs

    if n_jobs == 0:
        raise InputError("--n-jobs 0 is out of range: a number of cores, or -1 for all")
    threads, tally = int(effective_n_jobs(n_jobs)), ChunkTally()
    texts = [column.name for column in added.network.columns if column.kind in ("category", "ordinal", "text")]
    with open_files(files, texts, text) as table:
        _check(added, table, output)
        schemas = [pa.schema([*schema, *added.fields], schema.metadata) for schema in (table.copy_schema, table.schema)]
        answer = partial(_answer_chunk, added, None if is_parquet(output) else csv_rows)
        with _open_writer(output, *schemas) as write, _progress(table.total) as show:
            for chunk in _locate_errors(map_in_order(answer, table.chunks(), threads), tally):
                tally.add(chunk)
                write(chunk.body)
                show(chunk.place)
    return tally.rows.total(), tally.unseen


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Map `work` over the items on several threads. Only a few items are under way, however slow the reader is."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > threads:  # one for each thread, and one that is ready when the first is done
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _check(added: AddedColumns, table: ChunkedTable, output: str) -> None:
    """Raise what can be known before any row is read."""
    for field_ in added.fields:
        if field_.name in table.columns:
            raise InputError(f"{table.name} already has a column {field_.name!r}; rename it or take it out")
    parts = {part.name for part in columns.find_date_parts(added.network, table.columns)}
    for column in added.network.own_columns:
        if column.name not in parts:
            columns.require_column(column.name, table.columns, table.name)
    nested = next((column for column in table.schema if pa.types.is_nested(column.type)), None)
    if nested is not None and not is_parquet(output):
        raise InputError(f"column {nested.name!r} is of the type {nested.type}, which CSV cannot hold; write .parquet")


def _answer_chunk(added: AddedColumns, finish: Callable[[pa.Table], bytes] | None, chunk: Chunk) -> AnsweredChunk:
    source = chunk.open()
    try:
        X = columns.read_rows(source, added.network)
        unseen = count_unseen(added.network.own_columns, X)  # reads all columns, those that no rule uses too
        answers = list(added.compute(X))
    except ColumnTypeError as error:
        raise _Unreadable(source.name, str(error)) from None
    zoned = {column.name: column.type.tz is not None for column in X.schema if pa.types.is_timestamp(column.type)}
    table = source.copy()
    for column, values in zip(added.fields, answers, strict=True):
        table = table.append_column(column, [values])
    return AnsweredChunk(finish(table) if finish else table, source.name, len(X), chunk.end, unseen, zoned)


class _Unreadable(Exception):
    """A chunk of this file cannot be read; the error counts the rows of the chunk."""

    def __init__(self, file: str, error: str) -> None:
        super().__init__(error)
        self.file = file


def _locate_errors(results: Iterator[AnsweredChunk], tally: ChunkTally) -> Iterator[AnsweredChunk]:
    """Pass the results on; an error that counts rows counts those of its chunk, so say which chunk that is."""
    try:
        yield from results
    except _Unreadable as error:
        before = tally.rows[error.file]
        where = f"{error.file}, counting from row {before}" if before else error.file
        raise ColumnTypeError(f"{where}: {error}") from None


@contextmanager
def _open_writer(output: str, stored: pa.Schema, schema: pa.Schema) -> Iterator[Callable[[Any], None]]:
    """Yield a function that adds a chunk to the output.

    The header is written with the first chunk: a failure before it writes nothing.
    """
    if is_parquet(output):
        with parquet_output(output, stored, schema) as file:
            yield file.write_table
        return
    with open_output(output) as file:
        header = [csv_header(schema.names)]
        yield lambda body: file.writelines([*(header.pop() for _ in header[:]), body])
        file.writelines(header)


@contextmanager
def _progress(total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows how far it is, if standard error is a terminal and there is a way to tell."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if total is None or not console.is_terminal:
        yield lambda place: None
        return
    with Progress(BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("predicting", total=total)
        yield lambda place: bar.update(task, completed=place)
