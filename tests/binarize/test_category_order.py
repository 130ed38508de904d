"""Categories are ordered where their words say so, and only there."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from conceptrules import Binarizer, ConceptRuleClassifier
from conceptrules.binarize.category_order import _RANKS, find_word_order

ORDERS = [
    ["low", "med", "high", "vhigh"],
    ["Small", "Medium", "Large"],
    ["very poor", "poor", "fair", "good", "very_good"],
    ["Never", "Rarely", "Sometimes", "Often", "Always"],
    ["strongly disagree", "disagree", "agree", "strongly agree"],
    ["mon", "wed", "sun"],
    ["January", "March", "December"],
    ["2", "3", "4", "5more"],
    ["1", "2", "more"],
    ["0", "1-3", "4 or more"],
    ["<30", "30-59", ">=60"],
    ["under 18", "18 to 30", "over 30"],
    ["5-9", "10-14", "15-19", "20+"],
]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_the_words_say_the_order(order: list[str]) -> None:
    assert all(find_word_order(mixed) == tuple(order) for mixed in permutations(order))


@pytest.mark.parametrize(
    "categories",
    [
        ["low", "high"],  # two need no order
        ["low", "high", "unknown"],
        ["red", "green", "blue"],
        ["a", "b", "c"],
        ["1", "2", "3"],  # digits as text are names, such as those of streets
        ["med", "medium", "high"],  # who is lower?
        ["10-20", "10-30", "40"],
        [1, 2, 3],
        ["low", "high", 3],
        [],
    ],
)
def test_other_words_do_not(categories: list[object]) -> None:
    assert find_word_order(categories) is None


def test_no_word_has_two_places_on_a_scale() -> None:
    for one, other in combinations(_RANKS, 2):
        shared = sorted(one.keys() & other.keys(), key=one.__getitem__)
        assert [other[word] for word in shared] == sorted(other[word] for word in shared)


def table() -> tuple[list[list[str]], list[str]]:
    rows = [[a, b] for a in ("low", "med", "high", "vhigh") for b in ("red", "green", "blue")] * 5
    return rows, ["yes" if row[0] in ("high", "vhigh") else "no" for row in rows]


def test_a_recognised_order_is_told_used_and_overruled() -> None:
    rows, answers = table()
    with pytest.warns(
        UserWarning, match=r"read as ordered.*'x0' \(low < med < high < vhigh\).*kinds=\{'x0': 'category'\}"
    ):
        clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(rows, answers)
    assert clf.network_.columns[0].kind == "ordinal"
    assert clf.network_.columns[0].categories == ("low", "med", "high", "vhigh")
    assert np.array_equal(clf.predict(rows), answers)
    assert clf.network_.edges == 2  # one bound
    plain = Binarizer(kinds={"x0": "category"}).fit(rows, answers)
    assert [column.kind for column in plain.columns_] == ["category", "category"]
