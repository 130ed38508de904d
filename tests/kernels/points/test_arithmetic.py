"""Arithmetic that is the same everywhere is compared with NumPy's, which is right but for the last bits."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.points.arithmetic import (
    exponentiate,
    invert_diagonal,
    solve,
    sum_squares,
    take_logarithms,
)

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, -1e-300, 708.9, -707.9, 1e-17]


@given(st.lists(st.floats(-708, 709), min_size=1))
def test_powers_of_e_have_all_digits_but_the_last(numbers):
    np.testing.assert_allclose(exponentiate(numbers), np.exp(numbers), rtol=1e-15)


def test_powers_of_e_at_the_ends():
    np.testing.assert_allclose(exponentiate(SPECIAL), np.exp(SPECIAL), rtol=1e-15)
    np.testing.assert_array_equal(
        exponentiate([-708.5, -np.inf, 709.5, np.inf, np.nan]), [0, 0, np.inf, np.inf, np.nan]
    )


@given(st.lists(st.floats(min_value=0, exclude_min=True, allow_infinity=False), min_size=1))
def test_logarithms_have_all_digits_but_the_last(numbers):
    np.testing.assert_allclose(take_logarithms(numbers), np.log(numbers), rtol=1e-15, atol=3e-16)


def test_logarithms_at_the_ends():
    np.testing.assert_array_equal(
        take_logarithms([0.0, -1.0, np.inf, np.nan, 1.0]), [-np.inf, np.nan, np.inf, np.nan, 0]
    )


def test_arrays_keep_their_shape():
    numbers = np.arange(12.0).reshape(3, 4)[:, ::2]
    np.testing.assert_allclose(exponentiate(numbers), np.exp(numbers), rtol=1e-15)
    np.testing.assert_allclose(take_logarithms(numbers + 1), np.log(numbers + 1), rtol=1e-15)
    assert exponentiate(1.0).shape == ()


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_equations_are_solved_as_by_lapack(size):
    rng = np.random.default_rng(size)
    rows = rng.normal(size=(3 * size, size))
    matrix, vector = rows.T @ rows + np.eye(size), rng.normal(size=size)
    np.testing.assert_allclose(solve(matrix, vector), np.linalg.solve(matrix, vector), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(invert_diagonal(matrix), np.linalg.inv(matrix).diagonal(), rtol=1e-11)
    weights = rng.random(len(rows))
    np.testing.assert_allclose(sum_squares(weights, rows), (weights[:, None] * rows).T @ rows, rtol=1e-11, atol=1e-12)


def test_columns_that_say_the_same_have_a_finite_solution():
    assert np.isfinite(solve(np.ones((2, 2)), np.ones(2))).all()


FIT = """
import numpy as np
from conceptrules import ScorecardClassifier, ScorecardRegressor
from conceptrules.model.content_hash import content_hash
rng = np.random.default_rng(5)
X = rng.normal(size=(300, 4))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=300)) > 0
several = np.digitize(X[:, 0] + rng.normal(size=300), [-1, 1])
for label in (y, several):
    print(content_hash(ScorecardClassifier(effort="fast", random_state=0).fit(X, label).network_))
for loss, number in (("squared_error", X[:, 0] + np.abs(X[:, 3])), ("poisson", rng.poisson(1 + 4 * (X[:, 0] > 0)))):
    print(content_hash(ScorecardRegressor(loss=loss, effort="fast", random_state=0).fit(X, number).network_))
"""


def test_cards_are_the_same_on_processors_with_fewer_instructions(monkeypatch):
    """NumPy and BLAS take the plainest code that they have in one of the processes, and the fastest in the other."""
    fewer = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(list_disposable_features())}
    hashes = []
    for settings in ({}, fewer):
        with monkeypatch.context() as patched:
            for name, value in settings.items():
                patched.setenv(name, value)
            hashes.append(
                subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True).stdout
            )
    assert hashes[0].count("\n") == 4
    assert hashes[0] == hashes[1]


def list_disposable_features() -> list[str]:
    """The instructions that NumPy takes where a processor has them."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return [feature for feature in found if feature != "NEON"]
