"""A model that was edited by hand, and counted again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.explain.measurement import measure
from conceptrules.io.model_file import load, save
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval
from conceptrules.model.provenance import Training

AGES = list(range(20, 60))
CLASSES = ["old" if age > 40 else "young" for age in AGES]


@pytest.fixture(autouse=True)
def _model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    training = Training("0.1.0", 0, (), 40, None, None, stability=((1.0,),))
    network = RuleNetwork(
        [Column("age")], [Interval("age", 40)], [level], ["old", "young"], default="young", training=training
    )
    save(measure(network, [[age] for age in AGES], CLASSES), "model.json")
    Path("data.csv").write_text("age,class\n" + "".join(map("{},{}\n".format, AGES, CLASSES)))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return end.value.code


def edit(new: str) -> None:
    text = re.sub(r' "hash": "[^"]*",\n "classes', ' "classes', Path("model.json").read_text())
    Path("model.json").write_text(text.replace("40", new))


@pytest.mark.filterwarnings("always")
def test_figures_of_other_rules_are_left_out_and_counted_again(capsys):
    assert load("model.json").statistics.covered == (((19, 0),),)
    edit("25")
    with pytest.warns(UserWarning, match="changed by hand.*conceptrules measure"):
        edited = load("model.json")
    assert edited.statistics is None
    assert edited.training.stability == ()
    assert "rows" not in str(edited)
    assert run("measure", "model.json", "data.csv", "-o", "model.json") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("warning: the rules were changed by hand")
    assert err.endswith("counted on 40 rows\n")
    counted = load("model.json")  # without a warning
    assert counted.statistics.covered == (((19, 15),),)
    assert "(34 rows, 56% right [39-72%], lift 1.2, recall 100%)" in str(counted)


def test_a_rule_can_be_added_by_hand():
    edit("40")
    rule = '{"for": ["old"], "all": ["age > 40"], "none": []}'
    text = Path("model.json").read_text()
    assert text.count(rule) == 1
    Path("model.json").write_text(text.replace(rule, f'{rule},\n   {{"for": ["young"], "all": [], "none": []}}'))
    with pytest.warns(UserWarning, match="changed by hand"):
        assert len(load("model.json").levels[0].rules) == 2


def test_a_hash_that_is_deleted_without_an_edit_loses_nothing():
    edit("40")
    assert "hash" not in set(json.loads(Path("model.json").read_text()))
    assert load("model.json").statistics.covered == (((19, 0),),)


def test_a_file_of_an_earlier_version_that_lost_its_hash_cannot_vouch_for_its_figures():
    edit("40")
    Path("model.json").write_text(re.sub(r'\n  "hash": [^\n]*', "", Path("model.json").read_text()))
    with pytest.warns(UserWarning, match="changed by hand"):
        assert load("model.json").statistics is None


def test_the_target_that_the_model_names_is_taken(capsys):
    Path("data.csv").write_text("age,class,other\n" + "".join(map("{},{},x\n".format, AGES, CLASSES)))
    assert run("measure", "model.json", "data.csv", "-o", "new.json") == 2
    assert "which column of data.csv is the target?" in capsys.readouterr().err
    text = Path("model.json").read_text().replace(' "classes"', ' "target": "class",\n "classes"', 1)
    Path("model.json").write_text(text)
    assert load("model.json").target == "class"
    assert run("measure", "model.json", "data.csv", "-o", "new.json") == 0
    assert load("new.json").target == "class"
