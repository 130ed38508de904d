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
from tests.strategies_search import longest, nets, rows, seeded, terms


def nothing_on(bits: np.ndarray, target: np.ndarray) -> MutableNetwork:
    """An empty net of two classes; the first is the default."""
    return MutableNetwork.empty(Rows.of(Examples.of(bits, target, np.ones(len(target))), 2), [1, 0], 0)


def polish_one(net: MutableNetwork, on: Terms, rng: np.random.Generator) -> None:
    """Some node, with the step that is for it."""
    depth = int(rng.integers(len(net.layers)))
    node = int(rng.integers(len(net.layers[depth])))
    polish = improve_concept if depth % 2 else improve_rule
    after = polish(net, depth, node, on, objective(net, on))
    assert after == pytest.approx(objective(net, on), abs=1e-12)


def some_concept(net: MutableNetwork, rng: np.random.Generator) -> tuple[int, int]:
    """Of any level."""
    depth = int(rng.choice(np.arange(1, len(net.layers), 2)))
    return depth, int(rng.integers(len(net.layers[depth])))


STEPS = {
    "polish a node": polish_one,
    "polish a layer": lambda net, on, rng: improve_layer(net, int(rng.integers(len(net.layers))), on, rng),
    "polish rules": lambda net, on, rng: improve_rules(net, *some_concept(net, rng), on),
    "polish jointly": lambda net, on, rng: improve_jointly(net, on),
    "grow": lambda net, on, rng: grow_rules(net, int(rng.integers(net.rows.classes)), on, rng),
    "grow with care": lambda net, on, rng: grow_rules(net, int(rng.integers(net.rows.classes)), on, rng, 5.0),
    "regrow": lambda net, on, rng: regrow(net, int(rng.integers(net.rows.classes)), on, rng, 2),
    "who wins": lambda net, on, rng: net.improve_priority(),
    "sweep": sweep,
}


@pytest.mark.parametrize("step", STEPS)
@given(data=st.data(), net=nets(), rng=seeded())
def test_no_step_lowers_the_objective_or_exceeds_a_budget(step, data, net, rng):
    on = data.draw(terms(net))
    before, rules = objective(net, on), net.rules
    STEPS[step](net, on, rng)
    assert_consistent(net)
    assert objective(net, on) >= before - 1e-12
    assert net.edges <= on.edges
    assert net.rules <= max(on.rules, rules)
    assert longest(net) <= on.longest
    assert sorted(net.order) == list(range(net.rows.classes))
    assert 0 <= net.default < net.rows.classes


@given(data=st.data(), net=nets(), rng=seeded())
def test_a_draft_over_its_budget_may_shrink_but_not_grow(data, net, rng):
    on = Terms(penalty=data.draw(st.sampled_from([0.0, 0.01, 0.2])), edges=max(net.edges - 2, 0), longest=4)
    before, edges = objective(net, on), net.edges
    sweep(net, on, rng)
    improve_jointly(net, on)
    assert net.edges <= edges
    assert objective(net, on) >= before - 1e-12


@given(data=st.data(), net=nets(), rng=seeded())
def test_new_literals_are_among_those_that_may_be_used(data, net, rng):
    on = data.draw(terms(net))
    before = {int(i) for chosen in net.layers[0] for i in chosen}
    sweep(net, on, rng)
    improve_jointly(net, on)
    used = {int(i) for chosen in net.layers[0] for i in chosen}
    allowed = range(len(net.rows.words)) if on.literals is None else np.flatnonzero(on.literals).tolist()
    assert used <= before | set(allowed)


@given(rows(), st.data(), seeded())
def test_the_first_rules_keep_the_budget(judged, data, rng):
    order = rng.permutation(judged.classes).tolist()
    net = MutableNetwork.empty(judged, order, order[-1])
    on = Terms(
        penalty=data.draw(st.sampled_from([1e-4, 0.01, 0.2])),
        longest=data.draw(st.integers(1, 3)),
        rules=data.draw(st.integers(0, 3)),
        edges=data.draw(st.integers(0, 6)),
    )
    start(net, on, rng)
    assert_consistent(net)
    assert net.edges <= on.edges
    assert net.rules <= on.rules
    assert longest(net) <= on.longest
    assert all(len(chosen) for chosen in net.layers[0])


@given(seeded(), st.floats(0.001, 2))
def test_a_new_rule_earns_its_price(rng, penalty):
    bits, gains = rng.random((40, 5)) < 0.5, rng.choice([-1.0, 1.0], 40)
    both = np.hstack([bits, ~bits])
    chosen = best_new_rule(nothing_on(bits, np.zeros(40, np.int64)), gains, Terms(penalty=penalty), rng)
    if chosen is not None:
        assert gains[both[:, chosen].all(axis=1)].sum() - penalty * len(chosen) > penalty - 1e-9


def test_where_nothing_gains_there_is_no_rule():
    net, rng = nothing_on(np.ones((5, 2), bool), np.array([0, 0, 1, 1, 1])), np.random.default_rng(0)
    assert best_new_rule(net, -np.ones(5), Terms(penalty=0.01), rng) is None
    assert best_new_rule(net, np.zeros(5), Terms(penalty=0.01), rng) is None


def test_a_rule_that_earns_nothing_goes():
    judged = Rows.of(Examples.of(np.array([[True], [False]]), np.array([0, 1]), np.ones(2)), 2)
    useless, right = np.array([1]), np.array([0])
    net = MutableNetwork(judged, [[useless, right], [np.array([1]), np.array([0])]], [0, 1], 1)
    improve_rules(net, 1, 1, Terms(penalty=0.01))
    assert [chosen.tolist() for chosen in net.layers[0]] == [[0]]
    assert net.score() == 1


def test_two_rules_are_found_from_nothing():
    bits = np.random.default_rng(0).random((200, 6)) < 0.5
    net = nothing_on(bits, ((bits[:, 0] & bits[:, 1]) | (bits[:, 2] & ~bits[:, 3])).astype(np.int64))
    rng = np.random.default_rng(0)
    sweep(net, Terms(penalty=0.001), rng)
    sweep(net, Terms(penalty=0.001), rng)
    assert (net.score(), net.edges) == (1, 6)


@given(nets(), seeded())
def test_who_wins_ends_where_no_neighbour_is_better(net, rng):
    net.improve_priority()
    best = net.score()
    for default in range(net.rows.classes):
        other = net.copy()
        other.default = default
        assert other.score() <= best + 1e-9
    for place in range(net.rows.classes - 1):
        other = net.copy()
        other.order[place], other.order[place + 1] = other.order[place + 1], other.order[place]
        assert other.score() <= best + 1e-9
