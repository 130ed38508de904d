"""The checker of certificates: it confirms what is proved, never what is false, and rejects whatever was changed."""

import copy
import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptrules.check as checker
from conceptrules.io.encode import dumps
from conceptrules.logic.policies.proof import DECIDING_KEYS, hash_plain, prove, write_certificate
from conceptrules.model import InputError, Rule
from conceptrules.model.policy import Policy
from conceptrules.model.policy.plain import from_plain, to_plain
from tests.logic.policies.brute_force import cases, really_fails
from tests.logic.policies.test_proof import A, J, P, people
from tests.test_docs import run_main

SOURCE = Path(checker.__file__)


def certified(network, policy):
    """The model, the policy and the certificate as plain values."""
    plain = to_plain(policy)
    proof = prove(network, policy)
    return json.loads(dumps(network)), plain, json.loads(write_certificate(network, policy, proof, plain)), proof


def confirmed(model, policy, shown):
    """The names of the clauses that are confirmed."""
    try:
        return {name for name, why in checker.check(model, policy, shown) if why is None}
    except (checker.Rejected, KeyError, ValueError, TypeError, IndexError, AttributeError):
        return set()


@settings(max_examples=200, deadline=None)
@given(cases())
def test_what_is_proved_is_confirmed_and_nothing_else(case):
    network, policy = case
    try:
        model, plain, shown, proof = certified(network, policy)
    except InputError:  # a domain without rows
        return
    assert confirmed(model, plain, shown) == {one.name for one in proof.verdicts if one.outcome == "proved"}


@settings(max_examples=300, deadline=None)
@given(cases(), cases(), st.data())
def test_nothing_false_is_confirmed_whatever_the_certificate(case, other, data):
    """The certificate of another network or policy, or one that was changed, with the hashes made to fit."""
    network, policy = case
    try:
        model, plain, shown, _ = certified(network, policy)
        others = certified(*other)
    except InputError:
        return
    kind = data.draw(st.sampled_from(["model", "clauses", "cells", "leaves"]))
    if kind == "model" and {c.name for c in other[0].columns} >= {c.name for c in network.columns}:
        network, model = other[0], others[0]
    elif kind == "clauses":
        shown["clauses"] = {name: trees for name in shown["clauses"] for trees in others[2]["clauses"].values()}
    elif kind == "cells":
        shown["cells"].update(others[2]["cells"])
    else:
        shown["clauses"] = {name: [None] * len(trees) for name, trees in shown["clauses"].items()}
        for clause in policy.clauses:
            shown["clauses"].setdefault(clause.name, [None] * data.draw(st.integers(0, 4)))
    shown["model"] = hash_plain({key: model[key] for key in DECIDING_KEYS})
    try:
        clauses = {clause.name: clause for clause in from_plain(plain).clauses}
        for name in confirmed(model, plain, shown):
            assert not really_fails(clauses[name], network, policy.domain)
    except (KeyError, ValueError):  # another network may not have the classes or columns
        assert kind == "model"


NETWORK = people(Rule((A, J)), other=(Rule((P,)),))
POLICY = Policy.of(
    order=["no", "yes"],
    monotone={"age": "up"},
    implies=[{"if": "pay > 2000 and not job = nurse", "then": "no"}],
    forbidden=["zip"],
    max_edges=6,
    locked=[{"rule": "job = nurse and age > 41", "class": "yes", "mode": "decides"}],
)


def paths(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*at, key))


def changed(value, path, new):
    value = copy.deepcopy(value)
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return value


@pytest.mark.parametrize("part", [0, 1])
def test_any_change_of_what_decides_or_of_the_policy_is_rejected(part):
    files = certified(NETWORK, POLICY)[:3]
    assert len(confirmed(*files)) == 5
    deciding = [path for path in paths(files[part]) if path and (part or path[0] in DECIDING_KEYS)]
    for path in deciding:
        some = list(files)
        some[part] = changed(files[part], path, "changed")
        assert confirmed(*some) == set()


def test_changes_of_the_certificate_confirm_nothing_new():
    model, policy, shown, _ = certified(NETWORK, POLICY)
    for path in [path for path in paths(shown) if path]:
        for new in (None, [], 0, "x", ["age", [0], None, None]):
            assert confirmed(model, policy, changed(shown, path, new)) <= confirmed(model, policy, shown)


def files(folder, text):
    (folder / "model.json").write_text(dumps(NETWORK), encoding="utf-8")
    (folder / "policy.toml").write_text(text, encoding="utf-8")
    source = tomllib.loads(text)
    policy = from_plain(source)
    (folder / "c.json").write_text(write_certificate(NETWORK, policy, prove(NETWORK, policy), source), encoding="utf-8")


TEXT = 'order = ["no", "yes"]\nmin_rows = 3\n[monotone]\nage = "up"\n[[implies]]\nif = "pay > 0"\nthen = "no"\n'


def test_the_file_runs_alone(tmp_path):
    """Copied to another folder, without this package on the path and without its site-packages."""
    files(tmp_path, TEXT)
    (tmp_path / "check.py").write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-I", "-S", "check.py", "model.json", "policy.toml", "c.json"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout == (
        "confirmed: monotone.age\n"
        "rejected: implies.pay > 0: the certificate does not prove it\n"
        "left out, since it is about given rows: min_rows\n"
    )
    assert (run.returncode, run.stderr) == (1, "")


def test_exit_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files(tmp_path, 'order = ["no", "yes"]\n[monotone]\nage = "up"\n')
    arguments = ["model.json", "policy.toml", "c.json"]
    assert checker.main(arguments) == 0
    assert capsys.readouterr().out == "confirmed: monotone.age\n"
    assert checker.main(arguments[:1]) == 2
    assert checker.main(["model.json", "policy.toml", "none.json"]) == 2
    assert checker.main(["model.json", "c.json"]) == 1
    assert "KeyError: 'policy'" in capsys.readouterr().out
    (tmp_path / "policy.toml").write_text("max_edges = 3")
    assert checker.main(arguments) == 1
    assert "belongs to another policy" in capsys.readouterr().out
    (tmp_path / "c.json").write_text("[]")
    assert checker.main(arguments) == 1


def test_the_policy_that_the_model_carries(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ranges = {"ranges": {"age": [0, float("inf")]}}
    policy = Policy.of(order=["no", "yes"], monotone={"age": "up"}, default="no", domain=ranges)
    (tmp_path / "model.json").write_text(dumps(replace(NETWORK, policy=policy)), encoding="utf-8")
    assert run_main(["prove", "model.json", "--certificate", "c.json"]) == 0
    capsys.readouterr()
    assert checker.main(["model.json", "c.json"]) == 0
    assert capsys.readouterr().out == "confirmed: monotone.age\nconfirmed: default\n"
    (tmp_path / "free.json").write_text(dumps(NETWORK), encoding="utf-8")
    assert run_main(["prove", "free.json"]) == 2
    assert "free.json carries no policy; give a policy file" in capsys.readouterr().err
