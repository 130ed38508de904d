"""`conceptrules edit`, `undo`, `replay` and `log`, run as a user would run them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from conceptrules import ConceptRuleClassifier, ScorecardClassifier
from conceptrules.cli import main
from conceptrules.edit.rules import normalise
from conceptrules.export import export
from conceptrules.io.model_file import load, save
from conceptrules.model import Column, Interval, Level, Literal, Missing, Points, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.report import report
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD
from tests.logic.policies.test_proof import A, J, people


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(people(Rule((A, J)), target="class"), "model.json")
    (tmp_path / "rows.csv").write_text("age,job,pay,class\n50,nurse,1,yes\n42,nurse,1,no\n60,cook,3,yes\n")


@pytest.fixture
def run(capsys):
    def running(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert end.value.code == code, out + err
        return out + err

    return running


def test_an_edit_its_log_and_back(run):
    move = (
        "edit",
        "model.json",
        "move-cut",
        "age",
        "41",
        "45",
        "--data",
        "rows.csv",
        "--by",
        "anna",
        "--why",
        "new law",
    )
    shown = run(*move)
    assert shown.startswith("1 of 3 rows get another class\n  yes -> no: 1 row, 0 right before, 1 right after\n")
    assert load("model.json").trail == ()
    assert run(*move, "-o", "new.json") == shown
    assert "age > 45 and job = nurse  (1 row" in run("rules", "new.json")
    text = run("log", "new.json", "--verify")
    assert "1. move the cut of age: 41 -> 45\n   by anna, " in text
    assert " UTC: new law\n   1 of 3 rows got another class (yes -> no 1), not every row gets the same class" in text
    assert text.endswith("verified: every entry is as it was written\n")
    run("undo", "new.json", "-o", "back.json", "--by", "bert")
    assert load("back.json") == normalise(load("model.json"))
    assert "2. take back: move the cut of age: 41 -> 45\n   by bert" in run("log", "back.json")
    assert run("redo", "back.json", "-o", "again.json").startswith("move the cut of age: 41 -> 45\n")
    assert load("again.json") == load("new.json")
    assert "there is no edit to make again" in run("redo", "again.json", code=2)
    assert run("log", "model.json") == "there is no trail: the model was never edited, or its trail was taken out\n"


def test_json_of_an_edit_its_log_a_replay_and_back(run):
    move = ["edit", "model.json", "move-cut", "age", "41", "45", "--data", "rows.csv", "--by", "anna", "--json"]
    found = json.loads(run(*move))
    assert found["entry"]["effect"]["changes"] == [["yes", "no", 1, 0, 1]]
    assert (found["proof"], found["written"]) == (None, False)
    assert json.loads(run(*move, "-o", "new.json"))["written"] is True
    logged = json.loads(run("log", "new.json", "--json"))
    assert [entry["who"] for entry in logged["entries"]] == ["anna"]
    assert logged["verified"] is None
    assert json.loads(run("log", "new.json", "--verify", "--json"))["verified"] is True
    again = json.loads(run("replay", "new.json", "model.json", "--json"))
    assert again["steps"] == [{"edit": "move the cut of age: 41 -> 45", "outcome": "applied", "reason": ""}]
    assert json.loads(run("undo", "new.json", "--json"))["entry"]["edit"]["kind"] == "undo"


def test_json_of_an_edit_that_the_policy_refuses_and_of_a_forged_trail(run, tmp_path):
    run("edit", "model.json", "lock", "age > 41 and job = nurse", "-o", "locked.json", "--by", "anna")
    drop = ["edit", "locked.json", "drop", "age > 41 and job = nurse", "-o", "lost.json", "--json"]
    out = run(*drop, code=1)
    found, end = json.JSONDecoder().raw_decode(out)
    assert (found["proof"]["outcome"], found["written"]) == ("refuted", False)
    assert out[end:].strip().startswith("nothing is written")
    text = (tmp_path / "locked.json").read_text(encoding="utf-8")
    (tmp_path / "forged.json").write_text(text.replace('"anna"', '"bert"'), encoding="utf-8")
    forged = json.loads(run("log", "forged.json", "--verify", "--json", code=1))
    assert forged["verified"] is False
    assert "entry 1 was changed after it was written" in forged["wrong"]


def test_a_trail_that_was_changed(run, tmp_path):
    run("edit", "model.json", "default", "yes", "-o", "new.json", "--by", "anna")
    text = (tmp_path / "new.json").read_text(encoding="utf-8")
    (tmp_path / "forged.json").write_text(text.replace('"anna"', '"bert"'), encoding="utf-8")
    assert "entry 1 was changed after it was written" in run("log", "forged.json", "--verify", code=1)
    model = json.loads(text)
    model["default"] = "no"
    del model["hash"]
    (tmp_path / "forged.json").write_text(json.dumps(model), encoding="utf-8")
    assert "it was changed since" in run("log", "forged.json", "--verify", code=1)


def test_a_trail_that_was_taken_out(run, tmp_path):
    """The hash of the file covers the last entry; without that hash, nothing is called verified."""
    run("edit", "model.json", "default", "yes", "-o", "once.json", "--by", "anna")
    run("edit", "once.json", "default", "no", "-o", "new.json", "--by", "anna")
    model = json.loads((tmp_path / "new.json").read_text(encoding="utf-8"))
    for trail in ({}, {"trail": model["trail"][:1]}):
        rest = {key: value for key, value in model.items() if key != "trail"} | trail
        (tmp_path / "forged.json").write_text(json.dumps(rest), encoding="utf-8")
        assert "or their trail was: they do not give the" in run("log", "forged.json", "--verify", code=2)
    del model["hash"], model["trail"]
    (tmp_path / "forged.json").write_text(json.dumps(model), encoding="utf-8")
    told = run("log", "forged.json", "--verify")
    assert told == "there is no trail: the model was never edited, or its trail was taken out\n"
    assert json.loads(run("log", "forged.json", "--verify", "--json"))["verified"] is None


def test_an_edit_is_not_refused_for_what_was_refuted_before(run):
    policy = Policy.of(max_edges=1, forbidden=["pay"])
    save(people(Rule((A, J)), other=(Rule((J,)),), policy=policy), "model.json")
    assert "refuted: at most 1 edges" in run("edit", "model.json", "drop", "job = nurse", "-o", "less.json")
    assert load("less.json").edges == 3
    found = run("edit", "less.json", "add", "pay > 3", "--class", "no", "-o", "more.json", code=1)
    assert "the change refutes a clause of the policy: forbidden.pay; --force writes it" in found


def test_a_locked_rule_is_not_dropped(run):
    run("edit", "model.json", "lock", "age > 41 and job = nurse", "--decides", "-o", "locked.json")
    drop = ("edit", "locked.json", "drop", "age > 41 and job = nurse", "-o", "lost.json")
    found = run(*drop, code=1)
    assert (
        "refuted: yes has the rule: age > 41 and job = nurse; where it holds, yes is answered (yes has no such" in found
    )
    assert (
        "nothing is written, since the change refutes a clause of the policy: locked.age > 41 and job = nurse" in found
    )
    run(*drop, "--force")
    assert load("lost.json").proof.verdicts[0].outcome == "refuted"
    run("edit", "lost.json", "unlock", "age > 41 and job = nurse", "-o", "free.json")
    assert load("free.json").policy.clauses == ()


def test_every_action(run):
    actions = [
        ("add", "pay > 7 and age is missing", "--class", "no"),
        ("add-literal", "age is missing and pay > 7", "job = cook"),
        ("drop-literal", "age is missing and job = cook and pay > 7", "pay > 7"),
        ("change", "age is missing and job = cook", "pay <= 3"),
        ("priority", "no", "yes"),
        ("drop", "pay <= 3"),
    ]
    for action in actions:
        run("edit", "model.json", *action, "-o", "model.json")
    network = load("model.json")
    assert (len(network.trail), network.priority) == (6, ("no", "yes"))
    assert [len(level.rules) for level in network.levels] == [1]
    assert "6 edits on the trail of the new model:" not in run("diff", "model.json", "model.json")


def test_errors(run):
    assert "did you mean drop?" in run("edit", "model.json", "drap", "x", code=2)
    assert "move-cut takes COLUMN OLD NEW, found 1 arguments" in run("edit", "model.json", "move-cut", "age", code=2)
    assert "Say it with --class" in run("edit", "model.json", "add", "age > 3", code=2)
    assert "the model has no class 'maybe'" in run("edit", "model.json", "default", "maybe", code=2)
    assert "there is no edit to take back" in run("undo", "model.json", code=2)


def test_reason_codes_are_set_from_a_file(run, tmp_path):
    (tmp_path / "codes.toml").write_text('[age]\nlow = ["R1", "Short history"]\nmissing = ["R2", "No age"]\n')
    run("edit", "model.json", "reasons", "codes.toml", "-o", "coded.json", "--by", "anna", "--why", "letters")
    assert "1. reason codes of age\n   by anna, " in run("log", "coded.json", "--verify")
    (tmp_path / "codes.json").write_text('{"age": ["R1", "Age"], "jbo": ["R2", "Job"]}')
    assert "column 'jbo', which the network does not have; did you mean job?" in run(
        "edit", "model.json", "reasons", "codes.json", "-o", "wrong.json", code=2
    )
    assert not (tmp_path / "wrong.json").exists()
    (tmp_path / "codes.toml").write_text("[age\n")
    assert "the reason codes codes.toml cannot be read: " in run("edit", "model.json", "reasons", "codes.toml", code=2)
    assert "none.toml cannot be read" in run("edit", "model.json", "reasons", "none.toml", code=2)


def test_replay_on_another_model(run):
    save(NETWORK, "other.json")
    run("edit", "model.json", "move-cut", "age", "41", "45", "-o", "new.json")
    assert run("replay", "new.json", "other.json", "-o", "done.json") == "applied: move the cut of age: 41 -> 45\n"
    assert "age > 45 and job = nurse" in str(load("done.json"))
    assert run("replay", "new.json", "done.json") == "true already: move the cut of age: 41 -> 45\n"
    run("edit", "new.json", "change", "age > 45 and job = nurse", "age > 7", "-o", "newer.json")
    save(people(), "empty.json")
    assert "CONFLICT: move the cut of age" in run("replay", "newer.json", "empty.json", code=1)


def test_a_diff_an_export_and_a_report_know_the_trail(run):
    run("edit", "model.json", "move-cut", "age", "41", "45", "-o", "new.json")
    assert run("diff", "model.json", "new.json", code=1).startswith(
        "1 edit on the trail of the new model:\n  move the cut of age: 41 -> 45\nyes\n"
    )
    network = load("new.json")
    head = network.trail[-1].hash
    assert f"It was edited; the last entry of its trail is {head}." in export(network, "python")
    assert f"the last entry of its trail is <code>{head[:19]}" in report(network)


def test_groups_that_the_model_does_not_know_are_read_from_the_rows(run, tmp_path):
    rows = (tmp_path / "rows.csv").read_text().splitlines()
    named = [f"{row},{'sex' if not number else 'fm'[number % 2]}" for number, row in enumerate(rows)]
    (tmp_path / "groups.csv").write_text("\n".join(named) + "\n")
    (tmp_path / "policy.toml").write_text('[[fair]]\ncolumn = "sex"\npositive = "yes"\nbound = 1.0\n')
    run("prove", "model.json", "policy.toml", "--data", "groups.csv", "-o", "kept.json")
    told = run("edit", "kept.json", "move-cut", "age", "41", "45", "--data", "groups.csv", "-o", "kept.json")
    assert "proved: the positive rates of yes between groups of sex differ by at most 1" in told
    assert "groups of sex differ by at most 1" in run("undo", "kept.json", "--data", "groups.csv", "-o", "kept.json")
    assert "there is no column 'sex' in rows.csv" in run("undo", "kept.json", "--data", "rows.csv", code=2)


def test_the_model_keeps_the_policy_and_its_proof(run, tmp_path):
    (tmp_path / "policy.toml").write_text('forbidden = ["pay"]\n')
    run("prove", "model.json", "policy.toml", "-o", "kept.json")
    network = load("kept.json")
    assert [one.outcome for one in network.proof.verdicts] == ["proved"]
    assert "<strong>proved</strong>: no rule asks about pay" in report(network)
    run("edit", "kept.json", "add", "pay > 3", "--class", "no", "--force", "-o", "kept.json", code=0)
    assert "<strong>refuted</strong>: no rule asks about pay" in report(load("kept.json"))


def test_scorecards_are_edited_scaled_and_explained(run, tmp_path):
    save(replace(CARD, target="class"), "card.json")
    (tmp_path / "rows.csv").write_text("age,debt,job,class\n50,2000,cook,bad\n20,0,nurse,good\n20,0,cook,good\n")
    shown = run("edit", "card.json", "points", "age > 41", "4", "--data", "rows.csv", "-o", "card.json", code=2)
    assert "with this edit scores go from -1 to 10" in shown
    rows = ("--data", "rows.csv", "-o", "card.json")
    shown = run("edit", "card.json", "points", "age > 41", "4", *rows, "--recalibrate")
    assert "AUC: " in shown
    run("edit", "card.json", "add", "age > 60", "--points", "2", *rows, "--recalibrate")
    run("edit", "card.json", "cutoff", "2", "-o", "card.json")
    run("edit", "card.json", "lock", "age > 60", "-o", "card.json")
    run("edit", "card.json", "scale", "20", "600", "50", "--class", "good", "-o", "scaled.json")
    assert load("scaled.json").classes == ("bad", "good")
    assert load("scaled.json").policy.clauses[0].points == (-6,)
    log = run("log", "card.json", "--verify")
    assert "points of age > 41: +4, with probabilities of its own for the scores" in log
    assert "add to the card: age > 60 (+2), with probabilities of its own for the scores" in log
    assert "verified" in log
    save(CARD, "old.json")
    assert "CONFLICT" not in run("replay", "card.json", "old.json", "-o", "again.json")
    assert load("again.json") == load("card.json")
    assert (
        run("predict", "old.json", "rows.csv", "--reasons", "--to", "good")
        .splitlines()[1]
        .endswith(",bad,3,age > 41 (-4)")
    )
    assert "counterfactual: good if" in run("explain", "old.json", "rows.csv", "--to", "good")
    for arguments, message in (
        (("points", "age > 41", "many"), "points are 'many'; give a number"),
        (("cutoff", "0.5"), "cutoff is '0.5'; give a whole number"),
        (("default", "bad"), "a scorecard has no priority and no default"),
    ):
        assert message in run("edit", "old.json", *arguments, code=2)


def test_a_line_of_a_card_is_named_as_it_is_printed_and_points_may_be_negative(run):
    head = Points([[4], [-3], [2]], [0], cutoff=2, probabilities=[(-90, 0.02), (2, 0.2), (90, 0.6)])
    rules = [Rule([Literal(0)]), Rule([Literal(0, negated=True)]), Rule([Literal(1, negated=True)])]
    tests = [Interval("age", 41), Missing("pay")]
    columns = [Column("age"), Column("pay", missing=True)]
    save(RuleNetwork(columns, tests, [Level(rules, ())], ["good", "bad"], head=head), "card.json")
    assert "     not > 41         -3\npay  not missing      +2\n" in run("rules", "card.json")
    run("edit", "card.json", "points", "age not > 41", "-7", "-o", "card.json", "--by", "anna")
    run("edit", "card.json", "points", "pay not missing", "5", "-o", "card.json", "--by", "anna")
    run("edit", "card.json", "cutoff", "-3", "-o", "card.json", "--by", "anna")
    head = load("card.json").head
    assert sorted(head.points) == [(-7,), (4,), (5,)]
    assert head.cutoff == -3
    message = "there is no option '--whi'; conceptrules edit --help"
    assert message in run("edit", "card.json", "cutoff", "-3", "--whi", "typing", code=2)
    assert run("undo", "card.json").startswith("take back: cut-off: -3\n")


def test_two_people_sign_a_model(run, tmp_path):
    save(replace(load("model.json"), policy=Policy.of(signatures=2)), "model.json")
    first = run("sign", "model.json", "--name", "Anna <b>", "--role", "owner", "--motive", "for use", code=1)
    assert "signed by Anna <b> (owner): sha256:" in first
    assert "1 of 2 so far" in first
    run("sign", "model.json", "--name", "Ben", "--role", "validator", "--motive", "checked", "-o", "signed.json")
    assert len(load("model.json").trail) == 1
    assert "verified" in run("log", "signed.json", "--verify")
    run("prove", "signed.json", "--certificate", "certificate.json")
    assert "signatures" in subprocess.run(
        [sys.executable, "-m", "conceptrules.check", "signed.json", "certificate.json"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    before = (tmp_path / "model.json").read_bytes()
    assert "error: role has 0" in run("sign", "model.json", "--name", "C", "--role", "", "--motive", "x", code=2)
    assert (tmp_path / "model.json").read_bytes() == before


@pytest.mark.parametrize("learner", [ConceptRuleClassifier, ScorecardClassifier])
def test_a_policy_that_asks_for_signatures_is_learned_under(learner):
    X = [[value] for value in range(40)]
    model = learner(effort="fast", policy=Policy.of(signatures=1)).fit(X, [int(row[0] > 20) for row in X])
    assert [verdict.outcome for verdict in model.network_.proof.verdicts] == ["undecided"]


def test_an_edit_is_taken_back_and_made_again(run):
    run("edit", "model.json", "ban", "age > 41 and job = nurse", "--why", "unfair", "-o", "edited.json")
    assert load("edited.json").policy.clauses[0].name == "banned.yes.age > 41 and job = nurse"
    run("undo", "edited.json", "-o", "edited.json")
    assert run("redo", "edited.json", "-o", "edited.json").startswith("ban for yes: age > 41 and job = nurse\n")
    assert [entry.edit["kind"] for entry in load("edited.json").trail] == ["ban", "undo", "ban"]
    assert "there is no edit to make again" in run("redo", "edited.json", code=2)


def test_a_spreadsheet_is_shown_as_changes_with_their_effect_and_then_taken(run):
    openpyxl = pytest.importorskip("openpyxl")
    run("export", "model.json", "-o", "rules.xlsx")
    table = ("edit", "model.json", "table", "rules.xlsx", "--data", "rows.csv")
    assert run(*table) == "the table says what the model says: nothing to change\n"
    book = openpyxl.load_workbook("rules.xlsx")
    book["Rules"]["B2"] = "> 45"
    book.save("rules.xlsx")
    shown = run(*table, "-o", "new.json", "--by", "anna", "--why", "new law")
    assert shown.startswith("change for yes: age > 41 and job = nurse -> age > 45 and job = nurse\n1 of 3 rows get")
    assert "change for yes: age > 41" in run("log", "new.json")
    assert "written from another network" in run("edit", "new.json", "table", "rules.xlsx", code=2)
    book["Rules"]["D2"] = "yess"
    book.save("rules.xlsx")
    assert "error: D2: 'yess' is no class; did you mean yes?" in run(*table, code=2)
    assert "is the file rules.xlsx itself" in run(*table, "-o", "rules.xlsx", code=2)
    assert "table takes FILE.xlsx, found 2 arguments" in run("edit", "model.json", "table", "a", "b", code=2)
