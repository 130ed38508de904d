from dataclasses import replace
from itertools import pairwise

from hypothesis import given

from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Missing, OneOf, Points, Rule
from conceptrules.model.card import amount_text, card_text, read_card
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.text import rule_text
from tests.strategies import measured_scorecards, number_cards, scorecards

COLUMNS = (Column("job", "category", ("cook", "nurse", "smith")), Column("debt", missing=True), Column("late"))
PREDICATES = (
    Interval("debt", low=43.5),
    Missing("debt"),
    Interval("debt", high=20),
    Interval("debt", 20, 30),
    OneOf("job", ("cook", "nurse")),
    Interval("late", low=0),
    Equals("job", "smith"),
)


def rule(*indices: int) -> Rule:
    return Rule(tuple(Literal(index) if index >= 0 else ~Literal(~index) for index in indices))


RULES = (rule(0), rule(5), rule(1), rule(4), rule(2), rule(3), rule(0, 4), rule(~6), rule())
HEAD = Points(
    [[5], [3], [9], [-1], [-2], [1], [2], [-1], [4]], [-3], cutoff=5, probabilities=[(-9, 0.031), (2, 0.24), (9, 0.86)]
)
CARD = RuleNetwork(
    COLUMNS, PREDICATES, (Level(RULES, ()),), (0, 1), head=HEAD, target="bad", names=(("late > 0", "was late"),)
)
COUNTED = Statistics(
    (80, 20),
    (((10, 8), (5, 5), (1, 9), (40, 2), (20, 1), (0, 0), (3, 2), (60, 11), (80, 20)),),
    scores=((-6, (40, 1)), (3, (40, 9)), (12, (0, 10))),
)


def test_the_card_of_two_classes() -> None:
    text = card_text(replace(CARD, statistics=COUNTED))
    assert (
        f"{text}\n"
        == """\
9 rules, 20 edges. The points of all lines that hold add up to the score. bad = 1 is the answer from a score of 5 on.

                                      points  rows  bad = 1
base                                      -3   100    20.0%
debt  <= 20                               -2    21     4.8%
      > 20, <= 30                         +1     0        -
      > 43.5                              +5    18    44.4%
      missing                             +9    10    90.0%
late  > 0 (was late)                      +3    10    50.0%
job   in {cook, nurse}                    -1    42     4.8%
      != smith                            -1    71    15.5%

always                                    +4   100    20.0%
debt > 43.5 and job in {cook, nurse}      +2     5    40.0%

score    chance  rows  bad = 1
up to 1    3.1%    41     2.4%
2 to 4    24.0%    49    18.4%
5 to 8    24.0%     0        -
from 9    86.0%    10   100.0%

Missing values that add more or less than any value: debt +9 (values -2 to +5). Is it
known, when you decide, why they are missing?
"""
    )


def test_the_card_of_several_classes() -> None:
    head = Points([[1, 0, -2], [0, 3, 0]], [0, 0, 7], unit=0.25, offsets=[0, -1, 0])
    card = RuleNetwork(COLUMNS, PREDICATES, (Level((rule(1), rule(5, ~1)), ()),), ("a", "b", "c"), head=head)
    assert (
        f"{card_text(card)}\n"
        == """\
2 rules, 6 edges. The points of all lines that hold add up to the score. The answer is the class with the largest \
score after these offsets: b -1. The probabilities are the softmax of 0.25 times the scores.

                                     a   b   c
base                                 0   0  +7
debt  missing                       +1      -2

not (debt is missing) and late > 0      +3

Missing values that add more or less than any value: debt +1 for a (values 0); debt -2
for c (values 0). Is it known, when you decide, why they are missing?
"""
    )


def test_a_gap_between_what_values_add_is_nothing_to_ask_about() -> None:
    head = Points([[5], [-2]], [0], cutoff=5, probabilities=[(-9, 0.1)])
    card = replace(CARD, levels=(Level((rule(0), rule(2)), ()),), head=head, names=())
    assert "Missing values" not in card_text(card)  # 5 above 43.5, -2 up to 20, and nothing else
    assert "Missing values" not in card_text(replace(card, levels=(Level((rule(5), rule(5)), ()),)))


def test_many_classes_are_listed_in_a_line() -> None:
    points = [[0] * 12]
    points[0][3], points[0][11] = 4, -5
    head = Points(points, [0] * 12, offsets=[0] * 12)
    card = RuleNetwork(COLUMNS, PREDICATES, (Level((rule(1),), ()),), "abcdefghijkl", head=head)
    assert "debt  missing  d +4, l -5" in card_text(card)


def test_a_card_without_rules_says_so() -> None:
    head = Points([], [-2], cutoff=1, probabilities=[(-2, 0.2)])
    text = card_text(RuleNetwork(COLUMNS, PREDICATES, (Level((), ()),), (0, 1), head=head))
    assert text.startswith("There are no rules: all rows have the score of the base. The answer is always 0.")
    assert "all     20.0%" in text
    text = card_text(replace(CARD, head=replace(HEAD, cutoff=-99)))
    assert "The answer is always 1." in text


def test_concepts_below_are_explained() -> None:
    first = Level((rule(0), rule(1)), (Concept((0, 1)),))
    head = Points([[5]], [0], probabilities=[(0, 0.5)])
    text = card_text(RuleNetwork(COLUMNS, PREDICATES, (first, Level((Rule((Literal(0),)),), ())), "ab", head=head))
    assert "\nC1.1      +5\n" in text
    assert text.endswith("C1.1 means any of\n  R1.1: debt > 43.5\n  R1.2: debt is missing")


def test_long_rules_take_several_lines() -> None:
    values = [f"value number {number}" for number in range(12)]
    columns = (Column("column", "category", tuple(values)),)
    head = Points([[5]], [0], probabilities=[(0, 0.5)])
    level = Level((rule(0),), ())
    lines = card_text(RuleNetwork(columns, (OneOf("column", tuple(values)),), (level,), "ab", head=head)).splitlines()
    assert max(map(len, lines[2:])) < 100
    assert lines[4].startswith("column  in {value number 0")
    assert lines[4].endswith(" +5")
    assert lines[5].startswith("          ")


def test_many_scores_make_about_ten_bands_and_the_cut_off_begins_one() -> None:
    table = [(score, score / 200) for score in range(101)]
    head = replace(HEAD, points=[[100]] + [[0]] * 8, base=[0], cutoff=37, probabilities=table)
    for statistics in (
        None,
        replace(COUNTED, rows=(153.0, 51.0), scores=tuple((s, (3.0, 1.0)) for s in range(0, 101, 2))),
    ):
        bands = read_card(replace(CARD, head=head, statistics=statistics)).bands
        assert 8 <= len(bands) <= 13
        assert (bands[0].low, bands[-1].high) == (None, None)
        assert 37 in [band.low for band in bands]
        for band, following in pairwise(bands):
            assert band.high + 1 == following.low
            assert band.least <= band.most == (band.high / 200)
        if statistics:
            assert sum(sum(band.rows) for band in bands) == 51 * 4


@given(scorecards(odd=True) | measured_scorecards(odd=True) | number_cards(odd=True))
def test_every_rule_and_its_points_are_on_the_card_once(network) -> None:
    card = read_card(network)
    lines = [*(line for group in card.groups for line in group), *card.mixed]
    assert sorted(line.rule for line in lines) == list(range(len(network.levels[-1].rules)))
    for line in lines:
        assert line.points == network.head.points[line.rule]
        words = rule_text(network, len(network.levels) - 1, line.rule)
        assert line.text == words if not line.column else line.column in words
    text = str(network)
    for points in {value for row in network.head.points for value in row if value}:
        assert amount_text(points, network.head.step, network.head.link, "+") in text
