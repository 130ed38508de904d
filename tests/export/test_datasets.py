"""Learned networks on their own tables, in every engine."""

from __future__ import annotations

from functools import cache

import pytest

from conceptrules import MLLPClassifier, ScorecardClassifier, datasets
from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from tests.export.test_laws import ENGINES, need


@cache
def learned(name: str, layers: tuple[int, ...] | None):
    """A network with these layers, or a scorecard."""
    data = datasets.load(name)
    if layers is None:
        return ScorecardClassifier(effort="fast", random_state=0).fit(data.X, data.y).network_, data.X
    settings = {
        "layers": layers,
        "binarization_rate": 0.5,
        "negation": True,
        "max_epochs": 15,
        "random_state": 0,
    }
    return MLLPClassifier(**settings).fit(data.X, data.y).network_, data.X


@pytest.mark.parametrize("engine", [*ENGINES, "onnx", "pmml"])
@pytest.mark.parametrize(("name", "layers"), [("wine", None), ("breast-cancer", None), ("tic-tac-toe", (64,))])
def test_a_learned_network_decides_the_same_everywhere(engine, name, layers):
    to, options = ENGINES.get(engine, (engine, {}))
    need(to, **options)
    network, table = learned(name, layers)
    assert network.edges > 10
    options = {**options, "probabilities": True} if to == "sql" else options
    outcome = compare(network, to, export(network, to, **options), data=table, limit=1_000, **options)
    assert outcome.mismatches == ()
    assert outcome.rows >= 1_000 + table.num_rows
