"""Counterfactuals change what relations and words are worked out from."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.explain.counterfactual import find_counterfactual
from conceptrules.explain.explanation import explain
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.derived import Length, Mention, Relation, find_spans, list_sources, make_derived, normalise_text
from conceptrules.model.predicate import Equals, Missing

OWN = (Column("a", missing=True), Column("b"), Column("c"), Column("note", "text"))
DERIVATIONS = [
    Relation("a", "-", "b"),
    Relation("b", "/", "a"),
    Relation("a", "<", "b"),
    Mention("note", ("refund",)),
    Mention("note", ("no", "not good")),
    Length("note"),
]
COLUMNS = (*OWN, *(make_derived(each, list_sources(each, OWN)) for each in DERIVATIONS))
NUMERIC = [
    *(Interval(name, low=cut) for name in ("a", "b", "c", "a - b", "b / a") for cut in (0.0, 1.5)),
    Equals("a < b", True),
    Missing("a"),
    Missing("b / a"),
]
TEXTUAL = [*(Equals(column.name, True) for column in COLUMNS[-3:-1]), Interval("length of note", high=12.0)]
TESTS = [*NUMERIC, *TEXTUAL]
NUMBERS = [None, -2.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0, 40.0]
NOTES = st.lists(st.sampled_from(["No", "not", "GOOD", "refund", "é", "😀!"]), max_size=5).map(" ".join) | st.none()
ROWS = st.fixed_dictionaries(
    {"a": st.sampled_from(NUMBERS), "b": st.sampled_from(NUMBERS[1:]), "c": st.sampled_from(NUMBERS[1:]), "note": NOTES}
)


def rules_of(tests: int) -> st.SearchStrategy[list[list[Literal]]]:
    literals = st.builds(Literal, st.integers(0, tests - 1), st.booleans())
    return st.lists(st.lists(literals, min_size=1, max_size=3, unique=True), min_size=1, max_size=3)


def make_network(rules: list[list[Literal]]) -> RuleNetwork:
    level = Level(tuple(Rule(tuple(rule)) for rule in rules), (Concept(tuple(range(len(rules)))), Concept()))
    return RuleNetwork(COLUMNS, TESTS, (level,), ("yes", "no"), default="no")


@settings(max_examples=60)
@given(rules_of(len(TESTS)), ROWS)
def test_the_changed_row_gets_the_answer(rules: list[list[Literal]], row: dict[str, Any]) -> None:
    network = make_network(rules)
    counterfactual = find_counterfactual(network, row)
    if counterfactual is None or not counterfactual.changes:
        return
    changed = row | {change.column: change.example for change in counterfactual.changes}
    assert network.predict([changed]).tolist() == [counterfactual.label] != network.predict([row]).tolist()
    words = (normalise_text(text or "").split() for text in (changed["note"], row["note"]))
    assert set(next(words)) <= set(next(words))
    assert str(explain(network, row))


@settings(max_examples=40)
@given(rules_of(len(NUMERIC)), ROWS)
def test_no_change_of_one_column_is_left_out(rules: list[list[Literal]], row: dict[str, Any]) -> None:
    network = make_network(rules)
    counterfactual = find_counterfactual(network, row)
    if counterfactual is not None and counterfactual.at_least < 2:
        return
    grid = sorted({x for cut in (0, 0.5, 1.5, 2, 6, 60, 500) for x in (cut, -cut, cut + 0.01, -cut - 0.01)})
    rows = [row | {name: value} for name, value in itertools.product("abc", grid)] + [row | {"a": None}]
    assert set(network.predict(rows).tolist()) == {network.predict([row]).tolist()[0]}


@given(st.lists(st.sampled_from(["No", "not", "GOOD", " ", "-", "é", "good"])).map("".join))
def test_spans_are_where_terms_are_mentioned(text: str) -> None:
    spans = find_spans(text, ["not good", "good"])
    assert bool(spans) == (" good " in normalise_text(text))
    ends = [end for span in spans for end in span]
    assert ends == sorted(ends)
    assert all(
        normalise_text(text[start:end]).strip() in ("good", "not good", "not good good")
        or set(normalise_text(text[start:end]).split()) <= {"not", "good"}
        for start, end in spans
    )


def test_an_explanation_marks_the_words_of_the_text() -> None:
    network = make_network([[Literal(len(NUMERIC))], [Literal(len(NUMERIC) + 1)]])
    text = str(network.explain({"a": 1, "b": 1, "c": 1, "note": "It was NOT good; no... REFUND, refunds"}))
    assert "note: It was [NOT good]; [no]... [REFUND], refunds" in text
    assert 'no if\n  note without "NOT good" and "no" and "REFUND" instead of' in text
    assert "no text is invented" in text
