"""Mixed rows are made of values that are there, and weigh what they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules.kernels.search.values import Columns, Groups, Rows
from conceptrules.learn.search.augmentation import FEWEST, WEIGHT, Forest, augment_rows, mix_rows
from tests.strategies_search import columns_of, seeded, some_columns, some_rows


def problem() -> tuple[Rows, Columns]:
    columns = columns_of([6, 4, 3], [True, False, False], [False, True, False])
    return some_rows(np.random.default_rng(0), columns, 3, 60), columns


@settings(max_examples=20)
@given(seeded())
def test_mixed_rows_only_have_values_of_the_rows(rng: np.random.Generator) -> None:
    rows = some_rows(rng, some_columns(rng), 3, 20)
    codes = mix_rows(rows, 100, rng)
    assert codes.shape == (100, rows.codes.shape[1])
    assert codes.dtype == rows.codes.dtype
    for j in range(codes.shape[1]):
        assert set(codes[:, j].tolist()) <= set(rows.codes[:, j].tolist())


def test_each_mixed_row_has_two_parents() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(30, dtype=np.uint8)[:, None], 20, axis=1)
    found = mix_rows(Rows(codes, np.eye(2)[np.arange(30) % 2], np.arange(30) % 2), 500, rng)
    parents = [set(row.tolist()) for row in found]
    assert max(map(len, parents)) == 2
    alike = np.mean([len({parent % 2 for parent in two}) == 1 for two in parents])
    assert 0.8 < alike < 0.95  # three quarters by intention, half of the others by chance


def test_rows_are_mixed_in_proportion_to_their_weight() -> None:
    codes, mass = np.array([[0], [1]], np.uint8), np.array([[9.0, 0], [0, 1.0]])
    found = mix_rows(Rows(codes, mass, np.array([0, 1])), 4000, np.random.default_rng(0))
    assert found.mean() == pytest.approx(0.1, abs=0.03)


def test_the_weight_of_mixed_rows() -> None:
    rows, columns = problem()
    forest = Forest(rows, columns, 10, 0)
    found = augment_rows(rows, forest, np.random.default_rng(0))
    size = len(rows.label)
    for before, after in zip(rows[:3], found[:3], strict=True):
        np.testing.assert_array_equal(after[:size], before)
    assert len(found.label) == size + FEWEST
    assert found.mass[size:].sum() == pytest.approx(WEIGHT * rows.mass.sum())
    assert np.ptp(found.mass[size:].sum(axis=1)) < 1e-9
    single = found.label >= 0
    assert (np.count_nonzero(found.mass, axis=1) == 1)[single].all()
    assert (found.mass.argmax(axis=1) == found.label)[single].all()


def test_mixed_rows_weigh_nothing_where_a_policy_counts() -> None:
    rows, columns = problem()
    one, zero = np.ones(1), np.zeros(1, np.int64)
    groups = Groups(np.ones((len(rows.label), 1)), one, zero, np.array([0, 1]), one, one)
    counted = rows._replace(raw=rows.mass.copy(), groups=groups)
    found = augment_rows(counted, Forest(rows, columns, 10, 0), np.random.default_rng(0))
    assert found.raw.sum() == pytest.approx(rows.mass.sum())
    assert found.groups.share.sum() == len(rows.label)
    assert len(found.raw) == len(found.groups.share) == len(found.label) > len(rows.label)


def test_the_same_seed_gives_the_same_rows() -> None:
    rows, columns = problem()
    one, two = (augment_rows(rows, Forest(rows, columns, 10, 3), np.random.default_rng(3)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one[:3], two[:3], strict=True))
    other = augment_rows(rows, Forest(rows, columns, 10, 3), np.random.default_rng(4))
    assert not np.array_equal(one.codes, other.codes)


def test_a_forest_tells_classes_apart_and_knows_those_that_never_occur() -> None:
    columns = columns_of([2, 2], [True, False])
    codes = np.repeat(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8), 5, axis=0)
    label = (codes[:, 1] * 2).astype(np.int64)
    shares = Forest(Rows(codes, np.eye(4)[label], label), columns, 20, 0).predict_shares(codes)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), label)
    assert not shares[:, [1, 3]].any()


def test_rows_of_several_classes_are_learned_from_in_proportion() -> None:
    rows = Rows(np.zeros((40, 1), np.uint8), np.tile([3.0, 1.0], (40, 1)), np.full(40, -1))
    shares = Forest(rows, columns_of([2], [True]), 400, 0).predict_shares(rows.codes)
    assert shares[0, 0] == pytest.approx(0.75, abs=0.08)
