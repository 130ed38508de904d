"""Forged models, policies and certificates: the checker confirms nothing that the prover does not prove of them.

First every value of the three files is forged, one at a time. Then networks and policies are drawn at random, with one
to three values of their files forged at once.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

from conceptrules.model import InputError
from tests.logic.policies.brute_force import card_cases, cases
from tests.test_check import (
    SPECIAL,
    certified,
    changed,
    check_forgery,
    directed,
    directed_card,
    forgeries,
    paths,
    value_at,
)

EACH = 200
"""Networks and policies that are drawn in one turn."""


def main(minutes: float, start: int = 0) -> None:
    """Forge until the time is over, beginning with a turn."""
    end, turn = time.monotonic() + 60 * minutes, start
    first = [files for honest in (directed(), directed_card()) for files in forgeries(honest)]
    forged, confirmed = tally(list(map(check_forgery, first)))
    while turn == start or time.monotonic() < end:
        more = tally(forge_cases(turn, EACH))
        forged, confirmed, turn = forged + more[0], confirmed + more[1], turn + 1
        print(
            f"{forged:,} forgeries, {confirmed:,} clauses of them confirmed, each of them proved; "
            f"go on with --start {turn}",
            flush=True,
        )


def tally(confirmed: list[int]) -> tuple[int, int]:
    """Return how many forgeries there were, and how many clauses of them were confirmed."""
    return len(confirmed), sum(confirmed)


def forge_cases(turn: int, count: int) -> list[int]:
    """Forge the files of so many networks, others in each turn, and return how much is confirmed of each."""
    rng, results = random.Random(turn), list[int]()

    @seed(turn)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(cases() | card_cases())
    def attack(case: Any) -> None:
        with suppress(InputError):  # a domain without rows
            files = certified(*case)[:3]
            results.extend(check_forgery(forge(files, rng)) for _ in range(20))

    attack()
    return results


def forge(files: tuple[Any, Any, Any], rng: random.Random) -> list[Any]:
    """Return the files with one to three values replaced by special ones, or by others that they hold."""
    forged = list(files)
    for _ in range(rng.choice((1, 1, 2, 3))):
        part = rng.randrange(3)
        known = [path for path in paths(forged[part]) if path]
        if known:
            source = [value_at(forged[part], path) for path in known] if rng.random() < 0.5 else SPECIAL
            forged[part] = changed(forged[part], rng.choice(known), rng.choice(source))
    return forged
