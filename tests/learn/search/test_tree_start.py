"""A tree as a start: what its leaves say as rules, and when it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules.kernels.search.growth import edges_of
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.search import path as path_module
from conceptrules.learn.search.path import CheckpointedPath
from conceptrules.learn.search.path import Path as Penalties
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.tree_start import can_grow_tree, grow_tree_rules
from tests.strategies_search import columns_of, holds_plain, limits, seeded, some_columns, some_rows


@settings(max_examples=50)
@given(seeded())
def test_leaves_are_rules_that_never_meet(rng: np.random.Generator) -> None:
    columns, leaves = some_columns(rng), int(rng.integers(2, 12))
    rows = some_rows(rng, columns, 3, 40)
    most = limits(negation=bool(rng.random() < 0.5), edges=float(rng.integers(5, 60)), categories=4)
    rules = grow_tree_rules(rows, columns, most, leaves, default=1, seed=0)
    assert len(rules.owner) <= leaves
    assert 1 not in rules.owner
    holding = np.zeros(len(rows.codes), np.int64)
    cost = 0
    for r, length in enumerate(rules.length):
        holding += holds_plain(rows, rules.column[r], rules.allowed[r], length)
        cost += 1 + rules.size[r, :length].sum()
        assert len(set(rules.column[r, :length])) == length
        for j, allowed, size in zip(rules.column[r, :length], rules.allowed[r], rules.size[r], strict=False):
            bins = columns.bins[j]
            assert size == edges_of(allowed, bins, columns.ordered[j])
            assert 0 < allowed[: bins + 1].sum() < bins + 1
            # An interval never holds where a value is missing, nor does a set, unless it may say `not`.
            assert not allowed[bins] or (most.negation and not columns.ordered[j] and size <= 4)
    whole = (rows.codes < columns.bins).all(axis=1)  # whether a value is missing is not asked
    assert holding[whole].max(initial=0) <= 1
    assert cost <= most.edges


def parity(size: int = 400) -> tuple[Any, Any]:
    """Columns of which no single one says anything about the class."""
    codes = np.random.default_rng(0).integers(0, 4, (size, 4))
    return codes.astype(float), np.where((codes > 1).sum(axis=1) % 2, "odd", "even")


def test_a_tree_says_what_its_rows_are() -> None:
    columns = columns_of([2, 2], [1, 0])
    rows = some_rows(np.random.default_rng(0), columns, 2, 1)._replace(
        codes=np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8),
        mass=np.array([[1.0, 0], [1, 0], [1, 0], [0, 1]]),
    )
    rules = grow_tree_rules(rows, columns, limits(), 4, default=0, seed=0)
    assert rules.owner.tolist() == [1]
    np.testing.assert_array_equal(holds_plain(rows, rules.column[0], rules.allowed[0], rules.length[0]), [0, 0, 0, 1])


def test_large_networks_begin_as_trees_too(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = parity()
    codes, label = X.astype(np.uint8), (y == "odd").astype(np.int64)
    rows = some_rows(np.random.default_rng(0), columns_of([4] * 4, 1), 2, 1)._replace(
        codes=codes, mass=np.eye(2)[label], label=label
    )
    monkeypatch.setattr(path_module, "_FRESH", 0)
    asked = []
    monkeypatch.setattr(path_module, "grow_tree_rules", lambda *args: asked.append(args[3]) or grow_tree_rules(*args))
    path = Penalties(rows, columns_of([4] * 4, 1), SearchSettings(), Constraints(), 1 / len(y), seed=0)
    scores = [path.learn_at(penalty).score for penalty in (400.0, 200.0, 1.0, 0.3, 0.1)]
    assert asked
    assert scores[-1] == 1.0


def test_a_policy_is_unknown_to_trees() -> None:
    columns = columns_of([3, 3], [1, 0])
    rows = some_rows(np.random.default_rng(0), columns, 2, 20)
    assert can_grow_tree(rows, columns)
    columns.may_ask[1, 0] = 0
    assert not can_grow_tree(rows, columns)


def test_a_checkpoint_keeps_how_often_trees_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    columns = columns_of([4] * 4, 1)
    rows = some_rows(np.random.default_rng(0), columns, 2, 400)
    monkeypatch.setattr(path_module, "_FRESH", 0)
    checkpoint = Checkpoint(tmp_path / "kept")

    plain = [Penalties(rows, columns, SearchSettings(), Constraints(), 1 / 400, 0) for _ in range(2)]
    first, again = (CheckpointedPath(path, checkpoint, "0") for path in plain)
    penalties = (400.0, 200.0, 1.0, 0.3)
    before = [first.learn_at(penalty).score for penalty in penalties]
    assert [again.learn_at(penalty).score for penalty in penalties] == before
    assert plain[0]._lost == plain[1]._lost > 0
