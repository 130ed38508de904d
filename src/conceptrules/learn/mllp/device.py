"""Where to train: on a CPU, or on a GPU where there is one and what it needs is installed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from conceptrules.kernels.mllp.cohort import Cohort, passes_of_epoch
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.mllp.train import FitJob, TrainingEngine
from conceptrules.model.errors import InputError

# Weights x rows x epochs from which a GPU wins although it takes seconds to start: about ten seconds of two cores.
_MIN_GPU_WORK = 2e11
INSTALL = "pip install 'conceptrules[gpu]'"


def check_device(device: object) -> None:
    """Raise an error for what is not a device, and for a GPU that cannot be used: before any long work."""
    if device == "cpu" or (device == "auto" and find_spec("torch") is None):
        _check_numba()
    if device in ("auto", "cpu"):
        return
    if not isinstance(device, str) or device.split(":")[0] != "cuda":
        raise InputError(f"device is {device!r}; use 'auto', 'cpu', 'cuda', or one of several GPUs, such as 'cuda:0'")
    for package in ("torch", "triton"):
        if find_spec(package) is None:
            raise InputError(f"device is {device!r}, but {package} is not installed: {INSTALL}")
    devices = gpus()
    if not devices:
        raise InputError(f"device is {device!r}, but {_torch()} finds no GPU; use device='cpu', or a torch that fits")
    if device != "cuda" and device not in devices:
        raise InputError(f"device is {device!r}, but the GPUs are {', '.join(devices)}")


def _check_numba() -> None:
    if find_spec("numba") is None:
        raise InputError("MLLPClassifier trains with Numba, which is not installed: pip install 'conceptrules[mllp]'")


def gpus() -> list[str]:
    """Return the names of the GPUs; this loads torch."""
    from conceptrules.kernels.mllp.gpus import list_gpus

    return list_gpus()


def _torch() -> str:
    from conceptrules.kernels.mllp.gpus import torch_version

    return torch_version()


def select_engine(
    device: str, jobs: Sequence[FitJob], threads: int, checkpoint: Checkpoint | None = None
) -> TrainingEngine:
    """Return the engine that trains these jobs. "auto" takes the GPUs if there are any and the work is worth it.

    With a checkpoint there is only one job, and a CPU trains it.
    """
    if checkpoint is None and device == "auto":
        large = sum(map(count_work, jobs)) >= _MIN_GPU_WORK or find_spec("numba") is None
        # The driver is asked first: torch alone takes seconds to load.
        use_gpu = large and _has_driver() and find_spec("torch") and find_spec("triton") and gpus()
        device = "cuda" if use_gpu else "cpu"
    if checkpoint is not None or device == "cpu":
        _check_numba()
        from conceptrules.learn.mllp.cpu_engine import CpuEngine

        return CpuEngine(threads, checkpoint)
    from conceptrules.learn.mllp.gpu_engine import GpuEngine

    return GpuEngine(gpus() if device == "cuda" else [device])


def count_work(job: FitJob) -> float:
    """Return how much there is to do at most: weights of all networks x rows of an epoch x epochs."""
    settings, rows = job.hyperparameters, len(job.training)
    passes = passes_of_epoch(rows, min(settings.batch_size, rows), settings.min_steps)
    return float(len(settings.binarization_rate) * Cohort.count(job.sizes) * rows * passes * settings.max_epochs)


def _has_driver() -> bool:
    """Return whether the driver of a GPU can be loaded."""
    try:
        ctypes.CDLL("libcuda.so.1" if sys.platform != "win32" else "nvcuda.dll")
    except OSError:
        return False
    return True
