"""The GPUs that there are."""

from __future__ import annotations

import torch


def devices() -> list[str]:
    """Return the names of the GPUs."""
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def version() -> str:
    """Return the version of torch, which has to fit the GPU."""
    return f"torch {torch.__version__}"
