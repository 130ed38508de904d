"""Held-out rows find the slope and the shift of margins, the cut-off, and how much of a score is chance."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from conceptrules.learn.points.calibration import (
    choose_shifts,
    count_confusion,
    fit_calibration,
    judge_margins,
    make_utility,
    measure_loss,
    measure_score,
)
from conceptrules.learn.points.path import compute_probabilities
from conceptrules.model.metrics import macro_f1


def draw(outputs: int, slope: float, shift: float, rows: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Margins, and classes that come about by other ones."""
    rng = np.random.default_rng(0)
    margins = rng.normal(size=(rows, outputs))
    shares = compute_probabilities(slope * margins + shift * np.arange(1, outputs + 1))
    labels = (rng.random((rows, 1)) > shares.cumsum(axis=1)).sum(axis=1)
    return margins, np.eye(shares.shape[1])[labels]


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_slope_and_the_shift_are_found(outputs: int) -> None:
    calibration = fit_calibration(*draw(outputs, 0.5, 0.4))
    assert calibration.slope == pytest.approx(0.5, abs=0.05)
    assert np.diff(calibration.shift) == pytest.approx(0.4, abs=0.06)
    if outputs == 1:
        assert calibration.shift == pytest.approx(0.4, abs=0.05)


def test_constant_margins_get_the_shares_of_the_classes() -> None:
    mass = np.eye(3)[np.repeat([0, 1, 2], [50, 30, 20])]
    margins = np.tile(np.log([0.2, 0.2, 0.6]), (100, 1))
    calibration = fit_calibration(margins, mass)
    assert compute_probabilities(calibration.apply(margins))[0] == pytest.approx([0.5, 0.3, 0.2], abs=0.05)


def test_higher_margins_stay_more_likely() -> None:
    margins, mass = draw(1, -2.0, 0.0)
    assert fit_calibration(margins, mass).slope > 0


@pytest.mark.parametrize("outputs", [1, 3])
def test_scores_are_those_of_scikit_learn(outputs: int) -> None:
    margins, mass = draw(outputs, 1.0, 0.3, rows=500)
    truth = mass.argmax(axis=1)
    judged = judge_margins(margins, mass, "neg_log_loss")
    assert measure_score(judged, "neg_log_loss") == pytest.approx(-log_loss(truth, judged.shares))
    shares = judged.shares[:, 1] if outputs == 1 else judged.shares
    assert measure_score(judged, "roc_auc_ovr") == pytest.approx(roc_auc_score(truth, shares, multi_class="ovr"))
    loss = sum(brier_score_loss(truth == index, judged.shares[:, index]) for index in range(mass.shape[1]))
    expected = -loss / 2 if outputs == 1 else -loss  # of two classes, scikit-learn's is about one of them
    assert measure_score(judged, "neg_brier_score") == pytest.approx(expected, abs=1e-9)


def test_cut_offs_win_what_they_are_chosen_for() -> None:
    margins, mass = draw(1, 1.0, -3.0, rows=3000)
    shares = compute_probabilities(margins - 3)
    plain = macro_f1(count_confusion(mass, shares.argmax(axis=1)))
    shifts = choose_shifts(shares, mass, macro_f1)
    assert shifts[0] == 0
    assert shifts[1] > 0
    assert macro_f1(count_confusion(mass, (np.log(shares) + shifts).argmax(axis=1))) > plain + 0.05
    dear = choose_shifts(shares, mass, make_utility("neg_log_loss", ((0, 1), (20, 0))))
    assert dear[1] == pytest.approx(np.log(20), abs=0.75)


def test_what_is_clearly_worse_is_so_by_many_standard_errors() -> None:
    margins, mass = draw(1, 2.0, 0.0, rows=2000)
    best, nothing = (judge_margins(factor * margins, mass, "neg_log_loss") for factor in (2.0, 0.0))
    loss, error = measure_loss(nothing, best, "neg_log_loss")
    assert loss > 10 * error > 0
    assert measure_loss(best, best, "neg_log_loss") == (0, 0)
