"""100,000 damaged model files: each one loads, and then predicts, or is refused with our own error; none takes long.

python -m benchmarks.fuzz [count] [seed]
"""

from __future__ import annotations

import sys

from benchmarks.fuzz.seeds import seeds
from benchmarks.fuzz.trial import tried

SLOWEST = 1.0  # seconds of processor time


def main(count: int = 100_000, seed: int = 0) -> int:
    result = tried(seeds(), count, seed)
    reasons = f"for {result.reasons:,} reasons"
    print(f"{count:,} damaged files: {result.loaded:,} loaded, {result.refused:,} refused {reasons}")
    print(f"{result.predicted:,} of the loaded ones predict, {result.loaded - result.predicted:,} refuse the table")
    print(f"the slowest took {result.slowest * 1000:.0f} ms")
    for failure in result.failures[:10]:
        print(failure)
    if result.failures or result.slowest > SLOWEST:
        print(f"FAILED: {len(result.failures):,} other exceptions, slowest {result.slowest:.2f} s")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
