"""One rule more: a beam search for the rule with the largest Newton gain, from sums over rows in bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.reference import NOTHING, find_sign, write_condition
from conceptrules.kernels.points.sums import add_to_bins, find_conditions
from conceptrules.kernels.search.values import CODES, Columns
from conceptrules.learn.binned_table import BinnedTable
from conceptrules.model.evaluation import Bits
from conceptrules.model.predicate import size_of

Floats = NDArray[np.float64]
PRICE = 0.03
"""What a rule has to gain for each of its edges, in units of log loss (nats) of one row of the table."""
EFFICIENCY = 0.35
"""What each edge has to gain besides, as a share of what the best rule of a single condition gains for an edge. So the
path leads to good cards of few edges first, and long rules come once short ones have nothing left to say."""
RIDGE = 1.0
"""The ridge of the weights, in rows of the table: a rule on a few rows gets a small weight."""
LONGER = 2.0
"""What each further column of a rule costs, in edges: a rule of two columns is read more slowly than two of one."""
_CATEGORIES = 8
"""Categories in one condition, so that it can be read."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedRule:
    """An AND of conditions on bins."""

    columns: tuple[int, ...]
    """The column of each condition, ascending."""
    allowed: NDArray[np.uint8]
    """[condition, code]: 1 where the condition holds."""

    def find_rows(self, codes: NDArray[np.uint8]) -> Bits:
        """Return on which rows all conditions hold."""
        holding = np.ones(len(codes), np.bool_)
        for column, allowed in zip(self.columns, self.allowed, strict=True):
            holding &= allowed[codes[:, column]] != 0
        return holding

    def add_condition(self, column: int, allowed: NDArray[np.uint8]) -> CodedRule:
        """Return the rule with one more condition; two on one column become one."""
        conditions = dict(zip(self.columns, self.allowed, strict=True))
        conditions[column] = conditions[column] & allowed if column in conditions else allowed
        columns = tuple(sorted(conditions))
        return CodedRule(columns, np.stack([conditions[each] for each in columns]))

    def count_edges(self, table: BinnedTable) -> int:
        """Return the edges of the conditions."""
        tests = zip(self.columns, self.allowed, strict=True)
        return sum(
            size_of(predicate, table.bins[column].column)
            for column, allowed in tests
            for predicate, _ in table.bins[column].state_tests(allowed)
        )

    @property
    def key(self) -> tuple[tuple[int, ...], bytes]:
        """What equal rules have in common."""
        return self.columns, self.allowed.tobytes()


NO_CONDITIONS = CodedRule((), np.zeros((0, CODES), np.uint8))


class _Unfinished(NamedTuple):
    gain: float
    """Less what its edges cost."""
    edges: int
    rule: CodedRule
    rows: NDArray[np.int32]
    """On which it holds."""
    sign: int = 0
    """That its weight has to have; 0: any."""


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """What the next rule may be like."""

    length: int
    """Conditions."""
    edges: int
    """Edges, that of its points not counted."""
    new_columns: int
    """Columns that no rule of the card asks about yet."""
    beam: int
    least_rows: float
    row: float
    """What a row of the table weighs, with the mixed rows that go with it."""
    efficiency: float = EFFICIENCY
    """What each edge has to gain, as a share of what the best rule of a single condition gains for one."""
    longer: float = LONGER
    least_left: float = 0.0
    """The least weight of the rows that each condition leaves out: what says less is no better than its opposite."""
    required: NDArray[np.int64] | None = None
    """[column, 3]: the signs that the weight has to have for the sake of a condition, as `reference.py` says."""
    forbids: Callable[[CodedRule], bool] = lambda _: False
    """Whether a rule may not come."""


class RuleGrower:
    """Finds the next rule of a card, again and again on the same rows."""

    def __init__(self, codes: NDArray[np.uint8], columns: Columns, kept: NDArray[np.intp]) -> None:
        """`codes` and `columns` are those of the columns `kept`, which rules may ask about."""
        self._codes, self._columns, self._kept = codes, columns, kept
        self._every = np.arange(len(codes), dtype=np.int32)
        self._askable = columns.askable.astype(np.uint8)
        self._sums = np.zeros((int(columns.start[-1]), 3))
        self._gains = np.zeros(len(columns.bins))
        self._forms = np.zeros((len(columns.bins), 4), np.int64)

    def grow(self, figures: Floats, used: set[int], bounds: RuleLimits) -> tuple[float, CodedRule] | None:
        """Return the best rule and what it gains less the least price of its edges; None if no rule pays.

        `figures` are the slope, the curvature and the weight of each row, and `used` the columns of other rules.
        """
        places = set(np.flatnonzero(np.isin(self._kept, list(used))).tolist())
        totals = (float(figures[:, 0].sum()), float(figures[:, 1].sum()))
        beam = [_Unfinished(0.0, 0, NO_CONDITIONS, self._every)]
        least = PRICE * bounds.row
        best, price, seen = beam[0], least, set[tuple[tuple[int, ...], bytes]]()
        for length in range(bounds.length):
            longer: list[_Unfinished] = []
            for unfinished in beam:
                self._scan(unfinished, figures, totals, price, bounds)
                if not length:
                    edges = self._forms[:, 3]
                    price = max(price, bounds.efficiency * float(((self._gains + price * edges) / (edges + 1)).max()))
                    self._scan(unfinished, figures, totals, price, bounds)
                longer += self._lengthen(unfinished, price, places, bounds)
            beam = []
            for unfinished in sorted(longer, key=lambda each: -each.gain):
                if unfinished.rule.key in seen:
                    continue
                seen.add(unfinished.rule.key)
                best = max(best, unfinished, key=lambda each: each.gain)
                rows = unfinished.rows[unfinished.rule.find_rows(self._codes[unfinished.rows])]
                beam.append(unfinished._replace(rows=rows))
                if len(beam) == bounds.beam:
                    break
        gain = best.gain + (price - least) * (best.edges + 1)
        if not best.edges or gain <= 0:
            return None
        return gain, self._name_columns(best.rule)

    def _name_columns(self, rule: CodedRule) -> CodedRule:
        """Return a rule with the columns' numbers in the table."""
        return CodedRule(tuple(self._kept[list(rule.columns)].tolist()), rule.allowed)

    def _scan(
        self, unfinished: _Unfinished, figures: Floats, totals: tuple[float, float], price: float, bounds: RuleLimits
    ) -> None:
        """Find the best condition of each column on the rows of a rule."""
        columns = self._columns
        add_to_bins(self._codes, unfinished.rows, figures, columns.start, self._sums)
        find_conditions(
            self._sums, columns.start, columns.bins, columns.ordered, self._askable, self._find_required(bounds),
            unfinished.sign, *totals, RIDGE * bounds.row, price,
            max(bounds.least_rows, 1e-9), bounds.least_left, bounds.edges > 1, min(_CATEGORIES, bounds.edges),
            self._gains, self._forms,
        )  # fmt: skip

    def _find_required(self, bounds: RuleLimits) -> NDArray[np.int64]:
        """Return the signs that conditions on the columns require."""
        if bounds.required is None:
            return np.zeros((len(self._kept), 3), np.int64)
        return np.ascontiguousarray(bounds.required[self._kept])

    def _lengthen(
        self, unfinished: _Unfinished, price: float, used: set[int], bounds: RuleLimits
    ) -> Iterator[_Unfinished]:
        """Yield the rule with one more condition, for the columns that gain most."""
        start, known, count = self._columns.start, used.union(unfinished.rule.columns), 0
        required = self._find_required(bounds)
        spent = len(known) - len(used)
        for column in np.argsort(-self._gains, kind="stable").tolist():
            form = self._forms[column].tolist()
            edges = unfinished.edges + form[3]
            if form[0] == NOTHING or edges > bounds.edges or spent + (column not in known) > bounds.new_columns:
                continue
            allowed = write_condition(self._sums[start[column] : start[column + 1]], tuple(form), RIDGE * bounds.row)
            rule = unfinished.rule.add_condition(column, allowed)
            if bounds.forbids(self._name_columns(rule)):
                continue
            gain = float(self._gains[column]) - price * (unfinished.edges + 1 + bounds.longer * (len(rule.columns) - 1))
            sign = find_sign(tuple(form), tuple(required[column].tolist())) or unfinished.sign
            yield _Unfinished(gain, edges, rule, unfinished.rows, sign)
            count += 1
            if count > bounds.beam:
                return
