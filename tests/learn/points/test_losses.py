"""Losses of numbers: slopes and curvatures against differences of the losses themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.points.losses import LOSSES, find_median
from tests.strategies import SEEDS


@pytest.mark.parametrize("name", LOSSES)
@given(seed=SEEDS)
def test_slopes_fall_with_the_loss_and_curvatures_bound_it(name: str, seed: int) -> None:
    loss, rng = LOSSES[name], np.random.default_rng(seed)
    target = rng.gamma(1.0, 1.0, 30) if name == "poisson" else rng.normal(size=30)
    margins, weight = rng.normal(size=30), rng.uniform(0.5, 2, 30)
    slope, curvature = loss.differentiate(target, margins, weight)
    assert (curvature > 0).all()
    step = 1e-6
    differences = (loss.measure(target, margins - step) - loss.measure(target, margins + step)) / (2 * step)
    far = np.abs(target - margins) > 0.5  # where the absolute error has no bend
    ratio = (weight * differences)[far] / slope[far]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)  # all in one unit, that of the log likelihood
    if name != "poisson":  # the parabola touches the loss, and is nowhere below it
        other = margins + rng.normal(size=30)
        change = -slope * (other - margins) + curvature * (other - margins) ** 2 / 2
        real = weight * (loss.measure(target, other) - loss.measure(target, margins)) / ratio[0]
        assert (change >= real - 1e-4 * (1 + np.abs(real)))[far].all()


@pytest.mark.parametrize("name", LOSSES)
@given(seed=SEEDS, added=st.sampled_from([0.0, 0.3]))
def test_the_base_is_the_best_margin(name: str, seed: int, added: float) -> None:
    loss, rng = LOSSES[name], np.random.default_rng(seed)
    numbers, weight = rng.gamma(1.0, 1e3, 25) + 1e-3, rng.uniform(0.5, 2, 25)
    scale, target = loss.scale(numbers, weight)
    rules = added * rng.integers(0, 2, 25)
    best = loss.find_base(target, rules, weight)
    losses = [weight @ loss.measure(target, rules + base) for base in (best, best - 0.01, best + 0.01)]
    assert losses[0] <= min(losses) + 1e-9 * abs(losses[0])
    said = scale.centre + scale.spread * target if loss.link == "identity" else target * np.exp(scale.centre)
    np.testing.assert_allclose(said, numbers, rtol=1e-9)


def test_the_median_is_that_of_repeated_rows() -> None:
    values, weight = np.array([3.0, 1.0, 2.0, 9.0]), np.array([1.0, 2.0, 1.0, 3.0])
    assert find_median(values, weight) == np.sort(np.repeat(values, weight.astype(int)))[3]
