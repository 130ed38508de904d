"""Starts that descent finds: what they may use, and that they never make a network worse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.learn.mllp.cpu_engine import CallingThread
from conceptrules.learn.search import descent_starts as module
from conceptrules.learn.search import starts
from conceptrules.learn.search.ablation import Ablation
from conceptrules.learn.search.descent_starts import descended
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import objective, within
from conceptrules.learn.search.problem import Problem
from conceptrules.learn.search.starts import RowsWithStarts, _terms, networks, rows_with_starts
from tests.learn.search.test_regularization_path import QUICK, found_for, noisy, problem_of
from tests.strategies_search import longest, seeded


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps, and roots for small tables too."""
    monkeypatch.setattr(module, "HYPERPARAMETERS", replace(module.HYPERPARAMETERS, max_epochs=60, epoch_steps=20))
    monkeypatch.setattr(module, "RULES_OF_A_CLASS", 4)
    monkeypatch.setattr(starts, "_SMALL", 0)


def written(net: MutableNetwork) -> Any:
    return [[chosen.tolist() for chosen in layer] for layer in net.layers], net.order, net.default


def problem_with_roots(rng: np.random.Generator, **given: Any) -> Problem:
    return problem_of(*noisy(rng, 200, 5, 2), effort=replace(QUICK, descent=True), **given)


def roots_of(problem: Problem) -> list[MutableNetwork]:
    return descended(problem.rows(problem.examples), problem.literals, problem.ablation.priority, problem.seed)


@settings(max_examples=5)
@given(seeded())
def test_roots_use_allowed_literals_in_rules_that_some_class_has(rng):
    allowed = rng.random(10) < 0.7
    allowed[0] = True
    roots = roots_of(problem_with_roots(rng, literals=allowed))
    assert len(roots) == len(module.HYPERPARAMETERS.binarization_rate)
    for root in roots:
        rules, classes = root.layers
        assert all(len(rule) and allowed[rule].all() for rule in rules)
        assert sorted({int(rule) for chosen in classes for rule in chosen}) == list(range(len(rules)))


def test_roots_are_found_at_all_and_depend_on_the_seed_alone():
    problem = problem_with_roots(np.random.default_rng(0))
    first = [written(root) for root in roots_of(problem)]
    assert any(rules for (rules, _), _, _ in first)
    assert [written(root) for root in roots_of(problem)] == first
    assert [written(root) for root in roots_of(replace(problem, seed=1))] != first


@settings(max_examples=5)
@given(seeded(), st.sampled_from([1, 3]), st.sampled_from([0.3, 2.0, 10.0]))
def test_roots_never_make_a_network_worse_on_its_rows(rng, members, penalty):
    problem = problem_with_roots(rng)
    (ground,) = rows_with_starts(problem, [problem.rows(problem.examples)], CallingThread())
    assert ground.roots
    terms = _terms(problem, ground.rows, penalty)
    (grown,) = networks(problem, [(RowsWithStarts(ground.rows, []), penalty, 1)], CallingThread())
    (best,) = networks(problem, [(ground, penalty, 1)], CallingThread())
    assert objective(best, terms) >= objective(grown, terms)
    with ThreadPoolExecutor(2) as pool:
        there, here = (networks(problem, [(ground, penalty, members)], where)[0] for where in (pool, CallingThread()))
    assert written(there) == written(here)


def test_improving_leaves_the_roots_as_they_are():
    problem = problem_with_roots(np.random.default_rng(2))
    (ground,) = rows_with_starts(problem, [problem.rows(problem.examples)], CallingThread())
    before = [written(root) for root in ground.roots]
    networks(problem, [(ground, 2.0, 1), (ground, 0.3, 3)], CallingThread())
    assert [written(root) for root in ground.roots] == before


@settings(max_examples=5)
@given(seeded(), st.integers(1, 12), st.integers(1, 4), st.integers(1, 3))
def test_budgets_are_kept_with_roots_too(rng, edges, rules, length):
    for budget in ({"most_edges": edges}, {"most_rules": rules}, {"most_edges": edges, "longest": length}):
        for _, net in found_for(problem_with_roots(rng, **budget)).nets:
            assert net.edges <= budget.get("most_edges", net.edges)
            assert net.rules <= budget.get("most_rules", net.rules)
            assert longest(net) <= budget.get("longest", longest(net))


def test_a_network_over_the_budget_is_not_within_it():
    problem = problem_with_roots(np.random.default_rng(3))
    rows = problem.rows(problem.examples)
    terms = _terms(problem, rows, 1.0)
    rule, both = np.array([0, 1]), [np.array([0]), np.array([0])]
    net = MutableNetwork(rows, [[rule], both], [0, 1], 0)
    assert within(net, terms)
    assert within(net, replace(terms, edges=4, rules=1, longest=2))
    for less in ({"edges": 3}, {"rules": 0}, {"longest": 1}):
        assert not within(net, replace(terms, **less))


@pytest.mark.parametrize("left_out", [{"effort": QUICK}, {"ablation": Ablation(descent=False)}, {"classes": 4}])
def test_there_are_no_roots_where_they_are_not_wanted(left_out: dict[str, Any]) -> None:
    problem = problem_of(
        *noisy(np.random.default_rng(4), 200, 5, 2), **{"effort": replace(QUICK, descent=True)} | left_out
    )
    (ground,) = rows_with_starts(problem, [problem.rows(problem.examples)], CallingThread())
    assert not ground.roots


def test_small_tables_have_no_roots(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_with_roots(np.random.default_rng(5))
    monkeypatch.setattr(starts, "_SMALL", 201)
    (ground,) = rows_with_starts(problem, [problem.rows(problem.examples)], CallingThread())
    assert not ground.roots


def test_priorities_of_roots_are_learned_or_not():
    shares = np.array([1, 0])  # the rarer class of this table is 1
    problem = problem_with_roots(np.random.default_rng(6), ablation=Ablation(priority=False))
    counts = np.bincount(problem.examples.target, problem.examples.weight)
    assert counts[1] < counts[0]
    assert all(root.order == shares.tolist() and root.default == 0 for root in roots_of(problem))
