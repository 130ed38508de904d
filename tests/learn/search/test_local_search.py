"""The promises of every step of the search: the objective is never lower on its rows, and no budget is exceeded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples
from conceptrules.learn.search.grow import best_new_rule, grow_rules, start
from conceptrules.learn.search.joint_local_search import improve_jointly
from conceptrules.learn.search.local_search import improve_concept, improve_rule, improve_rules
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import Terms, objective
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.learn.search.regrow import regrow
from conceptrules.learn.search.sweep import improve_layer, sweep
from tests.learn.search.test_mutable_network import assert_consistent
from tests.strategies_search import drafts, longest, rows, seeded, terms


def nothing_on(bits: np.ndarray, target: np.ndarray) -> MutableNetwork:
    """An empty draft of two classes; the first is the default."""
    return MutableNetwork.empty(Rows.of(Examples.of(bits, target, np.ones(len(target))), 2), [1, 0], 0)


def polish_one(draft: MutableNetwork, on: Terms, rng: np.random.Generator) -> None:
    """Some node, with the step that is for it."""
    depth = int(rng.integers(len(draft.layers)))
    node = int(rng.integers(len(draft.layers[depth])))
    polish = improve_concept if depth % 2 else improve_rule
    after = polish(draft, depth, node, on, objective(draft, on))
    assert after == pytest.approx(objective(draft, on), abs=1e-12)


def some_concept(draft: MutableNetwork, rng: np.random.Generator) -> tuple[int, int]:
    """Of any level."""
    depth = int(rng.choice(np.arange(1, len(draft.layers), 2)))
    return depth, int(rng.integers(len(draft.layers[depth])))


STEPS = {
    "polish a node": polish_one,
    "polish a layer": lambda draft, on, rng: improve_layer(draft, int(rng.integers(len(draft.layers))), on, rng),
    "polish rules": lambda draft, on, rng: improve_rules(draft, *some_concept(draft, rng), on),
    "polish jointly": lambda draft, on, rng: improve_jointly(draft, on),
    "grow": lambda draft, on, rng: grow_rules(draft, int(rng.integers(draft.rows.classes)), on, rng),
    "grow with care": lambda draft, on, rng: grow_rules(draft, int(rng.integers(draft.rows.classes)), on, rng, 5.0),
    "regrow": lambda draft, on, rng: regrow(draft, int(rng.integers(draft.rows.classes)), on, rng, 2),
    "who wins": lambda draft, on, rng: draft.improve_priority(),
    "sweep": sweep,
}


@pytest.mark.parametrize("step", STEPS)
@given(data=st.data(), draft=drafts(), rng=seeded())
def test_no_step_lowers_the_objective_or_exceeds_a_budget(step, data, draft, rng):
    on = data.draw(terms(draft))
    before, rules = objective(draft, on), draft.rules
    STEPS[step](draft, on, rng)
    assert_consistent(draft)
    assert objective(draft, on) >= before - 1e-12
    assert draft.edges <= on.edges
    assert draft.rules <= max(on.rules, rules)
    assert longest(draft) <= on.longest
    assert sorted(draft.order) == list(range(draft.rows.classes))
    assert 0 <= draft.default < draft.rows.classes


@given(data=st.data(), draft=drafts(), rng=seeded())
def test_a_draft_over_its_budget_may_shrink_but_not_grow(data, draft, rng):
    on = Terms(penalty=data.draw(st.sampled_from([0.0, 0.01, 0.2])), edges=max(draft.edges - 2, 0), longest=4)
    before, edges = objective(draft, on), draft.edges
    sweep(draft, on, rng)
    improve_jointly(draft, on)
    assert draft.edges <= edges
    assert objective(draft, on) >= before - 1e-12


@given(data=st.data(), draft=drafts(), rng=seeded())
def test_new_literals_are_among_those_that_may_be_used(data, draft, rng):
    on = data.draw(terms(draft))
    before = {int(i) for chosen in draft.layers[0] for i in chosen}
    sweep(draft, on, rng)
    improve_jointly(draft, on)
    used = {int(i) for chosen in draft.layers[0] for i in chosen}
    allowed = range(len(draft.rows.words)) if on.literals is None else np.flatnonzero(on.literals).tolist()
    assert used <= before | set(allowed)


@given(rows(), st.data(), seeded())
def test_the_first_rules_keep_the_budget(judged, data, rng):
    order = rng.permutation(judged.classes).tolist()
    draft = MutableNetwork.empty(judged, order, order[-1])
    on = Terms(
        penalty=data.draw(st.sampled_from([1e-4, 0.01, 0.2])),
        longest=data.draw(st.integers(1, 3)),
        rules=data.draw(st.integers(0, 3)),
        edges=data.draw(st.integers(0, 6)),
    )
    start(draft, on, rng)
    assert_consistent(draft)
    assert draft.edges <= on.edges
    assert draft.rules <= on.rules
    assert longest(draft) <= on.longest
    assert all(len(chosen) for chosen in draft.layers[0])


@given(seeded(), st.floats(0.001, 2))
def test_a_new_rule_earns_its_price(rng, penalty):
    bits, gains = rng.random((40, 5)) < 0.5, rng.choice([-1.0, 1.0], 40)
    both = np.hstack([bits, ~bits])
    chosen = best_new_rule(nothing_on(bits, np.zeros(40, np.int64)), gains, Terms(penalty=penalty), rng)
    if chosen is not None:
        assert gains[both[:, chosen].all(axis=1)].sum() - penalty * len(chosen) > penalty - 1e-9


def test_where_nothing_gains_there_is_no_rule():
    draft, rng = nothing_on(np.ones((5, 2), bool), np.array([0, 0, 1, 1, 1])), np.random.default_rng(0)
    assert best_new_rule(draft, -np.ones(5), Terms(penalty=0.01), rng) is None
    assert best_new_rule(draft, np.zeros(5), Terms(penalty=0.01), rng) is None


def test_a_rule_that_earns_nothing_goes():
    judged = Rows.of(Examples.of(np.array([[True], [False]]), np.array([0, 1]), np.ones(2)), 2)
    useless, right = np.array([1]), np.array([0])
    draft = MutableNetwork(judged, [[useless, right], [np.array([1]), np.array([0])]], [0, 1], 1)
    improve_rules(draft, 1, 1, Terms(penalty=0.01))
    assert [chosen.tolist() for chosen in draft.layers[0]] == [[0]]
    assert draft.score() == 1


def test_two_rules_are_found_from_nothing():
    bits = np.random.default_rng(0).random((200, 6)) < 0.5
    draft = nothing_on(bits, ((bits[:, 0] & bits[:, 1]) | (bits[:, 2] & ~bits[:, 3])).astype(np.int64))
    rng = np.random.default_rng(0)
    sweep(draft, Terms(penalty=0.001), rng)
    sweep(draft, Terms(penalty=0.001), rng)
    assert (draft.score(), draft.edges) == (1, 6)


@given(drafts(), seeded())
def test_who_wins_ends_where_no_neighbour_is_better(draft, rng):
    draft.improve_priority()
    best = draft.score()
    for default in range(draft.rows.classes):
        other = draft.copy()
        other.default = default
        assert other.score() <= best + 1e-9
    for place in range(draft.rows.classes - 1):
        other = draft.copy()
        other.order[place], other.order[place + 1] = other.order[place + 1], other.order[place]
        assert other.score() <= best + 1e-9
