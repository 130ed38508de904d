"""The paper's folds, checked on a cell of its table; and what each protocol lets a model see."""

from __future__ import annotations

import os
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.paper import folds
from benchmarks.paper.baselines import run_fold
from benchmarks.paper.folds import _encode, bit_inputs, paper_folds, plain_inputs, tuning_split
from benchmarks.paper.properties import properties
from benchmarks.paper.reference import data_names, paper_cell, paper_figures
from benchmarks.paper.scores import scores
from benchmarks.paper.settings import load_settings
from benchmarks.paper.splits import split
from conceptrules.learn.mllp.examples import Examples, canonical, joined


def test_cart_on_tic_tac_toe_gives_the_papers_cell_to_the_digit() -> None:
    settings = load_settings("tic-tac-toe", "cart")
    found = [run_fold("tic-tac-toe", "cart", "fold", 0, fold, settings).scores["f1"] for fold in range(5)]
    assert f"{100 * mean(found):.2f}" == "94.21" == f"{paper_cell('tic-tac-toe', 'cart'):.2f}"


def test_each_row_is_tested_once() -> None:
    tested = np.concatenate([test for _, test in paper_folds(958)])
    assert sorted(tested) == list(range(958))


def test_the_shuffle_is_that_of_pandas() -> None:
    import pandas as pd

    order = pd.DataFrame({"row": range(50)}).sample(frac=1, random_state=0)["row"].to_numpy()
    first = np.random.RandomState(0).permutation(50)
    assert (order == first).all()


@pytest.mark.parametrize("name", data_names())
def test_table_2_equals_the_papers(name: str) -> None:
    if "CONCEPTRULES_DATA" not in os.environ and name not in ("tic-tac-toe", "wine"):
        pytest.skip("the paper's data sets are not here: set $CONCEPTRULES_DATA to their folder")
    assert list(properties(name).values()) == paper_figures()["properties"][name]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.integers(0, 9))
def test_the_tuning_split_takes_a_fifth_of_each_class(labels: list[str], seed: int) -> None:
    y = np.array(labels)
    fitted, held = tuning_split(y, seed)
    assert sorted([*fitted, *held]) == list(range(len(y)))
    for label in set(labels):
        rows, taken = int((y == label).sum()), int((y[held] == label).sum())
        assert taken == (rows + 2) // 5


def test_a_gap_is_a_category_and_a_new_category_is_none() -> None:
    values = ["b", "a", None, "new"]
    encoded = _encode("job", values, np.array([0, 1, 2]))
    assert encoded.names == ("job = a", "job = b", "job is missing")
    assert encoded.values.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_numbers_stay_as_they_are() -> None:
    encoded = _encode("age", [3, None, 1.5], np.array([0, 1]))
    assert encoded.names == ("age",)
    np.testing.assert_array_equal(encoded.values, [[3], [np.nan], [1.5]])


def test_only_the_published_protocol_learns_from_test_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change every test row: what is learned from the training rows stays the same under `fold`, and only there."""
    data = folds.load("wine")
    _, test = next(iter(paper_folds(len(data.y))))
    before = {protocol: bit_inputs("wine", 0, protocol) for protocol in ("fold", "published")}
    changed = {name: data.X[name].to_numpy().copy() for name in data.X.column_names}
    for column in changed.values():
        column[test] = column[test][::-1] * 3.0 + 7.0
    table = type(data.X).from_pydict(changed)
    monkeypatch.setattr(folds, "load", lambda name: type(data)(name, table, data.y, data.target, "", ""))
    after = {protocol: bit_inputs("wine", 0, protocol) for protocol in ("fold", "published")}
    assert before["fold"].names == after["fold"].names
    assert (before["fold"].train == after["fold"].train).all()
    assert before["published"].names != after["published"].names


def test_plain_inputs_of_numbers_are_the_rows_themselves() -> None:
    inputs = plain_inputs("wine", 0, "fold")
    assert inputs.train.shape == (142, 13)
    assert inputs.test.shape == (36, 13)
    assert len(inputs.names) == 13


def test_scores_leave_rare_classes_out_where_they_say_so() -> None:
    y_train = np.array(["a"] * 9 + ["b"] * 8 + ["rare"] * 2)
    y = np.array(["a", "a", "b", "b", "rare"])
    found = scores(y, np.array(["a", "a", "b", "b", "b"]), y_train)
    assert found["accuracy"] == 0.8
    assert found["f1"] == pytest.approx((1 + 0.8 + 0) / 3)
    assert found["f1_common"] == pytest.approx((1 + 0.8) / 2)


def some_rows(seed: int, fractions: bool) -> Examples:
    """Few different rows, so that many are equal; weights from 0 to 3."""
    rng = np.random.default_rng(seed)
    weight = rng.random(40) * 3 if fractions else rng.integers(0, 4, 40)
    weight[0] = 1
    return Examples.of(rng.random((40, 3)) < 0.5, rng.integers(0, 2, 40), weight.astype(float))


@given(st.integers(0, 999), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans())
def test_a_split_loses_no_row_and_takes_its_share_of_each_class(seed: int, fraction: float, fractions: bool) -> None:
    rows = canonical(some_rows(seed, fractions))
    training, validation = split(rows, fraction, np.random.default_rng(seed))
    merged = joined(training, validation)
    assert np.array_equal(merged.bits, rows.bits)
    np.testing.assert_allclose(merged.weight, rows.weight)
    for label in (0, 1):
        sizes = [
            part.weight[part.target == label].sum() if not fractions else np.sum(part.target == label)
            for part in (rows, validation)
        ]
        assert sizes[1] == np.floor(sizes[0] * fraction + 1e-9)


def test_equal_rows_go_to_both_sides() -> None:
    """Two kinds of rows, 50 of each: were equal rows kept together, training would never see one kind."""
    rows = Examples.of(np.array([[True], [False]]), np.array([0, 1]), np.array([50.0, 50.0]))
    training, validation = split(rows, 0.2, np.random.default_rng(0))
    assert training.weight.tolist() == [40, 40]
    assert validation.weight.tolist() == [10, 10]


@pytest.mark.parametrize("seed", range(5))
def test_a_class_too_small_for_a_split_stays_in_training(seed: int) -> None:
    rows = Examples.of(np.eye(9, dtype=bool), np.array([0] * 5 + [1] * 4), np.ones(9))
    training, validation = split(rows, 0.2, np.random.default_rng(seed))
    assert np.bincount(training.target).tolist() == [4, 4]
    assert validation.target.tolist() == [0]
