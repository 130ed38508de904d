"""Figures against plain references and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.metrics import roc_auc_score

from conceptrules.model.policy import Trigger
from conceptrules.monitor.figures import Figure, area_under_curve, stability_index

COUNTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6)


@given(COUNTS)
def test_the_stability_index_is_its_definition(pairs):
    if not all(map(sum, zip(*pairs, strict=True))):
        return
    figure = stability_index("psi", "", *zip(*pairs, strict=True))
    bins = [(a + 0.5, b + 0.5) for a, b in pairs if a or b]
    first, second = (sum(each) for each in zip(*bins, strict=True))
    plain = sum((b / second - a / first) * math.log((b / second) / (a / first)) for a, b in bins)
    assert figure.value == pytest.approx(plain, abs=1e-12)
    low, high = figure.interval
    assert 0 <= low <= high


def test_chance_keeps_an_index_below_what_is_usual():
    generator = np.random.default_rng(0)
    shares = [0.1, 0.2, 0.3, 0.4]
    figures = [stability_index("psi", "", generator.multinomial(800, shares), generator.multinomial(500, shares))
               for _ in range(400)]  # fmt: skip
    assert 0.02 < np.mean([figure.changed for figure in figures]) < 0.09
    assert np.mean([figure.value for figure in figures]) == pytest.approx(figures[0].chance, rel=0.15)
    assert figures[0].usual == pytest.approx(chi2.ppf(0.95, 3) * (1 / 800 + 1 / 500), rel=0.01)


def test_the_spread_of_an_index_is_that_of_samples():
    generator = np.random.default_rng(1)
    before, now = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    figures = [stability_index("psi", "", generator.multinomial(900, before), generator.multinomial(700, now))
               for _ in range(400)]  # fmt: skip
    assert np.std([figure.value for figure in figures]) == pytest.approx(figures[0].spread, rel=0.25)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_that_of_scikit_learn(rows):
    scores, positive = map(list, zip(*rows, strict=True))
    if len(set(positive)) < 2:
        return
    area, spread = area_under_curve(scores, [not each for each in positive], positive)
    assert area == pytest.approx(roc_auc_score(positive, scores))
    assert spread >= 0


def test_a_trigger_fires_only_where_it_is_sure():
    figure = Figure("precision", "", 0.7, 40)
    assert figure.fires(Trigger("precision < 0.9"))
    assert not figure.fires(Trigger("precision < 0.75"))
    assert figure.fires(Trigger("precision < 0.75", confidence=0.6))
    assert not figure.fires(Trigger("precision > 0.7"))
