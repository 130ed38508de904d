"""Relations that nobody names: `relations="auto"` tries pairs of columns, and takes those that held-out rows are for.

The columns of numbers that tell most about the classes are paired where their scales compare. Fits learn without
relations, with all of them, and with those that the rules then ask about. These are taken only if both are better on
the rows that the folds hold out by more than two standard errors: which relations are asked about was chosen on all
rows, so that the last fit alone proves little. More columns overfit, so most tables take none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import take_logarithms
from conceptrules.kernels.search.scores import score_of
from conceptrules.kernels.search.values import Rows
from conceptrules.learn.binned_table import BinnedTable, Bins
from conceptrules.learn.checks import AUTO
from conceptrules.learn.choose import Floats, compute_error, compute_influence, count_confusion
from conceptrules.learn.coding.table_coding import CodedTable, code_table
from conceptrules.learn.inputs import FitInputs, FitOptions
from conceptrules.learn.points.learning import learn_cards
from conceptrules.learn.points.number_rows import NumberTask, make_number_task
from conceptrules.learn.points.numbers import learn_numbers
from conceptrules.learn.points.policy import apply_policy as apply_to_cards
from conceptrules.learn.points.settings import CardSettings, NumberSettings
from conceptrules.learn.search.judge import list_observations
from conceptrules.learn.search.policy_masks import apply_policy
from conceptrules.learn.search.screening import select_columns, take_columns
from conceptrules.learn.search.search import search_networks
from conceptrules.learn.search.settings import SCORINGS
from conceptrules.learn.task import Task, make_task
from conceptrules.model.derived import Relation, name_derivation
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import decide
from conceptrules.model.policy.policy import names_column
from conceptrules.model.text import number_text, plural
from conceptrules.tables.sources import is_source, resolve_source

_MOST_COLUMNS = 7
"""Columns that are paired: each with each, so that there are at most 42 relations."""
_DIFFERENCES, _RATIOS = 10.0, 1000.0
"""How many times the usual size of one column that of the other may be, to subtract or to divide them."""
_ERRORS = 2.0
"""Standard errors on held-out rows by which relations have to be better."""


@dataclass(frozen=True, slots=True)
class RelationTrial:
    """A relation that was tried."""

    name: str
    """The relation, as rules say it."""
    taken: bool
    """Whether the fit may ask about it."""


@dataclass(frozen=True, slots=True)
class RelationSearch:
    """What `relations="auto"` tried and took, and why. It prints as text."""

    trials: tuple[RelationTrial, ...]
    """The relations, each once."""
    reason: str
    """Why some were taken, or none."""
    without: float = 0.0
    """The score on held-out rows of a fit without relations."""
    gain: float = 0.0
    """What relations add to it: all that were tried, or those that rules then ask about, whichever add less."""
    error: float = 0.0
    """The standard error of the gain."""

    @property
    def taken(self) -> tuple[str, ...]:
        """The relations that the fit may ask about."""
        return tuple(trial.name for trial in self.trials if trial.taken)

    def __str__(self) -> str:
        taken = f"taken: {', '.join(self.taken)}" if self.taken else "none taken"
        return f"{plural(len(self.trials), 'relation')} tried, {taken}: {self.reason}"


def find_relations(inputs: FitInputs, options: FitOptions[Any], scratch: Any, client: Any) -> FitOptions[Any]:
    """Return the options with the relations that held-out rows are for, where the user leaves that to the fit."""
    if options.binarizer.relations != AUTO:
        return options
    if is_source(inputs.X) and isinstance(resolve_source(inputs.X).data, pa.RecordBatchReader):
        raise InputError("relations='auto' reads the table several times, and a stream can be read once; give files")
    with warnings.catch_warnings():  # the fit itself says what is worth a look
        warnings.simplefilter("ignore")
        with code_table(inputs, _try_relations(options, ()), scratch, client) as coded:
            candidates = list_candidates(coded, options)
        search = RelationSearch((), "no two columns of numbers have scales that compare")
        if candidates:
            with code_table(inputs, _try_relations(options, candidates), scratch, client) as coded:
                search = _judge_candidates(coded, options, candidates)
    taken = [relation for relation in candidates if name_derivation(relation) in search.taken]
    options = _try_relations(options, taken, options)
    options.binarizer.relation_search = search
    return replace(options, parameters={**options.parameters, "relations_tried": str(search)})


def _try_relations(
    options: FitOptions[Any], relations: Sequence[Relation], like: FitOptions[Any] | None = None
) -> FitOptions[Any]:
    """Return the options of a fit with these relations: one to try them, or the one that is like another."""
    binarizer = copy(options.binarizer)
    binarizer.relations = tuple((each.left, each.operator, each.right) for each in relations)
    if like is not None:
        return replace(options, binarizer=binarizer)
    settings = replace(options.settings, effort="fast" if options.settings.effort == "fast" else "default")
    return replace(
        options, binarizer=binarizer, settings=settings, rng=deepcopy(options.rng), checkpoint=None, verbose=False
    )


def list_candidates(coded: CodedTable, options: FitOptions[Any]) -> list[Relation]:
    """Return the relations to try: between the columns that tell most about the classes, where scales compare."""
    task = make_task(coded, _try_relations(options, ()))
    usable = [
        position
        for position, bins in enumerate(task.table.bins)
        if bins.column.ordered and bins.cuts and not names_column(options.policy, bins.column.name)
    ]
    rows, columns = take_columns(task.rows, task.columns, np.array(usable, np.intp))
    chosen = [usable[number] for number in select_columns(rows, columns, _MOST_COLUMNS).tolist()] if usable else []
    scales = [_measure_scale(task.table.bins[position], task.rows, position) for position in chosen]
    return [each for pair in combinations(scales, 2) for each in _pair_columns(*pair)]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where the values of a column lie."""

    name: str
    unit: str
    low: float
    size: float
    """The usual distance from 0."""
    high: float


def _measure_scale(bins: Bins, rows: Rows, position: int) -> _Scale:
    known = rows.codes[:, position] < bins.count
    values = np.array([*bins.cuts, bins.cuts[-1]])[rows.codes[known, position]]
    weight = rows.mass[known].sum(axis=1)

    def find_quantile(numbers: Floats, share: float) -> float:
        order = np.argsort(numbers, kind="stable")
        below = np.cumsum(weight[order])
        return float(numbers[order][np.searchsorted(below, share * below[-1])])

    unit = "date" if bins.column.kind == "datetime" else bins.column.kind
    low, high = (find_quantile(values, share) for share in (0.05, 0.95))
    return _Scale(bins.column.name, unit, low, find_quantile(np.abs(values), 0.5), high)


def _pair_columns(first: _Scale, second: _Scale) -> Iterator[Relation]:
    if first.unit != second.unit:
        return
    sizes = sorted([first.size, second.size])
    overlap = min(first.high, second.high) - max(first.low, second.low)
    narrower = min(first.high - first.low, second.high - second.low)
    if overlap >= 0.5 * narrower and (first.unit == "date" or sizes[1] <= _DIFFERENCES * sizes[0]):
        yield Relation(first.name, "-", second.name)
    if first.unit != "date" and min(first.low, second.low) >= 0 and sizes[1] <= _RATIOS * sizes[0]:
        over, under = (first, second) if first.size <= second.size else (second, first)
        yield Relation(over.name, "/", under.name)


def _judge_candidates(coded: CodedTable, options: FitOptions[Any], candidates: Sequence[Relation]) -> RelationSearch:
    names = [bins.column.name for bins in coded.coding.table.bins]
    tried = [name_derivation(relation) for relation in candidates]

    def judge(relations: Sequence[str]) -> _Judged:
        kept = [position for position, name in enumerate(names) if name not in tried or name in relations]
        return _learn_and_judge(coded, _try_relations(options, ()), np.array(kept, np.intp))

    every = judge(tried)
    asked = [name for name in tried if name in every.used]
    if not asked:
        trials = tuple(RelationTrial(name, taken=False) for name in tried)
        return RelationSearch(trials, "no rule asks about one")
    without, related = judge(()), judge(asked)
    gains = [
        (judged.score - without.score, compute_error(judged.influence - without.influence, judged.count))
        for judged in (every, related)
    ]
    gain, error = min(gains, key=lambda pair: pair[0] - _ERRORS * pair[1])
    better = gain > _ERRORS * error
    reason = (
        f"on held-out rows, a score of {number_text(round(without.score, 3))} without them changes by "
        f"{number_text(round(gain, 3))} at least, which is {'more' if better else 'not more'} than two standard errors "
        f"of {number_text(round(error, 3))}"
    )
    trials = tuple(RelationTrial(name, better and name in asked) for name in tried)
    return RelationSearch(trials, reason, without.score, gain, error)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What held-out rows say of a fit."""

    score: float
    influence: Floats
    """What the score owes to each observation."""
    count: Floats
    used: frozenset[str]
    """The columns that its rules ask about."""


def _learn_and_judge(coded: CodedTable, options: FitOptions[Any], kept: NDArray[np.intp]) -> _Judged:
    """Learn from some columns, as the learner of these settings does, and judge on the rows that the folds hold out."""
    if isinstance(options.settings, NumberSettings):
        return _judge_numbers(_restrict_numbers(make_number_task(coded, options), kept), options.threads)
    task = restrict_task(make_task(coded, options), kept)
    observations, observed = list_observations(task.folds, task.class_weight)
    if isinstance(options.settings, CardSettings):
        cards = learn_cards(apply_to_cards(task, coded.weight), options.threads, lambda trial: None)
        card = cards.networks[cards.chosen]
        first = np.cumsum([0, *(len(fold.held_out.label) for fold in task.folds)])
        row = np.concatenate([start + rows for start, rows in zip(first[:-1], observed, strict=True)])
        logs = take_logarithms(np.maximum(card.held_out.shares[row], 1e-15))
        gains = (observations.mass * logs).sum(axis=1) / float(observations.count @ observations.mass.sum(axis=1))
        return _Judged(
            float(observations.count @ gains),
            observations.add_groups(gains),
            observations.independent,
            frozenset(card.network.used_columns),
        )
    result = search_networks(apply_policy(task), options.threads, lambda trial: None)
    learned = result.networks[result.chosen]
    answers = [
        decide(network.network, network.bits(fold.held_out.codes))[rows]
        for network, fold, rows in zip(learned.in_folds, task.folds, observed, strict=True)
    ]
    answered, scoring = np.concatenate(answers), SCORINGS[options.settings.scoring]
    score = score_of(count_confusion(observations, answered, len(task.classes)), scoring)
    influence = compute_influence(observations, answered, scoring)
    return _Judged(float(score), influence, observations.independent, frozenset(learned.network.used_columns))


def restrict_task(task: Task[Any], kept: NDArray[np.intp]) -> Task[Any]:
    """Return the task of learning from some columns of its rows; held-out rows stay as they are told apart."""
    columns, taken = take_columns(task.rows, task.columns, kept)[1], dict[int, Rows]()

    def take(rows: Rows) -> Rows:  # what is learned from may be the very rows of the task
        return taken.setdefault(id(rows), take_columns(rows, task.columns, kept)[0])

    folds = [replace(fold, training=take(fold.training), held_out=take(fold.held_out)) for fold in task.folds]
    table = BinnedTable(tuple(task.table.bins[position] for position in kept.tolist()))
    return replace(task, table=table, columns=columns, rows=take(task.rows), folds=folds, remainder=None)


def _restrict_numbers(numbers: NumberTask, kept: NDArray[np.intp]) -> NumberTask:
    task, given = restrict_task(numbers.task, kept), numbers.given
    return replace(
        numbers,
        task=task,
        rows=numbers.rows._replace(codes=task.rows.codes),
        given=given and given._replace(codes=np.ascontiguousarray(given.codes[:, kept])),
    )


def _judge_numbers(numbers: NumberTask, threads: int) -> _Judged:
    result = learn_numbers(numbers, threads, lambda trial: None)
    card, losses = result.networks[result.chosen], result.losses
    return _Judged(card.score, -losses, np.ones(len(losses)), frozenset(card.network.used_columns))
