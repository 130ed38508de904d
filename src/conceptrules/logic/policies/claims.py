"""What has to hold of a network for a clause to be satisfied, as claims about all possible rows, or pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from conceptrules.logic.policies.possible_rows import Cells, Space
from conceptrules.model.policy import Clause, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.policy import stated
from conceptrules.model.predicate import Column, Value
from conceptrules.model.rule_reader import Stated


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about every possible row, or about every pair of them that differs in one column only.

    Of a pair: where the first row gets a class out of one of the `events`, the second gets one out of it too. Of one
    row: where the premise holds, the row gets a class out of the event.
    """

    events: tuple[frozenset[Value], ...]
    premise: tuple[Stated, ...] = ()
    column: str | None = None
    """The column in which two rows differ."""
    first: int = 0
    """The cell of the first row in that column."""
    second: int = 0
    """The cell of the second row in that column."""


def claims_of(
    clause: Clause, policy: Policy, space: Space, columns: Sequence[Column], classes: Sequence[Value]
) -> list[Claim] | None:
    """Return the claims that a clause comes down to; None where it is not about decisions."""
    match clause:
        case Monotone(column=column):
            order = clause.order or tuple(classes)
            events = tuple(frozenset(order[place:]) for place in range(1, len(order)))
            cells = space[column]
            chain = [*_gap(cells, clause), *cells.ascending()]
            pairs = list(_pairs(chain, column, policy, columns))
            turned = [(high, low) for low, high in pairs] if clause.direction == "down" else pairs
            return [Claim(events, (), column, first, second) for first, second in turned]
        case Independent(column=column) if column not in space:
            return []  # it is forbidden, and no column of the network
        case Independent(column=column):
            events = tuple(frozenset([label]) for label in classes)
            pairs = list(_pairs(space[column].members(), column, policy, columns))
            return [Claim(events, (), column, first, second) for first, second in pairs]
        case Implies(rule=rule, label=label):
            return [Claim((frozenset([label]),), stated(clause.name, rule, columns))]
        case Locked(rule=rule, label=label, mode="decides"):
            return [Claim((frozenset([label]),), stated(clause.name, rule, columns))]
    return None


def check_consistent(policy: Policy, space: Space, columns: Sequence[Column]) -> Iterator[tuple[Clause, Clause, Claim]]:
    """Yield pairs of clauses that want different classes, with the claim that no possible row meets both premises."""
    wanted: list[Implies | Locked] = [
        *policy.of_kind(Implies),
        *(one for one in policy.of_kind(Locked) if one.mode == "decides"),
    ]
    for one, other in combinations(wanted, 2):
        if one.label != other.label:
            tests = (*stated(one.name, one.rule, columns), *stated(other.name, other.rule, columns))
            yield one, other, Claim((frozenset(),), tests)


def _gap(cells: Cells, clause: Monotone) -> list[int]:
    missing = len(cells.values) - 1
    return [missing] if clause.missing == "lowest" and cells.possible >> missing & 1 else []


def _pairs(chain: list[int], column: str, policy: Policy, columns: Sequence[Column]) -> Iterator[tuple[int, int]]:
    """Yield neighbours; all pairs where what is impossible depends on the column, so that a row may skip a cell."""
    impossible = [test for rule in policy.domain.impossible for test in stated("domain.impossible", rule, columns)]
    skips = any(test.predicate.column == column for test in impossible)
    yield from combinations(chain, 2) if skips else pairwise(chain)
