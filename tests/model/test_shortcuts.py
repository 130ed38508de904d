"""What a network does by methods of its own is what the functions of the other rooms do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules.draw.views import draw, edited_html, explanation_html, network_html, proof_html, replayed_html
from conceptrules.edit import DropRule
from conceptrules.edit.trail import replay
from conceptrules.explain.explanation import explain, fired_rules
from conceptrules.explain.measurement import measure
from conceptrules.explain.rule_coverage import rule_frame
from conceptrules.explain.scores import evaluate
from conceptrules.export import export
from conceptrules.logic.policies.proof import prove
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.tables.prediction import predict, predict_proba

TABLE = pd.DataFrame({"age": [20, 30, 40, 25], "job": ["nurse", "cook", "cook", "cook"]})
LABELS = ["no", "no", "yes", "no"]
RULES = (Rule((Literal(0),)), Rule((Literal(1, True), Literal(2))))
NETWORK = measure(
    RuleNetwork(
        (Column("age"), Column("job", "category", ("cook", "nurse"))),
        (Interval("age", high=27), Equals("job", "nurse"), Interval("age", low=35)),
        (Level(RULES, (Concept((0,)), Concept((1,)))),),
        ("no", "yes"),
    ),
    TABLE,
    LABELS,
)
POLICY = Policy.of(max_edges=5)


def test_answers() -> None:
    assert NETWORK.predict(TABLE).tolist() == predict(NETWORK, TABLE).tolist() == LABELS
    assert NETWORK.predict(TABLE, abstain="none").tolist() == ["no", None, "yes", "no"]
    np.testing.assert_array_equal(NETWORK.predict_proba(TABLE), predict_proba(NETWORK, TABLE))


def test_the_scores_of_a_scorecard() -> None:
    columns, predicates, level = NETWORK.columns, NETWORK.predicates, Level(RULES, ())
    two = Points([[3], [-2]], [1], cutoff=2, probabilities=[(0, 0.5)])
    card = RuleNetwork(columns, predicates, (level,), ("no", "yes"), head=two)
    assert card.scores(TABLE).tolist() == [4, 1, -1, 4]
    assert card.predict(TABLE).tolist() == ["yes", "no", "no", "yes"]
    several = Points([[3, 0, 0], [0, 0, 1]], [0, 0, 0], offsets=[0, 1, 0])
    card = RuleNetwork(columns, predicates, (level,), ("a", "b", "c"), head=several)
    assert card.scores(TABLE).shape == (4, 3)
    assert card.predict(TABLE[1:3]).tolist() == ["b", "b"]
    with pytest.raises(InputError, match="only a scorecard has scores"):
        NETWORK.scores(TABLE)


def test_what_is_said_of_rows() -> None:
    assert NETWORK.fired(TABLE) == fired_rules(NETWORK, TABLE)
    statistics = NETWORK.measure(TABLE[:2], LABELS[:2]).statistics
    assert statistics == measure(NETWORK, TABLE[:2], LABELS[:2]).statistics != NETWORK.statistics
    assert str(NETWORK.evaluate(TABLE, LABELS)) == str(evaluate(NETWORK, TABLE, LABELS))
    assert NETWORK.to_frame("pandas").equals(rule_frame(NETWORK, "pandas"))
    explained = NETWORK.explain(TABLE[:1], fixed=["job"])
    assert str(explained) == str(explain(NETWORK, TABLE[:1], fixed=["job"]))
    assert explained._repr_html_() == explanation_html(explained)


def test_proofs() -> None:
    proof = NETWORK.prove(POLICY)
    assert str(proof) == str(prove(NETWORK, POLICY))
    assert proof._repr_html_() == proof_html(proof)


def test_edits() -> None:
    edited = NETWORK.edit(DropRule("age <= 27", "no"), who="Ada", why="a test", data=TABLE, labels=LABELS)
    assert [len(concept.rules) for concept in edited.network.levels[-1].concepts] == [0, 1]
    assert edited._repr_html_() == edited_html(edited)
    again = replay(edited.network.trail, NETWORK)
    assert again._repr_html_() == replayed_html(again)


@pytest.mark.parametrize("to", ["python", "sql", "markdown"])
def test_exports(to: Any) -> None:
    assert NETWORK.export(to) == export(NETWORK, to)


def test_drawings() -> None:
    assert str(NETWORK.draw(theme="dark")) == str(draw(NETWORK, theme="dark")) != str(NETWORK.draw())
    assert NETWORK._repr_html_() == network_html(NETWORK)
