"""What is worth a look before learning is found, and only that."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules import ConceptRuleClassifier
from conceptrules.binarize import Binarizer
from conceptrules.binarize.inspection import Finding
from conceptrules.model.errors import ColumnWarning

ROWS = 300
RNG = np.random.default_rng(0)
CLASSES = RNG.choice(["no", "yes"], ROWS)
NUMBERS = RNG.normal(size=ROWS).round(1)
LETTERS = RNG.choice(["f", "m"], ROWS)


def found(table: dict[str, Any], classes: Any = CLASSES) -> list[Finding]:
    return list(Binarizer().fit(pd.DataFrame(table), classes).inspection_)


def test_there_is_nothing_to_find_in_a_sound_table():
    assert found({"a": NUMBERS, "b": LETTERS, "c": -NUMBERS}) == []


def test_each_topic_is_found():
    table = {
        "copy": CLASSES == "yes",
        "id": [f"p{number}" for number in range(ROWS)],
        "day": [dt.date(2024, 1, 1) + dt.timedelta(int(number)) for number in RNG.integers(0, 50, ROWS)],
        "one": ["same"] * ROWS,
        "place": [f"place {number % 150}" for number in range(ROWS)],
    }
    assert [(one.topic, one.columns) for one in found(table)] == [
        ("leak", ("copy",)),
        ("identifier", ("id",)),
        ("categories", ("place",)),
        ("date", ("day",)),
        ("constant", ("one",)),
    ]
    assert "column 'place' has 150 categories" in [one.text for one in found(table)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NUMBERS, NUMBERS.copy()),
        (np.where(NUMBERS > 1, np.nan, NUMBERS), np.where(NUMBERS > 1, np.nan, NUMBERS)),
        (LETTERS, LETTERS == "m"),
        (LETTERS, np.where(LETTERS == "m", "a man", "a woman")),
        (LETTERS, np.where(LETTERS == "m", 12, 13)),
    ],
)
def test_columns_that_say_the_same_are_found(first, second):
    assert found({"a": first, "b": RNG.normal(size=ROWS), "c": second}) == [
        Finding("duplicate", ("a", "c"), "columns 'a' and 'c' say the same on every row")
    ]


def test_columns_that_say_the_same_are_told_in_one_line():
    with pytest.warns(ColumnWarning) as caught:
        found({"a": NUMBERS, "b": NUMBERS, "c": NUMBERS})
    (one,) = [warning.message for warning in caught]
    assert one.found == "not learned from: 'b' says the same as 'a', 'c' says the same as 'a'"
    assert one.option() == "--keep b --keep c learns from them all the same"


def test_columns_of_different_words_on_every_row_are_not_alike():
    rows = range(8)
    assert found({"a": [f"a{n}" for n in rows], "b": [f"b{n}" for n in rows]}, ["x", "y"] * 4)[:-2] == []


def test_one_row_makes_a_difference():
    other = NUMBERS.copy()
    other[1] += 1
    assert found({"a": NUMBERS, "b": other}) == []
    many = np.tile(NUMBERS, 10)  # more rows than are looked at first
    other = many.copy()
    other[1] += 1
    assert found({"a": many, "b": other}, np.tile(CLASSES, 10)) == []


def test_classes_with_a_handful_of_rows_are_found():
    classes = CLASSES.astype(object)
    classes[:9] = "rare"
    assert found({"a": NUMBERS}, classes) == [Finding("class", (), "class rare has only 9 rows")]
    classes[9] = "rare"
    assert found({"a": NUMBERS}, classes) == []


def test_an_estimator_has_what_was_found():
    clf = ConceptRuleClassifier(effort="fast", random_state=0)
    clf.fit(pd.DataFrame({"a": NUMBERS, "again": NUMBERS}), np.where(NUMBERS > 0.3, "yes", "no"))
    assert str(clf.inspection_[-1]) == "duplicate: columns 'a' and 'again' say the same on every row"
    assert ConceptRuleClassifier.from_network(clf.network_).inspection_ == ()
