"""Tables in batches: files, datasets and streams, and what is wrong with them before any row is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, dataset, parquet

from conceptrules.model.errors import InputError
from conceptrules.tables.files import conversion
from conceptrules.tables.files.chunks import open_chunks
from conceptrules.tables.files.table_reader import open_file
from conceptrules.tables.sources import is_source, list_columns, open_source, read_whole, resolve_source

TABLE = pa.table({"age": [20, 30, None], "job": ["nurse", None, "smith"], "y": ["a", "b", "a"]})


def _opened(given: Any, folder: Path) -> Any:
    return open_source(resolve_source(given), lambda: folder)


def test_tables_in_memory_are_no_sources() -> None:
    for table in (TABLE, TABLE.to_pandas(), np.zeros((2, 2)), [[1, 2]], [{"a": 1}], {"a": 1}):
        assert not is_source(table)


def test_every_kind_of_source_gives_the_rows_in_its_order(tmp_path: Path) -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    parquet.write_table(TABLE, tmp_path / "table.parquet")
    TABLE.to_pandas().to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "parts").mkdir()
    for part in range(3):
        parquet.write_table(TABLE.slice(part, 1), tmp_path / "parts" / f"{part}.parquet")
    sources = (
        tmp_path / "table.parquet",
        str(tmp_path / "t*.parquet"),
        tmp_path / "parts",
        sorted((tmp_path / "parts").iterdir()),
        str(tmp_path / "table.csv"),
        dataset.dataset(tmp_path / "table.parquet"),
        TABLE.to_reader(2),
        polars.from_arrow(TABLE).lazy(),
        duckdb.from_arrow(TABLE),
    )
    for number, given in enumerate(sources):
        assert is_source(given)
        scratch = tmp_path / f"scratch{number}"
        scratch.mkdir()
        assert list_columns(resolve_source(given)) == ["age", "job", "y"]
        source = _opened(given, scratch)
        assert source.rows == 3
        assert read_whole(source, ["y", "age", "job"]).select(TABLE.column_names).to_pydict() == TABLE.to_pydict()
        assert read_whole(source, ["job"]).to_pydict() == {"job": ["nurse", None, "smith"]}


def test_text_is_text_again_in_memory(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "table.parquet")
    assert read_whole(_opened(tmp_path / "table.parquet", tmp_path), ["job"])["job"].type == pa.string()


def test_numbers_with_gaps_in_one_file_only_go_together(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"age": [1, 2], "empty": pa.nulls(2)}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"age": [1.5, None], "empty": ["x", "y"]}), tmp_path / "b.parquet")
    source = _opened(str(tmp_path / "*.parquet"), tmp_path)
    assert read_whole(source, ["age", "empty"]).to_pydict() == {
        "age": [1, 2, 1.5, None],
        "empty": [None, None, "x", "y"],
    }


def test_what_is_wrong_with_files_names_the_file_the_column_and_the_fix(tmp_path: Path) -> None:
    def write(name: str, **columns: Any) -> str:
        parquet.write_table(pa.table(columns), tmp_path / name)
        return str(tmp_path / name)

    good = write("good.parquet", age=[1], y=["a"])
    (tmp_path / "text.csv").write_text("age,y\n1,a\n")
    (tmp_path / "other.csv").write_text("aeg,y\n1,a\n")
    (tmp_path / "broken.parquet").write_bytes(b"no Parquet")
    (tmp_path / "empty").mkdir()
    cases: list[tuple[Any, str]] = [
        (tmp_path / "none.parquet", "there is no file"),
        (str(tmp_path / "none-*.parquet"), "no file matches"),
        (tmp_path / "empty", "has no files that end in .parquet"),
        (str(tmp_path / "empty*" / "x.txt"), "no file matches"),
        ([good, good], "is named twice"),
        ([good, tmp_path / "text.csv"], "give files of one format"),
        (tmp_path / "broken.parquet", "is not a Parquet file, or was cut short"),
        ([good, write("fewer.parquet", y=["a"])], "fewer.parquet has no column 'age', which"),
        ([good, write("more.parquet", age=[1], y=["a"], z=[1])], "more.parquet has a column 'z', which"),
        ([good, write("text.parquet", age=["1"], y=["a"])], "column 'age' is of the type string in .*text.parquet"),
        ([tmp_path / "text.csv", tmp_path / "other.csv"], "other.csv has no column 'age'.*did you mean 'aeg'"),
    ]
    for given, message in cases:
        with pytest.raises(InputError, match=message):
            list_columns(resolve_source(given))


def test_what_cannot_be_read_in_batches_says_what_to_give() -> None:
    with pytest.raises(InputError, match="of the type object cannot be read in batches; write it to Parquet"):
        resolve_source(object())


def test_durations_of_days_and_dictionaries_survive_a_stream(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(
        pd.DataFrame({"at": pd.to_datetime(["2020-01-01", None]), "size": pd.Categorical(["s", "l"], ["s", "l"], True)})
    )
    read = read_whole(_opened(table.to_reader(), tmp_path), ["at", "size"])
    assert read.to_pydict() == table.to_pydict()
    assert read["size"].type.ordered


def _replace(path: Path, table: pa.Table) -> None:
    """Write a file anew under another name, and move it there, as programs do that write tables."""
    new = path.with_suffix(".new")
    (parquet.write_table if path.suffix == ".parquet" else csv.write_csv)(table, new)
    new.replace(path)


OTHERS = (TABLE.slice(0, 2), TABLE.drop_columns(["age"]), TABLE.set_column(0, "age", pa.array(["a", "b", "c"])))


@pytest.mark.parametrize("other", [*OTHERS, None])
@pytest.mark.parametrize("kind", ["files", "dataset"])
def test_a_file_that_is_replaced_between_passes_is_told(tmp_path: Path, kind: str, other: pa.Table | None) -> None:
    for number in range(2):
        parquet.write_table(TABLE, tmp_path / f"{number}.parquet")
    source = _opened(str(tmp_path / "*.parquet") if kind == "files" else dataset.dataset(tmp_path), tmp_path)
    assert sum(batch.num_rows for batch in source.batches(["age", "y"])) == 6
    if other is None:
        (tmp_path / "1.parquet").unlink()
    else:
        _replace(tmp_path / "1.parquet", other)
    with pytest.raises(InputError, match=r"1\.parquet was changed while it was read; start again when nothing writes"):
        list(source.batches(["age", "y"]))


def test_a_file_that_is_written_to_in_the_middle_of_a_pass_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"x": np.arange(3_000_000)}), path, row_group_size=100_000)
    batches = _opened(path, tmp_path).batches(["x"])
    next(batches)
    path.write_bytes(b"PAR1 something else PAR1")
    with pytest.raises(InputError, match=r"table\.parquet was changed while it was read"):
        list(batches)


@pytest.mark.parametrize("other", OTHERS)
def test_a_text_that_is_replaced_between_its_two_passes_is_told(tmp_path: Path, monkeypatch: Any, other: Any) -> None:
    path, combine = tmp_path / "table.csv", conversion._combine_types
    csv.write_csv(TABLE, path)

    def replace_and_combine(name: str, types: Any) -> str:
        _replace(path, other)
        return combine(name, types)

    monkeypatch.setattr(conversion, "_combine_types", replace_and_combine)
    with pytest.raises(InputError, match=r"table\.csv was changed while it was read"):
        _opened(path, tmp_path)


def test_damaged_rows_are_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(TABLE, path, use_dictionary=False)
    data = path.read_bytes()
    path.write_bytes(data[:4] + b"\xff" * 40 + data[44:])  # the end, with the names and types, is as it was
    with pytest.raises(InputError, match=r"table\.parquet is damaged: "):
        list(_opened(path, tmp_path).batches(["age", "job"]))
    with pytest.raises(InputError, match=r"table\.parquet is damaged: "), open_chunks(str(path)) as table:
        list(table.chunks())
    with pytest.raises(InputError, match=r"table\.parquet is damaged: "):
        open_file(str(path)).read(["age", "job"])


def test_a_field_of_megabytes_is_read(tmp_path: Path) -> None:
    long = "w" * 5_000_000
    (tmp_path / "table.csv").write_text(f"age,job\n1,a\n2,{long}\n3,b\n")
    assert read_whole(_opened(str(tmp_path / "table.csv"), tmp_path), ["job"])["job"].to_pylist() == ["a", long, "b"]
