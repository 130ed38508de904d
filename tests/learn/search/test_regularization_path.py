"""The whole search on small tables: odd ones, budgets, seeds, pools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples, canonical
from conceptrules.learn.holdout import _held_back
from conceptrules.learn.mllp.cpu_engine import CallingThread
from conceptrules.learn.scoring import SCORES
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.problem import EFFORTS, Effort, Problem
from conceptrules.learn.search.regularization_path import (
    Found,
    Trial,
    _settled,
    number_of_splits,
    regularization_path,
    search,
)
from conceptrules.learn.search.voting import MEMBERS
from tests.strategies_search import longest, seeded

QUICK = Effort(
    1, sweeps=1, regrow=1, seeds=1, descent=False, noise_filter=False, voting=True, most_splits=2, lowest=0.15
)


def problem_of(bits: np.ndarray, target: Any, weight: Any = None, **given: Any) -> Problem:
    target = np.asarray(target, np.int64)
    rows = canonical(Examples.of(bits, target, np.ones(len(target)) if weight is None else np.asarray(weight, float)))
    classes = given.pop("classes", int(target.max()) + 1)
    usual: dict[str, Any] = {
        "class_weight": np.ones(classes),
        "scoring": "f1_macro",
        "literals": np.ones(2 * bits.shape[1], bool),
        "effort": QUICK,
        "seed": 0,
    }
    return Problem(rows, classes, **usual | given)


def found_for(problem: Problem, pool: Any = None, watched: list[Trial] | None = None) -> Found:
    rng = np.random.default_rng(problem.seed)
    held = [_held_back(problem.examples, 0.2, rng) for _ in range(number_of_splits(problem.examples, 2))]
    return search(problem, held, pool or CallingThread(), (watched if watched is not None else []).append)


def written(found: Found) -> list[Any]:
    """All of what was found, to compare."""
    return [
        (line, [[chosen.tolist() for chosen in layer] for layer in net.layers], net.order, net.default)
        for line, net in found.nets
    ] + [found.chosen, found.history]


def noisy(rng: np.random.Generator, rows: int, inputs: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    bits = rng.random((rows, inputs)) < 0.5
    return bits, (bits[:, :3] @ [1, 1, 2] + (rng.random(rows) < 0.2)) % classes


@settings(max_examples=5)
@given(seeded(), st.integers(2, 3))
def test_neither_the_pool_nor_a_second_run_changes_what_is_found(rng, classes):
    problem = problem_of(*noisy(rng, 60, 5, classes))
    first = written(found_for(problem))
    assert written(found_for(problem)) == first
    with ThreadPoolExecutor(2) as pool:
        assert written(found_for(problem, pool)) == first


def test_another_seed_may_find_something_else():
    table = noisy(np.random.default_rng(1), 80, 8, 2)
    found = {repr(written(found_for(problem_of(*table, seed=seed)))) for seed in range(4)}
    assert len(found) > 1


@settings(max_examples=8)
@given(seeded(), st.integers(2, 3), st.integers(1, 12), st.integers(1, 4), st.integers(1, 3))
def test_budgets_are_kept_by_every_network_of_the_frontier(rng, classes, edges, rules, length):
    table = noisy(rng, 60, 5, classes)
    for given_budget in ({"most_edges": edges}, {"most_rules": rules}, {"most_edges": edges, "longest": length}):
        found = found_for(problem_of(*table, **given_budget))
        for _, net in found.nets:
            assert net.edges <= given_budget.get("most_edges", net.edges)
            assert net.rules <= given_budget.get("most_rules", net.rules)
            assert longest(net) <= given_budget.get("longest", longest(net))


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", [17, 53])
def test_rules_that_count_votes_are_not_longer_than_others(seed, length):
    """Three networks that vote were chosen on these rows, with rules of four literals."""
    rng = np.random.default_rng(seed)
    bits = rng.random((200, 8)) < 0.5
    parity = (bits[:, :5] @ [1, 1, 2, 1, 1] + (rng.random(200) < 0.2)) % 2
    for _, net in found_for(problem_of(bits, parity, longest=length)).nets:
        assert longest(net) <= length


def test_a_budget_of_no_edges_leaves_the_default():
    found = found_for(problem_of(*noisy(np.random.default_rng(0), 60, 5, 2), most_edges=0))
    assert [net.edges for _, net in found.nets] == [0] * len(found.nets)


@settings(max_examples=10)
@given(seeded(), st.sampled_from(sorted(SCORES)))
def test_the_history_tells_what_was_tried_and_the_frontier_what_is_kept(rng, scoring):
    watched: list[Trial] = []
    found = found_for(problem_of(*noisy(rng, 60, 5, 2), scoring=scoring), watched=watched)
    assert watched == found.history
    # The network of one literal is not what a penalty led to.
    assert all(line in found.history or net.edges <= 2 for line, net in found.nets)
    assert any(net.edges <= 2 for _, net in found.nets)
    tried = [line.penalty for line in found.history if line.members == 1]
    assert tried == sorted(tried, reverse=True)
    assert np.isfinite([line.score for line in found.history]).all()
    assert 0 <= found.chosen < len(found.nets)


def test_networks_that_vote_are_polished_as_one_where_their_own_rows_can_tell_what_is_needed():
    """Where the vote is right on all of them, one member would do for these rows, and the vote would be gone."""
    rng = np.random.default_rng(6)
    bits = rng.random((120, 8)) < 0.5
    target = rng.random(16)[bits[:, :4] @ [1, 2, 4, 8]] < 0.5
    voting = [line for line in found_for(problem_of(bits, target)).history if line.members == MEMBERS]
    (imperfect, joint, perfect) = voting
    assert [line.joint for line in voting] == [False, True, False]
    assert (joint.penalty, perfect.training_score) == (imperfect.penalty, 1)
    assert joint.edges < imperfect.edges


@settings(max_examples=10)
@given(seeded())
def test_only_literals_that_may_be_used_are_used(rng):
    literals = rng.random(10) < 0.5
    found = found_for(problem_of(*noisy(rng, 60, 5, 2), literals=literals))
    assert all(literals[chosen].all() for _, net in found.nets for chosen in net.layers[0])


RANDOM = np.random.default_rng(0)
ODD = {
    "one row of each class": (np.array([[True, False], [False, True]]), [0, 1]),
    "one row of each of three classes": (np.eye(3, dtype=bool), [0, 1, 2]),
    "constant columns": (np.tile([True, False], (40, 1)), [0, 1] * 20),
    "no columns": (np.ones((20, 0), bool), [0, 1] * 10),
    "all rows equal": (np.ones((50, 3), bool), [0] * 30 + [1] * 20),
    "a class of a single row": (RANDOM.random((40, 4)) < 0.5, [1] + [0] * 39),
    "a third class of a single row": (RANDOM.random((41, 4)) < 0.5, [2] + [0, 1] * 20),
    "26 classes": (RANDOM.random((52, 6)) < 0.5, list(range(26)) * 2),
    "nothing helps": (RANDOM.random((60, 2)) < 0.5, RANDOM.integers(2, size=60)),
}


@pytest.mark.parametrize("scoring", sorted(SCORES))
@pytest.mark.parametrize("name", ODD)
def test_odd_tables_are_learned_without_a_crash(name, scoring):
    problem = problem_of(*ODD[name], scoring=scoring)
    found = found_for(problem)
    for line, net in found.nets:
        assert np.isfinite([line.score, line.training_score, net.score()]).all()
        alone = MutableNetwork.empty(net.rows, list(range(problem.classes)), 0)
        assert net.score() >= alone.score() - 1e-12


def test_a_table_where_nothing_helps_needs_no_rules():
    found = found_for(problem_of(np.ones((50, 3), bool), [0] * 30 + [1] * 20))
    assert found.nets[found.chosen][1].rules == 0
    assert found.nets[found.chosen][1].default == 0


def test_what_one_literal_says_is_found_with_two_edges():
    bits = RANDOM.random((60, 5)) < 0.5
    _, net = (found := found_for(problem_of(bits, bits[:, 2]))).nets[found.chosen]
    assert (net.score(), net.edges) == (1, 2)


def test_rows_without_weight_are_not_there():
    bits, target = noisy(np.random.default_rng(3), 60, 5, 2)
    weight = np.ones(60)
    weight[40:] = 0
    assert written(found_for(problem_of(bits, target, weight))) == written(
        found_for(problem_of(bits[:40], target[:40]))
    )


def test_a_class_without_weight_is_never_worth_a_rule():
    bits, target = noisy(np.random.default_rng(3), 60, 5, 3)
    found = found_for(problem_of(bits, target, class_weight=np.array([1.0, 1.0, 0.0])))
    assert all(not len(net.layers[-1][2]) for line, net in found.nets if line.members == 1)


def test_a_class_that_never_occurs_is_never_answered():
    bits, target = noisy(np.random.default_rng(3), 60, 5, 2)
    found = found_for(problem_of(bits, target, classes=3))
    assert all(net.confusion()[:, 2].sum() == 0 for _, net in found.nets)


@given(seeded(), st.integers(1, 40), st.integers(1, 4), st.sampled_from(sorted(EFFORTS)))
def test_splits_hold_rows_back_and_lose_none(rng, rows, classes, effort):
    bits, target = rng.random((rows, 3)) < 0.5, rng.integers(classes, size=rows)
    examples = canonical(Examples.of(bits, target, np.ones(rows)))
    count = number_of_splits(examples, EFFORTS[effort].most_splits)
    pairs = [_held_back(examples, 0.2, rng) for _ in range(count)]
    assert 1 <= len(pairs) <= EFFORTS[effort].most_splits
    for training, validation in pairs:
        assert len(validation)
        assert set(training.target) == set(examples.target)
        if validation is not training:
            assert training.weight.sum() + validation.weight.sum() == rows


def test_large_tables_are_split_once():
    examples = Examples.of(np.ones((100_000, 1), bool), np.arange(100_000) % 2, np.ones(100_000))
    assert number_of_splits(examples, EFFORTS["best"].most_splits) == 1


@given(st.integers(1, 10**7), st.sampled_from([effort.lowest for effort in EFFORTS.values()]))
def test_prices_fall(rows, lowest):
    found = regularization_path(rows, lowest)
    assert list(found) == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
    assert found[-1] == lowest


def test_a_fall_at_a_high_price_does_not_end_the_search() -> None:
    """Networks of a few edges are good or bad by chance."""
    tries = [Trial(penalty, 1, False, 5.0, 0.5, score) for penalty, score in ((100.0, 0.62), (40.0, 0.55))]
    two = SimpleNamespace(classes=2)
    assert not _settled(two, tries)
    assert _settled(two, [*tries, Trial(2.5, 1, False, 30.0, 0.6, 0.6)])


@settings(max_examples=5)
@given(seeded())
def test_a_parity_is_found_although_no_literal_says_anything_by_itself(rng):
    bits = np.repeat(np.array(np.meshgrid(*[[False, True]] * 4)).reshape(4, -1).T, 5, axis=0)
    one, other = rng.permutation(4)[:2]
    found = found_for(problem_of(bits, bits[:, one] ^ bits[:, other]))
    _, net = found.nets[found.chosen]
    assert net.score() == 1
    assert net.edges == 6


@settings(max_examples=5)
@given(seeded(), st.integers(1, 5), st.integers(1, 2))
def test_a_parity_does_not_break_a_budget(rng, edges, length):
    bits = rng.random((100, 4)) < 0.5
    for _, net in found_for(problem_of(bits, bits[:, 0] ^ bits[:, 1], most_edges=edges, longest=length)).nets:
        assert net.edges <= edges
        assert longest(net) <= length
