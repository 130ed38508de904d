"""Verdicts on scorecards against brute force over all rows, and what they say."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules.logic.policies.proof import prove
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.policy import Monotone, Policy
from conceptrules.model.scoring import answer_scores, score_probabilities
from conceptrules.tables.prediction import find_scores
from tests.logic.policies.brute_force import all_rows, card_cases, card_fails, is_possible, ordered_pairs


@settings(max_examples=150, deadline=None)
@given(card_cases())
def test_the_verdicts_are_those_of_brute_force(case):
    check_verdicts(*case)


def check_verdicts(network, policy):
    """No verdict on a card is false; `python -m tests.soak policies` asks the same of many more."""
    possible = [row for row in all_rows(network) if is_possible(policy.domain, row)]
    for data in (None, all_rows(network)[::7]):
        try:
            found = prove(network, policy, data=data).verdicts
        except InputError:  # a domain without rows
            assert not possible
            return
        scores = find_scores(network, possible)
        for clause, verdict in zip(policy.clauses, found, strict=True):
            fails = card_fails(clause, network, possible, scores)
            assert verdict.outcome == ("refuted" if fails else "proved"), (clause, verdict)
            if verdict.outcome == "proved" and isinstance(clause, Monotone) and network.classes:
                check_answers(clause, network, possible, scores)
            if verdict.counterexample is not None:
                shown = [decision.row for decision in verdict.counterexample.decisions]
                assert all(is_possible(policy.domain, row) for row in shown)
                assert network.predict(shown).tolist() == [each.label for each in verdict.counterexample.decisions]
                assert card_fails(clause, network, shown, find_scores(network, shown))


def check_answers(clause, network, rows, scores):
    """What is proved of scores holds of the decision and of the probability of every better part of the order."""
    rank = np.array([clause.order.index(label) for label in network.classes])
    answers = rank[answer_scores(network.head, scores)]
    chances = score_probabilities(network.head, scores)[:, np.argsort(rank)]
    better = np.cumsum(chances[:, ::-1], axis=1)
    sign = 1 if clause.direction == "up" else -1
    for first, second in ordered_pairs(clause, rows):
        assert sign * (answers[second] - answers[first]) >= 0
        assert (sign * (better[second] - better[first]) >= -1e-12).all()


TWO, SEVERAL, NUMBER = ["no", "yes"], ["a", "b", "c"], list[str]()
HEADS = {
    2: Points([[3], [-2]], [0], cutoff=1, probabilities=[(0, 0.1), (3, 0.7)]),
    3: Points([[3, 0, 0], [0, 1, -2]], [0, 0, 0], offsets=[0, 0, 0]),
    0: Points([[3], [-2]], [4], step=0.5),
}


def make_card(classes, **changes):
    """Points for `age > 41`, and for `age > 41 and pay <= 1000`."""
    level = Level([Rule([Literal(0)]), Rule([Literal(0), Literal(1)])], ())
    tests, columns = [Interval("age", 41), Interval("pay", high=1000)], [Column("age"), Column("pay")]
    return RuleNetwork(columns, tests, [level], classes, head=replace(HEADS[len(classes)], **changes))


@pytest.mark.parametrize(
    ("classes", "policy", "text"),
    [
        (TWO, {"better": "yes", "monotone": {"age": "up"}},
         "proved: as age rises, the score, the probability of yes and the decision never get worse (no < yes) (on all "
         "possible rows)"),
        (TWO, {"better": "no", "monotone": {"pay": {"direction": "down", "missing": "lowest"}}},
         "refuted: as pay rises, the score, the probability of no and the decision never get better (yes < no), where "
         "a missing value is the lowest (by a possible row)\n"
         "  a made-up row:\n"
         "    age = 42, pay = 1000\n"
         "      is yes: the score 1, a probability of yes of 10.0%: base 0, +3 from age > 41, -2 from age > 41 and pay "
         "<= 1000\n"
         "    age = 42, pay is missing\n"
         "      is yes: the score 3, a probability of yes of 70.0%: base 0, +3 from age > 41"),
        (SEVERAL, {"order": ["c", "b", "a"], "independent": ["pay"]},
         "refuted: neither the differences of scores nor the probabilities nor the decision depend on pay (by a "
         "possible row)\n"
         "  a made-up row:\n"
         "    age = 42, pay = 1000\n"
         "      is a: the scores a 3, b 1, c -2, a probability of a of 87.6%: base 0, 0, 0, a +3 from age > 41, b +1, "
         "c -2 from age > 41 and pay <= 1000\n"
         "    age = 42, pay = 1001\n"
         "      is a: the scores a 3, b 0, c 0, a probability of a of 90.9%: base 0, 0, 0, a +3 from age > 41"),
        (SEVERAL, {"order": ["c", "b", "a"], "monotone": {"age": "up"}},
         "proved: as age rises, the scores of better classes against worse ones, their probabilities together and the "
         "decision never get worse (c < b < a) (on all possible rows)"),
        (NUMBER, {"monotone": {"age": "up"}},
         "proved: as age rises, the prediction never falls (on all possible rows)"),
        (NUMBER, {"bounds": [{"least": 2, "most": 3}]},
         "refuted: every prediction is at least 2 and at most 3 (by a possible row)\n"
         "  a made-up row:\n"
         "    age = 42, pay = 1001\n"
         "      is 3.5: 3.5: base 2.0, +1.5 from age > 41"),
        (NUMBER, {"locked": [{"rule": "age > 41", "points": 2}]},
         "refuted: the card has the rule: age > 41, with +2 points (the rule has +3 points)"),
        (TWO, {"locked": [{"rule": "age > 41", "class": "no"}]},
         "refuted: no has the rule: age > 41 (no has no such rule with points in its favour)"),
        (TWO, {"banned": [{"rule": "age > 20", "class": "no"}]},
         "refuted: no rule of no lies inside: age > 20 (this rule does: age > 41 and pay <= 1000)"),
        (TWO, {"max_edges": 5}, "proved: at most 5 edges (read off the rules)"),
    ],
)  # fmt: skip
def test_a_verdict_says_what_is_proved(classes, policy, text):
    assert str(make_card(classes).prove(Policy.of(**policy))) == text


@pytest.mark.parametrize(
    ("classes", "policy", "message"),
    [
        (TWO, {"default": "no"}, "default: the rules of a scorecard belong to no class; take the clause out"),
        (TWO, {"min_precision": 0.5}, "min_precision: the rules of a scorecard belong to no class; take"),
        (SEVERAL, {"bounds": [{"most": 5}]}, "bounds.always: of several classes, a score means something only against"),
        (SEVERAL, {"locked": [{"rule": "age > 41", "points": 5}]},
         "locked.age > 41: points for 1 scores, and there are 3; give so many"),
        (TWO, {"locked": [{"rule": "age > 41", "mode": "decides"}]},
         "locked.age > 41: 'class' is missing; say which class is answered where the rule holds"),
        (NUMBER, {"fair": [{"column": "sex", "positive": "f", "bound": 0.1}]},
         "fair.sex.positive_rate: a number is predicted, and there are no classes; use `bounds` instead"),
        (NUMBER, {"order": ["a", "b"], "monotone": {"age": "up"}},
         "monotone.age: there is no class 'a'; a number is predicted"),
        (TWO, {"bounds": [{"if": "cash > 5", "most": 5}]}, "bounds.cash > 5: in the rule 'cash > 5', at character 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_of_a_card_is_told(classes, policy, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        make_card(classes).prove(Policy.of(**policy))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"bounds": [{"most": 5}]}, "bounds.always: only a scorecard has points and scores; take the clause out"),
        ({"locked": [{"rule": "age > 41", "class": "yes", "points": 5}]},
         "locked.age > 41: only a scorecard has points and scores; take the clause out"),
        ({"locked": [{"rule": "age > 41"}]}, "locked.age > 41: 'class' is missing; say which class the rule is of"),
        ({"banned": [{"rule": "age > 41"}]}, "banned.age > 41: 'class' is missing; say which class the rule is of"),
    ],
)  # fmt: skip
def test_what_can_only_be_asked_of_a_card_is_told(policy, message):
    network = RuleNetwork([Column("age")], [], [Level([], [Concept(), Concept()])], ["no", "yes"])
    with pytest.raises(InputError) as error:
        network.prove(Policy.of(**policy))
    assert str(error.value) == message


def test_cards_with_concepts_are_refused_by_name():
    level = Level([Rule([Literal(0)])], [Concept([0])])
    card = make_card(TWO)
    deep = replace(card, levels=(level, Level([Rule([Literal(0)]), Rule([Literal(0, True)])], ())))
    with pytest.raises(InputError, match="the proof of policies knows scorecards of one level"):
        deep.prove(Policy.of(bounds=[{"most": 9}]))


def test_too_little_work_is_undecided():
    proof = make_card(TWO).prove(Policy.of(bounds=[{"most": 2}]), work=1)
    assert (proof.outcome, proof.verdicts[0].reason) == ("undecided", "not decided: too large")


@pytest.mark.parametrize("digits", range(3))
def test_bounds_of_powers_of_e_leave_room_for_rounding(digits):
    """The bound is a prediction, or one unit of its last digit beside it: neither is proved, and neither refuted."""
    card = make_card(NUMBER, step=0.1, link="log")
    largest = float(card.predict([{"age": 50, "pay": 2000}])[0])
    near = [np.nextafter(largest, 0), largest, np.nextafter(largest, np.inf)][digits]
    outcome = card.prove(Policy.of(bounds=[{"most": near}])).outcome
    assert outcome == ("refuted" if near < largest else "undecided")
    assert card.prove(Policy.of(bounds=[{"least": 1.3, "most": largest * 1.001}])).proved
    assert card.prove(Policy.of(bounds=[{"most": largest * 0.999}])).outcome == "refuted"


def test_least_rows_of_a_number_are_counted():
    card, rows = make_card(NUMBER), [{"age": age, "pay": 2000 * (age > 60)} for age in (50, 60, 70, 20)]
    assert card.prove(Policy.of(min_rows=2), data=rows, labels=[1.5, 2.5, 3.0, 4.0]).proved
    assert card.prove(Policy.of(min_rows=3), data=rows, labels=[1.5, 2.5, 3.0, 4.0]).outcome == "refuted"
