"""A regularization path whose networks are kept in a checkpoint, and taken from there if an earlier start got so far.

Each network depends on the one before and on the state of the random numbers, so both are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.search.values import CODES, Rules
from conceptrules.learn.checkpoint import Arrays, Checkpoint
from conceptrules.learn.search.regularization_path import Path, Snapshot


class KeptPath(Path):
    """A path, with the name that its pieces have in the checkpoint."""

    def __init__(self, checkpoint: Checkpoint, name: str, *path: Any) -> None:
        super().__init__(*path)
        self._checkpoint, self._name = checkpoint, name

    def at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, as the path itself does."""
        piece = f"{self._name} {penalty!r}"
        if (kept := self._checkpoint.get(piece)) is not None:
            return self._skip(*kept)
        snapshot = super().at(penalty)
        about = {
            "order": snapshot.order.tolist(),
            "default": snapshot.default,
            "score": snapshot.score,
            "edges": snapshot.edges,
            "chance": int(self._state[0]),
            "lost": self._lost,
        }
        rules = snapshot.rules._asdict() | {"allowed": np.packbits(snapshot.rules.allowed, axis=2)}
        self._checkpoint.put(piece, about, rules)
        return snapshot

    def _skip(self, about: dict[str, Any], arrays: Arrays) -> Snapshot:
        """Go on as if `at` had just found this network."""
        snapshot = _read(about, arrays)
        self._step += 1
        self._state[0], self._lost = about["chance"], about["lost"]
        self._last = snapshot if self._step > 1 else None
        return snapshot


def _read(about: dict[str, Any], arrays: Arrays) -> Snapshot:
    allowed = np.unpackbits(arrays["allowed"], axis=2, count=CODES)
    order = np.array(about["order"], np.int64)
    rules = Rules(**{**arrays, "allowed": allowed})
    return Snapshot(rules, order, about["default"], about["score"], about["edges"])
