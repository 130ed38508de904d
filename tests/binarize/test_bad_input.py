"""Tables and settings that cannot be learned from, and those that work with one clear warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from conceptrules.binarize import Binarizer
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.tables.labels import check_classes, check_labels

HALVES = np.repeat([0, 1], 10)
TABLE = pd.DataFrame({"age": range(20), "job": ["nurse", "smith"] * 10})


@pytest.mark.parametrize(
    ("table", "y", "message"),
    [
        (TABLE[:0], [], r"0 sample\(s\) \(shape=\(0, 2\)\) while a minimum of 1 is required"),
        (TABLE[[]], HALVES, r"0 feature\(s\) \(shape=\(20, 0\)\).*give at least one column"),
        ([], [], r"0 feature\(s\)"),
        (TABLE.set_axis(["a", "a"], axis=1), HALVES, "duplicate column names.*"),
        (TABLE, None, "requires y to be passed, but the target y is None"),
        (TABLE, HALVES[:5], "the table has 20 rows, but y has 5"),
        (TABLE, [*HALVES[:19], np.nan], "row 19"),
        (TABLE, [*"abababababababababa", None], "row 19"),
    ],
)
def test_tables_and_targets(table: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Binarizer().fit(table, y)


def test_continuous_targets() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Binarizer().fit(TABLE, np.linspace(0, 1, 20))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"agee": "number"}}, "column 'agee', which is not in the table; did you mean 'age'?"),
        ({"kinds": {"age": "numbr"}}, "'numbr' for column 'age'; did you mean 'number'?"),
        ({"max_categories": 0}, "max_categories must be a whole number from 1 on, got 0"),
        ({"max_categories": "all"}, "max_categories must be a whole number from 1 on, got 'all'"),
    ],
)
def test_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Binarizer(**options).fit(TABLE, HALVES)


def test_columns_of_the_wrong_type() -> None:
    with pytest.raises(ColumnTypeError, match="column 'job' is of the kind number, but row 0 holds 'nurse'"):
        Binarizer(kinds={"job": "number"}).fit(TABLE, HALVES)
    with pytest.raises(ColumnTypeError, match="column 'mixed': row 1 holds 'a'"):
        Binarizer().fit(TABLE.assign(mixed=[1, "a"] * 10), HALVES)
    with pytest.raises(ColumnTypeError, match="column 'age' is of the kind number, but row 0 holds 'young'"):
        Binarizer().fit(TABLE, HALVES).transform(TABLE.assign(age="young"))


def test_transform_wants_the_columns_of_the_fit() -> None:
    binarizer = Binarizer().fit(TABLE, HALVES)
    with pytest.raises(InputError, match=r"column 'age' is missing from the table; did you mean 'Age'\?"):
        binarizer.transform(TABLE.rename(columns={"age": "Age"}))
    with pytest.raises(NotFittedError):
        Binarizer().count_unseen(TABLE)


def test_a_failed_fit_leaves_the_last_one_as_it_was() -> None:
    binarizer = Binarizer().fit(TABLE, HALVES)
    before = dict(vars(binarizer))
    with pytest.raises(ColumnTypeError):
        binarizer.fit(TABLE.assign(job=[{}] * 20), HALVES)
    assert vars(binarizer) == before


def test_identifiers_get_one_warning() -> None:
    with pytest.warns(UserWarning, match=r"column 'id' is different on every row \(an identifier\?\)") as caught:
        Binarizer().fit([{"id": f"row {row}"} for row in range(20)], HALVES)
    assert len(caught) == 1


def test_many_categories_keep_the_most_frequent() -> None:
    job = ["rare", *["often"] * 8, *["also"] * 8, *["b", "b", "a"]]
    with pytest.warns(UserWarning, match="column 'job' has 5 categories; the 3 most frequent are kept") as caught:
        binarizer = Binarizer(max_categories=3).fit(TABLE.assign(job=job), HALVES)
    assert sum("'job'" in str(warning.message) for warning in caught) == 1
    assert binarizer.columns_[1].categories == ("also", "b", "often")
    assert binarizer.count_unseen(TABLE.assign(job=job)) == {"job": 2}


@pytest.mark.parametrize(
    ("text", "offer"),
    [
        ("{}/25/2024 0:00:00", r"keep more\) \(dates\? '.*/25/2024 0:00:00' is one in a column of dates, such as"),
        ("bird {} struck the left engine", r"keep more\) \(free text\? kinds=\{'note': 'text'\} lets rules ask"),
        ("pilot {}", r"keep more\)$"),
    ],
)
def test_many_categories_may_be_dates_or_sentences(text: str, offer: str) -> None:
    notes = pd.DataFrame({"note": [text.format(number) for number in range(1, 13)] * 2})
    with pytest.warns(UserWarning, match=f"column 'note' has 12 categories; the 3 most .*{offer}"):
        Binarizer(max_categories=3).fit(notes, ["a", "b"] * 12)


@pytest.mark.filterwarnings("ignore:column 'job' has 2 categories")
def test_which_categories_are_kept_does_not_depend_on_the_order_of_rows() -> None:
    rows, weight = [[job] for job in "aaabbb"], [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]
    fits = [
        Binarizer(max_categories=1).fit(pd.DataFrame(rows[::step], columns=["job"]), [0, 1] * 3, weight[::step])
        for step in (1, -1)
    ]
    assert fits[0].columns_[0].categories == fits[1].columns_[0].categories


def test_ten_thousand_distinct_strings() -> None:
    words = pd.DataFrame({"word": [f"w{i}" for i in range(10_000)] * 2})
    with pytest.warns(UserWarning, match="column 'word' has 10000 categories"):
        binarizer = Binarizer().fit(words, np.repeat([0, 1], 10_000))
    assert binarizer.transform(words).sum() == 2 * 256


def test_constant_columns_get_one_warning_between_them() -> None:
    table = TABLE.assign(one=1, gone=None, same="x")
    with pytest.warns(UserWarning, match="constant columns tell no classes apart: 'one', 'gone', 'same'") as caught:
        binarizer = Binarizer().fit(table, HALVES)
    assert sum("constant" in str(warning.message) for warning in caught) == 1
    assert len(binarizer.transform(table).T) == 7


@pytest.mark.parametrize("start", [10**30, 2**60])
def test_whole_numbers_that_floats_cannot_tell_apart_are_not_called_constant(start):
    with pytest.warns(UserWarning, match="as far as its first 15 digits tell") as caught:
        Binarizer().fit([{"x": start + number} for number in range(20)], ["a", "b"] * 10)
    assert not any("constant" in str(warning.message) for warning in caught)


def test_messages_about_labels_count_in_words():
    with pytest.raises(InputError, match="y has 1 class, 'a'; a classifier needs"):
        check_classes(np.array(["a", "a"]))
    with pytest.raises(InputError, match="y has no rows, and so no class"):
        check_classes(np.array([]))
    with pytest.raises(InputError, match="y has no label in 1 row, first in row 1"):
        check_labels(["a", None])


@pytest.mark.filterwarnings("ignore:column 'job' has 40 categories")
def test_of_equally_frequent_categories_not_the_first_in_the_alphabet_are_kept() -> None:
    jobs = [f"job {number:02d}" for number in range(40)]
    kept = Binarizer(max_categories=20).fit(pd.DataFrame({"job": jobs * 3}), ["a", "b"] * 60).columns_[0].categories
    assert len(kept) == 20
    assert 5 <= sum(job in kept for job in jobs[:20]) <= 15
