"""Counts, answers and the confusion matrix that are kept rule by rule are those that follow from the rules."""

from __future__ import annotations

import numpy as np
import pytest
from conceptrules.kernels.search.views import RowsView
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.coverage import Coverage, count_rules, list_gains, look_from, tally, toggle
from conceptrules.kernels.search.values import Rows, Rules
from tests.strategies_search import (
    answers_plain,
    confusion_plain,
    holds_plain,
    rule_of,
    seeded,
    some_columns,
    some_rows,
    some_rules,
)

Case = tuple[Rows, Rules, np.ndarray, int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rows, rules, the priority of the classes, and the default."""
    rng, classes = draw(seeded()), draw(st.integers(2, 4))
    columns = some_columns(rng)
    rows = some_rows(rng, columns, classes, draw(st.integers(1, 40)))
    rules = some_rules(rng, columns, classes, draw(st.integers(0, 8)))
    return rows, rules, rng.permutation(classes), int(rng.integers(classes))


def counts_of(rows: Rows, rules: Rules) -> np.ndarray:
    counts = np.zeros((rows.mass.shape[1], len(rows.codes)), np.int16)
    count_rules(rows.codes, rules, len(rules.owner), counts)
    return counts


@given(cases())
def test_counts_answers_and_confusion(case: Case) -> None:
    rows, rules, order, default = case
    wanted = np.zeros((len(order), len(rows.codes)), np.int16)
    for r, owner in enumerate(rules.owner):
        rule = rules.column[r], rules.allowed[r], rules.length[r]
        wanted[owner] += holds_plain(rows, *rule)
    counts = counts_of(rows, rules)
    np.testing.assert_array_equal(counts, wanted)
    answers = answers_plain(rows, rules, len(rules.owner), order, default)
    confusion = np.full((len(order), len(order)), np.nan)
    tally(Coverage(RowsView(rows), counts, confusion, np.zeros(0)), order, default)
    np.testing.assert_allclose(confusion, confusion_plain(rows, answers))


@given(cases(), st.data())
def test_any_sequence_of_toggles_leaves_what_the_rules_say(case: Case, data: st.DataObject) -> None:
    """Rules of one class at a time are put in and taken out, as the search does."""
    rows, rules, order, default = case
    classes, size = len(order), len(rows.codes)
    counts, confusion = np.zeros((classes, size), np.int16), np.zeros((classes, classes))
    coverage, within = Coverage(RowsView(rows), counts, confusion, np.zeros(0)), set()
    tally(coverage, order, default)
    numbers = st.lists(st.integers(0, max(len(rules.owner) - 1, 0)), max_size=12)
    for r in data.draw(numbers) if len(rules.owner) else []:
        c = rules.owner[r]
        look_from(coverage, order, default, c)
        toggle(coverage, rule_of(rules, r), -1 if r in within else 1, c)
        within ^= {r}
        kept = Rules(*(part[sorted(within)] for part in rules))
        np.testing.assert_array_equal(counts, counts_of(rows, kept))
        answers = answers_plain(rows, kept, len(within), order, default)
        np.testing.assert_allclose(confusion, confusion_plain(rows, answers), atol=1e-9)


@given(cases(), seeded(), st.sampled_from([1.0, 4.0]), st.booleans())
def test_gains_are_changes_of_a_linear_score(case: Case, rng: np.random.Generator, care: float, hope: bool) -> None:
    """A rule that holds on a single row is put in, for each row and each class."""
    rows, rules, order, default = case
    classes, size = len(order), len(rows.codes)
    slopes, counts = rng.normal(size=(classes, classes)), counts_of(rows, rules)
    before = answers_plain(rows, rules, len(rules.owner), order, default)
    for c in range(classes):
        coverage = Coverage(RowsView(rows), counts, np.zeros((classes, classes)), np.zeros(0))
        look_from(coverage, order, default, c)
        gain, active = np.full(size, np.nan), np.empty(size, np.int64)
        listed = list_gains(coverage, c, slopes, care, hope, np.zeros(0), gain, active)
        changing = active[: listed["rows"]]
        found = np.zeros(size)
        found[changing] = gain[changing]
        more = counts.copy()
        more[c] += 1
        changed = np.array([next((k for k in order if more[k, i]), default) for i in range(size)]) != before
        wanted = np.zeros(size)
        for i in np.flatnonzero(changed):
            others = [k if hope and k != c else before[i] for k in range(classes)]
            worth = sum(rows.mass[i, k] * (slopes[k, c] - slopes[k, others[k]]) for k in range(classes))
            wanted[i] = worth * care if worth < 0 else worth
        np.testing.assert_allclose(found, wanted, atol=1e-12)
        assert listed["gaining"] == np.count_nonzero(found > 0)


@pytest.mark.parametrize("default", [0, 1])
def test_a_class_that_answers_anyway_is_not_open(default: int) -> None:
    rows = Rows(np.zeros((1, 1), np.uint8), np.ones((1, 2)), np.array([-1]))
    coverage = Coverage(RowsView(rows), np.zeros((2, 1), np.int16), np.zeros((2, 2)), np.zeros(0))
    look_from(coverage, np.array([0, 1]), default, 0)
    would_win, otherwise = coverage.at_hand()
    assert (would_win[0], otherwise[0]) == (default != 0, default)
