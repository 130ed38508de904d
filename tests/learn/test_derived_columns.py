"""Learning from relations between columns and from words in text, the same from memory and from files."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from conceptrules import ConceptRuleClassifier, Policy, ScorecardClassifier, ScorecardRegressor, load
from conceptrules.binarize import Binarizer
from conceptrules.io.model_file import dumps
from conceptrules.learn.coding import table_coding
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
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
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
        ({"relations": ["debt income"]}, "should read like 'debt / income'"),
        ({"relations": [("debt", "/")]}, "a relation is a column, one of -, / and <, and another column"),
        ({"relations": "auto", "policy": Policy.of(relations=["debt / income"])}, "the policy names some"),
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
    assert outcomes == {"forbidden.debt": "refuted", "monotone.income": "undecided"}  # the debt may be below 0


@pytest.mark.parametrize("estimator", [ConceptRuleClassifier, ScorecardClassifier])
@pytest.mark.parametrize("relation", [("debt", "/", "income"), ("debt", "-", "income"), ("debt", "<", "income")])
def test_what_is_learned_is_monotone_in_a_column_of_a_relation(
    estimator: type, relation: tuple[str, str, str], loans: pd.DataFrame
) -> None:
    ranges = {"debt": [0, 100], "income": [1, 200]}
    policy = Policy.of(monotone={"income": "up"}, better="good", domain={"ranges": ranges})
    clf = estimator(effort="fast", random_state=0, n_jobs=1, relations=[relation], policy=policy)
    y = np.where(loans["debt"] < loans["income"], "good", "bad")
    network = clf.fit(loans[["debt", "income"]], y).network_
    assert " ".join(relation) in network.used_columns
    assert network.proof.verdicts[0].outcome == "proved"


@pytest.mark.parametrize("estimator", [ConceptRuleClassifier, ScorecardClassifier])
def test_a_decision_that_is_independent_of_a_column_is_so_of_its_relations(
    estimator: type, loans: pd.DataFrame
) -> None:
    policy = Policy.of(independent=["income", "note"])
    network = (
        estimator(effort="fast", random_state=0, n_jobs=1, relations=RELATIONS, kinds={"note": "text"}, policy=policy)
        .fit(loans.drop(columns="y"), loans["y"])
        .network_
    )
    assert set(network.used_columns) <= {"debt", "paid", "due", "paid < due"}
    assert {verdict.outcome for verdict in network.proof.verdicts} == {"proved"}


def test_a_policy_names_relations(loans: pd.DataFrame, tmp_path: Any) -> None:
    (tmp_path / "policy.toml").write_text('relations = ["debt / income"]\n')
    policy = Policy.read(tmp_path / "policy.toml")
    clf = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1, policy=policy)
    network = clf.fit(loans[["debt", "income"]], loans["y"]).network_
    assert "debt / income" in network.used_columns
    clf.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").policy == policy


def test_a_forbidden_column_is_no_part_of_a_relation(loans: pd.DataFrame) -> None:
    clf = ConceptRuleClassifier(effort="fast", relations=RELATIONS, policy=Policy((Forbidden("debt"),)))
    with pytest.raises(ConceptRulesError, match="but the policy forbids 'debt'"):
        clf.fit(loans.drop(columns="y"), loans["y"])


@pytest.fixture(scope="module")
def scales() -> pd.DataFrame:
    """The left side goes down if it is heavier than the right one; what is noise is of another scale."""
    rng = np.random.default_rng(1)
    left, right, noise = rng.integers(1, 30, (3, 300)).astype(float)
    return pd.DataFrame({"left": left, "right": right, "noise": noise * 1e5}).assign(y=np.where(left > right, "l", "r"))


@pytest.mark.parametrize("estimator", [ConceptRuleClassifier, ScorecardClassifier, ScorecardRegressor])
def test_relations_are_taken_where_held_out_rows_are_for_them(
    estimator: type, scales: pd.DataFrame, tmp_path: Any, monkeypatch: Any
) -> None:
    y: Any = scales["y"] if estimator is not ScorecardRegressor else (scales["left"] - scales["right"]).rename("y")
    X = scales.drop(columns="y")
    make = partial(estimator, effort="fast", random_state=0, n_jobs=1, max_edges=20)
    found = make(relations="auto").fit(X, y)
    names = [trial.name for trial in found.relations_.trials]
    assert set(names) == {"left - right", "left / right"} or set(names) == {"left - right", "right / left"}
    assert "left - right" in found.relations_.taken
    assert "more than two standard errors" in str(found.relations_)
    # The fit is the one with these relations, which files and the training record know as well.
    named = make(relations=[tuple(name.split(" ")) for name in found.relations_.taken]).fit(X, y)
    assert str(found.network_) == str(named.network_)
    assert dict(found.network_.training.settings)["relations_tried"] == str(found.relations_)
    X.assign(y=y).to_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    from_files = make(relations="auto").fit(tmp_path / "rows.parquet", "y")
    assert str(from_files.network_) == str(found.network_)


def test_no_relation_is_taken_where_none_helps(scales: pd.DataFrame) -> None:
    y = np.where(scales["left"] > 15, "l", "r")
    found = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1, relations="auto").fit(scales, y)
    plain = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1).fit(scales, y)
    assert found.relations_.taken == ()
    assert str(found.network_) == str(plain.network_)
    assert plain.relations_ is None


@pytest.mark.parametrize(
    ("X", "relations", "message"),
    [("stream", "auto", "a stream can be read once; give files"), ("table", "all", r"relations is 'all'; give a list")],
)
def test_relations_that_cannot_be_looked_for(X: str, relations: str, message: str, scales: pd.DataFrame) -> None:
    table = pa.table(scales)
    with pytest.raises(ConceptRulesError, match=message):
        ConceptRuleClassifier(relations=relations).fit(table if X == "table" else table.to_reader(), "y")
