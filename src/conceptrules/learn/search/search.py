"""From a task to the Pareto front: networks along a regularization path, in the folds and on all rows side by side.

Up to 4,000 rows, mixed rows are learned from as well (augmentation.py). The held-out rows of all folds together decide
on the penalty. If the task is a sample of a larger table, the best network of the path is improved on more rows, and
all held-out rows decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import attrgetter, methodcaller

import numpy as np

from conceptrules.kernels.search.coverage import count_rules
from conceptrules.kernels.search.values import Columns, Rows, take_rules
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.checks import choose_least_rows
from conceptrules.learn.choose import USUAL, USUAL_FOR_LOSS, Trial, choose_trial, compute_error
from conceptrules.learn.memory import (
    estimate_column_bytes,
    estimate_row_bytes,
    estimate_screening_bytes,
    estimate_search_bytes,
)
from conceptrules.learn.search.augmentation import (
    FOREST_UP_TO,
    Forest,
    augment_rows,
    count_mixed_rows,
    uses_forest,
)
from conceptrules.learn.search.coded_network import CodedNetwork, code_network
from conceptrules.learn.search.fairness import tighten_bounds
from conceptrules.learn.search.judge import Trials, judge_by_folds, judge_by_remainder, keep_fair
from conceptrules.learn.search.path import CheckpointedPath, LearnedPath, Path, Snapshot, list_penalties
from conceptrules.learn.search.screening import CELLS, MAX_COLUMNS, ScreenedPath, select_columns, take_columns
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.shortening import simplify_and_minimise
from conceptrules.learn.task import SAMPLE, Task, choose_split
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Point, pareto_front
from conceptrules.tables.labels import MANY_CLASSES

_QUICK = 2.5
"""Down to this penalty the search never stops: networks of a few edges take no time, and are good or bad by chance."""
_HOPELESS, _ERRORS = 0.02, 2.0
"""Once a penalty is this much worse than the best, or by this many standard errors, no lower ones are tried: their
networks are the largest, and take most of the time."""
_NO_BETTER = 100
"""Edges up to which networks that do no better than chance may lead to some that do."""
_SMALL = 1000
"""Rows up to which the whole path takes little time, and a penalty that is worse than the last one means little."""
_REFINED = (1.0, 0.5, 0.25)
"""Multiples of its penalty at which the best network of a sample is improved on more rows, which support more rules."""

Watch = Callable[[Trial], None]
"""Called with each trial."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedNetwork:
    """A network of the regularization path, and those of the folds at the same penalty."""

    trial: Trial
    coded: CodedNetwork
    network: RuleNetwork
    """The network, simplified."""
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

    networks: tuple[LearnedNetwork, ...]
    chosen: int
    history: tuple[Trial, ...]
    interrupted: bool
    """Whether Ctrl-C ended the search."""
    too_few_rows: bool
    """Whether there are too few held-out rows to tell any rules from chance."""


def search_networks(
    task: Task[SearchSettings], threads: int, watch: Watch, checkpoint: Checkpoint | None = None
) -> SearchResult:
    """Search for networks. The result depends neither on the number of threads nor on a checkpoint."""
    # Even a single thread is not the main one: there, Ctrl-C inside compiled code would be a SystemError.
    with ThreadPoolExecutor(threads) as pool:
        trials, interrupted = Trials(task, checkpoint), False
        try:
            # One after the other: scikit-learn's forests change the filters of warnings, which all threads share.
            rows = [_augment(task, source) for source in trials.sources]
            if checkpoint is not None:
                checkpoint.open("search", _list_decisive_settings(task), (rows, task.columns))
            _learn_paths(trials, rows, pool, watch)
            more = None if task.remainder is None or _is_wide(task) else task.remainder.more
            if more is not None and trials.beats_chance:
                _refine(trials, more, pool, watch)
        except KeyboardInterrupt:
            interrupted = True
            if not trials.tried:
                raise
        if task.remainder is not None:
            judge_by_remainder(trials)
        return _find_front(trials, pool, interrupted)


def choose_penalties(task: Task[SearchSettings]) -> tuple[float, ...]:
    """Return the penalties of an edge that a fit tries, the highest first; it may end before the last."""
    effort, rows = task.settings.effort_level, float(task.folds[0].training.mass.sum())
    lowest = effort.lowest_of_small if len(task.rows.label) <= _SMALL else effort.lowest
    penalties = list_penalties(rows, lowest)
    # An answer with one class more adds at most the share of a class to these scores, and takes two edges. So where an
    # edge costs that share, no network is better than none; with very many classes, each penalty takes seconds.
    if len(task.classes) > MANY_CLASSES and task.settings.scoring in ("f1_macro", "balanced_accuracy"):
        return penalties[:2] + tuple(penalty for penalty in penalties[2:] if penalty < rows / len(task.classes))
    return penalties


def _list_decisive_settings(task: Task[SearchSettings]) -> tuple[object, ...]:
    """Return the settings that the networks of the paths depend on."""
    start, locked = task.constraints.start, task.constraints.locked
    rules = None if locked is None else locked.rules
    settings = task.settings
    return settings, settings.effort_level, task.seed, start.priority, start.default, rules, task.constraints.banned


def _augment(task: Task[SearchSettings], rows: Rows) -> Rows:
    """Return the rows to learn from; those of a small table are followed by mixed ones."""
    if not uses_forest(task):
        return rows
    forest = Forest(rows, task.columns, task.settings.effort_level.trees, task.seed)
    return augment_rows(rows, forest, np.random.default_rng((task.seed, 0)))


def _is_wide(task: Task[SearchSettings]) -> bool:
    """Return whether there are so many columns that each path selects some of them."""
    bound = task.constraints.locked is not None or task.constraints.banned is not None
    return len(task.columns.bins) > MAX_COLUMNS and not bound


def _begin_path(trials: Trials, name: str, source: Rows, learned: Rows, columns: Columns) -> LearnedPath:
    path = _begin_plain_path(trials, source, learned, columns)
    return path if trials.checkpoint is None else CheckpointedPath(path, trials.checkpoint, name)


def _begin_plain_path(trials: Trials, source: Rows, learned: Rows, columns: Columns) -> Path:
    task = trials.task
    learned = learned._replace(groups=tighten_bounds(learned.groups, task.constraints.expected_rates))
    settings, unit = _scale_settings(task, source), 1 / float(source.mass.sum())
    return Path(learned, columns, settings, task.constraints, unit, task.seed)


def _begin_screened_path(trials: Trials, number: int, learned: Rows) -> LearnedPath:
    """Begin the path of one source; for a wide table it considers only the most informative columns there."""
    source, columns = trials.sources[number], trials.task.columns
    if not _is_wide(trials.task):
        return _begin_path(trials, str(number), source, learned, columns)
    kept = select_columns(learned, columns)
    return ScreenedPath(_begin_path(trials, str(number), source, *take_columns(learned, columns, kept)), kept)


def _scale_settings(task: Task[SearchSettings], rows: Rows) -> SearchSettings:
    """Return the settings for part of the rows: if a rule has to cover ten of 300, eight of 240 will do."""
    if not task.settings.least_rows:
        return task.settings
    share = float(rows.raw.sum() / task.rows.raw.sum())
    return replace(task.settings, least_rows=task.settings.least_rows * share)


def _drop_rare_rules(task: Task[SearchSettings], snapshot: Snapshot, rows: Rows) -> Snapshot:
    """Return the network without the rules that cover too few rows to show anything.

    A rule needs as many as suit the size of the table, but no more than a tenth of its class.
    """
    settings, rules = task.settings, snapshot.rules
    locked = 0 if task.constraints.locked is None else len(task.constraints.locked.tests)
    counted = rows.mass / np.where(task.class_weight > 0, task.class_weight, 1.0)
    weight = counted.sum(axis=1)
    usual = choose_least_rows(float(weight.sum()))
    if usual == 1 or not settings.usual_support or settings.least_rows:
        return snapshot
    least = np.minimum(usual, counted.sum(axis=0) / 10)
    kept = np.ones(len(rules.owner), np.bool_)
    for number in range(locked, len(kept)):
        rule = take_rules(rules, slice(number, number + 1))
        holds = np.zeros((1, len(weight)), np.int16)
        count_rules(rows.codes, rule._replace(owner=np.zeros(1, np.int64)), 1, holds)
        kept[number] = holds[0] @ weight >= least[rules.owner[number]]
    dropped = int((rules.size[~kept].sum(axis=1) + 1).sum())
    return replace(snapshot, rules=take_rules(rules, kept), edges=snapshot.edges - dropped)


def _learn_paths(trials: Trials, rows: Sequence[Rows], pool: Executor, watch: Watch) -> None:
    """Learn from all sources side by side, one penalty after another, and judge each by the held-out rows."""
    paths = [_begin_screened_path(trials, number, learned) for number, learned in enumerate(rows)]
    for penalty in choose_penalties(trials.task):
        learned = list(pool.map(methodcaller("learn_at", penalty), paths))
        for snapshots, snapshot, source in zip(trials.snapshots, learned, trials.sources, strict=True):
            snapshots.append(_drop_rare_rules(trials.task, snapshot, source))
        judge_by_folds(trials, penalty, uses_forest(trials.task))
        watch(trials.tried[-1])
        if _should_stop(trials):
            break


def _should_stop(trials: Trials) -> bool:
    """Return whether lower penalties have nothing left to gain."""
    tried = trials.tried
    if len(tried) > 1 and min(trial.training_score for trial in tried[-2:]) > 1 - 1e-9:
        return True
    if tried[-1].edges > _NO_BETTER and not trials.beats_chance:
        return True
    if tried[-1].penalty > _QUICK or len(trials.task.rows.label) <= _SMALL:
        return False
    if min(trial.unfairness for trial in tried[-2:]) > 0:
        return True  # larger networks are not fairer on held-out rows
    values = [trials.value(trial) for trial in tried]
    difference = trials.influence[int(np.argmax(values))] - trials.influence[-1]
    error = compute_error(difference, trials.observations.independent)
    hopeless = min(_HOPELESS, _ERRORS * error or _HOPELESS)
    return values[-1] < max(values) - hopeless or (len(values) > 2 and max(values[-2:]) <= max(values[:-2]))


def _refine(trials: Trials, more: Rows, pool: Executor, watch: Watch) -> None:
    """Improve the best network of a sample on more rows, at several penalties side by side."""
    task = trials.task
    best = max(trials.tried, key=trials.value)
    start, scale = trials.network(best, 0), float(more.mass.sum() / task.rows.mass.sum())

    def improve(part: float) -> Snapshot:
        return _begin_plain_path(trials, more, more, task.columns).improve(start, best.penalty * part * scale)

    for part, network in zip(_REFINED, pool.map(improve, _REFINED), strict=True):
        trials.snapshots[0].append(_drop_rare_rules(task, network, more))
        judge_by_folds(trials, best.penalty * part, augmented=False)
        # What groups are treated like is checked on all rows in the end.
        trials.tried[-1] = replace(trials.tried[-1], unfairness=0.0, refined=True)
        watch(trials.tried[-1])


def _find_front(trials: Trials, pool: Executor, interrupted: bool) -> SearchResult:
    """Return the Pareto front of the networks of all rows, and the chosen one, from the smallest on."""
    task, fair = trials.task, keep_fair(trials)
    last = len(trials.sources) - 1
    # Rules in the folds are no reason to choose a network without any.
    choices = [trial for trial in fair if trials.network(trial, last).edges or not trial.edges]
    influence = np.array([trials.influence[trials.tried.index(trial)] for trial in choices])
    rows = float(task.rows.mass.sum())
    usual = USUAL_FOR_LOSS if task.settings.scoring == "neg_log_loss" else USUAL
    chosen = choose_trial(choices, influence, trials.observations.independent, rows, len(task.classes), usual)
    best = max(fair, key=lambda trial: trial.score)
    lowest = min(chosen.penalty, best.penalty)
    # Simplifying a network takes as long as learning it, so networks that a smaller one already beats are left out.
    sized = {trial: Point(trials.network(trial, last).edges, trial.score) for trial in fair if trial.penalty >= lowest}
    unbeaten = pareto_front(sized.values())

    def shorten(trial: Trial) -> LearnedNetwork:
        *in_folds, coded = (
            code_network(task.table, task.classes, trials.network(trial, source), task.constraints.locked)
            for source in (*range(len(task.folds)), last)
        )
        short = simplify_and_minimise(coded, task.rows, task.table, task.settings, task.constraints.policy)
        return LearnedNetwork(trial, coded, short, tuple(in_folds))

    shortened = list(pool.map(shorten, (trial for trial in sized if trial == chosen or sized[trial] in unbeaten)))
    taken = next(network for network in shortened if network.trial == chosen)
    # A smaller network may have a better score on held-out rows: by chance, or else it would have been chosen.
    point = (taken.edges, taken.score)
    front = [network for network in pareto_front(shortened) if (network.edges, network.score) != point]
    front = sorted([*front, taken], key=attrgetter("edges", "score"))
    return SearchResult(tuple(front), front.index(taken), tuple(trials.tried), interrupted, trials.too_few_rows)


def estimate_bytes(settings: SearchSettings, threads: int, rows: int, columns: int, classes: int) -> float:
    """Estimate the memory that a fit of this many rows, columns and classes takes."""
    searched = min(rows, SAMPLE)  # a sample of a larger table is searched
    folds = choose_split(searched, settings.effort_level.folds)[0]
    forest = settings.effort_level.trees and searched <= FOREST_UP_TO
    mixed = count_mixed_rows(searched, max(columns, 1)) if forest else 0
    search = estimate_search_bytes(searched, mixed, columns, classes, folds, threads)
    screening = estimate_screening_bytes(min(searched * columns, CELLS)) if columns > MAX_COLUMNS else 0.0
    return search + screening + estimate_column_bytes(rows, columns) + estimate_row_bytes(rows - searched, columns)
