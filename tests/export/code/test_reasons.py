"""Exported functions give the reasons that the network gives."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules import InputError
from conceptrules.export import export
from conceptrules.model import RuleNetwork
from tests.explain.test_reasons import CODED, DECISION
from tests.export.hostile import HOSTILE
from tests.strategies import all_inputs, networks, number_cards, scorecards


def expect(network: RuleNetwork, rows: list[Any]) -> list[Any]:
    """What the function returns for each row: the reasons, the rule that decided and the nearest."""
    reasons = network.reasons(rows)
    return [
        [
            [{name: getattr(each, name) for name in ("code", "text", "condition", "points")} for each in reasons[row]],
            None if reasons.decided_by is None else reasons.decided_by[row],
            None if reasons.nearest is None else reasons.nearest[row],
        ]
        for row in range(len(rows))
    ]


def run_python(network: RuleNetwork, rows: list[Any]) -> list[Any]:
    names: dict[str, Any] = {}
    exec(export(network, "python", reasons=True), names)
    answers = [names["decide"](dict(zip((c.name for c in network.columns), row, strict=True))) for row in rows]
    return [[answer["reasons"], answer.get("decided_by"), answer.get("nearest")] for answer in answers]


def run_node(network: RuleNetwork, rows: list[Any], folder: Any) -> list[Any]:
    if shutil.which("node") is None:
        pytest.skip("node is not on the path")
    records = [dict(zip((c.name for c in network.columns), row, strict=True)) for row in rows]
    code = export(network, "javascript", reasons=True)
    report = "answers.map((a) => [a.reasons, a.decided_by ?? null, a.nearest ?? null])"
    script = f"{code}\nconst answers = {json.dumps(records)}.map(decide);\nconsole.log(JSON.stringify({report}));\n"
    (folder / "run.js").write_text(script)
    run = subprocess.run(["node", folder / "run.js"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def list_rows(network: RuleNetwork) -> list[Any]:
    return all_inputs(len(network.columns))[:16].tolist()


@settings(max_examples=150)
@given(st.one_of(scorecards(), number_cards(), networks()))
def test_python_gives_the_reasons_of_any_network_of_one_level(network: RuleNetwork):
    rows = list_rows(network)
    if len(network.levels) > 1:
        with pytest.raises(InputError, match="networks of one level"):
            export(network, "python", reasons=True)
    elif rows and network.columns and all(column.kind == "boolean" for column in network.columns):
        assert run_python(network, rows) == expect(network, rows)


ROWS = [[age, debt, job] for age in (20, 50) for debt in (None, 0, 2000) for job in ("cook", "nurse", "x", None)]


@pytest.mark.parametrize("network", [CODED, DECISION.with_reason_codes({"age": ("A", "Age")})], ids=["card", "rules"])
def test_codes_texts_and_gaps_are_those_of_the_network(network, tmp_path):
    expected = expect(network, ROWS)
    assert run_python(network, ROWS) == expected
    assert run_node(network, ROWS, tmp_path) == expected
    assert export(network, "python", verify=True, reasons=True)


@settings(max_examples=8)
@given(st.one_of(scorecards(), networks()))
def test_javascript_gives_them_too(tmp_path_factory, network):
    rows = list_rows(network)
    if len(network.levels) == 1 and network.columns and all(column.kind == "boolean" for column in network.columns):
        assert run_node(network, rows, tmp_path_factory.mktemp("node")) == expect(network, rows)


@pytest.mark.parametrize("name", HOSTILE[:12])
def test_texts_that_look_like_code_are_text(name, tmp_path):
    network = CODED.with_reason_codes({"debt": (name or "x", name)})
    assert run_python(network, ROWS[:4]) == expect(network, ROWS[:4])


def test_c_has_no_reasons():
    with pytest.raises(InputError, match="not in C"):
        export(CODED, "c", reasons=True)
