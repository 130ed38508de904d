"""From rows to the Pareto front: inner folds choose how to learn, then all rows are learned from.

There are up to four ways to learn: from the rows of the table alone or with mixed rows besides (augmentation.py), and
one network or three that vote (voting.py). For each of them, networks are learned along a regularization path, in all
folds side by side. What the held-out rows of all folds say together decides on the way and the penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from conceptrules.kernels.compiling import announced
from conceptrules.kernels.search.scores import score_of
from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search.augmentation import Forest, augmented
from conceptrules.learn.search.binned_table import BinnedTable
from conceptrules.learn.search.coded_network import CodedNetwork, coded_network
from conceptrules.learn.search.merged_rows import Fold
from conceptrules.learn.search.regularization_path import Path, Snapshot, penalties
from conceptrules.learn.search.settings import SCORINGS, SearchSettings
from conceptrules.learn.search.voting import MEMBERS, voted
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.simplification import simplify
from conceptrules.model.canonical import in_order
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import pareto_front
from conceptrules.model.predicate import Value

_SIZE = 1.2e-3
"""What a class of one edge costs where held-out rows choose a network, in units of their score; one of 100 edges costs
ten times that. So a class of 100 edges has to be 0.006 better than one of 25, else the smaller network is taken."""
_QUICK = 2.5
"""Down to this penalty a network takes no time, and the first ones, of a few edges, are good or bad by chance."""
_HOPELESS = 0.02
"""Penalties below one that is so much worse than the best are not tried."""
_FOREST_UP_TO = 10_000
"""Rows of a table that a forest is asked about. Larger ones have rows enough of their own."""
_VOTE = 0.01
"""What a vote has to be better than a single network, besides its size."""
_PERFECT = 0.99
"""A score that a vote need not improve."""
_VOTES_UP_TO = 30_000
"""Rows times classes of a table that networks may vote on: three of them take three times as long."""
_DIFFERENT = 0.2
"""Members of a vote learn from rows that chance has given other weights, this one at least."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A penalty, and what the networks it leads to are like: a line of the history."""

    penalty: float
    """In rows."""
    members: int
    """Networks that vote."""
    augmented: bool
    """Whether mixed rows were learned from as well."""
    edges: float
    training_score: float
    """On the rows that were learned from."""
    score: float
    """On the held-out rows of all folds together."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchTask:
    """What there is to learn: rows as bins, and the folds that choose."""

    table: BinnedTable
    columns: Columns
    classes: tuple[Value, ...]
    rows: Rows
    folds: Sequence[Fold]
    settings: SearchSettings
    seed: int
    repeats: float = 1.0
    """How often every row of the table is there; here it is there once."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundNetwork:
    """A network of the regularization path, and those of the folds at the same penalty."""

    trial: Trial
    coded: CodedNetwork
    network: RuleNetwork
    """The same, simplified."""
    in_folds: tuple[CodedNetwork, ...]

    @property
    def edges(self) -> int:
        return self.network.edges

    @property
    def score(self) -> float:
        return self.trial.score


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The Pareto front, from the smallest network on, and which of them was chosen."""

    networks: tuple[FoundNetwork, ...]
    chosen: int
    history: tuple[Trial, ...]
    interrupted: bool
    """Whether Ctrl-C ended the search."""


@dataclass(slots=True, eq=False)
class _Way:
    """One way to learn, in all folds."""

    augmented: bool
    rows: list[list[Rows]]
    """[fold][member]: what is learned from."""
    found: list[list[list[Snapshot]]]
    """[fold][member][penalty]: the networks."""
    trials: list[Trial] = field(default_factory=list)
    """The single networks, penalty by penalty."""

    def settled(self, classes: int) -> bool:
        """Return whether a lower penalty has nothing left to gain: two in a row were worse than the best before."""
        if not self.trials or self.trials[-1].penalty > _QUICK:
            return False
        if len(self.trials) > 1 and min(one.training_score for one in self.trials[-2:]) > 1 - 1e-9:
            return True
        values = [_value(one, classes) for one in self.trials]
        return values[-1] < max(values) - _HOPELESS or (len(values) > 2 and max(values[-2:]) < max(values[:-2]))


def fit(task: SearchTask, threads: int, watch: Callable[[Trial], None]) -> SearchResult:
    """Search for networks. What comes out does not depend on the number of threads."""
    # One thread too is one of its own: Ctrl-C inside of compiled code is a SystemError, where it should end the search.
    with ThreadPoolExecutor(threads) as pool, announced(), threadpool_limits(threads, "openmp"):
        ways: list[_Way] = []
        votes: list[Trial] = []
        interrupted = False
        try:
            for more in (False, True) if _asks_forest(task) else (False,):
                rows = list(pool.map(partial(_rows, task, more), [fold.training for fold in task.folds]))
                ways.append(_Way(more, rows, [[] for _ in task.folds]))
                _follow(task, ways[-1], pool, watch)
            best = max((trial for way in ways for trial in way.trials), key=lambda one: _value(one, len(task.classes)))
            if _votes_wanted(task) and best.score < _PERFECT:
                votes = _votes(task, ways[best.augmented], pool, watch)
        except KeyboardInterrupt:
            interrupted = True
            if not any(way.trials for way in ways):
                raise
        return _learned_from_all(task, ways, votes, pool, interrupted)


def _asks_forest(task: SearchTask) -> bool:
    return bool(task.settings.tries.trees) and len(task.rows.label) <= _FOREST_UP_TO


def _votes_wanted(task: SearchTask) -> bool:
    return task.settings.may_vote and task.rows.mass.size <= _VOTES_UP_TO


def penalties_to_try(task: SearchTask) -> tuple[float, ...]:
    """Return the penalties of an edge that a fit tries, the highest first; it may end before the last."""
    return penalties(float(task.folds[0].training.mass.sum()), task.settings.tries.lowest)


def _rows(task: SearchTask, more: bool, rows: Rows) -> list[Rows]:
    """Return what each member learns from: rows with other weights, or with other mixed rows."""
    forest = Forest(rows, task.columns, task.settings.tries.trees, task.seed) if more else None
    found = []
    for member in range(MEMBERS if _votes_wanted(task) else 1):
        rng = np.random.default_rng((task.seed, member))
        if forest is not None:
            found.append(augmented(rows, forest, rng))
        elif member:
            found.append(rows._replace(mass=rows.mass * (rng.poisson(1.0, len(rows.label)) + _DIFFERENT)[:, None]))
        else:
            found.append(rows)
    return found


def _path(task: SearchTask, rows: Rows, real: Rows, member: int) -> Path:
    return Path(rows, task.columns, task.settings, 1 / float(real.mass.sum()), task.seed + member)


def _follow(task: SearchTask, way: _Way, pool: Executor, watch: Callable[[Trial], None]) -> None:
    """Learn single networks in all folds, one penalty after another, and judge them by the held-out rows."""
    paths = [_path(task, rows[0], fold.training, 0) for rows, fold in zip(way.rows, task.folds, strict=True)]
    for some in way.found:
        some.append([])
    for penalty in penalties_to_try(task):
        for some, snapshot in zip(way.found, pool.map(Path.at, paths, repeat(penalty)), strict=True):
            some[0].append(snapshot)
        way.trials.append(_judged(task, penalty, way, 1, len(way.trials)))
        watch(way.trials[-1])
        if way.settled(len(task.classes)):
            break


def _votes(task: SearchTask, way: _Way, pool: Executor, watch: Callable[[Trial], None]) -> list[Trial]:
    """Learn the other members along the same penalties, and judge the votes."""
    tried = [trial.penalty for trial in way.trials]
    jobs = [(fold, member) for member in range(1, MEMBERS) for fold in range(len(task.folds))]

    def learned(job: tuple[int, int]) -> list[Snapshot]:
        fold, member = job
        path = _path(task, way.rows[fold][member], task.folds[fold].training, member)
        return [path.at(penalty) for penalty in tried]

    for (fold, _), found in zip(jobs, pool.map(learned, jobs), strict=True):
        way.found[fold].append(found)
    trials = [_judged(task, penalty, way, MEMBERS, number) for number, penalty in enumerate(tried)]
    for trial in trials:
        watch(trial)
    return trials


def _judged(task: SearchTask, penalty: float, way: _Way, members: int, number: int) -> Trial:
    classes, scoring = len(task.classes), SCORINGS[task.settings.scoring]
    confusion = np.zeros((classes, classes))
    trained, edges = [], []
    for fold, some in zip(task.folds, way.found, strict=True):
        snapshots = [one[number] for one in some[:members]]
        confusion += _confusion(fold.held, _answers(snapshots, fold.held.codes), classes)
        trained.append(score_of(_confusion(fold.training, _answers(snapshots, fold.training.codes), classes), scoring))
        edges.append(sum(one.edges for one in snapshots))
    score = float(score_of(confusion, scoring))
    return Trial(penalty, members, way.augmented, float(np.mean(edges)), float(np.mean(trained)), score)


def _answers(snapshots: Sequence[Snapshot], codes: NDArray[np.uint8]) -> NDArray[np.intp]:
    fired = [one.fired(codes) for one in snapshots]
    return voted(fired, [one.order for one in snapshots], [one.default for one in snapshots])


def _confusion(rows: Rows, answers: NDArray[np.intp], classes: int) -> NDArray[np.float64]:
    return np.stack([np.bincount(answers, rows.mass[:, k], classes) for k in range(classes)])


def _value(trial: Trial, classes: int) -> float:
    """Return the score less what the size of the network costs the reader."""
    return trial.score - _SIZE * (max(trial.edges, 1) / classes) ** 0.5 - (_VOTE if trial.members > 1 else 0)


def _learned_from_all(
    task: SearchTask, ways: Sequence[_Way], votes: Sequence[Trial], pool: Executor, interrupted: bool
) -> SearchResult:
    """Learn the path of the chosen way from all rows, down to the chosen penalty, or to the best score."""
    history = (*(trial for way in ways for trial in way.trials), *votes)
    chosen = max(history, key=lambda trial: _value(trial, len(task.classes)))
    way = ways[chosen.augmented]
    tried = [*way.trials, *(trial for trial in votes if trial.augmented == way.augmented)]
    best = max(tried, key=lambda trial: trial.score)
    lowest = min(chosen.penalty, best.penalty)
    wanted = [trial for trial in way.trials if trial.penalty >= lowest]
    wanted += [trial for trial in (chosen, best) if trial.members > 1]
    steps = [trial.penalty for trial in way.trials if trial.penalty >= lowest]
    rows = _rows(task, way.augmented, task.rows)

    def learned(member: int) -> list[Snapshot]:
        path = _path(task, rows[member], task.rows, member)
        return [path.at(penalty) for penalty in steps]

    snapshots = list(pool.map(learned, range(max(trial.members for trial in wanted))))

    def finished(trial: Trial) -> FoundNetwork:
        number = steps.index(trial.penalty)
        coded, *others = (
            coded_network(task.table, task.classes, [one[number] for one in some[: trial.members]])
            for some in (snapshots, *way.found)
        )
        return FoundNetwork(trial, coded, _shortest(coded, task.rows.codes, task.settings), tuple(others))

    front = pareto_front(list(pool.map(finished, dict.fromkeys(wanted))))
    number = next(number for number, one in enumerate(front) if one.score >= chosen.score)
    return SearchResult(tuple(front), number, history, interrupted)


def _shortest(coded: CodedNetwork, seen: NDArray[np.uint8], settings: SearchSettings) -> RuleNetwork:
    """Return the network as short as it can be said; fewer edges can be more rules or longer ones than are wanted."""
    simple = simplify(coded.network, coded.bits(seen))
    smaller = minimise(simple)
    return in_order(smaller if settings.kept_by(smaller) else simple)
