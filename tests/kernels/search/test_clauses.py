"""What rules cover and how groups fare, kept row by row, is what plain counting says."""

from __future__ import annotations

import numpy as np
import pytest
from conceptrules.kernels.search.clauses import lower_bound, may_stand, price_groups, unfairness
from conceptrules.kernels.search.views import GroupsView, LimitsView, RowsView
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.coverage import Coverage, count_rules, look_from, tally, toggle
from conceptrules.kernels.search.values import Groups, Rows
from conceptrules.logic.policies import clause_checks
from tests.strategies_search import (
    answers_plain,
    holds_plain,
    limits,
    rule_of,
    seeded,
    some_columns,
    some_rows,
    some_rules,
)


def grouped(rng: np.random.Generator, rows: Rows) -> Rows:
    """Rows with raw weights and three groups, of which one is empty, for two clauses."""
    classes, size = rows.mass.shape[1], len(rows.label)
    weight = rng.integers(0, 3, (size, 3)) * np.array([1.0, 1.0, 0.0])
    total = weight.sum(axis=0)
    groups = Groups(
        weight / np.maximum(total, 1.0),
        total,
        rng.integers(classes, size=1).repeat(3),
        np.array([0, 3]),
        np.array([1.0]),
        np.array([0.1]),
    )
    return rows._replace(raw=rng.integers(0, 3, rows.mass.shape).astype(float), groups=groups)


def rates_plain(rows: Rows, answers: np.ndarray) -> np.ndarray:
    groups = rows.groups
    return np.array([groups.share[answers == c, g].sum() for g, c in enumerate(groups.positive)])


@given(seeded())
def test_rates_follow_the_rules(rng):
    columns = some_columns(rng)
    rows = grouped(rng, some_rows(rng, columns, 3, 30))
    rules, order, default = some_rules(rng, columns, 3, 5), rng.permutation(3), int(rng.integers(3))
    counts, confusion, rates = np.zeros((3, len(rows.label)), np.int16), np.zeros((3, 3)), np.zeros(3)
    count_rules(rows.codes, rules, 4, counts)
    coverage = Coverage(RowsView(rows), counts, confusion, rates)
    tally(coverage, order, default)
    np.testing.assert_allclose(rates, rates_plain(rows, answers_plain(rows, rules, 4, order, default)), atol=1e-12)
    look_from(coverage, order, default, rules.owner[4])
    toggle(coverage, rule_of(rules, 4), 1, rules.owner[4])
    np.testing.assert_allclose(rates, rates_plain(rows, answers_plain(rows, rules, 5, order, default)), atol=1e-12)


@given(seeded(), st.sampled_from([0.0, 3.0, 10.0]), st.sampled_from([0.0, 0.4]), st.sampled_from([None, 0.9]))
def test_what_a_rule_has_to_cover(rng, least, precision, confidence):
    columns = some_columns(rng)
    rows = grouped(rng, some_rows(rng, columns, 3, 30))
    rules = some_rules(rng, columns, 3, 1)
    deviations = 0.0 if confidence is None else clause_checks.NormalDist().inv_cdf(confidence)
    asked = limits(least_rows=least, least_precision=precision, deviations=deviations)
    rule = rules.column[0], rules.allowed[0], rules.length[0]
    held = rows.raw[holds_plain(rows, *rule)].sum(axis=0)
    share = clause_checks.lower_bound(held[1], held.sum(), confidence)
    assert lower_bound(held[1], held.sum(), deviations) == pytest.approx(share)
    if share != pytest.approx(precision):
        stands = may_stand(RowsView(rows), LimitsView(asked), 1, rule_of(rules, 0))
        assert stands == (held.sum() >= least and share >= precision)


@given(seeded())
def test_a_rule_with_its_rows_in_a_banned_region(rng):
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 3, 30)
    rules, bans = some_rules(rng, columns, 3, 1), some_rules(rng, columns, 3, 2)
    rule = rules.column[0], rules.allowed[0], rules.length[0]
    held = holds_plain(rows, *rule)
    inside = [held & holds_plain(rows, bans.column[b], bans.allowed[b], bans.length[b]) for b in range(2)]
    banned = any(bans.owner[b] == 1 and inside[b].sum() >= 0.9 * held.sum() for b in range(2))
    assert may_stand(RowsView(rows), LimitsView(limits(bans=bans)), 1, rule_of(rules, 0)) != banned


def test_how_far_groups_are_apart_and_what_that_is_worth():
    groups = Groups(
        np.zeros((0, 5)), np.array([1.0, 1.0, 0.0, 1.0, 1.0]), np.zeros(5, np.int64), np.array([0, 3, 5]),
        np.array([1.0, 0.8]), np.array([0.1, 0.0]),
    )  # fmt: skip
    rates, prices = np.array([0.3, 0.5, 0.9, 0.2, 0.3]), np.zeros(5)
    view = GroupsView(groups)
    assert unfairness(rates, view) == pytest.approx(0.1)
    assert unfairness(np.array([0.3, 0.4, 0.9, 0.24, 0.3]), view) == 0
    price_groups(rates, view, 2.0, prices)
    np.testing.assert_allclose(prices, [2.0, -2.0, 0.0, 2.0, -1.6])
