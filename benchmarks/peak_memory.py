"""The peak of memory of this process, which Linux keeps (VmHWM) and sets back to the present size on request."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path


def begin_peak() -> int:
    """Let the peak begin anew, and return the bytes that are taken now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # freed memory that the process still holds would hide as much of the fit's
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _own("VmRSS")


def peak() -> int:
    """Return the most bytes that were taken since the peak began."""
    return _own("VmHWM")


def _own(word: str) -> int:
    """Return a line of the kernel's account of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(word))
