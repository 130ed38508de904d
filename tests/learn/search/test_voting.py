"""A committee answers as its members would by vote."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.voting import MEMBERS, committee, longest_vote
from conceptrules.model.evaluation import PackedBits, first_firing, unpack
from tests.strategies_search import drafts_on, rows


def fired(net: MutableNetwork) -> np.ndarray:
    return unpack(PackedBits(net.fired, len(net.rows.target)))


def decided(net: MutableNetwork) -> np.ndarray:
    return first_firing(fired(net), net.order, net.default)


@given(st.integers(2, 3).flatmap(rows), st.data())
def test_of_few_classes_the_majority_of_decisions_wins(judged, data):
    """Members may describe any of the classes, in any order, with any default; without a majority, that of the first
    is taken."""
    members = [data.draw(drafts_on(judged, levels=1)) for _ in range(MEMBERS)]
    votes = np.sum([np.eye(judged.classes)[decided(member)] for member in members], axis=0)
    wanted = np.where(votes.max(axis=1) >= 2, votes.argmax(axis=1), members[0].default)
    assert (decided(committee(members)) == wanted).all()


@given(rows(classes=4), st.data())
def test_of_several_classes_two_votes_win_then_one(judged, data):
    """A member has a vote for each class that fires; who wins among them is the first member's."""
    members = [data.draw(drafts_on(judged, levels=1)) for _ in range(MEMBERS)]
    votes = np.sum([fired(member) for member in members], axis=0)
    wanted = np.where((votes >= 2).any(axis=1, keepdims=True), votes >= 2, votes >= 1)
    together = committee(members)
    assert (fired(together) == wanted).all()
    assert (together.order, together.default) == (members[0].order, members[0].default)


@given(rows(), st.data())
def test_rules_that_count_votes_are_short(judged, data):
    together = committee([data.draw(drafts_on(judged, levels=1)) for _ in range(MEMBERS)])
    lengths = [len(rule) for layer in together.layers[2::2] for rule in layer]
    assert max(lengths, default=0) <= longest_vote(judged.classes)


@given(rows(), st.data())
def test_members_that_agree_decide_as_each_does(judged, data):
    member = data.draw(drafts_on(judged, levels=1))
    assert (decided(committee([member] * MEMBERS)) == decided(member)).all()
