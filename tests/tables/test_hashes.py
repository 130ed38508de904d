"""Hashes of rows: of values, not of how a table holds them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.predicate import Column
from conceptrules.tables import hashes as hashing
from conceptrules.tables.hashes import SmallestHashes, estimate_overlap, hash_rows, sketch
from tests.strategies_tables import BUILDS, KIND_OF, TEXT_BUILDS, raw_columns


@given(raw_columns(), st.booleans())
def test_every_kind_of_table_gives_the_same_hashes(drawn: tuple[str, list[object]], as_category: bool) -> None:
    raw, values = drawn
    small = raw in ("bool", "text") or (raw == "int" and as_category)
    column = Column("c", "category" if small and raw != "bool" else KIND_OF[raw])
    labels = [str(number % 2) for number in range(len(values))]
    tables = (BUILDS | TEXT_BUILDS if raw == "text" else BUILDS).items()
    hashes = {name: hash_rows([column], build(raw, values), labels).tolist() for name, build in tables}
    assert len(set(map(tuple, hashes.values()))) == 1, hashes


COLUMNS = [Column("age"), Column("job", "category", ("cook",))]


def of(*rows: tuple[object, object, object]) -> list[int]:
    return hash_rows(COLUMNS, [row[:2] for row in rows], [row[2] for row in rows]).tolist()


def test_other_values_labels_and_places_give_other_hashes():
    rows = [(1, "a", "x"), (2, "a", "x"), (1, "b", "x"), (1, "a", "y"), (None, "a", "x"), (1, None, "x")]
    assert len(set(of(*rows))) == len(rows)
    assert len(set(hash_rows([Column("a"), Column("b")], [[1, 2], [2, 1]], ["x", "x"]).tolist())) == 2


def test_what_is_equal_has_one_hash():
    assert len(set(of((1, "a", "1"), (1.0, "a", 1), (1, "a", 1.0)))) == 1
    assert of((0.0, "a", "x")) == of((-0.0, "a", "x"))
    numbers = [Column("n", "category", (1, 0))]
    found = {int(hash_rows(numbers, [[value]], ["x"])[0]) for value in (1, 1.0, True, np.int8(1))}
    assert len(found) == 1
    assert found != {int(hash_rows([Column("n", "category")], [["1"]], ["x"])[0])}


def test_odd_values_have_hashes():
    hashes = of((np.inf, "\udc80", "x"), (-np.inf, "", "x"), (1e308, "é", "x"))
    assert len(set(hashes)) == 3
    assert len(hash_rows([Column("n", "category")], [[np.inf], [np.nan], [None], [0.5]], list("abcd"))) == 4
    assert len(hash_rows(COLUMNS, pa.table({"age": pa.array([], "f8"), "job": pa.array([], "str")}), [])) == 0


def test_another_process_agrees():
    code = (
        "from conceptrules.tables.hashes import hash_rows; from conceptrules.model.predicate import Column;"
        "print(hash_rows([Column('age'), Column('job', 'category')], [[30, 'nurse']], ['old'])[0])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(of((30, "nurse", "old"))[0]) == "4787184435629756206"


def test_labels_must_fit_the_rows():
    with pytest.raises(InputError, match="2 rows, but there are 1 labels"):
        hash_rows(COLUMNS, [[1, "a"], [2, "b"]], ["x"])
    with pytest.raises(ColumnTypeError, match="age"):
        hash_rows(COLUMNS, [["old", "a"]], ["x"])


def test_a_sketch_holds_the_smallest_distinct_hashes():
    hashes = np.array([5, 3, 9, 3, 1], dtype=np.uint64)
    assert sketch(hashes, 3) == (1, 3, 5)
    assert sketch(hashes) == (1, 3, 5, 9)


def test_a_whole_sketch_tells_exactly():
    hashes = np.array([5, 3, 9, 3, 1], dtype=np.uint64)
    assert estimate_overlap((1, 3, 5), 3, hashes) == (0.8, 5)
    assert estimate_overlap((1, 3, 5), 3, hashes[:0]) is None
    assert estimate_overlap((), 0, hashes) is None


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_sample_estimates_the_share(share: float):
    rng = np.random.default_rng(0)
    training, others = (rng.integers(2**63, size=20_000, dtype=np.uint64) for _ in range(2))
    known = int(len(training) * share)
    given_rows = np.concatenate([training[:known], others[known:]])
    found, rows = estimate_overlap(sketch(training), len(training), given_rows)
    assert found == pytest.approx(share, abs=0.05)
    assert 700 < rows < 1400


def test_too_few_rows_tell_nothing():
    assert estimate_overlap((1, 2), 100, np.array([50, 60], dtype=np.uint64)) is None


def test_parts_in_any_order_keep_the_smallest_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "MAX_KEPT", 100)
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**64, 3000, np.uint64)
    some = np.concatenate([hashes, hashes[:500]])
    for parts in (1, 7, 50):
        found = SmallestHashes()
        for part in np.array_split(rng.permutation(some), parts):
            found.add(part)
        assert found.kept.tolist() == np.unique(hashes)[:100].tolist()
        assert 2000 < found.n_distinct < 4500


def test_few_hashes_are_counted() -> None:
    found = SmallestHashes()
    found.add(np.zeros(0, np.uint64))
    found.add(np.array([3, 1, 3], np.uint64))
    assert found.n_distinct == 2
