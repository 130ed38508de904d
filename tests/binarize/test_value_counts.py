"""What is learned from counts of values is what is learned from the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from conceptrules.binarize import Binarizer, known_values
from conceptrules.binarize.binarizer import check_kinds
from conceptrules.binarize.known_values import MAX_GROUP_WEIGHT, from_keys, to_keys
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.tables.table import open_table

UNIT = 2**24
pytestmark = pytest.mark.filterwarnings("ignore:column .* has .* categories")


def _counted(
    table: pa.Table,
    y: np.ndarray,
    parts: int,
    kinds: Any = None,
    weight: np.ndarray | None = None,
    seed: int = 0,
    merged: bool = False,
) -> Binarizer:
    classes, codes = np.unique(y, return_inverse=True)
    told = check_kinds(kinds or {}, table.column_names)
    unit = 1 if weight is None else UNIT
    every = [ValueCounts(name, len(classes), unit, told.get(name)) for name in table.column_names]
    ends = np.linspace(0, len(y), parts + 1).astype(int)
    left = every
    while left:
        for part in np.random.default_rng(seed).permutation(parts):
            rows = slice(ends[part], ends[part + 1])
            batch = open_table(table.slice(rows.start, rows.stop - rows.start))
            worth = None if weight is None else (weight[rows] * UNIT).astype(np.int64)
            for one in left:
                counts = one.blank() if merged else one
                counts.add(batch.cells(table.column_names.index(one.name)), codes[rows], worth, rows.start)
                if merged:
                    one.merge(counts)
        left = [one for one in every if not one.finished]
        for one in left:
            one.look_closer()
    rows_of = dict(zip(classes.tolist(), np.bincount(codes).tolist(), strict=True))
    return _binarizer(kinds).fit_counts(every, rows_of)


def _binarizer(kinds: Any = None) -> Binarizer:
    return Binarizer(kinds, 255, "thresholds", 254)


def _mixed(rows: int = 3000) -> tuple[pa.Table, np.ndarray]:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "whole": rng.integers(0, 90, rows),
            "fraction": rng.normal(size=rows).round(3),
            "gaps": np.where(rng.random(rows) < 0.1, np.nan, rng.exponential(size=rows)),
            "gaps_first": np.where(np.arange(rows) < rows // 2, np.nan, rng.random(rows)),
            "infinite": np.where(rng.random(rows) < 0.1, np.inf, rng.random(rows).round(2)),
            "zero": np.where(rng.random(rows) < 0.5, -0.0, 0.0),
            "job": pd.Series(rng.choice(["nurse", "smith", "clerk"], rows)).where(rng.random(rows) > 0.1),
            "level": rng.choice(["low", "med", "high"], rows),
            "many": rng.integers(0, 900, rows).astype(str),
            "truth": rng.random(rows) < 0.3,
            "truth_gaps": pd.Series(rng.random(rows) < 0.3).astype("boolean").where(rng.random(rows) > 0.5),
            "date": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D"),
            "size": pd.Categorical(rng.choice(["s", "l"], rows), ["s", "m", "l"], ordered=True),
            "id": np.arange(rows),
            "name": [f"n{i}" for i in range(rows)],
            "constant": 1,
            "nothing": pd.Series([None] * rows, dtype=object),
            "zip": rng.integers(0, 2000, rows),
        }
    )
    y = np.where((table.fraction > 0.3) & (table.job == "nurse") | (table.gaps > 2), "yes", "no")
    y = np.where(table.whole > 70, "maybe", y)
    table["copy"] = (y == "no") + 0
    return pa.Table.from_pandas(table, preserve_index=False), y


@pytest.mark.parametrize("kinds", [None, {"zip": "category", "whole": "ordinal", "level": "category"}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("merged", [False, True])
def test_cuts_categories_and_findings_are_those_of_the_rows(kinds: Any, weighted: bool, merged: bool) -> None:
    table, y = _mixed()
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    counted = _counted(table, y, 7, kinds, weight, merged=merged)
    whole = _binarizer(kinds).fit(table, y, weight)
    assert counted.columns_ == whole.columns_
    assert counted.cuts_ == whole.cuts_
    assert counted.categories_dropped_ == whole.categories_dropped_
    assert counted.inspection_ == whole.inspection_
    assert counted.predicates_ == whole.predicates_
    assert list(counted.feature_names_in_) == list(whole.feature_names_in_)


def test_very_many_numbers_are_cut_within_two_groups_of_where_they_would_be() -> None:
    rng, rows = np.random.default_rng(0), 70_000
    numbers = {
        "normal": rng.normal(size=rows),
        "moments": 1.6e15 + rng.permutation(rows) * 1e9,
        "half_alike": np.where(rng.random(rows) < 0.05, 3.25, rng.lognormal(size=rows)),
        "far_apart": np.where(rng.random(rows) < 0.9, 1e9 + rng.random(rows), rng.normal(size=rows) * 1e12),
    }
    table = pa.table(numbers)
    y = np.where(rng.random(rows) < 0.1, "yes", np.where(numbers["normal"] > 0.3, "yes", "no"))
    counted = _counted(table, y, 3)
    for parts in (1, 5):  # of which some have few enough numbers to count each of them
        assert counted.cuts_ == _counted(table, y, parts, seed=1, merged=True).cuts_
    assert counted.cuts_ == _counted(table, y, 5, seed=1).cuts_
    for cuts, expected, values in zip(counted.cuts_, _binarizer().fit(table, y).cuts_, numbers.values(), strict=True):
        below, wanted = (np.searchsorted(np.sort(values), each, side="right") / rows for each in (cuts, expected))
        assert abs(len(below) - len(wanted)) <= 2
        assert np.abs(below[:, None] - wanted).min(axis=0).max() <= 2 / MAX_GROUP_WEIGHT


def test_of_very_many_texts_the_most_frequent_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_values, "MAX_COUNTED_VALUES", 500)
    rng = np.random.default_rng(0)
    texts = [f"t{number}" for number in (rng.pareto(0.7, 20_000) * 10).astype(int) % 10**6]
    table, y = pa.table({"text": texts}), rng.choice(["a", "b"], len(texts))
    counted, whole = _counted(table, y, 4), _binarizer().fit(table, y)
    assert counted.columns_ == whole.columns_
    for parts in (1, 4, 90):
        merged = _counted(table, y, parts, seed=1, merged=True)
        assert merged.columns_ == counted.columns_
        assert merged.categories_dropped_ == counted.categories_dropped_
    found, dropped = counted.categories_dropped_[0][1], whole.categories_dropped_[0][1]
    assert abs(found - dropped) < 0.2 * dropped  # 500 smallest hashes tell to 4 %


def test_keys_are_in_the_order_of_numbers() -> None:
    numbers = np.array([-np.inf, -2.5, -1e-300, 0.0, 1e-300, 1.0, 7e9, np.inf])
    keys = to_keys(numbers)
    assert (keys[1:] > keys[:-1]).all()
    assert from_keys(keys)[1:-1].tolist() == numbers[1:-1].tolist()


def test_what_cannot_be_read_as_told_names_its_row() -> None:
    table = pa.table({"a": ["x", "x", "y", "z"]})
    with pytest.raises(ColumnTypeError, match="row 0 holds 'x'"):
        _counted(table, np.array(list("abab")), 2, {"a": "number"})
    with pytest.raises(InputError, match="holds 'z' in row 3"):
        _counted(table, np.array(list("abab")), 2, {"a": ["x", "y"]})


def test_parts_of_different_types_do_not_go_together() -> None:
    counts = ValueCounts("a", 2)
    counts.add(open_table(pa.table({"a": [1, 2]})).cells(0), np.array([0, 1]), None)
    with pytest.raises(ColumnTypeError, match="column 'a' holds text from row 2 on, and numbers before"):
        counts.add(open_table(pa.table({"a": ["x"]})).cells(0), np.array([0]), None, 2)
    later = ValueCounts("a", 2)
    later.add(open_table(pa.table({"a": pa.array([None], pa.string())})).cells(0), np.array([0]), None, 2)
    counts.merge(later)
    later.add(open_table(pa.table({"a": ["x"]})).cells(0), np.array([0]), None, 3)
    with pytest.raises(ColumnTypeError, match="column 'a' holds text from row 3 on, and numbers before"):
        counts.merge(later)
    with pytest.raises(ColumnTypeError, match="column 'a' holds text from row 4 on, and numbers before"):
        counts.blank().add(open_table(pa.table({"a": ["x"]})).cells(0), np.array([0]), None, 4)
