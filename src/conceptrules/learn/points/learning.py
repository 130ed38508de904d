"""From a task to cards: a path in each fold and on all rows side by side, judged by the rows that each fold holds out.

Up to 4,000 rows, mixed rows that a forest labels are learned from as well (`learn/search/augmentation.py`). The
held-out rows of all folds together choose the size, calibrate the probabilities and set the cut-off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import attrgetter, methodcaller

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import take_logarithms
from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.memory import estimate_column_bytes, estimate_row_bytes
from conceptrules.learn.points.calibration import Judged, judge_margins, measure_loss, measure_score, mix_neighbours
from conceptrules.learn.points.card_network import HeldOut, check_cutoff, make_network
from conceptrules.learn.points.growth import RuleGrower
from conceptrules.learn.points.path import CardPath, PointRows, RealCard
from conceptrules.learn.points.settings import CardSettings
from conceptrules.learn.search.augmentation import (
    FOREST_UP_TO,
    Forest,
    augment_rows,
    count_mixed_rows,
    uses_forest,
)
from conceptrules.learn.search.screening import MAX_COLUMNS, select_columns, take_columns
from conceptrules.learn.task import SAMPLE, Task, choose_split, keep_rows_with_weight
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Point, pareto_front

Floats = NDArray[np.float64]
_PATIENCE = 10
"""The path ends after so many rounds that led to no card that is worth its edges better."""
_PRICE, _EVIDENCE = 8e-4, 0.024
"""What an edge has to take away from the loss on held-out rows, as a share of that of the card without rules; but no
more than so much of the log loss of all rows, in nats, times the square root of their number. Many rows bear out many
rules, although each of these says little about most rows."""
_CHEAPER = 0.6
"""The share of this price that an edge has where there are several classes, since it speaks of one of them only, and in
cards of one column a rule, which are read at a glance."""
_CHANCE = 1.3
"""The best card has to be this many standard errors better than one without rules."""


@dataclass(frozen=True, slots=True)
class CardTrial:
    """A line of the history: the card after one more round."""

    rules: int
    edges: int
    score: float
    """On the held-out rows of all folds together."""

    @property
    def label(self) -> str:
        return f"{self.rules} rules"


@dataclass(frozen=True, slots=True, eq=False)
class LearnedCard:
    """A card of the path, as a network."""

    trial: CardTrial
    network: RuleNetwork
    held_out: HeldOut
    """What the cards of the folds say at the same step."""

    @property
    def edges(self) -> int:
        return self.network.edges

    @property
    def score(self) -> float:
        return self.trial.score


@dataclass(frozen=True, slots=True, eq=False)
class CardResult:
    """The Pareto front and the chosen card, from the smallest on, and which of them was chosen."""

    networks: tuple[LearnedCard, ...]
    chosen: int
    history: tuple[CardTrial, ...]
    interrupted: bool
    """Whether Ctrl-C ended the search."""
    augmented: bool
    """Whether rows that a forest labels were learned from as well."""


@dataclass(slots=True, eq=False)
class _Trials:
    """What was learned until now: a card on all rows, and what those of the folds say, at each step."""

    cards: list[RealCard]
    judged: list[Judged]
    tried: list[CardTrial]


Watch = Callable[[CardTrial], None]
"""Called with each trial."""


def learn_cards(task: Task[CardSettings], threads: int, watch: Watch) -> CardResult:
    """Learn cards from the smallest on. The result does not depend on the number of threads."""
    sources = [fold.training for fold in task.folds]
    if sources[0] is not task.rows:  # given validation rows leave all rows to learn
        sources.append(task.rows)
    rows = [_augment(task, source) for source in sources]
    held_out = np.concatenate([fold.held_out.mass for fold in task.folds])
    trials, interrupted = _Trials([], [], []), False
    with ThreadPoolExecutor(threads) as pool:
        try:
            paths = [_begin_path(task, number, learned) for number, learned in enumerate(rows)]
            going = True
            while going:
                margins = [path.compute_held_out_margins() for path in paths[: len(task.folds)]]
                judged = judge_margins(np.concatenate(margins), held_out, task.settings.scoring)
                card = paths[-1].card
                trials.cards.append(card)
                trials.judged.append(judged)
                score = measure_score(judged, task.settings.scoring)
                trials.tried.append(CardTrial(len(card.rules), card.edges, score))
                watch(trials.tried[-1])
                going = not _should_stop(trials.tried, task)
                going = going and any(list(pool.map(methodcaller("extend"), paths)))
        except KeyboardInterrupt:
            interrupted = True
            if not trials.tried:
                raise
    return _find_front(task, rows[-1], trials, interrupted)


def _augment(task: Task[CardSettings], rows: Rows) -> PointRows:
    """Return the rows to learn from; those of a small table are followed by mixed ones."""
    weight = task.unweigh(rows.mass).sum(axis=1)
    if not uses_forest(task):
        return PointRows(rows.codes, rows.mass, weight)
    forest = Forest(rows, task.columns, task.settings.effort_level.trees, task.seed, bootstrap=True)
    more = augment_rows(rows, forest, np.random.default_rng((task.seed, 0)))
    return PointRows(more.codes, more.mass, np.concatenate([weight, np.zeros(len(more.codes) - len(weight))]))


def _begin_path(task: Task[CardSettings], number: int, rows: PointRows) -> CardPath:
    """Begin the path of a fold or of all rows; that of a wide table considers only the most informative columns."""
    held_out = task.folds[number].held_out.codes if number < len(task.folds) else rows.codes[:0]
    share = float(rows.weight.sum() / task.unweigh(task.rows.mass).sum())
    settings = replace(task.settings, least_rows=task.settings.least_rows * share)
    return CardPath(rows, held_out, task.table, make_grower(rows, task.columns), settings)


def make_grower(rows: PointRows, columns: Columns) -> RuleGrower:
    kept = np.arange(len(columns.bins))
    if len(kept) <= MAX_COLUMNS:
        return RuleGrower(rows.codes, columns, kept)
    plain = keep_rows_with_weight(rows.codes, rows.mass)
    kept = select_columns(plain, columns)
    fewer, columns = take_columns(plain, columns, kept)
    return RuleGrower(fewer.codes, columns, kept)


def _should_stop(tried: Sequence[CardTrial], task: Task[CardSettings]) -> bool:
    """Return whether larger cards have nothing left to gain."""
    return len(tried) - int(np.argmin(_measure_costs(tried, task))) > _PATIENCE


def _measure_costs(tried: Sequence[CardTrial], task: Task[CardSettings], smooth: bool = False) -> Floats:
    """Return the loss of each card on held-out rows, as a share of that of the first, and the price of its edges."""
    scores = np.array([trial.score for trial in tried])
    if smooth:
        scores = mix_neighbours(scores)
    losses = -scores if task.settings.scoring.startswith("neg_") else 1 - scores
    costs: Floats = losses / max(losses[0], 1e-12) + _price_edge(task) * np.array([trial.edges for trial in tried])
    return costs


def _price_edge(task: Task[CardSettings]) -> float:
    """Return what an edge has to take away from the loss, as a share of that of the card without rules."""
    shares = task.rows.mass.sum(axis=0) / task.rows.mass.sum()
    entropy = -float((shares * take_logarithms(np.maximum(shares, 1e-300))).sum())
    evidence = entropy * math.sqrt(float(task.unweigh(task.rows.mass).sum()))
    cheaper = len(shares) > 2 or task.settings.length == 1
    return (_CHEAPER if cheaper else 1.0) * min(_PRICE, _EVIDENCE / max(evidence, 1e-12))


def _choose_step(trials: _Trials, task: Task[CardSettings]) -> int:
    """Return the number of the card that is worth its edges best, or 0 if one without rules may be as good."""
    if np.count_nonzero(trials.judged[0].mass.any(axis=0)) < 2:
        return 0  # rows of a single class cannot judge
    best = int(np.argmin(_measure_costs(trials.tried, task, smooth=True)))
    loss, error = measure_loss(trials.judged[0], trials.judged[best], task.settings.scoring)
    return best if loss > _CHANCE * error else 0


def _find_front(task: Task[CardSettings], rows: PointRows, trials: _Trials, interrupted: bool) -> CardResult:
    """Return the Pareto front of the cards of all rows, and the chosen one, from the smallest on."""
    chosen = _choose_step(trials, task)
    points = [Point(trial.edges, trial.score, str(step)) for step, trial in enumerate(trials.tried)]
    steps = {int(point.name) for point in pareto_front(points)} | {chosen}
    learned = {step: _finish_card(task, rows, trials, step) for step in sorted(steps)}
    taken = learned[chosen]
    assert taken.network.head is not None
    check_cutoff(taken.network.head, task.settings.cutoff)
    front = [each for each in pareto_front(learned.values()) if (each.edges, each.score) != (taken.edges, taken.score)]
    front = sorted([*front, taken], key=attrgetter("edges", "score"))
    return CardResult(tuple(front), front.index(taken), tuple(trials.tried), interrupted, uses_forest(task))


def _finish_card(task: Task[CardSettings], rows: PointRows, trials: _Trials, step: int) -> LearnedCard:
    judged = trials.judged[step]
    raw = task.unweigh(judged.mass)
    return LearnedCard(trials.tried[step], *make_network(task, rows, trials.cards[step], judged, raw))


def estimate_bytes(settings: CardSettings, rows: int, columns: int, classes: int) -> float:
    """Estimate the memory that a fit of this many rows, columns and classes takes."""
    learned = min(rows, SAMPLE)  # a sample of a larger table is learned from
    folds = choose_split(learned, settings.effort_level.folds)[0]
    if settings.effort_level.trees and learned <= FOREST_UP_TO:
        learned += count_mixed_rows(learned, max(columns, 1))
    # Each path has its codes, the rules that hold on each row, and some figures of each row and class.
    paths = (folds + 1) * learned * (columns + 64 + 8 * (4 + 8 * classes))
    return paths + estimate_column_bytes(rows, columns) + estimate_row_bytes(rows - learned, columns)
