"""The search for settings: halving, fold by fold, and nothing of another fold in the choice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import jsonl
from benchmarks.paper import batch, bit_bounds, crs, finalists, search, settings
from benchmarks.paper.folds import load, paper_folds
from benchmarks.paper.records import FOLDS, RECORDS, Run, read, write_entry
from benchmarks.paper.reference import data_names
from benchmarks.paper.search import Trial, configurations, space
from benchmarks.paper.training_data import divided, fold_of
from conceptrules.learn.mllp.fit import Score

TINY = {
    "configurations": 8,
    "splits": 1,
    "splits of small tables": 2,
    "small tables": ["wine"],
    "rates of the paper": [0.5],
    "paper": {"layers": [4], "negation": False, "l2": 1e-8, "min_steps": 20},
    "choices": {
        "layers": [[3], [5]],
        "binarization_rate": [0.5, 0.7],
        "negation": [False, True],
        "l2": [1e-8, 1e-6],
        "min_steps": [20, 30],
    },
    "rungs": [{"keep": 8, "epochs": 2}, {"keep": 3, "epochs": 3}],
}
FIRST_SEARCH = "b19420b3047a79822836483846974569afb3873f24e98a17811c694868447cb7"
COLUMN = {"fixed": {"priority": "first", "patience": 3, "max_epochs": 3, "snapshot_every": 1}}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "space", lambda: {"per_fold": TINY, "column": COLUMN})


class Pretence:
    """Scores that are made up: a configuration of its own is best in each fold."""

    def __init__(self) -> None:
        self.seen: list[Sequence[Trial]] = []
        self.tries = configurations("wine", TINY)

    def __call__(self, trials: Sequence[Trial]) -> list[Score]:
        self.seen.append(trials)
        return [self.score(one) for one in trials]

    def score(self, trial: Trial) -> Score:
        away = (self.tries.index(dict(trial.settings)) - trial.fold) % len(self.tries)
        return Score(0.5, trial.epochs, 0.0, 0.5, 1 - away / 10, 0.5, 10, 0.0)


@pytest.mark.usefixtures("tiny")
def test_each_fold_goes_its_own_way() -> None:
    judge = Pretence()
    record = search.search("wine", judge, "cpu")
    assert [fold["chosen"] for fold in record["folds"]] == list(range(FOLDS))
    first, second = judge.seen
    # Two splits of each of the five folds of a small table.
    assert (len(first), {one.epochs for one in first}) == (2 * FOLDS * 8, {2})
    assert (len(second), {one.epochs for one in second}) == (2 * FOLDS * 3, {3})
    assert {one.split for one in first} == {0, 1}
    for fold in range(FOLDS):
        kept = {judge.tries.index(dict(one.settings)) for one in second if one.fold == fold}
        assert kept == {(fold + away) % 8 for away in range(3)}


@pytest.mark.usefixtures("tiny")
def test_what_is_kept_reads_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = search.search("wine", Pretence(), "cpu")
    for name in ("wine", "adult"):
        search.keep({**record, "data": name}, tmp_path / "records", tmp_path / "settings")
    kept = jsonl.find(tmp_path / "records" / search.NAME, {"data": "wine"})
    assert json.loads(json.dumps(record)) == kept
    monkeypatch.setattr(settings, "FOLDER", tmp_path / "settings")
    for name in ("wine", "adult"):
        table = settings.table_of(name, "crs")
        assert table["fixed"] == COLUMN["fixed"]
        assert [table["folds"][str(fold)] for fold in range(FOLDS)] == [search.chosen(record, f) for f in range(FOLDS)]


def test_the_settings_of_the_column_are_those_that_the_searches_chose() -> None:
    text = (settings.FOLDER / "crs.toml").read_text(encoding="utf-8")
    assert text == search.settings_text(jsonl.read(RECORDS / search.NAME))


def test_the_rows_of_a_choice_are_training_rows_of_the_fold() -> None:
    rows, y = fold_of("wine", 3, "fold"), load("wine").y
    train, _ = list(paper_folds(len(y)))[3]
    for negation in (False, True):
        parts = divided("wine", 3, "fold", 1, negation)
        weights = parts.training.weight.sum(), parts.validation.weight.sum()
        assert sum(weights) == rows.training.weight.sum() == len(train)
        assert weights[1] == pytest.approx(len(train) / 5, abs=3)
        assert parts.training.inputs == (1 + negation) * rows.training.inputs


def test_the_space_is_the_same_in_every_run() -> None:
    plan = space()["per_fold"]
    first, again, other = (configurations(name, plan) for name in ("adult", "adult", "wine"))
    assert first == again != other
    assert len({json.dumps(one, sort_keys=True) for one in first}) == plan["configurations"] == 108
    keeps = [rung["keep"] for rung in plan["rungs"]]
    assert keeps == sorted(keeps, reverse=True)
    assert keeps[0] == plan["configurations"]


def test_the_space_is_that_of_the_first_search() -> None:
    """It was written down before any test score of the column was known: what the first search tried is still all.

    The records of that search are gone. Their configurations had this hash, and it trained each for 200 epochs.
    """
    plan = space()
    tried = {name: configurations(name, plan["per_fold"]) for name in data_names()}
    texts = {name: sorted(json.dumps(one, sort_keys=True) for one in found) for name, found in tried.items()}
    assert hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest() == FIRST_SEARCH
    assert {"max_epochs": 200, "snapshot_every": 10, "priority": "first"}.items() <= plan["column"]["fixed"].items()
    assert plan["per_fold"]["rungs"][-1]["epochs"] == 200
    assert {entry["data"]: entry["tries"] for entry in jsonl.read(RECORDS / search.NAME)} == tried


def test_our_columns_are_run_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With settings of its own for each fold; CRS and both columns at P = 0; what is there already stays."""
    folds = "".join(
        f"[wine.folds.{fold}]\nlayers = [{3 + fold}]\nnegation = {['false', 'true'][fold % 2]}\n"
        "l2 = 1e-8\nbinarization_rate = 0.5\nmin_steps = 20\n"
        for fold in range(FOLDS)
    )
    fixed = '[default.fixed]\npriority = "first"\npatience = 100\nvalidation_fraction = 0.2\nmax_epochs = 5\n'
    (tmp_path / "crs.toml").write_text(fixed + folds, encoding="utf-8")
    for model in ("mllp0", "crs0"):
        text = "[default]\nbinarization_rate = 0.0\nmax_epochs = 4\n"
        (tmp_path / f"{model}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(settings, "FOLDER", tmp_path)
    place, root = crs.Place("cpu", 1), tmp_path / "records"
    runs = [Run("wine", "crs"), Run("wine", "mllp0"), Run("wine", "crs0"), Run("wine", "crs", "published")]
    crs.run("wine", runs, place, root=root)
    for run in runs:
        record = read(run, root)
        assert record is not None
        assert record.complete
        assert [fold.chosen["layers"] for fold in record.folds] == [[3 + fold] for fold in range(FOLDS)]
        rate = 0.5 if run.model == "crs" else 0.0
        assert {fold.chosen["binarization_rate"] for fold in record.folds} == {rate}
    (path,) = root.iterdir()
    before = path.read_bytes(), path.stat().st_mtime_ns
    crs.run("wine", runs, place, root=root)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_lane_says_what_fails_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []

    def part(name: str, **changes: object) -> batch.Part:
        given = {"done": lambda: False, "ready": lambda: True, "do": lambda: done.append(name)} | changes
        return batch.Part(name, 10, **given)  # type: ignore[arg-type]

    def fail() -> None:
        raise ValueError("no such thing")

    parts = [part("a", do=fail), part("b"), part("c", done=lambda: True), part("d", ready=lambda: False)]
    monkeypatch.setattr(batch, "parts_of_gpu", lambda place, names: iter(parts))
    monkeypatch.setattr("sys.argv", ["batch", "gpu", "--seconds", "100"])
    assert batch.main() == 0
    assert done == ["b"]
    said = capsys.readouterr().err
    assert "ValueError: no such thing" in said
    assert "d: left for later" in said


def test_an_archive_has_what_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tarfile

    monkeypatch.setattr(batch, "HERE", tmp_path)
    for name in ("rates", ".half"):
        write_entry(name, {"data": "adult", "f1": 1}, root=tmp_path / "records")
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "crs.toml").write_text("")
    batch.archive(tmp_path)
    with tarfile.open(tmp_path / "paper.tar.gz") as file:
        names = [name for name in file.getnames() if "." in name]
    assert names == ["benchmarks/paper/records/rates.jsonl", "benchmarks/paper/settings/crs.toml"]


@pytest.mark.usefixtures("tiny")
def test_the_last_of_a_search_have_another_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = search.search("wine", Pretence(), "cpu")
    search.keep(record, tmp_path, tmp_path)
    monkeypatch.setattr(finalists, "table_of", lambda *_: {"fixed": {"priority": "first", "max_epochs": 6}})
    finalists.look_again("wine", crs.Place("cpu", 1), tmp_path)
    found = jsonl.read(tmp_path / "finalists.jsonl")[0]["folds"]
    assert [fold["tries"] for fold in found] == [fold["rungs"][-1]["tries"] for fold in record["folds"]]
    for fold in found:
        means = [sum(scores) for scores in fold["validation_f1"]]
        assert fold["tries"][means.index(max(means))] == fold["chosen"]
        assert len(fold["test_f1"]) == len(finalists.SEEDS)


def test_bits_bound_what_can_be_learned(tmp_path: Path) -> None:
    bit_bounds.measure(["tic-tac-toe", "blogger"], tmp_path)
    found = {entry["data"]: entry for entry in jsonl.read(tmp_path / "bit_bounds.jsonl")}
    assert found["tic-tac-toe"]["bound"] == [1.0] * FOLDS  # no two rows are alike
    assert all(0.9 < score < 1 for score in found["tic-tac-toe"]["forest"])
    assert min(found["blogger"]["bound"]) < 1  # rows that contradict each other
