"""ScorecardClassifier: budgets, cut-offs, honest probabilities, what it objects to."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules import InputError, Policy, ScorecardClassifier
from conceptrules.edit import DropRule, LockRule
from conceptrules.learn.points import learning
from conceptrules.learn.points.settings import SCORINGS
from conceptrules.model.errors import NothingLearnedWarning
from conceptrules.model.policy import Apart, Clause, Forbidden, LeastRows, Limit
from conceptrules.model.text import rule_text
from tests.people import entangled

X, Y = entangled(240)
RISK = np.where(Y == "old", "risk", "none")


def quick(**parameters: Any) -> ScorecardClassifier:
    return ScorecardClassifier(**{"effort": "fast", "random_state": 0, "n_jobs": 1, **parameters})


@cache
def score() -> ScorecardClassifier:
    return quick().fit(X, RISK)


@cache
def several() -> ScorecardClassifier:
    return quick().fit(X, Y)


@pytest.mark.parametrize("effort", ["fast", "default"])
def test_it_learns_the_table(effort: str) -> None:
    fresh, answers = entangled(rows=600, seed=5)
    card = quick(effort=effort).fit(X, Y)
    assert card.score(fresh, answers) > 0.85
    shares = card.predict_proba(fresh)
    likelihood = np.log(shares[np.arange(600), np.searchsorted(card.classes_, answers)]).mean()
    assert likelihood > -0.75  # shares of the classes alone have -1.08


def test_neither_threads_nor_the_order_of_rows_matter() -> None:
    order = np.random.default_rng(1).permutation(len(X))
    other = quick(n_jobs=3).fit(X.iloc[order], RISK[order])
    assert other.network_.levels == score().network_.levels
    assert other.network_.head == score().network_.head
    assert other.history_ == score().history_


def test_files_in_parts_give_the_card_of_a_table_in_memory(tmp_path: Path) -> None:
    table = X.assign(risk=RISK)
    for part in range(3):
        table.iloc[part * 80 : part * 80 + 80].to_parquet(tmp_path / f"part-{part}.parquet")
    from_files = quick().fit(str(tmp_path / "part-*.parquet"), "risk").network_
    assert from_files.head == score().network_.head
    assert from_files.levels == score().network_.levels
    assert from_files.statistics == score().network_.statistics


def test_the_front_grows_and_select_switches() -> None:
    card = quick().fit(X, RISK)
    sizes = [choice.edges for choice in card.frontier_]
    assert sizes == sorted(sizes)
    assert all(choice.edges == choice.network.edges for choice in card.frontier_)
    assert card.select(edges=sizes[1]).network_.edges <= sizes[1]


@pytest.mark.parametrize(
    "limits",
    [
        {"max_edges": 2},
        {"max_edges": 7},
        {"max_columns": 1},
        {"max_columns": 2},
        {"max_rule_length": 1},
        {"max_points": 1},
        {"max_points": 3},
        {"min_rows": 60},
    ],
)
@pytest.mark.parametrize("answers", [RISK, Y])
def test_limits_are_kept(limits: dict[str, int], answers: np.ndarray) -> None:
    for choice in quick(**limits).fit(X, answers).frontier_:
        network = choice.network
        rules = network.levels[0].rules
        assert network.edges <= limits.get("max_edges", 10**6)
        assert len({test.column for test in network.predicates}) <= limits.get("max_columns", 10**6)
        columns = [{network.predicates[literal.index].column for literal in rule.literals} for rule in rules]
        assert max(map(len, columns), default=0) <= limits.get("max_rule_length", 3)
        assert all(abs(each) <= limits.get("max_points", 20) for row in network.head.points for each in row)
        assert all(sum(rows) >= limits.get("min_rows", 1) for rows in network.statistics.covered[0])


def test_decision_function_agrees_with_predict() -> None:
    assert ((score().decision_function(X) > 0) == (score().predict(X) == score().classes_[1])).all()
    assert (several().classes_[several().decision_function(X).argmax(axis=1)] == several().predict(X)).all()


@pytest.mark.parametrize("answers", [RISK, Y])
def test_class_weights_do_not_bend_probabilities(answers: np.ndarray) -> None:
    first = sorted(set(answers))[0]
    weighted = quick(class_weight={name: 8.0 if name == first else 1.0 for name in set(answers)}).fit(X, answers)
    assert weighted.predict_proba(X)[:, 0].mean() == pytest.approx((answers == first).mean(), abs=0.05)


def test_a_probability_a_score_or_costs_set_the_cut_off() -> None:
    by_probability = quick(cutoff=0.2).fit(X, RISK)
    shares = by_probability.predict_proba(X)[:, 1]
    assert ((shares >= 0.2) == (by_probability.predict(X) == by_probability.classes_[1])).all()
    assert quick(cutoff=3).fit(X, RISK).network_.head.cutoff == 3
    dear = [quick(costs=[[0, 1], [cost, 0]]).fit(X, RISK).predict(X) == score().classes_[1] for cost in (0.05, 20)]
    assert dear[0].mean() < dear[1].mean()


def test_scorings_choose_by_what_they_say() -> None:
    for scoring in SCORINGS:
        if scoring != "roc_auc":
            front = quick(scoring=scoring).fit(X, Y).frontier_
            scores = [choice.score for choice in front]
            assert max(scores) > scores[0]


def test_columns_that_are_forbidden_are_not_asked() -> None:
    card = quick(policy=Policy((Forbidden("age"), Limit("edges", 6), LeastRows(20)))).fit(X, Y)
    assert "age" not in {test.column for test in card.network_.predicates}
    assert 0 < card.network_.edges <= 6


@pytest.mark.parametrize("clause", [Apart("age", "job"), Limit("rules", 3)])
def test_clauses_about_the_shape_of_cards_are_kept(clause: Clause) -> None:
    policy = Policy((clause,))
    card = quick(policy=policy).fit(X, Y)
    assert card.network_.levels[0].rules
    assert all(choice.network.prove(policy).proved for choice in card.frontier_)


@pytest.mark.filterwarnings("ignore:constant columns", "ignore:class.* too few rows")
def test_a_table_that_says_nothing_has_a_card_of_the_base_rate() -> None:
    rng = np.random.default_rng(0)
    for rows in (np.ones((60, 2)), rng.normal(size=(60, 2))):
        with pytest.warns(NothingLearnedWarning, match="every row gets the class 'b'"):
            card = quick().fit(rows, ["b"] * 40 + ["a"] * 20)
        assert card.network_.edges == 0
        assert card.predict_proba(rows)[:, 1] == pytest.approx([2 / 3] * 60, abs=0.02)


@pytest.mark.filterwarnings("ignore:class.* too few rows")
@pytest.mark.parametrize(
    ("answers", "fit", "parameters"),
    [
        (np.where(np.arange(len(X)) == 3, "risk", "none"), {}, {}),  # one row cannot be learned from and held out
        (RISK, {"sample_weight": np.where(np.arange(len(X)) == 3, 1e9, 1.0)}, {}),
        (RISK, {}, {"min_rows": len(X)}),
    ],
)
def test_what_cannot_have_a_card_has_that_of_the_base_rate(
    answers: np.ndarray, fit: dict[str, Any], parameters: dict[str, Any]
) -> None:
    with pytest.warns(NothingLearnedWarning, match="every row gets the class"):
        card = quick(**parameters).fit(X, answers, **fit)
    assert card.network_.edges == 0
    assert len(set(card.predict(X))) == 1


def test_all_weight_on_one_row_is_one_class() -> None:
    with pytest.raises(InputError, match="y has 1 class"):
        quick().fit(X, RISK, sample_weight=np.arange(len(X)) == 3)


@pytest.mark.filterwarnings("ignore:y has 60 classes")
def test_many_classes_have_a_card() -> None:
    number = np.arange(480) % 60
    names = np.array([f"class {each}" for each in number])
    card = quick(max_edges=100).fit(np.stack([number // 10, number % 10], axis=1), names)
    assert 0 < card.network_.edges <= 100
    assert card.predict_proba([[0, 0]]).shape == (1, 60)


def test_more_rows_bear_out_more_rules() -> None:
    edges = []
    for rows in (400, 4800):
        rng = np.random.default_rng(0)
        left, right = rng.integers(0, 8, (2, rows))
        apart = np.where(rng.random(rows) < 0.1, rng.integers(0, 4, rows), np.abs(left - right) // 2)
        edges.append(quick().fit(pd.DataFrame({"left": left, "right": right}), apart).network_.edges)
    assert edges[0] < 0.8 * edges[1]


def test_every_rule_covers_the_least_rows_unless_the_user_lowers_them() -> None:
    rare = np.arange(900) < 7
    answers = np.where(rare | (np.arange(900) % 20 == 0), "risk", "none")
    table = np.column_stack([rare, np.arange(900) % 3])

    def list_covered(**parameters: int) -> set[float]:
        front = quick(**parameters).fit(table, answers).frontier_
        return {sum(rows) for choice in front for rows in choice.network.statistics.covered[0]}

    assert not list_covered() & {7, 893}
    assert list_covered(min_rows=1) & {7, 893}


@pytest.mark.parametrize(
    ("parameters", "answers", "message"),
    [
        ({"effort": "hard"}, RISK, "effort is 'hard'; use one of 'fast'"),
        ({"scoring": "recall"}, RISK, "scoring is 'recall'; use one of 'neg_log_loss'"),
        ({"scoring": "roc_auc"}, Y, "scoring='roc_auc' is for two classes, and there are 3"),
        ({"max_edges": 1}, RISK, "max_edges is 1; it needs a whole number of at least 2"),
        ({"max_points": 0}, RISK, "max_points is 0; it needs a whole number of at least 1"),
        ({"max_columns": 1.5}, RISK, "max_columns is 1.5; it needs a whole number"),
        ({"min_rows": 0}, RISK, "min_rows is 0; it needs a whole number"),
        ({"max_bins": 1}, RISK, "max_bins is 1; it needs a whole number from 2 to 255"),
        ({"cutoff": 1.5}, RISK, "cutoff is 1.5; give a probability"),
        ({"cutoff": 4000}, RISK, "cutoff is 4000, but the scores go from -?[0-9]+ to [0-9]+; give a score"),
        ({"cutoff": 2}, Y, "cutoff is for two classes, and there are 3"),
        ({"cutoff": 0.5, "costs": [[0, 1], [1, 0]]}, RISK, "give one of them"),
        ({"costs": [[0, 1, 2]]}, RISK, "it needs a row for each true class"),
        ({"costs": "high"}, RISK, "give a number for each true class"),
        ({"costs": np.eye(3)}, RISK, "costs are for 3 classes, and there are 2: 'none', 'risk'"),
        ({"policy": "none"}, RISK, "policy is 'none'; give a Policy"),
        ({}, ["a"] * len(X), "y has 1 class, 'a'"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(parameters: dict[str, Any], answers: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        quick(**parameters).fit(X, answers)


def test_ctrl_c_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, calls = learning.judge_margins, []

    def interrupt(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return judge(*arguments)

    monkeypatch.setattr(learning, "judge_margins", interrupt)
    card = quick()
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match=r"interrupted; .* kept .3 cards tried"):
        card.fit(X, RISK)
    assert len(card.history_) == 3
    assert card.predict(X).shape == RISK.shape


def test_weights_are_repeats_of_rows() -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    whole = quick().fit(X, RISK, sample_weight=weight).network_
    assert whole.head == quick().fit(X.iloc[repeated], RISK[repeated]).network_.head


def test_groups_moments_and_validation_rows_are_taken() -> None:
    number = np.arange(len(X))
    for more in ({"groups": number // 4}, {"time": number}, {"X_val": X[:80], "y_val": RISK[:80]}):
        card = quick().fit(X, RISK, **more)
        assert card.network_.edges
        assert card.network_.training.validation.rows > 0


def test_a_large_table_is_learned_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    from conceptrules.learn import task

    for name, value in {"SAMPLE": 300, "WATCH": 100, "MORE": 400}.items():
        monkeypatch.setattr(task, name, value)
    rows, answers = entangled(900)
    card = quick().fit(pd.DataFrame(rows), answers)
    assert card.score(*entangled(600, seed=5)) > 0.8
    assert sum(card.network_.statistics.rows) == 900


def test_it_is_learned_again_around_a_locked_rule_and_without_a_dropped_one() -> None:
    card = score().network_
    locked, dropped = (rule_text(card, 0, rule) for rule in (0, 1))
    edited = card.edit(LockRule(locked), who="anna", why="law").network
    edited = edited.edit(DropRule(dropped), who="anna", why="makes no sense").network
    again = quick(immutable=["age"]).refit(X, RISK, around=edited)
    rules = {
        rule_text(again.network_, 0, rule): again.network_.head.points[rule]
        for rule in range(len(again.network_.head.points))
    }
    assert rules[locked] == card.head.points[0]
    assert dropped not in rules
    assert [verdict.outcome for verdict in again.network_.proof.verdicts] == ["proved", "proved"]
    assert all(change.column != "age" for change in again.explain(X[:1]).counterfactual.changes)


def test_columns_that_cannot_change_have_to_be_there() -> None:
    with pytest.raises(
        InputError, match="immutable names column 'agee', which is not in the table; did you mean 'age'"
    ):
        quick(immutable=["agee"]).fit(X, RISK)
