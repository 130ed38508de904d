"""Where to train, and what is said where that cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp import device
from conceptrules.learn.mllp.cpu_engine import CpuEngine
from conceptrules.learn.mllp.device import select_engine
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob


def job(rows: int = 8) -> FitJob:
    examples = Examples.of(np.zeros((rows, 4), bool), np.zeros(rows, np.int64), np.ones(rows))
    return FitJob(Hyperparameters((4,)), examples, examples, np.ones(2), np.random.default_rng(0))


def test_auto_does_not_even_look_for_a_gpu_for_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_has_driver", lambda: pytest.fail("it looked"))
    assert isinstance(select_engine("auto", [job()], 2), CpuEngine)


def test_auto_does_not_load_torch_where_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    large = replace(job(), hyperparameters=Hyperparameters((100_000, 100_000, 1000)))
    monkeypatch.setattr(device.ctypes, "CDLL", _missing)
    monkeypatch.setattr(device, "gpus", lambda: pytest.fail("it loaded torch"))
    assert isinstance(select_engine("auto", [large], 2), CpuEngine)


def _missing(name: str) -> None:
    raise OSError(f"{name}: cannot open shared object file")


def test_auto_takes_the_cpu_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    large = replace(job(), hyperparameters=Hyperparameters((100_000, 100_000, 1000)))
    monkeypatch.setattr(device, "_has_driver", lambda: True)
    monkeypatch.setattr(device, "find_spec", lambda name: name)
    monkeypatch.setattr(device, "gpus", list)
    assert isinstance(select_engine("auto", [large], 2), CpuEngine)
