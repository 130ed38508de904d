"""Networks keep what a policy asks of rows: least rows and precision of every rule, and groups treated alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conceptrules.logic.policies.clause_checks import lower_bound
from conceptrules.model import InputError, RuleNetwork
from conceptrules.model.policy import Fair, Policy
from conceptrules.tables.table import read_bits
from tests.people import quick_search, simple

MEASURES = ["positive_rate", "true_positive_rate", "selection_ratio"]


def table(seed: int, rows: int = 90) -> tuple[pd.DataFrame, np.ndarray]:
    """Two groups, of which one does better, and columns that tell the groups apart."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["f", "m", "x"], rows, p=[0.4, 0.5, 0.1])
    income = (12 * rng.random(rows) + 4 * (group == "m")).round(2)
    X = pd.DataFrame({"income": income, "job": rng.choice(["cook", "nurse"], rows), "group": group})
    y = np.where(income + rng.normal(0, 3, rows) > 8, "yes", "no")
    X.loc[rng.random(rows) < 0.1, "group"] = None
    return X, y


def covered(network: RuleNetwork, X: pd.DataFrame) -> list[tuple[int, np.ndarray]]:
    """The class of each rule, and the rows where it holds, one row and literal after another."""
    bits = read_bits(network.columns, network.predicates, X)
    found = []
    for kind, concept in enumerate(network.levels[0].concepts):
        for rule in concept.rules:
            literals = network.levels[0].rules[rule].literals
            found.append((kind, np.array([all(row[one.index] != one.negated for one in literals) for row in bits])))
    return found


PRECISE = st.tuples(
    st.sampled_from([1, 6, 20.5]),
    st.sampled_from([0.0, 0.7, 0.9]),
    st.sampled_from([None, 0.8]),
    st.sampled_from([None, "balanced", {"yes": 0.0, "no": 1.0}]),
    st.booleans(),
)
"""Least rows, least precision, confidence, class_weight, and whether rows have weights."""
FAIR = st.tuples(
    st.lists(st.tuples(st.sampled_from(MEASURES), st.sampled_from([0.0, 0.05, 0.3, 0.8])), min_size=1, max_size=2),
    st.booleans(),
    st.booleans(),
)
"""Measures with their bounds, whether the column of the groups is forbidden, and whether rows have weights."""


@settings(max_examples=12, deadline=None)
@given(PRECISE, st.integers(0, 999))
@pytest.mark.filterwarnings("ignore")
def test_every_rule_covers_enough_rows_of_its_class(case, seed):
    learn_precise_rules(case, seed)


def learn_precise_rules(case, seed) -> None:
    """Learn from a drawn table, and count the rows of every rule of the front."""
    least, precision, confidence, class_weight, weighted = case
    X, y = table(seed)
    weight = np.random.default_rng(seed).integers(0, 3, len(y)) if weighted else np.ones(len(y))
    asked = {"min_rows": least, "min_precision": precision}
    policy = Policy.of(**asked | ({} if confidence is None else {"confidence": confidence}))
    clf = quick_search(policy=policy, class_weight=class_weight).fit(X, y, sample_weight=weight)
    for choice in clf.frontier_:
        assert len(choice.network.levels) == 1
        assert {verdict.outcome for verdict in choice.network.proof.verdicts} == {"proved"}
        for kind, rows in covered(choice.network, X):
            total, right = weight[rows].sum(), weight[rows & (y == choice.network.classes[kind])].sum()
            assert total >= least
            assert lower_bound(right, total, confidence) >= precision - 1e-9


def apart(clause: Fair, answers: np.ndarray, y: np.ndarray, group: np.ndarray, weight: np.ndarray) -> bool:
    """Whether groups are treated too differently, by counting."""
    rates = []
    for name in ("f", "m", "x"):
        rows = (group == name) & (weight > 0) & ((y == "yes") | (clause.measure != "true_positive_rate"))
        if rows.any():
            rates.append(weight[rows & (answers == clause.positive)].sum() / weight[rows].sum())
    if clause.measure == "selection_ratio":
        return bool(min(rates) < clause.bound * max(rates) - 1e-9)
    return bool(max(rates) - min(rates) > clause.bound + 1e-9)


@settings(max_examples=12, deadline=None)
@given(FAIR, st.integers(0, 999))
@example(([("positive_rate", 0.0), ("true_positive_rate", 0.0)], True, True), 7692)  # other defaults in other folds
@pytest.mark.filterwarnings("ignore")
def test_groups_are_treated_alike(case, seed):
    learn_fair_rules(case, seed)


def learn_fair_rules(case, seed) -> None:
    """Learn from a drawn table, and count how every network of the front treats its groups."""
    asked, forbidden, weighted = case
    X, y = table(seed)
    weight = np.random.default_rng(seed).integers(0, 3, len(y)) if weighted else np.ones(len(y))
    clauses = {name: {"column": "group", "positive": "yes", "bound": bound, "measure": name} for name, bound in asked}
    policy = Policy.of(fair=list(clauses.values()), forbidden=["group"] if forbidden else [])
    clf = quick_search(policy=policy).fit(X, y, sample_weight=weight)
    for choice in clf.frontier_:
        assert {verdict.outcome for verdict in choice.network.proof.verdicts} == {"proved"}
        answers = choice.network.predict(X)
        for clause in policy.of_kind(Fair):
            assert not apart(clause, answers, y, X["group"].to_numpy(), weight)


def fair(bound: float) -> Policy:
    return Policy.of(fair=[{"column": "group", "positive": "yes", "bound": bound}])


def test_a_bound_costs_something_but_not_everything():
    X, y = table(0, 2000)
    X, y = X[X["group"] != "x"].reset_index(drop=True), y[X["group"] != "x"]
    free, bounded = quick_search().fit(X, y), quick_search(policy=fair(0.1)).fit(X, y)
    rates = pd.Series(free.predict(X) == "yes").groupby(X["group"]).mean()
    assert rates["m"] - rates["f"] > 0.2
    best = [max(one.score for one in clf.frontier_) for clf in (bounded, free)]
    assert 0.6 < best[0] < best[1]
    assert bounded.network_.prove(fair(0.1), data=X, labels=y).proved


def test_groups_may_be_given_beside_the_table():
    X, y = table(1)
    inside = quick_search(policy=Policy.of(fair=_plain(0.6), forbidden=["group"])).fit(X, y)
    beside = quick_search(policy=fair(0.6)).fit(X.drop(columns="group"), y, policy_data=X[["group"]])
    assert str(inside.network_) == str(beside.network_)
    with pytest.raises(InputError, match="the table has no column 'group'; give it in policy_data"):
        quick_search(policy=fair(0.6)).fit(X.drop(columns="group"), y)
    with pytest.raises(InputError, match="policy_data has 5 rows; X has 90"):
        quick_search(policy=fair(0.6)).fit(X.drop(columns="group"), y, policy_data=X[["group"]][:5])
    with pytest.raises(InputError, match="there is no class 'maybe'"):
        quick_search(policy=Policy.of(fair=[{"column": "group", "positive": "maybe", "bound": 0.1}])).fit(X, y)


def _plain(bound: float) -> list[dict[str, object]]:
    return [{"column": "group", "positive": "yes", "bound": bound}]


def test_validation_rows_have_groups_too():
    X, y = table(2)
    others, labels = table(3)
    clf = quick_search(policy=fair(0.15)).fit(X, y, X_val=others, y_val=labels)
    assert clf.network_.prove(fair(0.15), data=others, labels=labels).proved
    with pytest.raises(InputError, match="the table has no column 'group'"):
        quick_search(policy=fair(0.15)).fit(X, y, X_val=others.drop(columns="group"), y_val=labels)


def test_locked_rules_that_break_a_bound_say_what_was_reached():
    X, y = table(0)
    locked = [{"rule": "group = m", "class": "yes", "mode": "decides"}]
    unfair = Policy.of(locked=locked, fair=_plain(0.0), default="no", max_edges=2)
    with pytest.raises(InputError, match=r"fair\.group\.positive_rate: no network .*beyond the bound by"):
        quick_search(policy=unfair).fit(X, y)
    few = Policy.of(locked=[{"rule": "income > 14.5", "class": "yes"}], min_rows=80)
    with pytest.raises(InputError, match=r"min_rows: no network keeps this clause .*; this rule covers .* rows?"):
        quick_search(policy=few).fit(X, y)


def test_rows_that_the_search_makes_up_are_not_counted():
    X, y = table(4)
    clf = quick_search(effort="default", policy=Policy.of(min_rows=15)).fit(X, y)
    assert clf.network_.levels[0].rules
    for choice in clf.frontier_:
        assert all(rows.sum() >= 15 for _, rows in covered(choice.network, X))


def test_bounds_that_hold_anyway_change_nothing():
    X, y = simple()
    easy = Policy.of(min_rows=1, min_precision=0.0)
    assert str(quick_search(policy=easy).fit(X, y).network_) == str(quick_search().fit(X, y).network_)


def test_a_rule_of_just_enough_rows_is_judged_in_folds_that_have_fewer():
    flag = np.arange(300) % 25 == 0  # 12 rows, and 8 of them in a fold
    X = pd.DataFrame({"flag": flag, "noise": np.arange(300) * 7 % 113})
    y = np.where(flag, "yes", "no")
    assert quick_search(policy=Policy.of(min_rows=12, default="no")).fit(X, y).score(X, y) == 1
    assert quick_search(policy=Policy.of(min_rows=12.5, default="no")).fit(X, y).score(X, y) < 1


def test_mixed_rows_of_a_small_table_cover_nothing_that_counts():
    X, y = table(0)
    clf = quick_search(policy=Policy.of(min_rows=10), effort="default").fit(X, y)
    assert clf.network_.levels[0].rules
    assert all(np.count_nonzero(rows) >= 10 for _, rows in covered(clf.network_, X))


def test_least_rows_are_a_parameter_too():
    X, y = table(3)
    asked = quick_search(min_rows=12).fit(X, y)
    told = quick_search(policy=Policy.of(min_rows=12)).fit(X, y)
    assert asked.network_.levels == told.network_.levels
    assert asked.network_.policy == told.network_.policy
    stricter = quick_search(min_rows=5, policy=Policy.of(min_rows=12)).fit(X, y)
    assert stricter.network_.policy == told.network_.policy
    assert quick_search(min_rows=1).fit(X, y).network_.policy is None


@pytest.mark.filterwarnings("ignore")
def test_folds_whose_networks_have_no_rules_are_fair_whatever_each_of_them_answers() -> None:
    learn_fair_rules(([("positive_rate", 0.0)], False, True), 304)
