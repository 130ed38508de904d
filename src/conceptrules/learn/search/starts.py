"""The networks of a penalty: from several starts each, grown and improved, the best of them kept."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from conceptrules.learn.priority import rarest_first
from conceptrules.learn.search.ablation import Ablation
from conceptrules.learn.search.descent_starts import descended
from conceptrules.learn.search.grow import start
from conceptrules.learn.search.joint_local_search import improve_jointly
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import UNLIMITED, Terms, objective, repeat, within
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.learn.search.problem import Problem
from conceptrules.learn.search.sweep import sweep
from conceptrules.learn.search.voting import committee

_SMALL = 2000
"""Rows of a small table."""
_FEW_CLASSES = 3
"""More of them need more rules than descent has."""


@dataclass(frozen=True, slots=True, eq=False)
class RowsWithStarts:
    """Rows to learn from, and the networks that descent has found on them, one after another."""

    rows: Rows
    roots: Sequence[MutableNetwork]


Wanted = tuple[RowsWithStarts, float, int]
"""Where to learn, the penalty, and how many members vote."""


def rows_with_starts(problem: Problem, several: Sequence[Rows], pool: Executor) -> list[RowsWithStarts]:
    """With roots, unless the table is small, or has many classes, or time is short."""

    def start_rows(rows: Rows) -> RowsWithStarts:
        wanted = problem.effort.descent and problem.ablation.descent and _descends(rows)
        return RowsWithStarts(
            rows, descended(rows, problem.literals, problem.ablation.priority, problem.seed) if wanted else []
        )

    return list(pool.map(start_rows, several))


def _descends(rows: Rows) -> bool:
    return len(rows.target) >= _SMALL and rows.classes <= _FEW_CLASSES


def networks(problem: Problem, wanted: Sequence[Wanted], pool: Executor) -> list[MutableNetwork]:
    """All that are wanted, every start of each a job of its own. What comes out does not depend on the pool."""
    jobs = [
        (number, member, k)
        for number, (start_rows, _, members) in enumerate(wanted)
        for member in range(members)
        for k in range(_grown_starts(problem, start_rows) + len(_roots(start_rows, member, members)))
    ]

    def work(job: tuple[int, int, int]) -> MutableNetwork:
        number, member, k = job
        start_rows, penalty, members = wanted[number]
        terms, rng = _terms(problem, start_rows.rows, penalty), np.random.default_rng((problem.seed, member, k))
        root = k - _grown_starts(problem, start_rows)
        net = _grown(start_rows.rows, terms, rng, k) if root < 0 else _roots(start_rows, member, members)[root].copy()
        repeat(net, terms, lambda: sweep(net, terms, rng))
        return net

    best: dict[tuple[int, int], MutableNetwork] = {}
    for (number, member, _), net in zip(jobs, pool.map(work, jobs), strict=True):
        terms = _terms(problem, wanted[number][0].rows, wanted[number][1])
        rival = best.get((number, member))
        if rival is None or (objective(net, terms) > objective(rival, terms) and within(net, terms)):
            best[number, member] = net
    return [_together([best[number, m] for m in range(one[2])], problem.ablation) for number, one in enumerate(wanted)]


def jointly(problem: Problem, votes: Sequence[MutableNetwork], penalty: float, pool: Executor) -> list[MutableNetwork]:
    """The same networks that vote, each improved as one."""

    def work(vote: MutableNetwork) -> MutableNetwork:
        net = vote.copy()
        improve_jointly(net, _terms(problem, net.rows, penalty))
        return net

    return list(pool.map(work, votes))


def _roots(start_rows: RowsWithStarts, member: int, members: int) -> Sequence[MutableNetwork]:
    """All, for one network; where several vote, each member has one of them, so that they differ."""
    return start_rows.roots if members == 1 else start_rows.roots[member : member + 1]


def _grown_starts(problem: Problem, start_rows: RowsWithStarts) -> int:
    """Several classes take long, and it matters less where the search begins; roots take the place of some; and small
    tables take no time at all."""
    starts = problem.effort.starts
    if len(start_rows.rows.target) < _SMALL:
        return 4 * starts
    return starts if start_rows.rows.classes == 2 and not start_rows.roots else max(starts // 2, 1)


def _together(members: Sequence[MutableNetwork], ablation: Ablation) -> MutableNetwork:
    if len(members) == 1:
        return members[0]
    net = committee(members)
    if ablation.priority:
        net.improve_priority()
    return net


def _terms(problem: Problem, rows: Rows, penalty: float) -> Terms:
    return Terms(
        penalty=penalty / float(rows.weight.sum()),
        longest=problem.longest,
        rules=UNLIMITED if problem.most_rules is None else problem.most_rules,
        edges=UNLIMITED if problem.most_edges is None else problem.most_edges,
        literals=problem.literals,
        regrow=problem.effort.regrow if problem.ablation.regrow else 0,
        seeds=problem.effort.seeds,
        sweeps=problem.effort.sweeps if problem.ablation.local_search else 0,
        priority=problem.ablation.priority,
    )


def _grown(rows: Rows, terms: Terms, rng: np.random.Generator, number: int) -> MutableNetwork:
    """From an empty network."""
    order = _order(rows, bool(number % 2) and terms.priority)
    net = MutableNetwork.empty(rows, order, order[-1])
    start(net, terms, rng)
    if terms.priority:
        net.improve_priority()
    return net


def _order(rows: Rows, reverse: bool) -> list[int]:
    """The rarest class comes first and the commonest is the default.

    Of two classes it matters which of them is described, so that some starts have it the other way round.
    """
    order = list(rarest_first(rows.target, rows.weight, rows.classes)[0])
    return order[::-1] if reverse and rows.classes == 2 else order
