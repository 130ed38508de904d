"""The counterfactual of a scorecard is the smallest change across the cut-off: brute force finds no smaller one."""

from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.explain.counterfactual import find_counterfactual, has_answer
from conceptrules.model import Column, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.derived import Relation, make_derived
from tests.explain.test_score_explanation import CARD
from tests.strategies import number_cards, scorecards

HEAD = Points([[3], [-2], [0]], [1], step=100)
NUMBER = replace(CARD, classes=(), head=HEAD, target="price")
FIGURES = [Column("age"), Column("debt")]


def smallest_change(card: RuleNetwork, row: list[bool], fixed: str, reaches) -> int | None:
    """Return the fewest columns to change, by trying all rows that there can be."""
    free = [place for place, column in enumerate(card.columns) if column.name != fixed]
    for count in range(1, len(free) + 1):
        for places in combinations(free, count):
            changed = [value != (place in places) for place, value in enumerate(row)]
            if reaches(card.predict([changed])[0]):
                return count
    return None


@given(st.data(), st.booleans())
def test_nothing_smaller_changes_the_answer(data: st.DataObject, number: bool):
    card = data.draw((number_cards() if number else scorecards()).filter(lambda made: len(made.columns) in range(1, 6)))
    row = [bool(bit) for bit in data.draw(st.sampled_from(list(product([0, 1], repeat=len(card.columns)))))]
    fixed = data.draw(st.sampled_from(["x0", "x1", "x9"]))
    answer = card.predict([row]).tolist()[0]
    if number:
        to = f"{data.draw(st.sampled_from(['>=', '<=', '>', '<']))} {answer * data.draw(st.floats(0.2, 3)) + 0.125!r}"
        if has_answer(card, answer, to):
            return
    else:
        to = data.draw(st.sampled_from([None, *card.classes]).filter(lambda label: label != answer))
    result = find_counterfactual(card, row, fixed=[fixed] * (fixed in {c.name for c in card.columns}), to=to)
    expected = smallest_change(
        card, row, fixed, lambda new: has_answer(card, new, to) if to is not None else new != answer
    )
    if expected is None:
        assert result is None
        return
    assert result.proved
    assert len(result.changes) == result.at_least == expected
    changes = {change.column: change.example for change in result.changes}
    changed = [changes.get(column.name, value) for column, value in zip(card.columns, row, strict=True)]
    assert card.predict([changed])[0] == result.label
    assert fixed not in changes


def test_a_number_is_asked_for():
    text = str(NUMBER.explain([20, 2000], to=">= 300"))
    assert "price is -100" in text
    assert "counterfactual: 400 if\n  age > 41 (such as 42) instead of age = 20\n  debt <= 1000" in text
    nothing = NUMBER.explain([20, 2000], to="> 400")
    assert nothing.counterfactual is None
    assert str(nothing).endswith("Nothing that the row could say gives a number > 400; this is proved.")
    assert "counterfactual" not in str(NUMBER.explain([20, 2000]))
    assert NUMBER.explain([20, 2000], to="< -100").counterfactual is None


@pytest.mark.parametrize(
    ("card", "to", "message"),
    [
        (NUMBER, 300, "to is 300; say what the number is to be, such as '>= 300'"),
        (NUMBER, ">= many", "to is '>= many'; say what the number is to be"),
        (NUMBER, ">= nan", "say what the number is to be"),
        (NUMBER, "< 300", "the row gets -100 already, which is < 300"),
        (NUMBER, None, "to is None; say what the number is to be"),
        (CARD, "badd", "to='badd' is not a class of the network; did you mean 'bad'?"),
        (CARD, "good", "the row gets the class 'good' already"),
    ],
)
def test_what_cannot_be_asked(card, to, message):
    with pytest.raises(InputError) as error:
        find_counterfactual(card, [20, 2000], to=to)
    assert message in str(error.value)


def test_large_cards_are_searched_within_the_limit():
    columns = [Column(f"x{number}") for number in range(20)]
    tests = [Interval(column.name, cut) for column in columns for cut in (1, 2)]
    rules = Level([Rule([Literal(number)]) for number in range(40)], ())
    head = Points([[number % 7 + 1] for number in range(40)], [0], cutoff=60, probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, tests, [rules], ["a", "b"], head=head)
    result = find_counterfactual(card, [0] * 20)
    spread = sorted((2 * number % 7 + (2 * number + 1) % 7 + 2 for number in range(20)), reverse=True)
    fewest = next(count for count in range(1, 21) if sum(spread[:count]) >= 60)
    assert result.at_least <= fewest <= len(result.changes)


def test_a_part_of_a_ratio_changes():
    own = [Column("debt"), Column("income")]
    ratio = make_derived(Relation("debt", "/", "income"), own)
    head = Points([[3]], [0], cutoff=2, probabilities=[(0, 0.1), (3, 0.6)])
    level = Level([Rule([Literal(0)])], ())
    card = RuleNetwork([*own, ratio], [Interval(ratio.name, 0.5)], [level], ["a", "b"], head=head)
    explanation = card.explain([3, 4])
    assert explanation.label == "b"
    assert "debt = 2 instead of debt = 3" in str(explanation)
    assert "income = 6 instead of income = 4" in str(card.explain([3, 4], fixed=["debt"]))
    assert find_counterfactual(card, [3, 4], fixed=["debt", "income"]).changes == ()
    assert card.contributions([[3, 4]]).values.tolist() == [[0, 0, 3]]
    assert card.reasons([[3, 4]]).to_list() == ["debt / income > 0.5 (-3)"]
    assert card.explain([3, 4], to="a").counterfactual.label == "a"
