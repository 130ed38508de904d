"""Cost against rows, literals and width, and the memory of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import partial
from statistics import median

import numpy as np

from benchmarks.speed.engine import masks, our_epoch, start
from benchmarks.speed.measure import Measurement, Plan, exponent, interleaved
from benchmarks.speed.memory import EPOCHS, beyond_the_table, classifier
from benchmarks.speed.tables import growing, random_bits
from conceptrules.kernels.mllp.cohort import KernelRows

ROWS, QUICK_ROWS = (10_000, 100_000, 1_000_000), (10_000, 50_000, 250_000)
LITERALS = (50, 100, 200, 400, 800)
WIDTHS = (32, 64, 128, 256, 512)


def measure(plan: Plan) -> Iterator[Measurement]:
    yield beyond_the_table(plan)
    yield from _rows(plan)
    yield _epochs(plan, "literals", {size: (size, 128, 2) for size in LITERALS})
    yield _epochs(plan, "width", {size: (155, size, size, size, 2) for size in WIDTHS})


def _rows(plan: Plan) -> Iterator[Measurement]:
    sizes = QUICK_ROWS if plan.quick else ROWS
    tables = {size: growing(size, plan.seed) for size in sizes}
    fitted = classifier(plan.seed, epochs=60).fit(*tables[sizes[0]])  # long enough to have rules
    tasks: dict[str, dict[int, Callable[[], object]]] = {
        "fit": {size: partial(classifier(plan.seed).fit, *tables[size]) for size in sizes},
        "transform": {size: partial(fitted.binarizer_.transform, tables[size][0]) for size in sizes},
        "predict": {size: partial(fitted.predict, tables[size][0]) for size in sizes},
    }
    for name, by_size in tasks.items():
        times = interleaved({str(size): task for size, task in by_size.items()}, plan.repeats)
        slopes = [exponent(sizes, taken) for taken in zip(*times.values(), strict=True)]
        details = {
            "against": "rows",
            "sizes": sizes,
            "literals": len(fitted.binarizer_.predicates_),
            "edges": fitted.network_.edges,
            "epochs of the fit": EPOCHS,
            "exponent between the two largest": exponent(sizes[-2:], [median(times[str(size)]) for size in sizes[-2:]]),
        }
        yield Measurement(f"exponent in rows of {name}", slopes, 1.05, at_least=False, times=times, details=details)


def _epochs(plan: Plan, against: str, sizes: dict[int, tuple[int, ...]]) -> Measurement:
    """Seconds an epoch of one network at P = 0.9, on random bits."""
    rng = np.random.default_rng(plan.seed)
    rows = plan.pick(26_048, 6_400)
    with ThreadPoolExecutor(1) as executor:
        tasks = {}
        for size, shape in sizes.items():
            bits, target = random_bits(rows, shape[0], shape[-1], rng)
            cohort, data = start(shape, 1, rng), KernelRows.of(bits, target, np.ones(rows))
            given = (masks(cohort, (0.9,), rng), data, rng.permutation(rows), executor)
            tasks[str(size)] = lambda cohort=cohort, given=given: our_epoch(deepcopy(cohort), *given)
        times = interleaved(tasks, plan.repeats)
    slopes = [exponent(list(sizes), taken) for taken in zip(*times.values(), strict=True)]
    details = {"against": against, "sizes": list(sizes), "networks": list(sizes.values()), "rows": rows}
    return Measurement(f"exponent in {against} of an epoch", slopes, times=times, details=details)
