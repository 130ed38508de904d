"""ONNX in onnxruntime: it decides as the network does, on odd networks too."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pytest
from hypothesis import given, settings

from benchmarks.exports import hostile
from conceptrules import MLLPClassifier
from conceptrules.cli import main
from conceptrules.datasets import load
from conceptrules.export import export
from conceptrules.export.onnx.columns import onnx_inputs
from conceptrules.export.verify.comparison import MismatchError, verify
from conceptrules.export.verify.engine import Answers
from conceptrules.export.verify.onnxruntime import OnnxEngine
from conceptrules.io.model_file import save
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing
from tests.strategies import measured_networks, networks

ONE = [Level([Rule([Literal(0)])], [Concept(), Concept([0])])]


def session_of(network: RuleNetwork) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(export(network, "onnx"), providers=["CPUExecutionProvider"])


def agrees(network: RuleNetwork, data: object = None, limit: int = 300) -> int:
    """Rows on which the export was compared with the network, and found to be the same."""
    outcome = verify(network, "onnx", export(network, "onnx"), data=data, limit=limit)
    assert outcome.skipped is None
    return outcome.rows


@given(network=networks())
def test_it_decides_as_the_network_does(network):
    assert agrees(network) > 0


@settings(max_examples=60)
@given(network=measured_networks(odd=True))
def test_it_decides_as_the_network_does_with_odd_columns_names_and_classes(network):
    try:
        agrees(network)
    except InputError as error:
        assert "double precision cannot tell" in str(error) or "not valid Unicode" in str(error)  # noqa: PT017


def test_names_stay_data():
    assert agrees(hostile.network(), limit=2000) >= 2000


def test_a_learned_network_with_its_probabilities():
    data = load("tic-tac-toe")
    clf = MLLPClassifier(layers=(16,), max_epochs=20, random_state=0, n_jobs=1).fit(data.X, data.y)
    rows = agrees(clf.network_, data.X)
    assert rows > len(data.y)
    session = session_of(clf.network_)
    feed = {each.name: np.array(data.X[each.name].to_pylist(), dtype=object)[:, None] for each in session.get_inputs()}
    label, probabilities, rules = session.run(["label", "probabilities", "rules"], feed)
    assert label.tolist() == clf.predict(data.X).tolist()
    np.testing.assert_array_equal(probabilities, clf.predict_proba(data.X))
    assert rules.shape == (len(data.y), sum(len(level.rules) for level in clf.network_.levels))


def test_cut_points_are_exact_in_double_precision():
    cut = 0.1 + 0.2
    network = RuleNetwork([Column("x")], [Interval("x", cut)], ONE, ["low", "high"])
    around = [math.nextafter(cut, 0), cut, math.nextafter(cut, 1), math.nan, math.inf, -math.inf]
    label, _ = session_of(network).run(None, {"x": np.array(around)[:, None]})
    assert label.tolist() == ["low", "low", "high", "low", "high", "low"]


def test_text_has_a_second_input_only_where_missing_matters():
    def inputs(*predicates: object) -> list[tuple[str, str]]:
        network = RuleNetwork([Column("job", "category", ("", "cook"))], predicates, ONE, ["a", "b"])
        return [(each.name, each.type) for each in session_of(network).get_inputs()]

    flag = ("job__missing", "tensor(bool)")
    text = ("job", "tensor(string)")
    assert inputs(Equals("job", "cook")) == [text]
    assert inputs(Equals("job", "")) == [text, flag]
    assert inputs(Missing("job")) == [text, flag]


def test_an_empty_text_is_not_a_missing_one():
    network = RuleNetwork([Column("job", "category", ("", "cook"))], [Equals("job", "")], ONE, ["a", "b"])
    feed = {"job": np.array([[""], [""]], dtype=object), "job__missing": np.array([[False], [True]])}
    assert session_of(network).run(["label"], feed)[0].tolist() == ["b", "a"]


def test_whole_numbers_beyond_double_precision_are_told_apart():
    values = (2**53, 2**53 + 1)
    network = RuleNetwork([Column("id", "category", values)], [Equals("id", values[1])], ONE, ["a", "b"])
    assert agrees(network) > 0
    table = pa.table({"id": [2**53, 2**53 + 1, 2**53 + 2, None]})
    assert agrees(network, table) > 4


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        (("a", "b"), "tensor(string)"),
        ((1, 2), "tensor(int64)"),
        ((False, True), "tensor(bool)"),
        ((0.5, 1.5), "tensor(double)"),
        ((1, "1"), "tensor(int64)"),
        ((2**70, 1), "tensor(int64)"),
    ],
)
def test_labels_have_the_type_of_the_classes(classes, kind):
    network = RuleNetwork([Column("x")], [Interval("x", 1.5)], ONE, classes)
    assert session_of(network).get_outputs()[0].type == kind
    assert agrees(network) > 0


def test_a_network_that_uses_no_column_takes_the_number_of_rows():
    network = RuleNetwork([Column("x")], [], [Level([Rule()], [Concept([0])])], ["a"])
    label, rules = session_of(network).run(None, {"rows_only": np.zeros((3, 1))})
    assert label.tolist() == ["a"] * 3
    assert rules.tolist() == [[True]] * 3


def test_a_column_is_never_taken_for_one_of_our_own_tensors():
    names = ["label", "rules", "probabilities", "rows_only", "/Cast_1", "x", "x__missing", "", "column_8"]
    columns = [Column(name, "category", ("a",)) for name in names]
    rules = [Rule([Literal(index)]) for index in range(len(names))]
    network = RuleNetwork(columns, [Missing(name) for name in names], [Level(rules, [Concept([0])])], ["a"])
    taken = [name for entry in onnx_inputs(network) for name in (entry.name, entry.missing)]
    assert len(set(taken)) == 2 * len(names)
    assert agrees(network) > 0


def test_the_file_says_what_it_is():
    network = hostile.network()
    model = onnx.load_from_string(export(network, "onnx"))
    known = {each.key: each.value for each in model.metadata_props}
    assert known["content_hash"] == content_hash(network)
    assert content_hash(network) in model.doc_string
    assert json.loads(known["classes"]) == list(network.classes)
    assert {each["column"] for each in json.loads(known["columns"])} <= set(hostile.NAMES)
    assert len(json.loads(known["rules"])) == sum(len(level.rules) for level in network.levels)
    assert export(network, "onnx") == export(network, "onnx")


@pytest.mark.parametrize(
    ("column", "predicate", "message"),
    [
        (Column("n", "category", (0.5, 2**60)), Equals("n", 2**60), "'n' has the category 1152921504606846976"),
        (Column("t", "category", ("\udc80",)), Equals("t", "\udc80"), "is not valid Unicode"),
    ],
)
def test_what_it_cannot_hold_is_refused(column, predicate, message):
    with pytest.raises(InputError, match=message):
        export(RuleNetwork([column], [predicate], ONE, ["a", "b"]), "onnx")


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"pip install 'conceptrules\[onnx\]'"):
        export(hostile.network(), "onnx")


@pytest.mark.parametrize("part", ["classes", "rules", "probabilities"])
def test_a_wrong_answer_is_an_error_that_shows_the_row(monkeypatch, part):
    network = hostile.network()
    truth = OnnxEngine.run

    def wrong(*arguments: object, **options: object) -> Answers:
        answers = truth(*arguments, **options)
        if part == "classes":
            answers.classes[3] = (answers.classes[3] + 1) % 8
        elif part == "rules":
            answers.rules[3, 0] ^= True
        else:
            answers.probabilities[3, 0] += 1e-6
        return answers

    monkeypatch.setattr(OnnxEngine, "run", wrong)
    with pytest.raises(MismatchError, match=r"differs from the network on 1 of \d+ rows: .* on the row {"):
        verify(network, "onnx", export(network, "onnx"), limit=50)


def test_a_category_that_no_rule_uses_may_be_any_text():
    column = Column("t", "category", ("a", "\udc80", "nul\0"))
    network = RuleNetwork([column], [Equals("t", "a")], ONE, ["a", "b"])
    assert agrees(network) > 2


def test_the_command_line_writes_and_verifies_it(tmp_path, capsys):
    save(hostile.network(), tmp_path / "model.json")
    with pytest.raises(SystemExit) as end:
        main(["export", str(tmp_path / "model.json"), "--to", "onnx", "-o", str(tmp_path / "model.onnx")])
    assert end.value.code == 0
    assert "verified: the same class and the same fired rules as the model on" in capsys.readouterr().err
    assert (tmp_path / "model.onnx").read_bytes() == export(hostile.network(), "onnx")
