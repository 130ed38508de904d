"""Baselines: choices never see a test row, edges are counted as the paper does, and a run stops and goes on."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks.paper import baselines, external_models, runner, settings
from benchmarks.paper.__main__ import listed, seeds
from benchmarks.paper.baselines import MODELS, Learned, Refused, choose, run_fold, tree_edges
from benchmarks.paper.external_models import _predicted, _write_arff
from benchmarks.paper.folds import Inputs, plain_inputs
from benchmarks.paper.records import Run, missing, read
from benchmarks.paper.reference import BASELINES, data_names
from benchmarks.paper.runner import Job, Plan, run_baselines, work
from benchmarks.paper.settings import Settings, load_settings


def inputs_of(rows: int) -> Inputs:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(rows, 3)), rng.choice(["a", "b"], rows)
    half = rows // 2
    return Inputs(x[:half], x[half:], ("p", "q", "r"), y[:half], y[half:])


def test_a_choice_sees_training_rows_only() -> None:
    """The learner that choosing gets is told of two settings, and is never shown a row or label of the test part."""
    inputs = inputs_of(100)
    seen: list[Inputs] = []

    def learner(given: Inputs, options: object, seed: int) -> Learned:
        seen.append(given)
        return Learned(given.y_test if options == {"good": True} else np.full(len(given.y_test), "a"), {})

    chosen, validation = choose(learner, inputs, Settings(search={"good": [False, True]}), 0)
    assert chosen == {"good": True}
    assert validation == 1.0
    training = {tuple(row) for row in inputs.train}
    for given in seen:
        assert {tuple(row) for row in [*given.train, *given.test]} <= training
        assert len(given.test) == 10


def test_ties_go_to_the_first_and_one_candidate_needs_no_validation() -> None:
    inputs = inputs_of(40)

    def learner(given: Inputs, options: object, seed: int) -> Learned:
        return Learned(given.y_test, {})

    assert choose(learner, inputs, Settings(search={"C": [3, 1]}), 0) == ({"C": 3}, 1.0)
    assert choose(learner, inputs, Settings(), 0) == ({}, None)


def test_the_search_learns_from_no_more_rows_than_it_may() -> None:
    sizes = []

    def learner(given: Inputs, options: object, seed: int) -> Learned:
        sizes.append((len(given.train), len(given.test)))
        return Learned(given.y_test, {})

    choose(learner, inputs_of(200), Settings(tune_rows=30, search={"C": [1, 2]}), 0)
    assert sizes == [(30, 20), (30, 20)]


def test_standardisation_comes_from_the_rows_learned_from() -> None:
    inputs = baselines._standardised(inputs_of(60))
    np.testing.assert_allclose(inputs.train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(inputs.train.std(axis=0), 1)
    assert abs(inputs.test.mean()) > 1e-6


def test_a_tree_has_an_edge_to_each_child() -> None:
    tree = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "a"])
    assert tree_edges(tree) == 4  # two splits


@pytest.mark.parametrize("model", ["cart", "rf10", "lr", "svm"])
def test_scikit_learn_baselines_run(model: str) -> None:
    fold = run_fold("wine", model, "fold", 0, 1, load_settings("wine", model))
    assert 0.7 < fold.scores["f1"] <= 1
    assert fold.seconds["fit"] > 0
    assert bool(fold.edges) == (model in ("cart", "rf10"))
    assert (fold.validation is not None) == (model in ("lr", "svm"))


def test_boosting_counts_the_edges_of_its_trees() -> None:
    pytest.importorskip("lightgbm", reason="LightGBM comes with the extra bench")
    fold = run_fold("wine", "gbdt", "fold", 0, 1, load_settings("wine", "gbdt"))
    assert fold.scores["f1"] > 0.8
    assert fold.edges["edges"] >= 2 * 300  # 100 trees for each of three classes


def test_c45_is_j48() -> None:
    if external_models.weka_problem():
        pytest.skip(external_models.weka_problem())
    fold = run_fold("tic-tac-toe", "c45", "fold", 0, 0, load_settings("tic-tac-toe", "c45"))
    assert 0.9 < fold.scores["f1"] < 1
    assert fold.edges["edges"] == 2 * (fold.extra["leaves"] - 1)


def test_sbrl_finds_the_lines_of_tic_tac_toe() -> None:
    if external_models.sbrl_problem():
        pytest.skip(external_models.sbrl_problem())
    lines = {"max_rule_len": [3], "min_support": [0.02], "lambda_": [20]}
    one = replace(load_settings("tic-tac-toe", "sbrl"), search=lines)
    fold = run_fold("tic-tac-toe", "sbrl", "fold", 0, 0, one)
    assert fold.scores["f1"] > 0.95
    assert fold.edges["edges"] > fold.extra["rules"]


def test_what_weka_prints_is_read() -> None:
    printed = """
=== Predictions on test data ===

 inst#     actual  predicted error prediction
     1        1:?       2:c1       + 0.833
     2        1:?       1:c0       1
 10000        1:?     13:c12       0.5
"""
    assert _predicted(printed).tolist() == [1, 0, 12]


def test_rows_are_written_for_weka(tmp_path: Path) -> None:
    path = tmp_path / "rows.arff"
    _write_arff(path, np.array([[0.1, 1], [2, 0]]), ["c0", "?"], 2)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("@relation fold\n@attribute a0 numeric\n@attribute a1 numeric\n@attribute class {c0,c1}\n")
    assert text.endswith("@data\n0.10000000000000001,1,c0\n2,0,?\n")


@pytest.mark.parametrize(("model", "words"), [("c45", "make baselines"), ("sbrl", "make baselines")])
def test_what_is_not_installed_is_refused_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch, model: str, words: str
) -> None:
    monkeypatch.setattr(external_models, "JAR", Path("nowhere.jar"))
    monkeypatch.setattr(external_models, "SBRL", Path("nowhere"))
    with pytest.raises(Refused, match=words):
        run_fold("wine", model, "fold", 0, 0, load_settings("wine", model))


def test_lightgbm_is_not_needed_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "find_spec", lambda name: None)
    baselines.check_installed("cart")
    with pytest.raises(Refused, match="pip install"):
        baselines.check_installed("gbdt")


def test_every_baseline_has_settings_for_every_data_set() -> None:
    assert set(BASELINES) == set(MODELS)
    for data in data_names():
        for model in BASELINES:
            found = load_settings(data, model)
            assert found.inputs in ("plain", "bits")
            assert found.standardise == (model in ("lr", "svm", "plnn"))


def test_settings_that_mean_nothing_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"settings/cart\.toml"):
        load_settings("wine", "cart")
    (tmp_path / "cart.toml").write_text('[default]\ninput = "plain"\n')
    with pytest.raises(ValueError, match="'input'"):
        load_settings("wine", "cart")
    (tmp_path / "cart.toml").write_text('[vine]\ninputs = "plain"\n')
    with pytest.raises(ValueError, match="table 'vine'"):
        load_settings("wine", "cart")


def test_a_data_set_replaces_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "FOLDER", tmp_path)
    default = '[default]\ninputs = "plain"\nsearch = { a = [1, 2] }\n'
    (tmp_path / "cart.toml").write_text(default + "[wine]\ntune_rows = 10\nsearch = { b = [3] }\n")
    assert load_settings("adult", "cart") == Settings(search={"a": [1, 2]})
    assert load_settings("wine", "cart") == Settings(tune_rows=10, search={"b": [3]})


def test_a_run_does_what_is_missing_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RECORDS", tmp_path)
    plan = Plan(("wine",), ("cart",), jobs=1)
    assert run_baselines(plan) == 0
    first = read(Run("wine", "cart"), tmp_path)
    assert first is not None
    assert first.complete
    assert run_baselines(plan) == 0
    assert read(Run("wine", "cart"), tmp_path) == first  # times included: nothing was run again


def test_a_fold_that_takes_too_long_is_stopped_and_says_so(tmp_path: Path) -> None:
    jobs = [Job(Run("wine", "cart"), fold, tmp_path) for fold in (0, 1)]
    outcomes = [outcome for _, outcome, _ in work(jobs, 1, limit=0.0)]
    assert [outcome.failed for outcome in outcomes] == ["stopped after 0 s with 142 training rows"] * 2
    assert missing("wine", "cart", root=tmp_path) == [2, 3, 4]
    record = read(Run("wine", "cart"), tmp_path)
    assert record is not None
    assert record.failed == "stopped after 0 s with 142 training rows"


def test_an_error_is_shown_and_not_kept(tmp_path: Path) -> None:
    job = Job(Run("no such data", "cart"), 0, tmp_path)
    ((_, outcome, _),) = work([job], 1, limit=600.0)
    assert "there is no data set 'no such data'" in outcome.error
    assert not list(tmp_path.iterdir())


def test_the_largest_jobs_come_first() -> None:
    jobs = [Job(Run(data, model), 0, Path()) for data, model in (("wine", "svm"), ("adult", "cart"), ("adult", "svm"))]
    order = sorted(jobs, key=lambda job: job.cost, reverse=True)
    assert [(job.run.data, job.run.model) for job in order] == [("adult", "svm"), ("adult", "cart"), ("wine", "svm")]


def test_arguments_are_read() -> None:
    from argparse import ArgumentTypeError

    assert seeds("0..4") == (0, 1, 2, 3, 4)
    assert seeds("1,3") == (1, 3)
    assert listed(("a", "b"))("all") == ("a", "b")
    assert listed(("a", "b"))("b") == ("b",)
    with pytest.raises(ArgumentTypeError, match="no 'c'"):
        listed(("a", "b"))("a,c")
    with pytest.raises(ArgumentTypeError, match="no seed"):
        seeds("x")


def test_it_runs_where_little_is_installed(tmp_path: Path) -> None:
    """A machine with a GPU may have NumPy, scikit-learn, pyarrow, narwhals, Numba and torch, and little else."""
    absent = ("rich", "typer", "lightgbm", "matplotlib", "hypothesis")
    program = f"""
import sys
for name in {absent!r}:
    sys.modules[name] = None
from pathlib import Path
from benchmarks.paper.reference import BASELINES, data_names
from benchmarks.paper.records import Run
from benchmarks.paper.runner import Job, attempt
for model in ("svm", "gbdt"):
    print(attempt(Job(Run("wine", model), 0, Path({str(tmp_path)!r}))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("macro-F1 ")
    assert second == "GBDT needs LightGBM: pip install 'conceptrules[bench]'"


def test_plain_inputs_and_settings_agree() -> None:
    assert plain_inputs("tic-tac-toe", 0, "fold").train.shape[1] == 27
