"""The GPUs of this machine, as torch sees them: without Triton, whose kernels take seconds to load."""

from __future__ import annotations

import torch


def list_gpus() -> list[str]:
    """Return the names of the GPUs."""
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def torch_version() -> str:
    """Return the version of torch, which has to fit the GPU."""
    return f"torch {torch.__version__}"
