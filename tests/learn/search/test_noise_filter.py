"""The second opinion of trees: of what they are asked, what they know, and that held-out rows decide who is right."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conceptrules.learn.examples import Examples
from conceptrules.learn.search import noise_filter
from conceptrules.learn.search import regularization_path as searching
from conceptrules.learn.search.ablation import Ablation
from conceptrules.learn.search.noise_filter import agreed, asked
from conceptrules.learn.search.problem import EFFORTS, Problem
from tests.learn.search.test_regularization_path import QUICK, found_for, problem_of, written

TAUGHT = replace(QUICK, noise_filter=True)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small tables too."""
    monkeypatch.setattr(noise_filter, "_ROWS", 100)


def table(rows: int = 600, chance: float = 0.15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Different rows of twelve bits, the class that two rules say, and which rows have the other class by chance."""
    rng = np.random.default_rng(0)
    bits = (rng.choice(4096, rows, replace=False)[:, None] >> np.arange(12) & 1).astype(bool)
    return bits, (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3]), rng.random(rows) < chance


def problem(**given: Any) -> Problem:
    bits, says, turned = table()
    return problem_of(bits, says ^ turned, **{"effort": TAUGHT} | given)


def by_rule(examples: Examples) -> np.ndarray:
    bits = examples.bits.astype(bool)
    return (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])


def test_rows_that_have_their_class_by_chance_are_left_out():
    given = problem()
    kept = agreed(given, given.examples)
    before, after = ((by_rule(one) != one.target).mean() for one in (given.examples, kept))
    assert before > 0.1
    assert after < before / 4
    assert len(kept) > 0.75 * len(given.examples)


def test_of_equal_rows_the_class_that_most_of_them_have_stays():
    """A row for ninety and one for ten: who learned from one of them alone would say its class of the other."""
    bits, says, _ = table()
    both, target = np.concatenate([bits, bits]), np.concatenate([says, ~says])
    given = problem_of(both, target, np.repeat([90.0, 10.0], 600), effort=TAUGHT)
    kept = agreed(given, given.examples)
    assert kept.weight[by_rule(kept) == kept.target].sum() > 0.95 * 90 * 600
    assert kept.weight[by_rule(kept) != kept.target].sum() < 0.05 * 10 * 600


def test_trees_do_not_know_the_rows_that_they_are_asked_about():
    """Of classes that are nothing but chance, who had seen them would know nearly all."""
    bits, _, _ = table(1000)
    given = problem_of(bits, np.random.default_rng(1).random(1000) < 0.5, effort=TAUGHT, scoring="accuracy")
    assert 0.4 < len(agreed(given, given.examples)) / 1000 < 0.6


def test_a_rare_class_is_answered_where_the_score_asks_for_it():
    """With macro-F1, its rows are worth more: fewer of them are left out than if only accuracy counts."""
    bits, _, _ = table(1500)
    rare = np.random.default_rng(2).random(1500) < np.where(bits[:, 0] & bits[:, 1], 0.4, 0.02)
    kept = {
        scoring: int(agreed(one, one.examples).target.sum())
        for scoring in ("f1_macro", "accuracy")
        for one in [problem_of(bits, rare, effort=TAUGHT, scoring=scoring)]
    }
    assert kept["f1_macro"] > 1.5 * kept["accuracy"]


@pytest.mark.parametrize(
    "change",
    [
        {"effort": QUICK},
        {"effort": EFFORTS["fast"]},
        {"ablation": Ablation(noise_filter=False)},
        {"class_weight": np.array([1.0, 0.0])},
    ],
)
def test_who_is_not_asked_about(change):
    assert asked(problem())
    assert not asked(problem(**change))


def test_tables_of_three_classes_are_not_asked_about(monkeypatch):
    bits, says, _ = table()
    given = problem_of(bits, says.astype(int) + bits[:, 4], effort=TAUGHT)
    assert not asked(given)
    monkeypatch.setattr(noise_filter, "_CLASSES", 3)
    assert asked(given)


def test_small_tables_and_classes_of_a_few_rows_are_not_asked_about(monkeypatch):
    bits, _, _ = table()
    monkeypatch.setattr(noise_filter, "_ROWS", 601)
    assert not asked(problem())
    monkeypatch.setattr(noise_filter, "_ROWS", 100)
    few = np.zeros(600, np.int64)
    few[:4] = 1
    given = problem_of(bits, few, effort=TAUGHT)
    assert not asked(given)
    assert len(agreed(given, given.examples)) == 600


def test_a_class_on_which_trees_never_agree_stays(monkeypatch):
    monkeypatch.setattr(noise_filter, "_decided", lambda shares, own, problem: np.zeros(len(own), np.int64))
    given = problem()
    assert len(agreed(given, given.examples)) == len(given.examples)


def test_columns_have_their_order_again():
    """Pairs of thresholds, then categories: one number for each value."""
    values, cuts = np.array([5, 1, 3, 2, 4, 1]), (1.5, 2.5, 3.5, 4.5)
    words = np.array(["b", "a", "c", "a", "b", "c"])
    bits = np.column_stack(
        [test for cut in cuts for test in (values <= cut, values > cut)] + [words == word for word in "abc"]
    )
    columns = np.array([0] * 8 + [1] * 3)
    codes = noise_filter._codes(Examples.of(bits, np.zeros(6, np.int64), np.ones(6)), columns)
    assert codes.shape == (6, 2)
    assert codes[:, 0].tolist() == (5 - values).tolist() or codes[:, 0].tolist() == (values - 1).tolist()
    assert len(set(codes[:, 1])) == len(set(zip(words, codes[:, 1], strict=True))) == 3


def test_every_part_has_its_share_of_every_class():
    bits, _, _ = table(110)
    own = Examples.of(bits, np.repeat([0, 1], [93, 17]), np.ones(110))
    counts = np.array([np.bincount(own.target[noise_filter._parts(own, 5) == k]) for k in range(5)])
    assert (np.ptp(counts, axis=0) <= 1).all()


def agree(monkeypatch: pytest.MonkeyPatch, with_rules: bool) -> None:
    """Trees that agree with the rules of the table, or else with nothing but what is chance."""

    def rows(given: Problem, examples: Examples) -> Examples:
        return examples.weighted(examples.weight * ((by_rule(examples) == examples.target) == with_rules))

    monkeypatch.setattr(searching, "agreed", rows)


def test_networks_learn_from_the_rows_that_trees_agree_with_where_that_is_better(monkeypatch):
    agree(monkeypatch, with_rules=True)
    bits, says, turned = table(chance=0.35)
    found = found_for(problem_of(bits, says ^ turned, effort=TAUGHT))
    assert {len(net.rows.target) for _, net in found.nets} == {600 - int(turned.sum())}


def test_held_out_rows_refuse_what_does_not_help(monkeypatch):
    agree(monkeypatch, with_rules=False)
    assert written(found_for(problem())) == written(found_for(problem(ablation=Ablation(noise_filter=False))))


def test_the_pool_changes_nothing():
    first = written(found_for(problem()))
    with ThreadPoolExecutor(2) as pool:
        assert written(found_for(problem(), pool)) == first
