"""What a process pays before its first rule: importing, and loading compiled kernels from the disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from benchmarks.fuzz.seeds import network_of
from benchmarks.speed.measure import Measurement, Plan, slower
from conceptrules.io.model_file import save

TIMED = """
from time import perf_counter
start = perf_counter()
{statement}
print(perf_counter() - start)
"""
OURS, THEIRS = "import conceptrules", "import sklearn"
CLASSIFIER = "from conceptrules import ConceptRuleClassifier"
# Until the first epoch is over, which is later than its start. The table is smaller than any real one, and of its kind.
FIRST_EPOCH = """
from time import perf_counter
start = perf_counter()
from conceptrules import MLLPClassifier
table = [{"number": k % 7, "text": "abc"[k % 3]} for k in range(200)]
from conceptrules.kernels.mllp import cpu
epoch = cpu.epoch
def first_epoch(*given):
    epoch(*given)
    print(perf_counter() - start)
    raise SystemExit
cpu.epoch = first_epoch
MLLPClassifier(n_jobs=1).fit(table, [row["number"] > 3 for row in table])
"""
# The first load of a process: what `import conceptrules` left for later is part of it.
LOAD = """
from time import perf_counter
import conceptrules
start = perf_counter()
conceptrules.load({path!r})
print(perf_counter() - start)
"""


def measure(plan: Plan) -> Iterator[Measurement]:
    script(FIRST_EPOCH)  # the process that compiles, where that has not been done
    first = [script(FIRST_EPOCH) for _ in range(plan.repeats)]
    what = "seconds from before the import to the end of the first epoch, in a new process, kernels cached on disk"
    yield Measurement(
        "import to the first epoch", first, 2.0, at_least=False, unit="s", times={"ours": first}, details={"what": what}
    )
    yield _imports(plan, OURS, 1.5)
    yield _imports(plan, CLASSIFIER, None)
    yield _loading(plan)


def _loading(plan: Plan) -> Measurement:
    with TemporaryDirectory() as folder:
        path = f"{folder}/model.json"
        save(network_of(500), path)
        taken = [script(LOAD.format(path=path)) for _ in range(max(plan.repeats, plan.pick(11, 5)))]
    what = "seconds of the first load in a new process, after import conceptrules"
    details = {"what": what}
    return Measurement(
        "loading a model of 500 edges", taken, 0.05, at_least=False, unit="s", times={"ours": taken}, details=details
    )


def script(code: str) -> float:
    """The last number that a new Python process prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"a measured process failed:\n{run.stderr}")
    return float(run.stdout.split()[-1])


def _imports(plan: Plan, ours: str, target: float | None) -> Measurement:
    """Times that the processes take themselves: starting Python is not part of them."""
    repeats = max(plan.repeats, plan.pick(11, 5))
    statements = {"ours": ours, "sklearn": THEIRS}
    for statement in statements.values():
        script(TIMED.format(statement=statement))
    taken: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(repeats):
        for name, statement in statements.items():
            taken[name].append(script(TIMED.format(statement=statement)))
    return Measurement(f"{ours}, against {THEIRS}", slower(taken, "sklearn"), target, at_least=False, times=taken)
