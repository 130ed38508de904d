"""Compile the kernels once, before several processes need them: python -m tests.warm."""

from __future__ import annotations

from tests.people import entangled, quick

if __name__ == "__main__":
    for learner in ("polished", "paper"):
        quick(learner).fit(*entangled(60))
