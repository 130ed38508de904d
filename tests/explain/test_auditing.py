"""The figures that a report has to admit, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from conceptrules.explain.auditing import audit
from conceptrules.explain.measurement import Bin, RuleErrors, Settlement, Tie
from conceptrules.explain.scores import evaluate
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import with_statistics
from conceptrules.tables.hashes import hash_rows, sketch
from tests.strategies import measured_networks, rows

# "a": old, or a cook. "b": a cook. None of them: "c".
NETWORK = RuleNetwork(
    (Column("age"), Column("job", "category", ("cook", "nurse")), Column("unused")),
    (Interval("age", 40), Equals("job", "cook")),
    [Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0, 1]), Concept([1]), Concept()])],
    ["a", "b", "c"],
    ["b", "a", "c"],
    "c",
)
TABLE = [
    {"age": 50, "job": "nurse", "unused": 0},  # a
    {"age": 50, "job": "nurse", "unused": 0},  # a
    {"age": 20, "job": "cook", "unused": 0},  # a and b: b
    {"age": 50, "job": "cook", "unused": None},  # a and b: b
    {"age": 20, "job": "smith", "unused": 0},  # none: c
]
LABELS = ["a", "b", "b", "d", "c"]


def test_scores_by_hand():
    found = evaluate(NETWORK, TABLE, LABELS)
    assert found.rows == 5
    assert found.classes == ("a", "b", "c", "d")
    assert found.confusion == ((1, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0))
    assert found.accuracy == 0.6
    assert found.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 1 + 0) / 4)
    assert found.settled == (Settlement("none", 1, 1), Settlement("one", 2, 1), Settlement("several", 2, 1))
    assert found.ties == (Tie(("b", "a"), "b", 2, 1), Tie((), "c", 1, 1))
    assert found.calibration == ()
    assert found.errors == (
        RuleErrors("a", 0, 0, "age > 40", 2, 1),
        RuleErrors("b", 0, 1, "job = cook", 2, 1),
        RuleErrors("c", None, None, "no class fires", 1, 0),
    )
    assert found.unseen == (("job", 1), ("unused", 1))


def test_without_rows_only_what_the_network_knows_is_told():
    found = audit(NETWORK)
    assert (found.scores, found.overlap, found.training, found.unused) == (None, None, None, ("unused",))


def recorded(size: int) -> RuleNetwork:
    hashes = hash_rows(NETWORK.columns, TABLE[:3], LABELS[:3])
    distinct = len(set(hashes.tolist()))
    training = Training("1", 0, (), 3, 0.5, 5, fingerprint=sketch(hashes, size), distinct=distinct)
    return replace(NETWORK, training=training)


def test_training_rows_are_recognised():
    found = audit(recorded(1024), TABLE, LABELS)
    assert (found.overlap.share, found.overlap.rows, found.overlap.exact, found.overlap.sampled) == (0.6, 3, True, 5)
    assert found.training == recorded(1024).training
    # The same rows with another label were never seen.
    assert audit(recorded(1024), TABLE[:1], ["b"]).overlap.rows == 1
    assert audit(recorded(1024), TABLE[:1], ["c"]).overlap.rows == 0
    assert not audit(recorded(1), TABLE, LABELS).overlap.exact


def test_what_was_not_recorded_is_none():
    empty = replace(NETWORK, training=Training("1", 0, (), 3, 0.5, 5))
    assert audit(empty, TABLE, LABELS).overlap is None
    assert audit(NETWORK, TABLE, LABELS).overlap is None


@pytest.mark.parametrize("table", [pd.DataFrame(TABLE), pl.DataFrame(TABLE)])
def test_any_table_and_labels_will_do(table: object):
    assert audit(recorded(1024), table, np.array(LABELS)) == audit(recorded(1024), TABLE, LABELS)


def test_labels_are_compared_as_they_are_written():
    numbers = replace(NETWORK, classes=(0, 1, 2), priority=(1, 0, 2), default=2)
    expected = evaluate(numbers, TABLE, [0, 1, 1, 0, 2])
    assert evaluate(numbers, TABLE, ["0", "1", "1", "0", "2"]) == expected
    assert evaluate(numbers, TABLE, np.array([0.0, 1, 1, 0, 2])) == expected
    assert expected.accuracy == 0.6


@given(measured_networks(), st.data())
def test_scores_are_those_of_scikit_learn(network: RuleNetwork, data: st.DataObject) -> None:
    bits = data.draw(rows(network, min_rows=1))
    assume(bits.size and len(network.classes) > 1)  # of one class, scikit-learn warns
    truth = [network.classes[i] for i in np.random.default_rng(0).integers(len(network.classes), size=len(bits))]
    answers = network.predict(bits)
    found = evaluate(network, bits, truth)
    names = list(network.classes)
    assert found.accuracy == accuracy_score(truth, answers)
    occurring = [name for name in names if name in truth or name in answers]
    assert found.macro_f1 == pytest.approx(f1_score(truth, answers, labels=occurring, average="macro"))
    np.testing.assert_array_equal(found.confusion, confusion_matrix(truth, answers, labels=names))
    assert sum(each.rows for each in found.settled) == len(bits)
    assert sum(each.right for each in found.settled) == round(found.accuracy * len(bits))
    assert sum(each.rows for each in found.calibration) == len(bits)
    assert sum(each.right * each.rows for each in found.calibration) == pytest.approx(found.accuracy * len(bits))


def test_reliability_compares_what_is_stated_with_what_is_right():
    bits = np.array([[1, 0]] * 8 + [[0, 0]] * 2, dtype=bool)
    network = with_statistics(NETWORK, pack(bits), np.array([0] * 8 + [2] * 2))
    table = [{"age": 50, "job": "nurse", "unused": 0}] * 4
    (one,) = evaluate(network, table, ["a", "a", "a", "b"]).calibration
    assert one == Bin(pytest.approx(8.8 / 9), 0.75, 4)


def test_mistakes_are_told():
    with pytest.raises(InputError, match="give both or none"):
        audit(NETWORK, TABLE)
    with pytest.raises(InputError, match="5 rows, but there are 2 labels"):
        audit(NETWORK, TABLE, ["a", "b"])
    with pytest.raises(InputError, match="no rows"):
        audit(NETWORK, pd.DataFrame({"age": [], "job": [], "unused": []}), [])
