"""The short form of the attack by forged certificates."""

import pytest

from tests.soak.forgeries import forge_cases, tally
from tests.test_check import check_forgery, directed


def test_forgeries_of_networks_that_are_drawn():
    forged, confirmed = tally(forge_cases(0, 10))
    assert forged >= 100
    assert confirmed > 0


def test_a_false_confirmation_is_told(monkeypatch):
    files = directed()
    monkeypatch.setattr("tests.test_check.proved", lambda model, policy: {"max_edges"})
    with pytest.raises(AssertionError, match=r"monotone\.age"):
        check_forgery(files)
