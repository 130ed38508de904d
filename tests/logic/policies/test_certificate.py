"""What a certificate holds: hashes of the model and the policy, the cells, and a tree for each claim."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from conceptrules import check
from conceptrules.io.encode import dumps
from conceptrules.logic.policies.certificate import DECIDING, certificate, hashed
from conceptrules.logic.policies.proof import prove
from conceptrules.model import Column, Concept, Equals, InputError, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.policy.plain import to_plain
from tests.logic.policies.brute_force import cases
from tests.logic.policies.test_proof import A, J, people


def shown(network: RuleNetwork, policy: Policy) -> dict[str, Any]:
    plain = to_plain(policy)
    text = certificate(network, policy, prove(network, policy), plain)
    assert text.endswith("}\n")
    assert text.isascii()
    return json.loads(text)


def test_the_parts_of_a_certificate() -> None:
    network, policy = people(Rule((A, J))), Policy.of(order=["no", "yes"], monotone={"age": "up"})
    found = shown(network, policy)
    model = json.loads(dumps(network))
    assert (found["format"], found["version"]) == ("conceptrules certificate", 1)
    assert found["model"] == hashed({key: model[key] for key in DECIDING})
    assert found["policy"] == hashed(to_plain(policy))
    assert found["cells"]["age"] == {"cuts": [41]}
    assert found["cells"]["job"] == {"values": ["nurse"]}
    assert list(found["clauses"]) == ["monotone.age"]


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert hashed({"a": 1, "b": [2, "é"]}) == hashed({"b": [2, "é"], "a": 1})
    assert hashed({"a": 1, "b": [2, "é"]}) != hashed({"a": 1, "b": ["é", 2]})
    assert len(hashed(None)) == 64


def test_categories_without_an_end_are_no_json_and_are_marked() -> None:
    level = Level((Rule((Literal(0),)), Rule((Literal(1),))), (Concept((0,)), Concept((1,))))
    column = Column("dose", "category", (float("inf"), float("-inf"), 2.5))
    tests = (Equals("dose", float("inf")), Equals("dose", float("-inf")))
    network = RuleNetwork((column,), tests, (level,), ("yes", "no"))
    values = shown(network, Policy.of(independent=["dose"]))["cells"]["dose"]["values"]
    assert {"infinity": True} in values
    assert {"infinity": False} in values


@given(cases())
def test_the_checker_confirms_what_was_proved(case: tuple[RuleNetwork, Policy]) -> None:
    network, policy = case
    try:
        found = shown(network, policy)
    except InputError:  # a domain without rows
        return
    confirmed = {name for name, why in check.check(json.loads(dumps(network)), to_plain(policy), found) if why is None}
    assert confirmed == {one.name for one in prove(network, policy).verdicts if one.outcome == "proved"}
