"""Law 5, second half: every export decides as its network does, row by row, whatever the network is."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.sql.literals import check_labels
from conceptrules.export.verify.comparison import compare, engine_of
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from tests.strategies import BOOLEANS, networks, number_cards, scorecards

ENGINES = {
    "python": ("python", {}),
    "javascript": ("javascript", {}),
    "c": ("c", {}),
    "duckdb": ("sql", {"dialect": "duckdb"}),
    "sqlite": ("sql", {"dialect": "sqlite"}),
    "postgres": ("sql", {"dialect": "postgres"}),
}


def need(to: str, **options: object) -> None:
    """Skips, with the reason, where the engine is not installed."""
    engine = engine_of(to)
    assert engine is not None
    reason = engine.missing(**options)
    if reason is not None:
        pytest.skip(reason)


def renamed(network: RuleNetwork) -> dict[str, str]:
    """Plain names: SQL cannot have some of the odd ones, which is tested elsewhere."""
    return {column.name: f"column {place}" for place, column in enumerate(network.columns)}


def labels_fit(network: RuleNetwork, dialect: str) -> bool:
    """Whether a column of the database can hold the labels, and tell them apart as text."""
    try:
        check_labels(network, dialect)
    except InputError:
        return False
    return True


def written(network: RuleNetwork, to: str, **options: object) -> str | bytes:
    """The export, where the format can hold the names and the numbers of the network."""
    try:
        return export(network, to, **options)
    except InputError as error:
        assume("double precision cannot tell" not in str(error) and "not valid Unicode" not in str(error))
        raise


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_an_export_decides_as_the_network_does(engine, data):
    to, options = ENGINES[engine]
    need(to, **options)
    network = data.draw(networks(odd=data.draw(st.booleans())))
    if to == "sql":
        assume(network.columns)
        assume(labels_fit(network, options["dialect"]))
        options = {**options, "columns": renamed(network)}
    outcome = compare(network, to, written(network, to, **options), limit=100, **options)
    assert outcome.skipped is None
    assert not outcome.mismatches, str(outcome.mismatches[0])


@pytest.mark.parametrize("engine", [*ENGINES, "onnx", "pmml"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_an_export_of_a_scorecard_has_its_scores_classes_and_probabilities(engine, data):
    to, options = ENGINES.get(engine, (engine, {}))
    need(to, **options)
    network = data.draw(data.draw(st.sampled_from([scorecards, scorecards, number_cards]))(odd=data.draw(BOOLEANS)))
    if to == "sql":
        assume(network.columns)
        assume(labels_fit(network, options["dialect"]))
        probabilities = bool(network.classes) and data.draw(BOOLEANS)
        asked = {"probabilities": probabilities, "reasons": data.draw(BOOLEANS)}
        options = {**options, **asked, "columns": renamed(network)}
    outcome = compare(network, to, written(network, to, **options), limit=100, **options)
    assert outcome.skipped is None
    assert not outcome.mismatches, str(outcome.mismatches[0])
