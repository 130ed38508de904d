"""Hostile files get one clear error, without being read where their size tells enough."""

import io
import json
import os
from dataclasses import replace

import pytest

from benchmarks.fuzz.seeds import network_of
from conceptrules.cli import main
from conceptrules.io.json_text import MAX_BYTES, MAX_DEPTH, MAX_PARTS, STRING
from conceptrules.io.model_file import dumps, load, loads, read, save
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Rule, RuleNetwork
from tests.io.test_model_file import TEXT
from tests.model.test_text import ADULT

SHARED_HASH = 2**61 - 1  # its multiples all have the hash 0


def test_a_gigabyte_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.touch()
    os.truncate(path, 2**30)
    monkeypatch.setattr("conceptrules.io.model_file.loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(InputError, match=r"model\.json: larger than a model can be: 1,073,741,824 bytes"):
        load(path)


class Endless(io.RawIOBase):
    """A pipe that gives blanks for ever."""

    given = 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0
        self.given += size
        return b" " * size


def test_a_pipe_without_end_is_read_up_to_the_limit():
    pipe = Endless()
    with pytest.raises(InputError, match="pipe: larger than a model can be"):
        read(pipe, "pipe")
    assert pipe.given == MAX_BYTES + 1


def test_standard_input_has_the_same_limit(monkeypatch, capsys):
    class Stdin:
        buffer = Endless()

    monkeypatch.setattr("sys.stdin", Stdin)
    with pytest.raises(SystemExit) as end:
        main(["rules", "-"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("error: standard input: larger than a model can be")


def test_blanks_up_to_the_limit_are_no_model():
    with pytest.raises(InputError, match="not a conceptrules model: no JSON"):
        loads(" " * MAX_BYTES)


def model(**changes):
    return json.dumps({**json.loads(TEXT), "hash": None, **changes})


COLUMN = {"name": "x", "kind": "category", "missing": False}
RULE = '{"for": [], "all": [], "none": []}'


def rules(count):
    """A model with so many rules; its text is put together, as writing them as JSON would take seconds."""
    return model(levels=[{"concepts": [], "rules": [0]}]).replace("[0]", "[" + ", ".join([RULE] * count) + "]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (rules(10**6), "larger than a model can be: .* bytes"),
        (rules(60_000), "larger than a model can be: .* parts"),
        ("[" * MAX_PARTS, "nested too deeply"),
        ('{"a":' * 1000 + "1" + "}" * 1000, "nested too deeply"),
        (TEXT.replace("null", "[" * 70 + "]" * 70), "nested too deeply"),
        (model(default="9" * 10), "default class '9999999999' is not one of"),
        ('{"format": ' + "9" * 10**6 + "}", "not a conceptrules model"),
        (TEXT.replace('"low": 27', '"low": 1e999'), "low must be a finite number, found Infinity"),
        (TEXT.replace('"default": "<=50K"', '"default": -1e999'), "default must be a number within range"),
        (TEXT.replace('"low": 27', '"low": NaN'), "NaN is not a number in JSON"),
        (TEXT.replace('"low": 27', '"low": 27, "low": 27'), "'low' is given twice"),
        ("{" + ",".join(f'"k{i}":0' for i in range(90_000)) + ',"k1":0}', "'k1' is given twice"),
        (model(classes=[SHARED_HASH * i for i in range(6000)]), "too many categories or classes that are numbers"),
        (model(columns=[{**COLUMN, "categories": ["a"] * 50_000}]), "lists a category twice: .* [.]{3} .*"),
        (model(version=10**4000), "version 10+[.]{3} of the file format"),
        (model(classes=None), "classes must be a list, found null"),
        (model(levels={}), "levels must be a list, found an object"),
        (model(columns=[[]]), r"columns\[0\] must be an object with name, .* found a list"),
    ],
)
def test_hostile_files_get_one_clear_error(text, message):
    with pytest.raises(InputError, match=message) as found:
        loads(text)
    assert len(str(found.value)) < 1000
    assert "\n" not in str(found.value)


def test_a_rule_cannot_name_a_concept_of_its_own_level_or_above():
    for level, name in ((0, "C1.1"), (0, ">50K"), (1, ">50K"), (1, "C2.1")):
        hostile = json.loads(TEXT)
        hostile["levels"][level]["rules"][0]["all"] = [name]
        with pytest.raises(InputError, match=f"names '{name}', which is not there"):
            loads(json.dumps(hostile))


def test_brackets_in_text_are_not_nesting():
    network = RuleNetwork((Column("[" * 100 + '"{' * 100),), (), (Level((), (Concept(),)),), ("\\[[" * 100,))
    assert MAX_DEPTH < 100
    assert loads(dumps(network)) == network


@pytest.mark.parametrize("text", ['"' + '\\"' * 3, '"' + '\\"' * 3 + "\\", '"a\\\n"b', '"'])
def test_a_text_that_is_never_closed_is_looked_at_once(text):
    """Not once for each quote in it: a file of 0.4 MB took minutes."""
    assert len(STRING.findall(text)) == 1


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("conceptrules.io.json_text.MAX_PARTS", 20)
    with pytest.raises(InputError, match="larger than a model can be"):
        save(ADULT, tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_an_edit_is_accepted_without_the_hash():
    edited = TEXT.replace('"default": "<=50K"', '"default": ">50K"')
    with pytest.raises(InputError, match='delete the line of "hash"'):
        loads(edited)
    without = "".join(line for line in edited.splitlines(keepends=True) if '"hash"' not in line)
    with pytest.warns(UserWarning, match="changed by hand"):
        edited = loads(without)
    assert (edited.default, edited.statistics) == (">50K", None)


def test_models_that_differ_in_a_rule_differ_in_a_few_lines():
    """A rule in the middle, and a predicate that shifts all others: the lines of the other rules stay."""
    old = network_of(500)
    (level,) = old.levels
    moved = [Rule(tuple(Literal(i.index + 1, i.negated) for i in rule.literals)) for rule in level.rules]
    new = replace(
        old,
        predicates=(Interval("number 0", high=0), *old.predicates),
        levels=(Level((*moved[:50], Rule((Literal(0),)), *moved[51:]), level.concepts),),
    )
    before, after = dumps(old).splitlines(), dumps(new).splitlines()
    assert len(set(before) - set(after)) == 2  # the rule and the hash
    assert len(set(after) - set(before)) == 3  # and the predicate
