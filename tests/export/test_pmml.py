"""PMML in JPMML-Evaluator: it decides as the network does, on odd networks too."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.exports import hostile
from conceptrules import MLLPClassifier
from conceptrules.datasets import load
from conceptrules.export import export
from conceptrules.export.pmml.elements import escape_xml, label_texts
from conceptrules.export.pmml.model import NAMESPACE
from conceptrules.export.verify import jpmml
from conceptrules.export.verify.comparison import MismatchError, verify
from conceptrules.export.verify.engine import Answers
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import Relation, list_sources, make_derived
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing
from conceptrules.model.statistics import with_statistics
from tests.export.test_documents import SEVERAL
from tests.model.test_heads import CARD, make_number_card
from tests.strategies import measured_networks, networks

ONE = [Level([Rule([Literal(0)])], [Concept(), Concept([0])])]
needs_java = pytest.mark.skipif(jpmml.PmmlEngine().missing() is not None, reason=str(jpmml.PmmlEngine().missing()))
SPACE = {"p": NAMESPACE}
CHARACTERISTIC = f"{{{NAMESPACE}}}Characteristic"
BASE = Points([], [7], step=0.5)
RULES = st.tuples(st.integers(0, 2), st.booleans(), st.integers(-9, 9))


def agrees(network: RuleNetwork, data: object = None, limit: int = 300) -> int:
    """Rows on which the export was compared with the network, and found to be the same."""
    outcome = verify(network, "pmml", export(network, "pmml"), data=data, limit=limit)
    assert outcome.skipped is None
    return outcome.rows


@needs_java
@settings(max_examples=40)
@given(network=networks())
def test_it_decides_as_the_network_does(network):
    assert agrees(network) > 0


@needs_java
@settings(max_examples=40)
@given(network=measured_networks(odd=True))
def test_it_decides_as_the_network_does_with_odd_columns_names_and_classes(network):
    try:
        agrees(network)
    except InputError as error:
        assert "double precision cannot tell" in str(error)  # noqa: PT017


@needs_java
def test_names_stay_data():
    assert agrees(hostile.network(), limit=2000) >= 2000


@needs_java
def test_a_learned_network():
    data = load("wine")
    clf = MLLPClassifier(layers=(16,), max_epochs=20, random_state=0, n_jobs=1).fit(data.X, data.y)
    assert agrees(clf.network_, data.X) > len(data.y)


@needs_java
def test_gaps_infinities_and_unseen_categories_in_data():
    columns = [Column("x"), Column("job", "category", ("cook",)), Column("ok", "boolean", (False, True))]
    predicates = [Interval("x", 0.1, 0.3), Interval("x"), Equals("job", "cook"), Equals("ok", True), Missing("ok")]
    rules = [Rule([Literal(index, negated)]) for index in range(5) for negated in (False, True)]
    network = RuleNetwork(columns, predicates, [Level(rules, [Concept([0]), Concept([1])])], ["a", "b"])
    table = pa.table(
        {
            "x": [0.1, 0.3, None, float("nan"), float("inf"), -float("inf")],
            "job": ["cook", "Cook", None, "", "cook ", "nurse"],
            "ok": [True, False, None, True, None, False],
        }
    )
    assert agrees(network, table) > 6


@needs_java
@pytest.mark.parametrize("character", ["\0", "\x1b", "\ud800", "\ufffe", "\\", "\r", "\t", "\u2028", "\U0001f600"])
def test_every_character_can_be_in_a_category_and_a_class(character):
    values = (f"a{character}b", "ab", character, f"\\u{ord(character):04x}")
    predicates = [Equals("t", value) for value in values]
    rules = [Rule([Literal(index)]) for index in range(4)]
    levels = [Level(rules, [Concept([index]) for index in range(4)])]
    assert agrees(RuleNetwork([Column("t", "category", values)], predicates, levels, values, default=values[1])) > 4


def test_what_xml_cannot_hold_is_escaped_and_nothing_else():
    assert escape_xml("a\0\\\ud800é\n") == "a\\u0000\\\\\\ud800é\n"


@pytest.mark.parametrize(
    ("classes", "texts"),
    [
        (("a", "b"), ["a", "b"]),
        ((1, 2.5), ["1", "2.5"]),
        ((True, "x"), ["True", "x"]),
        ((1, "1"), ["0", "1"]),
        (("\0", "\\"), ["\\u0000", "\\\\"]),
    ],
)
def test_labels_are_the_classes_as_text_unless_these_are_the_same(classes, texts):
    assert label_texts(RuleNetwork([Column("x")], [Interval("x", 1)], ONE, classes)) == texts


def test_the_file_says_what_it_is():
    network = hostile.network()
    text = export(network, "pmml")
    root = ElementTree.fromstring(text)
    assert content_hash(network) in text
    assert root.find("p:Header/p:Extension", SPACE).attrib["value"] == content_hash(network)
    words = [field.attrib["displayName"] for field in root.iter(f"{{{NAMESPACE}}}DerivedField")]
    edges = sum(len(level.rules) + len(level.concepts) for level in network.levels)
    assert len(words) == edges + len(network.predicates) + 1
    assert words[-1] == "which classes fire"


def test_the_confidence_of_an_answer_is_how_often_it_was_right():
    levels = [Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])]
    network = RuleNetwork([Column("x")], [Interval("x", 1), Interval("x", 2)], levels, ["a", "b"], ["b", "a"])
    bits = np.array([[False, False]] * 4 + [[True, False]] * 2 + [[True, True]] * 5)
    truth = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0])
    root = ElementTree.fromstring(export(with_statistics(network, pack(bits), truth), "pmml"))
    chosen = root.find("p:RuleSetModel/p:RuleSet", SPACE)
    shares = {rule.attrib["score"]: rule.attrib["confidence"] for rule in chosen.findall("p:SimpleRule", SPACE)}
    assert shares == {"b": "0.8", "a": "0.5"}
    assert (chosen.attrib["defaultScore"], chosen.attrib["defaultConfidence"]) == ("a", "0.75")


@needs_java
def test_it_states_the_probabilities_of_rules_under_the_names_of_the_classes():
    levels = [Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])]
    network = RuleNetwork([Column("x")], [Interval("x", 1), Interval("x", high=3)], levels, ["good", "bad"])
    bits, truth = np.array([[True, False]] * 3 + [[True, True]] * 4), np.array([0, 0, 1, 1, 0, 1, 1])
    measured, cells = with_statistics(network, pack(bits), truth), [{"x": value} for value in (0.5, 2.0, 4.0, None)]
    for each in (measured, replace(measured, statistics=replace(measured.statistics, patterns=()))):
        text = export(each, "pmml")
        validate(text)
        answers = [[row["probability_good"], row["probability_bad"]] for row in run_pmml(text, cells)]
        assert answers == each.predict_proba(cells).tolist()
        with pytest.raises(MismatchError, match="differs from the network"):
            verify(each, "pmml", text.replace(repr(answers[0][0]), "0.25"))
    assert not any("probability" in name for name in run_pmml(export(network, "pmml"), cells)[0])


@pytest.mark.parametrize("values", [(0.5, 2**60), (2**53, 2**53 + 1)])
def test_numbers_that_are_not_exact_are_refused(values):
    network = RuleNetwork([Column("n", "category", values)], [Equals("n", values[1])], ONE, ["a", "b"])
    with pytest.raises(InputError, match=f"'n' has the category {values[1]}"):
        export(network, "pmml")


@needs_java
def test_a_wrong_answer_is_an_error_that_shows_the_row():
    network = hostile.network()
    text = export(network, "pmml").replace("greaterThan", "lessThan", 1)
    with pytest.raises(MismatchError, match=r"the export to pmml differs from the network on .* on the row {"):
        verify(network, "pmml", text, limit=500)


def test_without_the_evaluator_it_is_written_but_not_verified(monkeypatch):
    monkeypatch.setattr(jpmml.PmmlEngine, "missing", lambda self, **options: "there is no Java")
    network = hostile.network()
    outcome = verify(network, "pmml", export(network, "pmml"))
    assert (outcome.rows, outcome.skipped) == (0, "there is no Java")


@needs_java
def test_no_rows_have_no_answers():
    network = hostile.network()
    trial_like = type("Empty", (), {"values": {name: [] for name in hostile.NAMES}, "__len__": lambda self: 0})()
    answers = jpmml.PmmlEngine().run(network, export(network, "pmml"), trial_like)
    assert isinstance(answers, Answers)
    assert len(answers.classes) == len(answers.rules) == 0


@needs_java
def test_a_category_that_no_rule_uses_may_be_any_text():
    column = Column("t", "category", ("a", "\udc80", "nul\0"))
    network = RuleNetwork([column], [Equals("t", "a")], ONE, ["a", "b"])
    assert agrees(network) > 2


@needs_java
def test_java_packages_are_no_modules_of_python_afterwards():
    """JPMML has a package dill. With a Java machine running, torch took it for the library of that name, and broke."""
    network = RuleNetwork([Column("t")], [Interval("t", 1)], ONE, ["a", "b"])
    assert agrees(network) > 0
    assert "jpype.imports" not in {type(finder).__module__ for finder in sys.meta_path}


def validate(text: str) -> None:
    """By the XML schema of PMML, which the evaluator brings along; java's own error where it is not valid."""
    from jpype import JClass

    with jpmml._java_imports():
        jpmml._backend()
    factory = JClass("javax.xml.validation.SchemaFactory").newInstance("http://www.w3.org/2001/XMLSchema")
    schema = factory.newSchema(JClass("org.dmg.pmml.PMML").class_.getResource("/pmml.xsd"))
    source = JClass("javax.xml.transform.stream.StreamSource")(JClass("java.io.StringReader")(text))
    schema.newValidator().validate(source)


def run_pmml(text, rows):
    with jpmml._java_imports():
        from jpmml_evaluator import LoadingModelEvaluatorBuilder

        evaluator = LoadingModelEvaluatorBuilder(jpmml._backend()).loadString(text).build()
        return [evaluator.evaluate(row) for row in rows]


@needs_java
@given(st.lists(RULES, max_size=6), st.integers(0, 63), st.sampled_from([("bad", 1), ("good", -1)]))
@settings(max_examples=10)
def test_reasons_are_the_columns_that_cost_a_row_most_points(rules, row, aim):
    """Against the best value of each column: rules of one column may overlap, so that none has all their points."""
    columns = [Column("a"), Column("b"), Column("c", missing=True)]
    tests = [test for column in "abc" for test in (Interval(column, 1), Interval(column, high=2))]
    level = Level([Rule([Literal(2 * column + side)]) for column, side, _ in rules], ())
    head = Points([[points] for *_, points in rules], [0], probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, tests, [level], ["good", "bad"], head=head)
    values, (label, sign) = [0.0, 1.5, 3.0, None], aim
    cells = {name: values[(row >> 2 * place) % 4] for place, name in enumerate("abc")}
    costs, text = {}, export(card, "pmml", reasons_to=label)
    for name in "abc":  # a gap is nothing that a row could say instead
        scores = sign * card.scores([{**cells, name: value} for value in [cells[name], *values[:3]]])
        costs[name] = int(scores.max() - sign * card.scores([cells])[0])
    (answer,) = run_pmml(text, [cells])
    stated = [answer[f"reason_{rank}"] for rank in range(1, 5) if answer[f"reason_{rank}"] in costs]
    assert [costs[name] for name in stated] == sorted((costs[name] for name in stated), reverse=True)
    assert {name for name, cost in costs.items() if cost} <= set(stated)


@needs_java
def test_reasons_go_by_the_codes_of_the_network():
    coded = CARD.with_reason_codes({"debt": ("R01", "Debt is high"), "age": ("<\0>", "Age")})
    assert agrees(coded) > 0
    codes = [each.attrib["reasonCode"] for each in ElementTree.fromstring(export(coded, "pmml")).iter(CHARACTERISTIC)]
    assert codes == ["<\\u0000>", "R01"]


@needs_java
def test_reason_codes_go_by_what_the_row_says():
    columns = [Column("debt", missing=True), Column("job", "category", ("cook", "nurse")), Column("late", "boolean")]
    tests = [Interval("debt", 40), Interval("debt", high=90), Equals("job", "cook"), Equals("late", True)]
    rules = [Rule((Literal(0),)), Rule((Literal(1),)), Rule((Literal(2),)), Rule((Literal(3, True),))]
    head = Points([[5], [-7], [3], [-2]], [0], probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, tests, [Level(rules, ())], ["good", "bad"], head=head)
    codes = {
        "debt": {"high": ("D1", "high"), "low": ("D2", "low"), "missing": ("D3", "missing")},
        "job": {"cook": ("J1", "cook"), "": ("J0", "job")},
        "late": {"True": ("L1", "late"), "missing": ("L2", "not known")},
    }
    card = card.with_reason_codes(codes)
    assert agrees(card) > 0
    rows = [
        {"debt": debt, "job": job, "late": late}
        for debt in (10.0, 50.0, 95.0, None)
        for job in ("cook", "nurse", None)
        for late in (True, False, None)
    ]
    answers = run_pmml(export(card, "pmml", reasons_to="good"), rows)
    for row, answer, reasons in zip(rows, answers, card.reasons(rows, to="good"), strict=True):
        stated = [answer[f"reason_{rank}"] for rank in range(1, 5)]
        assert [each.code for each in reasons] == stated[: len(reasons)], row


@needs_java
@pytest.mark.parametrize("aim", ["good", "bad"])
def test_relations_are_reasons_by_their_own_names_and_codes(aim):
    own = [Column("debt", missing=True), Column("income"), Column("due"), Column("paid")]
    share, late = Relation("debt", "/", "income"), Relation("paid", "<", "due")
    columns = [*own, *(make_derived(each, list_sources(each, own)) for each in (share, late))]
    tests = [Interval("debt / income", 0.5), Interval("debt / income", high=2), Equals("paid < due", True)]
    rules = [Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(2, True)])]
    head = Points([[5], [-7], [3]], [0], probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, tests, [Level(rules, ())], ["good", "bad"], head=head)
    codes = {"high": ("S1", "high"), "low": ("S2", "low"), "missing": ("S3", "missing")}
    values = itertools.product((10.0, 90.0, math.inf, None), (0.0, 40.0, 10.0, math.inf), (5.0,), (4.0, 5.0, None))
    rows = [dict(zip(("debt", "income", "due", "paid"), row, strict=True)) for row in values]
    for network in (card, card.with_reason_codes({"debt / income": codes})):
        assert agrees(network) > 0
        text = export(network, "pmml", reasons_to=aim)
        validate(text)
        answers, reasons = run_pmml(text, rows), network.reasons(rows, to=aim)
        assert [row["score"] for row in answers] == network.scores(rows).tolist()
        for row, answer, ours in zip(rows, answers, reasons, strict=True):
            stated = [answer[f"reason_{rank}"] for rank in range(1, 5)]
            assert [each.code for each in ours] == stated[: len(ours)], row
        share_codes = {"S3", "S1" if aim == "good" else "S2"} if network.reason_codes else {"debt / income"}
        assert {each.code for each in reasons.known} == {"paid < due", *share_codes}


@pytest.mark.parametrize(
    ("network", "aim", "message"),
    [
        (CARD, "badd", r"reasons_to is 'badd'; it is one of \['good', 'bad'\]"),
        (make_number_card(), "up", r"it is one of \['low', 'high'\]"),
        (SEVERAL, "a", "only scorecards of two classes or of a number have reason codes"),
        (hostile.network(), "a", "only scorecards of two classes or of a number have reason codes"),
    ],
)
def test_reasons_that_there_cannot_be_are_refused(network, aim, message):
    with pytest.raises(InputError, match=message):
        export(network, "pmml", reasons_to=aim)


@needs_java
def test_the_file_is_valid_by_the_schema_of_pmml():
    none = RuleNetwork([], [], [Level([], [Concept()])], ["a"])
    cards = (
        CARD,
        SEVERAL,
        make_number_card(link="log"),
        replace(make_number_card(), levels=[Level([], ())], head=BASE),
        replace(SEVERAL, levels=[Level([], ())], head=replace(SEVERAL.head, points=[])),
    )
    for network in (hostile.network(), none, *cards):
        validate(export(network, "pmml"))
    with pytest.raises(Exception, match="SimpleRules"):
        validate(export(none, "pmml").replace("SimpleRule ", "SimpleRules ").replace("/SimpleRule>", "/SimpleRules>"))
