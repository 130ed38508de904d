"""A GPU answers as the CPU does, bit by bit: in Triton's interpreter where there is none, else on the device."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any
from unittest.mock import patch
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu:0"
if DEVICE == "cpu:0":
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="triton is not installed: pip install 'conceptrules[gpu]'")

from conceptrules.kernels.search import card as questions
from conceptrules.kernels.search import gpu
from conceptrules.kernels.search.coverage import confusion_of, count_rules_of, gains_of, look_alone, look_from, toggle
from conceptrules.kernels.search.gpu import RowsOnCard
from conceptrules.kernels.search.histograms import scan
from conceptrules.kernels.search.local_search import search
from conceptrules.kernels.search.scores import F1_MACRO, slopes_of
from conceptrules.kernels.search.values import Columns, Limits, Rows, empty_rules
from conceptrules.learn.search.merged_rows import in_grains, rows_of
from conceptrules.learn.search.regularization_path import Path
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.model.errors import InputError
from tests.kernels.search.test_growth import grown
from tests.strategies_search import columns_of, limits, seeded, some_columns, some_rows, some_rules


def some_case(rng: np.random.Generator, most: int, classes: int = 4) -> tuple[Columns, Rows]:
    columns = some_columns(rng)
    return columns, in_grains(some_rows(rng, columns, int(rng.integers(2, classes + 1)), int(rng.integers(1, most))))


class Place:
    """Where a search stands, on rows here or on a card."""

    def __init__(self, rows: Rows, columns: Columns) -> None:
        size, self.classes = rows.mass.shape
        self.rows, self.columns = rows, columns
        self.counts, self.confusion = np.zeros((self.classes, size), np.int16), np.zeros((self.classes,) * 2)
        self.open, self.otherwise = np.ones(size, np.bool_), np.zeros(size, np.int64)
        self.gain, self.active = np.zeros(size), np.zeros(size, np.int64)

    def answers(self, seed: int) -> list[Any]:
        """Return what the questions of a search lead to."""
        rng, rows, columns, classes = np.random.default_rng(seed), self.rows, self.columns, self.classes
        rules, found = some_rules(rng, columns, classes, 5), []
        order, default, c = rng.permutation(classes), int(rng.integers(classes)), int(rng.integers(classes))
        count_rules_of(rows, rules, 4, self.counts)
        confusion_of(rows, self.counts, order, default, self.confusion, np.zeros(0))
        found.append(self.confusion.copy())
        if rng.random() < 0.8:
            look_from(rows, self.counts, order, default, c, self.open, self.otherwise)
        else:
            look_alone(rows, order, default, c, self.open, self.otherwise)
        mine = (rules.column[4], rules.allowed[4], rules.length[4])
        for more in (1, 1, -1, -1):
            toggle(
                rows, *mine, more, self.counts[c], self.open, self.otherwise, c, self.confusion, np.zeros(0)
            )  # fmt: skip
            found.append(self.confusion.copy())
        slopes, care, hope = rng.normal(size=(classes, classes)), float(rng.choice([1, 4])), int(rng.integers(2))
        found.append(
            gains_of(
                rows, self.open, self.otherwise, self.counts[c], c, slopes, care, hope, np.zeros(0),
                self.gain, self.active,
            )
        )  # fmt: skip
        listed = int(found[-1][0])
        if rows.card.call:
            questions.fetch_gains(rows.card, self.gain, self.active)
        found += [self.active[:listed].copy(), self.gain[self.active[:listed]]]
        inside, beside = np.zeros(columns.start[-1]), np.zeros(columns.start[-1])
        total = scan(rows, columns, self.active, listed, self.gain, *mine[:2], mine[2], inside, beside)
        gain = np.zeros(len(self.gain))
        gain[self.active[:listed]] = self.gain[self.active[:listed]]
        return [*found, total, inside, beside, *grown(rows, columns, gain), *grown(rows, columns, gain, seed_row=0)]


@settings(max_examples=8)
@given(seeded(), st.sampled_from([None, 32]))
def test_the_answers_are_the_same(rng: np.random.Generator, block: int | None) -> None:
    """With as many rows in a program as there are, and with few: a histogram is then made of pieces."""
    columns, rows = some_case(rng, 300 if DEVICE == "cpu:0" else 5000, classes=8)
    with patch.object(gpu, "rows_of_a_program", (lambda *_: block) if block else gpu.rows_of_a_program):
        card, seed = RowsOnCard(rows, columns, DEVICE), int(rng.integers(2**32))
        here, there = (Place(one, columns).answers(seed) for one in (rows, rows._replace(card=card.card)))
    card.check()
    for mine, other in zip(here, there, strict=True):
        assert np.array_equal(mine, other)


def searched(rows: Rows, columns: Columns, some_limits: Limits) -> list[Any]:
    rules, order, state = empty_rules(some_limits.rules), np.arange(rows.mass.shape[1]), np.array([7], np.uint64)
    return [*search(rows, columns, some_limits, rules, 0, order, 0, state), *rules, order, state]


def test_the_whole_search_is_the_same() -> None:
    """With exchanges, for which the counts of a class are kept and come back."""
    columns, rows = some_case(np.random.default_rng(1), 60)
    card, few = RowsOnCard(rows, columns, DEVICE), limits(penalty=0.02, rules=3, sweeps=2, regrow=1)
    found = [searched(one, columns, few) for one in (rows, rows._replace(card=card.card))]
    card.check()
    for here, there in zip(*found, strict=True):
        assert np.array_equal(here, there)


@pytest.mark.parametrize("rare", [1, 100, 1000])
def test_sums_are_the_same_in_any_order(rare: int) -> None:
    """Even where a class has one row, which is worth as much as thousands of others."""
    rng = np.random.default_rng(rare)
    columns, mass = columns_of([9], 1), np.eye(2)[(np.arange(20_000) < rare).astype(int)]
    rows = in_grains(
        rows_of(rng.integers(0, 9, (len(mass), 1)).astype(np.uint8), mass * (rng.random((len(mass), 1)) + 1))
    )
    place, slopes = Place(rows, columns), np.zeros((2, 2))
    slopes_of(np.diag(rows.mass.sum(axis=0)), F1_MACRO, slopes)
    listed, _ = gains_of(
        rows, place.open, place.otherwise, place.counts[1], 1, slopes, 20.0, 0, np.zeros(0), place.gain, place.active
    )
    gain = place.gain[place.active[:listed]]
    whole = [Fraction(number) for number in gain.tolist()]
    assert np.cumsum(gain)[-1] == np.cumsum(gain[rng.permutation(listed)])[-1] == sum(whole)
    assert np.array_equal(np.cumsum(rows.mass, axis=0)[-1], np.cumsum(rows.mass[::-1], axis=0)[-1])


@pytest.mark.parametrize("scoring", ["f1_macro", "accuracy", "neg_log_loss"])
@pytest.mark.parametrize("question", [questions.SCAN, questions.ANSWERS])
def test_what_goes_wrong_on_a_card_ends_the_search_and_is_told(scoring: str, question: int) -> None:
    columns, rows = some_case(np.random.default_rng(1), 60)
    path = Path(rows, columns, SearchSettings(effort="fast", scoring=scoring), 1 / rows.mass.sum(), 0, device=DEVICE)

    def fails() -> None:
        raise RuntimeError("the card has gone")

    assert path._on_card is not None
    path._on_card._graphs[question] = fails
    with pytest.raises(RuntimeError, match="the card has gone"):
        [path.at(penalty) for penalty in (20.0, 10.0, 5.0)]


def test_a_card_without_enough_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(gpu, "RowsOnCard", full)
    columns, rows = some_case(np.random.default_rng(1), 60)
    with pytest.raises(InputError, match="cuda has too little memory for the rows that are searched; use device='cpu'"):
        gpu.on_card(rows, columns, "cuda")


def test_rows_leave_the_card_with_the_search() -> None:
    """At once, not when Python next looks for cycles."""
    columns, rows = some_case(np.random.default_rng(1), 60)
    card = RowsOnCard(rows, columns, DEVICE)
    card._graphs = {}  # those of the interpreter are no graphs, and hold the rows
    gone = ref(card)
    del card
    assert gone() is None
