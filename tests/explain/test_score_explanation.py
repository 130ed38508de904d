"""An explanation of a score: its points are those of the rules that hold, and they add up."""

import numpy as np
import pandas as pd
from hypothesis import given

from conceptrules.explain.explanation import explain, fired_rules, list_rule_texts
from conceptrules.explain.score_explanation import ScoreExplanation
from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.evaluation import layers_plain
from conceptrules.tables.prediction import decide
from tests.strategies import all_inputs, measured_scorecards, number_cards, scorecards

COLUMNS = [Column("age"), Column("debt")]
PREDICATES = [Interval("age", 41), Interval("debt", 1000)]
LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(0), Literal(1)])], ())
TWO = Points([[3], [-2], [0]], [1], cutoff=3, probabilities=[(-3, 0.1), (2, 0.4), (4, 0.95)])
CARD = RuleNetwork(COLUMNS, PREDICATES, [LEVEL], ["good", "bad"], head=TWO)


def test_the_explanation_of_two_classes() -> None:
    assert (
        f"{explain(CARD, {'age': 50, 'debt': 5000})}\n"
        == """\
good, since the score of 2 is below 3. The chance of bad is 40.0%.

               points
  base             +1
  age > 41         +3
  debt > 1000      -2
  score            +2

counterfactual: bad if
  debt <= 1000 (such as 1000) instead of debt = 5000
This is proved to be the smallest: nothing less than a change of 1 column will do.
"""
    )
    assert str(explain(CARD, [50, None])).startswith("bad, since the score of 4 is at least 3. The chance")


def test_the_explanation_of_several_classes() -> None:
    head = Points([[3, 0, 1], [0, 0, 0], [-1, 2, 0]], [0, 0, 1], unit=0.5, offsets=[0, 0, -1])
    card = RuleNetwork(COLUMNS, PREDICATES, [LEVEL], ["a", "b", "c"], head=head)
    assert (
        f"{card.explain([50, 2000])}\n"
        == """\
a, since its score is the largest. Its chance is 33.3%.

                                a      b      c
  base                          0      0     +1
  age > 41                     +3            +1
  age > 41 and debt > 1000     -1     +2
  score                        +2     +2     +2
  offset                                     -1
  chance                    33.3%  33.3%  33.3%

counterfactual: none. Nothing that the row could say gives another class; this is proved.
"""
    )


def test_only_the_largest_of_many_scores_are_shown() -> None:
    head = Points([list(range(12)), [0] * 12, [0] * 12], [0] * 12, offsets=[0] * 12)
    card = RuleNetwork(COLUMNS, PREDICATES, [LEVEL], "abcdefghijkl", head=head)
    text = str(card.explain([50, 2000]))
    assert "The 4 classes with smaller scores are left out." in text
    assert text.splitlines()[2].split() == list("efghijkl")


def test_a_rule_and_further_counterfactuals_are_asked_for() -> None:
    explanation = explain(CARD, [50, 5000], rule="R1.3", count=2, fixed=["debt"])
    assert "R1.3 holds on this row" in str(explanation)
    assert str(explanation).endswith(
        "Nothing that the row could say gives another class while debt stays; this is proved."
    )
    both = explain(CARD, [20, 5000], count=3, to="bad")
    assert len(both.alternatives) == 0
    assert len(both.counterfactual.changes) == 2
    assert "or bad if" in str(explain(CARD, [20, 0], to="bad", count=2)) or both.counterfactual.proved
    assert "<li>" in explanation._repr_html_()


def test_many_rows_are_explained_as_a_table() -> None:
    explained = explain(CARD, pd.DataFrame({"age": [50, 20], "debt": [2000, 0]}))
    assert explained["answer"].tolist() == ["good", "good"]
    assert explained["probability"].tolist() == [0.6, 0.9]
    assert explained["because"].tolist() == ["base: +1; age > 41: +3; debt > 1000: -2", "base: +1"]


@given((scorecards(odd=True) | number_cards(odd=True)).filter(lambda network: network.columns))
def test_the_points_of_an_explanation_add_up_to_the_score(network: RuleNetwork) -> None:
    row = dict.fromkeys((column.name for column in network.columns), None)
    explanation = explain(network, row)
    assert isinstance(explanation, ScoreExplanation)
    sums = np.sum([each.points for each in explanation.contributions], axis=0)
    assert tuple(sums.tolist()) == explanation.scores == tuple(np.atleast_1d(network.scores([row])[0]).tolist())
    if not network.classes:
        assert explanation.label == network.predict([row])[0]
        assert len(explanation.lines) == len(explanation.contributions) + 2
        return
    assert explanation.label == network.classes[decide(network, [row])[0]]
    np.testing.assert_array_equal(explanation.probabilities, network.predict_proba([row])[0])
    assert str(explanation)


@given(scorecards() | measured_scorecards())
def test_what_is_said_of_many_rows_is_what_holds(network: RuleNetwork) -> None:
    bits = all_inputs(len(network.predicates))[:40]
    if not bits.size:
        return
    holds, texts = layers_plain(network, bits)[-2], list_rule_texts(network, bits)
    for row, rules, text in zip(holds, fired_rules(network, bits), texts, strict=True):
        assert sorted(rule.index for rule in rules) == np.flatnonzero(row).tolist()
        assert text.startswith("base: ")
    if network.head.outputs == 1:
        totals = [sum(int(part.rpartition(": ")[2].replace(",", "")) for part in text.split("; ")) for text in texts]
        assert totals == network.scores(bits).tolist()
