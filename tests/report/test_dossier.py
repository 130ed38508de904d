"""The dossier shows what the other parts say, admits what is open, and appears whole or not at all."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from markdown_it import MarkdownIt

from conceptrules import InputError, Policy
from conceptrules.edit import DropRule
from conceptrules.edit.editing import edit
from conceptrules.explain.group_scores import measure_figures
from conceptrules.io.model_file import load
from conceptrules.logic.policies.proof import prove, record_proof
from conceptrules.model.text import rule_text
from conceptrules.report.dossier import OPEN, collect_facts, compose, read_guidance
from conceptrules.report.dossier_folder import FILES, read_answers, write_dossier
from tests.monitor.examples import KINDS, learn, make_rows, targets_of

NAME = "<script>|*x*`"
X, Y = make_rows(400, 0.3, seed=11)
NO_ANSWERS = dict.fromkeys(read_guidance()["questions"], "")


def with_policy(kind):
    network = learn(kind)
    asked = {"forbidden": ["pay"], "signatures": 2, "monitor": [{"when": "csi > 0.2"}]}
    policy = Policy.of(**asked, **({"bounds": [{"least": -9999, "most": 9999}]} if kind in ("card", "numbers") else {}))
    return replace(network, policy=policy, proof=record_proof(prove(network, policy)))


def write(kind, folder, **options):
    write_dossier(with_policy(kind), X, targets_of(kind, X, Y), folder, **options)
    return (folder / "dossier.md").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_a_dossier_of_each_kind_of_model(kind, tmp_path):
    text = write(kind, tmp_path / "dossier", by=["region"], source=[("file", NAME)])
    network = load(tmp_path / "dossier" / "model.json")
    assert all(f"    {line}".rstrip() in text for line in str(network).splitlines())
    audit = collect_facts(network, X, targets_of(kind, X, Y), NO_ANSWERS, ["region"]).report.audit
    value = audit.scores.accuracy if audit.scores else audit.numbers.r2
    assert f"| {'accuracy' if audit.scores else 'R2'} | {value:.4g} |" in text
    assert "| signatures | signed by at least 2 people | undecided | 0 of 2 so far: signed by nobody |" in text
    assert "OPEN: nobody has signed the model." in text
    assert text.count(OPEN) == len(NO_ANSWERS)
    assert "| north | " in text
    assert "It is no legal advice" in text
    html = (tmp_path / "dossier" / "dossier.html").read_text()
    assert "<script>" not in html + MarkdownIt("commonmark").enable("table").render(text)


def test_the_folder_is_checked_without_us(tmp_path):
    folder = tmp_path / "dossier"
    write("card", folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    run = subprocess.run(
        [sys.executable, "-I", "check.py", "model.json", "certificate.json"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout.splitlines()[:2] == ["confirmed: forbidden.pay", "confirmed: bounds.always"]
    assert run.returncode == 0


def test_answers_stay_in_the_folder_and_what_is_empty_is_open(tmp_path):
    folder = tmp_path / "dossier"
    write("decision", folder)
    template = (folder / "owner.toml").read_text()
    assert tomllib.loads(template) == NO_ANSWERS
    (folder / "owner.toml").write_text(template.replace('owner = ""', f"owner = '{NAME}'"))
    text = write("decision", folder)
    assert text.count(OPEN) == len(NO_ANSWERS) - 1
    assert tomllib.loads((folder / "owner.toml").read_text())["owner"] == NAME
    other = tmp_path / "answers.toml"
    other.write_text('use = "Loans."\n')
    assert "| Loans. |" in write("decision", folder, owner=other)
    assert read_answers(folder / "owner.toml")["use"] == "Loans."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("use = 3", "use must be text in quotes"),
        ('ues = "x"', "there is no question 'ues'; did you mean use"),
        ("use =", "no TOML"),
    ],
)
def test_answers_that_cannot_be_read(text, message, tmp_path):
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        write("decision", tmp_path / "dossier", owner=tmp_path / "own.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["own.toml"]


def test_nothing_of_others_is_lost_and_nothing_half_written_is_left(tmp_path, monkeypatch):
    folder = tmp_path / "dossier"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds notes.txt, which is no file of a dossier"):
        write("decision", folder)
    (folder / "notes.txt").rename(tmp_path / "notes.txt")
    first = write("decision", folder)
    monkeypatch.setattr("pathlib.Path.write_bytes", lambda path, content: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        write("decision", folder)
    assert (folder / "dossier.md").read_text() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dossier", "notes.txt"]
    with pytest.raises(InputError, match="is a file; name a folder"):
        write("decision", tmp_path / "notes.txt")
    with pytest.raises(InputError, match="does not exist; make it first"):
        write("decision", tmp_path / "no" / "dossier")


def test_signatures_before_an_edit_are_of_an_earlier_model():
    network = with_policy("decision").sign(name=NAME, role="owner", motive="checked")
    text = compose(collect_facts(network, X, Y, NO_ANSWERS), "now").markdown()
    assert "| the model as it is |" in text
    label = network.classes[0]
    rule = network.levels[0].concepts[0].rules or network.levels[0].concepts[1].rules
    label = network.classes[0 if network.levels[0].concepts[0].rules else 1]
    edited = edit(network, DropRule(rule_text(network, 0, rule[0]), label), who="Ben", why="wrong").network
    text = compose(collect_facts(edited, X, Y, NO_ANSWERS), "now").markdown()
    assert "| an earlier one |" in text
    assert "OPEN: nobody has signed the model as it is." in text
    assert "    2. drop from" in text
    forged = replace(edited, trail=(replace(edited.trail[0], why="no"), edited.trail[1]))
    text = compose(collect_facts(forged, X, Y, NO_ANSWERS), "now").markdown()
    assert "entry 1 was changed after it was written" in text


def test_intervals_hold_what_resamples_show():
    network, random = learn("card"), np.random.default_rng(0)
    figures = {each.name: each for each in measure_figures(network, X, Y, network.evaluate(X, Y))}
    values = {name: [] for name in ("macro-F1", "log loss", "Brier score", "AUC")}
    for _ in range(200):
        rows = random.integers(len(X), size=len(X))
        judged = network.evaluate(X.iloc[rows], Y[rows])
        for name, value in zip(values, (judged.macro_f1, judged.log_loss, judged.brier, judged.auc), strict=True):
            values[name].append(value)
    for name, drawn in values.items():
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert figures[name].low == pytest.approx(low, abs=0.25 * (high - low)), name
        assert figures[name].high == pytest.approx(high, abs=0.25 * (high - low)), name


def test_intervals_of_numbers_hold_what_resamples_show():
    network, random, numbers = learn("numbers"), np.random.default_rng(0), targets_of("numbers", X, Y)
    figures = {each.name: each for each in measure_figures(network, X, numbers, network.evaluate(X, numbers))}
    drawn = []
    for _ in range(200):
        rows = random.integers(len(X), size=len(X))
        judged = network.evaluate(X.iloc[rows], numbers[rows])
        drawn.append((judged.r2, judged.rmse))
    for name, values in zip(("R2", "root mean squared error"), np.array(drawn).T, strict=True):
        low, high = np.quantile(values, [0.025, 0.975])
        assert figures[name].low == pytest.approx(low, abs=0.25 * (high - low)), name
        assert figures[name].high == pytest.approx(high, abs=0.25 * (high - low)), name


def test_labels_of_one_class_and_of_none_that_is_known():
    network = learn("card")
    figures = measure_figures(network, X, ["no"] * 400, network.evaluate(X, ["no"] * 400))
    assert {each.name: each.value for each in figures}["AUC"] is None
    text = compose(collect_facts(network, X, ["no"] * 399 + ["maybe"], NO_ANSWERS), "now").markdown()
    assert "| precision of maybe | - | - | - |" in text
    with pytest.raises(InputError, match="no rows"):
        collect_facts(network, X.iloc[:0], [], NO_ANSWERS)


def test_the_command_names_what_the_learner_was_told():
    settings = {
        "effort": "fast",
        "kinds": ("n=category", "size=S<M"),
        "immutable": ("a", "b c"),
        "l2": 0.1,
        "negation": False,
    }
    network = learn("decision")
    training = replace(network.training, seed=3, settings=tuple(sorted(settings.items())))
    text = compose(collect_facts(replace(network, training=training, target="y"), X, Y, NO_ANSWERS), "now").markdown()
    command = "conceptrules fit TRAINING.csv --target y --method search --seed 3 --effort fast --no-negation"
    assert f"    {command} --immutable 'a,b c' --kind n=category --kind 'size=S<M' -o model.json" in text
    assert "| l2 | 0.1 |" in text
