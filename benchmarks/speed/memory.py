"""The memory of a fit beyond its table: `python -m benchmarks.speed.memory ROWS SEED` is the process that is measured.

What a fit takes is the peak after it, less the resident size just before, when everything is loaded and the table is
there.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks.peak_memory import begin_peak, peak
from benchmarks.speed.measure import Measurement, Plan
from benchmarks.speed.tables import growing
from conceptrules import MLLPClassifier

ROWS = 1_000_000
EPOCHS = 2


def classifier(seed: int, epochs: int = EPOCHS) -> MLLPClassifier:
    """One level and a few epochs, whatever they bring: growth is measured, not quality."""
    return MLLPClassifier(
        layers=(64,), binarization_rate=0.9, max_epochs=epochs, patience=None, random_state=seed, n_jobs=1
    )


def beyond_the_table(plan: Plan) -> Measurement:
    taken, details = [], {}
    for _ in range(plan.pick(plan.repeats, 1)):
        command = [sys.executable, "-m", "benchmarks.speed.memory", str(ROWS), str(plan.seed)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"the measured process failed:\n{run.stderr}")
        before, peak, literals = map(float, run.stdout.split())
        taken.append(peak - before)
        details = {"rows": ROWS, "literals": literals, "MB before": before, "MB at the peak": peak}
    name = "memory of a fit beyond its table of a million rows"
    return Measurement(name, taken, 250, at_least=False, unit="MB", details=details)


def fit_and_print(rows: int, seed: int) -> None:
    """Megabytes before the fit, at its peak, and the number of literals."""
    classifier(seed).fit(*growing(10_000, seed))  # loads what a first fit loads
    table, answers = growing(rows, seed)
    before = begin_peak()
    literals = len(classifier(seed).fit(table, answers).binarizer_.predicates_)
    print(before / 2**20, peak() / 2**20, literals)


if __name__ == "__main__":
    fit_and_print(*map(int, sys.argv[1:]))
