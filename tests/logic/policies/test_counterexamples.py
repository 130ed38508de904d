"""Rows that refute a clause: which ones are taken, and how they read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from conceptrules.logic.policies.claims import Claim, Splitting
from conceptrules.logic.policies.counterexamples import (
    Counterexample,
    Decision,
    GivenRows,
    find_refuting_row,
    read_rows,
)
from conceptrules.logic.policies.possible_rows import network_space
from conceptrules.logic.policies.proof import prove
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from tests.logic.policies.test_proof import LABELS, ROWS, A, J, people

Row = dict[str, float | str | None]
COLUMNS = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay"), Column("zip", "category"))
TESTS = (Interval("age", 41), Equals("job", "nurse"), Interval("pay", 1000))
LEVEL = Level((Rule((Literal(0), Literal(1))), Rule((Literal(2),))), (Concept((0,)), Concept((1,))))
NETWORK = RuleNetwork(COLUMNS, TESTS, (LEVEL,), ("yes", "no"), default="no")
AGE_AND_JOB, PAY = "age > 41 and job = nurse", "pay > 1000"


def row(age: float | None, job: str | None, pay: float | None) -> Row:
    return {"age": age, "job": job, "pay": pay, "zip": "9"}


COOK, RICH, NOBODY = row(20, "cook", 5), row(50, "cook", 5000), row(None, None, None)


def refuted(data: list[Row] | None, **keys: object) -> Counterexample:
    (verdict,) = prove(NETWORK, Policy.of(**keys), data=data).verdicts
    assert verdict.counterexample is not None
    return verdict.counterexample


def shown(found: Counterexample) -> list[tuple[str, object, tuple[str, ...]]]:
    return [(one.text, one.label, one.because) for one in found.decisions]


def test_a_row_is_made_up_where_none_is_given() -> None:
    found = refuted(None, independent=["age"])
    assert (found.origin, found.row, found.changed, found.column) == ("made up", None, (), "age")
    assert shown(found) == [
        ("age = 41, job = nurse, pay = 1001", "no", (PAY,)),
        ("age = 42, job = nurse, pay = 1001", "yes", (AGE_AND_JOB,)),
    ]
    assert [one.row for one in found.decisions] == [
        {"age": age, "job": "nurse", "pay": 1001.0, "zip": "other"} for age in (41.0, 42.0)
    ]


def test_the_row_is_taken_from_which_the_fewest_columns_change() -> None:
    found = refuted([NOBODY, COOK, RICH], independent=["age"])
    assert (found.origin, found.row, found.changed) == ("near", 2, ("job",))
    assert shown(found) == [
        ("age = 41, job = nurse, pay = 5000", "no", (PAY,)),
        ("age = 50, job = nurse, pay = 5000", "yes", (AGE_AND_JOB,)),
    ]
    assert [one.row["zip"] for one in found.decisions] == ["9", "9"]


def test_columns_go_back_to_what_the_row_says_where_the_clause_still_fails() -> None:
    found = refuted([NOBODY], independent=["job"])
    assert (found.origin, found.row, found.changed, found.column) == ("near", 0, ("age",), "job")
    assert shown(found) == [
        ("age = 42, job = nurse, pay is missing", "yes", (AGE_AND_JOB,)),
        ("age = 42, job = cook, pay is missing", "no", ()),
    ]


def test_the_lowest_cell_goes_back_too() -> None:
    found = refuted([row(None, None, 5)], independent=["job"])
    assert (found.origin, found.changed) == ("near", ("age",))
    assert [one.row["pay"] for one in found.decisions] == [5, 5]


def test_a_table_without_rows_has_none_near() -> None:
    table = pd.DataFrame({"age": [1.0], "job": ["cook"], "pay": [1.0], "zip": ["9"]})[:0]
    (verdict,) = prove(NETWORK, Policy.of(independent=["job"]), data=table).verdicts
    assert verdict.counterexample is not None
    assert (verdict.counterexample.origin, verdict.counterexample.row) == ("made up", None)


def test_a_column_that_the_domain_closes_does_not_go_back() -> None:
    found = refuted([NOBODY], independent=["job"], domain={"missing": ["job"]})
    assert (found.origin, found.changed) == ("near", ("age", "pay"))


def test_a_real_row_with_only_the_column_varied_comes_first() -> None:
    found = refuted([COOK, RICH], independent=["job"])
    assert (found.origin, found.row, found.changed, found.column) == ("real", 1, (), "job")
    assert shown(found) == [
        ("age = 50, job = nurse, pay = 5000", "yes", (AGE_AND_JOB,)),
        ("age = 50, job = cook, pay = 5000", "no", (PAY,)),
    ]


def test_one_row_refutes_an_implication() -> None:
    found = refuted([NOBODY, RICH], implies=[{"if": "pay > 2000", "then": "yes"}])
    assert (found.origin, found.row, found.column) == ("real", 1, None)
    assert shown(found) == [("age = 50, job = cook, pay = 5000", "no", (PAY,))]
    near = refuted([NOBODY], implies=[{"if": "zip = 8", "then": "yes"}])
    assert (near.origin, near.row, near.changed) == ("near", 0, ("zip",))
    assert shown(near) == [("age is missing, job is missing, pay is missing, zip = 8", "no", ())]


def test_as_a_column_falls_the_rows_are_shown_the_other_way() -> None:
    found = refuted(None, order=["no", "yes"], monotone={"age": "down"})
    assert [one.row["age"] for one in found.decisions] == [42, 41]


def test_a_network_without_columns_has_one_row() -> None:
    network = RuleNetwork((), (), (Level((Rule(),), (Concept((0,)), Concept())),), ("yes", "no"))
    (verdict,) = prove(network, Policy.of(implies=[{"if": "always", "then": "no"}])).verdicts
    assert str(verdict.counterexample) == "a made-up row:\n  any row\n    is yes: because always"


def test_the_concepts_of_a_deep_network_are_the_reason() -> None:
    top = Level((Rule((Literal(0), Literal(1, True))), Rule((Literal(1),))), (Concept((0,)), Concept((1,))))
    network = RuleNetwork(COLUMNS, TESTS, (LEVEL, top), ("yes", "no"), default="no")
    (verdict,) = prove(network, Policy.of(implies=[{"if": "pay is missing", "then": "no"}])).verdicts
    assert verdict.counterexample is not None
    assert shown(verdict.counterexample) == [
        ("age = 42, job = nurse, pay is missing", "yes", ("C1.1 and not C1.2",)),
    ]


ONE = Decision({"age": 1.0}, "age = 1", "no", ())
TWO = Decision({"age": 2.0}, "age = 2", "yes", ("age > 1", "always"))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Counterexample("made up", None, (), None, (ONE,)), "a made-up row:\n  age = 1\n    is no: no rule holds"),
        (
            Counterexample("real", 0, (), "age", (ONE, TWO)),
            "row 1 of the data, with only age varied:\n  age = 1\n    is no: no rule holds\n"
            "  age = 2\n    is yes: because age > 1, and because always",
        ),
        (
            Counterexample("real", 4, (), None, (ONE,)),
            "row 5 of the data, as it is:\n  age = 1\n    is no: no rule holds",
        ),
        (
            Counterexample("near", 1, ("a", "b is"), "age", (ONE,)),
            'row 2 of the data with 2 columns changed (a, "b is"):\n  age = 1\n    is no: no rule holds',
        ),
    ],
)
def test_a_counterexample_in_words(found: Counterexample, text: str) -> None:
    assert str(found) == text
    assert found.source == text.partition("\n")[0]


def read(data: object, labels: list[object] | None = None, **keys: object) -> GivenRows:
    network = people(Rule((A,)))
    return read_rows(network, network_space(network, Policy.of(**keys)), data, labels)


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
    rows = read_rows(network, space, table, None)
    claim = Claim((frozenset(["yes"]), frozenset(["no"])), (), "age", 0, 1)
    refuted = find_refuting_row(network, Splitting(network, space, (), 1_000), [claim], rows)
    assert refuted == (None if found is None else (claim, found))
    assert find_refuting_row(network, Splitting(network, space, (), 1_000), [], rows) is None


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
