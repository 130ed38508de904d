"""What both estimators promise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr

from conceptrules import InputError, load
from conceptrules.export import FORMATS
from conceptrules.model.errors import NothingLearnedWarning
from conceptrules.tables.table import Table
from tests.people import entangled, quick_mllp, quick_search, simple

Quick = Callable[..., Any]
pytestmark = pytest.mark.parametrize("quick", [quick_search, quick_mllp])


def table(quick: Quick, **size: int) -> tuple[pd.DataFrame, np.ndarray]:
    return (simple if quick is quick_mllp else entangled)(**size)


def test_the_order_of_rows_does_not_matter(quick: Quick) -> None:
    X, y = table(quick)
    fitted, order = quick().fit(X, y), np.random.default_rng(1).permutation(len(y))
    again = quick().fit(X.iloc[order], y[order])
    assert again.frontier_ == fitted.frontier_
    assert again.network_ == fitted.network_
    assert again.network_.statistics == fitted.network_.statistics


def test_weights_are_repeats_and_zero_is_absence(quick: Quick) -> None:
    X, y = table(quick)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = quick().fit(X, y, sample_weight=weight)
    order = np.repeat(np.arange(len(y)), weight)
    repeated = quick().fit(X.iloc[order], y[order])
    assert weighted.frontier_ == repeated.frontier_
    assert weighted.network_ == repeated.network_
    assert weighted.network_.statistics == repeated.network_.statistics


def test_a_small_class_stays_in_training(quick: Quick) -> None:
    X, y = table(quick)
    y[:1] = "rare"
    with pytest.warns(UserWarning, match="class 'rare' has too few rows that differ to hold some out for validation"):
        clf = quick().fit(X, y)
    assert "rare" in clf.network_.classes
    y[3:4] = "odd"
    with pytest.warns(UserWarning, match="classes 'odd', 'rare' have too few rows"):
        quick().fit(X, y)


def test_validation_rows_of_your_own(quick: Quick) -> None:
    X, y = table(quick)
    fresh, answers = table(quick, rows=60, seed=9)
    clf = quick().fit(X, y, X_val=fresh, y_val=answers)
    validation = clf.network_.training.validation
    assert (validation.source, validation.rows) == ("given", 60)
    assert sum(clf.network_.statistics.rows) == len(y)  # no row of X was held back
    with pytest.raises(InputError, match="X_val has no rows"):
        quick().fit(X, y, X_val=fresh[:0], y_val=answers[:0])
    with pytest.raises(InputError, match="go together"):
        quick().fit(X, y, X_val=fresh)
    with pytest.raises(InputError, match="y_val has the class 'dead'"):
        quick().fit(X, y, X_val=fresh, y_val=["dead"] * 60)
    with pytest.raises(InputError, match="y_val has 59 labels for the 60 rows"):
        quick().fit(X, y, X_val=fresh, y_val=answers[1:])


def test_progress_is_shown_when_asked_for(quick: Quick, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = table(quick)
    quick(verbose=True).fit(X, y)
    assert "edges" in capsys.readouterr().err
    quick().fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("data", ["a table", "rows"])
def test_a_warning_points_at_the_line_that_fits(quick: Quick, data: str) -> None:
    X, y = simple()
    rare = np.where(np.arange(len(y)) < 1, "rare", "common")
    with pytest.warns(UserWarning, match="class 'rare' has too few rows") as caught:
        quick().fit(X if data == "a table" else X.astype(object).values.tolist(), rare)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("ignore:class.* too few rows")
def test_weights_that_are_shares_are_noticed(quick: Quick) -> None:
    X, y = simple()
    clf, share = quick(), np.full(len(y), 1 / len(y))
    with pytest.warns(UserWarning, match="sums to 1 over 120 rows; .* multiply the weights by 120 ") as caught:
        clf.fit(X, y, sample_weight=share)
    assert {warning.filename for warning in caught} == {__file__}
    assert clf.fit(X, y, sample_weight=share * len(y)).network_.edges


def test_an_array_with_default_settings(quick: Quick) -> None:
    x, y = load_iris(return_X_y=True)
    clf = type(quick())(random_state=0).fit(x, y)
    assert clf.score(x, y) > 0.9
    assert clf.network_.columns[0].name == "x0"


def test_only_the_table_and_its_classes_are_positional(quick: Quick) -> None:
    X, y = simple()
    with pytest.raises(TypeError, match="positional"):
        quick().fit(X, y, np.ones(len(y)))


def test_a_cell_of_the_table_is_read_once(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(quick)
    once, seen = Table._read, []

    def counted(self: Table, position: int) -> Any:
        seen.append(position)
        return once(self, position)

    monkeypatch.setattr(Table, "_read", counted)
    quick().fit(X, y, sample_weight=np.arange(len(y)) % 3)
    assert sorted(seen) == list(range(X.shape[1]))


def test_a_notebook_shows_the_rules_once_there_are_any(quick: Quick) -> None:
    clf = quick()
    assert "learning.md" in clf._repr_html_()  # scikit-learn's diagram links to the documentation
    X, y = table(quick)
    clf.fit(X, y)
    assert clf.network_._repr_html_() in clf._repr_html_()
    assert f"<p>{type(clf).__name__}: <a href=" in clf._repr_html_()
    assert clf._repr_mimebundle_()["text/html"] == clf._repr_html_()
    assert type(clf).__name__ in clf._repr_mimebundle_()["text/plain"]


def test_the_diagram_of_scikit_learn_shows_it_alone_and_in_a_pipeline(quick: Quick) -> None:
    X, y = table(quick)
    clf = quick().fit(X, y)
    for shown in (estimator_html_repr(clf), make_pipeline(FunctionTransformer(), clf)._repr_html_()):
        assert type(clf).__name__ in shown
        assert "random_state" in shown  # its parameters


def test_metadata_is_routed_to_it(quick: Quick) -> None:
    X, y = table(quick)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    with config_context(enable_metadata_routing=True):
        asks = quick().set_fit_request(sample_weight=True)
        routed = make_pipeline(FunctionTransformer(), asks).fit(X, y, sample_weight=weight)
        assert routed[-1].network_ == quick().fit(X, y, sample_weight=weight).network_
        found = cross_validate(
            asks.set_score_request(sample_weight=True), X, y, cv=2, params={"sample_weight": weight},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
        rows = found["indices"]["train"][0]
        alone = quick().fit(X.iloc[rows], y[rows], sample_weight=weight[rows])
        assert found["estimator"][0].network_ == alone.network_
        with pytest.raises(TypeError, match="sample_weight"):
            make_pipeline(FunctionTransformer(), quick().set_fit_request(sample_weight=False)).fit(
                X, y, sample_weight=weight
            )


def test_a_model_saves_itself(quick: Quick, tmp_path: Path) -> None:
    clf = quick()
    with pytest.raises(NotFittedError):
        clf.save(tmp_path / "model.json")
    clf.fit(*table(quick)).save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == clf.network_


def test_the_container_of_the_output_is_cloned_and_can_be_set_for_all(quick: Quick) -> None:
    X, y = table(quick)
    clf = clone(quick().set_output(transform="pandas")).fit(X, y)
    assert list(clf.transform(X).columns) == clf.get_feature_names_out().tolist()
    plain = quick().fit(X, y)
    with config_context(transform_output="polars"):
        assert plain.transform(X, layer=0).columns == plain.get_feature_names_out(layer=0).tolist()
    assert isinstance(plain.transform(X), np.ndarray)
    with pytest.raises(ValueError, match="output config must be in"):
        plain.set_output(transform="spreadsheet").transform(X)


def test_an_estimator_is_made_of_a_saved_network(quick: Quick, tmp_path: Path) -> None:
    X, y = table(quick)
    fitted = quick().fit(X, y)
    fitted.save(tmp_path / "model.json")
    again = type(fitted).from_network(load(tmp_path / "model.json"))
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert again.score(X, y) == fitted.score(X, y)
    assert again.classes_.tolist() == fitted.classes_.tolist()
    assert again.feature_names_in_.tolist() == fitted.feature_names_in_.tolist()
    assert str(again.explain(X.iloc[:1])) == str(fitted.explain(X.iloc[:1]))
    assert again.select(edges=1000).network_ == fitted.network_
    assert clone(again).get_params() == type(fitted)().get_params()


def test_a_model_of_a_wide_table_knows_only_what_it_uses(quick: Quick, tmp_path: Path) -> None:
    X, y = table(quick)
    noise = np.random.default_rng(0).random((len(y), 60)).round(3)
    wide = X.assign(**{f"noise {number}": column for number, column in enumerate(noise.T)})
    fitted = quick().fit(wide, y)
    network = fitted.network_
    assert network.used_predicates == tuple(range(len(network.predicates)))
    assert [column.name for column in network.columns] == list(wide)
    assert all(
        choice.network.used_predicates == tuple(range(len(choice.network.predicates))) for choice in fitted.frontier_
    )
    fitted.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").predict(wide).tolist() == fitted.predict(wide).tolist()
    assert (tmp_path / "model.json").stat().st_size < 60_000
    assert fitted.transform(wide, layer=0).shape == (len(y), len(network.predicates))


def test_a_table_twice_over_and_a_weight_of_two_are_no_better(quick: Quick) -> None:
    """Equal rows are never on both sides of a split: else the copies of held-out rows would be learned by heart."""
    X, y = table(quick)
    once = quick().fit(X, y)
    order = np.tile(np.arange(len(y)), 2)
    twice, weighted = quick().fit(X.iloc[order], y[order]), quick().fit(X, y, sample_weight=np.full(len(y), 2))
    assert twice.frontier_ == weighted.frontier_
    assert twice.network_ == weighted.network_
    assert twice.network_.training.validation.macro_f1 < 0.98
    gain = twice.network_.training.validation.macro_f1 - once.network_.training.validation.macro_f1
    assert gain < 0.05
    assert twice.network_.training.validation.rows == 2 * once.network_.training.validation.rows
    assert sum(twice.network_.statistics.rows) == 2 * len(y)


def test_the_newest_rows_judge(quick: Quick) -> None:
    """Of late, everything is the other way round."""
    X, y = simple(300)
    day = np.random.default_rng(0).permutation(len(y))
    y = np.where(X["age"] > 50, "old", "young")
    y[day >= 240] = np.where(X["age"][day >= 240] > 50, "young", "old")
    validation = quick().fit(X, y, time=day).network_.training.validation
    assert (validation.source, validation.rows) == ("held back", 60)
    assert validation.macro_f1 < 0.4
    assert quick().fit(X, y).network_.training.validation.macro_f1 > 0.6


def test_rows_that_judge_are_said_once(quick: Quick) -> None:
    X, y = simple()
    for name in ("groups", "time"):
        with pytest.raises(InputError, match=f"X_val and {name} both say which rows are held out"):
            quick().fit(X, y, X_val=X, y_val=y, **{name: np.arange(len(y))})
    with pytest.raises(InputError, match="groups has no value in row 0"):
        quick().fit(X, y, groups=[None, *"ab" * 59, "a"])


def test_an_estimator_plots_itself(quick: Quick) -> None:
    X, y = table(quick)
    clf = quick().fit(X, y)
    for what in ("pareto_front", "coverage", "history", "importance", "confusion"):
        assert clf.plot(what, X, y).axes
    assert clf.plot("confusion", X, y).axes[0].get_xlabel() == "answer"
    with pytest.raises(InputError, match="the plot 'confusion' needs rows; give X and y"):
        clf.plot("confusion", X)
    with pytest.raises(InputError, match="there is no plot 'coverages'; did you mean 'coverage'"):
        clf.plot("coverages")


@pytest.mark.filterwarnings("always::conceptrules.model.errors.NothingLearnedWarning", "ignore:class.* too few rows")
def test_a_network_that_learns_nothing_says_so_and_works_all_the_same(quick: Quick, tmp_path: Path) -> None:
    X, y = pd.DataFrame({"a": [1.0] * 40, "b": ["x"] * 40}), np.array(["no"] * 30 + ["yes"] * 10)
    with pytest.warns(
        NothingLearnedWarning, match=r"no rule was learned.*every row gets the class 'no'.*\. Try "
    ) as told:
        clf = quick().fit(X, y)
    assert sum(issubclass(one.category, NothingLearnedWarning) for one in told) == 1
    assert not clf.network_.edges
    assert set(clf.predict(X)) == {"no"}
    np.testing.assert_array_equal(np.exp(clf.predict_log_proba(X)).round(12), clf.predict_proba(X).round(12))
    assert np.allclose(clf.predict_proba(X).sum(axis=1), 1)
    assert clf.evaluate(X, y).accuracy == 0.75
    assert clf.explain(X[:1]).label == "no"
    assert "no" in str(clf.network_)
    for language in FORMATS:
        verify = language in ("python", "onnx", "sql")
        assert clf.export(language, verify=verify)
    clf.report(X, y, tmp_path / "report.html")
    clf.network_.draw().save(tmp_path / "rules.svg")
    clf.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == clf.network_
    assert str(clf.model_card(X, y))
