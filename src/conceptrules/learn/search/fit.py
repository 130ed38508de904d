"""From rows to the Pareto front: networks along a regularization path, in the inner folds and on all rows side by side.

Up to 4,000 rows, mixed rows are learned from as well (augmentation.py). What the held-out rows of all folds say
together decides on the penalty. Of very large tables (learn/shards), the path is learned from a sample, its best
network is improved on more rows, and all rows that are held out decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import announced
from conceptrules.kernels.search.scores import score_of
from conceptrules.kernels.search.values import Columns, Rows, Rules
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.search.augmentation import Forest, augmented
from conceptrules.learn.search.binned_table import BinnedTable
from conceptrules.learn.search.choice import Trial, chance_of, choose, standard_error, value_of
from conceptrules.learn.search.coded_network import CodedNetwork, coded_network
from conceptrules.learn.search.group_members import closer, excess, rates_of
from conceptrules.learn.search.kept_path import KeptPath
from conceptrules.learn.search.locked_rules import LockedRules
from conceptrules.learn.search.merged_rows import Fold, enough_for_trees
from conceptrules.learn.search.regularization_path import Path, Snapshot, penalties
from conceptrules.learn.search.screening import MOST, ScreenedPath, most_telling, only
from conceptrules.learn.search.settings import SCORINGS, SearchSettings
from conceptrules.learn.search.shortening import shortest
from conceptrules.model.errors import InputError, warn
from conceptrules.model.evaluation import first_firing
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Point, pareto_front
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.predicate import Value

_QUICK = 2.5
"""Down to this penalty a network takes no time, and the first ones, of a few edges, are good or bad by chance."""
_HOPELESS, _ERRORS = 0.02, 2.0
"""Penalties below one that is so much worse than the best, or by so many standard errors, are not tried: the networks
there are the largest, and take most of the time."""
_SMALL = 1000
"""Rows up to which the whole path takes little time, and one penalty being worse than the last means little."""
FOREST_UP_TO = 4_000
"""Rows of a table that a forest is asked about. Larger ones have rows enough of their own."""
_EVIDENT = 1.645
"""Standard errors beyond a bound on held-out rows that chance still explains, in one of twenty cases."""
_ROUNDING = 1e-9
"""Rates that differ by less are the same."""
_REFINED = (1.0, 0.5, 0.25)
"""The best network of a sample is improved on more rows at these parts of its penalty: more rows bear more rules."""

Judge = Callable[[Sequence[Snapshot]], NDArray[np.float64]]
"""What returns [network, true class, answer], the weight of held-out rows."""


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
    class_weight: NDArray[np.float64]
    """What a row of each class weighs."""
    policy: Policy | None = None
    """What every network has to satisfy."""
    priority: tuple[int, ...] | None = None
    """The priority that the policy asks for."""
    default: int | None = None
    """The default that the policy asks for."""
    locked: LockedRules | None = None
    """The rules that the policy locks."""
    banned: Rules | None = None
    """The rules that the policy bans."""
    expected_rates: tuple[float, ...] = ()
    """For each clause about groups, a rate to reckon with."""
    more: Rows | None = None
    """More rows to improve the best network on, where those of the task are a sample; there is a judge, too."""
    judge: Judge | None = None
    """What has the last word on networks where the rows of the task are a sample; None: the folds have."""


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
    """The Pareto front and the chosen network, from the smallest on, and which of them was chosen."""

    networks: tuple[FoundNetwork, ...]
    chosen: int
    history: tuple[Trial, ...]
    interrupted: bool
    """Whether Ctrl-C ended the search."""


def fit(
    task: SearchTask, threads: int, watch: Callable[[Trial], None], checkpoint: Checkpoint | None = None
) -> SearchResult:
    """Search for networks. What comes out depends neither on the number of threads nor on a checkpoint."""
    # One thread too is one of its own: Ctrl-C inside of compiled code is a SystemError, where it should end the search.
    with ThreadPoolExecutor(threads) as pool, announced():
        found, interrupted = _Found(task, checkpoint), False
        try:
            # One after the other: scikit-learn's forests change the filters of warnings, which all threads share.
            rows = [_rows(task, source) for source in found.sources]
            if checkpoint is not None:
                checkpoint.open("search", _decisive(task), (rows, task.columns))
            _follow(found, rows, pool, watch)
            if task.more is not None and not _wide(task):
                _refine(found, task.more, pool, watch)
        except KeyboardInterrupt:
            interrupted = True
            if not found.trials:
                raise
        if task.judge is not None:
            _judge_by_all(found, task.judge)
        return _front(found, pool, interrupted)


class _Found:
    """The networks that were found until now, in the folds and on all rows."""

    def __init__(self, task: SearchTask, checkpoint: Checkpoint | None) -> None:
        self.task, self.checkpoint = task, checkpoint
        self.sources = [fold.training for fold in task.folds]
        """What is learned from: the rows of each fold, and all rows. Given validation rows leave all rows to learn."""
        if self.sources[0] is not task.rows:
            self.sources.append(task.rows)
        self.snapshots: list[list[Snapshot]] = [[] for _ in self.sources]
        """[source][penalty]: the networks."""
        self.trials: list[Trial] = []
        self.held = float(sum(len(fold.held.label) for fold in task.folds))
        """The number of rows that judge."""

    def network(self, trial: Trial, source: int) -> Snapshot:
        wanted = trial.penalty, trial.refined
        number = next(number for number, one in enumerate(self.trials) if (one.penalty, one.refined) == wanted)
        return self.snapshots[source][number]


def _asks_forest(task: SearchTask) -> bool:
    learned = (task.rows, *(fold.training for fold in task.folds))
    small = bool(task.settings.tries.trees) and len(task.rows.label) <= FOREST_UP_TO
    return small and all(map(enough_for_trees, learned))


def penalties_to_try(task: SearchTask) -> tuple[float, ...]:
    """Return the penalties of an edge that a fit tries, the highest first; it may end before the last."""
    tries = task.settings.tries
    lowest = tries.lowest_of_small if len(task.rows.label) <= _SMALL else tries.lowest
    first, second, *others = penalties(float(task.folds[0].training.mass.sum()), lowest)
    return (first, second, *others[-1 :: -tries.stride][::-1])


def _decisive(task: SearchTask) -> tuple[object, ...]:
    """Return the settings that the networks of the paths depend on."""
    locked = None if task.locked is None else task.locked.rules
    return task.settings, task.settings.tries, task.seed, task.priority, task.default, locked, task.banned


def _rows(task: SearchTask, rows: Rows) -> Rows:
    """Return what is learned from: the rows, and of a small table mixed rows as well."""
    if not _asks_forest(task):
        return rows
    forest = Forest(rows, task.columns, task.settings.tries.trees, task.seed)
    return augmented(rows, forest, np.random.default_rng((task.seed, 0)))


def _wide(task: SearchTask) -> bool:
    """Return whether there are so many columns that each path has a choice of them."""
    return len(task.columns.bins) > MOST and task.locked is None and task.banned is None


def _paths(found: _Found, rows: Sequence[Rows]) -> list[Path | ScreenedPath]:
    task, wide = found.task, _wide(found.task)

    def path(place: int, source: Rows, learned: Rows) -> Path | ScreenedPath:
        kept = most_telling(learned, task.columns) if wide else None
        learned, columns = (learned, task.columns) if kept is None else only(learned, task.columns, kept)
        path = _path(found, str(place), source, learned, columns)
        return path if kept is None else ScreenedPath(path, kept)

    return [path(place, found.sources[place], learned) for place, learned in enumerate(rows)]


def _path(found: _Found, name: str, source: Rows, learned: Rows, columns: Columns) -> Path:
    task = found.task
    path = (
        learned._replace(groups=closer(learned.groups, task.expected_rates)),
        columns,
        _scaled(task, source),
        1 / float(source.mass.sum()),
        task.seed,
        task.priority,
        task.default,
        None if task.locked is None else task.locked.rules,
        task.banned,
    )
    return Path(*path) if found.checkpoint is None else KeptPath(found.checkpoint, name, *path)


def _scaled(task: SearchTask, rows: Rows) -> SearchSettings:
    """Return the settings for some of the rows: where a rule has to cover ten of 300, eight of 240 will do."""
    if not task.settings.least_rows:
        return task.settings
    share = float(rows.raw.sum() / task.rows.raw.sum())
    return replace(task.settings, least_rows=task.settings.least_rows * share)


def _follow(found: _Found, rows: Sequence[Rows], pool: Executor, watch: Callable[[Trial], None]) -> None:
    """Learn from all sources side by side, one penalty after another, and judge each by the held-out rows."""
    paths = _paths(found, rows)
    for penalty in penalties_to_try(found.task):
        for some, snapshot in zip(found.snapshots, list(_at(penalty, paths, pool)), strict=True):
            some.append(snapshot)
        found.trials.append(_judged(found, penalty, len(found.trials)))
        watch(found.trials[-1])
        if _settled(found):
            break


def _at(penalty: float, paths: Sequence[Path | ScreenedPath], pool: Executor) -> Iterator[Snapshot]:
    return pool.map(lambda path: path.at(penalty), paths)


def _settled(found: _Found) -> bool:
    """Return whether a lower penalty has nothing left to gain."""
    trials = found.trials
    if len(trials) > 1 and min(one.training_score for one in trials[-2:]) > 1 - 1e-9:
        return True
    if trials[-1].penalty > _QUICK or len(found.task.rows.label) <= _SMALL:
        return False
    if min(one.unfairness for one in trials[-2:]) > 0:
        return True  # larger networks are no fairer on held-out rows
    values = [value_of(one, len(found.task.classes)) for one in trials]
    error = standard_error(trials[int(np.argmax(values))], found.held)
    hopeless = min(_HOPELESS, _ERRORS * error or _HOPELESS)
    return values[-1] < max(values) - hopeless or (len(values) > 2 and max(values[-2:]) <= max(values[:-2]))


def _refine(found: _Found, more: Rows, pool: Executor, watch: Callable[[Trial], None]) -> None:
    """Improve the best network of a sample on more rows, at several penalties side by side; the judge tells them."""
    task = found.task
    best = max(found.trials, key=lambda trial: value_of(trial, len(task.classes)))
    start, scale = found.network(best, 0), float(more.mass.sum() / task.rows.mass.sum())

    def improved(part: float) -> Snapshot:
        path = _path(found, f"refined {part}", more, more, task.columns)
        return path.improved(start, best.penalty * part * scale)

    for part, network in zip(_REFINED, pool.map(improved, _REFINED), strict=True):
        found.snapshots[0].append(network)
        size, score = float(network.edges), network.score
        found.trials.append(Trial(best.penalty * part, False, size, score, score, best.chance, refined=True))
        watch(found.trials[-1])


def _judged(found: _Found, penalty: float, number: int) -> Trial:
    task, classes, scoring = found.task, len(found.task.classes), SCORINGS[found.task.settings.scoring]
    confusion = np.zeros((classes, classes))
    trained, edges, held = [], [], []
    for place, fold in enumerate(task.folds):
        snapshot = found.snapshots[place][number]
        held.append(_answers(snapshot, fold.held.codes))
        confusion += _confusion(fold.held, held[-1], classes)
        trained.append(score_of(_confusion(fold.training, _answers(snapshot, fold.training.codes), classes), scoring))
        edges.append(snapshot.edges)
    score = float(score_of(confusion, scoring))
    size, learned = float(np.mean(edges)), float(np.mean(trained))
    chance = chance_of(confusion, task.class_weight)
    apart = _unfairness(task, held if size else [], found.snapshots[-1][number])
    return Trial(penalty, _asks_forest(task), size, learned, score, chance, apart)


def _judge_by_all(found: _Found, judge: Judge) -> None:
    task, scoring = found.task, SCORINGS[found.task.settings.scoring]
    confusions = judge([found.network(trial, 0) for trial in found.trials])
    found.trials = [
        replace(trial, score=float(score_of(confusion, scoring)), chance=chance_of(confusion, task.class_weight))
        for trial, confusion in zip(found.trials, confusions, strict=True)
    ]
    found.held = float(confusions[0].sum())


def _unfairness(task: SearchTask, held: Sequence[NDArray[np.intp]], snapshot: Snapshot) -> float:
    """Return how far groups are too far apart: on all rows, and on the held-out rows of all folds together.

    Held-out rows of folds are few, and judge other networks of the same penalty: there chance is allowed for.
    Networks without rules treat all groups alike, but the folds may differ in their answer: then `held` is empty.
    """
    groups = task.rows.groups
    if not len(groups.total):
        return 0.0
    found = excess(groups, rates_of(groups, _answers(snapshot, task.rows.codes)), groups.total)
    if held:
        others = [fold.held.groups for fold in task.folds]
        total = np.sum([some.total for some in others], axis=0)
        answered = np.sum([rates_of(*pair) * pair[0].total for pair in zip(others, held, strict=True)], axis=0)
        # The user's own validation rows judge the network itself.
        errors = 0.0 if task.folds[0].training is task.rows else _EVIDENT
        found = max(found, excess(others[0], answered / np.where(total > 0, total, 1.0), total, errors))
    return found if found > _ROUNDING else 0.0


def _answers(snapshot: Snapshot, codes: NDArray[np.uint8]) -> NDArray[np.intp]:
    return first_firing(snapshot.fired(codes), snapshot.order.tolist(), snapshot.default)


def _confusion(rows: Rows, answers: NDArray[np.intp], classes: int) -> NDArray[np.float64]:
    return np.stack([np.bincount(answers, rows.mass[:, k], classes) for k in range(classes)])


def _fair(found: _Found) -> list[Trial]:
    """Return the trials whose networks treat groups as the policy wants it, on held-out rows too."""
    fair = [trial for trial in found.trials if trial.unfairness == 0]
    if len(fair) == len(found.trials):
        return fair
    assert found.task.policy is not None
    names = " and ".join(clause.name for clause in found.task.policy.of_kind(Fair))
    nearest = min(trial.unfairness for trial in found.trials if trial.unfairness > 0)
    reached = f"the nearest ones are beyond the bound by {nearest:.4f}"
    if not fair:
        raise InputError(f"{names}: no network with these locked rules keeps the bound; {reached}")
    if all(trial.edges == 0 for trial in fair):
        warn(f"{names}: no network with rules keeps the bound on held-out rows; {reached}")
    return fair


def _front(found: _Found, pool: Executor, interrupted: bool) -> SearchResult:
    """Return the Pareto front of the networks of all rows, and the chosen one, from the smallest on."""
    task, trials = found.task, _fair(found)
    chosen = choose(trials, found.held, float(task.rows.mass.sum()), len(task.classes))
    best = max(trials, key=lambda trial: trial.score)
    lowest = min(chosen.penalty, best.penalty)
    every = [trial for trial in trials if trial.penalty >= lowest]
    # To say a network shorter takes as long as to learn it, so those that a smaller one beats as they are stay away.
    last = len(found.sources) - 1
    sized = {trial: Point(found.network(trial, last).edges, trial.score) for trial in every}
    unbeaten = pareto_front(sized.values())

    def finished(trial: Trial) -> FoundNetwork:
        *folds, coded = (
            coded_network(task.table, task.classes, found.network(trial, source), task.locked)
            for source in (*range(len(task.folds)), last)
        )
        return FoundNetwork(
            trial, coded, shortest(coded, task.rows, task.table, task.settings, task.policy), tuple(folds)
        )

    short = list(pool.map(finished, (one for one in sized if one == chosen or sized[one] in unbeaten)))
    taken = next(one for one in short if one.trial == chosen)
    # A smaller network may have the better score of held-out rows: by chance, or it would have been chosen.
    others = [one for one in pareto_front(short) if (one.edges, one.score) != (taken.edges, taken.score)]
    front = sorted([*others, taken], key=attrgetter("edges", "score"))
    return SearchResult(tuple(front), front.index(taken), tuple(found.trials), interrupted)
