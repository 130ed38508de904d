"""Fits that are killed (SIGKILL) at random moments, in the middle of writing too, and started again.

Each ends with the network and the history of a fit that was left alone. The processes are forked from one that has
loaded the kernels, since starting Python would take most of the time.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from conceptrules.io.model_file import dumps
from conceptrules.model.errors import InputError
from tests.people import entangled, quick_mllp, quick_search

Estimator = Any
FITS: dict[str, tuple[Callable[[], Estimator], int]] = {
    "search, small table": (lambda: quick_search(effort="default", n_jobs=2), 300),
    "search, large table": (lambda: quick_search(effort="default", n_jobs=2), 4500),
    "paper's method with refit": (lambda: quick_mllp(layers=(256, 64, 256), max_epochs=40, refit=True), 300),
}
_DISK = 128 * 1024
"""Bytes of a small disk: enough for the first checkpoints."""
QUICK: dict[str, tuple[Callable[[], Estimator], int]] = {
    "search": (lambda: quick_search(n_jobs=2), 250),
    "paper's method": (lambda: quick_mllp(layers=(64,), max_epochs=40, refit=True), 80),
}
_LIVES = 6
"""How often a run is killed before it may end."""


@dataclass
class Tally:
    """What was tried."""

    kills: int = 0
    in_writing: int = 0
    runs: int = 0


def main(minutes: float, start: int = 0) -> None:
    """Kill fits of all kinds in turn, 30 times at least, at moments that are drawn from a seed."""
    end, tallies, rng = time.monotonic() + 60 * minutes, {name: Tally() for name in FITS}, random.Random(start)
    while time.monotonic() < end or sum(one.kills for one in tallies.values()) < 30:
        for name, tally in tallies.items():
            attack(*FITS[name], kills=10, rng=rng, tally=tally)
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.kills} kills, {tally.in_writing} of them while the checkpoint was written; "
            f"all {tally.runs} runs ended with the network and the history of one that was left alone"
        )
    print(f"full disk, {fill_disk()}")


def attack(estimator: Callable[[], Estimator], rows: int, kills: int, rng: random.Random, tally: Tally) -> None:
    """Kill fits of one kind so many times."""
    table = entangled(rows)
    wanted = _outcome(estimator().fit(*table))
    with TemporaryDirectory() as folder:
        checkpoint, result = Path(folder, "run.ckpt"), Path(folder, "result.json")
        start = time.monotonic()
        assert _life(estimator, table, checkpoint, result) == 0
        usual, before = time.monotonic() - start, tally.kills
        while tally.kills < before + kills:
            result.unlink()
            for life in range(_LIVES + 1):
                moment = rng.uniform(0, 0.9 * usual) if life < _LIVES else None
                writing = rng.random() < 0.5
                code = _life(estimator, table, checkpoint, result, moment and moment / (1 + writing), writing)
                if code == 0:
                    break
                assert code == -signal.SIGKILL, f"the fit failed by itself: {code}"
                tally.kills += 1
                tally.in_writing += bool(list(Path(folder).glob(".run.ckpt.*.tmp")))
                for left in Path(folder).glob(".run.ckpt.*.tmp"):
                    left.rename(left.with_name(f".run.ckpt.0{tally.kills}.tmp.seen"))
                if checkpoint.exists():
                    with np.load(checkpoint, allow_pickle=False) as file:
                        assert all(file[one] is not None for one in file.files)
            assert json.loads(result.read_text()) == wanted, "another network or history after kills"
            assert not checkpoint.exists(), "the checkpoint is still there"
            tally.runs += 1


def fill_disk() -> str:
    """Fit on a disk that is soon full: a clear error, the last good checkpoint intact, and the same network from it."""
    estimator, rows = FITS["search, small table"]
    table = entangled(rows)
    wanted = _outcome(estimator().fit(*table))
    with TemporaryDirectory() as folder:
        small = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", folder]
        mounted = subprocess.run(small, capture_output=True, check=False).returncode == 0  # root may do that
        try:
            checkpoint = Path(folder, "run.ckpt")
            # Every piece is written at once: on a busy machine, too few would be for the disk to be full.
            with patch("conceptrules.learn.checkpoint._SHARE", math.inf):
                said = _said(lambda: estimator().fit(*table, checkpoint=checkpoint), None if mounted else _DISK // 2)
            assert "cannot write the checkpoint" in said, f"no clear error: {said}"
            assert "the last good checkpoint is still there" in said, said
            assert [path.name for path in Path(folder).iterdir()] == ["run.ckpt"], "something is left behind"
            kept = Path(shutil.copy(checkpoint, f"{folder}.ckpt"))
        finally:
            if mounted:
                subprocess.run(["umount", folder], check=True)
    assert _outcome(estimator().fit(*table, checkpoint=kept)) == wanted, "another network or history after a full disk"
    return f"{'a tmpfs' if mounted else 'a limit of the size of files'}: {said}"


def _said(work: Callable[[], object], limit: int | None) -> str:
    """Return what an error says of work in a process of its own, whose files may have so many bytes."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            work()
        except InputError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


def _outcome(fitted: Estimator) -> Any:
    return json.loads(json.dumps([dumps(fitted.network_), fitted.history_]))


def _life(
    estimator: Callable[[], Estimator],
    table: tuple[Any, Any],
    checkpoint: Path,
    result: Path,
    moment: float | None = None,
    writing: bool = False,
) -> int:
    """Fit in a process of its own; kill it after so many seconds, or at the next writing. Return how it ended."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            outcome = _outcome(estimator().fit(*table, checkpoint=checkpoint))
            result.write_text(json.dumps(outcome))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    start, killed = time.monotonic(), False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        late = moment is not None and time.monotonic() - start >= moment
        if not killed and late and (not writing or any(checkpoint.parent.glob(".run.ckpt.*.tmp"))):
            os.kill(child, signal.SIGKILL)
            killed = True
        time.sleep(0.0002 if writing else 0.002)


if __name__ == "__main__":  # a process without threads, for the test
    SHORT = Tally()
    for kind in QUICK.values():
        attack(*kind, kills=15, rng=random.Random(0), tally=SHORT)
    fill_disk()
    print(SHORT.kills, SHORT.in_writing, SHORT.runs)
