"""The search returns the score of the network that it leaves, keeps limits, and finds what no literal says alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conceptrules.kernels.search.priority import tune_priority
from conceptrules.kernels.search.search_state import SearchState, random_below
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.search.local_search import search
from conceptrules.kernels.search.scores import ACCURACY, F1_MACRO, score_of
from conceptrules.kernels.search.values import Columns, Limits, Rows, Rules, empty_rules
from conceptrules.learn.search.settings import SCORINGS
from tests.strategies_search import (
    answers_plain,
    columns_of,
    confusion_plain,
    limits,
    seeded,
    some_columns,
    some_rows,
    some_rules,
)


class Found:
    """A network that the search found, and its parts."""

    def __init__(self, rows: Rows, columns: Columns, wanted: Limits, start: Rules | None = None, seed: int = 1) -> None:
        self.rules = empty_rules(wanted.rules)
        used = 0 if start is None else len(start.owner)
        for room, part in zip(self.rules, start or (), strict=False):
            room[:used] = part
        self.order = np.argsort(rows.mass.sum(axis=0), kind="stable")
        state = np.array([seed], np.uint64)
        self.used, self.default, self.score, self.cost = search(
            rows, columns, wanted, self.rules, used, self.order, int(self.order[-1]), state
        )
        self.answers = answers_plain(rows, self.rules, self.used, self.order, self.default)

    def sizes(self) -> list[int]:
        return [int(self.rules.size[r, : self.rules.length[r]].sum()) for r in range(self.used)]


def pure(codes: Any, target: Any, classes: int = 2) -> Rows:
    target = np.asarray(target).astype(np.int64)
    return Rows(np.asarray(codes, np.uint8), np.eye(classes)[target], target)


@settings(max_examples=60)
@given(seeded(), st.sampled_from(sorted(SCORINGS)), st.sampled_from([0.0, 0.002, 0.03]), st.data())
def test_the_score_is_that_of_the_network_and_limits_are_kept(
    rng: np.random.Generator, scoring: str, penalty: float, data: st.DataObject
) -> None:
    classes, columns = data.draw(st.integers(2, 4)), some_columns(rng)
    rows = some_rows(rng, columns, classes, data.draw(st.integers(1, 60)))
    wanted = limits(
        penalty=penalty,
        scoring=SCORINGS[scoring],
        rules=data.draw(st.integers(1, 6)),
        edges=float(data.draw(st.integers(1, 15))),
        conditions=data.draw(st.integers(1, 4)),
        categories=data.draw(st.integers(1, 4)),
        negation=data.draw(st.booleans()),
    )
    found = Found(rows, columns, wanted)
    assert found.score == pytest.approx(score_of(confusion_plain(rows, found.answers), wanted.scoring))
    assert found.cost == sum(found.sizes()) + found.used <= wanted.edges
    assert found.used <= wanted.rules
    assert max(found.sizes(), default=0) <= wanted.conditions
    assert sorted(found.order.tolist()) == list(range(classes))
    alone = [score_of(confusion_plain(rows, np.full(len(rows.label), c)), wanted.scoring) for c in range(classes)]
    assert found.score - penalty * found.cost >= max(alone) - 1e-9


@settings(max_examples=40)
@given(seeded(), st.sampled_from(sorted(SCORINGS)))
def test_a_network_is_never_made_worse(rng: np.random.Generator, scoring: str) -> None:
    columns = some_columns(rng)
    rows, start = some_rows(rng, columns, 3, 40), some_rules(rng, columns, 3, 4)
    wanted = limits(penalty=0.002, scoring=SCORINGS[scoring])
    order = np.argsort(rows.mass.sum(axis=0), kind="stable")
    confusion = confusion_plain(rows, answers_plain(rows, start, 4, order, int(order[-1])))
    before = score_of(confusion, wanted.scoring) - wanted.penalty * (start.length.sum() + 4)
    found = Found(rows, columns, wanted, start)
    assert found.score - wanted.penalty * found.cost >= before - 1e-9


@given(seeded())
def test_the_same_state_gives_the_same_network(rng: np.random.Generator) -> None:
    columns = some_columns(rng)
    rows, wanted = some_rows(rng, columns, 3, 40), limits(penalty=0.002)
    one, two = (Found(rows, columns, wanted) for _ in range(2))
    assert (one.used, one.default, one.score, one.cost) == (two.used, two.default, two.score, two.cost)
    assert all(np.array_equal(a[: one.used], b[: one.used]) for a, b in zip(one.rules[:2], two.rules[:2], strict=True))
    assert np.array_equal(one.order, two.order)


@pytest.mark.parametrize("seed", range(1, 6))
def test_an_exclusive_or_is_found(seed: int) -> None:
    """No condition says anything by itself."""
    codes = np.random.default_rng(seed).integers(0, 2, (200, 4))
    rows = pure(codes, codes[:, 1] ^ codes[:, 3])
    found = Found(rows, columns_of([2] * 4, True), limits(penalty=0.001), seed=seed)
    assert (found.score, found.used, found.cost) == (1, 2, 6)


def test_noise_has_no_rules_at_a_high_penalty() -> None:
    rng = np.random.default_rng(0)
    rows = pure(rng.integers(0, 20, (300, 10)), rng.integers(0, 2, 300))
    found = Found(rows, columns_of([20] * 10, [True, False] * 5), limits(penalty=0.1, scoring=ACCURACY))
    assert (found.used, found.cost) == (0, 0)
    assert found.score == max(rows.mass.sum(axis=0)) / 300


def test_every_class_gets_its_rule() -> None:
    """The default class needs none."""
    codes = np.repeat(np.arange(5), 20)[:, None]
    found = Found(pure(codes, codes[:, 0], 5), columns_of([5], False), limits(penalty=0.001))
    assert (found.score, found.used, found.cost) == (1, 4, 8)
    assert len(set(found.rules.owner[:4].tolist()) | {found.default}) == 5


def test_no_more_rules_than_there_is_room_for() -> None:
    codes = np.repeat(np.arange(5), 20)[:, None]
    for room in (1, 2, 3):
        found = Found(pure(codes, codes[:, 0], 5), columns_of([5], False), limits(penalty=0.001, rules=room))
        assert found.used == room


@given(seeded(), st.sampled_from(sorted(SCORINGS)))
def test_priority_and_default_are_only_changed_for_a_better_score(rng: np.random.Generator, scoring: str) -> None:
    columns = some_columns(rng)
    rows, rules = some_rows(rng, columns, 4, 30), some_rules(rng, columns, 4, 6)
    order, number = rng.permutation(4), SCORINGS[scoring]
    before = score_of(confusion_plain(rows, answers_plain(rows, rules, 6, order, 0)), number)
    state = SearchState(rows, columns, limits(scoring=number), rules, 6, order, 0, np.array([1], np.uint64))
    score = tune_priority(state)
    wanted = confusion_plain(rows, answers_plain(rows, rules, 6, order, state.default))
    assert score == pytest.approx(score_of(wanted, number))
    assert score >= before - 1e-12


@given(st.integers(1, 2**64 - 1), st.integers(1, 1000))
def test_chance_stays_below(seed: int, size: int) -> None:
    state = np.array([seed], np.uint64)
    assert all(0 <= random_below(state, size) < size for _ in range(20))


def test_chance_is_fair() -> None:
    state = np.array([1], np.uint64)
    counts = np.bincount([random_below(state, 10) for _ in range(10_000)])
    assert counts.min() > 850
    assert counts.max() < 1150


def test_a_class_that_never_occurs_is_never_answered() -> None:
    codes = np.arange(40)[:, None] % 4
    found = Found(pure(codes, codes[:, 0] > 1, 3), columns_of([4], True), limits(scoring=F1_MACRO, penalty=0.001))
    assert set(found.answers.tolist()) == {0, 1}
