"""The kernels of planes.py against the same in plain NumPy, row by row."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search import bit_planes as planes
from conceptrules.model.evaluation import PackedBits as Packed
from conceptrules.model.evaluation import first_firing, pack, unpack
from tests.strategies_search import SIZES, seeded

PRICES = st.sampled_from([0.0, 0.01, 0.3, 2.0])
KINDS = st.sampled_from(["signs", "few", "many", "steep", "losses"])


def weights_of(rng: np.random.Generator, rows: int, kind: str) -> np.ndarray:
    """Signed, some of them 0."""
    some = {
        "signs": rng.choice([-1.0, 0.0, 1.0], rows),
        "few": rng.choice([-2.0, -0.5, 0.0, 1.0, 3.0], rows),
        "many": rng.normal(size=rows),
        "steep": rng.choice([-1.0, 1.0], rows) * 10.0 ** rng.integers(-6, 7, rows),
        "losses": -rng.random(rows),
    }
    return some[kind]


def plain_weights(signed: planes.Planes, rows: int) -> np.ndarray:
    """The weight of each row that the planes stand for."""
    value = signed.value * np.where(np.arange(len(signed.value)) < signed.gains, 1, -1)
    return unpack(Packed(signed.rows, rows)).astype(float) @ value


def plain_worth(inputs: np.ndarray, chosen, weights: np.ndarray, penalty: float) -> float:
    """Of a conjunction of columns of `inputs`."""
    return float(weights[inputs[:, list(chosen)].all(axis=1)].sum() - penalty * len(chosen))


@st.composite
def problems(draw: st.DrawFn):
    """(rows, inputs) of booleans, planes of weights, and the weights that these stand for."""
    rng, rows, count = draw(seeded()), draw(SIZES), draw(st.integers(1, 7))
    inputs = rng.random((rows, count)) < rng.random(count)
    signed = planes.planes_of(weights_of(rng, rows, draw(KINDS)))
    return inputs, signed, plain_weights(signed, rows), rng


@given(seeded(), SIZES, KINDS)
def test_planes_stand_for_the_weights(rng, rows, kind):
    weights = weights_of(rng, rows, kind)
    signed = planes.planes_of(weights)
    typical = np.abs(weights[weights != 0]).mean() if weights.any() else 0.0
    largest = typical * 4095 / 16
    error = np.abs(plain_weights(signed, rows) - np.clip(weights, -largest, largest))
    assert (error <= typical / 32 * (1 + 1e-9)).all()
    assert (signed.value > 0).all()
    assert signed.rows.shape == (len(signed.value), -(-rows // 64))
    assert 0 <= signed.gains <= len(signed.value)


def test_a_row_of_a_thousand_times_the_weight_does_not_round_the_others_to_nothing():
    weights = np.ones(2000)
    weights[0] = 1000
    found = plain_weights(planes.planes_of(weights), 2000)
    assert found[1:] == pytest.approx(1, rel=0.05)
    assert found[0] == pytest.approx(256 * weights.mean(), rel=0.01)


@pytest.mark.parametrize("rows", [1, 64, 100])
def test_weights_that_are_all_zero_have_no_planes_and_no_rule(rows):
    signed = planes.planes_of(np.zeros(rows))
    assert signed.rows.shape == (0, -(-rows // 64))
    inputs = pack(np.ones((rows, 2), bool)).words
    chosen, worth = planes.grow(inputs, np.ones(2, bool), signed, 0.0, 3)
    assert (list(chosen), worth) == ([], 0)
    chosen, worth = planes.improve(inputs, np.array([0, 1]), signed, 0.5, 3, 1)
    assert (len(chosen), worth) == (1, -0.5)


@given(seeded(), SIZES)
def test_bits_are_counted(rng, rows):
    bits = rng.random((rows, 2)) < 0.7
    assert planes.count_both(*pack(bits).words) == bits.all(axis=1).sum()


@given(problems())
def test_worth_is_the_sum_of_the_weights(problem):
    inputs, signed, weights, _ = problem
    for words, column in zip(pack(inputs).words, inputs.T, strict=True):
        expected = weights[column & (weights > 0)].sum(), -weights[column & (weights < 0)].sum()
        assert (planes.gain_of(words, signed), planes.loss_of(words, signed)) == pytest.approx(expected)


@given(problems())
def test_planes_within_rows_are_of_these_rows_only(problem):
    inputs, signed, weights, _ = problem
    part = planes.within(pack(inputs).words[0], signed, np.empty_like(signed.rows))
    assert plain_weights(part, len(inputs)) == pytest.approx(np.where(inputs[:, 0], weights, 0))


@given(problems(), st.data())
def test_a_conjunction_holds_where_all_of_its_inputs_do(problem, data):
    inputs, _, _, rng = problem
    chosen = rng.permutation(inputs.shape[1])[: rng.integers(inputs.shape[1] + 1)]
    out = data.draw(st.integers(-1, len(chosen) - 1))
    rows = np.empty(-(-len(inputs) // 64), np.uint64)
    planes.conjunction(pack(inputs).words, chosen, out, rows)
    kept = [j for place, j in enumerate(chosen) if place != out]
    assert (unpack(Packed(rows[None], len(inputs)))[:, 0] == inputs[:, kept].all(axis=1)).all()


def neighbours(chosen: list[int], count: int, longest: int, fewest: int):
    """All that one drop, one addition or one swap leads to."""
    others = [j for j in range(count) if j not in chosen]
    dropped = [[j for j in chosen if j != out] for out in chosen]
    yield from (one for one in dropped if len(one) >= fewest)
    yield from ([*one, new] for one in [chosen, *dropped] for new in others if len(one) < longest)


@given(problems(), PRICES, st.integers(1, 5), st.integers(0, 1))
def test_improving_never_lowers_and_ends_where_no_neighbour_is_better(problem, penalty, longest, fewest):
    inputs, signed, weights, rng = problem
    chosen = rng.permutation(inputs.shape[1])[: rng.integers(fewest, longest + 1)]
    better, worth = planes.improve(pack(inputs).words, chosen, signed, penalty, longest, fewest)
    assert worth == pytest.approx(plain_worth(inputs, better, weights, penalty), abs=1e-9 * np.abs(weights).sum())
    assert worth >= plain_worth(inputs, chosen, weights, penalty) - 1e-9 * np.abs(weights).sum()
    assert len(better) <= longest
    assert len(set(better.tolist())) == len(better)
    assert len(better) >= min(fewest, len(chosen))
    around = neighbours(better.tolist(), inputs.shape[1], longest, fewest)
    most = max((plain_worth(inputs, one, weights, penalty) for one in around), default=-np.inf)
    assert most <= worth + 1e-9 * max(np.abs(weights).sum(), 1)


@given(problems(), PRICES)
def test_what_is_too_long_is_not_made_longer(problem, penalty):
    inputs, signed, _, _ = problem
    chosen = np.arange(inputs.shape[1])
    better, _ = planes.improve(pack(inputs).words, chosen, signed, penalty, 1, 1)
    assert len(better) <= len(chosen)


@given(problems(), PRICES, st.integers(1, 9))
def test_what_is_grown_is_allowed_short_and_worth_what_it_says(problem, penalty, longest):
    inputs, signed, weights, rng = problem
    allowed = rng.random(inputs.shape[1]) < 0.7
    chosen, worth = planes.grow(pack(inputs).words, allowed, signed, penalty, longest)
    assert len(chosen) <= longest
    assert len(set(chosen.tolist())) == len(chosen)
    assert allowed[chosen].all()
    assert worth >= 0
    assert (worth > 0) == (len(chosen) > 0)
    if len(chosen):
        assert worth == pytest.approx(plain_worth(inputs, chosen, weights, penalty), abs=1e-9 * np.abs(weights).sum())
        for shorter in range(1, len(chosen)):
            assert plain_worth(inputs, chosen[:shorter], weights, penalty) <= worth + 1e-9 * np.abs(weights).sum()


@given(problems(), PRICES)
def test_the_first_input_grown_tells_the_most(problem, penalty):
    inputs, signed, weights, _ = problem
    chosen, _ = planes.grow(pack(inputs).words, np.ones(inputs.shape[1], bool), signed, penalty, 1)
    up, down = weights[weights > 0].sum(), -weights[weights < 0].sum()

    def information(column: np.ndarray) -> float:
        gain, loss = weights[column & (weights > 0)].sum(), -weights[column & (weights < 0)].sum()
        return gain * (np.log(gain / (gain + loss)) - np.log(up / (up + down))) if gain > 0 else 0.0

    if len(chosen):
        told = [information(column) for column in inputs.T]
        assert told[chosen[0]] >= max(told) - 1e-9 * up


@st.composite
def firing(draw: st.DrawFn):
    rng, rows, classes = draw(seeded()), draw(SIZES), draw(st.integers(2, 5))
    fired = rng.random((rows, classes)) < rng.random()
    return rng, fired, rng.permutation(classes), int(rng.integers(classes)), rng.integers(classes, size=rows)


@given(firing())
def test_decisions_are_those_of_the_language(case):
    _, fired, order, default, target = case
    answers = np.empty(len(target), np.int64)
    planes.decisions(pack(fired).words, order, default, answers)
    assert (answers == first_firing(fired, order, default)).all()


@given(firing())
def test_confusion_counts_rows_by_class_and_decision(case):
    _, fired, order, default, target = case
    classes = fired.shape[1]
    members = pack(target[:, None] == np.arange(classes)).words
    found = planes.confusion(pack(fired).words, order, default, members)
    answers = first_firing(fired, order, default)
    for y, k in itertools.product(range(classes), repeat=2):
        assert found[y, k] == ((target == y) & (answers == k)).sum()


@given(firing())
def test_differences_are_what_each_row_gains(case):
    rng, off, order, default, target = case
    on = off ^ (rng.random(off.shape) < 0.3)
    weight, value = rng.random(len(target)), rng.normal(size=(off.shape[1], off.shape[1]))
    result = np.empty(len(target))
    planes.differences(pack(off).words, pack(on).words, order, default, target, weight, value, result)
    before, after = first_firing(off, order, default), first_firing(on, order, default)
    assert result == pytest.approx(weight * (value[target, after] - value[target, before]))
