"""The model card says what the audit knows, admits what nobody said, and takes every name for text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from conceptrules import ConceptRuleClassifier, InputError, Policy, datasets
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval
from conceptrules.report.model_card import model_card

NAME = "<script>|*x*`"


@pytest.fixture(scope="module")
def wine():
    return datasets.load("wine")


@pytest.fixture(scope="module")
def clf(wine):
    rows = list(range(0, len(wine.y), 2))
    return ConceptRuleClassifier(effort="fast", random_state=0).fit(wine.X.take(rows), wine.y[rows])


def small(name: str = "age", rules: int = 1) -> RuleNetwork:
    tests = [Interval(name, cut) for cut in range(rules)]
    level = Level([Rule([Literal(number)]) for number in range(rules)], [Concept(tuple(range(rules))), Concept()])
    return RuleNetwork([Column(name)], tests, [level], ["old", "young"], default="young")


def test_the_card_has_the_figures_of_the_rows_that_it_is_given(clf, wine):
    rows = list(range(1, len(wine.y), 2))
    X, y = wine.X.take(rows), wine.y[rows]
    text = str(clf.model_card(X, y, title="Wine", intended_use="To taste.", owner="the cellar"))
    assert text.startswith("# Wine\n\n## Model details\n")
    for part in ("the cellar", "To taste.", f"| accuracy | {clf.score(X, y):.3f} |", "89 rows", "Held out."):
        assert part in text
    assert all(f"    {line}".rstrip() in text for line in str(clf.network_).splitlines())


def test_the_columns_of_the_table_are_counted(clf, wine):
    used = len(clf.network_.used_columns)
    text = str(clf.model_card())
    assert "89 rows with 13 columns." in text
    assert f"No rule asks about {13 - used} of the 13 columns." in text


def test_a_network_that_was_selected_is_not_called_the_best(clf):
    smallest = ConceptRuleClassifier.from_network(clf.frontier_[0].network)
    for card in (clf.model_card(), smallest.model_card()):
        assert "was chosen by scores on 18 rows" in str(card)
        assert "the best" not in str(card)


def test_what_nobody_said_is_admitted(clf):
    text = clf.model_card().markdown()
    assert "Not stated. Whoever puts the model to use should say it here." in text
    assert "No rows were given to test the model on." in text
    assert "accuracy" not in text
    assert "How the model was learned was not recorded." in str(model_card(small(), title="By hand"))


def test_rows_that_were_learned_from_are_told(clf, wine):
    rows = list(range(0, len(wine.y), 2))
    assert "test it on others" in str(clf.model_card(wine.X.take(rows), wine.y[rows]))


def test_verdicts_on_a_policy_are_in_the_card():
    policy = Policy.of(order=["young", "old"], monotone={"age": "up"})
    text = str(model_card(replace(small(), policy=policy), title="Policy"))
    assert "## Policy" in text
    assert "| undecided |" in text


def test_names_are_text():
    card = model_card(small(NAME), title=NAME)
    assert "<script" not in card.html()
    assert "<script" not in MarkdownIt("commonmark").enable("table").render(card.markdown())


def test_many_rules_are_counted_and_not_shown():
    assert "There are 41 rules, too many for a card" in str(model_card(small(rules=41), title="Many"))


def test_a_card_is_written_as_its_name_says(tmp_path, clf):
    card = clf.model_card()
    card.save(tmp_path / "card.md")
    card.save(tmp_path / "card.html")
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == str(card)
    page = (tmp_path / "card.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert card._repr_html_() in page
    with pytest.raises(InputError, match=r"ends in \.md or \.html"):
        card.save(tmp_path / "card.pdf")
