"""MLLPClassifier: what it promises beyond scikit-learn's own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from conceptrules import InputError, MLLPClassifier
from conceptrules.learn.mllp import cpu_engine
from conceptrules.logic.canonical import drop_unused_predicates, sort_nodes
from conceptrules.logic.simplification import simplify
from conceptrules.model.evaluation import layers_plain, pack
from tests.people import quick_mllp as quick
from tests.people import simple

X, Y = simple()
FITTED = quick().fit(X, Y)


def test_the_number_of_threads_does_not_matter() -> None:
    assert quick(n_jobs=1).fit(X, Y).network_ == quick(n_jobs=3).fit(X, Y).network_ == FITTED.network_


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, lambda frame: pl.from_pandas(frame).to_arrow()], ids=["polars", "arrow"]
)
def test_every_kind_of_table_gives_the_same_network(convert: Any) -> None:
    other = quick().fit(convert(X), Y)
    assert other.network_ == FITTED.network_
    assert other.feature_names_in_.tolist() == ["age", "job", "height"]
    assert np.array_equal(other.predict(convert(X)), FITTED.predict(X))


def test_rows_as_lists_and_labels_as_numbers() -> None:
    labels = np.unique(Y, return_inverse=True)[1]
    clf = quick().fit(X.astype(object).values.tolist(), labels)
    assert clf.network_.classes == (0, 1, 2)
    assert clf.predict([[70, "smith", 170.0], [70, None, 170.0]]).dtype == labels.dtype


def test_it_learns_the_table() -> None:
    fresh, answers = simple(rows=500, seed=5)
    assert FITTED.score(fresh, answers) > 0.8
    assert "job = nurse" in str(FITTED.network_)


def test_the_network_alone_predicts_the_same() -> None:
    assert np.array_equal(FITTED.network_.predict(X), FITTED.predict(X))


def test_frequencies_are_those_of_training_rows_with_the_same_classes_firing() -> None:
    fired = FITTED.transform(X, layer=-1)
    frequencies = FITTED.predict_proba(X)
    alike = (fired == fired[0]).all(axis=1)
    counts = np.array([(Y[alike] == name).sum() for name in FITTED.classes_])
    shares = np.unique(Y, return_counts=True)[1] / len(Y)
    np.testing.assert_allclose(frequencies[0], (counts + shares) / (counts.sum() + 1))


def test_the_answer_need_not_have_the_largest_probability() -> None:
    """Priority decides, and probabilities are those of the rows; `priority="first"` makes the difference."""
    clf = quick(priority="first", max_epochs=10).fit(X, Y)
    probabilities = clf.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert not np.array_equal(clf.classes_[probabilities.argmax(axis=1)], clf.predict(X))
    assert clf.network_.priority == clf.network_.classes
    assert clf.network_.default == clf.network_.classes[0]


def test_transform_gives_every_layer() -> None:
    clf = quick(layers=(8, 8, 8)).fit(X, Y)
    predicates = list(clf.binarizer_.predicates_)
    used = [predicates.index(predicate) for predicate in clf.network_.predicates]
    for layer, expected in enumerate(layers_plain(clf.network_, clf.binarizer_.transform(X)[:, used])):
        actual = clf.transform(X, layer=layer)
        assert np.array_equal(actual, expected)
        assert len(clf.get_feature_names_out(layer=layer)) == actual.shape[1]
    assert clf.get_feature_names_out(layer=0).tolist() == clf.binarizer_.get_feature_names_out()[used].tolist()
    assert clf.get_feature_names_out(layer=-1).tolist() == ["care", "old", "young"]
    with pytest.raises(InputError, match="layer is 5; this network has the layers 0"):
        clf.transform(X, layer=5)


def test_it_is_a_good_citizen() -> None:
    pipeline = make_pipeline(FunctionTransformer(), quick())
    assert cross_val_score(pipeline, X, Y, cv=2).mean() > 0.6
    search = GridSearchCV(quick(), {"layers": [(4,), (8,)]}, cv=2).fit(X, Y)
    assert search.best_estimator_.network_.edges > 0
    assert clone(FITTED).get_params() == FITTED.get_params()
    frame = clone(FITTED).set_output(transform="pandas").fit(X, Y).transform(X)
    assert list(frame.columns) == FITTED.get_feature_names_out().tolist()


@pytest.mark.parametrize("layer", [0, 1, 2, -1])
def test_every_layer_comes_as_a_named_table(layer: int) -> None:
    clf = clone(FITTED).set_output(transform="polars").fit(X, Y)
    frame = clf.transform(X, layer=layer)
    assert frame.columns == clf.get_feature_names_out(layer=layer).tolist()
    assert np.array_equal(frame.to_numpy(), FITTED.transform(X, layer=layer))


def test_the_network_is_simplified_and_the_extracted_one_kept() -> None:
    words, used = pack(FITTED.binarizer_.transform(X)), pack(FITTED.transform(X, layer=0))
    simple = sort_nodes(simplify(FITTED.extracted_, words))
    assert simplify(FITTED.network_, used) == FITTED.network_ == drop_unused_predicates(simple)
    assert FITTED.extracted_.edges > FITTED.network_.edges


def test_rows_of_weight_zero_do_not_exist() -> None:
    """Nor do their labels, or what only they hold."""
    extra = pd.concat([X, X.iloc[:2].assign(job=["pilot", 7], height=np.nan)], ignore_index=True).astype(
        {"job": object}
    )
    labels = [*Y, None, "ghost"]
    weight = np.r_[np.ones(len(Y)), 0, 0]
    clf = quick().fit(extra, labels, sample_weight=weight)
    assert clf.network_ == FITTED.network_
    assert clf.classes_.tolist() == FITTED.classes_.tolist()


def test_nullable_integers_are_classes() -> None:
    labels = pd.Series(np.unique(Y, return_inverse=True)[1], dtype="Int64")
    assert quick().fit(X, labels).network_.classes == (0, 1, 2)


def test_a_column_of_another_type_is_noticed_even_if_no_rule_uses_it() -> None:
    for column, values in (("age", "old"), ("height", "tall"), ("job", 3)):
        with pytest.raises(TypeError, match=f"column '{column}'"):
            FITTED.predict(X.assign(**{column: values}))


def test_history_tells_of_every_rate() -> None:
    assert {line["rate"] for line in FITTED.history_} == {0.5, 0.8}
    assert set(FITTED.history_[0]) == {
        "rate",
        "epoch",
        "loss",
        "mllp_f1",
        "crs_f1",
        "training_f1",
        "edges",
        "disagreement",
    }


def test_refit_trains_again_with_the_chosen_rate() -> None:
    clf, before = quick(refit=True).fit(X, Y), quick().fit(X, Y)
    best = max(before.history_, key=lambda line: (line["crs_f1"], line["training_f1"], -line["edges"]))
    assert clf.network_.training.rate == before.network_.training.rate == best["rate"]
    assert clf.history_ == before.history_
    assert clf.extracted_ != before.extracted_
    assert clf.score(X, Y) > 0.8


def test_class_weight_moves_decisions() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    x[y == 1] += 1
    shares = [(quick(class_weight=weight).fit(x, y).predict(x) == 1).mean() for weight in ({0: 9}, None, {1: 9})]
    assert shares == sorted(shares)
    assert shares[0] < shares[2]
    rare = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20]]
    plain, balanced = (quick(class_weight=weight).fit(x[rare], y[rare]) for weight in (None, "balanced"))
    assert (balanced.predict(x) == 1).mean() > (plain.predict(x) == 1).mean()
    with pytest.raises(InputError, match="class_weight names the class 'yes'"):
        quick(class_weight={"yes": 2}).fit(x, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (4, 4)}, "odd number of middle layers"),
        ({"binarization_rate": 1.0}, "0 <= rate < 1"),
        ({"validation_fraction": 1.5}, "validation_fraction is 1.5"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": "many"}, "n_jobs is 'many'"),
        ({"negation": "yes"}, "negation is 'yes'"),
        ({"negation": "auto"}, "negation is 'auto'; use True or False"),
        ({"literals": "fuzzy"}, "literals must be 'intervals' or 'thresholds', got 'fuzzy'"),
        ({"kinds": "category"}, "kinds is 'category'"),
        ({"class_weight": dict.fromkeys(["care", "old", "young"], 0)}, "class_weight is 0 for all"),
        ({"device": "cuda"}, "device is 'cuda'"),
        ({"class_weight": "heavy"}, "class_weight is 'heavy'"),
        ({"random_state": "lucky"}, "random_state is 'lucky'; give a whole number"),
        ({"random_state": -1}, "random_state is -1; give a whole number from 0"),
        ({"random_state": np.random.default_rng(0)}, r"random_state is Generator\(PCG64\).*RandomState, or None"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        quick(**settings).fit(X, Y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([*Y[:-1], None], "y has no label in 1 row, first in row 119"),
        (pd.Series([*Y[:-1], pd.NA], dtype="string"), "y has no label in 1 row"),
        (np.full(len(Y), np.nan), "y has no label in 120 rows"),
        (["a"] * len(Y), "y has 1 class"),
        (pd.date_range("2020-01-01", periods=len(Y)), "y holds datetimes"),
        (Y[1:], "the table has 120 rows, but y has 119"),
    ],
)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        quick().fit(X, labels)


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [(["a"] * len(Y), None, "y has 1 class"), (Y, {"pilot": 2}, "class_weight names the class 'pilot'")],
)
def test_classes_are_looked_at_before_the_table(labels: Any, weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        quick(class_weight=weights).fit("not even a table", labels)


def test_labels_of_mixed_types() -> None:
    with pytest.raises(TypeError, match=r"row 1 holds 1 \(int\) among text"):
        quick().fit(X.iloc[:4], ["a", 1, "b", 2])


def test_an_interrupt_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    once, calls = cpu_engine.take_snapshot, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return once(*arguments)

    monkeypatch.setattr(cpu_engine, "take_snapshot", interrupted)
    clf = quick()
    with (
        pytest.warns(UserWarning, match=r"training was interrupted; .* kept \(epoch 5\)") as caught,
        pytest.raises(KeyboardInterrupt),
    ):
        clf.fit(X, Y)
    assert {warning.filename for warning in caught} == {__file__}
    assert len(clf.history_) == 2
    assert clf.predict(X).shape == Y.shape


@pytest.mark.filterwarnings("ignore:training was interrupted")
def test_an_interrupt_ends_a_cross_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    once, calls = cpu_engine.take_snapshot, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return once(*arguments)

    monkeypatch.setattr(cpu_engine, "take_snapshot", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(quick(), X, Y, cv=3)
    assert len(calls) == 3


def test_parameters_of_the_search_are_none() -> None:
    with pytest.raises(TypeError, match="max_edges"):
        MLLPClassifier(max_edges=40)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        MLLPClassifier((64,))  # type: ignore[misc]


def test_rows_to_learn_from_need_some_weight() -> None:
    """A class that weighs nothing may be the only one that is not held out: weights of 0 / 0 would be NaN."""
    time = [2 if label == "care" else 1 for label in Y]
    with pytest.raises(InputError, match="class_weight and sample_weight leave no weight to the rows to learn from"):
        quick(class_weight={"old": 0, "young": 0}).fit(X, Y, time=time)
