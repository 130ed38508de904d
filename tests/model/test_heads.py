import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import conceptrules
from conceptrules.explain.explanation import list_rule_texts
from conceptrules.io.model_file import dumps, loads
from conceptrules.logic.canonical import sort_nodes
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.content_hash import content_hash
from conceptrules.model.heads import MAX_SCORE

COLUMNS = [Column("age"), Column("debt")]
PREDICATES = [Interval("age", 41), Interval("debt", 1000, 5000)]
RULES = [Rule([Literal(0)]), Rule([Literal(1, negated=True)]), Rule([Literal(0), Literal(1)])]
TABLE = [(-3, 0.1), (2, 0.4), (5, 0.4)]
TWO = Points([[3], [-2], [0]], [1], cutoff=2, probabilities=TABLE)
SEVERAL = Points([[3, 0, 1], [0, 0, 0], [-1, 2, 0]], [0, 0, 1], unit=0.5, offsets=[0, 0, -1])
CARD = RuleNetwork(COLUMNS, PREDICATES, [Level(RULES, ())], ["good", "bad"], head=TWO)


def test_points_are_plain_whole_numbers_and_a_value() -> None:
    made = Points(np.array([[3], [-2], [0]]), (np.int64(1),), cutoff=np.int8(2), probabilities=TABLE)
    assert made == TWO
    assert hash(made) == hash(TWO)
    assert type(made.points[0][0]) is int
    assert (made.outputs, made.edges, made.bounds) == (1, 2, ((-1, 4),))
    assert (SEVERAL.outputs, SEVERAL.edges) == (3, 4)


def test_edges_count_literals_and_points() -> None:
    assert CARD.edges == 4 + 2
    assert replace(CARD, classes=("a", "b", "c"), head=SEVERAL).edges == 4 + 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": [[1.5], [2], [0]]}, r"points must be whole numbers, got \[1.5\]"),
        ({"points": [[1], [2, 3], [0]]}, "rule 1 has points for 2 outputs, the base is for 1"),
        ({"points": [[MAX_SCORE], [1], [0]]}, "points of output 0 add up to more than 2147483647"),
        ({"cutoff": 2**40}, "at most 2147483647 from 0"),
        ({"unit": 0}, "unit is 0.0; it must be positive and at most 1,000,000"),
        ({"unit": float("nan")}, "unit is nan"),
        ({"offsets": [1, 2]}, "there are 2 offsets for 1 scores"),
        ({"probabilities": [(0, 0.5), (1, 0.4)]}, "may not fall: it is 0.5 from 0 on, 0.4 from 1 on"),
        ({"probabilities": [(1, 0.5), (1, 0.6)]}, "list the scores ascending"),
        ({"probabilities": [(1, 1.5)]}, "from 0 to 1"),
        ({"probabilities": [(1, float("nan"))]}, "from 0 to 1"),
    ],
)
def test_bad_points_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(TWO, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"head": replace(TWO, points=[[1]])}, "points for 1 rules, the last level has 3"),
        ({"head": SEVERAL}, "2 classes need a base of 1 numbers, got 3"),
        ({"head": replace(TWO, probabilities=())}, "a cut-off and a table of probabilities for two classes"),
        ({"head": replace(TWO, offsets=[1])}, "one for each class, for several classes, and neither for two"),
        ({"classes": ["a"]}, "at least two classes"),
        ({"classes": ["a", "a"]}, "classes must differ"),
        ({"classes": ["a", "b", "c"], "head": replace(SEVERAL, offsets=())}, "a unit and offsets"),
        ({"classes": ["a", "b", "c"], "head": replace(SEVERAL, cutoff=1)}, "a cut-off and a table"),
        ({"head": replace(TWO, unit=2)}, "a unit and offsets"),
        ({"levels": [Level(RULES, [Concept(), Concept()])]}, "a scorecard has no concepts"),
        ({"default": "bad"}, "no priority and no default"),
        ({"priority": ["bad", "good"]}, "no priority and no default"),
    ],
)
def test_a_head_has_to_fit_its_network(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(CARD, **changes)


def test_the_hash_and_equality_see_all_of_a_head() -> None:
    heads = [TWO, replace(TWO, cutoff=3), replace(TWO, base=[0]), replace(TWO, points=[[3], [-2], [1]])]
    heads += [replace(TWO, probabilities=[(0, 0.5)])]
    cards = [replace(CARD, head=head) for head in heads]
    assert len(set(cards)) == len(set(map(content_hash, cards))) == len(cards)


def test_sorted_rules_keep_their_points() -> None:
    order = [2, 0, 1]
    mixed = replace(
        CARD,
        levels=[Level([RULES[i] for i in order], ())],
        head=replace(TWO, points=[TWO.points[i] for i in order]),
    )
    assert sort_nodes(mixed) == sort_nodes(CARD)


DECISION = RuleNetwork(COLUMNS, PREDICATES, [Level(RULES, [Concept([0]), Concept([1])])], ["good", "bad"])
ROWS = [{"age": 50, "debt": 2000}, {"age": 20, "debt": 0}]


@pytest.mark.parametrize(
    ("reader", "call"),
    [
        ("the comparison of all possible rows", lambda: conceptrules.implies(DECISION, CARD, "bad")),
        ("abstaining", lambda: CARD.predict(ROWS, abstain="none")),
    ],
)
def test_what_does_not_know_scorecards_says_so_by_name(reader: str, call: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=f"^{reader} does not know scorecards yet; it takes a network that decides by"):
        call()


def make_number_card(**head: Any) -> RuleNetwork:
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
    tests = [Interval("age", 41), Interval("km", 2)]
    points = Points(**{"points": [[5], [-3]], "base": [20], "step": 0.5, **head})
    return RuleNetwork([Column("age"), Column("km")], tests, [level], (), head=points, target="mpg")


def test_a_head_with_a_step_predicts_the_score_times_the_step() -> None:
    card = make_number_card()
    answers = card.predict([{"age": 50, "km": 1}, {"age": 50, "km": 3}, {"age": 1, "km": 3}])
    assert answers.dtype == np.float64
    assert answers.tolist() == [12.5, 11.0, 8.5]
    assert loads(dumps(card)) == card
    assert content_hash(card) != content_hash(make_number_card(step=0.25))
    assert str(card).splitlines()[2:] == [
        "             mpg",
        "base       +10.0",
        "age  > 41   +2.5",
        "km   > 2    -1.5",
    ]
    explained = card.explain({"age": 50, "km": 3})
    assert explained.label == 11.0
    assert explained.lines[1:] == [["base", "+10.0"], ["age > 41", "+2.5"], ["km > 2", "-1.5"], ["mpg", "11.0"]]


def test_with_the_log_link_rules_multiply() -> None:
    card = make_number_card(step=0.05, link="log", base=[-40])
    answers = card.predict([{"age": 50, "km": 1}, {"age": 50, "km": 3}, {"age": 1, "km": 1}])
    assert answers.tolist() == pytest.approx([math.exp(-1.75), math.exp(-1.9), math.exp(-2)], rel=1e-15)
    assert loads(dumps(card)) == card
    assert content_hash(card) != content_hash(make_number_card(step=0.05, base=[-40]))
    assert str(card).splitlines() == [
        "2 rules, 4 edges. The base times the factors of all lines that hold is mpg; factors are powers of exp(0.05) = "
        "1.05. No row gets less than about 0.116 or more than about 0.174.",
        "",
        "               mpg",
        "base         0.135",
        "age  > 41   x 1.28",
        "km   > 2   x 0.861",
    ]
    explained = card.explain({"age": 50, "km": 3})
    assert explained.sentence == "mpg is 0.150: the lines that hold multiply to it."
    assert explained.lines[1:] == [["base", "0.135"], ["age > 41", "x 1.28"], ["km > 2", "x 0.861"], ["mpg", "0.150"]]
    assert list_rule_texts(card, [{"age": 50, "km": 3}]) == ["base: 0.135; age > 41: x 1.28; km > 2: x 0.861"]
    assert card.reasons([{"age": 50, "km": 3}]).to_list() == ["km > 2 (x 0.861)"]
    assert "x 1.28" in card._repr_html_()


@pytest.mark.parametrize(
    ("head", "match"),
    [
        ({"step": 0.0}, "must be positive"),
        ({"step": 1e300}, "finite"),
        ({"link": "logit"}, "link is 'logit'; use 'identity' or 'log'"),
        ({"link": "log", "step": None}, "the log link is for heads that predict a number"),
        ({"link": "log", "step": 30.0}, "at most 700 from 0, and a score of 25 with a step of 30.0 is beyond it"),
        ({"cutoff": 3}, "no cut-off"),
        ({"probabilities": [(0, 0.5)]}, "no cut-off"),
    ],
)
def test_heads_that_predict_a_number_are_checked(head: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        make_number_card(**head)


def test_readers_of_classes_refuse_a_network_that_predicts_a_number() -> None:
    card, rows = make_number_card(), [{"age": 50, "km": 1}]
    readers: list[Callable[[], object]] = [
        lambda: card.predict_proba(rows),
        lambda: card.predict(rows, abstain="none"),
    ]
    for read in readers:
        with pytest.raises(InputError, match="does not know"):
            read()
    assert [[rule.text for rule in held] for held in card.fired(rows)] == [["age > 41"]]
