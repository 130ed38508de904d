"""The names and sentences of clauses, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from conceptrules.model import InputError
from conceptrules.model.policy import (
    Apart,
    Banned,
    Clause,
    Cost,
    Default,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Priority,
)


@pytest.mark.parametrize(
    ("clause", "name", "text"),
    [
        (Monotone("age", "up"), "monotone.age", "as age rises, the decision never gets worse"),
        (Monotone("x", "up", ("a b",)), "monotone.x", "as x rises, the decision never gets worse (a b is better)"),
        (
            Monotone("a is", "down", ("no", "yes"), "lowest"),
            "monotone.a is",
            'as "a is" rises, the decision never gets better (no < yes), where a missing value is the lowest',
        ),
        (Independent("zip"), "independent.zip", "the decision does not depend on zip"),
        (Forbidden("race"), "forbidden.race", "no rule asks about race"),
        (Apart("age", "sex"), "apart.age.sex", "no rule asks about both age and sex"),
        (OnlyFor("age", ("yes", "no")), "only_for.age", "only the rules of yes and no ask about age"),
        (Cost("age", 2), "cost.age", "a literal on age costs 2"),
        (Cost("age", 0.5), "cost.age", "a literal on age costs 0.5"),
        (Locked("age > 3", "no"), "locked.age > 3", "no has the rule: age > 3"),
        (
            Locked("age > 3", "no", "decides"),
            "locked.age > 3",
            "no has the rule: age > 3; where it holds, no is answered",
        ),
        (Banned("age > 3", "no"), "banned.no.age > 3", "no rule of no lies inside: age > 3"),
        (Default("no"), "default", "no is answered where no rule holds"),
        (Priority(("b", "a")), "priority", "where several classes fire, the first of these wins: b, a"),
        (Limit("edges", 4), "max_edges", "at most 4 edges"),
        (Limit("rules", 0), "max_rules", "at most 0 rules"),
        (Limit("literals", 2), "max_literals", "at most 2 literals in each rule"),
        (LeastRows(20), "min_rows", "every rule covers at least 20 rows"),
        (LeastRows(2.5), "min_rows", "every rule covers at least 2.5 rows"),
        (LeastPrecision(0.8), "min_precision", "at least 0.8 of the rows of every rule are of its class"),
        (
            LeastPrecision(1, 0.95),
            "min_precision",
            "at least 1 of the rows of every rule are of its class, with a confidence of 0.95",
        ),
        (
            Fair("sex", "yes", 0.1),
            "fair.sex.positive_rate",
            "the positive rates of yes between groups of sex differ by at most 0.1",
        ),
        (
            Fair("sex", "yes", 0.1, "true_positive_rate"),
            "fair.sex.true_positive_rate",
            "the true positive rates of yes between groups of sex differ by at most 0.1",
        ),
        (
            Fair("sex", "yes", 0.8, "selection_ratio"),
            "fair.sex.selection_ratio",
            "the ratio of the rates of yes between groups of sex is at least 0.8",
        ),
        (Implies("age > 3", "no"), "implies.age > 3", "if age > 3, then no"),
    ],
)
def test_a_clause_has_a_name_and_a_sentence(clause: Clause, name: str, text: str) -> None:
    assert (clause.name, clause.text) == (name, text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Monotone("a", "in"), "monotone.a: direction must be 'up' or 'down', found 'in'"),  # type: ignore[arg-type]
        (
            lambda: Monotone("a", "up", missing="x"),  # type: ignore[arg-type]
            "monotone.a: missing must be 'incomparable' or 'lowest', found 'x'",
        ),
        (
            lambda: Monotone("a", "up", ("x", "a", "b", "a")),
            "monotone.a: the order of the classes goes in a circle, a < b < a; name each class once",
        ),
        (
            lambda: Priority(("a", "a")),
            "priority: the order of the classes goes in a circle, a < a; name each class once",
        ),
        (lambda: Apart("a", "a"), "apart.a.a: a column always meets itself; name two columns, or forbid it"),
        (lambda: OnlyFor("a", ()), "only_for.a: no class is named; name some, or forbid the column"),
        (lambda: Limit("edges", -1), "max_edges must be a whole number from 0 up, found -1"),
        (lambda: Limit("edges", True), "max_edges must be a whole number from 0 up, found True"),
        (lambda: Limit("edges", 1.0), "max_edges must be a whole number from 0 up, found 1.0"),  # type: ignore[arg-type]
        (lambda: Cost("a", -0.1), "cost.a: cost must be a number from 0 up, found -0.1"),
        (lambda: Cost("a", math.inf), "cost.a: cost must be a number from 0 up, found inf"),
        (lambda: Cost("a", 10**400), f"cost.a: cost must be a number from 0 up, found {10**400}"),
        (lambda: Cost("a", True), "cost.a: cost must be a number from 0 up, found True"),
        (lambda: LeastRows(-1), "min_rows: rows must be a number from 0 up, found -1"),
        (lambda: LeastRows("1"), "min_rows: rows must be a number from 0 up, found '1'"),  # type: ignore[arg-type]
        (lambda: LeastPrecision(1.1), "min_precision: precision must be a number from 0 to 1, found 1.1"),
        (lambda: LeastPrecision(-0.1), "min_precision: precision must be a number from 0 to 1, found -0.1"),
        (
            lambda: LeastPrecision(1, 0.49),
            "min_precision: confidence must be a number from 0.5 to 0.999999, found 0.49",
        ),
        (lambda: LeastPrecision(1, 1), "min_precision: confidence must be a number from 0.5 to 0.999999, found 1"),
        (lambda: Fair("s", "a", 1.01), "fair.s.positive_rate: bound must be a number from 0 to 1, found 1.01"),
        (lambda: Fair("s", "a", -0.01), "fair.s.positive_rate: bound must be a number from 0 to 1, found -0.01"),
    ],
)
def test_what_no_clause_can_be(make: Callable[[], Clause], message: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message


def test_the_ends_of_a_range_are_allowed() -> None:
    allowed = [
        Cost("a", 0),
        LeastRows(0),
        LeastPrecision(0, 0.5),
        LeastPrecision(1, 0.999999),
        Fair("s", "a", 0),
        Fair("s", "a", 1),
    ]
    assert len(allowed) == 6


def test_lists_become_tuples_so_that_clauses_are_values() -> None:
    lists: list[Clause] = [
        Monotone("a", "up", ["x", "y"]),  # type: ignore[arg-type]
        OnlyFor("a", ["x"]),  # type: ignore[arg-type]
        Priority(["x", "y"]),  # type: ignore[arg-type]
    ]
    assert set(lists) == {Monotone("a", "up", ("x", "y")), OnlyFor("a", ("x",)), Priority(("x", "y"))}
