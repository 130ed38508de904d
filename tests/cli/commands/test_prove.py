"""`conceptrules prove`, run as a user would run it."""

from __future__ import annotations

import json

import pytest

import conceptrules.check as checker
from conceptrules.cli import main
from conceptrules.io.model_file import load, save
from conceptrules.model import Rule
from tests.logic.policies.test_proof import A, J, people


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(people(Rule((A, J)), target="class"), "model.json")
    (tmp_path / "rows.csv").write_text("age,job,pay,sex,class\n50,nurse,1,f,yes\n30,cook,1,m,no\n60,cook,3,f,yes\n")


@pytest.fixture
def run(capsys, tmp_path):
    def running(policy: str, *arguments: str, code: int) -> str:
        (tmp_path / "policy.toml").write_text(policy)
        with pytest.raises(SystemExit) as end:
            main(["prove", "model.json", "policy.toml", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == code, out + err
        return out or err

    return running


UP = 'order = ["no", "yes"]\nforbidden = ["pay"]\n[monotone]\nage = "up"\n'


def test_a_policy_that_is_proved_with_its_certificate(run):
    assert run(UP, "--certificate", "c.json", code=0) == (
        "proved: as age rises, the decision never gets worse (no < yes) (of the decision only, on all possible rows)\n"
        "proved: no rule asks about pay (read off the rules)\n"
    )
    assert checker.main(["model.json", "policy.toml", "c.json"]) == 0


def test_a_policy_that_is_refuted(run):
    found = run('independent = ["age"]', "--data", "rows.csv", code=1)
    assert found.startswith("refuted: the decision does not depend on age (by a given row)\n  row 1 of the data, with")
    assert run('independent = ["age"]', code=1).count("a made-up row") == 1


def test_clauses_about_rows(run):
    fair = 'min_precision = 0.9\n[[fair]]\ncolumn = "sex"\npositive = "yes"\nbound = 0.2\n'
    assert "needs rows" in run(fair, code=3)
    found = run(fair, "--data", "rows.csv", code=1)
    assert "proved: at least 0.9 of the rows of every rule are of its class (on 3 rows)" in found
    assert "f 50%, m 0%: a difference of 0.5000, on 3 rows" in found
    assert "no column 'sax'" in run(fair.replace('"sex"', '"sax"'), "--data", "rows.csv", code=2)
    rates = '[[fair]]\ncolumn = "sex"\npositive = "yes"\nbound = 0.9\n'
    assert "difference of 0.5000" in run(rates, "--data", "rows.csv", "--target", "class", code=0)


def test_json(run):
    found = json.loads(run(UP, "--json", code=0))
    assert [one["outcome"] for one in found["verdicts"]] == ["proved", "proved"]


def test_errors_name_the_file(run):
    assert run("monoton = 3", code=2).startswith("error: policy.toml: the policy: there is no key 'monoton'")
    assert "would be lost" in run(UP, "--certificate", "model.json", code=2)


def test_a_model_is_learned_under_a_policy(run, tmp_path, capsys):
    people = [(age, job) for age in range(20, 60) for job in ("nurse", "cook")]
    rows = [f"{age},{job},{'yes' if age <= 40 else 'no'}" for age, job in people]
    (tmp_path / "people.csv").write_text("\n".join(["age,job,class", *rows]) + "\n")
    (tmp_path / "p.toml").write_text('order = ["yes", "no"]\nforbidden = ["job"]\n[monotone]\nage = "up"\n')
    fit = [
        "fit",
        "people.csv",
        "--target",
        "class",
        "--policy",
        "p.toml",
        "--effort",
        "fast",
        "-q",
        "-o",
        "learned.json",
    ]
    with pytest.raises(SystemExit) as end:
        main(fit)
    assert end.value.code == 0, capsys.readouterr().err
    network = load("learned.json")
    assert [one.outcome for one in network.proof.verdicts] == ["proved", "proved"]
    assert [column.name for column in network.columns] == ["age"]
    with pytest.raises(SystemExit):
        main([*fit[:6], "--method", "mllp", *fit[8:]])
    assert "--policy is no option of --method mllp" in capsys.readouterr().err


CARD_POLICIES = {
    "--scorecard": (
        'better = "yes"\nmax_edges = 9\n[monotone]\nage = "down"\n[[locked]]\nrule = "job = cook"\npoints = -2\n',
        "proved: as age rises, the score, the probability of yes and the decision never get better (no < yes)",
        ["confirmed: monotone.age", "confirmed: locked.job = cook", "confirmed: max_edges"],
    ),
    "--regression": (
        '[monotone]\nage = "up"\n[[bounds]]\nleast = 0\nmost = 90\n',
        "proved: as age rises, the prediction never falls (on all possible rows)",
        ["confirmed: monotone.age", "confirmed: bounds.always"],
    ),
}


@pytest.mark.parametrize("head", ["--scorecard", "--regression"])
def test_cards_are_learned_under_a_policy_and_checked(tmp_path, monkeypatch, capsys, head):
    monkeypatch.chdir(tmp_path)
    policy, said, confirmed = CARD_POLICIES[head]
    answers = {"--scorecard": ("yes", "no"), "--regression": ("20.5", "60.5")}[head]
    rows = [f"{age},{job},{answers[age > 40]}" for age in range(20, 60) for job in ("nurse", "cook")]
    (tmp_path / "people.csv").write_text("\n".join(["age,job,answer", *rows]) + "\n")
    (tmp_path / "p.toml").write_text(policy)
    fit = ["fit", "people.csv", "--target", "answer", head]
    fit += ["--policy", "p.toml", "--effort", "fast", "-q", "-o", "m.json"]
    with pytest.raises(SystemExit) as end:
        main(fit)
    assert end.value.code == 0, capsys.readouterr().err
    network = load("m.json")
    assert network.levels[0].rules
    assert {verdict.outcome for verdict in network.proof.verdicts} == {"proved"}
    with pytest.raises(SystemExit) as end:
        main(["prove", "m.json", "--certificate", "c.json"])
    assert end.value.code == 0
    assert said in capsys.readouterr().out
    assert checker.main(["m.json", "c.json"]) == 0
    assert capsys.readouterr().out.splitlines() == confirmed
