"""Tables and policies drawn at random: every network that is learned keeps its policy, by trying all cells.

Policies have clauses about decisions, structure and locked rules; least rows and precision; or bounds on groups. So do
those that scorecards are learned under. Of scorecards and policies drawn at random, no verdict is false.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.learn.points.test_constraints import CARD_CASES, learn_and_prove
from tests.learn.search.test_policy_masks import CASES, learn_and_check
from tests.learn.search.test_row_clauses import FAIR, PRECISE, learn_fair_rules, learn_precise_rules
from tests.logic.policies.brute_force import card_cases
from tests.logic.policies.test_card_claims import check_verdicts

LAWS: tuple[tuple[Any, Callable[[Any, int], None]], ...] = (
    (CASES, learn_and_check),
    (CASES, learn_and_check),  # most policies are of this kind
    (PRECISE, learn_precise_rules),
    (FAIR, learn_fair_rules),
    (card_cases(), lambda case, _: check_verdicts(*case)),
    (CARD_CASES, learn_and_prove),
)
EACH = 25
"""Tables that one law is asked about at a time."""


def main(minutes: float, start: int = 0) -> None:
    """Draw tables and policies until the time is over, beginning with a turn."""
    end, drawn, turn = time.monotonic() + 60 * minutes, 0, start
    while turn == start or time.monotonic() < end:
        cases, law = LAWS[turn % len(LAWS)]
        drawn += attacked(cases, law, turn, EACH)
        turn += 1
        print(f"{drawn:,} tables and policies drawn, no violation; go on with --start {turn}", flush=True)


def attacked(cases: Any, law: Callable[[Any, int], None], turn: int, count: int) -> int:
    """Ask one law about so many tables, others in each turn. Returns how many there were."""
    tables = 0

    @seed(turn)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(cases, st.integers(0, 2**31))
    def attack(case: Any, number: int) -> None:
        nonlocal tables
        tables += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            law(case, number)

    attack()
    return tables
