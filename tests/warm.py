"""Compile the kernels once, before several processes need them: python -m tests.warm."""

from __future__ import annotations

from tests.people import entangled, quick_mllp, quick_search

if __name__ == "__main__":
    for quick in (quick_search, quick_mllp):
        quick().fit(*entangled(60))
