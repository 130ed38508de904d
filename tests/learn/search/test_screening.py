"""Of a wide table, the search looks at the columns that tell the most, chosen from the rows that are learned from."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules import ConceptRuleClassifier
from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search import screening
from conceptrules.learn.search.path import Path
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.learn.search.screening import ScreenedPath, select_columns, take_columns
from conceptrules.learn.search.settings import SearchSettings
from tests.strategies_search import columns_of, seeded, some_columns, some_rows


def told(rows: Rows, columns: Columns, j: int) -> float:
    """The plain version: the purity of both sides of every condition on a column."""
    codes, best = rows.codes[:, j], 0.0
    for code in range(int(columns.bins[j]) + 1):
        side = codes <= code if columns.ordered[j] else codes == code
        parts = [rows.mass[side].sum(axis=0), rows.mass[~side].sum(axis=0)]
        best = max(best, sum(float(part @ part / part.sum()) for part in parts if part.sum()))
    return best


@settings(max_examples=50)
@given(seeded())
def test_the_columns_of_the_best_single_conditions_are_kept(rng: np.random.Generator) -> None:
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 3, 30)
    plain = [told(rows, columns, j) for j in range(len(columns.bins))]
    for most in range(1, len(plain) + 1):
        kept = select_columns(rows, columns, most)
        assert sorted(kept) == list(kept)
        assert len(kept) == most
        assert min(plain[j] for j in kept) >= sorted(plain)[-most] - 1e-9


def test_columns_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    columns = columns_of([4] * 40, [True] * 40, [False] * 40)
    rows = some_rows(rng, columns, 2, 50)
    at_once = select_columns(rows, columns, 7)
    monkeypatch.setattr(screening, "CELLS", 100)
    np.testing.assert_array_equal(select_columns(rows, columns, 7), at_once)


def test_rules_are_told_in_terms_of_all_columns() -> None:
    columns = columns_of([5] * 30, [True] * 30, [False] * 30)
    codes = np.random.default_rng(0).integers(0, 5, (200, 30)).astype(np.uint8)
    label = (codes[:, 23] > 2).astype(np.int64)
    rows = Rows(codes, np.eye(2)[label], label)
    kept = select_columns(rows, columns, 3)
    path = ScreenedPath(
        Path(*take_columns(rows, columns, kept), SearchSettings(), Constraints(), 1 / 200, seed=0), kept
    )
    path.learn_at(200.0)
    found = path.learn_at(100.0)
    assert found.rules.column[0, 0] == 23
    np.testing.assert_array_equal(found.find_fired(codes)[:, found.rules.owner[0]], label == found.rules.owner[0])


def test_a_table_with_thousands_of_columns_takes_seconds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 5000))
    y = np.where(X[:, 4000] > 0, "high", "low")
    ConceptRuleClassifier(random_state=0, n_jobs=1).fit(X[:, :5], y)  # compiles the kernels
    started = time.process_time()
    clf = ConceptRuleClassifier(random_state=0, n_jobs=1).fit(X, y)
    assert time.process_time() - started < 10  # 3 on a quiet core
    assert (clf.predict(X) == y).all()
    assert {predicate.column for predicate in clf.network_.predicates} == {"x4000"}
    assert "made" not in vars(clf.binarizer_._predicates)  # half a million predicates are never made
