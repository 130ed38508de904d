"""A scorecard as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from conceptrules import InputError
from conceptrules.model.card import read_card
from tests.report.test_card_report import CARD, CARDS
from tests.strategies import measured_scorecards, number_cards


@given(measured_scorecards(odd=True) | number_cards())
@settings(max_examples=25)
def test_every_rule_is_drawn_with_its_points(card):
    picture = ElementTree.fromstring(card.draw(fold=None).text)
    groups = [node for node in picture.iter() if node.get("data-node")]
    assert len({node.get("data-node") for node in groups}) == len(groups) == 1 + len(card.head.points)
    bars = sum("amount" in node.get("class", "") for node in picture.iter())
    shown = read_card(card)
    if len(shown.headings) >= len(shown.outputs):
        assert bars == sum(points != 0 for row in card.head.points for points in row)


def test_what_is_folded_is_counted():
    text = CARD.draw(fold=2).text
    assert "and 2 more rules with 5 edges" in text
    assert text.count("<g class=") == 2


def test_a_class_of_several_is_drawn_alone():
    assert CARDS["several"].draw("b").text.count("<g class=") == 3
    with pytest.raises(InputError, match="nobody"):
        CARDS["several"].draw("nobody")
