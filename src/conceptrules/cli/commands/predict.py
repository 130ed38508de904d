"""`conceptrules predict`: tables of any size are read in chunks, answered on all cores, and written in order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar, cast, get_args

import pyarrow as pa
import typer

from conceptrules.cli import columns
from conceptrules.cli.files import (
    check_not_input,
    check_streams,
    check_table_output,
    csv_header,
    csv_output,
    csv_rows,
    is_parquet,
    list_files,
    name_errors_after,
    parquet_output,
    read_model,
)
from conceptrules.cli.options import Files, Jobs, Model, Out, TextOptions
from conceptrules.explain.explanation import reasons as reasons_of
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column
from conceptrules.tables import prediction as plan
from conceptrules.tables.answer_columns import label_array, probability_names
from conceptrules.tables.files.chunks import Chunk, ChunkedTable, open_files
from conceptrules.tables.files.formats import STREAM, USUAL, TextFormat
from conceptrules.tables.table import count_unseen

PREDICTION, REASONS = "prediction", "reasons"
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be added to a table besides the prediction."""

    probabilities: bool = False
    reasons: bool = False
    abstain: plan.Abstain | None = None


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
    reasons: Annotated[bool, typer.Option("--reasons", help="Add a column with the rules behind each answer.")] = False,
    abstain: Annotated[
        str,
        typer.Option(help="Leave the prediction empty where no class fires (none), several do (several), or both."),
    ] = "",
) -> None:
    """Write a table with a column `prediction` added.

    All other columns stay as they are, the target too if it is there. The table may be larger than memory: it is read,
    answered and written in chunks. The rows of several files are written one file after another.
    """
    check_table_output(output)
    files = list_files(data)
    check_not_input(output, [model, *files])
    check_streams(model, *files)
    network = read_model(model)
    if probabilities and network.statistics is None:
        raise InputError(f"{model} has no statistics to tell probabilities by; `conceptrules measure` counts them")
    if abstain not in ("", *get_args(plan.Abstain)):
        raise InputError(f"--abstain {abstain!r} is unknown; use none, several or both")
    wanted = Wanted(probabilities, reasons, cast(plan.Abstain, abstain) if abstain else None)
    summary = write_predictions(network, files, output, n_jobs, wanted, text.format)
    known = {column.name: column for column in network.columns}
    for name, count in summary.unseen.items():
        if name not in network.used_columns:  # the answers do not depend on it
            continue
        typer.echo(f"column {name!r}: {count} of {summary.rows} rows have {_unusual(known[name])}", err=True)


def _unusual(column: Column) -> str:
    """Return what rows can have in a column that training never showed."""
    gap, category = "no value, where training always had one", "a value that the model has no category for"
    if column.ordered:
        return gap
    return category if column.missing else f"{category}, or {gap}"


@dataclass(frozen=True, slots=True)
class Summary:
    """What was unusual in a table."""

    rows: int
    unseen: dict[str, int]
    """How many rows of each column have a value that the model has no category for."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A chunk with its predictions, ready to be written."""

    body: Any
    """CSV as bytes, or a table for Parquet."""
    file: str
    """The file that the chunk is from."""
    rows: int
    place: int
    unseen: Mapping[str, int]
    zoned: Mapping[str, bool]
    """Whether the values of a column have a time zone, for each column of times."""


@dataclass(slots=True)
class Tally:
    """What is known of the chunks written so far; they come in order."""

    rows: Counter[str] = field(default_factory=Counter)
    """How many there are of each file."""
    unseen: Counter[str] = field(default_factory=Counter)
    zoned: dict[str, bool] = field(default_factory=dict)

    def add(self, answered: Answered) -> None:
        """Count a chunk, or raise if its time zones differ from those of the chunks before."""
        for column, zoned in answered.zoned.items():
            if self.zoned.setdefault(column, zoned) != zoned:
                problem = f"column {column!r} has values with a time zone and values without; make them alike"
                raise InputError(f"{answered.file}: {problem}")
        self.rows[answered.file] += answered.rows
        self.unseen.update(answered.unseen)


def write_predictions(
    network: RuleNetwork,
    files: Sequence[str],
    output: str,
    n_jobs: int = -1,
    wanted: Wanted | None = None,
    text: TextFormat = USUAL,
) -> Summary:
    """Write the table in some files with a column of predictions to `output`, and return what was unusual in it."""
    threads, tally, wanted = _threads(n_jobs), Tally(), wanted or Wanted()
    texts = [column.name for column in network.columns if column.kind in ("category", "ordinal")]
    with open_files(files, texts, text) as table:
        _check(network, table, output, wanted)
        _predict(network, table, output, threads, tally, wanted)
    known = [column.name for column in network.columns]
    return Summary(tally.rows.total(), {name: tally.unseen[name] for name in known if tally.unseen[name]})


def _predict(
    network: RuleNetwork, table: ChunkedTable, output: str, threads: int, tally: Tally, wanted: Wanted
) -> None:
    labels = label_array(network.classes)
    fields = added_fields(network, labels, wanted)
    schemas = [pa.schema([*schema, *fields], schema.metadata) for schema in (table.held, table.schema)]
    work = partial(_answered, network, labels, wanted, None if is_parquet(output) else csv_rows)
    with name_errors_after(output), _writer(output, *schemas) as write, _progress(table.total) as show:
        for answered in _located(in_order(work, table.chunks(), threads), tally):
            tally.add(answered)
            write(answered.body)
            show(answered.place)


def added_fields(network: RuleNetwork, labels: pa.Array, wanted: Wanted) -> list[pa.Field]:
    """Return the columns that are added to a table."""
    shares = probability_names(network) if wanted.probabilities else []
    return [
        pa.field(PREDICTION, labels.type),
        *(pa.field(name, pa.float64()) for name in shares),
        *([pa.field(REASONS, pa.string())] if wanted.reasons else []),
    ]


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
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


def _check(network: RuleNetwork, table: ChunkedTable, output: str, wanted: Wanted) -> None:
    """Raise what can be known before any row is read."""
    for name in pa.schema(added_fields(network, label_array(network.classes), wanted)).names:
        if name in table.columns:
            raise InputError(f"{table.name} already has a column {name!r}; rename it or take it out")
    made = {part.name for part in columns.find_date_parts(network, table.columns)}
    for column in network.columns:
        if column.name not in made:
            columns.require_column(column.name, table.columns, table.name)
    nested = next((each for each in table.schema if pa.types.is_nested(each.type)), None)
    if nested is not None and not is_parquet(output):
        raise InputError(f"column {nested.name!r} is of the type {nested.type}, which CSV cannot hold; write .parquet")


def _answered(
    network: RuleNetwork, labels: pa.Array, wanted: Wanted, finish: Callable[[pa.Table], bytes] | None, chunk: Chunk
) -> Answered:
    source = chunk.open()
    try:
        X = columns.read_rows(source, network)
        unseen = count_unseen(network.columns, X)  # reads all columns, those that no rule uses too
        added = list(_added(network, labels, wanted, X))
    except ColumnTypeError as error:
        raise _Unreadable(source.name, str(error)) from None
    zoned = {each.name: each.type.tz is not None for each in X.schema if pa.types.is_timestamp(each.type)}
    table = source.copy()
    for column, values in zip(added_fields(network, labels, wanted), added, strict=True):
        table = table.append_column(column, [values])
    return Answered(finish(table) if finish else table, source.name, len(X), chunk.place, unseen, zoned)


def _added(network: RuleNetwork, labels: pa.Array, wanted: Wanted, X: pa.Table) -> Iterator[pa.Array]:
    """Yield the values of the columns that are added, in their order."""
    open_ = None if wanted.abstain is None else plan.find_undecided_rows(network, X, wanted.abstain)
    yield labels.take(pa.array(plan.decide(network, X), mask=open_))
    if wanted.probabilities:
        yield from map(pa.array, plan.predict_proba(network, X).T)
    if wanted.reasons:
        yield pa.array(reasons_of(network, X), pa.string())


class _Unreadable(Exception):
    """A chunk of this file cannot be read; the error counts the rows of the chunk."""

    def __init__(self, file: str, error: str) -> None:
        super().__init__(error)
        self.file = file


def _located(results: Iterator[Answered], tally: Tally) -> Iterator[Answered]:
    """Pass the results on; an error that counts rows counts those of its chunk, so say which chunk that is."""
    try:
        yield from results
    except _Unreadable as error:
        before = tally.rows[error.file]
        where = f"{error.file}, counting from row {before}" if before else error.file
        raise ColumnTypeError(f"{where}: {error}") from None


@contextmanager
def _writer(output: str, held: pa.Schema, schema: pa.Schema) -> Iterator[Callable[[Any], None]]:
    """Yield a function that adds a chunk to the output.

    The header is written with the first chunk: a failure before it writes nothing.
    """
    if is_parquet(output):
        with parquet_output(output, held, schema) as file:
            yield file.write_table
        return
    with csv_output(output) as file:
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


def _threads(n_jobs: int) -> int:
    from joblib import effective_n_jobs

    if n_jobs == 0:
        raise InputError("--n-jobs 0 is out of range: a number of cores, or -1 for all")
    return int(effective_n_jobs(n_jobs))
