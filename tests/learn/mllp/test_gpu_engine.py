"""The engine for GPUs, in Triton's interpreter where there is none: the same promises as on a CPU."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="triton is not installed: pip install 'conceptrules[gpu]'")

from conceptrules.kernels.mllp import cpu, gpu
from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.gpu_engine import GpuEngine, GpuRun
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob, Score, train
from conceptrules.model.evaluation import PackedBits, unpack

# Every step costs the interpreter seconds.
SETTINGS = Hyperparameters(
    (2,), binarization_rate=(0.0, 0.6), max_epochs=2, snapshot_every=1, min_steps=1, patience=None
)


def job(settings: Hyperparameters, seed: int, inputs: int = 3, classes: int = 2, rows: int = 6) -> FitJob:
    rng = np.random.default_rng(seed)
    examples = [
        Examples.of(rng.random((size, inputs)) < 0.5, rng.integers(0, classes, size), np.ones(size))
        for size in (rows, 4)
    ]
    return FitJob(settings, *examples, np.ones(classes), np.random.default_rng(seed))


def jobs(epochs: int = 2) -> list[FitJob]:
    """Of other widths, depths, inputs, classes and numbers of rows."""
    settings = replace(SETTINGS, max_epochs=epochs)
    return [
        job(settings, 0),
        job(replace(settings, layers=(3,), binarization_rate=(0.5,)), 1, inputs=9),
        job(replace(settings, layers=(2, 1, 2), binarization_rate=(0.5,)), 2, classes=3, rows=5),
    ]


def test_every_job_gets_a_snapshot_for_each_rate() -> None:
    seen: list[tuple[int, list[Score]]] = []
    results = train(jobs(), GpuEngine([DEVICE]), lambda number, scores: seen.append((number, scores)))
    assert sorted((number, scores[0].epoch) for number, scores in seen) == [(n, e) for n in range(3) for e in (1, 2)]
    for number, scores in seen:
        assert [score.rate for score in scores] == list(jobs()[number].hyperparameters.binarization_rate)
    for snapshot, trained in zip([result.best for result in results], jobs(), strict=True):
        assert snapshot.sizes == trained.sizes
        assert ((snapshot.weights >= 0) & (snapshot.weights <= 1)).all()
        assert np.isfinite(snapshot.score.loss)


def test_a_job_learns_the_same_alone_beside_others_and_on_several_devices() -> None:
    alone = [train([one], GpuEngine([DEVICE]), lambda *_: None)[0] for one in jobs(1)[:2]]
    together = train(jobs(1)[:2], GpuEngine([DEVICE]), lambda *_: None)
    spread = train(jobs(1)[:2], GpuEngine([DEVICE, DEVICE]), lambda *_: None)
    for one, other, third in zip(alone, together, spread, strict=True):
        np.testing.assert_allclose(one.best.weights, other.best.weights, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(one.best.weights, third.best.weights, rtol=1e-5, atol=1e-6)


def test_what_fires_is_what_the_bits_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """On rows that come in several parts, with networks of other sizes beside them."""
    monkeypatch.setattr(gpu, "EVALUATED_ROWS", 16)
    pair = [job(replace(SETTINGS, layers=(9,)), 0, rows=40), job(replace(SETTINGS, layers=(5,)), 1, inputs=4, rows=21)]
    run = GpuRun([0, 1], pair, DEVICE)
    run.trainer.weights *= 8
    owners = [pair[0], pair[0], pair[1], pair[1]]
    shares = []
    for one, weights, fired in zip(
        owners, run.trainer.own_weights(), run.training.to_host(run.training.fire()), strict=True
    ):
        expected = unpack(
            PackedBits(cpu.fire(one.sizes, weights, one.training.to_packed_bits().words), len(one.training))
        )
        np.testing.assert_array_equal(fired, expected)
        shares.append(expected.mean())
    assert 0 < np.mean(shares) < 1


def test_tasks_that_have_ended_are_not_reported_any_more() -> None:
    patient, hasty = job(SETTINGS, 0), job(replace(SETTINGS, patience=1), 0)
    seen: list[int] = []
    train([patient, hasty], GpuEngine([DEVICE]), lambda number, scores: seen.append(number))
    assert seen.count(0) == 2
    assert seen.count(1) <= 2


def test_the_classifier_trains_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a table to rules, with the device in the place of a GPU where there is none."""
    from conceptrules import MLLPClassifier, fit_cohort

    monkeypatch.setattr("conceptrules.learn.mllp.device.gpus", lambda: [DEVICE])
    rows, answers = [[word, k] for k in range(5) for word in ("yes", "no")], ["a", "b"] * 5
    quick = {"layers": (2,), "binarization_rate": 0.5, "max_epochs": 1, "random_state": 0}
    alone = MLLPClassifier(**quick, device="cuda").fit(rows, answers)
    (member,) = fit_cohort(rows, answers, settings=[quick], estimator=MLLPClassifier(device="cuda"))
    assert alone.network_ == member.classifier.network_
    assert alone.history_ == member.classifier.history_
    assert set(alone.predict(rows)) <= {"a", "b"}
