"""Which devices can be used: a CPU, or a GPU where there is one and what it needs is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from conceptrules.model.errors import InputError

INSTALL = "pip install 'conceptrules[gpu]'"


def check_device(device: object, others: Sequence[str] = ("cpu",)) -> None:
    """Object to what is no device, and to a GPU that cannot be used, before any long work."""
    if device in others:
        return
    if not isinstance(device, str) or device.split(":")[0] != "cuda":
        known = ", ".join(map(repr, others))
        raise InputError(f"device is {device!r}; use {known}, 'cuda', or one of several GPUs, such as 'cuda:0'")
    for package in ("torch", "triton"):
        if find_spec(package) is None:
            raise InputError(f"device is {device!r}, but {package} is not installed: {INSTALL}")
    found = gpus()
    if not found:
        raise InputError(f"device is {device!r}, but {_torch()} finds no GPU; use device='cpu', or a torch that fits")
    if device != "cuda" and device not in found:
        raise InputError(f"device is {device!r}, but the GPUs are {', '.join(found)}")


def gpus() -> list[str]:
    """Return the names of the GPUs; it loads torch."""
    from conceptrules.kernels.gpus import devices

    return devices()


def _torch() -> str:
    from conceptrules.kernels.gpus import version

    return version()
