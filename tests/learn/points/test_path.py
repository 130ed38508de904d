"""A card grows rule by rule, and its weights are those of a logistic regression on its rules."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from conceptrules.learn.points import path as path_module
from conceptrules.learn.points.growth import RIDGE, RuleGrower
from conceptrules.learn.points.losses import LOSSES
from conceptrules.learn.points.path import CardPath, NumberPath, PointRows, compute_probabilities
from conceptrules.learn.points.rounding import round_card
from conceptrules.learn.points.settings import CardSettings, NumberSettings
from tests.learn.points.test_growth import CODES, TABLE


def make_path(target: np.ndarray, classes: int, **settings: int) -> tuple[CardPath, PointRows]:
    mass = np.eye(classes)[target] * 3.0 + 0.5
    rows = PointRows(CODES, mass, mass.sum(axis=1))
    columns = TABLE.make_columns(CODES, classes)
    grower = RuleGrower(CODES, columns, np.arange(3))
    return CardPath(rows, CODES[:7], TABLE, grower, CardSettings(**settings)), rows


TWO = ((CODES[:, 0] > 1) & (CODES[:, 2] <= 1)).astype(int)
THREE = TWO + 2 * (CODES[:, 1] == 3) * (1 - TWO)


def test_weights_are_those_of_a_ridge_regression() -> None:
    path, rows = make_path(TWO, 2)
    for _ in range(3):
        path.extend()
    card = path.card
    design = np.stack([rule.find_rows(CODES) for rule in card.rules], axis=1)
    row, label = np.nonzero(rows.mass)
    plain = LogisticRegression(C=1 / RIDGE, tol=1e-10, max_iter=1000)
    plain.fit(design[row], label, rows.mass[row, label])
    np.testing.assert_allclose(card.weights[:, 0], plain.coef_[0], atol=0.02)
    np.testing.assert_allclose(card.base, plain.intercept_, atol=0.02)


@pytest.mark.parametrize(("target", "classes"), [(TWO, 2), (THREE, 3)])
def test_the_likelihood_rises_and_margins_are_those_of_the_card(target: np.ndarray, classes: int) -> None:
    path, rows = make_path(target, classes)
    likelihoods = []
    for _ in range(6):
        margins = path.card.compute_margins(CODES)
        likelihoods.append(float((rows.mass * np.log(compute_probabilities(margins))).sum()))
        np.testing.assert_allclose(path.compute_held_out_margins(), margins[:7], atol=1e-9)
        np.testing.assert_allclose(path._margins, margins, atol=1e-9)
        path.extend()
    assert likelihoods == sorted(likelihoods)
    assert path.edges == sum(rule.count_edges(TABLE) for rule in path.card.rules) + (path.card.weights != 0).sum()


def test_a_class_whose_best_rule_is_there_already_leaves_the_round_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = make_path(THREE, 3)
    path.extend()
    known = path.card.rules[0]
    grow = CardPath._grow
    paid = int(np.flatnonzero(path._paying[0])[0])
    monkeypatch.setattr(CardPath, "_grow", lambda self: [(1e9, known, paid), *grow(self)])
    edges = path.edges
    assert path.extend()
    assert path.edges > edges


def test_a_path_ends_where_no_rule_fits() -> None:
    path, _ = make_path(THREE, 3, max_edges=5)
    while path.extend():
        assert path.edges <= 5
    assert path.edges


def test_points_that_later_rules_make_needless_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CardPath, "_exchange", 4.0)  # so that a path of a few rules has exchanges
    total = CODES.sum(axis=1)
    for target, classes in ((total > 4, 2), ((total > 2) + (total > 5), 3)):
        path, _ = make_path(np.array(target, int), classes)
        removed = 0
        for _ in range(12):
            before = {rule.key for rule in path.card.rules}
            path.extend()
            card = path.card
            removed += len(before - {rule.key for rule in card.rules})
            margins = card.compute_margins(CODES)
            np.testing.assert_allclose(path._margins, margins, atol=1e-9)
            np.testing.assert_allclose(path.compute_held_out_margins(), margins[:7], atol=1e-9)
            assert path.edges == sum(rule.count_edges(TABLE) for rule in card.rules) + (card.weights != 0).sum()
        assert removed


def test_rules_do_not_take_each_others_place_for_ever() -> None:
    first, second = CODES[:, 0] > 1, CODES[:, 1] > 1
    target = (first | second).astype(int)
    mass = np.eye(2)[target] * 1000.0
    rows = PointRows(CODES, mass, mass.sum(axis=1))
    path = CardPath(
        rows, CODES[:7], TABLE, RuleGrower(CODES, TABLE.make_columns(CODES, 2), np.arange(3)), CardSettings()
    )
    path._exchange = 100.0  # every earlier rule seems to be needless
    sizes = []
    for _ in range(8):
        path.extend()
        sizes.append(len(path.card.rules))
    assert max(sizes) > 1
    shares = compute_probabilities(path.card.compute_margins(CODES))
    assert (shares.argmax(axis=1) == target).all()


@pytest.mark.parametrize("most", [1, 4, 20])
def test_rounding_keeps_the_bound_and_the_probabilities(most: int) -> None:
    path, rows = make_path(TWO, 2)
    for _ in range(4):
        path.extend()
    card, whole = path.card, round_card(path.card, rows, most)
    assert abs(whole.points).max() == most
    scores = np.stack([rule.find_rows(CODES) for rule in card.rules], axis=1) @ whole.points
    rounded = compute_probabilities(whole.base + whole.unit * scores)
    if most == 20:
        np.testing.assert_allclose(rounded, compute_probabilities(card.compute_margins(CODES)), atol=0.02)


@pytest.mark.parametrize("name", LOSSES)
def test_exchanged_rules_lower_the_loss_within_the_limits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_module, "FEW_ROWS", 0)
    rng = np.random.default_rng(0)
    target = TWO + 0.5 * (CODES[:, 1] == 2) * (CODES[:, 0] > 0) + rng.gamma(0.5, 0.5, len(CODES))
    weight = np.ones(len(CODES))
    rows = PointRows(CODES, weight[:, None], weight, target)
    grower = RuleGrower(CODES, TABLE.make_columns(CODES, 1), np.arange(3))
    path = NumberPath(rows, CODES[:7], TABLE, grower, NumberSettings(max_edges=14, loss=name), LOSSES[name])
    exchanged, exchange = [], NumberPath._replace_rule

    def watch(self: NumberPath, number: int, worth: float) -> None:
        rule, before = self._rules[number], self._measure_loss() + worth * self.edges
        exchange(self, number, worth)
        assert self._measure_loss() + worth * self.edges <= before
        exchanged.append(self._rules[number] is not rule)

    monkeypatch.setattr(NumberPath, "_replace_rule", watch)
    while path.extend():
        margins = path.card.compute_margins(CODES)
        np.testing.assert_allclose(path._margins, margins, atol=1e-9)
        np.testing.assert_allclose(path.compute_held_out_margins(), margins[:7], atol=1e-9)
        assert path.edges == sum(rule.count_edges(TABLE) for rule in path.card.rules) + (path.card.weights != 0).sum()
        assert path.edges <= 14
    assert exchanged
