"""What clauses come down to: claims about rows, and about pairs of rows."""

from __future__ import annotations

import pytest

from conceptrules.logic.policies.claims import Claim, check_consistent, claims_of
from conceptrules.logic.policies.possible_rows import space_of
from conceptrules.model import Column, Interval
from conceptrules.model.policy import Clause, Default, Domain, Forbidden, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.predicate import Predicate
from conceptrules.model.rule_reader import Stated

COLUMNS = (Column("age"), Column("job", "category", ("a", "b")))
TESTS: list[Predicate] = [Interval("age", 5, 9)]
CLASSES = ("no", "maybe", "yes")
RISING = (frozenset(["maybe", "yes"]), frozenset(["yes"]))
SINGLE = tuple(frozenset([label]) for label in CLASSES)


def claims(clause: Clause, domain: Domain | None = None) -> list[Claim] | None:
    policy = Policy((clause,), domain or Domain())
    return claims_of(clause, policy, space_of(COLUMNS, TESTS, policy, ["age", "job"]), COLUMNS, CLASSES)


def pairs(events: tuple[frozenset[str], ...], *cells: tuple[int, int], column: str = "age") -> list[Claim]:
    return [Claim(events, (), column, first, second) for first, second in cells]  # type: ignore[arg-type]


GAP = Domain(missing=False)
SKIP = Domain(impossible=("age > 9 and job = a",))
OTHER = Domain(impossible=("job = a",))


@pytest.mark.parametrize(
    ("clause", "domain", "found"),
    [
        (Monotone("age", "up"), None, pairs(RISING, (0, 1), (1, 2))),
        (Monotone("age", "down"), None, pairs(RISING, (1, 0), (2, 1))),
        (Monotone("age", "up", missing="lowest"), None, pairs(RISING, (3, 0), (0, 1), (1, 2))),
        (Monotone("age", "up", missing="lowest"), GAP, pairs(RISING, (0, 1), (1, 2))),
        (Monotone("age", "up"), SKIP, pairs(RISING, (0, 1), (0, 2), (1, 2))),
        (Monotone("age", "up"), OTHER, pairs(RISING, (0, 1), (1, 2))),
        (Independent("age"), None, pairs(SINGLE, (0, 1), (1, 2), (2, 3))),
        (Independent("age"), GAP, pairs(SINGLE, (0, 1), (1, 2))),
        (Independent("job"), None, pairs(SINGLE, (0, 1), column="job")),
        (Independent("gone"), None, []),
        (Implies("age > 5", "no"), None, [Claim((frozenset(["no"]),), (Stated(Interval("age", 5)),))]),
        (Locked("age > 5", "no", "decides"), None, [Claim((frozenset(["no"]),), (Stated(Interval("age", 5)),))]),
        (Locked("age > 5", "no"), None, None),
        (Default("no"), None, None),
        (Forbidden("age"), None, None),
    ],
)
def test_the_claims_of_a_clause(clause: Clause, domain: Domain | None, found: list[Claim] | None) -> None:
    assert claims(clause, domain) == found


def test_an_order_of_classes_is_that_of_the_clause() -> None:
    (first, _) = claims(Monotone("age", "up", ("yes", "maybe", "no"))) or []
    assert first.events == (frozenset(["maybe", "no"]), frozenset(["no"]))


def test_clauses_that_want_different_classes_are_to_exclude_each_other() -> None:
    clauses = (
        Implies("age > 5", "no"),
        Implies("age > 9", "yes"),
        Implies("job = a", "no"),
        Locked("job = b", "yes", "decides"),
        Locked("age <= 5", "maybe"),
    )
    policy = Policy(clauses)
    found = list(check_consistent(policy, space_of(COLUMNS, [], policy), COLUMNS))
    rules = [(one.rule, other.rule) for one, other, _ in found]  # type: ignore[attr-defined]
    assert rules == [("age > 5", "age > 9"), ("age > 5", "job = b"), ("age > 9", "job = a"), ("job = a", "job = b")]
    assert found[0][2] == Claim((frozenset(),), (Stated(Interval("age", 5)), Stated(Interval("age", 9))))
