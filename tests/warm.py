"""Compile the MLLP's kernels once, before several processes need them: python -m tests.warm."""

from __future__ import annotations

from tests.people import entangled, quick_mllp

if __name__ == "__main__":
    quick_mllp().fit(*entangled(60))
