"""The GPUs that there are."""

from __future__ import annotations

import torch


def devices() -> list[str]:
    """Return the names of the GPUs."""
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def free_memory(device: str) -> int:
    """Return the bytes that are free on a GPU."""
    return int(torch.cuda.mem_get_info(device)[0])


def version() -> str:
    """Return the version of torch, which has to fit the GPU."""
    return f"torch {torch.__version__}"
