"""Networks at several penalties of an edge, of which held-out rows choose one.

At each penalty networks are grown, and improved until nothing helps any more (local_search.py). The rows that are held
out say which penalty is right; the network of that penalty is then learned with them as well. The networks of the
higher penalties are the Pareto front: each is smaller than the next, and the first has one literal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

import numpy as np

from conceptrules.learn.examples import Examples
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.noise_filter import agreed, asked
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.learn.search.problem import Problem
from conceptrules.learn.search.starts import RowsWithStarts, jointly, networks, rows_with_starts
from conceptrules.learn.search.voting import MEMBERS, longest_vote
from conceptrules.model.network import Level

# In rows: what an edge costs is what so many rows are worth that are right instead of wrong. The first ones are shares
# of all rows, for networks of a few edges.
SHARES = (0.05, 0.02, 0.01, 0.005)
PENALTIES = (20.0, 10.0, 5.0, 2.5, 1.2, 0.6, 0.3, 0.15, 0.07, 0.03)
_SIZE = 1.2e-3
"""What a class of one edge costs where held-out rows choose a network, in units of their score; one of 100 edges costs
ten times that. So a class of 100 edges has to be 0.006 better than one of 25, else the smaller network is taken."""
_PERFECT = 0.99
"""A score that a committee need not improve."""
_QUICK = 2.5
"""Down to this penalty a network takes no time, and the first ones, of a few edges, are good or bad by chance."""
_HOPED = 0.02
"""What a committee may add to the score at best, so what its edges may cost."""
_READABLE = 3000
"""Edges of a network that may still be followed by a larger one in the hope of better, or be one of three that vote."""
_SPLITS_UP_TO = 60_000
"""Rows in all splits, for two classes: a small table is split several times."""
_COMPARED = (10.0, 5.0)
"""Prices, in rows, at which it is seen whether trees have something to say."""
_ONE_LITERAL = 2
"""Edges: one into a rule, and one from it into a class."""
_HOPELESS = 0.01
"""Prices below one that is so much worse than the best are not tried."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A penalty, and what the networks it leads to are like: a line of the history."""

    penalty: float
    """In rows."""
    members: int
    joint: bool
    """Whether the members were improved as one network, after each had been by itself."""
    edges: float
    training_score: float
    """On the rows that were learned from, of which trees may have left some out."""
    score: float
    """On the rows that were held out, the mean over the splits."""


@dataclass(frozen=True, slots=True)
class NetworkSnapshot:
    """A net without its rows."""

    levels: tuple[Level, ...]
    order: tuple[int, ...]
    default: int

    @staticmethod
    def of(net: MutableNetwork) -> NetworkSnapshot:
        return NetworkSnapshot(net.levels(), tuple(net.order), net.default)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The networks of the frontier, with the lines of the history that speak of them (of the one with one literal there
    is none in the history), and which of them was chosen."""

    nets: list[tuple[Trial, MutableNetwork]]
    chosen: int
    history: list[Trial]
    held: list[list[NetworkSnapshot]]
    """For each of the nets the networks that were learned at its penalty without the held-out rows, by split."""
    interrupted: bool = False


Watch = Callable[[Trial], None]
Pair = tuple[RowsWithStarts, Rows]
"""Where to learn, and the rows to judge by."""
Preparation = Callable[[Examples], Rows]
"""What is learned from examples."""


def search(problem: Problem, held: Sequence[tuple[Examples, Examples]], pool: Executor, watch: Watch) -> Found:
    """`held` are pairs of rows to learn from and rows to judge by."""
    prepared, prepare = _prepared(problem, held, pool)
    learned = rows_with_starts(problem, prepared, pool)
    pairs = [
        (start_rows, _judges(problem, start_rows, judging))
        for start_rows, (_, judging) in zip(learned, held, strict=True)
    ]
    trials = Trials(problem, prepare, pairs, pool, watch)
    try:
        return _found(trials, _chosen(trials))
    except KeyboardInterrupt:
        if not trials.nets:
            raise
        return _so_far(trials)


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """What was tried so far, with the networks of each split."""

    problem: Problem
    prepare: Preparation
    pairs: Sequence[Pair]
    pool: Executor
    watch: Watch
    nets: dict[Trial, list[MutableNetwork]] = field(default_factory=dict)

    def alone(self, penalty: float, members: int = 1) -> Trial:
        """Every member learns by itself."""
        wanted = [(start_rows, penalty, members) for start_rows, _ in self.pairs]
        return self._keep(penalty, members, False, networks(self.problem, wanted, self.pool))

    def jointly(self, vote: Trial) -> Trial:
        """The same members, improved as one network."""
        nets = jointly(self.problem, self.nets[vote], vote.penalty, self.pool)
        return self._keep(vote.penalty, vote.members, True, nets)

    def _keep(self, penalty: float, members: int, joint: bool, nets: list[MutableNetwork]) -> Trial:
        one = _judged(self.pairs, penalty, members, joint, nets)
        self.nets[one] = nets
        self.watch(one)
        return one


def _prepared(
    problem: Problem, held: Sequence[tuple[Examples, Examples]], pool: Executor
) -> tuple[list[Rows], Preparation]:
    """What there is to learn in each split, and how it is made: of all rows, or of those that trees agree with, if that
    leads to better networks."""
    own = [problem.rows(training) for training, _ in held]
    if not asked(problem):
        return own, problem.rows

    def taught(examples: Examples) -> Rows:
        return problem.rows(agreed(problem, examples))

    def score(several: Sequence[Rows]) -> float:
        pairs = [(RowsWithStarts(rows, []), judging) for rows, (_, judging) in zip(several, held, strict=True)]
        nets = networks(problem, [(start_rows, penalty, 1) for start_rows, _ in pairs for penalty in _COMPARED], pool)
        judges = [_judges(problem, start_rows, judging) for start_rows, judging in pairs for _ in _COMPARED]
        return float(np.mean([_on(net, rows).score() for net, rows in zip(nets, judges, strict=True)]))

    fewer = [taught(training) for training, _ in held]
    return (fewer, taught) if score(fewer) > score(own) else (own, problem.rows)


def _judges(problem: Problem, start_rows: RowsWithStarts, judging: Examples) -> Rows:
    """Rows of classes that weigh nothing cannot judge; where there are no others, the rows to learn from do."""
    rows = problem.rows(judging)
    return rows if len(rows.target) else start_rows.rows


def _chosen(trials: Trials) -> Trial:
    """What is best on the held-out rows, of all that is worth trying."""
    problem, tries = trials.problem, trials.nets
    for penalty in _penalties(problem):
        trials.alone(penalty)
        if _settled(problem, list(tries)):
            break
    best = _best(problem, tries)
    # Three that vote can do with a higher penalty: each of them need not know everything.
    for one in [one for one in tries if one.penalty >= best.penalty][-2:]:
        if _may_vote(problem, one):
            vote = trials.alone(one.penalty, MEMBERS)
            # Rows on which a vote does not err cannot tell what it needs: everything but one member would go.
            if vote.training_score < _PERFECT:
                trials.jointly(vote)
    return _best(problem, tries)


def _best(problem: Problem, tries: Iterable[Trial]) -> Trial:
    return max(tries, key=lambda one: _value(problem, one))


def _value(problem: Problem, one: Trial) -> float:
    return one.score - _cost(problem, one.edges)


def _cost(problem: Problem, edges: float) -> float:
    """Each class has rules of its own to be read, so it is the edges of a class that have to earn their place; the more
    there are, the less one more of them matters."""
    return _SIZE * math.sqrt(edges / problem.classes)


def _found(trials: Trials, chosen: Trial) -> Found:
    """The networks of the frontier, learned with the held-out rows as well."""
    problem, tries, pool = trials.problem, trials.nets, trials.pool
    kept = [one for one in tries if one is chosen or (one.members == 1 and one.penalty >= chosen.penalty)]
    (start_rows,) = rows_with_starts(problem, [trials.prepare(problem.examples)], pool)
    nets = networks(problem, [(start_rows, one.penalty, one.members) for one in kept], pool)
    nets = [
        jointly(problem, [net], one.penalty, pool)[0] if one.joint else net for one, net in zip(kept, nets, strict=True)
    ]
    held = [list(map(NetworkSnapshot.of, tries[one])) for one in kept]
    found = list(zip(kept, nets, strict=True))
    if not any(0 < net.edges <= _ONE_LITERAL for net in nets):
        one, net, others = _one_literal(trials, start_rows, chosen.penalty)
        found, held = [*found, (one, net)], [*held, list(map(NetworkSnapshot.of, others))]
    return Found(found, kept.index(chosen), list(tries), held)


def _one_literal(
    trials: Trials, start_rows: RowsWithStarts, penalty: float
) -> tuple[Trial, MutableNetwork, list[MutableNetwork]]:
    """Where the frontier begins: on an easy table, several literals are worth the highest penalty. Roots of descent are
    far too large to begin with."""
    small = replace(trials.problem, most_rules=1, longest=1)
    every = [RowsWithStarts(each.rows, []) for each in (start_rows, *(learned for learned, _ in trials.pairs))]
    net, *held = networks(small, [(each, penalty, 1) for each in every], trials.pool)
    return _judged(trials.pairs, penalty, 1, False, held), net, held


def _so_far(trials: Trials) -> Found:
    """What there is when the search is interrupted: the networks of the first split, which never saw some rows."""
    tries, history = trials.nets, list(trials.nets)
    held = [list(map(NetworkSnapshot.of, nets)) for nets in tries.values()]
    nets = [(one, nets[0]) for one, nets in tries.items()]
    return Found(nets, history.index(_best(trials.problem, history)), history, held, interrupted=True)


def number_of_splits(examples: Examples, most: int) -> int:
    """Several for a small table, whose few held-out rows say little."""
    classes = len(np.unique(examples.target))
    return int(np.clip(_SPLITS_UP_TO // (len(examples) * max(classes / 2, 1)), 1, most))


def regularization_path(rows: int, lowest: float) -> tuple[float, ...]:
    """The penalties of an edge, from the highest to the lowest."""
    coarse = tuple(share * rows for share in SHARES if share * rows > PENALTIES[0])
    fine = tuple(penalty for penalty in PENALTIES if lowest <= penalty < SHARES[0] * rows)
    return coarse + (fine or (lowest,))


def _penalties(problem: Problem) -> tuple[float, ...]:
    fixed = problem.ablation.penalty
    return regularization_path(len(problem.examples), problem.effort.lowest) if fixed is None else (fixed,)


def _settled(problem: Problem, history: Sequence[Trial]) -> bool:
    """Whether a lower penalty has nothing left to gain: two in a row were worse than the best before them, or one that
    is much worse, or too large to be read."""
    if history[-1].penalty > _QUICK:
        return False
    values = [_value(problem, one) for one in history]
    if len(history) > 1 and min(one.training_score for one in history[-2:]) > 1 - 1e-9:
        return True
    if values[-1] < max(values) - (0 if history[-1].edges > _READABLE else _HOPELESS):
        return True
    return len(values) > 2 and max(values[-2:]) < max(values[:-2])


def _may_vote(problem: Problem, one: Trial) -> bool:
    """Unless there is nothing to gain, or few edges or short rules may be used."""
    free = problem.most_edges is None and problem.most_rules is None
    room = free and problem.longest >= longest_vote(problem.classes)
    wanted = problem.effort.voting and problem.ablation.voting and room and one.score < _PERFECT
    more = _cost(problem, MEMBERS * one.edges) - _cost(problem, one.edges)
    return wanted and one.edges < _READABLE and more < _HOPED


def _judged(pairs: Sequence[Pair], penalty: float, members: int, joint: bool, nets: Sequence[MutableNetwork]) -> Trial:
    seen = [_on(net, validation).score() for net, (_, validation) in zip(nets, pairs, strict=True)]
    edges = float(np.mean([net.edges for net in nets]))
    trained = float(np.mean([net.score() for net in nets]))
    return Trial(penalty, members, joint, edges, trained, float(np.mean(seen)))


def _on(net: MutableNetwork, rows: Rows) -> MutableNetwork:
    """The same network on other rows."""
    return MutableNetwork(rows, net.layers, net.order, net.default)
