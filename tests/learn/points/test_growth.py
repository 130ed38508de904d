"""The next rule is the one that explains most of what the card does not say yet, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules.learn.binned_table import BinnedTable, Bins
from conceptrules.learn.points.growth import NO_CONDITIONS, RuleGrower, RuleLimits
from conceptrules.model.predicate import Column

TABLE = BinnedTable(tuple(Bins(Column(name), (1.0, 2.0, 3.0)) for name in "abc"))
CODES = np.stack(np.meshgrid(*[range(4)] * 3), axis=-1).reshape(-1, 3).astype(np.uint8)
FREE = RuleLimits(length=3, edges=100, new_columns=3, beam=4, least_rows=0.0, row=1.0)


def grow(target: np.ndarray, bounds: RuleLimits = FREE, used: tuple[int, ...] = ()):
    """The best rule where each row has a slope of 5 or -5 for being of the target or not."""
    figures = np.stack([np.where(target, 5.0, -5.0), np.ones(len(CODES)), np.ones(len(CODES))], axis=1)
    grower = RuleGrower(CODES, TABLE.make_columns(CODES, 2), np.arange(3))
    return grower.grow(figures, set(used), bounds)


def test_it_finds_the_conditions_that_matter() -> None:
    target = (CODES[:, 0] > 1) & (CODES[:, 2] <= 1)
    gain, rule = grow(target)
    assert rule.columns == (0, 2)
    assert (rule.find_rows(CODES) == target).all()
    assert gain > 0
    assert rule.count_edges(TABLE) == 2


def test_two_conditions_on_a_column_are_one() -> None:
    rule = NO_CONDITIONS
    for allowed in (np.arange(256) > 0, np.arange(256) < 3):
        rule = rule.add_condition(1, allowed.astype(np.uint8))
    assert rule.columns == (1,)
    assert rule.count_edges(TABLE) == 2
    assert (rule.find_rows(CODES) == np.isin(CODES[:, 1], (1, 2))).all()


@pytest.mark.parametrize(
    ("bounds", "columns"),
    [
        (RuleLimits(1, 100, 3, 4, 0.0, 1.0), 1),
        (RuleLimits(3, 1, 3, 4, 0.0, 1.0), 1),
        (RuleLimits(3, 100, 1, 4, 0.0, 1.0), 1),
        (RuleLimits(3, 100, 0, 4, 0.0, 1.0), 0),
    ],
)
def test_bounds_are_kept(bounds: RuleLimits, columns: int) -> None:
    grown = grow((CODES[:, 0] > 1) & (CODES[:, 2] <= 1), bounds)
    assert (0 if grown is None else len(grown[1].columns)) == columns


def test_columns_in_use_are_free_when_no_new_one_is_allowed() -> None:
    _, rule = grow((CODES[:, 0] > 1) & (CODES[:, 2] <= 1), RuleLimits(3, 100, 0, 4, 0.0, 1.0), used=(2,))
    assert rule.columns == (2,)


def test_a_rule_covers_the_least_rows() -> None:
    target = (CODES[:, 0] == 3) & (CODES[:, 1] == 3)
    assert grow(target)[1].find_rows(CODES).sum() == 48  # a rule may lower the score, too
    assert grow(target, RuleLimits(3, 100, 3, 4, 50.0, 1.0)) is None


def test_nothing_to_explain_has_no_rule() -> None:
    figures = np.stack([np.zeros(len(CODES)), np.ones(len(CODES)), np.ones(len(CODES))], axis=1)
    assert RuleGrower(CODES, TABLE.make_columns(CODES, 2), np.arange(3)).grow(figures, set(), FREE) is None
