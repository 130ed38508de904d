"""The GPUs that there are."""

from __future__ import annotations

import torch


def devices() -> list[str]:
    """Return the names of the GPUs."""
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def free_memory(device: str) -> int:
    """Return the bytes that are free on a GPU, those that torch keeps for later among them."""
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(torch.cuda.mem_get_info(device)[0] + kept)


def version() -> str:
    """Return the version of torch, which has to fit the GPU."""
    return f"torch {torch.__version__}"
