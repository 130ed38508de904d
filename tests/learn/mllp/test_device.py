"""Where to train, and what is said where that cannot be."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from conceptrules.learn.mllp import device
from conceptrules.learn.mllp.cpu_engine import CpuEngine
from conceptrules.learn.mllp.device import check_device, select_engine
from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob
from conceptrules.model.errors import InputError


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


@pytest.mark.parametrize("wrong", ["gpu", "cudax", 0, None])
def test_what_is_no_device(wrong: object) -> None:
    with pytest.raises(InputError, match="use 'auto', 'cpu', 'cuda', or one of several GPUs"):
        check_device(wrong)


def test_a_missing_package_comes_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"torch is not installed: pip install 'conceptrules\[gpu\]'"):
        check_device("cuda")


def test_no_gpu_and_no_such_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda name: name)
    monkeypatch.setattr(device, "_torch", lambda: "torch 2")
    monkeypatch.setattr(device, "gpus", list)
    with pytest.raises(InputError, match="torch 2 finds no GPU; use device='cpu'"):
        check_device("cuda")
    monkeypatch.setattr(device, "gpus", lambda: ["cuda:0", "cuda:1"])
    check_device("cuda")
    check_device("cuda:1")
    with pytest.raises(InputError, match="'cuda:2', but the GPUs are cuda:0, cuda:1"):
        check_device("cuda:2")


@pytest.mark.parametrize("asked", ["cpu", "auto"])
def test_without_numba_one_line_says_what_to_install(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=re.escape("pip install 'conceptrules[mllp]'")):
        check_device(asked)
    with pytest.raises(InputError, match="Numba, which is not installed"):
        select_engine(asked, [job()], 2)
