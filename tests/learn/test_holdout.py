"""Which rows both learners hold out: equal rows, groups and moments are never on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.binarize import Binarizer
from conceptrules.learn.mllp.training_data import hold_out, read_training_data
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import make_task
from tests.learn.tasks import code_in_memory, fit_options
from tests.strategies_search import seeded

Sides = list[tuple[Counter[Any], Counter[Any]]]


Read = tuple[pd.DataFrame, Any, dict[str, Any]]


def read(X: pd.DataFrame, y: Any, **more: Any) -> Read:
    return X, y, more


def of_the_search(data: Read, seed: int) -> Sides:
    """The weight of each row, as codes and class, on the sides of each fold."""
    X, y, more = data
    binarizer = Binarizer(dict.fromkeys(X, "category"), 255, "thresholds", 254)
    options = fit_options(SearchSettings(), binarizer=binarizer, rng=np.random.default_rng(seed))
    task = make_task(code_in_memory(X, y, options, **more), options)

    def counted(rows: Any) -> Counter[Any]:
        return Counter(
            {(codes.tobytes(), c): mass[c] for codes, mass in zip(*rows[:2], strict=True) for c in np.flatnonzero(mass)}
        )

    return [(counted(fold.training), counted(fold.held_out)) for fold in task.folds]


def of_the_mllp(data: Read, seed: int) -> Sides:
    X, y, more = data
    read_data = read_training_data(X, y, Binarizer(kinds=dict.fromkeys(X, "category")), None, None, **more)
    found = hold_out(read_data, None, None, fraction=0.2, rng=np.random.default_rng(seed))

    def counted(rows: Any) -> Counter[Any]:
        return Counter(dict(zip(zip(map(bytes, rows.packed), rows.target, strict=True), rows.weight, strict=True)))

    return [(counted(found.training), counted(found.validation))]


LEARNERS = pytest.mark.parametrize("sides", [of_the_search, of_the_mllp])


@LEARNERS
@settings(max_examples=30)
@given(seeded(), st.integers(0, 9))
def test_equal_rows_are_held_out_together(
    sides: Callable[[Any, int], Sides], rng: np.random.Generator, seed: int
) -> None:
    """Each row of a class that is not the only one of it is there one to three times.

    With two such columns, there are many more combinations than rows, so that equal rows are copies.
    """
    rows = np.repeat(np.arange(40), np.r_[2, rng.integers(1, 4, 39)])
    data = read(pd.DataFrame({"row": rows.astype(str), "same": rows.astype(str)}), (rows % 2).astype(str))
    for training, held in sides(data, seed):
        assert held
        assert not training.keys() & held.keys()
        assert sum(training.values()) + sum(held.values()) == len(rows)
        assert {c for _, c in held} == {0, 1}


@LEARNERS
@settings(max_examples=30)
@given(seeded(), st.integers(0, 9), st.integers(2, 12))
def test_groups_are_held_out_together(
    sides: Callable[[Any, int], Sides], rng: np.random.Generator, seed: int, groups: int
) -> None:
    group = np.r_[np.arange(groups), rng.integers(0, groups, 60)]
    y = np.concatenate([["a", "b"], rng.choice(["a", "b"], len(group) - 2)])
    data = read(pd.DataFrame({"group": group.astype(str)}), y, groups=group)
    for training, held in sides(data, seed):
        assert held
        assert training
        assert not {row for row, _ in training} & {row for row, _ in held}
        assert sum(training.values()) + sum(held.values()) == len(group)


@LEARNERS
def test_time_gives_a_single_split(sides: Callable[[Any, int], Sides]) -> None:
    day = np.random.default_rng(0).permutation(50)
    data = read(pd.DataFrame({"late": (day >= 40).astype(str)}), np.where(day % 2, "a", "b"), time=day)
    ((training, held),) = sides(data, 0)
    assert not {row for row, _ in training} & {row for row, _ in held}
    assert (sum(training.values()), sum(held.values())) == (40, 10)
