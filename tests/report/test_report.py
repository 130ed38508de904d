"""What the report says, as a value and as a file."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules import InputError, MLLPClassifier, datasets
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model.evaluation import decide_fired
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.provenance import Training, Validation
from conceptrules.model.statistics import probabilities, with_statistics
from conceptrules.report import report, write_report
from conceptrules.report.collect import collect
from conceptrules.report.form import form_fields, slider_ends
from conceptrules.report.payload import payload
from conceptrules.tables.table import read_packed_bits
from tests.report import examples
from tests.strategies import all_inputs, measured_networks, networks

VALIDATION = Validation("held back", 40, 0.875, (0.1, 0.8, 0.1), ((0.6, 0.5, 10.0), (0.9, 0.95, 30.0)), 0.9, 0.05)


def small(training: Training | None = None) -> RuleNetwork:
    columns = [Column("age"), Column("job", "category", ("cook", "nurse"), True), Column("idle")]
    predicates = [Interval("age", 40), Equals("job", "cook")]
    levels = [Level([Rule([Literal(0)]), Rule([Literal(1, True)])], [Concept([0]), Concept([1])])]
    return RuleNetwork(columns, predicates, levels, ["old", "young"], training=training)


def trained(validation: Validation | None = VALIDATION) -> Training:
    return Training("0.1.0", 7, (("layers", (8,)), ("negation", False)), 160, 0.8, 30, validation, ((1.0, 0.4),))


MOST = float(np.finfo(np.float64).max)
ROWS = [{"age": age, "job": job, "idle": 0.0} for age in (30, 50) for job in ("cook", "nurse", "baker")]
TRUE = ["young", "young", "young", "old", "old", "young"]


@given(measured_networks())
@settings(max_examples=20)
def test_probabilities_of_the_page_are_those_of_the_network(network):
    model = json.loads(payload(collect(network)))
    fired = all_inputs(len(network.classes))
    answers = decide_fired(network, fired)
    stated = probabilities(network, fired)[np.arange(len(fired)), answers]
    for row, wanted, answer in zip(fired, stated, answers, strict=True):
        pattern = "".join(str(int(fires)) for fires in row)
        found = model["probabilities"]["seen"].get(pattern, model["probabilities"]["unseen"][answer])
        assert found == pytest.approx(wanted)
    assert model["patterns"] == {
        "".join(str(int(fires)) for fires in pattern): list(rows) for pattern, rows in network.statistics.patterns
    }


def test_a_rule_that_others_come_before_shows_what_it_decides():
    network = small()
    bits = read_packed_bits(network.columns, network.predicates, ROWS)
    measured = with_statistics(network, bits, np.array([network.classes.index(name) for name in TRUE]))
    interval = '<span class="interval" title="95 % Wilson interval">[34-100%]</span>'
    assert f"decides 2 rows, 100% right {interval}</span>" in report(measured)
    assert f"decides 2 rows, 100% right {interval}</span>" in report(network, ROWS, TRUE)
    assert (
        "holds on 4 training rows, 75% of them young [30-96%], and decides 2 rows, 100% of these young [34-100%]"
        in report(measured)
    )


def test_without_rows_it_says_what_it_cannot_say():
    html = report(small())
    assert "given no rows to test it on" in html
    assert "continuous network" not in html
    for words in ("not recorded when the model was learned", "Not known: no rows were given", "Not recorded"):
        assert words in html


def test_what_was_recorded_at_fit_time_is_told():
    html = report(small(trained()))
    assert "its macro-F1 was 0.875" in html
    assert "answer differently on <strong>5%</strong>" in html
    assert "no class fired on 10%" in html
    assert "chosen by scores on 40 rows held back from the training rows" in html
    assert "1 rule is needed in less than 90%" in html
    html = report(small(trained(None)))
    assert "on which rows was not recorded" in html


def test_a_rate_that_was_given_was_not_tuned():
    assert "The binarization rate (0.8) and the epoch (30) were chosen" in report(small(trained()))
    told = replace(trained(), settings=(("binarization_rate", 0.8),))
    assert "The binarization rate (0.8) was given. The epoch (30) was chosen" in report(small(told))


def test_mixed_rows_are_told():
    assert "mixed rows" not in report(small(trained()))
    assert "learned from mixed rows as well" in report(small(replace(trained(), augmented=True)))


def test_with_rows_it_tells_scores_ties_errors_and_what_training_never_showed():
    found = collect(small(trained()), ROWS, TRUE)
    scores = found.audit.scores
    assert scores is not None
    assert scores.accuracy == np.mean(small().predict(ROWS) == np.array(TRUE))
    html = report(small(trained()), ROWS, TRUE)
    assert f"{100 * scores.accuracy:.1f}<span" in html
    assert "How they were settled" in html
    assert "of 6 got a wrong answer" in html
    assert re.search(r"<bdi>job</bdi></th><td class=\"number\">2<", html)  # two bakers
    assert "<bdi>idle</bdi>" in html


def test_rows_of_the_training_are_recognised():
    data = datasets.load("wine")
    clf = MLLPClassifier(layers=(8,), max_epochs=10, random_state=0).fit(data.X.slice(0, 120), data.y[:120])
    seen = collect(clf.network_, data.X.slice(0, 120), data.y[:120])
    new = collect(clf.network_, data.X.slice(120), data.y[120:])
    assert seen.audit.overlap is not None
    assert seen.audit.overlap.share == 1
    assert "it learned from all of them" in seen.sentences[2]
    assert new.audit.overlap is not None
    assert new.audit.overlap.rows == 0
    assert "Not held out." in report(clf.network_, data.X, data.y)
    assert "Held out." in report(clf.network_, data.X.slice(120), data.y[120:])


def test_rows_of_the_data_are_in_the_file_only_if_asked_for():
    secret = 47.112233
    rows = [*ROWS, {"age": secret, "job": "nurse", "idle": secret}]
    labels = [*TRUE, "young"]
    assert str(secret) not in report(small(), rows, labels)
    html = report(small(), rows, labels, include_rows=True)
    assert str(secret) in html
    assert "It holds rows of the data" in html


def test_real_samples_are_right_and_wrong_ones():
    found = collect(small(), ROWS, TRUE, include_rows=True)
    titles = " ".join(sample.title for sample in found.samples)
    assert "right" in titles
    assert "wrong" in titles
    for sample in found.samples:
        place = int(re.match(r"Row (\d+)", sample.title)[1]) - 1
        assert sample.values[0] == ROWS[place]["age"]
        assert ("right" in sample.title) == (small().predict([ROWS[place]])[0] == TRUE[place])


def as_row(found, sample):
    return {field.name: entered(field, value) for field, value in zip(found.fields, sample.values, strict=True)}


def entered(field, value):
    if value is None or field.ordered:
        return value
    return field.options[value] if value >= 0 else "none of them"


def test_made_up_samples_show_what_they_say():
    network, _, _ = examples.many_classes()
    found = collect(network)
    by_class = [sample for sample in found.samples if sample.title.startswith("Answer ")]
    assert len(by_class) == len(set(network.predict(covering_rows(network)).tolist())) > 15
    for sample in by_class:
        assert sample.title == f"Answer {network.predict([as_row(found, sample)])[0]}"
    assert {"No class fires", "Several classes fire"} <= {sample.title for sample in found.samples}


@settings(max_examples=40)
@given(networks(odd=True))
def test_any_network_has_a_report(network):
    html = report(network)
    model = re.search(r'<script type="application/json" id="model">(.*?)</script>', html, re.DOTALL)
    assert json.loads(model[1])["default"] == network.classes.index(network.default)


@settings(max_examples=20)
@given(measured_networks(odd=True))
def test_so_has_a_measured_one(network):
    assert "The data it learned from" in report(network)


def test_adult_stays_under_a_megabyte():
    try:
        network, X, y = examples.dataset_example("adult", (100,), 4000)
    except datasets.DatasetError as error:
        pytest.skip(str(error))
    assert 400 < network.edges < 900
    html = report(network, X, y, include_rows=True)
    assert len(html.encode()) < 1_000_000


def test_sliders_end_beyond_their_cuts():
    for kind in ("number", "date", "datetime", "duration"):
        for cuts in ([], [0.0], [5.0], [-3.0, 0.0], [1e308, 1.7e308], [-1.7e308, 1.7e308], [5e-324], [MOST], [-MOST]):
            low, high = slider_ends(cuts, kind)
            assert np.isfinite([low, high]).all()
            if not {MOST, -MOST} & set(cuts):  # there is no room beyond the largest number
                assert low < high
                assert all(low < cut <= high for cut in cuts)


def test_the_form_offers_what_a_row_can_hold():
    columns = [
        Column("flag", "boolean"),
        Column("size", "category", (1, 2.5)),
        Column("job", "category", ("cook",)),
        Column("age"),
    ]
    predicates = [Equals("flag", 1.0), Equals("size", 7), Equals("job", "nurse"), Interval("age", 27, 41)]
    rule = Rule([Literal(number) for number in range(4)])
    form = form_fields(RuleNetwork(columns, predicates, [Level([rule], [Concept([0]), Concept()])], ["a", "b"]))
    assert [field.options for field in form] == [(False, True), (1, 2.5, 7), ("cook", "nurse"), ()]
    assert form[3].cuts == (27, 41)


def test_rows_and_classes_go_together(tmp_path):
    with pytest.raises(InputError, match="give both X and y"):
        report(small(), ROWS)
    with pytest.raises(InputError, match="no data are given"):
        report(small(), include_rows=True)
    with pytest.raises(InputError, match="2 labels for the 6 rows"):
        report(small(), ROWS, ["old", "young"])
    with pytest.raises(InputError, match="no rows"):
        report(small(), np.empty((0, 3)), [])
    with pytest.raises(InputError, match="there is no folder"):
        write_report(small(), None, None, tmp_path / "nowhere" / "report.html")


def test_the_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(InputError, match="column 'age'"):
        write_report(small(), [{"job": "cook", "idle": 0}], ["old"], path)
    assert list(tmp_path.iterdir()) == []
    write_report(small(), ROWS, TRUE, path, title="<b>")
    assert list(tmp_path.iterdir()) == [path]
    assert "<title>&lt;b&gt;</title>" in path.read_text(encoding="utf-8")


def test_a_classifier_writes_its_report(tmp_path):
    import pandas as pd

    data = datasets.load("wine")
    clf = MLLPClassifier(layers=(8,), max_epochs=5, random_state=0)
    clf.fit(data.X, data.y).report(data.X, pd.Series(data.y, name="cultivar"), tmp_path / "report.html")
    assert "<title>Predicting cultivar</title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_columns_that_no_rule_asks_about_add_nothing_to_the_form():
    network = small()
    more = [Column(f"other {number}") for number in range(1000)]
    wide = replace(network, columns=(*more, *network.columns))
    assert [field.name for field in collect(wide, title="t").fields] == ["age", "job"]
    assert len(report(wide)) < len(report(network)) + 1000
    assert "No rule asks about 1,001 other columns" in report(wide)


def test_real_rows_of_an_array_are_shown_without_the_columns_that_no_rule_asks_about():
    network = RuleNetwork(
        [Column("x0"), Column("x1")],
        [Interval("x1", 40)],
        [Level([Rule([Literal(0)])], [Concept([0]), Concept([])])],
        ["old", "young"],
    )
    found = collect(network, np.array([[1.0, 50.0], [2.0, 30.0]]), ["old", "young"], title="t", include_rows=True)
    assert sorted(sample.values for sample in found.samples) == [(30.0,), (50.0,)]
