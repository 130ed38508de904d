"""A card that grows: one rule after another, and after each of them all weights anew, by Newton's method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import exponentiate, invert_diagonal, solve, take_logarithms
from conceptrules.kernels.points.reference import NEVER
from conceptrules.kernels.points.sums import add_normal_equations, add_weights
from conceptrules.learn.binned_table import BinnedTable
from conceptrules.learn.points.growth import (
    EFFICIENCY,
    LONGER,
    NO_CONDITIONS,
    RIDGE,
    CodedRule,
    RuleGrower,
    RuleLimits,
)
from conceptrules.learn.points.losses import Loss
from conceptrules.learn.points.settings import FEW_ROWS, CardSettings

if TYPE_CHECKING:
    from conceptrules.learn.points.constraints import KeptRule

Floats = NDArray[np.float64]
_STEPS, _SETTLED = 8, 0.1
"""The most Newton steps after each rule, and the change of a score, in log odds, after which none is needed: the
weights begin where the last ones ended."""
_LONGEST_STEP = 3.0
"""What a step may change of the score of any row, in units of log odds: beyond that the curvature is another one."""
_ALIKE = 0.7
"""Of several classes, those whose best rule gains this share of what the best new one gains get theirs in one round."""
_LEAST_POINT = 0.02
"""The least weight of a point of locked rules, in log odds: where rows speak against them, they count a little."""
_EXCHANGE = 0.5
"""Points that take less from the likelihood, for an edge, than this share of what the latest rule added go."""
_ROOM = 32
"""Rules that there is room for at first."""


class PointRows(NamedTuple):
    """Rows to learn from."""

    codes: NDArray[np.uint8]
    """[row, column], in C order."""
    mass: Floats
    """[row, class]: the weight of the row in each class."""
    weight: Floats
    """The weight of the row in the table, whatever its classes weigh; 0 for mixed rows."""
    target: Floats | None = None
    """The number to predict of each row; None of classes. Then `mass` has one column, the weight."""


@dataclass(frozen=True, slots=True, eq=False)
class RealCard:
    """A card before its points are whole numbers."""

    rules: tuple[CodedRule, ...]
    weights: Floats
    """[rule, output], in units of log odds; 0: none."""
    base: Floats
    """[output]."""
    edges: int
    point: float = 0.0
    """What a point of the locked rules weighs; 0: they have none of their own."""

    def compute_margins(self, codes: NDArray[np.uint8]) -> Floats:
        """Return (rows, outputs): the log odds of the second class, or the logarithms of shares of each class."""
        margins: Floats = np.tile(self.base, (len(codes), 1))
        for rule, weights in zip(self.rules, self.weights, strict=True):
            margins += np.outer(rule.find_rows(codes), weights)
        return margins


def compute_probabilities(margins: Floats) -> Floats:
    """Return (rows, classes) from (rows, outputs)."""
    if margins.shape[1] == 1:
        margins = np.hstack([np.zeros_like(margins), margins])
    powers = exponentiate(margins - margins.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


class CardPath:
    """A card on its way from no rules to many."""

    _efficiency: ClassVar[float] = EFFICIENCY
    _longer: ClassVar[float] = LONGER
    _leaves: ClassVar[bool] = True
    _exchange: float = _EXCHANGE

    def __init__(
        self,
        rows: PointRows,
        held_out: NDArray[np.uint8],
        table: BinnedTable,
        grower: RuleGrower,
        settings: CardSettings,
    ) -> None:
        """`held_out` are the codes of the rows that judge."""
        self._rows, self._held_out, self._table, self._settings = rows, held_out, table, settings
        self._row = float(rows.mass.sum() / rows.mass[rows.weight > 0].sum())
        self._total = rows.mass.sum(axis=1)
        self._target, base = self._begin(rows)
        self._rules: list[CodedRule] = []
        self._edges: list[int] = []
        self._weights, self._base = np.zeros((0, len(base))), base
        self._paying = np.zeros((0, len(base)), np.bool_)
        self._margins = np.tile(base, (len(self._total), 1))
        self._holds = np.zeros((len(self._total), _ROOM), np.uint8)
        self._held_out_holds = np.zeros((len(held_out), 0), np.uint8)
        self._grower = grower
        self._removed = set[tuple[tuple[int, ...], bytes]]()
        self._signs = np.zeros((0, len(base)), np.int64)
        self._fixed = np.zeros((0, len(base)), np.bool_)
        self._point = 0.0
        self._constraints = settings.constraints
        self._required = None if self._constraints is None else self._constraints.required
        if self._constraints is not None and self._constraints.kept:
            self._keep_rules(self._constraints.kept)

    def _begin(self, rows: PointRows) -> tuple[Floats, Floats]:
        """Return (rows, outputs): what the scores are to explain, and the scores without rules."""
        share = (rows.mass.sum(axis=0) + 0.5) / (rows.mass.sum() + 0.5 * rows.mass.shape[1])
        base = take_logarithms(share[1:] / share[:1] if len(share) == 2 else share)
        # With two classes, that of the second one; what the first one gets is the same with the other sign.
        return np.ascontiguousarray(rows.mass[:, 1:] if len(share) == 2 else rows.mass), base

    @property
    def edges(self) -> int:
        return sum(self._edges) + int(self._paying.sum())

    @property
    def card(self) -> RealCard:
        """The card as it is now."""
        return RealCard(tuple(self._rules), self._weights.copy(), self._base.copy(), self.edges, self._point)

    def compute_held_out_margins(self) -> Floats:
        """Return what the card says of the rows that judge."""
        margins = np.zeros((len(self._held_out), len(self._base)))
        every, weights = np.arange(len(self._rules)), np.vstack([self._base, self._weights])
        for output in range(len(self._base)):
            add_weights(self._held_out_holds, every, np.ascontiguousarray(weights[:, output]), margins[:, output])
        return margins

    def extend(self) -> bool:
        """Add the best rule, or one for each of several classes; return False if there is none left that pays."""
        grown = sorted(self._grow(), key=lambda each: -each[0])
        earlier, best = len(self._rules), 0.0
        for gain, rule, output in grown:
            # A rule that is there already gains nothing more: its weight has not settled, or others make up for it.
            if gain >= _ALIKE * best and self._add(rule, output):
                best = max(best, gain)
        if grown:
            self._refit()
        if not self._removed.isdisjoint(rule.key for _, rule, _ in grown):
            # Of weights so large that the likelihood is flat, the loss was taken to be less than it is. Without an end,
            # two rules could take each other's place for ever.
            self._exchange = 0.0
        if best and earlier and self._exchange:
            self._remove_least(earlier, max(gain / (rule.count_edges(self._table) + 1) for gain, rule, _ in grown))
        return best > 0

    def _grow(self) -> Iterator[tuple[float, CodedRule, int]]:
        """Yield for each output the best rule, after what it gains, if one pays."""
        slopes, curvatures = self._differentiate()
        for output in range(len(self._base)):
            figures = np.stack([slopes[:, output], curvatures[:, output], self._rows.weight], axis=1)
            best = self._grower.grow(figures, self._find_columns(), self._find_bounds(output))
            if best is not None:
                yield (*best, output)

    def _find_columns(self) -> set[int]:
        return {column for rule in self._rules for column in rule.columns}

    def _find_bounds(self, output: int) -> RuleLimits:
        settings, count = self._settings, self._rows.codes.shape[1]
        return RuleLimits(
            settings.length,
            settings.edges - self.edges - 1,
            (settings.max_columns or count) - len(self._find_columns()),
            settings.effort_level.beam,
            settings.least_rows,
            self._row,
            self._efficiency,
            self._longer,
            settings.least_rows if self._leaves else 0.0,
            **({} if self._constraints is None else {"forbids": self._constraints.forbids}),
            required=None if self._required is None else self._required[output],
        )

    def _add(self, rule: CodedRule, output: int) -> bool:
        """Add a rule, unless it is there already or is beyond the bounds after all."""
        keys = [each.key for each in self._rules]
        number = keys.index(rule.key) if rule.key in keys else len(keys)
        edges = 0 if number < len(keys) else rule.count_edges(self._table)
        bounds = self._find_bounds(output)
        new_columns = len(set(rule.columns) - self._find_columns())
        if edges > bounds.edges or bounds.edges < 0 or new_columns > bounds.new_columns:
            return False
        sign = 0 if self._constraints is None else self._constraints.find_sign(rule, output)
        if number == len(keys):
            if sign == NEVER or len(keys) >= (self._settings.max_rules or len(keys) + 1):
                return False
            self._append(rule, edges)
        elif sign == NEVER or self._fixed[number].any():
            return False
        new = not self._paying[number, output]
        self._paying[number, output], self._signs[number, output] = True, self._signs[number, output] or sign
        return new

    def _append(self, rule: CodedRule, edges: int) -> None:
        """Add a rule that has no points yet."""
        number, outputs = len(self._rules), len(self._base)
        self._rules.append(rule)
        self._edges.append(edges)
        if number == self._holds.shape[1]:
            self._holds = np.hstack([self._holds, np.zeros_like(self._holds)])
        self._holds[:, number] = rule.find_rows(self._rows.codes)
        held_out = rule.find_rows(self._held_out).astype(np.uint8)
        self._held_out_holds = np.column_stack([self._held_out_holds, held_out])
        self._weights = np.vstack([self._weights, np.zeros(outputs)])
        self._paying = np.vstack([self._paying, np.zeros(outputs, np.bool_)])
        self._signs = np.vstack([self._signs, np.zeros(outputs, np.int64)])
        self._fixed = np.vstack([self._fixed, np.zeros(outputs, np.bool_)])

    def _keep_rules(self, kept: Sequence[KeptRule]) -> None:
        """Begin with the locked rules; those with points of their own keep the proportions of these."""
        points = np.array([each.points or (0,) * len(self._base) for each in kept], np.float64)
        for number, each in enumerate(kept):
            self._append(each.rule, each.rule.count_edges(self._table))
            self._paying[number, list(each.paying)] = True
            self._signs[number] = np.where(np.array(each.signs) == NEVER, 0, each.signs)
            self._fixed[number] = bool(each.points)
        if points.any():
            self._fit_point(points)
        self._refit()

    def _fit_point(self, points: Floats) -> None:
        """Find what a point of the locked rules weighs: the best for the rows, unless the step says it."""
        added: Floats = self._holds[:, : len(points)] @ points
        self._point = self._settings.point or 0.0
        self._margins += self._point * added
        for _ in range(_STEPS if self._settings.point is None else 0):
            slopes, curvatures = self._differentiate()
            own = added - (curvatures * added).sum(axis=0) / curvatures.sum(axis=0)  # the base takes up its part
            change = float((slopes * own).sum() / ((curvatures * own**2).sum() + RIDGE * self._row))
            change = max(change, _LEAST_POINT - self._point)
            self._point += change
            self._margins += change * added
            self._step()
        self._weights[: len(points)] = np.where(self._fixed, self._point * points, self._weights)

    def _differentiate(self) -> tuple[Floats, Floats]:
        """Return (rows, outputs): the slope of the log likelihood at the scores, and how fast it falls."""
        shares = compute_probabilities(self._margins)[:, -len(self._base) :]
        total = self._total[:, None]
        return self._target - total * shares, total * shares * (1 - shares)

    def _remove_least(self, earlier: int, gain: float) -> None:
        """Remove those points of the earlier rules that say least for an edge, if the latest one, which gains so much,
        says more.
        """
        slopes, curvatures = self._differentiate()
        loss = np.full(self._paying.shape, np.inf)
        for output in range(len(self._base)):
            rules, _, matrix = self._sum_equations(slopes, curvatures, output)
            # What the likelihood loses without a weight while all others make up for it, to second order.
            loss[rules, output] = self._weights[rules, output] ** 2 / (2 * invert_diagonal(matrix)[1:])
        alone = self._paying.sum(axis=1) == 1  # then the conditions go with the points
        loss /= 1 + np.where(alone, self._edges, 0)[:, None]
        loss[earlier:] = loss[: 0 if self._constraints is None else len(self._constraints.kept)] = np.inf
        rule, output = divmod(int(loss.argmin()), loss.shape[1])
        if loss[rule, output] >= self._exchange * gain:
            return
        self._margins[:, output] -= self._holds[:, rule] * self._weights[rule, output]
        self._paying[rule, output], self._weights[rule, output] = False, 0.0
        if alone[rule]:
            self._removed.add(self._rules[rule].key)
            del self._rules[rule], self._edges[rule]
            self._weights = np.delete(self._weights, rule, axis=0)
            self._paying = np.delete(self._paying, rule, axis=0)
            self._signs = np.delete(self._signs, rule, axis=0)
            self._fixed = np.delete(self._fixed, rule, axis=0)
            room = np.zeros((len(self._holds), 1), np.uint8)
            self._holds = np.ascontiguousarray(np.hstack([np.delete(self._holds, rule, axis=1), room]))
            self._held_out_holds = np.delete(self._held_out_holds, rule, axis=1)
        self._refit()

    def _refit(self) -> None:
        """Fit all weights anew, until no score changes much."""
        for _ in range(_STEPS):
            if self._step() < _SETTLED:
                return

    def _step(self) -> float:
        """Take a Newton step of all weights; return the largest change of a score."""
        slopes, curvatures = self._differentiate()
        # All outputs move at once: the curvature of softmax that is left out is made up for, as boosting does.
        outputs, largest = len(self._base), 0.0
        curvatures *= outputs / (outputs - 1) if outputs > 1 else 1.0
        for output in range(outputs):
            rules, vector, matrix = self._sum_equations(slopes, curvatures, output)
            step = _solve_step(matrix, vector, self._weights[rules, output], self._signs[rules, output])
            change = np.zeros(len(slopes))
            add_weights(self._holds, rules, step, change)
            size = float(np.abs(change).max(initial=0.0))
            if size > _LONGEST_STEP:
                step, change = step * (_LONGEST_STEP / size), change * (_LONGEST_STEP / size)
            self._base[output] += step[0]
            self._weights[rules, output] += step[1:]
            self._margins[:, output] += change
            largest = max(largest, size)
        return largest

    def _sum_equations(
        self, slopes: Floats, curvatures: Floats, output: int
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Return the rules that are to get points for an output, and the equations of a Newton step of these."""
        rules = np.flatnonzero(self._paying[:, output] & ~self._fixed[:, output])
        vector, matrix = np.zeros(len(rules) + 1), np.zeros((len(rules) + 1, len(rules) + 1))
        slope, curvature = (np.ascontiguousarray(figure[:, output]) for figure in (slopes, curvatures))
        add_normal_equations(self._holds, rules, slope, curvature, vector, matrix)
        matrix += np.tril(matrix, -1).T
        matrix[np.diag_indices_from(matrix)] += [1e-3, *[RIDGE * self._row] * len(rules)]
        vector[1:] -= RIDGE * self._row * self._weights[rules, output]
        return rules, vector, matrix


def _solve_step(matrix: Floats, vector: Floats, weights: Floats, signs: NDArray[np.int64]) -> Floats:
    """Return the Newton step of the base and of weights that keep their signs: those that would not become 0."""
    step = solve(matrix, vector)
    none = np.zeros(len(step), np.bool_)
    while (wrong := (signs * (weights + step[1:]) < 0) & ~none[1:]).any():
        none[1:] |= wrong
        step[1:][none[1:]] = -weights[none[1:]]
        left = vector[~none] - (matrix[np.ix_(~none, none)] * step[none]).sum(axis=1)
        step[~none] = solve(matrix[np.ix_(~none, ~none)], left)
    return step


class NumberPath(CardPath):
    """A card that grows towards a number. Gains are in units of log likelihood, which each loss says.

    After each rule, those that are least missed are exchanged for better ones: what was the best rule for a small card
    need not be good beside the others of a large one.
    """

    # All that was settled for numbers was settled with these.
    _efficiency, _longer, _leaves, _exchange = 0.6, 0.0, False, 0.0

    def __init__(
        self,
        rows: PointRows,
        held_out: NDArray[np.uint8],
        table: BinnedTable,
        grower: RuleGrower,
        settings: CardSettings,
        loss: Loss,
    ) -> None:
        self._loss = loss
        super().__init__(rows, held_out, table, grower, settings)

    def _begin(self, rows: PointRows) -> tuple[Floats, Floats]:
        assert rows.target is not None
        return rows.mass * rows.target[:, None], np.array([self._loss.start(rows.target, rows.mass[:, 0])])

    def _differentiate(self) -> tuple[Floats, Floats]:
        assert self._rows.target is not None
        slope, curvature = self._loss.differentiate(self._rows.target, self._margins[:, 0], self._total)
        return slope[:, None], curvature[:, None]

    def extend(self) -> bool:
        loss, edges = self._measure_loss(), self.edges
        if not super().extend():
            return False
        if self.edges > edges:
            worth = max((loss - self._measure_loss()) / (self.edges - edges), 0.0)
            # On few rows chance says which of two rules is better.
            few = np.count_nonzero(self._rows.weight) <= FEW_ROWS
            for number in self._rank_rules()[: 0 if few else self._settings.effort_level.exchanges].tolist():
                self._replace_rule(number, worth)
        return True

    def _measure_loss(self) -> float:
        assert self._rows.target is not None
        return float((self._total * self._loss.measure(self._rows.target, self._margins[:, 0])).sum())

    def _rank_rules(self) -> NDArray[np.intp]:
        """Return the rules but for locked ones and the last one, the one that is least missed for its edges first."""
        rules, _, matrix = self._sum_equations(*self._differentiate(), 0)
        missed = self._weights[rules, 0] ** 2 / invert_diagonal(matrix)[1:]
        order = rules[np.argsort(missed / (np.array(self._edges)[rules] + 1), kind="stable")]
        locked = 0 if self._constraints is None else len(self._constraints.kept)
        ranked: NDArray[np.intp] = order[(order >= locked) & (order < len(self._rules) - 1)]
        return ranked

    def _replace_rule(self, number: int, worth: float) -> None:
        """Put the best rule into the place of another one, if the loss falls, its edges at what they are worth."""
        kept = self._rules[number], self._edges[number], self._holds[:, number].copy(), self._signs[number].copy()
        held_out = self._held_out_holds[:, number].copy()
        weights, base, margins = self._weights.copy(), self._base.copy(), self._margins.copy()
        before = self._measure_loss() + worth * self.edges
        self._margins[:, 0] -= self._weights[number, 0] * self._holds[:, number]
        self._weights[number], self._paying[number] = 0.0, False
        self._rules[number], self._edges[number] = NO_CONDITIONS, 0
        self._refit()
        bounds = self._find_bounds(0)
        for _, rule, output in self._grow():
            edges = rule.count_edges(self._table)
            sign = 0 if self._constraints is None else self._constraints.find_sign(rule, output)
            if edges > bounds.edges or sign == NEVER or rule.key in {each.key for each in (*self._rules, kept[0])}:
                continue
            self._rules[number], self._edges[number], self._paying[number] = rule, edges, True
            self._signs[number] = sign
            self._holds[:, number] = rule.find_rows(self._rows.codes)
            self._held_out_holds[:, number] = rule.find_rows(self._held_out)
            self._refit()
            if self._measure_loss() + worth * self.edges < (1 - 1e-9) * before:
                return
        self._rules[number], self._edges[number], self._holds[:, number], self._signs[number] = kept
        self._held_out_holds[:, number], self._paying[number] = held_out, True
        self._weights, self._base, self._margins = weights, base, margins
