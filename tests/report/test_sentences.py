"""The sentence that says how a model decides."""

import pytest

from conceptrules import audit
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.report.sentences import three_sentences

WINS = "where those of several classes hold, the first of {} wins, and where none holds the answer is c."


@pytest.mark.parametrize(
    ("owned", "said"),
    [
        ({"a": 0}, "The answer is a if one rule holds, and c for everything else."),
        ({"a": 0, "b": 1}, "There are rules for a and b; " + WINS.format("these")),
        ({"a": 0, "b": 1, "c": 2}, "Each class has rules of its own; " + WINS.format("a, b and c")),
    ],
)
def test_classes_without_rules_are_said_to_have_none(owned: dict[str, int], said: str) -> None:
    tests = [Interval("x", high=cut) for cut in (1, 2, 3)]
    concepts = [Concept([owned[name]] if name in owned else []) for name in "abc"]
    level = Level([Rule([Literal(place)]) for place in range(3)], concepts)
    network = RuleNetwork([Column("x")], tests, [level], list("abc"), default="c")
    assert three_sentences(network, audit(network))[1] == said
