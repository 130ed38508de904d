"""From coded rows and a number of each row to cards that predict it: the path of `learning.py`, by squared error.

The numbers are learned in units of their spread. The pipeline codes rows as it does for classes, with the quantiles of
the target as classes: they set the cuts, stratify the folds, and say which rows are mixed with each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.passes import hash_codes
from conceptrules.kernels.search.shards import WEIGHT_UNIT, Shard, concatenate_shards
from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.binned_table import coarsen_bins, recode_rows
from conceptrules.learn.coding import CodedTable
from conceptrules.learn.folds import RowGroups, number_equal_rows
from conceptrules.learn.inputs import FitOptions
from conceptrules.learn.points.card_network import merge_rules, write_rules
from conceptrules.learn.points.learning import CardTrial, make_grower
from conceptrules.learn.points.path import NumberPath, PointRows, RealCard
from conceptrules.learn.points.policy import apply_policy
from conceptrules.learn.points.settings import FEW_ROWS, NumberSettings
from conceptrules.learn.provenance import describe_training
from conceptrules.learn.search.augmentation import WEIGHT, count_mixed_rows, make_forest_inputs, mix_rows
from conceptrules.learn.search.coded_network import read_from_bins
from conceptrules.learn.search.policy_masks import Constraints
from conceptrules.learn.task import SAMPLE, Task, choose_split
from conceptrules.logic.bins import split_into_bins
from conceptrules.model.heads import MAX_SCORE, Points
from conceptrules.model.network import RuleNetwork, Statistics
from conceptrules.model.pareto import Choice, Point, pareto_front
from conceptrules.model.statistics import with_statistics

Floats = NDArray[np.float64]
STRATA = 8
"""Quantiles of the target that stand for classes where rows are coded and folds are dealt."""
_PRICE = 3e-4
"""What an edge costs when held-out rows choose a card, in R2."""
_PATIENCE, _FURTHER = 10, (1.3, 20)
"""The path ends after so many rounds that led to nothing better, once the card has so many times the edges and more."""
_CHANCE = 1.7
"""The best card has to be this many standard errors better than one without rules."""
_STEPS_A_SPREAD = 20
"""Steps of the prediction in the spread of its errors: what rounding adds to them is far below what a reader sees."""
_QUANTILES = 501
"""Quantiles of the errors on held-out rows that are kept for intervals."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberChoice:
    """A card of the front, and how its likes err on the rows that each fold held out."""

    choice: Choice
    errors: Floats
    """[fold, quantile]: of the true number less the prediction."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberResult:
    """The Pareto front from the smallest on, and which card was chosen."""

    choices: tuple[NumberChoice, ...]
    chosen: int
    history: tuple[CardTrial, ...]
    interrupted: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """The rows to learn from, in an order that does not depend on that of the table."""

    task: Task[NumberSettings]
    target: Floats
    """In units of `spread`, from `centre` on."""
    part: NDArray[np.intp]
    """The fold that holds out each row; -1: none does."""
    centre: float
    spread: float

    @property
    def weight(self) -> Floats:
        weight: Floats = self.task.rows.mass.sum(axis=1)
        return weight


def stratify_numbers(target: Floats) -> NDArray[np.int64]:
    """Return the quantile that each number is in, at least two of them."""
    count = min(STRATA, max(2, len(target) // 10))
    cuts = np.unique(np.quantile(target, np.arange(1, count) / count, method="lower"))
    strata = np.searchsorted(cuts, target, side="left")
    strata = np.unique(strata, return_inverse=True)[1]
    return strata if strata.any() else np.arange(len(target), dtype=np.int64) % 2


def learn_numbers(
    coded: CodedTable, target: Floats, options: FitOptions[NumberSettings], watch: Callable[[CardTrial], None]
) -> NumberResult:
    """Learn cards from the smallest on. The result depends on neither the number of threads nor the order of rows."""
    numbers = _make_numbers(coded, target, options)
    settings, folds = numbers.task.settings, range(int(numbers.part.max(initial=-1)) + 1)
    rows = [_select_rows(numbers, numbers.part != fold) for fold in folds]
    rows.append(_select_rows(numbers, np.ones(len(numbers.part), np.bool_)))
    cards, errors, tried, interrupted = list[RealCard](), list[list[Floats]](), list[CardTrial](), False
    with ThreadPoolExecutor(options.threads) as pool:
        try:
            paths = list(pool.map(lambda number: _begin_path(numbers, rows[number], number, folds), range(len(rows))))
            going = True
            while going:
                cards.append(paths[-1].card)
                errors.append([_find_errors(numbers, paths[fold], fold) for fold in folds])
                score = _measure_r2(numbers, errors[-1], errors[0], folds)
                tried.append(CardTrial(len(cards[-1].rules), cards[-1].edges, score))
                watch(tried[-1])
                going = bool(folds) and not _should_stop(tried) and any(list(pool.map(methodcaller("extend"), paths)))
                going = going and tried[-1].edges < settings.edges
        except KeyboardInterrupt:
            interrupted = True
            if not tried:
                raise
    tried = tried[: len(errors)]
    chosen = _choose_step(numbers, tried, errors, folds)
    points = [Point(trial.edges, trial.score, str(step)) for step, trial in enumerate(tried)]
    steps = sorted({int(point.name) for point in pareto_front(points) if point.edges <= tried[chosen].edges} | {chosen})
    unit = _choose_unit(numbers, errors[chosen], settings.step)
    choices = [_describe(coded, numbers, options, cards[step], tried[step], errors[step], unit) for step in steps]
    return NumberResult(tuple(choices), steps.index(chosen), tuple(tried), interrupted)


def _make_numbers(coded: CodedTable, target: Floats, options: FitOptions[NumberSettings]) -> _Numbers:
    """Return the rows to learn from; of a table that is larger than a sample, those with the smallest hashes."""
    shard = concatenate_shards(coded.store.map_blocks(lambda block: block))
    content: NDArray[np.uint64] = hash_codes(np.ascontiguousarray(shard.codes))
    order = np.lexsort((shard.weight, target, shard.key, content))[:SAMPLE]
    shard, target = shard.take(order), target[order]
    weight, classes = shard.weight / WEIGHT_UNIT, len(coded.classes)
    mass = np.zeros((len(target), classes))
    mass[np.arange(len(target)), shard.target] = weight
    rows = Rows(np.ascontiguousarray(shard.codes), mass, shard.target.astype(np.int64))
    most = options.max_bins or options.settings.choose_bins(len(target))
    table = coarsen_bins(coded.coding.table, rows, most)
    rows = rows._replace(codes=np.ascontiguousarray(recode_rows(shard.codes, coded.coding.table, table)))
    largest = float(np.abs(target).max()) or 1.0
    scaled = target / largest  # so that no square is too large or too small for a float
    centre = float(np.average(scaled, weights=weight))
    spread = float(np.sqrt(np.average((scaled - centre) ** 2, weights=weight)))
    if spread <= 1e-12 * max(abs(centre), 1e-12):
        centre, spread = float(scaled[0]), 0.0
    task = Task(
        table=table,
        columns=table.make_columns(rows.codes, classes),
        classes=tuple(coded.classes.tolist()),
        class_weight=np.ones(classes),
        rows=rows,
        folds=(),
        source="held back",
        settings=options.settings,
        seed=int(options.rng.integers(2**31)),
        constraints=Constraints(options.policy),
    )
    part = _split_rows(coded, options, shard, weight)
    numbers = np.zeros(len(target)) if not spread else (scaled - centre) / spread
    return _Numbers(apply_policy(task), numbers, part, centre * largest, spread * largest)


def _split_rows(
    coded: CodedTable, options: FitOptions[NumberSettings], shard: Shard, weight: Floats
) -> NDArray[np.intp]:
    """Return the number of the fold that holds out each row; -1: none does."""
    keys = coded.coding.keys
    if keys.by == "time":
        return np.where(shard.key >= np.uint64(keys.first_key), 0, -1)
    own = np.unique(shard.key, return_inverse=True)[1].ravel() if keys.by == "groups" else None
    groups = RowGroups(number_equal_rows(shard.codes) if own is None else own)
    if not groups.number.any():
        return np.full(len(weight), -1)
    folds, fraction = choose_split(len(weight), options.settings.effort_level.folds)
    part = groups.assign_parts(
        shard.target.astype(np.int64), weight, options.validation_fraction or fraction, options.rng
    )
    part = np.where(part < folds, part, -1)
    return part if (part != part[0]).any() else np.full(len(weight), -1)


def _select_rows(numbers: _Numbers, chosen: NDArray[np.bool_]) -> PointRows:
    rows = numbers.task.rows
    codes, target = np.ascontiguousarray(rows.codes[chosen]), numbers.target[chosen]
    mass = np.ascontiguousarray(rows.mass[chosen])
    weight = mass.sum(axis=1)
    trees = numbers.task.settings.effort_level.trees
    if not trees or len(numbers.target) > FEW_ROWS or len(target) < 4 or not numbers.spread:
        return PointRows(codes, weight[:, None], weight, target)
    mixed = mix_rows(Rows(codes, mass, rows.label[chosen]), count_mixed_rows(*codes.shape),
                     np.random.default_rng((numbers.task.seed, 0)))  # fmt: skip
    answers = _label_rows(numbers.task.columns, codes, target, weight, mixed, trees, numbers.task.seed)
    added = np.full(len(mixed), WEIGHT * weight.sum() / len(mixed))
    return PointRows(
        np.concatenate([codes, mixed]),
        np.concatenate([weight, added])[:, None],
        np.concatenate([weight, np.zeros(len(mixed))]),
        np.concatenate([target, answers]),
    )


def _label_rows(
    columns: Columns,
    codes: NDArray[np.uint8],
    target: Floats,
    weight: Floats,
    mixed: NDArray[np.uint8],
    trees: int,
    seed: int,
) -> Floats:
    """Return what two forests of regression trees expect of mixed rows, on average."""
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

    inputs, answers = make_forest_inputs(codes, columns), np.zeros(len(mixed))
    for forest in (
        ExtraTreesRegressor(trees // 2, bootstrap=True, min_samples_leaf=2, random_state=seed),
        RandomForestRegressor(trees // 2, max_features=0.5, min_samples_leaf=2, random_state=seed),
    ):
        answers += forest.fit(inputs, target, weight).predict(make_forest_inputs(mixed, columns)) / 2
    return answers


def _begin_path(numbers: _Numbers, rows: PointRows, number: int, folds: Sequence[int]) -> NumberPath:
    task = numbers.task
    held_out = task.rows.codes[numbers.part == number] if number in folds else task.rows.codes[:0]
    share = float(rows.weight.sum() / numbers.weight.sum())
    settings = replace(task.settings, least_rows=task.settings.least_rows * share)
    return NumberPath(rows, held_out, task.table, make_grower(rows, task.columns), settings)


def _find_errors(numbers: _Numbers, path: NumberPath, fold: int) -> Floats:
    """Return the number of each row that a fold holds out, less its prediction."""
    errors: Floats = numbers.target[numbers.part == fold] - path.compute_held_out_margins()[:, 0]
    return errors


def _measure_r2(
    numbers: _Numbers, errors: Sequence[Floats], without_rules: Sequence[Floats], folds: Sequence[int]
) -> float:
    """Return the share of the squared error that rules take away on held-out rows."""
    if not folds:
        return 0.0
    weight = np.concatenate([numbers.weight[numbers.part == fold] for fold in folds])
    left, whole = (float(weight @ np.concatenate(each) ** 2) for each in (errors, without_rules))
    return 1 - left / whole if whole else 0.0


def _should_stop(tried: Sequence[CardTrial]) -> bool:
    """Return whether larger cards have nothing left to gain that is worth their edges."""
    best = max(range(len(tried)), key=lambda step: tried[step].score - _PRICE * tried[step].edges)
    return len(tried) - best > _PATIENCE and tried[-1].edges > _FURTHER[0] * tried[best].edges + _FURTHER[1]


def _choose_step(
    numbers: _Numbers, tried: Sequence[CardTrial], errors: Sequence[Sequence[Floats]], folds: Sequence[int]
) -> int:
    """Return the number of the card that is worth its edges best, or that without rules if it may be as good."""
    if not folds:
        return 0
    scores = np.array([trial.score - _PRICE * trial.edges for trial in tried])
    # The mean with both neighbours on the path: a single score is half chance.
    smooth = int(np.argmax(np.convolve(np.pad(scores, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")))
    best = max(range(max(smooth - 1, 0), min(smooth + 2, len(scores))), key=lambda step: scores[step])
    weight = np.concatenate([numbers.weight[numbers.part == fold] for fold in folds])
    gains = weight * (np.concatenate(errors[0]) ** 2 - np.concatenate(errors[best]) ** 2)
    error = math.sqrt(len(gains)) * float(np.std(gains))
    return best if float(gains.sum()) > _CHANCE * error else 0


def _choose_unit(numbers: _Numbers, errors: Sequence[Floats], step: float | None) -> float:
    """Return the step that the user gives, or 1, 2 or 5 times a power of ten, that suits the errors."""
    largest = float(np.abs(numbers.target).max(initial=0.0)) * numbers.spread + abs(numbers.centre)
    if step is not None:
        return float(step)
    spread = float(np.std(np.concatenate(errors))) * numbers.spread if len(errors) else numbers.spread
    if not spread:  # a constant target: its own digits
        spread = largest * 1e-4
    wanted = max(spread / _STEPS_A_SPREAD, 8 * largest / MAX_SCORE) or 1.0
    exponent = math.floor(math.log10(wanted))
    digit = max(each for each in (1, 2, 5) if each <= wanted / 10.0**exponent * (1 + 1e-9) or each == 1)
    return float(f"{digit}e{exponent}")


def _describe(
    coded: CodedTable,
    numbers: _Numbers,
    options: FitOptions[NumberSettings],
    card: RealCard,
    trial: CardTrial,
    errors: Sequence[Floats],
    unit: float,
) -> NumberChoice:
    """Return a card as a network with whole points, and what it covers of all rows."""
    whole = _make_network(numbers, card, unit)
    network = split_into_bins(whole)
    counted = _count_rows(coded, network)
    assert counted.statistics is not None
    if any(rows < numbers.task.settings.least_rows for (rows,) in counted.statistics.covered[0]):
        network, counted = whole, _count_rows(coded, whole)  # a bin can cover less than the rules that it is made of
    # No fingerprint: the hashes are of rows with the quantiles of their numbers, which nobody could compare.
    training = describe_training(options.parameters, coded.store.rows, coded.binarizer.categories_dropped_)
    counted = replace(counted, training=training)
    grid = np.linspace(0, 1, _QUANTILES)
    quantiles = [np.quantile(each, grid) * numbers.spread for each in errors if len(each)]
    return NumberChoice(
        Choice(counted.edges, trial.score, counted, network), np.array(quantiles).reshape(-1, _QUANTILES)
    )


def _count_rows(coded: CodedTable, network: RuleNetwork) -> RuleNetwork:
    """Return the network with what its rules cover of all rows, which are counted block by block."""
    coded_network = read_from_bins(coded.coding.table, network)

    def count(block: Shard) -> Statistics:
        weight = block.weight / WEIGHT_UNIT
        counted = with_statistics(network, coded_network.bits(block.codes), np.zeros(len(weight), np.intp), weight)
        assert counted.statistics is not None
        return counted.statistics

    blocks = coded.store.map_blocks(count)
    rows = float(sum(block.rows[0] for block in blocks))
    covered = tuple((sum(each),) for each in zip(*([r for (r,) in b.covered[0]] for b in blocks), strict=True))
    return replace(network, statistics=Statistics((rows,), (covered,)))


def _make_network(numbers: _Numbers, card: RealCard, unit: float) -> RuleNetwork:
    task = numbers.task
    whole = np.rint(card.weights / unit * numbers.spread).astype(np.int64)
    rules = merge_rules(task.table, card.rules, whole)
    holds = np.array([rule.find_rows(task.rows.codes) for rule in card.rules], np.float64)
    added = whole[:, 0] @ holds.reshape(len(card.rules), len(numbers.target))
    left = numbers.target * (numbers.spread / unit) - added
    base = round(numbers.centre / unit + float(np.average(left, weights=numbers.weight)))
    head = Points(tuple(tuple(points.tolist()) for _, points in rules), (base,), step=unit)
    return write_rules(task.table, rules, (), head)
