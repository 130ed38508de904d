"""The clauses that are read off the rules, on networks of several levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.policies.clause_checks import (
    check_rows,
    compare_groups,
    find_lost_rule,
    find_violation,
    is_structural,
    lower_bound,
)
from conceptrules.logic.policies.proof import prove
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Rule,
    RuleNetwork,
    Statistics,
)
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
    Policy,
    Priority,
)
from conceptrules.model.precision import wilson_interval
from conceptrules.model.statistics import asked_columns
from conceptrules.tables.groups import check_groups, read_groups
from conceptrules.tables.table import open_table
from tests.logic.policies.test_counterexamples import read
from tests.logic.policies.test_proof import LABELS, ROWS, people

COLUMNS = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay"), Column("zip", "category"))
TESTS = (Interval("age", 41), Equals("job", "nurse"), Interval("pay", 1000), Equals("zip", "9"))
A, J, P, Z = (Literal(index) for index in range(4))
FLAT = RuleNetwork(
    COLUMNS,
    TESTS,
    (Level((Rule((A, J)), Rule((P,)), Rule((~A,))), (Concept((0, 1)), Concept((2,)))),),
    ("yes", "no"),
    ("no", "yes"),
    "no",
)
DEEP = RuleNetwork(
    COLUMNS,
    TESTS,
    (
        Level((Rule((A,)), Rule((J,)), Rule((P,))), (Concept((0,)), Concept((1, 2)), Concept((2,)))),
        Level((Rule((A, J)), Rule((P,)), Rule((~P,))), (Concept((0,)), Concept((1, 2)))),
    ),
    ("yes", "no"),
)


@pytest.mark.parametrize(
    ("clause", "network", "found"),
    [
        (Forbidden("zip"), FLAT, None),
        (Forbidden("pay"), FLAT, "this rule does: pay > 1000"),
        (Forbidden("zip"), DEEP, None),
        (Forbidden("job"), DEEP, "this rule does: job = nurse"),
        (Apart("age", "pay"), FLAT, None),
        (Apart("job", "age"), FLAT, "this rule does: age > 41 and job = nurse"),
        # Two columns meet in a rule where the concepts of it ask about them.
        (Apart("age", "pay"), DEEP, "this rule does: C1.1 and C1.2"),
        (Apart("age", "zip"), DEEP, None),
        (OnlyFor("pay", ("yes",)), FLAT, None),
        (OnlyFor("pay", ("no",)), FLAT, "this rule of yes does too: pay > 1000"),
        (OnlyFor("age", ("yes",)), FLAT, "this rule of no does too: not (age > 41)"),
        (OnlyFor("age", ("yes", "no")), FLAT, None),
        (OnlyFor("job", ("yes",)), DEEP, None),
        (OnlyFor("pay", ("yes",)), DEEP, "this rule of no does too: C1.3"),
        (Default("no"), FLAT, None),
        (Default("yes"), FLAT, "the default is no"),
        (Priority(("no", "yes")), FLAT, None),
        (Priority(("yes", "no")), FLAT, "the priority is no, yes"),
        (Limit("literals", 2), FLAT, None),
        (Limit("literals", 1), FLAT, "this rule has 2: age > 41 and job = nurse"),
        (Limit("literals", 1), DEEP, "this rule has 2: C1.1 and C1.2"),
        (Limit("edges", 7), FLAT, None),
        (Limit("edges", 6), FLAT, "the network has 7 edges"),
        (Limit("rules", 3), FLAT, None),
        (Limit("rules", 2), FLAT, "the network has 3 rules"),
        (Limit("rules", 5), DEEP, "the network has 6 rules"),
        (Locked("job = nurse and age > 41", "yes"), FLAT, None),
        (Locked("job = nurse and age > 41", "no"), FLAT, "no has no such rule"),
        (Locked("age > 41", "yes"), FLAT, "yes has no such rule"),
        # Concepts pass a rule on where a rule of the class has only them.
        (Locked("pay > 1000", "no"), DEEP, None),
        (Locked("pay > 1000", "yes"), DEEP, "yes has no such rule"),
        (Locked("age > 41", "yes"), DEEP, "yes has no such rule"),
        (Banned("pay > 500", "no"), FLAT, None),
        (Banned("pay > 500", "yes"), FLAT, "this rule does: pay > 1000"),
        (Banned("pay > 2000", "yes"), FLAT, None),
        (Banned("age > 30", "yes"), FLAT, "this rule does: age > 41 and job = nurse"),
        (Banned("pay > 500", "no"), DEEP, "this rule does: pay > 1000"),
        (Banned("pay > 500", "yes"), DEEP, None),
    ],
)
def test_why_rules_fail_a_clause(clause: Clause, network: RuleNetwork, found: str | None) -> None:
    assert is_structural(clause)
    assert find_violation(clause, network) == found


def test_a_negated_concept_passes_no_rule_on() -> None:
    top = Level((Rule((~P,)),), (Concept(()), Concept((0,))))
    network = RuleNetwork(COLUMNS, TESTS, (DEEP.levels[0], top), ("yes", "no"))
    assert find_lost_rule(Locked("pay > 1000", "no"), network) == "no has no such rule"


@pytest.mark.parametrize(
    "clause",
    [
        Monotone("age", "up"),
        Independent("age"),
        Implies("age > 3", "no"),
        Locked("age > 3", "no", "decides"),
        LeastRows(1),
        LeastPrecision(0.5),
        Fair("job", "no", 0.1),
        Cost("age", 2),
    ],
)
def test_what_rules_alone_do_not_tell(clause: Clause) -> None:
    assert not is_structural(clause)


def test_the_columns_of_rules_and_concepts_with_those_below() -> None:
    age, job, pay = frozenset(["age"]), frozenset(["job"]), frozenset(["pay"])
    assert asked_columns(DEEP) == [[age, job, pay], [age | job | pay, pay, pay]]


GROUPS = np.array(["f", "f", "f", "f", "m", "m", None], dtype=object)


ANSWERED = np.array([True, True, True, False, True, False, True])


@given(st.integers(1, 500), st.data())
def test_the_lower_bound_is_that_of_the_interval_on_both_sides(rows: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, rows))
    ends = wilson_interval(right, rows)  # 95 % on both sides, so 97.5 % on one
    assert ends is not None
    assert lower_bound(right, rows, 0.975) == pytest.approx(ends[0], abs=1e-12)
    assert lower_bound(right, rows, None) == right / rows


def test_of_no_rows_nothing_is_right() -> None:
    assert lower_bound(0, 0, None) == lower_bound(0, 0, 0.9) == 0


def test_an_empty_list_is_a_table_without_rows() -> None:
    assert prove(people(), Policy.of(max_edges=100), data=[]).proved
    with pytest.raises(InputError, match="at least one training row"):
        prove(people(), Policy.of(min_rows=1), data=[])


@pytest.mark.parametrize(
    ("measure", "bound", "fair"),
    [
        ("positive_rate", 0.25, True),
        ("positive_rate", 0.24, False),
        ("selection_ratio", 2 / 3, True),
        ("selection_ratio", 0.67, False),
    ],
)
def test_groups_are_alike_up_to_the_bound(measure: str, bound: float, fair: bool) -> None:
    clause = Fair("sex", "yes", bound, measure)  # type: ignore[arg-type]
    found, said = compare_groups(clause, GROUPS, ANSWERED, np.ones(7))
    assert found is fair
    assert said.startswith("f 75%, m 50%: a ")


def test_rows_of_no_weight_do_not_count() -> None:
    clause = Fair("sex", "yes", 0.0)
    weight = np.array([1.0, 1, 0, 0, 1, 0, 1])
    assert compare_groups(clause, GROUPS, ANSWERED, weight) == (True, "m 100%, f 100%: a difference of 0.0000")
    alone = np.array([1.0, 1, 1, 1, 0, 0, 1])
    assert compare_groups(clause, GROUPS, ANSWERED, alone) == (True, "there is only 1 group of sex")


def test_nobody_is_answered_yes_and_that_is_fair() -> None:
    clause = Fair("sex", "yes", 1.0, "selection_ratio")
    assert compare_groups(clause, GROUPS, np.zeros(7, dtype=bool), np.ones(7))[0]


def test_what_rows_and_labels_lack_is_told() -> None:
    network = people(Rule((A,)))
    fair = {"column": "sex", "positive": "yes", "bound": 0.1}
    for keys, data, labels, message in (
        ({"min_rows": 1}, ROWS, LABELS[1:], "the table has 6 rows, but there are 5 labels"),
        ({"fair": [{**fair, "column": "sexx"}]}, ROWS, None, "the data have no column 'sexx'"),
        ({"fair": [{**fair, "measure": "true_positive_rate"}]}, ROWS, None, "need the class of each row"),
    ):
        with pytest.raises(InputError, match=message):
            prove(network, Policy.of(**keys), data=data, labels=labels)
    (verdict,) = prove(network, Policy.of(min_precision=0.5), data=ROWS).verdicts
    assert (verdict.outcome, verdict.reason.rpartition("there are ")[2]) == ("undecided", "no classes of the rows")


def test_least_rows_need_no_labels() -> None:
    verdicts = [prove(people(Rule((A,))), Policy.of(min_rows=rows), data=ROWS).verdicts[0] for rows in (3, 4)]
    assert [verdict.outcome for verdict in verdicts] == ["proved", "refuted"]


def test_rows_of_classes_that_the_network_does_not_know_do_not_count() -> None:
    labels = ["odd", *LABELS[1:]]
    (verdict,) = prove(people(Rule((A,))), Policy.of(min_rows=3), data=ROWS, labels=labels).verdicts
    assert verdict.reason == "this rule covers 2 rows: age > 41, on 6 rows"


def test_the_groups_of_a_column_are_text() -> None:
    table = open_table(pd.DataFrame({"n": [1.5, np.nan, 2.0], "w": ["a", None, "b"]}))
    assert read_groups(table, "n").tolist() == ["1.5", None, "2.0"]
    assert read_groups(table, "w").tolist() == ["a", None, "b"]


@pytest.mark.parametrize(("rows", "outcome"), [(0, "proved"), (3, "proved"), (3.5, "refuted"), (4, "refuted")])
def test_statistics_of_the_model_stand_in_for_rows(rows: float, outcome: str) -> None:
    network = people(Rule((A,))).measure(ROWS[:5], LABELS[:5])
    (verdict,) = prove(network, Policy.of(min_rows=rows)).verdicts
    assert verdict.outcome == outcome
    assert verdict.reason.endswith("on the rows that the statistics of the model were counted on")


def weak_rule(clause: LeastRows | LeastPrecision, network: RuleNetwork) -> str | None:
    satisfied, reason = check_rows(clause, network, None)
    return None if satisfied else reason.removesuffix(", on the rows that the statistics of the model were counted on")


def test_sums_of_fractions_are_rounded_in_favour_of_the_rule() -> None:
    network = people(Rule((A,)))
    weights = (0.1, 0.1, 0.1)
    counted = replace(network, statistics=Statistics((0.3, 1.0), (((sum(weights), 0.0),),), ()))
    for least, found in (
        (0.30000000000000004, None),
        (0.3000000001, None),
        (0.31, "this rule covers 0.3 rows: age > 41"),
    ):
        assert weak_rule(LeastRows(least), counted) == found
    thirds = replace(network, statistics=Statistics((2.0, 1.0), (((2.0, 1.0),),), ()))
    for precision, found in ((2 / 3 + 1e-10, None), (0.67, "this rule of yes reaches 0.6667: age > 41")):
        assert weak_rule(LeastPrecision(precision), thirds) == found


def test_the_precision_of_a_rule_is_that_of_its_class_on_the_last_level() -> None:
    level = Level((Rule((A,)), Rule((J,))), (Concept((0,)), Concept((1,))))
    network = people(levels=(level, level))
    counts = ((9.0, 1.0), (8.0, 2.0)), ((6.0, 4.0), (5.0, 5.0))
    counted = replace(network, statistics=Statistics((10.0, 10.0), counts, ()))
    for precision, found in (
        (0.5, None),
        (0.55, "this rule of no reaches 0.5: C1.2"),
        (0.65, "this rule of yes reaches 0.6: C1.1"),
    ):
        assert weak_rule(LeastPrecision(precision), counted) == found
    for least, found in ((10, None), (11, "this rule covers 10 rows: age > 41")):
        assert weak_rule(LeastRows(least), counted) == found


def test_rows_without_statistics_cannot_be_counted() -> None:
    network = people(Rule((A,)))
    assert check_rows(LeastRows(1), network, None) == (None, "needs rows and their classes; there are no rows")
    reason = "needs rows and their classes; there are no classes of the rows"
    assert check_rows(LeastPrecision(1), network, read(ROWS)) == (None, reason)


def test_the_two_groups_that_differ_most_are_told() -> None:
    groups = np.array(["a", "a", "b", "b", "c", "c"], dtype=object)
    answered = np.array([True, False, True, True, False, False])
    for measure, said in (
        ("positive_rate", "b 100%, c 0%: a difference of 1.0000"),
        ("selection_ratio", "b 100%, c 0%: a ratio of 0.0000"),
    ):
        assert compare_groups(Fair("g", "yes", 0.5, measure), groups, answered, np.ones(6)) == (False, said)  # type: ignore[arg-type]
    nobody = np.zeros(6, dtype=bool)
    ratio = compare_groups(Fair("g", "yes", 1.0, "selection_ratio"), groups, nobody, np.ones(6))
    assert ratio == (True, "b 0%, a 0%: a ratio of 1.0000")
    none = compare_groups(Fair("g", "yes", 0.0), np.array([None] * 6, dtype=object), answered, np.ones(6))
    assert none == (True, "there is only 0 groups of g")


def test_a_number_that_was_measured_makes_no_groups() -> None:
    check_groups("sex", {"f", "m", "-1", "2.5", *map(str, range(250))}, "fair.sex")
    check_groups("code", set(map(str, range(20))), "fair.code")
    for names in ({f"{age}.5" for age in range(21)}, {f"1e-{age}" for age in range(21)}, {f"p{n}" for n in range(256)}):
        with pytest.raises(
            InputError, match=r"fair\.age: the column 'age' .* ranges first, such as pandas\.cut\(X\['age"
        ):
            check_groups("age", names, "fair.age")


def test_fairness_between_measured_numbers_is_refused_before_a_verdict() -> None:
    rows = [{"age": age + 0.5, "job": "nurse", "pay": 5} for age in range(30)]
    with pytest.raises(InputError, match="has 30 different values, too many for groups of people"):
        prove(people(), Policy.of(fair=[{"column": "age", "positive": "yes", "bound": 0.1}]), data=rows)
