"""Networks that predict a number in other languages: the same sum, to the last bit."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from conceptrules.export.verify.comparison import compare
from conceptrules.model import InputError, Points
from tests.export.test_laws import ENGINES, need
from tests.model.test_heads import make_number_card

CARD = make_number_card(step=0.1)
PRODUCT = make_number_card(step=0.1, link="log")
ROWS = pd.DataFrame({"age": [50.0, 50.0, 1.0, None], "km": [1.0, 3.0, 3.0, None]})


@pytest.mark.parametrize(
    ("to", "options"),
    [
        ("python", {}),
        ("javascript", {}),
        ("c", {}),
        ("onnx", {}),
        ("pmml", {}),
        ("sql", {}),
        ("sql", {"dialect": "sqlite"}),
        ("sql", {"reasons": True, "prefix": "our_"}),
    ],
)
def test_exports_predict_the_same_number_in_their_engines(to: str, options: dict[str, Any]) -> None:
    exported = CARD.export(to, verify=True, data=ROWS, **options)
    outcome = compare(CARD, to, exported, data=ROWS, **options)
    assert outcome.skipped is None, outcome.skipped
    assert outcome.rows > len(ROWS)
    assert outcome.claim.startswith("the same number and score ")
    other = make_number_card(step=0.1000001)
    (first, *_) = compare(other, to, exported, data=ROWS, **options).mismatches
    assert "the number" in str(first)


@pytest.mark.parametrize("to", ["python", "javascript", "c", "onnx", "pmml", "sql"])
def test_exports_of_products_agree_but_for_the_last_bits(to: str) -> None:
    exported = PRODUCT.export(to, verify=True, data=ROWS)
    outcome = compare(PRODUCT, to, exported, data=ROWS)
    assert outcome.skipped is None
    assert outcome.rows > len(ROWS)
    other = make_number_card(step=0.1 + 1e-12, link="log")
    assert compare(other, to, exported, data=ROWS).mismatches


def test_queries_that_trust_the_types_predict_the_same_number() -> None:
    duckdb = pytest.importorskip("duckdb")
    data = ROWS  # noqa: F841  # DuckDB reads it by its name
    answered = duckdb.sql(CARD.export("sql", trust_types=True)).df()
    assert answered["prediction"].tolist() == CARD.predict(ROWS).tolist()
    assert answered["score"].tolist() == CARD.scores(ROWS).tolist()


def test_there_are_no_probabilities_of_a_number() -> None:
    with pytest.raises(InputError, match="needs classes"):
        CARD.export("sql", probabilities=True)


FAR = 2**31 - 20
EXTREME = {
    "two classes": (["a", "b"], Points([[FAR], [-3]], [2], cutoff=-FAR, probabilities=[(-FAR, 0.1), (FAR, 1 / 3)])),
    "several": (["a", "b", "c"], Points([[FAR, -FAR, 3], [1, -1, 0]], [3, -3, 5], unit=1e6, offsets=[5, -5, 0])),
    "small unit": (["a", "b", "c"], Points([[FAR, FAR - 1, 3], [1, -1, 0]], [3, 3, 5], unit=1e-6, offsets=[5, -5, 0])),
    "large number": ([], Points([[FAR], [-3]], [2], step=8e298)),
    "small number": ([], Points([[FAR], [-3]], [2], step=1e-310)),
}


@pytest.mark.parametrize("engine", [*ENGINES, "onnx", "pmml"])
@pytest.mark.parametrize("kind", EXTREME)
def test_the_largest_scores_that_there_can_be_are_exact(engine: str, kind: str) -> None:
    to, options = ENGINES.get(engine, (engine, {}))
    need(to, **options)
    classes, head = EXTREME[kind]
    card = replace(CARD, classes=classes, head=head, target=None)
    asked = {**options, "probabilities": True} if to == "sql" and classes else options
    outcome = compare(card, to, card.export(to, **asked), limit=50, **asked)
    assert outcome.skipped is None, outcome.skipped
    assert outcome.mismatches == ()
