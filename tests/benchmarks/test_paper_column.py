"""The protocol of the paper's own columns: what is tried, chosen, trained and kept."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks import jsonl
from benchmarks.paper import choice, column_records
from benchmarks.paper.choice import COLUMNS, FOLDS, MODELS, Trial, chosen, first_round, ranked, scores_of, second_round
from benchmarks.paper.column_records import CANDIDATES, take, write_inputs
from benchmarks.paper.records import RECORDS, Run, read
from benchmarks.paper.reference import data_names

TINY = {
    "lengths": [1, 2, 4],
    "seeds": 2,
    "small": ["wine"],
    "steps of small tables": 1,
    "rules": {
        "most_epochs": 4,
        "splits": 1,
        "keep": 1,
        "splits of the kept": 2,
        "starts of the kept": 1,
        "starts": 2,
        "small": {"splits": 2},
    },
    "zero": {
        "most_epochs": 2,
        "splits": 1,
        "keep": 1,
        "splits of the kept": 1,
        "starts of the kept": 1,
        "starts": 1,
        "layers": [[2]],
        "negation": [True],
        "l2": [1e-8],
        "small": {},
    },
}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "protocol", lambda: TINY)
    monkeypatch.setattr(choice, "LOOK_EVERY", 1)


def looks(**values: list[float]) -> np.ndarray:
    """Made-up looks of a network: (looks, columns)."""
    count = len(next(iter(values.values())))
    return np.array([values.get(name, [0.0] * count) for name in COLUMNS]).T


@pytest.mark.usefixtures("tiny")
def test_the_look_is_the_best_on_training_rows_in_the_second_half() -> None:
    found = looks(first=[0.9, 0.5, 0.6, 0.4], held_first=[0.1, 0.2, 0.3, 0.4], learned=[0.5] * 4, loss=[4, 3, 2, 1])
    found[:, COLUMNS.index("held_learned")] = [0.5, 0.6, 0.7, 0.8]
    # Of one epoch the first look, of two the second, of four the third, which is better than the fourth.
    assert scores_of(found, "rules")["crs"] == [0.1, 0.2, 0.3]
    # Where the scores are the same, the lower loss.
    assert scores_of(found, "rules")["crs-learned"] == [0.5, 0.6, 0.8]


def scores(trials: list[Trial], best: int) -> dict[Trial, dict[str, list[float]]]:
    """Made-up scores: in each fold another configuration is the best, for the learned priority the next one."""
    made = {}
    for trial in trials:
        far = {"crs": abs(trial.number - (best + trial.fold) % 3), "crs-learned": abs(trial.number - trial.fold % 3)}
        made[trial] = {model: [0.5 - away / 10, 0.7 - away / 10, 0.6 - away / 10] for model, away in far.items()}
    return made


@pytest.mark.usefixtures("tiny")
def test_each_fold_goes_its_own_way() -> None:
    first = first_round("rules", "wine", [[0, 1, 2]] * FOLDS)
    assert len(first) == FOLDS * 3 * 2
    assert len(first_round("rules", "adult", [[0, 1, 2]] * FOLDS)) == FOLDS * 3
    found = scores(first, best=1)
    for fold in range(FOLDS):
        best = ranked(found, fold, "crs")[0]
        assert (best.number, best.epochs, best.score) == ((1 + fold) % 3, 2, pytest.approx(0.7))
    second = second_round("rules", "adult", {trial: each for trial, each in found.items() if trial.split == 0})
    assert {(trial.fold, trial.number) for trial in second} == {
        (fold, number) for fold in range(FOLDS) for number in ((1 + fold) % 3, fold % 3)
    }
    assert {trial.split for trial in second} == {1}  # what is there already is not trained again


@pytest.mark.usefixtures("tiny")
def test_only_those_of_the_second_round_are_chosen() -> None:
    found = scores([Trial(0, number, 0, 0) for number in range(3)], best=1)
    assert chosen("rules", "adult", found, 0, "crs").number == 1
    found |= scores([Trial(0, 2, 1, 0)], best=1)
    assert chosen("rules", "adult", found, 0, "crs").number == 2


def test_every_fold_has_configurations_of_the_space() -> None:
    known = {(one["data"], one["kind"]): one for one in jsonl.read(RECORDS / CANDIDATES)}
    assert set(known) == {(data, kind) for data in data_names() for kind in MODELS}
    for (data, kind), entry in known.items():
        plan = choice.plan_of(kind, data)
        most = sum(plan["best"].values()) + len(plan["every"]) if kind == "rules" else 24
        assert all(len(plan.get("every", [])) < len(numbers) <= most for numbers in entry["folds"])
        assert all(len(set(numbers)) == len(numbers) for numbers in entry["folds"])
        if kind == "zero":
            assert entry["configurations"] == choice.zero_configurations()


def test_the_columns_were_trained_with_what_the_search_chose() -> None:
    """All that the candidates name was tried; of what had all splits and starts, the best was trained."""
    known = {(one["data"], one["kind"]): one for one in jsonl.read(RECORDS / CANDIDATES)}
    searched = jsonl.read(RECORDS / "search.jsonl")
    assert {(one["data"], one["kind"]) for one in searched} == set(known)
    for entry in searched:
        data, kind = entry["data"], entry["kind"]
        candidates, plan = known[data, kind], choice.plan_of(kind, data)
        whole = plan["splits of the kept"] * plan["starts of the kept"]
        for number, fold in enumerate(entry["folds"]):
            tries = fold["tries"]
            assert tries["number"] == candidates["folds"][number]
            for model in MODELS[kind]:
                best = fold["chosen"][model]
                finalists = [place for place, runs in enumerate(tries["runs"]) if runs >= whole]
                scores = {tries["number"][place]: max(tries[model][place]) for place in finalists}
                assert scores[best["number"]] == pytest.approx(max(scores.values()), abs=1e-4)
                assert best["score"] == pytest.approx(scores[best["number"]], abs=1e-4)
                for seed in range(choice.protocol()["seeds"]):
                    record = read(Run(data, model, seed=seed))
                    assert record is not None
                    trained, given = record.folds[number], candidates["configurations"][best["number"]]
                    assert trained.validation == best["score"]
                    assert trained.chosen["epochs"] == best["epochs"]
                    assert {key: trained.chosen[key] for key in ("layers", "negation")}.items() <= given.items()


def test_a_whole_column_of_a_small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the rows of wine to records, and nothing is trained twice; test classes do not travel."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton", reason="triton is not installed: pip install 'conceptrules[gpu]'")
    from benchmarks.paper import cohorts, column

    for module, name in ((choice, "protocol"), (column, "protocol"), (column_records, "protocol_of_columns")):
        monkeypatch.setattr(module, name, lambda: TINY)
    for module in (choice, cohorts):
        monkeypatch.setattr(module, "LOOK_EVERY", 1)
    monkeypatch.setattr(column, "SMALLEST", {1: 1})
    monkeypatch.setattr(column_records, "data_names", lambda: ["wine"])
    tries = [{"layers": [2], "binarization_rate": rate, "negation": False, "l2": 1e-8} for rate in (0.5, 0.8)]
    entries = [
        {"data": "wine", "kind": "rules", "configurations": tries, "folds": [[0, 1], *([0] for _ in range(4))]},
        {"data": "wine", "kind": "zero", "configurations": choice.zero_configurations(), "folds": [[0]] * FOLDS},
    ]
    root, folder, state = tmp_path / "records", tmp_path / "inputs", tmp_path / "state"
    jsonl.put(root / CANDIDATES, entries, ("data", "kind"))
    write_inputs(folder, root=root)
    with np.load(folder / "wine.npz") as arrays:
        assert {key.rpartition(".")[2] for key in arrays} == {"packed", "target", "weight", "sizes", "test"}
    arguments = ["column", "train", str(folder), "--state", str(state), "--device", device, "--data", "wine"]
    monkeypatch.setattr("sys.argv", [*arguments, "--seconds", "1"])
    column.main()
    assert [path.name for path in state.iterdir()] == ["place.json"]  # no part is begun that would not end in time
    monkeypatch.setattr("sys.argv", arguments)
    column.main()
    before = {path.name: path.stat().st_mtime_ns for path in state.iterdir() if path.name != "place.json"}
    assert len(before) == 6
    column.main()
    assert before.items() <= {path.name: path.stat().st_mtime_ns for path in state.iterdir()}.items()
    take(state, root=root)
    for model in ("crs", "crs-learned", "mllp0", "crs0"):
        for seed in range(2):
            record = read(Run("wine", model, seed=seed), root)
            assert record is not None
            assert record.complete
    found = {entry["kind"]: entry for entry in jsonl.read(root / "search.jsonl")}
    tries = found["rules"]["folds"][0]["tries"]
    assert (tries["number"], tries["runs"]) == ([0, 1], [2, 2])
    assert [len(scores) for scores in tries["crs"]] == [3, 3]  # one for each length
    assert set(found["zero"]["folds"][3]["chosen"]) == {"mllp0", "crs0"}
