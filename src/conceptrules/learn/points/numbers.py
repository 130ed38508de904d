"""From coded rows and a number of each row to cards that predict it: the path of `learning.py`, by another loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import exponentiate
from conceptrules.learn.points.calibration import mix_neighbours
from conceptrules.learn.points.card_network import merge_rules, write_rules
from conceptrules.learn.points.constraints import list_kept_rules
from conceptrules.learn.points.learning import CardTrial, make_grower
from conceptrules.learn.points.number_rows import NumberRows, NumberTask
from conceptrules.learn.points.path import NumberPath, PointRows, RealCard
from conceptrules.learn.points.policy import find_least_rows
from conceptrules.logic.bins import split_into_bins
from conceptrules.model.heads import MAX_SCORE, Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import Point, pareto_front

Floats = NDArray[np.float64]
_PRICE = 3e-4
"""What an edge has to gain for the path to go on, as a share of the loss without rules."""
_OF_LOSS, _OF_GAIN = 0.02, 0.05
"""The smallest card is taken that gives up at most these shares of what the best one leaves of the loss on held-out
rows, and of what it takes away."""
_PATIENCE, _FURTHER = 10, (1.3, 20)
"""The path ends after so many rounds that led to nothing better, once the card has so many times the edges and more."""
_CHANCE = 1.7
"""The best card has to be this many standard errors better than one without rules."""
_STEPS_A_SPREAD = 20
"""Steps of the prediction in the spread of its errors: what rounding adds to them is far below what a reader sees."""
_PERCENT = 0.01
"""What a point of a card whose rules multiply adds to the logarithm: about one per cent."""
_QUANTILES = 501
"""Quantiles of the errors on held-out rows that are kept for intervals."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedNumbers:
    """A card of the path, as a network, and how its likes err on the rows that each fold held out."""

    trial: CardTrial
    network: RuleNetwork
    errors: Floats
    """[fold, quantile]: of the residuals of the loss, in units of the number, or of its root for counts."""
    held_out: None = None

    @property
    def edges(self) -> int:
        return self.network.edges

    @property
    def score(self) -> float:
        return self.trial.score


@dataclass(frozen=True, slots=True, eq=False)
class NumberResult:
    """The Pareto front from the smallest on, and which card was chosen."""

    networks: tuple[LearnedNumbers, ...]
    chosen: int
    history: tuple[CardTrial, ...]
    interrupted: bool
    augmented: bool
    """Whether rows that a forest labels were learned from as well."""
    losses: Floats
    """What the chosen card loses on each row that judges, as a share of what one without rules loses on all."""


@dataclass(frozen=True, slots=True, eq=False)
class _Judges:
    """The rows that judge, of all folds."""

    sides: Sequence[NumberRows]
    weight: Floats
    """Of all of them, one fold after another."""


def learn_numbers(numbers: NumberTask, threads: int, watch: Callable[[CardTrial], None]) -> NumberResult:
    """Learn cards from the smallest on. The result depends on neither the number of threads nor the order of rows."""
    settings, sides = numbers.task.settings, list(numbers.list_sides())
    held_out = [rows for _, rows in sides if len(rows.target)]
    judges = _Judges(held_out, np.concatenate([rows.weight for rows in held_out]) if held_out else np.zeros(0))
    cards, margins, tried, interrupted = list[RealCard](), list[list[Floats]](), list[CardTrial](), False
    with ThreadPoolExecutor(threads) as pool:
        try:
            paths = list(pool.map(lambda side: _begin_path(numbers, *side), sides))
            going = True
            while going:
                cards.append(paths[-1].card)
                margins.append([path.compute_held_out_margins()[:, 0] for path in paths[: len(held_out)]])
                score = _measure_score(numbers, judges, margins[-1], margins[0])
                tried.append(CardTrial(len(cards[-1].rules), cards[-1].edges, score))
                watch(tried[-1])
                going = bool(held_out) and not _should_stop(tried) and tried[-1].edges < settings.edges
                going = going and any(list(pool.map(methodcaller("extend"), paths)))
        except KeyboardInterrupt:
            interrupted = True
            if not tried:
                raise
    tried = tried[: len(margins)]
    chosen = _choose_step(numbers, judges, tried, margins)
    points = [Point(trial.edges, trial.score, str(step)) for step, trial in enumerate(tried)]
    steps = sorted({int(point.name) for point in pareto_front(points) if point.edges <= tried[chosen].edges} | {chosen})
    errors = [_find_errors(numbers, judges, each) for each in margins]
    unit = _choose_unit(numbers, errors[chosen])
    first, losses = (
        _measure_losses(numbers, judges, each) if held_out else np.zeros(0) for each in (margins[0], margins[chosen])
    )
    learned = [
        LearnedNumbers(tried[step], _make_network(numbers, cards[step], unit), _list_quantiles(numbers, errors[step]))
        for step in steps
    ]
    losses = losses / (float(first.sum()) or 1.0)
    augmented = numbers.uses_forest
    return NumberResult(tuple(learned), steps.index(chosen), tuple(tried), interrupted, augmented, losses)


def _begin_path(numbers: NumberTask, rows: PointRows, held_out: NumberRows) -> NumberPath:
    task = numbers.task
    share = float(rows.weight.sum() / numbers.rows.weight.sum())
    step, spread = task.settings.step, numbers.scale.spread or 1.0
    least, point = task.settings.least_rows * share, None if step is None else step / spread
    settings = replace(task.settings, least_rows=least, point=point)
    grower = make_grower(rows, task.columns)
    return NumberPath(rows, held_out.codes, task.table, grower, settings, numbers.loss)


def _measure_losses(numbers: NumberTask, judges: _Judges, margins: Sequence[Floats]) -> Floats:
    """Return the weighted loss of each row that judges."""
    sides = zip(judges.sides, margins, strict=True)
    losses: Floats = judges.weight * np.concatenate([numbers.loss.measure(rows.target, said) for rows, said in sides])
    return losses


def _measure_score(
    numbers: NumberTask, judges: _Judges, margins: Sequence[Floats], without_rules: Sequence[Floats]
) -> float:
    """Return the share of the loss that rules take away on held-out rows: R2, or what takes its place."""
    if not judges.sides:
        return 0.0
    left, whole = (float(_measure_losses(numbers, judges, each).sum()) for each in (margins, without_rules))
    return 1 - left / whole if whole else 0.0


def _should_stop(tried: Sequence[CardTrial]) -> bool:
    """Return whether larger cards have nothing left to gain that is worth their edges."""
    best = max(range(len(tried)), key=lambda step: tried[step].score - _PRICE * tried[step].edges)
    return len(tried) - best > _PATIENCE and tried[-1].edges > _FURTHER[0] * tried[best].edges + _FURTHER[1]


def _choose_step(
    numbers: NumberTask, judges: _Judges, tried: Sequence[CardTrial], margins: Sequence[Sequence[Floats]]
) -> int:
    """Return the number of the smallest card that is about as good as the best, or 0 if one without rules may be.

    With `max_edges`, it is that of the best: on inner folds the R2 of cards of at most 30 edges is .003 better so.
    """
    if not judges.sides:
        return 0
    scores = np.array([trial.score for trial in tried])
    # The mean with both neighbours on the path: a single score is half chance.
    smooth = mix_neighbours(scores)
    best = int(np.argmax(smooth))
    gains = _measure_losses(numbers, judges, margins[0]) - _measure_losses(numbers, judges, margins[best])
    error = math.sqrt(len(gains)) * float(np.std(gains))
    if float(gains.sum()) <= _CHANCE * error:
        return 0
    if numbers.task.settings.max_edges is not None:  # the user says which size can be read
        return best
    least = smooth[best] - min(_OF_LOSS * (1 - smooth[best]), _OF_GAIN * max(smooth[best], 0.0))
    return next(step for step in range(best + 1) if smooth[step] >= least)


def _find_errors(numbers: NumberTask, judges: _Judges, margins: Sequence[Floats]) -> list[Floats]:
    """Return the residuals of the rows that judge, fold by fold, in units of margins."""
    sides = zip(judges.sides, margins, strict=True)
    return [numbers.loss.find_residuals(rows.target, said) for rows, said in sides]


def _list_quantiles(numbers: NumberTask, errors: Sequence[Floats]) -> Floats:
    """Return quantiles of residuals, in units of the number, or of its root for counts."""
    unit = float(exponentiate(numbers.scale.centre / 2)) if numbers.loss.link == "log" else numbers.scale.spread
    quantiles = [unit * np.quantile(each, np.linspace(0, 1, _QUANTILES)) for each in errors]
    return np.array(quantiles).reshape(-1, _QUANTILES)


def _choose_unit(numbers: NumberTask, errors: Sequence[Floats]) -> float:
    """Return the step that the user gives, or 1, 2 or 5 times a power of ten, that suits the errors."""
    step, scale = numbers.task.settings.step, numbers.scale
    if step is not None:
        return float(step)
    if numbers.loss.link == "log":
        return _PERCENT
    largest = float(np.abs(numbers.rows.target).max(initial=0.0)) * scale.spread + abs(scale.centre)
    spread = scale.spread * (numbers.loss.find_spread(np.concatenate(errors)) if errors else 1.0)
    if not spread:  # a constant target: its own digits
        spread = largest * 1e-4
    ideal = max(spread / _STEPS_A_SPREAD, 8 * largest / MAX_SCORE) or 1.0
    exponent = math.floor(math.log10(ideal))
    digit = max(each for each in (1, 2, 5) if each <= ideal / 10.0**exponent * (1 + 1e-9) or each == 1)
    return float(f"{digit}e{exponent}")


def _make_network(numbers: NumberTask, card: RealCard, unit: float) -> RuleNetwork:
    """Return a card as a network with whole points; the base makes up for what rounding adds."""
    table, scale, rows = numbers.task.table, numbers.scale, numbers.rows
    spread = scale.spread or 1.0
    whole, kept = np.rint(card.weights / unit * scale.spread).astype(np.int64), list_kept_rules(numbers.task.settings)
    for number, each in enumerate(kept):
        whole[number] = each.settle(whole[number], card.weights[number])
    rules = merge_rules(table, card.rules, whole)
    holds = np.array([rule.find_rows(rows.codes) for rule in card.rules], np.float64)
    added = whole[:, 0] @ holds.reshape(len(card.rules), len(rows.target))
    margin = numbers.loss.find_base(rows.target, added * (unit / spread), rows.weight) if scale.spread else 0.0
    base = round((scale.centre + scale.spread * margin) / unit)
    head = Points(tuple(tuple(points.tolist()) for _, points in rules), (base,), step=unit, link=numbers.loss.link)
    network = write_rules(table, rules, (), head)
    settings = numbers.task.settings
    banned = settings.constraints is not None and settings.constraints.banned
    if (
        find_least_rows(numbers.task.constraints.policy) or kept or banned
    ):  # a bin can cover less than the rules that it is made of
        return network
    split = split_into_bins(network)
    too_many = len(split.levels[0].rules) > (settings.max_rules or len(split.levels[0].rules))
    return network if too_many or split.edges > settings.edges else split
