import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.io.model_file import dumps, load, loads, save
from conceptrules.model import Column, Concept, Equals, InputError, Level, OneOf, RuleNetwork
from tests.model.test_heads import CARD
from tests.model.test_network import NETWORK
from tests.model.test_text import ADULT
from tests.strategies import measured_networks, measured_scorecards, networks, number_cards, scorecards

TEXT = dumps(ADULT)


@given(
    st.one_of(measured_networks(odd=True), networks(odd=True), scorecards(odd=True), measured_scorecards(odd=True))
    | number_cards(odd=True)
)
def test_reading_gives_back_what_was_written(network):
    again = loads(dumps(network))
    assert again == network
    assert again.statistics == network.statistics
    assert dumps(again) == dumps(network)


def test_sets_and_orders_in_a_file():
    columns = (Column("rank", "ordinal", ("low", "mid", "top")), Column("job", "category", ("cook", "in {x")))
    predicates = (OneOf("rank", ("low", "mid")), OneOf("job", ("cook", "in {x")), Equals("job", "in {x"))
    network = RuleNetwork(columns, predicates, (Level((), (Concept(),)),), ("yes",))
    text = dumps(network)
    names = [item["name"] for item in json.loads(text)["predicates"]]
    assert names == ["rank <= mid", 'job in {cook, "in {x"}', "job = in {x"]
    assert loads(text) == network
    with pytest.raises(InputError, match="which is not the order of column 'rank'; write OneOf"):
        loads(text.replace('"values": ["low", "mid"]', '"values": ["mid", "low"]'))
    with pytest.raises(InputError, match="asks for 'new', which has no place in the order of column 'rank'"):
        loads(text.replace('"values": ["low", "mid"]', '"values": ["new"]'))
    with pytest.raises(InputError, match="needs at least one"):
        loads(text.replace('"values": ["low", "mid"]', '"values": []'))


def test_the_points_of_a_rule_stand_in_its_line():
    text = dumps(CARD)
    assert '{"points": [3], "all": ["age > 41"], "none": []},' in map(str.strip, text.splitlines())
    assert json.loads(text)["head"] == {"base": [1], "cutoff": 2, "probabilities": [[-3, 0.1], [2, 0.4], [5, 0.4]]}
    edited = text.replace('"points": [3]', '"points": [4]')
    with pytest.raises(InputError, match="the rules were changed after they were saved"):
        loads(edited)
    model = json.loads(edited)
    del model["hash"]
    assert loads(json.dumps(model)).head.points == ((4,), (-2,), (0,))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"points": [3]', '"points": [3.5]', r"levels\[0\].rules\[0\].points\[0\] must be a whole number, found 3.5"),
        ('"points": [3]', '"for": []', r"levels\[0\].rules\[0\] has no 'points'"),
        ('"cutoff": 2', '"cutoff": "2"', 'head.cutoff must be a whole number, found "2"'),
        ('"cutoff": 2', '"unit": 2', "head has no 'offsets'"),
        ("[2, 0.4]", "[2, 0.05]", "the probability of a score may not fall"),
        ("[2, 0.4]", "[2]", r"head.probabilities\[1\] must be a score and its probability, found a list"),
        ('"points": [3]', f'"points": [{2**40}]', "add up to more than 2147483647"),
        ('"columns"', '"default": "good", "columns"', "has a 'default' that this version does not know"),
        ('"concepts": []', '"concepts": ["good", "bad"]', r"levels\[0\].concepts must be \[\]"),
    ],
)
def test_a_wrong_head_is_refused_with_its_place(old, new, message):
    text = dumps(CARD)
    assert old in text
    with pytest.raises(InputError, match=message):
        loads(text.replace(old, new))


def test_half_a_surrogate_pair_survives(tmp_path):
    network = RuleNetwork((), (), (Level((), (Concept(),)),), ("a\udc80é",))
    save(network, tmp_path / "model.json")
    assert load(tmp_path / "model.json") == network


def test_a_rule_a_line():
    assert '{"for": ["no"], "all": ["age <= 27"], "none": ["job = nurse"]}' in map(
        str.strip, dumps(NETWORK).splitlines()
    )


def test_files(tmp_path):
    class Model:
        network_ = NETWORK

    save(Model(), tmp_path / "model.json")
    save(NETWORK, str(tmp_path / "network.json"))
    assert load(str(tmp_path / "model.json")) == load(tmp_path / "network.json") == NETWORK
    assert sorted(os.listdir(tmp_path)) == ["model.json", "network.json"]


def test_a_failed_save_keeps_the_old_file_and_leaves_no_other(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    save(ADULT, path)
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(NETWORK, path)
    assert load(path) == ADULT
    assert os.listdir(tmp_path) == ["model.json"]
    with pytest.raises(InputError, match="a fitted model, not dict"):
        save({}, path)


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(InputError, match=r"model\.json is not text"):
        load(path)
    path.write_text(TEXT[:-9])
    with pytest.raises(InputError, match=r"model\.json: the model ends too early"):
        load(path)
    path.write_text("\ufeff" + TEXT, encoding="utf-8")
    assert load(path) == ADULT


@pytest.mark.parametrize("size", range(1, len(TEXT.rstrip()), 7))
def test_a_model_cut_short(size):
    with pytest.raises(InputError, match="ends too early"):
        loads(TEXT[:size])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "[]",
        "3",
        "null",
        '{"format": "other"}',
        "{}",
        "{'format'}",
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
    ],
)
def test_what_is_not_ours(text):
    with pytest.raises(InputError, match="not a conceptrules model"):
        loads(text)


def changed(path, value):
    """The text of a network with one piece of it replaced, or deleted where the value is `...`."""
    model = json.loads(TEXT)
    *parents, last = path
    piece = model
    for key in parents:
        piece = piece[key]
    if value is ...:
        del piece[last]
    else:
        piece[last] = value
    return json.dumps(model)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], 0, "version 0 of the file format, but this conceptrules reads version 1; install"),
        (["version"], 2, "version 2 of the file format, but this conceptrules reads version 1; install"),
        (["version"], 3, "version 3 of the file format, but this conceptrules reads version 1; install"),
        (["version"], 10**4000, "version 10+[.]{3} of the file format, but this conceptrules"),
        (["version"], "1", "version must be a whole number"),
        (["version"], ..., "version must be a whole number"),
        (["classes"], ..., "the model has no 'classes'"),
        (["notes"], "x", "has a 'notes' that this version does not know"),
        (["classes"], "ab", 'classes must be a list, found "ab"'),
        (["classes", 0], None, r"classes\[0\] must be text, a number, true or false, found null"),
        (["classes", 0], ["a"], r"classes\[0\] must be text"),
        (["priority"], ["a", "a"], "priority must list each class once"),
        (["default"], "maybe", "default class 'maybe'"),
        (["columns", 0, "name"], 3, r"columns\[0\].name must be text, found 3"),
        (["columns", 0, "kind"], "integer", r"columns\[0\].kind must be one of number, date"),
        (["columns", 0, "kind"], [], r"columns\[0\].kind must be one of"),
        (["columns", 0, "missing"], 0, r"columns\[0\].missing must be true or false, found 0"),
        (["columns", 0], [], r"columns\[0\] must be an object with name, kind"),
        (
            ["predicates", 0, "kind"],
            "near",
            r'\[0\].kind must be interval, equals, one_of or missing, found "near"',
        ),
        (["predicates", 0], "age", r"predicates\[0\].kind must be"),
        (["predicates", 0, "low"], True, r"predicates\[0\].low must be a finite number, found true"),
        (["predicates", 2, "low"], 1e9, "needs low < high"),
        (["predicates", 0, "low"], 10**400, "must be a finite number, found 1000.*[.]{3}$"),
        (["predicates", 0, "column"], "aeg", "tests column 'aeg'"),
        (["levels"], [], "at least one level"),
        (["levels", 0, "rules", 0, "all", 0], 0, r"levels\[0\].rules\[0\].all\[0\] names 0, which is not there"),
        (["levels", 0, "rules", 0, "all", 0], "age > 28", "all.0. names 'age > 28', which is not there"),
        (["levels", 0, "rules", 0, "all", 0], "C1.1", "all.0. names 'C1.1', which is not there"),
        (["levels", 1, "rules", 0, "all", 0], "C2.1", "all.0. names 'C2.1', which is not there"),
        (["levels", 1, "rules", 0, "all", 0], "age > 27", "all.0. names 'age > 27', which is not there"),
        (["levels", 0, "rules", 0, "all", 0], None, "must be text, a number, true or false, found null"),
        (["levels", 0, "rules", 0, "none"], ..., r"levels\[0\].rules\[0\] has no 'none'"),
        (["levels", 0, "rules", 0, "for"], ["<=50K"], r"levels\[0\].rules\[0\].for\[0\] names '<=50K'"),
        (["levels", 0, "concepts"], ["C1.2", "C1.1"], r"levels\[0\].concepts must be \['C1.1', 'C1.2'\]"),
        (["levels", 1, "concepts"], ["C2.1", "C2.2"], r"levels\[1\].concepts must be \['<=50K', '>50K'\]"),
        (["predicates", 0, "name"], "age > 28", r"predicates\[0\].name must be what the predicate says, 'age > 27'"),
        (["predicates", 0, "low"], 28, r"predicates\[0\].name must be what the predicate says, 'age > 28'"),
        (["predicates", 0, "name"], ..., r"predicates\[0\] has no 'name'"),
        (["hash"], 3, "hash must be text"),
        (["hash"], "sha256:00", "the rules were changed after they were saved.* delete the line"),
        (["default"], ">50K", "the rules were changed after they were saved.* delete the line"),
        (["statistics", "rows", 0], -1, r"statistics.rows\[0\] must be a number from 0 up"),
        (["statistics", "covered"], [], "statistics are for"),
        (["statistics", "covered", 0, 0], 3, r"statistics.covered\[0\]\[0\] must be a list"),
        (["statistics", "patterns", 1, "fires", 0], 1, r"patterns\[1\].fires\[0\] names 1, which is not there"),
        (["statistics", "patterns", 1, "fires"], {}, r"patterns\[1\].fires must be a list, found an object"),
        (["statistics", "patterns", 1, "rows"], [1], r"patterns\[1\].rows needs one figure for each of the 2 classes"),
    ],
)
def test_a_broken_model_says_where(path, value, message):
    assert isinstance(loads(TEXT), RuleNetwork)
    with pytest.raises(InputError, match=message):
        loads(changed(path, value))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have(number):
    with pytest.raises(InputError, match=f"{number} is not a number in JSON"):
        loads(changed(["statistics", "rows", 0], 12345).replace("12345", number))


def test_keys_given_twice():
    with pytest.raises(InputError, match="'version' is given twice"):
        loads(TEXT.replace('"version": 1', '"version": 1, "version": 3'))


def pieces(value, path=()):
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from pieces(item, (*path, key))


@given(
    st.sampled_from(list(pieces(json.loads(TEXT)))[1:]),
    st.sampled_from([None, 3, -1, 1.5, "x", True, [], {}, [[]], ...]),
)
def test_any_damage_is_an_input_error_or_still_a_network(path, value):
    try:
        network = loads(changed(path, value))
    except InputError:
        return
    assert loads(dumps(network)) == network
    assert str(network)


def test_a_folder_is_not_written_over(tmp_path):
    with pytest.raises(InputError, match="it is a folder; name a file in it"):
        save(NETWORK, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_follows_a_model_is_told_as_that():
    text = dumps(ADULT)
    with pytest.raises(InputError, match="there is more after the end of the model, in line"):
        loads(text + "garbage")
    with pytest.raises(InputError, match="there is more after the end of the model, in line"):
        loads(text + text)
