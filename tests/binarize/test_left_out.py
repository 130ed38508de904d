"""Columns that are hardly features are left out, with one line that says how to keep them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from conceptrules import ConceptRuleClassifier, MLLPClassifier, ScorecardClassifier, ScorecardRegressor
from conceptrules.binarize import Binarizer
from conceptrules.io.model_file import dumps
from conceptrules.learn.coding import table_coding
from conceptrules.model.errors import ConceptRulesWarning, InputError, LeftOutWarning
from conceptrules.model.policy import Cost, Policy

ROWS = 300
RNG = np.random.default_rng(1)
HEAT = RNG.normal(20, 5, ROWS).round(1)
SEX = RNG.choice(["f", "m"], ROWS)
TABLE = pd.DataFrame(
    {
        "name": [f"person {number}" for number in RNG.permutation(ROWS)],
        "id": np.arange(ROWS) + 1000,
        "heat": HEAT,
        "fahrenheit": HEAT * 1.8 + 32,
        "sex": SEX,
        "male": (SEX == "m").astype(int),
        "level": RNG.integers(0, 5, ROWS),
    }
)
CLASSES = np.where((HEAT > 20) & (SEX == "m"), "yes", "no")
LEFT_OUT = ["name", "id", "fahrenheit", "male"]
KEPT = ["heat", "sex", "level"]
FAST: dict[str, Any] = {"effort": "fast", "random_state": 0, "n_jobs": 1}


def names(model: Any) -> list[str]:
    return [column.name for column in model.network_.columns]


def fit_silently(model: Any, *table: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConceptRulesWarning)
        return model.fit(*table)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (ConceptRuleClassifier(**FAST), CLASSES),
        (ScorecardClassifier(**FAST), CLASSES),
        (ScorecardRegressor(**FAST), HEAT + 3 * (SEX == "m")),
    ],
    ids=["rules", "card", "numbers"],
)
def test_every_learner_leaves_them_out_and_predicts_with_or_without_them(model: Any, y: Any) -> None:
    fitted = fit_silently(model, TABLE, y)
    assert names(fitted) == KEPT
    assert fitted.n_features_in_ == len(TABLE.columns)
    np.testing.assert_array_equal(fitted.predict(TABLE), fitted.predict(TABLE[KEPT]))
    np.testing.assert_array_equal(fitted.predict(TABLE), fitted.predict(TABLE[TABLE.columns[::-1]]))


def test_the_papers_method_leaves_them_out() -> None:
    model = MLLPClassifier(layers=(8,), binarization_rate=0.0, max_epochs=1, random_state=0, n_jobs=1)
    assert names(fit_silently(model, TABLE, CLASSES)) == KEPT
    assert "name" in names(fit_silently(model.set_params(keep=["name"]), TABLE, CLASSES))


def test_one_line_says_why_and_how_to_keep_them() -> None:
    with pytest.warns(LeftOutWarning) as caught:
        Binarizer().fit(TABLE, CLASSES)
    (line,) = [warning.message for warning in caught if isinstance(warning.message, LeftOutWarning)]
    assert str(line) == (
        "not learned from: 'name' is different on every row (an identifier?), 'id' numbers the rows (an identifier?), "
        "'fahrenheit' says the same as 'heat', 'male' says the same as 'sex'; "
        "keep=['name', 'id', 'fahrenheit', 'male'] learns from them all the same"
    )


def test_what_the_user_names_is_kept() -> None:
    assert names(fit_silently(ConceptRuleClassifier(keep=["id", "male"], **FAST), TABLE, CLASSES)) == [
        name for name in TABLE.columns if name in (*KEPT, "id", "male")
    ]
    kinds = ConceptRuleClassifier(kinds={"id": "number"}, **FAST)
    assert "id" in names(fit_silently(kinds, TABLE, CLASSES))
    policy = Policy((Cost("fahrenheit", 2.0),))
    assert "fahrenheit" in names(fit_silently(ConceptRuleClassifier(policy=policy, **FAST), TABLE, CLASSES))
    with pytest.raises(InputError, match="keep names column 'nam', which is not in the table; did you mean 'name'"):
        ConceptRuleClassifier(keep=["nam"], **FAST).fit(TABLE, CLASSES)
    with pytest.raises(InputError, match="keep is 'id'; it needs a list of columns"):
        ConceptRuleClassifier(keep="id", **FAST).fit(TABLE, CLASSES)


def test_a_table_of_nothing_else_is_learned_from_all_the_same() -> None:
    assert [column.name for column in fit_silently(Binarizer(), TABLE[["id"]], CLASSES).columns_] == ["id"]
    array = fit_silently(Binarizer(), TABLE[["id", "heat"]].to_numpy(), CLASSES)
    assert len(array.columns_) == 2  # an array has no names, so its columns go by their position


def test_part_of_numbered_rows_is_still_numbered() -> None:
    part = RNG.permutation(ROWS * 3)[:ROWS]  # as in the training rows of a split
    table = TABLE[KEPT].assign(rownames=part, wealth=RNG.choice(10**6, ROWS, replace=False))
    assert [column.name for column in fit_silently(Binarizer(), table, CLASSES).columns_] == [*KEPT, "wealth"]


def test_a_copy_of_the_target_is_only_warned_about() -> None:
    copy = TABLE[KEPT].assign(copy=CLASSES == "yes")
    with pytest.warns(ConceptRulesWarning, match="'copy' alone tells the classes apart"):
        fitted = ConceptRuleClassifier(**FAST).fit(copy, CLASSES)
    assert "copy" in names(fitted)


def test_files_and_memory_leave_the_same_columns_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pa.Table.from_pandas(TABLE.assign(y=CLASSES), preserve_index=False)
    expected = fit_silently(ConceptRuleClassifier(**FAST), whole, "y")
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    found = fit_silently(ConceptRuleClassifier(**FAST), whole.to_reader(90), "y")
    assert names(found) == names(expected) == KEPT
    assert dumps(found.network_) == dumps(expected.network_)
