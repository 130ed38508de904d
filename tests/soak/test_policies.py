"""The short form of the attack by policies."""

import pytest
from hypothesis import strategies as st

from tests.soak.policies import LAWS, attacked


@pytest.mark.parametrize("turn", range(1, len(LAWS)))
def test_networks_keep_the_policies_that_are_drawn(turn):
    assert attacked(*LAWS[turn], turn, 3) >= 3


def test_a_violation_is_told():
    def broken(case, number):
        assert number < 0, case

    with pytest.raises(AssertionError):
        attacked(st.just("a case"), broken, 0, 3)
