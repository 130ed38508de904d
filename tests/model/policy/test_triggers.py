"""Triggers are read, written and checked."""

from __future__ import annotations

import pytest

from conceptrules import InputError, Policy
from conceptrules.model.policy.plain import from_plain, to_plain

PLAIN = {"when": "psi > 0.25", "confidence": 0.9, "of": "scores", "within": "periods"}


def test_a_policy_keeps_its_triggers():
    policy = Policy.of(max_rules=3, monitor=[PLAIN, {"when": "precision<.8"}])
    assert [(each.figure, each.above, each.bound) for each in policy.triggers] == [
        ("psi", True, 0.25),
        ("precision", False, 0.8),
    ]
    assert from_plain(to_plain(policy)) == policy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"when": "psi"}, "'psi' cannot be read; write a figure and a bound"),
        ({"when": 3}, "3 cannot be read"),
        ({"when": "presision < 0.8"}, "there is no figure 'presision'; did you mean 'precision'"),
        ({"confidence": 2}, "confidence must be a number from 0.5 to below 1, found 2"),
        ({"of": 3}, "of must be a rule or a column in quotes, found 3"),
        ({"within": "weeks"}, "within must be 'all', 'groups' or 'periods', found 'weeks'"),
        ({"sure": 1}, r"monitor\[0\]: there is no key 'sure'"),
    ],
)
def test_triggers_that_cannot_be(change, message):
    with pytest.raises(InputError, match=message):
        Policy.of(monitor=[PLAIN | change])
