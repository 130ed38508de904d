"""The checker of certificates: it confirms what is proved, never what is false, and rejects whatever was changed."""

import copy
import json
import math
import subprocess
import sys
import tomllib
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptrules.check as checker
from conceptrules.io.decode import loads, read_predicate
from conceptrules.io.encode import dumps, predicate_names
from conceptrules.io.json_readers import infinite
from conceptrules.logic.policies.proof import hash_plain, prove, write_certificate
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    OneOf,
    Points,
    Rule,
    RuleNetwork,
)
from conceptrules.model.policy import Policy
from conceptrules.model.policy.plain import from_plain, to_plain
from conceptrules.model.rule_reader import read_rule
from conceptrules.tables.prediction import find_scores
from tests.logic.policies.brute_force import all_rows, card_cases, card_fails, cases, is_possible, really_fails
from tests.logic.policies.test_proof import PAY, A, J, P, people
from tests.test_docs import run_main

SOURCE = Path(checker.__file__)


def certified(network, policy):
    """The model, the policy and the certificate as plain values."""
    plain = to_plain(policy)
    proof = prove(network, policy)
    return json.loads(dumps(network)), plain, json.loads(write_certificate(network, policy, proof, plain)), proof


def confirmed(model, policy, shown):
    """The names of the clauses that are confirmed. Whatever the files hold, nothing else than a rejection is raised."""
    try:
        return {name for name, why in checker.check(model, policy, shown) if why is None}
    except checker.Rejected:
        return set()


def proved(model, policy):
    """The names of the clauses that the prover proves of these files; none where it cannot read them."""
    kept = {key: model[key] for key in ("format", "version", *checker.find_keys(model))}
    kept = copy.deepcopy(kept | {"statistics": None, "training": None})
    try:
        rename_predicates(kept)
        network = loads(json.dumps(kept))
    except InputError:
        return set()
    try:
        verdicts = prove(network, from_plain(policy)).verdicts
    except InputError:  # no network satisfies all clauses, perhaps: what is confirmed has to hold by itself
        verdicts = [verdict for clause in single_clauses(policy) for verdict in prove_alone(network, clause)]
    return {verdict.name for verdict in verdicts if verdict.outcome == "proved"}


def single_clauses(policy):
    """Policies of one clause each, with the domain and the order of the classes."""
    shared = {key: policy[key] for key in ("domain", "order", "better", "forbidden", "confidence") if key in policy}
    for key, value in policy.items():
        items = [[item] for item in value] if isinstance(value, list) else [value]
        if isinstance(value, dict) and key != "domain":
            items = [{name: item} for name, item in value.items()]
        yield from ({**shared, key: item} for item in ([value] if key in shared else items))


def prove_alone(network, policy):
    try:
        return prove(network, from_plain(policy)).verdicts
    except InputError:
        return ()


def rename_predicates(model):
    """Call the predicates what they say, which is what a model file has to do."""
    columns = [Column(**column) for column in infinite(model["columns"])]
    names = predicate_names(columns, [read_predicate(test, (), ("name",)) for test in model["predicates"]])
    renamed = {test["name"]: name for test, name in zip(model["predicates"], names, strict=True)}
    for test in model["predicates"]:
        test["name"] = renamed[test["name"]]
    for rule in model["levels"][0]["rules"]:
        rule |= {key: [renamed[name] for name in rule[key]] for key in ("all", "none")}


def seal(model, policy, shown):
    """The files with hashes in the certificate that fit what the others hold."""
    with suppress(TypeError, KeyError, AttributeError):
        shown = {**shown, "model": hash_plain({key: model[key] for key in checker.find_keys(model)})}
        shown["policy"] = hash_plain(policy)
    return model, policy, shown


def check_forgery(files):
    """Nothing is confirmed that the prover does not prove of the same files; returns how much is confirmed."""
    names = confirmed(*seal(*files))
    assert not names or names <= proved(*files[:2]), names - proved(*files[:2])
    return len(names)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_what_is_proved_is_confirmed_and_nothing_else(case):
    network, policy = case
    try:
        model, plain, shown, proof = certified(network, policy)
    except InputError:  # a domain without rows
        return
    assert confirmed(model, plain, shown) == {one.name for one in proof.verdicts if one.outcome == "proved"}


@settings(max_examples=100, deadline=None)
@given(card_cases())
def test_what_is_proved_of_cards_is_confirmed_and_nothing_else(case):
    network, policy = case
    try:
        model, plain, shown, proof = certified(network, policy)
    except InputError:  # a domain without rows
        return
    assert confirmed(model, plain, shown) == {one.name for one in proof.verdicts if one.outcome == "proved"}


@settings(max_examples=60, deadline=None)
@given(card_cases(), card_cases(), st.data())
def test_nothing_false_is_confirmed_of_cards_whatever_the_certificate(case, other, data):
    """The points of another card, other cells, or leaves that show nothing, with the hashes made to fit."""
    network, policy = case
    try:
        model, plain, shown, _ = certified(network, policy)
        others = certified(*other)
    except InputError:
        return
    kind = data.draw(st.sampled_from(["clauses", "cells", "leaves", "points"]))
    if kind == "clauses":
        shown["clauses"] = {name: trees for name in shown["clauses"] for trees in others[2]["clauses"].values()}
    elif kind == "cells":
        shown["cells"].update(others[2]["cells"])
    elif kind == "leaves":
        shown["clauses"] = {name: [None] * len(trees) for name, trees in shown["clauses"].items()}
        for clause in policy.clauses:
            shown["clauses"].setdefault(clause.name, [None] * data.draw(st.integers(0, 4)))
    else:
        rule = data.draw(st.sampled_from([*model["levels"][-1]["rules"], {"points": model["head"]["base"]}]))
        rule["points"][0] += data.draw(st.integers(-3, 3))
        points = [tuple(rule["points"]) for rule in model["levels"][-1]["rules"]]
        network = replace(network, head=replace(network.head, points=points, base=model["head"]["base"]))
    rows = [row for row in all_rows(network) if is_possible(policy.domain, row)]
    clauses = {clause.name: clause for clause in policy.clauses}
    for name in clauses.keys() & confirmed(*seal(model, plain, shown)):
        assert not card_fails(clauses[name], network, rows, find_scores(network, rows))


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
    shown["model"] = hash_plain({key: model[key] for key in checker.find_keys(model)})
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


def value_at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value, path, new):
    if not path:
        return new
    value = copy.deepcopy(value)
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return value


SPECIAL = (
    None, True, False, 0, -1, 2, 0.5, 2**53, 2**53 + 1, 10**400, 1e308, math.nan, math.inf, -math.inf, "", "none",
    "yes", "age", "age > 41", "always", "up", "interval", "number", "ordinal", [], [math.nan], ["age"], ["yes"],
    [-1, 1], [41, 41], [9, 1], {}, {"infinity": True}, {"age": "up"}, {"cuts": []}, {"values": []},
    ["age", [0], None, None],
)  # fmt: skip
"""What forgers put in the place of a value."""


def forgeries(files):
    """The three files with one value taken out, doubled, added or replaced by each of the special ones."""
    for part in range(3):
        for path in paths(files[part]):
            versions = [changed(files[part], path, special) for special in SPECIAL if path] if path else list(SPECIAL)
            target = value_at(files[part], path)
            if isinstance(target, dict):
                versions.append(changed(files[part], path, {**target, "more": 1}))
                versions += [
                    changed(files[part], path, {k: v for k, v in target.items() if k != key}) for key in target
                ]
            if isinstance(target, list) and target:
                versions += [changed(files[part], path, items) for items in (target[1:], [*target, target[0]])]
            yield from ((*files[:part], version, *files[part + 1 :]) for version in versions)


def directed() -> list[dict]:
    """A model, a policy of all kinds of clauses and its certificate: what the directed forgeries begin with."""
    columns = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay"))
    columns += (Column("rank", "ordinal", ("low", "mid", "high")), Column("smokes", "boolean"), Column("code"))
    tests = (
        Interval("age", 41),
        OneOf("job", ("nurse", "cook")),
        Interval("pay", 1000),
        OneOf("rank", ("mid", "high")),
    )
    level = Level((Rule((A, J)), Rule((P, ~Literal(3)))), (Concept((0,)), Concept((1,))))
    network = RuleNetwork(columns, tests, (level,), ("yes", "no"), default="no")
    policy = Policy.of(
        better="yes",
        monotone={"age": "up", "rank": {"direction": "down", "missing": "lowest"}},
        independent=["smokes"],
        forbidden=["code"],
        only_for={"job": ["yes"]},
        implies=[{"if": "pay > 2000 and not job = nurse and rank = low and age <= 41", "then": "no"}],
        banned=[{"rule": "pay > 5000", "class": "no"}],
        max_edges=8,
        domain={"ranges": {"age": [0, 120]}, "missing": ["pay", "rank"], "impossible": ["pay > 9000"]},
    )
    return list(certified(network, policy)[:3])


def test_directed_forgeries_confirm_nothing_false():
    """Each fifth of all forgeries of one value, with the hashes made to fit; the soak makes them all."""
    honest = directed()
    assert check_forgery(honest) == 8
    tally = [check_forgery(files) for files in islice(forgeries(honest), None, None, 5)]
    assert len(tally) > 1_500
    assert 0 < sum(count == 8 for count in tally) < len(tally) / 10  # what decides nothing may say anything


def directed_card() -> list[dict]:
    """A scorecard, a policy of all kinds of clauses that it can have, and its certificate."""
    columns = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("rank", "ordinal", ("low", "high")))
    tests = (Interval("age", 41), Interval("age", 60), Equals("job", "cook"), Equals("rank", "high"))
    rules = [Rule((Literal(0),)), Rule((Literal(1), Literal(2))), Rule((Literal(3), ~Literal(2))), Rule((Literal(2),))]
    head = Points([[3], [-2], [4], [1]], [-1], cutoff=2, probabilities=[(-1, 0.1), (2, 0.5), (6, 0.9)])
    network = RuleNetwork(columns, tests, [Level(rules, ())], ["no", "yes"], head=head)
    policy = Policy.of(
        better="yes",
        monotone={"age": {"direction": "up", "missing": "lowest"}, "rank": "up"},
        bounds=[{"least": -1, "most": 6}, {"if": "job = cook", "most": 3}],
        locked=[{"rule": "age > 41", "class": "yes", "points": 3}, {"rule": "job = cook"}],
        banned=[{"rule": "age > 70"}, {"rule": "rank = low", "class": "no"}],
        implies=[{"if": "age > 41 and rank = low", "then": "yes"}],
        max_edges=14,
        domain={
            "ranges": {"age": [0, 120]},
            "missing": ["age"],
            "unseen": False,
            "impossible": ["age > 60 and job = cook"],
        },
    )
    return list(certified(network, policy)[:3])


def test_directed_forgeries_of_cards_confirm_nothing_false():
    """Each fifteenth of all forgeries of one value, with the hashes made to fit; the soak makes them all."""
    honest = directed_card()
    assert check_forgery(honest) == 10
    tally = [check_forgery(files) for files in islice(forgeries(honest), None, None, 15)]
    assert len(tally) > 500
    assert 0 < sum(count == 10 for count in tally) < len(tally) / 8  # what decides nothing may say anything


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("head", "base"), [2**31]),
        (("head", "base"), [True]),
        (("head", "base"), [0.0]),
        (("head", "base"), [0, 0]),
        (("head", "cutoff"), 1.5),
        (("head", "probabilities"), []),
        (("head", "probabilities", 0, 1), 0.95),
        (("head", "probabilities", 1, 0), -1),
        (("head", "probabilities", 0, 1), math.nan),
        (("head", "probabilities", 2, 1), 1.5),
        (("levels", 0, "rules", 0, "points"), [2**31]),
        (("levels", 0, "rules", 0, "points"), [3.0]),
        (("levels", 0, "rules", 0, "points"), []),
        (("levels", 0, "rules", 0, "points"), None),
        (("levels",), []),
        (("classes",), ["no"]),
        (("classes",), []),
        (("default",), "no"),
    ],
)
def test_heads_that_are_none_are_rejected(path, value):
    """What is not a head that the package reads confirms nothing, and a probability that falls least of all."""
    model, policy, shown = directed_card()
    assert confirmed(*seal(changed(model, path, value), policy, shown)) == set()


def test_points_are_exact_integers():
    """Two scores that differ by 1 far beyond what half a float could tell apart."""
    policy = Policy.of(bounds=[{"most": 2**31 - 3}])
    network = RuleNetwork(
        [Column("age")],
        [Interval("age", 41)],
        [Level([Rule((Literal(0),))], ())],
        [],
        head=Points([[2**31 - 4]], [1], step=1),
    )
    model, plain, shown, _ = certified(network, policy)
    assert confirmed(model, plain, shown) == {"bounds.always"}
    assert confirmed(*seal(changed(model, ("head", "base"), [2]), plain, shown)) == set()


CODE = Column("code", "category", (2**53, 2**53 + 1))


def certified_with(policy, **changes):
    """The files of a network that asks for pay and code, but not for age; the policy is changed after the proof."""
    level = Level((Rule((A,)), Rule((J,))), (Concept((0, 1)), Concept()))
    tests = (Interval("pay", 5), Equals("code", 2**53))
    network = RuleNetwork((Column("age"), PAY, CODE), tests, (level,), ("1", "0"), default="0")
    model, plain, shown, _ = certified(network, Policy.of(**policy))
    return [model, {**plain, **changes}, shown]


@pytest.mark.parametrize(
    "cuts", [[math.nan], [-math.inf, math.nan], [10**400], [math.inf], [5], [True], ["5"], {}, None]
)
@pytest.mark.parametrize("missing", [True, False])
def test_cells_that_leave_no_row_are_rejected(cuts, missing):
    """A column without a possible cell would make every claim hold of no row at all."""
    implied = {"if": "pay > 5", "then": "0"}
    model, policy, shown = certified_with({"domain": {"missing": missing}}, implies=[implied])
    shown["clauses"] = {"implies.pay > 5": [None]}
    assert confirmed(*seal(model, policy, shown)) == set()
    shown["cells"]["age"] = {"cuts": cuts}
    assert confirmed(*seal(model, policy, shown)) == set()


def test_whole_numbers_are_exact():
    """2**53 and 2**53 + 1 are one float, and two categories: what holds of the one is not said of the other."""
    honest, forged = (f"code = {number}" for number in (2**53, 2**53 + 1))
    model, policy, shown = certified_with({"implies": [{"if": honest, "then": "1"}]})
    assert confirmed(model, policy, shown) == {f"implies.{honest}"}
    policy["implies"] = [{"if": forged, "then": "1"}]
    shown["clauses"] = {f"implies.{forged}": shown["clauses"][f"implies.{honest}"]}
    assert confirmed(*seal(model, policy, shown)) == set()


@pytest.mark.parametrize(
    "changes",
    [
        {"order": [0, 1], "monotone": {"pay": "up"}},
        {"order": ["0", "1", "1"], "monotone": {"pay": "up"}},
        {"monotone": {"pay": {"direction": "up", "order": []}}},
        {"monotone": {"pay": {"direction": "up", "order": ["0", "1"], "missing": "none"}}},
        {"monotone": {"pay": {"direction": "up", "order": ["0", "1"], "better": "1"}}},
        {"domain": {"ranges": {"pay": [9, 1]}}},
        {"domain": {"ranges": {"pay": [math.nan, 1]}}},
        {"domain": {"ranges": {"salary": [1, 9]}}},
        {"domain": {"missing": "none"}},
        {"domain": {"missing": ["salary"]}},
        {"domain": {"impossible": ["always"]}},
        {"domain": {"impossible": ["pay > 5", "pay <= 5", "pay is missing"]}},
        {"forbidden": "income"},
        {"forbidden": ["income"], "independent": ["salary"]},
        {"only_for": {"code": ["2"]}},
        {"only_for": {"salary": ["1"]}},
        {"apart": [["pay", "salary"]]},
        {"apart": [["pay", "pay"]]},
        {"priority": ["1"]},
        {"default": 0},
        {"max_edges": True},
        {"max_edges": "9"},
        {"banned": [{"rule": "pay > 9", "class": "2"}]},
        {"min_rows": "3"},
        {"fair": [{"column": "sex", "positive": "2", "bound": 0.1}]},
        {"nothing": 1},
    ],
)
def test_policies_that_prove_refuses_are_rejected(changes):
    model, policy, shown = certified_with({"max_rules": 5}, **changes)
    with pytest.raises(InputError):
        prove(loads(json.dumps(model)), from_plain(policy))
    shown["clauses"] = {"monotone.pay": [["code", [0], None, None]]} if "monotone" in changes else {}
    assert confirmed(*seal(model, policy, shown)) == set()


@pytest.mark.parametrize(
    ("rule", "there"),
    [
        ("rank = low", True),
        ("rank <= low", True),
        ("age <= 20 and age > 30", True),
        ("age <= 5 and age > 90", True),
        ("age <= 20", False),
        ("rank > low", False),
    ],
)
def test_prover_and_checker_agree_on_which_rule_of_a_card_is_locked(rule, there):
    """A rule in other words is the same rule, and so is one that can hold on no row in either form."""
    columns = (Column("age"), Column("rank", "ordinal", ("low", "high")))
    tests = (Interval("age", high=20), Interval("age", 30), Equals("rank", "low"))
    rules = [Rule((Literal(0), Literal(1))), Rule((Literal(2),))]
    head = Points([[3], [2]], [0], cutoff=2, probabilities=[(0, 0.1), (2, 0.5)])
    network = RuleNetwork(columns, tests, [Level(rules, ())], ["no", "yes"], head=head)
    model, policy, shown, proof = certified(network, Policy.of(locked=[{"rule": rule}]))
    assert proof.proved == there
    assert confirmed(model, policy, shown) == ({f"locked.{rule}"} if there else set())


def test_a_class_that_is_null_and_an_order_that_is_no_list_are_rejected():
    model, policy, shown = directed_card()
    forged = copy.deepcopy(policy)
    forged["monotone"]["age"]["order"] = 0
    assert confirmed(*seal(model, forged, shown)) == set()
    for key, name in (("locked", "class"), ("banned", "class"), ("implies", "then")):
        forged = copy.deepcopy(policy)
        forged[key][-1][name] = None
        assert confirmed(*seal(model, forged, shown)) == set()


def test_a_key_that_comes_twice_is_rejected(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files(tmp_path, "max_edges = 3")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    (tmp_path / "model.json").write_text(text.replace('"default":', '"default": "yes",\n "default":'), encoding="utf-8")
    assert checker.main(["model.json", "policy.toml", "c.json"]) == 1
    assert capsys.readouterr().out.startswith("rejected: a key is given twice")


def test_reason_codes_are_no_part_of_what_is_proved():
    coded = NETWORK.with_reason_codes({"age": ("R01", "Short history")})
    assert len(confirmed(*certified(coded, POLICY)[:3])) == 5


@pytest.mark.parametrize("part", [0, 1])
def test_any_change_of_what_decides_or_of_the_policy_is_rejected(part):
    files = certified(NETWORK, POLICY)[:3]
    assert len(confirmed(*files)) == 5
    deciding = [path for path in paths(files[part]) if path and (part or path[0] in checker.DECIDING_KEYS)]
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
    assert "the model carries no policy; give a policy file" in capsys.readouterr().out
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


def test_a_column_of_zeros_and_ones_is_read_as_it_is_printed():
    columns = checker.read_columns([{"name": "smoker", "kind": "number", "categories": [0, 1], "missing": False}])
    for text in ("smoker = 1", "smoker != 0"):
        ((test, negated),) = checker.read_rule(text, columns)
        (stated,) = read_rule(text, (Column("smoker", "number", (0, 1)),))
        interval = stated.predicate
        assert (test.low, test.high, negated) == (interval.low, interval.high, stated.negated)
    columns["smoker"]["categories"] = [0, 2]
    with pytest.raises(checker.Rejected, match="has no categories"):
        checker.read_columns(list(columns.values()))
