"""The scores that people know, against those of scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from conceptrules.explain.scores import evaluate
from conceptrules.model.errors import ConceptRulesWarning, InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.statistics import with_statistics
from tests.strategies import all_inputs, flag_networks, measured_scorecards, rows

COLUMNS = [Column("x", "boolean"), Column("y", "boolean")]
LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([1]), Concept([0])])
BARE = RuleNetwork(COLUMNS, [Equals("x", True), Equals("y", True)], [LEVEL], ["no", "yes"])
ROWS = all_inputs(2).repeat(3, axis=0)
TRUE = np.array([0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1])
TWO = with_statistics(BARE, pack(ROWS), TRUE)
LABELS = np.array(TWO.classes)[TRUE]


def test_two_classes_are_scored_as_scikit_learn_does():
    found, stated = evaluate(TWO, ROWS, LABELS), TWO.predict_proba(ROWS)[:, 1]
    assert found.auc == pytest.approx(metrics.roc_auc_score(TRUE, stated))
    assert found.log_loss == pytest.approx(metrics.log_loss(TRUE, TWO.predict_proba(ROWS)))
    assert found.gini == pytest.approx(2 * found.auc - 1)
    alarms, recall, levels = metrics.roc_curve(TRUE, stated, drop_intermediate=False)
    assert found.ks == pytest.approx((recall - alarms).max())
    assert [(one.at, one.recall, one.false_alarms) for one in found.cutoffs] == [
        pytest.approx(line) for line in zip(levels[1:], recall[1:], alarms[1:], strict=True)
    ]
    for one in found.cutoffs:
        answers = stated >= one.at
        assert one.answered == answers.sum()
        assert one.precision == pytest.approx(metrics.precision_score(TRUE, answers))
        assert one.f1 == pytest.approx(metrics.f1_score(TRUE, answers))
    assert found.best_cutoff("ks") in found.cutoffs
    assert found.best_cutoff().f1 == max(one.f1 for one in found.cutoffs)
    with pytest.raises(InputError, match="score is 'auc'"):
        found.best_cutoff("auc")


def test_cut_offs_say_that_they_may_break_a_policy_of_decisions():
    rule = {"rule": "x = True", "class": "yes", "mode": "decides"}
    keys = {"better": "yes", "monotone": {"x": "up"}, "independent": ["z"], "forbidden": ["z"], "locked": [rule]}
    policy = Policy.of(**keys, implies=[{"if": "y = True", "then": "no"}])
    found = evaluate(replace(TWO, policy=policy), ROWS, LABELS)
    told = "may break monotone.x, independent.z, locked.x = True, implies.y = True"
    assert str(found).endswith(told)
    with pytest.warns(ConceptRulesWarning, match=told):
        assert found.best_cutoff() == evaluate(TWO, ROWS, LABELS).best_cutoff()
    harmless = replace(TWO, policy=Policy.of(forbidden=["z"], locked=[{"rule": "x = True", "class": "yes"}]))
    assert evaluate(harmless, ROWS, LABELS).best_cutoff() is not None
    assert "policy" not in str(evaluate(harmless, ROWS, LABELS))


def test_the_positive_class_can_be_chosen():
    first, second = evaluate(TWO, ROWS, LABELS, positive="no"), evaluate(TWO, ROWS, LABELS)
    assert (first.positive, second.positive) == ("no", "yes")
    assert first.gini == pytest.approx(second.gini)
    assert first.cutoffs != second.cutoffs
    with pytest.raises(InputError, match="positive is 'maybe'; the classes are 'no', 'yes'"):
        evaluate(TWO, ROWS, LABELS, positive="maybe")


@given(flag_networks(), st.integers(0, 9))
def test_several_classes_are_scored_as_scikit_learn_does(network, seed):
    rows = all_inputs(3).repeat(4, axis=0)
    truth = np.random.default_rng(seed).permutation(np.arange(len(rows)) % 3)
    labels = np.array(network.classes)[truth]
    answers, stated = network.predict(rows), network.predict_proba(rows)
    found = evaluate(network, rows, labels)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(labels, answers))
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(labels, answers))
    assert found.log_loss == pytest.approx(metrics.log_loss(labels, stated))
    assert found.auc == pytest.approx(metrics.roc_auc_score(labels, stated, multi_class="ovr"))
    scores = metrics.precision_recall_fscore_support(labels, answers, labels=network.classes, zero_division=0)
    for one, precision, recall, f1, rows_ in zip(found.by_class, *scores, strict=True):
        assert (one.precision or 0, one.recall, one.f1, one.rows) == pytest.approx((precision, recall, f1, rows_))
    assert found.positive is found.gini is found.ks is None
    assert found.cutoffs == ()
    assert 0 <= found.calibration_error <= 1


def test_without_statistics_there_are_no_scores_of_probabilities():
    found = evaluate(BARE, ROWS, LABELS)
    assert found.log_loss is found.auc is found.gini is found.ks is found.calibration_error is None
    assert found.cutoffs == found.calibration == ()
    assert found.best_cutoff() is None
    assert "AUC" in str(found)  # the heading; the figures are dashes


def test_a_class_that_the_network_does_not_know_counts_against_it():
    found = evaluate(TWO, ROWS[:3], ["no", "other", "yes"])
    assert [(one.label, one.rows, one.auc is None) for one in found.by_class] == [
        ("no", 1, False),
        ("yes", 1, False),
        ("other", 1, True),
    ]
    assert found.log_loss > 10


def test_the_text_lists_scores_classes_and_cut_offs():
    lines = str(evaluate(TWO, ROWS, LABELS)).split("\n")
    assert [line.split()[0] for line in lines[:3]] == ["rows", "accuracy", "macro-F1"]
    assert "class  rows  precision  recall      F1     AUC" in lines
    assert lines[-4].startswith("0.") or lines[-4].startswith("yes from")


@given(measured_scorecards(), st.data())
def test_scorecards_are_scored_as_scikit_learn_does(network, data) -> None:
    bits = data.draw(rows(network))
    assume(len(bits) > len(network.classes) and len(network.predicates))
    truth = np.arange(len(bits)) % len(network.classes)
    found = evaluate(network, bits, np.array(network.classes)[truth])
    stated, answers = network.predict_proba(bits), network.predict(bits)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(np.array(network.classes)[truth], answers))
    assert found.log_loss == pytest.approx(-np.log(np.maximum(stated[np.arange(len(bits)), truth], 1e-15)).mean())
    assert (found.settled, found.ties, found.errors) == ((), (), ())
    assert str(found)
    if len(network.classes) == 2:
        scores = network.scores(bits)
        assert found.auc == pytest.approx(metrics.roc_auc_score(truth, scores))
        assert found.brier == pytest.approx(metrics.brier_score_loss(truth, stated[:, 1]))
        assert found.cutoffs[-1].answered == len(bits)
        assert [cutoff.score for cutoff in found.cutoffs] == sorted(set(scores.tolist()), reverse=True)
        for cutoff in found.cutoffs:
            assert cutoff.answered == (scores >= cutoff.score).sum()
            assert cutoff.at in stated[scores == cutoff.score, 1]
        assert sum(sum(counts) for _, counts in found.score_rows) == len(bits)
        assert sum(each.rows for each in found.reliability) == len(bits)
    else:
        true = np.eye(len(network.classes))[truth]
        assert found.brier == pytest.approx(((stated - true) ** 2).sum(axis=1).mean())
        assert found.score_rows == found.reliability == found.cutoffs == ()


def test_the_cut_offs_of_a_first_class_go_down_and_the_text_has_about_twenty_and_the_one_in_use() -> None:
    columns, predicates = zip(*[(Column(f"x{i}"), Interval(f"x{i}", 0)) for i in range(7)], strict=True)
    head = Points([[2**i] for i in range(7)], [0], cutoff=50, probabilities=[(i, i / 127) for i in range(128)])
    level = Level([Rule([Literal(i)]) for i in range(7)], ())
    card = RuleNetwork(columns, predicates, [level], ["good", "bad"], head=head)
    bits = all_inputs(7).astype(int)
    scores = card.scores(bits)
    truth = np.array(["good", "bad"])[(scores * 7 % 128 > 60).astype(int)]
    found = evaluate(card, bits, truth)
    assert (len(found.cutoffs), len(found.score_rows)) == (128, 128)
    lines = found.details().split("\n\n")[-1].splitlines()
    assert 15 < len(lines) < 25
    assert [line.split()[0] for line in lines[1:]].count("50") == 1
    good = evaluate(card, bits, truth, positive="good")
    assert good.cutoffs[0].score == 0
    assert (good.gini, good.auc) == (found.gini, found.auc)
