"""From rows to a Pareto front: what is found, and what it does not depend on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conceptrules import datasets
from conceptrules.learn.choose import Trial
from conceptrules.learn.search.search import SearchResult
from conceptrules.learn.search.settings import SearchSettings
from tests.learn.tasks import learn


def learned(
    X: Any, y: Any, threads: int = 1, weight: Any = None, watch: Any = lambda trial: None, **settings: Any
) -> SearchResult:
    limits = SearchSettings(**{"effort": "fast", **settings})
    return learn(X, y, limits, watch, sample_weight=weight, threads=threads)


def made(rows: int = 240, seed: int = 0) -> tuple[list[list[Any]], list[str]]:
    rng = np.random.default_rng(seed)
    numbers, words = rng.normal(size=(rows, 2)).round(1), rng.choice(list("uvw"), rows)
    X = [[*pair.tolist(), str(word)] for pair, word in zip(numbers, words, strict=True)]
    return X, ["a" if row[0] > 0.5 and row[2] != "u" else "b" if row[1] > 0 else "c" for row in X]


def test_the_game_is_learned() -> None:
    game = datasets.load("tic-tac-toe")
    found = learned(game.X, game.y)
    network = found.networks[found.chosen].network
    assert network.edges <= 40
    assert np.mean(network.predict(game.X) == np.asarray(game.y)) > 0.98


def test_the_front_is_sorted_and_says_what_was_tried() -> None:
    found = learned(*made())
    edges, scores = [one.edges for one in found.networks], [one.score for one in found.networks]
    assert edges == sorted(edges)
    assert scores == sorted(scores)
    assert all(isinstance(trial, Trial) for trial in found.history)
    assert found.networks[found.chosen].trial in found.history
    assert not found.interrupted


def test_the_path_ends_where_lower_penalties_gain_nothing() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((5000, 4))
    found = learned(X, (X[:, 0] > 0.5) ^ (rng.random(5000) < 0.1))
    assert max(trial.edges for trial in found.history) < 20  # at the next penalty, hundreds of them fit the noise


def test_neither_threads_nor_the_order_of_rows_nor_repeats_leave_a_trace() -> None:
    X, y = made()
    shuffled = np.random.default_rng(1).permutation(len(X))
    first = learned(X, y)
    others = [
        learned(X, y, threads=2),
        learned([X[k] for k in shuffled], [y[k] for k in shuffled]),
        learned(X + X, y + y, max_edges=None),
    ]
    doubled = learned(X, y, weight=[2] * len(X))
    for other in others[:2]:
        assert other.history == first.history
        assert other.networks[other.chosen].network == first.networks[first.chosen].network
    # Equal rows are never on both sides of a split, so that a table twice over is no better than it is.
    assert others[2].history == doubled.history
    assert others[2].networks[others[2].chosen].score == pytest.approx(doubled.networks[doubled.chosen].score)


@pytest.mark.parametrize("limit", [{"max_edges": 6}, {"max_rules": 2}, {"max_rule_length": 1}])
def test_budgets_are_kept_exactly(limit: dict[str, int]) -> None:
    settings = SearchSettings(effort="fast", **limit)
    for one in learned(*made(), **limit).networks:
        assert settings.allows(one.network)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "neg_log_loss"])
def test_every_score_can_be_asked_for(scoring: str) -> None:
    X, y = made()
    found = learned(X, y, scoring=scoring)
    assert np.mean(found.networks[found.chosen].network.predict(X) == np.asarray(y)) > 0.8


@pytest.mark.parametrize(("effort", "augmented"), [("fast", False), ("default", True)])
def test_a_forest_is_asked_by_default(effort: str, augmented: bool) -> None:
    history = learned(*made(120), effort=effort).history
    assert {trial.augmented for trial in history} == {augmented}


@pytest.mark.parametrize(("effort", "rows", "copies"), [("fast", 200, 1), ("fast", 200, 10), ("default", 100, 1)])
def test_noise_gives_no_rules(effort: str, rows: int, copies: int) -> None:
    """Copies of its rows are no more evidence for any."""
    with_rules = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(rows, 5)), rng.integers(0, 2, rows)
        found = learned(np.repeat(X, copies, axis=0), np.repeat(y, copies), effort=effort)
        assert found.history[0].chance >= 0.5
        with_rules += found.networks[found.chosen].edges > 0
    assert with_rules <= 1


def test_a_table_too_small_to_tell_says_so() -> None:
    X = [["yes", 1], ["yes", 2], ["no", 3], ["no", 4]]
    found = learned(X, ["a", "a", "b", "b"])
    assert found.too_few_rows
    assert not found.networks[found.chosen].edges
    assert not learned(*made()).too_few_rows


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("classes", ["A", "AB"])
def test_a_column_of_few_categories_is_learned(effort: str, classes: str) -> None:
    """Its rows are equal by chance, and no copies of one, so that those of a category are on both sides of a split."""
    values = np.random.default_rng(0).permutation(np.repeat(list("ABCDEF"), 50))
    found = learned(values[:, None], np.isin(values, list(classes)), effort=effort)
    chosen = found.networks[found.chosen]
    assert (chosen.edges, chosen.score) == (1 + len(classes), 1.0)
    assert found.networks[0].score < 0.5


def test_the_smallest_network_that_is_as_good_is_chosen() -> None:
    """One column says nearly all; a fifth of the labels are noise, which a large network would learn by heart."""
    edges = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 8))
        y = (X[:, 0] > 0) ^ (rng.random(600) < 0.2)
        found = learned(X, y, effort="default")
        edges.append(found.networks[found.chosen].edges)
    assert sorted(edges)[2] <= 4
    assert max(edges) <= 12


def test_noise_of_many_classes_gives_no_rules() -> None:
    rng = np.random.default_rng(0)
    found = learned(rng.normal(size=(400, 8)), rng.integers(0, 20, 400))
    assert found.networks[found.chosen].edges == 0


@pytest.mark.filterwarnings("ignore:y has 60 classes")
def test_no_penalty_is_tried_at_which_very_many_classes_have_no_rules() -> None:
    """Each of them takes as long as one that leads to something; with fewer classes all are tried."""
    code = np.arange(600)
    X = np.c_[code % 60, code % 7]
    many, few = learned(X, code % 60), learned(X, code % 60 // 2)
    assert [trial.penalty for trial in many.history[:3]] == [480.0, 240.0, 5.0]
    assert [trial.penalty for trial in few.history[:3]] == [480.0, 240.0, 96.0]
    assert all(trial.edges == 0 for trial in few.history if 24 < trial.penalty < 240)
    assert min(many.networks[many.chosen].score, few.networks[few.chosen].score) > 0.99


def test_a_noisy_table_twice_over_is_no_easier_to_foresee() -> None:
    """Rows that are there twice stay on one side of a split, so that nothing is foreseen by heart."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = np.where(rng.random(200) < 0.3, rng.integers(0, 2, 200), X[:, 0] > 0).astype(int)
    once, twice = learned(X, y), learned(np.vstack([X, X]), np.concatenate([y, y]))
    best = [max(trial.score for trial in found.history) for found in (once, twice)]
    assert best[1] < best[0] + 0.05
    assert twice.networks[twice.chosen].edges < 30


def test_the_path_begins_with_no_rules_and_one_literal() -> None:
    history = learned(*made()).history
    assert [trial.edges for trial in history[:2]] == [0.0, 2.0]


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def stop(trial: Trial) -> None:
        if trial.penalty < 30:
            raise KeyboardInterrupt

    found = learned(*made(), watch=stop)
    assert found.interrupted
    assert found.networks


@pytest.mark.filterwarnings("ignore::conceptrules.model.errors.ConceptRulesWarning")
@pytest.mark.parametrize("effort", ["fast", "default"])
def test_trees_are_not_asked_about_classes_of_one_row_over_and_over(effort: str) -> None:
    """scikit-learn warns of them, and warnings fail the tests."""
    X = np.repeat(np.arange(30.0), 4)[:, None]
    assert not any(trial.augmented for trial in learned(X, X[:, 0].astype(int), effort=effort).history)
