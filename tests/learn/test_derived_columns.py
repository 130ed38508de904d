"""Learning from relations between columns and from words in text, the same from memory and from files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules import ConceptRuleClassifier, Policy, ScorecardClassifier, load
from conceptrules.binarize import Binarizer
from conceptrules.io.model_file import dumps
from conceptrules.learn import coding
from conceptrules.model.derived import Mention
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.policy import Forbidden, LeastRows, Monotone
from conceptrules.tables.files import chunks

RELATIONS = [("debt", "/", "income"), ("paid", "<", "due")]


@pytest.fixture(scope="module")
def loans() -> pd.DataFrame:
    """A loan is bad if the debt is high against the income, or the note speaks of a lawyer."""
    rng = np.random.default_rng(0)
    debt, income = rng.integers(1, 50, 400).astype(float), rng.integers(0, 100, 400).astype(float)
    words = np.array(["paid", "on", "time", "call", "back", "lawyer"])
    notes = [" ".join(rng.choice(words[: 6 if rng.random() < 0.2 else 5], 3)) for _ in range(400)]
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, (2, 400)).ravel(), unit="D")
    bad = (debt > 0.5 * income) | np.array(["lawyer" in note for note in notes])
    columns = {"debt": debt, "income": income, "note": notes, "paid": days[:400], "due": days[400:]}
    return pd.DataFrame(columns).assign(y=np.where(bad, "bad", "good"))


def learn(estimator: type, table: Any, y: Any) -> Any:
    return estimator(
        effort="fast", random_state=0, n_jobs=1, kinds={"note": "text"}, relations=RELATIONS, max_edges=12
    ).fit(table, y)


@pytest.fixture(scope="module")
def classifier(loans: pd.DataFrame) -> ConceptRuleClassifier:
    fitted: ConceptRuleClassifier = learn(ConceptRuleClassifier, loans.drop(columns="y"), loans["y"])
    return fitted


def test_rules_ask_for_the_ratio_and_for_the_word(loans: pd.DataFrame, classifier: ConceptRuleClassifier) -> None:
    text = str(classifier.network_)
    assert "debt / income <= 0.5" in text
    assert 'note does not mention "lawyer"' in text
    assert classifier.score(loans.drop(columns="y"), loans["y"]) > 0.97
    # Only what rules ask for is worked out for a prediction, and nothing is asked of a table but its own columns.
    asked = {column.name for column in classifier.network_.columns if column.derivation is not None}
    assert asked <= set(classifier.network_.used_columns)
    assert classifier.feature_names_in_.tolist() == ["debt", "income", "note", "paid", "due"]


def test_one_row_and_a_saved_model_answer_the_same(
    loans: pd.DataFrame, classifier: ConceptRuleClassifier, tmp_path: Any
) -> None:
    classifier.save(tmp_path / "model.json")
    network, rows = load(tmp_path / "model.json"), loans.drop(columns="y")
    expected = classifier.predict(rows).tolist()
    assert network.predict(rows).tolist() == expected
    assert [network.predict(rows.iloc[[row]]).tolist()[0] for row in range(20)] == expected[:20]


@pytest.mark.parametrize("estimator", [ConceptRuleClassifier, ScorecardClassifier])
def test_files_give_the_network_of_memory(
    estimator: type, loans: pd.DataFrame, tmp_path: Any, monkeypatch: Any
) -> None:
    loans.to_parquet(tmp_path / "loans.parquet")
    monkeypatch.setattr(coding, "IN_MEMORY", 0)
    monkeypatch.setattr(chunks, "CELLS", 400)
    from_files = learn(estimator, tmp_path / "loans.parquet", "y").network_
    assert dumps(from_files) == dumps(learn(estimator, loans.drop(columns="y"), loans["y"]).network_)


def test_a_card_says_what_a_text_mentions(loans: pd.DataFrame) -> None:
    card = learn(ScorecardClassifier, loans.drop(columns="y"), loans["y"]).network_
    tests = {card.predicates[rule.literals[0].index] for rule in card.levels[0].rules if len(rule.literals) == 1}
    mentions = {column.name for column in card.columns if isinstance(column.derivation, Mention)}
    assert mentions
    assert all(test.value for test in tests if test.column in mentions)


def test_terms_are_chosen_by_what_they_tell() -> None:
    notes = ["refund please", "no refund", "thank you", "you rock"] * 10
    binarizer = Binarizer({"note": "text"}).fit([{"note": note} for note in notes], ["a", "a", "b", "b"] * 10)
    derived = [column.derivation for column in binarizer.columns_ if isinstance(column.derivation, Mention)]
    # What "please" says, "refund please" says as well; and every term is one of the rows.
    assert [mention.terms[0] for mention in derived] == ["refund", "you", "no", "please", "rock", "thank"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"relations": [("debt", "/", "incom")]}, "'incom', which is not in the table; did you mean 'income'"),
        ({"relations": [("debt", "*", "income")]}, "one of -, /, <"),
        ({"relations": ["debt / income"]}, "such as"),
        ({"relations": [("note", "-", "income")]}, "needs numbers, dates or durations"),
        ({"relations": [("paid", "/", "due")]}, "two numbers or two durations divided"),
        ({"kinds": {"debt": "text"}}, "debt' is of the kind text, but row 0 holds 42.0"),
    ],
)
def test_bad_relations_and_texts_are_refused(loans: pd.DataFrame, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ConceptRulesError, match=message):
        ConceptRuleClassifier(effort="fast", **parameters).fit(loans.drop(columns="y"), loans["y"])


def test_policies_that_rules_alone_decide_are_kept(loans: pd.DataFrame) -> None:
    policy = Policy((LeastRows(30), Forbidden("due")))
    clf = ConceptRuleClassifier(effort="fast", random_state=0, relations=RELATIONS[:1], policy=policy)
    network = clf.fit(loans.drop(columns=["y", "note"]), loans["y"]).network_
    assert "debt / income" in network.used_columns
    assert [verdict.outcome for verdict in network.proof.verdicts] == ["proved", "proved"]
    asked = network.prove(Policy((Forbidden("debt"), Monotone("income", "up", ("bad", "good")))))
    outcomes = {verdict.name: verdict.outcome for verdict in asked.verdicts}
    assert outcomes == {"forbidden.debt": "refuted", "monotone.income": "undecided"}


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        (Forbidden("debt"), "but the policy forbids 'debt'"),
        (Monotone("income", "up", ("bad", "good")), "cannot be kept yet together with relations or free text"),
    ],
)
def test_policies_that_do_not_go_with_relations(loans: pd.DataFrame, clause: Any, message: str) -> None:
    clf = ConceptRuleClassifier(effort="fast", relations=RELATIONS, policy=Policy((clause,)))
    with pytest.raises(ConceptRulesError, match=message):
        clf.fit(loans.drop(columns="y"), loans["y"])
