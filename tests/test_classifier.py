"""ConceptRuleClassifier: budgets, the Pareto front, honest figures, what it objects to."""

from __future__ import annotations

import threading
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules import ConceptRuleClassifier, InputError, datasets
from conceptrules.explain.measurement import merge_bins
from conceptrules.io.model_file import dumps, loads
from conceptrules.learn.search import path as path_module
from conceptrules.learn.search import search
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.pareto import pareto_front
from conceptrules.model.predicate import Interval
from conceptrules.model.statistics import edges
from tests.people import entangled
from tests.people import quick_search as quick

X, Y = entangled()


@cache
def fitted() -> ConceptRuleClassifier:
    return quick().fit(X, Y)


@cache
def default() -> ConceptRuleClassifier:
    return ConceptRuleClassifier(random_state=0).fit(X, Y)


@cache
def several() -> ConceptRuleClassifier:
    """A fit with a Pareto front of several networks."""
    return quick().fit(*entangled(400))


def sizes(network: Any) -> tuple[int, int, int]:
    rules = [rule for level in network.levels for rule in level.rules]
    return edges(network), len(rules), max((len(rule.literals) for rule in rules), default=0)


def test_it_learns_the_table() -> None:
    fresh, answers = entangled(rows=600, seed=5)
    assert fitted().score(fresh, answers) > 0.85
    assert default().score(fresh, answers) > 0.85
    assert any(isinstance(p, Interval) for p in fitted().network_.predicates)


def test_the_number_of_threads_does_not_matter() -> None:
    one, two, three = (ConceptRuleClassifier(random_state=0, n_jobs=n).fit(*entangled(60)) for n in (None, 1, 3))
    assert len(one.history_) > 1
    assert one.frontier_ == two.frontier_ == three.frontier_
    assert one.history_ == two.history_ == three.history_


def test_fractional_weights_move_decisions() -> None:
    weight = np.where(Y == "old", 0.01, 1.3)
    share = (quick().fit(X, Y, sample_weight=weight).predict(X) == "old").mean()
    assert share < (fitted().predict(X) == "old").mean()


@pytest.mark.parametrize(
    "limits",
    [
        {"max_edges": 1},
        {"max_edges": 5},
        {"max_edges": 9, "effort": "default"},
        {"max_rules": 2, "effort": "default"},
        {"max_rule_length": 1, "effort": "default"},
        {"max_rule_length": 2, "max_rules": 3, "max_edges": 8},
    ],
)
def test_limits_are_kept_exactly(limits: dict[str, Any]) -> None:
    clf = quick(**limits).fit(X, Y)
    wanted = [limits.get(name) for name in ("max_edges", "max_rules", "max_rule_length")]
    for network in (clf.network_, *(choice.network for choice in clf.frontier_)):
        for found, limit in zip(sizes(network), wanted, strict=True):
            assert limit is None or found <= limit


@pytest.mark.filterwarnings("ignore:class.* too few rows")
@settings(max_examples=15, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 3), st.integers(0, 3))
def test_limits_are_kept_on_any_table(most_edges: int, most_rules: int, longest: int, seed: int) -> None:
    x, y = entangled(40, seed)
    clf = quick(max_edges=most_edges, max_rules=most_rules, max_rule_length=longest, max_bins=5)
    for choice in clf.fit(x, y).frontier_:
        assert all(np.array(sizes(choice.network)) <= [most_edges, most_rules, longest])


def test_the_frontier_goes_up() -> None:
    every = several().frontier_
    assert len(every) > 1
    assert [one.edges for one in every] == sorted(one.edges for one in every)
    (chosen,) = (one for one in every if one.network is several().network_)
    assert {*map(id, pareto_front(every)), id(chosen)} == {*map(id, every)}
    for choice in every:
        assert choice.edges == choice.network.edges <= choice.extracted.edges
        assert choice.network.training is not None
        assert choice.network.statistics is not None
    assert repr(every[0]).startswith("Choice(edges=")


@pytest.mark.parametrize("data", ["wine", "tic-tac-toe"])
def test_the_frontier_begins_with_no_rules_and_one_literal(data: str) -> None:
    """Also where several are worth the highest penalty."""
    table = datasets.load(data)
    clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(table.X, table.y)
    assert [choice.edges for choice in clf.frontier_[:2]] == [0, 2]
    (level,) = clf.select(edges=2).network_.levels
    assert [len(rule.literals) for rule in level.rules] == [1]


def test_select_switches_without_fitting_again() -> None:
    clf = copy(several())
    smallest, best = clf.frontier_[0], max(clf.frontier_, key=lambda one: one.score)
    assert clf.select(edges=smallest.edges) is clf
    assert clf.network_ is smallest.network
    assert clf.extracted_ is smallest.extracted
    assert np.array_equal(clf.predict(X), smallest.network.predict(X))
    assert clf.select(edges=best.edges + 3).network_ is best.network
    assert clf.select(within=0).network_ is best.network
    assert clf.select(within=best.score - smallest.score + 1e-9).network_ is smallest.network


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "either edges=40 .* or within=0.01"),
        ({"edges": 4, "within": 0.1}, "either edges=40"),
        ({"edges": -1}, "edges is -1; it needs a whole number of at least 0"),
        ({"edges": 4.5}, "edges is 4.5; it needs a whole number"),
        ({"edges": True}, "edges is True"),
        ({"within": -0.1}, "within is -0.1; it needs a number of at least 0"),
        ({"within": "near"}, "within is 'near'"),
    ],
)
def test_select_says_what_there_is(asked: dict[str, Any], message: str) -> None:
    before = several().network_
    with pytest.raises(InputError, match=message):
        several().select(**asked)
    assert several().network_ is before


def test_select_says_that_no_network_is_so_small() -> None:
    alone = ConceptRuleClassifier.from_network(several().frontier_[-1].network)
    with pytest.raises(InputError, match=r"no network of the Pareto front has at most 1 edges; they have [0-9]+"):
        alone.select(edges=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"effort": "huge"}, "effort is 'huge'; use one of 'fast', 'default', 'best'"),
        ({"effort": 3}, "effort is 3"),
        ({"scoring": "f1"}, "scoring is 'f1'; use one of 'f1_macro', 'accuracy', 'balanced_accuracy', 'neg_log_loss'"),
        ({"max_edges": 0}, "max_edges is 0; it needs a whole number of at least 1, or None"),
        ({"max_rules": 2.5}, "max_rules is 2.5"),
        ({"max_rule_length": True}, "max_rule_length is True"),
        ({"min_rows": 0}, "min_rows is 0; it needs a whole number of at least 1"),
        ({"min_rows": 2.5}, "min_rows is 2.5"),
        ({"negation": "yes"}, "negation is 'yes'; use True or False"),
        ({"negation": "auto"}, "negation is 'auto'; use True or False"),
        ({"scoring": "macro-F1"}, "scoring is 'macro-F1'; use one of 'f1_macro'"),
        ({"validation_fraction": 1}, "validation_fraction is 1"),
        ({"random_state": "lucky"}, "random_state is 'lucky'; give a whole number"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"max_bins": 1}, "max_bins is 1; it needs a whole number from 2 to 255"),
        ({"max_bins": 256}, "max_bins is 256"),
        ({"max_bins": 2.5}, "max_bins is 2.5"),
        ({"max_bins": True}, "max_bins is True"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        quick(**settings).fit("not even a table", Y)


@pytest.mark.parametrize(
    "given",
    [
        {"literals": "intervals"},
        {"quantiles": 32},
        {"layers": (64,)},
        {"patience": None},
        {"refit": True},
        {"max_epochs": 400},
    ],
)
def test_parameters_of_others_are_none(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(given))):
        ConceptRuleClassifier(**given)


def test_parameters_are_keywords() -> None:
    with pytest.raises(TypeError, match="positional"):
        ConceptRuleClassifier("fast")  # type: ignore[misc]


def test_negation() -> None:
    def negated(clf: ConceptRuleClassifier) -> set[Any]:
        first = clf.fit(X, np.where(X["job"] == "nurse", "care", "else")).extracted_
        literals = [literal for rule in first.levels[0].rules for literal in rule.literals]
        return {first.predicates[literal.index].column for literal in literals if literal.negated}

    assert negated(quick(negation=False, effort="default")) == set()
    assert negated(quick(effort="default")) <= {"job"}


@pytest.mark.parametrize("scoring", ["f1_macro", "accuracy", "balanced_accuracy", "neg_log_loss"])
def test_every_score_can_be_optimised(scoring: str) -> None:
    clf = quick(scoring=scoring).fit(X, Y)
    assert clf.score(X, Y) > 0.75
    assert dict(clf.network_.training.settings)["scoring"] == scoring
    assert loads(dumps(clf.network_)).training == clf.network_.training


def test_class_weight_moves_decisions() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    x[y == 1] += 1
    weights = ({0: 9}, None, {1: 9})
    shares = [(quick(class_weight=weight, scoring="accuracy").fit(x, y).predict(x) == 1).mean() for weight in weights]
    assert shares[0] < shares[1] < shares[2]


def households(rows: int = 240) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Households of four, whose class is a matter of chance: who knows a member by its street knows them all."""
    rng = np.random.default_rng(0)
    house = np.repeat(np.arange(rows // 4), 4)
    street = rng.permutation(rows // 4)[house]
    table = pd.DataFrame({"street": street, "noise": rng.normal(size=rows).round(2)})
    return table, np.where(rng.random(rows // 4) < 0.5, "a", "b")[house], house


def test_what_is_known_of_a_group_is_no_use_for_another() -> None:
    x, y, house = households()
    alone, together = quick(max_bins=255).fit(x, y), quick(max_bins=255).fit(x, y, groups=house)
    score = [one.network_.training.validation.macro_f1 for one in (alone, together)]
    assert score[0] > 0.8  # the other three are learned by heart
    assert score[1] < 0.7
    order = np.random.default_rng(1).permutation(len(y))
    again = quick(max_bins=255).fit(x.iloc[order], y[order], groups=pd.Series(house[order]).map("house {:03d}".format))
    assert again.network_ == together.network_


def test_no_row_can_be_held_back() -> None:
    with pytest.warns(UserWarning, match="too few rows"):
        clf = quick().fit([[1], [2]], ["a", "b"])
    assert clf.network_.training.validation.source == "training"


def test_history_and_training_tell_of_penalties() -> None:
    assert set(fitted().history_[0]) == {
        "penalty",
        "augmented",
        "edges",
        "training_score",
        "score",
        "chance",
        "unfairness",
        "refined",
    }
    penalties = [line["penalty"] for line in fitted().history_]
    assert penalties == sorted(penalties, reverse=True)
    training = fitted().network_.training
    assert (training.rate, training.epoch) == (None, None)
    assert training.edge_penalty in penalties
    assert training.validation.mllp_f1 is None
    assert training.validation.disagreement is None
    assert sum(training.validation.fires) == pytest.approx(1)
    assert "layers" not in dict(training.settings)
    assert loads(dumps(fitted().network_)) == fitted().network_
    assert loads(dumps(fitted().network_)).training == training


def test_the_file_says_whether_mixed_rows_were_learned_from() -> None:
    assert {line["augmented"] for line in default().history_} == {True}
    assert {line["augmented"] for line in fitted().history_} == {False}
    for choice in default().frontier_:
        network = choice.network
        assert network.training.augmented in (False, True)
        for augmented in (False, True):
            told = replace(network, training=replace(network.training, augmented=augmented))
            assert loads(dumps(told)).training == told.training
        assert sum(network.statistics.rows) == len(Y)  # mixed rows are never counted


def test_transform_gives_every_layer_of_the_network() -> None:
    network = default().network_
    bits = default().transform(X, layer=0)
    assert bits.shape[1] == len(network.predicates)
    for layer, wanted in enumerate(layers_plain(network, bits)):
        assert np.array_equal(default().transform(X, layer=layer), wanted)
        assert len(default().get_feature_names_out(layer=layer)) == wanted.shape[1]


def test_the_decided_class_has_the_largest_probability() -> None:
    probabilities = default().predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(default().classes_[probabilities.argmax(axis=1)], default().predict(X))


def test_probabilities_are_those_of_the_rows_whatever_their_classes_weigh() -> None:
    """Weights decide what is answered. A tenth of the rows are of the rare class, and so are a tenth of all chances."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 3))
    y = (rng.random(1500) < np.where(x[:, 0] > 1, 0.4, 0.05)).astype(int)
    clf = quick(class_weight="balanced").fit(x, y)
    stated, answers = clf.predict_proba(x), clf.predict(x)
    assert abs(stated[:, 1].mean() - y.mean()) < 0.02
    assert answers.mean() > 1.3 * y.mean()
    assert (stated.argmax(axis=1) != answers).any()


def test_probabilities_are_as_good_as_on_new_rows() -> None:
    """Half of the answers are noise."""
    rng = np.random.default_rng(3)

    def noisy(rows: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.normal(size=(rows, 12))
        return x, np.where(rng.random(rows) < 0.5, rng.integers(0, 2, rows), x[:, 0] > 0).astype(int)

    clf, (x, y) = ConceptRuleClassifier(random_state=0).fit(*noisy(400)), noisy(4000)
    stated = clf.predict_proba(x)[np.arange(4000), clf.predict(x)].mean()
    assert abs(stated - clf.score(x, y)) < 0.05


def test_bins_of_the_same_tenth_become_one() -> None:
    assert merge_bins([(0.55, 0.5, 10), (0.95, 1.0, 5), (0.59, 1.0, 30)]) == (
        (pytest.approx(0.58), pytest.approx(0.875), 40),
        (0.95, 1.0, 5),
    )


def test_ctrl_c_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    once, calls = search.judge_by_folds, []

    def interrupted(*given: Any) -> Any:
        calls.append(given)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return once(*given)

    monkeypatch.setattr(search, "judge_by_folds", interrupted)
    clf, told = quick(), "the search was interrupted; .* kept .3 penalties tried"
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match=told) as caught:
        clf.fit(X, Y)
    assert {warning.filename for warning in caught} == {__file__}
    assert len(clf.history_) == 3
    assert clf.predict(X).shape == Y.shape
    calls[:] = [None] * 5
    with pytest.raises(KeyboardInterrupt):
        quick().fit(X, Y)


def test_ctrl_c_never_meets_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python tells the main thread of it, and Numba makes a SystemError of it there."""
    once, threads = path_module.search, set()

    def watched(*given: Any) -> Any:
        threads.add(threading.current_thread())
        return once(*given)

    monkeypatch.setattr(path_module, "search", watched)
    quick(n_jobs=1).fit(X, Y)
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.filterwarnings("ignore:constant columns", "ignore:class.* too few rows")
@pytest.mark.parametrize("negation", [True, False])
def test_a_table_that_says_nothing_has_no_rules(negation: Any) -> None:
    clf = quick(negation=negation).fit(np.ones((20, 2)), ["a"] * 13 + ["b"] * 7)
    assert len(clf.binarizer_.predicates_) == clf.network_.edges == 0
    assert set(clf.predict(np.ones((3, 2)))) == {"a"}


@pytest.mark.filterwarnings("ignore:class.* too few rows")
def test_rows_of_a_class_that_weighs_nothing_do_not_judge() -> None:
    rare = np.where(np.arange(len(Y)) < 2, "rare", "common")
    weightless = quick(class_weight={"common": 0})
    assert set(weightless.fit(X, rare).predict(X)) == {"rare"}
    with pytest.raises(InputError, match="class_weight gives 0 to the classes of all rows of X_val"):
        weightless.fit(X, rare, X_val=X[2:], y_val=rare[2:])


def test_columns_that_cannot_change_are_remembered_by_the_network():
    rows, y = (
        [{"age": age, "job": "ab"[age % 2]} for age in range(40)],
        ["old" if age > 20 else "young" for age in range(40)],
    )
    clf = ConceptRuleClassifier(effort="fast", random_state=0, immutable=["age"]).fit(rows, y)
    assert clf.explain(rows[0]).counterfactual is None
    with pytest.raises(
        InputError, match="immutable names column 'agee', which is not in the table; did you mean 'age'"
    ):
        ConceptRuleClassifier(effort="fast", random_state=0, immutable=["agee"]).fit(rows, y)
