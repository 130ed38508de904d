"""ScorecardRegressor: the estimator from the outside."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules import InputError, ScorecardRegressor
from conceptrules.edit import LockRule
from conceptrules.io.model_file import dumps, loads
from conceptrules.learn.coding import table_coding
from conceptrules.model.errors import ConceptRulesWarning, NothingLearnedWarning
from conceptrules.model.policy import Policy
from conceptrules.model.policy.clauses import Forbidden, LeastRows
from conceptrules.model.text import rule_text

SMALL = {"effort": "fast", "random_state": 0, "n_jobs": 1}


def make_table(rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table whose number is 50, plus 20 above 3, plus 10 in c, less 15 where both hold; and a little noise."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame({
        "size": rng.uniform(0, 6, rows), "kind": rng.choice(["a", "b", "c"], rows), "other": rng.normal(size=rows)
    })  # fmt: skip
    large, own = table["size"] > 3, table["kind"] == "c"
    return table, (50 + 20 * large + 10 * own - 15 * (large & own) + rng.normal(0, 1, rows)).to_numpy()


@pytest.fixture(scope="module")
def fitted() -> ScorecardRegressor:
    table, y = make_table()
    return ScorecardRegressor(**SMALL).fit(table, pd.Series(y, name="price"))


def test_the_rules_behind_the_numbers_are_learned(fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    assert fitted.score(table, y) > 0.9
    assert set(fitted.network_.used_columns) == {"size", "kind"}
    assert fitted.network_.head.step in (0.05, 0.1)
    assert "add up to price" in str(fitted.network_)


def test_predictions_are_whole_steps_that_explanations_add_up_to(fitted: ScorecardRegressor) -> None:
    table, _ = make_table(50)
    step = fitted.network_.head.step
    predicted = fitted.predict(table)
    scores = fitted.network_.scores(table)
    assert (predicted == scores * step).all()
    for row, score, number in zip(table.to_dict("records"), scores, predicted, strict=True):
        explanation = fitted.explain(row)
        assert sum(each.points[0] for each in explanation.contributions) == score
        assert explanation.label == number
    assert fitted.explain(table)["answer"].tolist() == predicted.tolist()


def test_the_model_file_predicts_the_same(fitted: ScorecardRegressor) -> None:
    table, _ = make_table(50)
    loaded = loads(dumps(fitted.network_))
    assert loaded == fitted.network_
    assert loaded.statistics == fitted.network_.statistics
    assert (ScorecardRegressor.from_network(loaded).predict(table) == fitted.predict(table)).all()


def test_the_order_of_rows_the_kind_of_table_and_threads_change_nothing(fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    order = np.random.default_rng(1).permutation(len(y))
    moved = ScorecardRegressor(**{**SMALL, "n_jobs": 2}).fit(table.iloc[order].reset_index(drop=True), y[order])
    assert moved.network_ == fitted.network_
    named = ScorecardRegressor(**SMALL).fit(table.assign(price=y), "price")
    assert named.network_ == fitted.network_


def test_weights_act_as_repeats_of_rows() -> None:
    table, y = make_table(200)
    weight = np.where(table["kind"] == "a", 3.0, 1.0)
    weighted = ScorecardRegressor(**SMALL).fit(table, y, sample_weight=weight)
    assert sum(weighted.network_.statistics.rows) == weight.sum()


def test_limits_are_kept() -> None:
    table, y = make_table()
    settings = {"max_edges": 6, "max_columns": 1, "max_rule_length": 1, "min_rows": 60, "step": 5.0}
    model = ScorecardRegressor(**SMALL, **settings).fit(table, y)
    network = model.network_
    assert 0 < network.edges <= 6
    assert len(network.used_columns) == 1
    assert all(len(rule.literals) == 1 for rule in network.levels[0].rules)
    assert all(rows >= 60 for (rows,) in network.statistics.covered[0])
    assert set(model.predict(table) % 5) == {0.0}


@pytest.mark.parametrize("edges", [3, 5, 8, 13])
def test_the_most_edges_are_kept_where_bins_would_have_more(edges: int) -> None:
    table, y = make_table(300)
    y = y + 5 * np.floor(table["size"])  # rules of one column that overlap
    assert ScorecardRegressor(**SMALL, max_edges=edges).fit(table, y).network_.edges <= edges


def test_bins_of_a_column_keep_the_least_rows_too() -> None:
    rng = np.random.default_rng(3)
    size = rng.uniform(0, 10, 600)
    y = 10 * (size > 4) + 10 * (size > 4.4) + 5 * (size > 8) + rng.normal(0, 0.3, 600)
    model = ScorecardRegressor(**SMALL, min_rows=100).fit(size[:, None], y)
    assert model.network_.edges
    assert all(rows >= 100 for choice in model.frontier_ for (rows,) in choice.network.statistics.covered[0])


def test_policies_forbid_columns_and_name_what_cannot_be_kept() -> None:
    table, y = make_table()
    model = ScorecardRegressor(**SMALL, policy=Policy((Forbidden("size"), LeastRows(40)))).fit(table, y)
    assert set(model.network_.used_columns) <= {"kind", "other"}


def test_groups_and_time_say_what_is_held_out() -> None:
    table, y = make_table()
    groups = np.arange(len(y)) % 20
    assert ScorecardRegressor(**SMALL).fit(table, y, groups=groups).score(table, y) > 0.8
    assert ScorecardRegressor(**SMALL).fit(table, y, time=np.arange(len(y))).score(table, y) > 0.8


def test_gaps_and_categories_are_learned_from() -> None:
    table, y = make_table()
    table.loc[::4, "size"] = np.nan
    model = ScorecardRegressor(**SMALL).fit(table, np.where(table["size"].isna(), 90.0, y))
    assert model.predict(pd.DataFrame({"size": [np.nan], "kind": ["z"], "other": [0.0]}))[0] == pytest.approx(90, abs=3)


def test_smaller_cards_of_the_front_can_be_selected(fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    small = ScorecardRegressor(**SMALL).fit(table, y).select(edges=4)
    assert 0 < small.network_.edges <= 4
    assert small.predict_interval(table).shape == (len(y), 2)


def test_intervals_cover_about_what_they_promise(fitted: ScorecardRegressor) -> None:
    table, y = make_table(2000)
    ends = fitted.predict_interval(table, coverage=0.8)
    assert 0.7 < np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) < 0.9
    shares = fitted.measure_coverage(0.8)
    assert len(shares) >= 2
    assert 0.7 < shares.mean() < 0.9
    with pytest.raises(InputError, match="between 0 and 1"):
        fitted.predict_interval(table, coverage=90)
    saved = loads(dumps(fitted.network_))
    np.testing.assert_array_equal(saved.predict_interval(table, 0.8), ends)
    np.testing.assert_array_equal(ScorecardRegressor.from_network(saved).predict_interval(table, 0.8), ends)
    wide = fitted.predict_interval(table)
    assert fitted.evaluate(table, y).covered == np.mean((wide[:, 0] <= y) & (y <= wide[:, 1]))
    unknown = replace(saved, training=replace(saved.training, errors=()))
    assert unknown.evaluate(table, y).covered is None
    with pytest.raises(InputError, match="no held-out rows"):
        unknown.predict_interval(table)


@pytest.mark.parametrize("unit", [2.0**-960, 2.0**-30, 2.0**20, 2.0**960])
def test_the_unit_of_the_target_changes_nothing_but_the_unit(unit: float, fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    model = ScorecardRegressor(**SMALL).fit(table, y * unit)
    assert np.corrcoef(model.predict(table) / unit, fitted.predict(table))[0, 1] > 0.999
    assert str(model.network_)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"] * 10, "'a' in row 0, which is no number"),
        ([1.0, None] * 10, "contains NaN. It is in row 1"),
        ([1.0, np.inf] * 10, "contains infinity"),
        ([1.0, 1e301] * 10, "too large"),
        ([1e-305, 2e-305] * 10, "too close to 0"),
        ([True, False] * 10, "no number"),
        ([1.0] * 19, "19"),
        (None, "requires y"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ScorecardRegressor(**SMALL).fit(make_table(20)[0], y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "absolute"}, "use one of 'squared_error', 'absolute_error', 'poisson'"),
        ({"step": 0}, "a positive number"),
        ({"max_edges": 1}, "at least 2"),
    ],
)
def test_parameters_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ScorecardRegressor(**settings).check_parameters()


def test_evaluation_is_beside_always_answering_the_mean(fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    evaluation = fitted.evaluate(table, y)
    predicted = fitted.predict(table)
    assert evaluation.r2 == pytest.approx(fitted.score(table, y))
    assert evaluation.rmse == pytest.approx(np.sqrt(np.mean((y - predicted) ** 2)))
    assert evaluation.mae == pytest.approx(np.mean(np.abs(y - predicted)))
    assert evaluation.mean_rmse == pytest.approx(np.std(y))
    assert evaluation.median_mae == pytest.approx(np.mean(np.abs(y - np.median(y))))
    assert evaluation.median_rmse == pytest.approx(np.sqrt(np.mean((y - np.median(y)) ** 2)))
    assert "always the mean  always the median" in str(evaluation)
    assert fitted.evaluate(table, [5.0] * len(y)).r2 is None


def make_counts(rows: int = 600) -> pd.DataFrame:
    """Return a table of counts: 0.2 for a unit of exposure, twice that in a, three times above 3."""
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"size": rng.uniform(0, 6, rows), "kind": rng.choice(["a", "b"], rows)})
    rate = 0.2 * np.where(table["kind"] == "a", 2, 1) * np.where(table["size"] > 3, 3, 1)
    years = rng.integers(1, 9, rows) / 4
    return table.assign(claims=rng.poisson(rate * years), years=years, part=np.arange(rows) % 30)


@pytest.mark.parametrize(
    ("loss", "roles"),
    [
        ("squared_error", {"y": "size"}),
        ("absolute_error", {"y": "size", "sample_weight": "claims"}),
        ("poisson", {"y": "claims", "exposure": "years"}),
        ("squared_error", {"y": "size", "groups": "part"}),
        ("squared_error", {"y": "size", "time": "part"}),
    ],
)
@pytest.mark.filterwarnings("ignore::conceptrules.model.errors.ConceptRulesWarning")
def test_files_give_the_card_of_memory(
    loss: str, roles: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_counts()
    table["size"] += 5 * (table["kind"] == "a")
    for part in range(3):
        table.iloc[part::3].to_parquet(tmp_path / f"{part}.parquet")
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "all.csv", index=False)
    policy = Policy(tuple(Forbidden(name) for name in ("claims", "years", "part") if name not in roles.values()))
    model = ScorecardRegressor(**SMALL, loss=loss, policy=policy)
    expected = model.fit(table, **roles).network_
    assert expected.edges
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    for files in ("*.parquet", "all.csv"):
        assert model.fit(tmp_path / files, **roles).network_ == expected
        assert model.network_.statistics == expected.statistics


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"y": "kind"}, "the target column 'kind' is of the type (large_)?string; it needs numbers"),
        ({"y": "gaps"}, "Input the target column 'gaps' contains NaN. It is in row 1"),
        ({"y": "below"}, "holds -1 in row 2; loss='poisson' needs counts"),
        ({"y": "claims", "exposure": "below"}, "the column of exposures, 'below', is 0 in row 0"),
    ],
)
def test_bad_targets_in_files_are_named(
    roles: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    table = make_counts(40).assign(gaps=[1.0, None] * 20, below=[0, 1, -1, 2] * 10)
    table.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=message):
        ScorecardRegressor(**SMALL, loss="poisson").fit(tmp_path / "rows.parquet", **roles)


def test_counts_are_learned_as_rates_that_rules_multiply() -> None:
    table = make_counts(3000)
    table = table.drop(columns="part")
    model = ScorecardRegressor(**SMALL, loss="poisson").fit(table, "claims", exposure="years")
    head = model.network_.head
    assert (head.link, head.step) == ("log", 0.01)
    rows = pd.DataFrame({"size": [1.0, 1.0, 5.0, 5.0], "kind": ["b", "a", "b", "a"]})
    assert model.predict(rows) == pytest.approx([0.2, 0.4, 0.6, 1.2], rel=0.15)
    assert sum(model.network_.statistics.rows) == pytest.approx(3000, rel=1e-4)
    counted = model.evaluate(table, table["claims"], exposure=table["years"])
    assert counted.rmse == pytest.approx(np.sqrt(np.mean((table.claims - model.predict(table) * table.years) ** 2)))
    with pytest.raises(InputError, match="exposure needs a positive number for each row"):
        model.evaluate(table, table["claims"], exposure=[0.0] * 3000)
    ends = model.predict_interval(rows)
    assert (ends[:, 0] == 0).any()
    assert (ends[:, 0] <= model.predict(rows)).all()
    claims, years = table.pop("claims"), table.pop("years")
    same = ScorecardRegressor(**SMALL, loss="poisson")
    same.fit(table, claims / years, sample_weight=years / float(f"{years.mean():.6g}"))
    assert same.network_ == model.network_


def test_absolute_errors_are_not_led_by_single_large_numbers() -> None:
    table, y = make_table()
    y = y + 10_000 * (np.arange(len(y)) % 20 == 0)
    model = ScorecardRegressor(**SMALL, loss="absolute_error").fit(table, y)
    far = np.arange(len(y)) % 20 == 0
    assert np.abs(y - model.predict(table))[~far].mean() < 2
    assert model.frontier_[-1].network.head.link == "identity"


def test_rows_that_the_user_gives_judge_the_cards() -> None:
    table, y = make_table()
    rng = np.random.default_rng(1)
    model = ScorecardRegressor(**SMALL)
    model.fit(table, y, X_val=table[:100], y_val=y[:100])
    assert model.score(table, y) > 0.9
    assert model.measure_coverage().shape == (1,)
    with pytest.warns(NothingLearnedWarning):  # they do not bear out what the others say
        model.fit(table, y, X_val=table[:100], y_val=rng.permutation(y[:100]))
    with pytest.raises(InputError, match="the table has 90 rows, but y has 100"):
        model.fit(table, y, X_val=table[:90], y_val=y[:100])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [-1.0, 2.0] * 10}, "y holds -1 in row 0; loss='poisson' needs counts or amounts from 0"),
        ({"y": [0] * 20}, "y is 0 in all rows"),
        ({"exposure": [1.0, 0.0] * 10}, "exposure is 0 in row 1"),
        ({"exposure": [1.0, None] * 10}, "exposure is nan in row 1"),
        ({"exposure": [1.0] * 19}, "one number for each of the 20 rows"),
        ({"exposure": ["a"] * 20}, "exposure needs numbers"),
    ],
)
def test_bad_counts_and_exposures_are_refused(arguments: dict[str, Any], message: str) -> None:
    table, _ = make_table(20)
    with pytest.raises(InputError, match=message):
        ScorecardRegressor(**SMALL, loss="poisson").fit(table, **{"y": [1.0, 2.0] * 10, **arguments})


def test_exposures_are_for_counts() -> None:
    table, y = make_table(20)
    with pytest.raises(InputError, match="exposure is for loss='poisson', and loss is 'squared_error'"):
        ScorecardRegressor(**SMALL).fit(table, y, exposure=np.ones(20))


@pytest.mark.parametrize("value", [7.0, -1e300, 1e-300, 0.0])
def test_a_constant_target_is_answered_and_nothing_is_learned(value: float) -> None:
    with pytest.warns(NothingLearnedWarning, match="every row gets the number"):
        model = ScorecardRegressor(**SMALL).fit(make_table(40)[0], [value] * 40)
    assert model.predict(make_table(3)[0]) == pytest.approx([value] * 3, rel=1e-3)


@pytest.mark.parametrize("constant", [False, True])
def test_the_model_says_whether_it_learned_from_mixed_rows(constant: bool) -> None:
    table, y = make_table(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingLearnedWarning)
        model = ScorecardRegressor(random_state=0).fit(table, [7.0] * 40 if constant else y)
    assert model.network_.training is not None
    assert model.network_.training.augmented == (not constant)


def test_noise_gives_no_rules() -> None:
    rng = np.random.default_rng(0)
    with pytest.warns(NothingLearnedWarning):
        model = ScorecardRegressor(**SMALL).fit(rng.normal(size=(300, 5)), rng.normal(size=300))
    assert model.network_.edges == 0


def test_ten_rows_are_enough_to_answer() -> None:
    table, y = make_table(10)
    try:
        model = ScorecardRegressor(**SMALL).fit(table, y)
    except ConceptRulesWarning:
        return
    assert model.predict(table).shape == (10,)


def test_it_is_learned_again_around_a_locked_rule(fitted: ScorecardRegressor) -> None:
    table, y = make_table()
    rule = rule_text(fitted.network_, 0, 0)
    edited = fitted.network_.edit(LockRule(rule), who="anna", why="law").network
    again = ScorecardRegressor(**SMALL, immutable="kind").refit(table, y, around=edited).network_
    rules = {rule_text(again, 0, number): points for number, points in enumerate(again.head.points)}
    assert (rules[rule], again.head.step) == (fitted.network_.head.points[0], fitted.network_.head.step)
    assert again.explain(table[:1], to=">= 85").fixed == ("kind",)
