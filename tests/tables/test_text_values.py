"""Text that is read as dates and numbers, and text that is left alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules import ConceptRuleClassifier
from conceptrules.binarize import Binarizer
from conceptrules.model.errors import ColumnTypeError, ConceptRulesWarning
from conceptrules.tables.text_values import find_written_kind, read_written

DAYS = pd.date_range("2023-01-01", periods=60)
LABELS = np.repeat([0, 1], 30)


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["2024-01-05", "1969-12-31"], "date", [1704412800000000.0, -86400000000.0]),
        (["1970-01-01", "1970-01-01T00:00:01.5Z", "1970-01-01 02:00+02:00"], "datetime", [0.0, 1500000.0, 0.0]),
        (["$1,234.50", "-$7", "$ 1,234"], "number", [1234.5, -7, 1234]),
        (["12.3%", "7 %", "-12,5%"], "number", [12.3, 7, -12.5]),
        (["0,5", "12,75", "1.234,50", "1.234.567,8"], "number", [0.5, 12.75, 1234.5, 1234567.8]),
        (["1,234.50", "1,234,567"], "number", [1234.5, 1234567]),
        (["1.234,50 €", "7 €"], "number", [1234.5, 7]),
    ],
)
def test_what_is_written_alike_is_read(texts: list[str], kind: str, values: list[float]) -> None:
    assert find_written_kind(texts) == kind
    assert [read_written(text) for text in texts] == values


@pytest.mark.parametrize(
    "texts",
    [
        *([], ["7", "8"], ["01", "02"], ["$7", "7"], ["$7", "7%"], ["$7", "€7"], ["1,234"], ["1.234 €"], ["1,2,3"]),
        *(["12%", ""], ["2024-01-05", "soon"], ["2024-02-30"], ["20240105"], ["05.01.2024"], ["1,5", "half"]),
        *(["$"], ["%"], [","]),
    ],
)
def test_other_text_stays_text(texts: list[str]) -> None:
    assert find_written_kind(texts) is None


def test_no_more_texts_are_read_than_it_takes() -> None:
    texts = iter(["2024-01-05", "word", "2024-01-06"])
    assert find_written_kind(texts) is None
    assert next(texts) == "2024-01-06"


@given(st.text() | st.from_regex(r"[+-]?[$€]?[0-9.,]{1,12} ?%?", fullmatch=True))
def test_no_text_is_read_that_cannot_be(text: str) -> None:
    if find_written_kind([text]) is not None:
        assert np.isfinite(read_written(text))


def test_columns_of_text_are_learned_and_read_as_what_they_say() -> None:
    table = pd.DataFrame(
        {"day": DAYS.strftime("%Y-%m-%d"), "stamp": DAYS.strftime("%Y-%m-%dT%H:%M"), "zip": ["01"] * 60}
    )
    table["price"] = [f"${1000 + number:,.2f}" for number in range(60)]
    notice = r"column 'price' is text that is read as numbers, '\$1,000\.00' as 1000; if"
    with pytest.warns(ConceptRulesWarning, match=notice):
        binarizer = Binarizer().fit(table, LABELS)
    assert [column.kind for column in binarizer.columns_] == ["date", "datetime", "category", "number"]
    dates = table.assign(day=DAYS.date, stamp=DAYS, price=np.arange(1000.0, 1060.0))
    as_dates = Binarizer().fit(dates, LABELS)
    assert as_dates.columns_ == binarizer.columns_
    assert as_dates.cuts_ == binarizer.cuts_
    np.testing.assert_array_equal(binarizer.transform(table), as_dates.transform(dates))
    np.testing.assert_array_equal(binarizer.transform(dates), as_dates.transform(table))
    (text,) = (column.kind for column in Binarizer(kinds={"day": "category"}).fit(table[["day"]], LABELS).columns_)
    assert text == "category"
    assert not [finding for finding in binarizer.inspection_ if finding.topic == "identifier"]


def test_rows_of_text_are_predicted_one_by_one_and_other_text_is_refused() -> None:
    table = pd.DataFrame({"day": DAYS.strftime("%Y-%m-%d")})
    clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(table, LABELS)
    assert clf.score(table, LABELS) == 1
    assert [clf.network_.predict([{"day": day}])[0] for day in table["day"][[0, 59]]] == [0, 1]
    assert clf.explain({"day": "2023-01-01"}).label == 0
    with pytest.raises(ColumnTypeError, match="'day' is of the kind date, but row 0 holds 'soon'"):
        clf.predict([{"day": "soon"}])
