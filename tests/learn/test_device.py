"""Which devices can be used, and what is said where one cannot be."""

from __future__ import annotations

import pytest

from conceptrules.learn import device
from conceptrules.learn.device import check_device
from conceptrules.model.errors import InputError


@pytest.mark.parametrize("wrong", ["gpu", "cudax", 0, None])
def test_what_is_no_device(wrong: object) -> None:
    with pytest.raises(InputError, match="use 'cpu', 'cuda', or one of several GPUs"):
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
