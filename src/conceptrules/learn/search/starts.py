"""The networks of a price: from several starts each, grown and polished, the best of them kept."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from conceptrules.learn.search.ablation import Ideas
from conceptrules.learn.search.descent_starts import descended
from conceptrules.learn.search.grow import start
from conceptrules.learn.search.joint_local_search import polish_jointly
from conceptrules.learn.search.mutable_network import Draft
from conceptrules.learn.search.objective import UNLIMITED, Terms, objective, repeat, within
from conceptrules.learn.search.packed_rows import Rows
from conceptrules.learn.search.priority_search import polish_winners
from conceptrules.learn.search.problem import Problem
from conceptrules.learn.search.sweep import sweep
from conceptrules.learn.search.voting import committee

_SMALL = 2000
"""Rows of a small table."""
_FEW_CLASSES = 3
"""More of them need more rules than descent has."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Rows to learn from, and the networks that descent has found on them, one after another."""

    rows: Rows
    roots: Sequence[Draft]


Wanted = tuple[Ground, float, int]
"""Where to learn, the price, and how many members vote."""


def grounds(problem: Problem, several: Sequence[Rows], pool: Executor) -> list[Ground]:
    """With roots, unless the table is small, or has many classes, or time is short."""

    def ground(rows: Rows) -> Ground:
        wanted = problem.effort.descent and problem.ideas.descent and _descends(rows)
        return Ground(rows, descended(rows, problem.literals, problem.ideas.winners, problem.seed) if wanted else [])

    return list(pool.map(ground, several))


def _descends(rows: Rows) -> bool:
    return len(rows.target) >= _SMALL and rows.classes <= _FEW_CLASSES


def networks(problem: Problem, wanted: Sequence[Wanted], pool: Executor) -> list[Draft]:
    """All that are wanted, every start of each a job of its own. What comes out does not depend on the pool."""
    jobs = [
        (number, member, k)
        for number, (ground, _, members) in enumerate(wanted)
        for member in range(members)
        for k in range(_grown_starts(problem, ground) + len(_roots(ground, member, members)))
    ]

    def work(job: tuple[int, int, int]) -> Draft:
        number, member, k = job
        ground, price, members = wanted[number]
        terms, rng = _terms(problem, ground.rows, price), np.random.default_rng((problem.seed, member, k))
        root = k - _grown_starts(problem, ground)
        draft = _grown(ground.rows, terms, rng, k) if root < 0 else _roots(ground, member, members)[root].copy()
        repeat(draft, terms, lambda: sweep(draft, terms, rng))
        return draft

    best: dict[tuple[int, int], Draft] = {}
    for (number, member, _), draft in zip(jobs, pool.map(work, jobs), strict=True):
        terms = _terms(problem, wanted[number][0].rows, wanted[number][1])
        rival = best.get((number, member))
        if rival is None or (objective(draft, terms) > objective(rival, terms) and within(draft, terms)):
            best[number, member] = draft
    return [_together([best[number, m] for m in range(one[2])], problem.ideas) for number, one in enumerate(wanted)]


def jointly(problem: Problem, votes: Sequence[Draft], price: float, pool: Executor) -> list[Draft]:
    """The same networks that vote, each polished as one."""

    def work(vote: Draft) -> Draft:
        draft = vote.copy()
        polish_jointly(draft, _terms(problem, draft.rows, price))
        return draft

    return list(pool.map(work, votes))


def _roots(ground: Ground, member: int, members: int) -> Sequence[Draft]:
    """All, for one network; where several vote, each member has one of them, so that they differ."""
    return ground.roots if members == 1 else ground.roots[member : member + 1]


def _grown_starts(problem: Problem, ground: Ground) -> int:
    """Several classes take long, and it matters less where the search begins; roots take the place of some; and small
    tables take no time at all."""
    starts = problem.effort.starts
    if len(ground.rows.target) < _SMALL:
        return 4 * starts
    return starts if ground.rows.classes == 2 and not ground.roots else max(starts // 2, 1)


def _together(members: Sequence[Draft], ideas: Ideas) -> Draft:
    if len(members) == 1:
        return members[0]
    draft = committee(members)
    if ideas.winners:
        polish_winners(draft)
    return draft


def _terms(problem: Problem, rows: Rows, price: float) -> Terms:
    return Terms(
        price=price / float(rows.weight.sum()),
        longest=problem.longest,
        rules=UNLIMITED if problem.most_rules is None else problem.most_rules,
        edges=UNLIMITED if problem.most_edges is None else problem.most_edges,
        literals=problem.literals,
        regrow=problem.effort.regrow if problem.ideas.regrow else 0,
        seeds=problem.effort.seeds,
        sweeps=problem.effort.sweeps if problem.ideas.polish else 0,
        winners=problem.ideas.winners,
    )


def _grown(rows: Rows, terms: Terms, rng: np.random.Generator, number: int) -> Draft:
    """From an empty network."""
    order = _order(rows, bool(number % 2) and terms.winners)
    draft = Draft.empty(rows, order, order[-1])
    start(draft, terms, rng)
    if terms.winners:
        polish_winners(draft)
    return draft


def _order(rows: Rows, reverse: bool) -> list[int]:
    """The rarest class comes first and the commonest is the default.

    Of two classes it matters which of them is described, so that some starts have it the other way round.
    """
    order: list[int] = np.argsort(np.bincount(rows.target, rows.weight, rows.classes), kind="stable").tolist()
    return order[::-1] if reverse and rows.classes == 2 else order
