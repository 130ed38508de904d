"""Networks side by side on a GPU, or in Triton's interpreter: their scores are those of the library."""

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

from benchmarks.paper import cohorts
from benchmarks.paper.choice import COLUMNS
from benchmarks.paper.cohorts import Cohort, Training
from conceptrules.kernels.mllp import cohort as kernels
from conceptrules.kernels.mllp import cpu
from conceptrules.learn.mllp.cpu_engine import CallingThread
from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.extraction import rank_by_position, rank_by_precision
from conceptrules.model.evaluation import PackedBits, first_firing, unpack
from conceptrules.model.metrics import confusion_matrix, macro_f1


def training(seed: int, rows: int, inputs: int, held: int | None = 5) -> Training:
    rng = np.random.default_rng(seed)

    def some(size: int) -> Examples:
        return Examples.of(rng.random((size, inputs)) < 0.5, rng.integers(0, 3, size), 1.0 + rng.integers(0, 3, size))

    return Training((4,), 0.0, 1e-8, some(rows), some(held) if held else None, 3, (seed, 0))


def scores(one: Training, weights: np.ndarray) -> dict[str, float]:
    """The same by the library, on the host."""

    def fired(rows: Examples) -> np.ndarray:
        return unpack(PackedBits(cpu.fire(one.sizes, weights, rows.to_packed_bits().words), len(rows)))

    def f1(answers: np.ndarray, rows: Examples) -> float:
        return macro_f1(confusion_matrix(rows.target, answers, rows.weight, 3))

    found = {"edges": float((weights > 0.5).sum())}
    for prefix, rows in (("", one.rows), ("held_", one.held)):
        for name, learn in (("first", rank_by_position), ("learned", rank_by_precision)):
            priority = learn(fired(one.rows), one.rows, np.ones(3))
            found[prefix + name] = f1(first_firing(fired(rows), *priority), rows)
        network = kernels.Cohort(one.sizes, weights[None].copy())
        found[f"{prefix}mllp"] = f1(cpu.forward(network, rows.packed, CallingThread())[0].argmax(axis=1), rows)
    return found


def test_the_scores_of_a_look_are_those_of_the_library() -> None:
    trainings = [training(0, 19, 5), training(1, 12, 7), replace(training(2, 15, 5), layers=(3,))]
    cohort = Cohort(trainings, 1, DEVICE)
    differ = []
    for factor in (1, 6, 9):
        cohort.trainer.weights.clamp_(0, 0.1).mul_(factor)
        look = cohort._look(torch.zeros(3)).cpu().numpy()
        for k, (one, weights) in enumerate(zip(trainings, cohort.trainer.own_weights(), strict=True)):
            wanted = scores(one, weights)
            assert {name: look[COLUMNS.index(name), k] for name in wanted} == pytest.approx(wanted, abs=1e-6)
            differ.append(wanted["first"] != wanted["learned"])
    assert any(differ)


def test_what_is_kept_is_the_best_of_the_second_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cohorts, "LOOK_EVERY", 1)
    trainings = [training(0, 9, 3, held=None), training(1, 7, 4, held=None)]
    cohort = Cohort(trainings, 1, DEVICE)
    looks, weights = [], []
    train = cohort.train

    def watched(epochs: int):
        for look in train(epochs):
            looks.append(look.cpu().numpy().copy())
            weights.append(cohort.trainer.own_weights())
            yield look

    monkeypatch.setattr(cohort, "train", watched)
    kept = cohort.train_and_keep(4, ["learned", "mllp"])
    for name in ("learned", "mllp"):
        for k, found in enumerate(cohort.kept(name, kept[name])):
            keys = [look[COLUMNS.index(name), k] - 1e-6 * look[0, k] for look in looks]
            assert found.epoch == 3 + int(np.argmax(keys[2:]))
            np.testing.assert_array_equal(found.weights, weights[found.epoch - 1][k])
    grown = kept["learned"] * 8  # so that classes fire
    networks = cohort.kept("learned", grown)
    look = cohort.judges[0].look
    for one, found, fired in zip(trainings, networks, look.to_host(look.fire()), strict=True):
        assert fired.any()
        assert (found.priority, found.default) == rank_by_precision(fired, one.rows, np.ones(3))
    answers = cohort.answers([one.rows for one in trainings])
    assert [len(each) for each in answers] == [9, 7]
