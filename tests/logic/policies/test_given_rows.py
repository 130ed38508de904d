"""What given rows say: shares and their lower bounds, groups, and labels that fit the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.policies.claims import Claim
from conceptrules.logic.policies.given_rows import (
    GivenRows,
    compare_groups,
    given_rows,
    lower_bound,
    names_of_groups,
    refuting_row,
    rows_failure,
)
from conceptrules.logic.policies.possible_rows import network_space
from conceptrules.logic.policies.proof import prove
from conceptrules.logic.policies.splitting import Splitting
from conceptrules.model import Concept, InputError, Level, Rule, Statistics
from conceptrules.model.policy import Fair, LeastPrecision, LeastRows, Policy
from conceptrules.model.precision import wilson_interval
from conceptrules.tables.table import open_table
from tests.logic.policies.test_proof import LABELS, ROWS, A, J, people

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
        ({"min_rows": 1}, ROWS, LABELS[1:], "the data have 6 rows, but there are 5 labels"),
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


def read(data: object, labels: list[object] | None = None, **keys: object) -> GivenRows:
    network = people(Rule((A,)))
    return given_rows(network, network_space(network, Policy.of(**keys)), data, labels)


def test_rows_as_values_and_as_cells() -> None:
    rows = read([{"age": 50, "job": "cook", "pay": None}, {"age": 41, "job": "smith", "pay": 7}], ["no", "odd"])
    assert rows.labels == (1, -1)
    assert rows.values == {"age": (50.0, 41.0), "job": ("cook", "smith"), "pay": (None, 7.0)}
    assert {name: cells.tolist() for name, cells in rows.cells.items()} == {"age": [1, 0], "job": [0, 0], "pay": [1, 0]}
    closed = read([{"age": 50, "job": "smith", "pay": 1}], domain={"unseen": False})
    assert closed.cells["job"].tolist() == [-1]
    assert read(ROWS).labels is None
    assert read(ROWS, np.array(LABELS)).labels == (0, 1, 1, 0, 0, -1)


def test_only_the_first_rows_are_looked_through() -> None:
    table = pd.DataFrame({"age": np.arange(10_001.0), "job": "cook", "pay": 0.0})
    rows = read(table)
    assert len(rows.values["age"]) == 10_000
    assert rows.table.rows == 10_001


@pytest.mark.parametrize(
    ("data", "found"),
    [
        # Cooks get the same at any age.
        ([(20, "cook"), (50, "cook")], None),
        ([(20, "cook"), (50, "nurse"), (20, "nurse")], 1),
        # A row that has one of the two values itself comes before one that has neither.
        ([(None, "nurse"), (20, "nurse")], 1),
        ([(None, "nurse")], 0),
        ([], None),
    ],
)
def test_the_first_row_that_refutes_a_claim(data: list[tuple[float | None, str]], found: int | None) -> None:
    network = people(Rule((A, J)))
    space = network_space(network, Policy())
    table = pd.DataFrame({"age": [age for age, _ in data], "job": [job for _, job in data], "pay": 0.0})
    table = table.astype({"age": float, "job": str})
    rows = given_rows(network, space, table, None)
    claim = Claim((frozenset(["yes"]), frozenset(["no"])), (), "age", 0, 1)
    refuted = refuting_row(network, Splitting(network, space, (), 1_000), [claim], rows)
    assert refuted == (None if found is None else (claim, found))
    assert refuting_row(network, Splitting(network, space, (), 1_000), [], rows) is None


def test_rows_that_are_impossible_refute_nothing() -> None:
    network = people(Rule((A,)))
    clause = {"if": "job = nurse", "then": "no"}
    for impossible, row in (([], 0), (["age > 55"], 0), (["age > 45 and job = nurse"], 3)):
        policy = Policy.of(implies=[clause], domain={"impossible": impossible})
        verdict = prove(network, policy, data=ROWS).verdicts[0]
        assert verdict.counterexample is not None
        assert (verdict.counterexample.origin, verdict.counterexample.row) == ("real", row)
    ranged = Policy.of(implies=[clause], domain={"ranges": {"age": [0, 46]}})
    verdict = prove(network, ranged, data=ROWS).verdicts[0]
    assert verdict.counterexample is not None
    assert verdict.counterexample.row == 3


def test_the_groups_of_a_column_are_text() -> None:
    table = open_table(pd.DataFrame({"n": [1.5, np.nan, 2.0], "w": ["a", None, "b"]}))
    assert names_of_groups(table, "n").tolist() == ["1.5", None, "2.0"]
    assert names_of_groups(table, "w").tolist() == ["a", None, "b"]


@pytest.mark.parametrize(("rows", "outcome"), [(0, "proved"), (3, "proved"), (3.5, "refuted"), (4, "refuted")])
def test_statistics_of_the_model_stand_in_for_rows(rows: float, outcome: str) -> None:
    network = people(Rule((A,))).measure(ROWS[:5], LABELS[:5])
    (verdict,) = prove(network, Policy.of(min_rows=rows)).verdicts
    assert verdict.outcome == outcome
    assert verdict.reason.endswith("on the rows that the statistics of the model were counted on")


def test_sums_of_fractions_are_rounded_in_favour_of_the_rule() -> None:
    network = people(Rule((A,)))
    weights = (0.1, 0.1, 0.1)
    counted = replace(network, statistics=Statistics((0.3, 1.0), (((sum(weights), 0.0),),), ()))
    for least, found in (
        (0.30000000000000004, None),
        (0.3000000001, None),
        (0.31, "this rule covers 0.3 rows: age > 41"),
    ):
        assert rows_failure(LeastRows(least), counted, None)[0] == found
    thirds = replace(network, statistics=Statistics((2.0, 1.0), (((2.0, 1.0),),), ()))
    for precision, found in ((2 / 3 + 1e-10, None), (0.67, "this rule of yes reaches 0.6667: age > 41")):
        assert rows_failure(LeastPrecision(precision), thirds, None)[0] == found


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
        assert rows_failure(LeastPrecision(precision), counted, None)[0] == found
    for least, found in ((10, None), (11, "this rule covers 10 rows: age > 41")):
        assert rows_failure(LeastRows(least), counted, None)[0] == found


def test_rows_without_statistics_cannot_be_counted() -> None:
    network = people(Rule((A,)))
    assert rows_failure(LeastRows(1), network, None) == ("", "no rows")
    assert rows_failure(LeastPrecision(1), network, read(ROWS)) == ("", "no classes of the rows")


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
