"""What has to hold of the scores of a scorecard for a clause to be satisfied, and proofs of that.

A claim is about a sum: some scores times 1 or -1 are at least a number on every possible row, or do not fall from one
row to another that differs in one column only. In the latter only the rules count that hold on one of the two rows and
not on the other, with their points or the negative of them. So each claim says that the points of rules on a box of
cells add up to at least some whole number. A bound of this sum counts each rule with one of the columns that it waits
for: then the columns can be minimised one by one. Where the bound does not show the claim, and the row that it would
be reached on does not refute it, the box is split. The tree of splits is the proof; a checker adds up the bound of each
leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.policies.claims import MAX_DEPTH, Box, FailingBox, Splitting, Tree, list_pairs
from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.solver import Undecided
from conceptrules.model.errors import InputError
from conceptrules.model.heads import MAX_LOGARITHM, MAX_SCORE, Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Bounds, Clause, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Column, Value
from conceptrules.model.rule_reader import Stated
from conceptrules.model.text import word

ROUNDING = 1e-12
"""By how much, as a share, programs may differ in powers of e."""


@dataclass(frozen=True, slots=True)
class CardClaim:
    """A claim about every possible row, or about every pair of them that differs in one column only.

    Of one row: where the premise holds, the scores times their signs add up to at least `least`. Of a pair: this sum is
    greater on the second row by at least `least`.
    """

    signs: tuple[int, ...]
    """1, -1 or 0 for each score."""
    least: int
    premise: tuple[Stated, ...] = ()
    column: str | None = None
    """The column in which two rows differ."""
    first: int = 0
    """The cell of the first row in that column."""
    second: int = 0
    """The cell of the second row in that column."""

    def find_failures(
        self, network: RuleNetwork, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return on which rows the claim fails that get these scores; `second` are those of the second rows."""
        sums = second @ np.array(self.signs) - (first @ np.array(self.signs) if self.column is not None else 0)
        failing: NDArray[np.bool_] = sums < self.least
        return failing


def card_claims_of(
    clause: Clause, policy: Policy, space: Space, columns: Sequence[Column], classes: Sequence[Value], head: Points
) -> list[CardClaim]:
    """Return the claims that a clause comes down to.

    Of several classes, monotone and independent clauses are about the differences of scores: these settle the
    probabilities and the class.
    """
    match clause:
        case Monotone() | Independent():
            order = clause.order if isinstance(clause, Monotone) else classes
            pairs = list_pairs(clause, policy, space, columns)
            if isinstance(clause, Independent):
                pairs = [way for first, second in pairs for way in ((first, second), (second, first))]
            return [
                CardClaim(signs, 0, (), clause.column, *pair) for pair in pairs for signs in _list_signs(classes, order)
            ]
        case Implies(rule=rule, label=label) | Locked(rule=rule, label=label):
            answered, premise = list(classes).index(label), read_known_rule(clause.name, rule, columns)  # type: ignore[arg-type]
            return [CardClaim(*limit, premise) for limit in _list_limits(head, answered)]
        case Bounds(rule=rule):
            premise = read_known_rule(clause.name, rule, columns)
            least, most = find_score_bounds(clause, head)
            ends = [*([((1,), least)] if least is not None else []), *([((-1,), -most)] if most is not None else [])]
            return [CardClaim(signs, least, premise) for signs, least in ends]
    raise AssertionError(clause)


def _list_signs(classes: Sequence[Value], order: Sequence[Value]) -> list[tuple[int, ...]]:
    """Return the sums of scores that must not fall if no answer may get worse."""
    if len(classes) <= 2:
        return [(-1,) if classes and order[-1] != classes[1] else (1,)]
    return [tuple((label == better) - (label == worse) for label in classes) for worse, better in pairwise(order)]


def _list_limits(head: Points, answered: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the sums of scores, and the least that they have to be for a class to be answered."""
    if head.outputs == 1:
        return [((1,), head.cutoff) if answered else ((-1,), 1 - head.cutoff)]
    limits = []
    for other in range(head.outputs):
        if other != answered:
            signs = tuple((k == answered) - (k == other) for k in range(head.outputs))
            # Of equal values, the first class is answered.
            limits.append((signs, head.offsets[other] - head.offsets[answered] + (other < answered)))
    return limits


def clause_text(clause: Clause, network: RuleNetwork) -> str:
    """Return what a clause asks of a network, in words: of a scorecard, not of the decision only."""
    if network.head is None or not isinstance(clause, Monotone | Independent | Bounds):
        return clause.text
    several, number = len(network.classes) > 2, not network.classes
    if isinstance(clause, Bounds):
        return clause.say("every prediction" if number else "every score")
    if isinstance(clause, Independent):
        subject = "the prediction does not depend"
        if not number:
            scores = "differences of scores" if several else "score"
            subject = f"neither the {scores} nor the probabilities nor the decision depend"
        return f"{subject} on {word(clause.column)}"
    if number:
        subject, never = "the prediction", "falls" if clause.direction == "up" else "rises"
    else:
        never = "get worse" if clause.direction == "up" else "get better"
        subject = f"the score, the probability of {word(clause.order[-1])} and the decision"
        if several:
            subject = "the scores of better classes against worse ones, their probabilities together and the decision"
    listed = f" ({' < '.join(map(word, clause.order))})" if clause.order else ""
    gaps = ", where a missing value is the lowest" if clause.missing == "lowest" else ""
    return f"as {word(clause.column)} rises, {subject} never {never}{listed}{gaps}"


def find_score_bounds(clause: Bounds, head: Points) -> tuple[int | None, int | None]:
    """Return the least and the largest score that a clause allows; None where it does not say.

    A number rises with its score: it is their product with the step, rounded to a float, or e to the power of that.
    Programs differ in how they round powers of e, so that a bound has to be kept by a margin.
    """
    margin = ROUNDING if head.link == "log" else 0.0
    least, most = None, None
    if clause.least > -math.inf:
        least = _find_first(head, lambda number: number - margin * abs(number) >= clause.least)
    if clause.most < math.inf:
        most = _find_first(head, lambda number: number + margin * abs(number) > clause.most) - 1
    return least, most


def _find_first(head: Points, reached: Callable[[float], bool]) -> int:
    """Return the least score whose number reaches a bound, or one more than the largest there can be."""
    low, high = -MAX_SCORE, MAX_SCORE + 1
    while low < high:
        middle = (low + high) // 2
        number: float = middle if head.step is None else middle * head.step
        if head.link == "log":
            number = math.exp(min(max(number, -MAX_LOGARITHM), MAX_LOGARITHM))
        low, high = (low, middle) if reached(number) else (middle + 1, high)
    return low


class Term(NamedTuple):
    """What a rule adds to the sum of a claim, and the cells where it does, by column."""

    weight: int
    region: Box


class CardSplitting(Splitting):
    """A scorecard on the cells of its columns; `work` limits how many literals are looked at."""

    def __init__(self, network: RuleNetwork, space: Space, impossible: Sequence[Sequence[Stated]], work: int) -> None:
        if len(network.levels) > 1:
            raise InputError(
                "the proof of policies knows scorecards of one level; the rules of this one are about concepts"
            )
        super().__init__(network, space, impossible, work)
        self._place = {name: number for number, name in enumerate(space)}

    def prove(self, claim: CardClaim) -> Tree | FailingBox:  # type: ignore[override]
        terms, impossible, least = self._reduce(claim)
        premise = self.conjunction(claim.premise)
        box = {
            name: cells.possible & premise.get(name, -1) for name, cells in self.space.items() if name != claim.column
        }
        return self.prove_sum(terms, impossible, least, box)

    def prove_sum(self, terms: Sequence[Term], impossible: Sequence[Box], least: int, box: Box) -> Tree | FailingBox:
        """Return the tree that proves that terms add up to at least `least` in a box, or cells where they do not."""
        asked = dict.fromkeys(self.space, 0)
        for term in terms:
            for name in term.region:
                asked[name] += 1
        # Of the columns that a rule waits for, it is counted with the one that most rules of the claim ask about.
        self._rank = {name: (-count, self._place[name]) for name, count in asked.items()}
        return self._bound(terms, impossible, least, box, 0)

    def fails(self, claim: CardClaim, cells: dict[str, int]) -> bool:  # type: ignore[override]
        terms, impossible, least = self._reduce(claim)
        premise, row = self.conjunction(claim.premise), {name: 1 << cell for name, cell in cells.items()}
        if not _contains(premise, row) or any(_contains(region, row) for region in impossible):
            return False
        return sum(term.weight for term in terms if _contains(term.region, row)) < least

    def _reduce(self, claim: CardClaim) -> tuple[list[Term], list[Box], int]:
        """Return the rules that count for a claim, without its column, the regions of impossible rows, and the sum."""
        head = self.network.head
        assert head is not None
        weights = [sum(map(int.__mul__, claim.signs, points)) for points in head.points]
        if claim.column is None:
            terms = [Term(weight, region) for weight, region in zip(weights, self.rules, strict=True) if weight]
            return terms, self.impossible, claim.least - sum(map(int.__mul__, claim.signs, head.base))
        terms, ends = [], (claim.first, claim.second)
        for weight, region in zip(weights, self.rules, strict=True):
            first, second = (_has_cell(region, claim.column, cell) for cell in ends)
            if weight and first != second:
                terms.append(Term(weight if second else -weight, _without(region, claim.column)))
        impossible = [
            _without(region, claim.column)
            for region in self.impossible
            if any(_has_cell(region, claim.column, cell) for cell in ends)
        ]
        return terms, impossible, claim.least

    def _bound(
        self, terms: Sequence[Term], impossible: Sequence[Box], least: int, box: Box, depth: int
    ) -> Tree | FailingBox:
        """Bound the sum of terms in a box, and split it where that is not enough."""
        if not all(box.values()):
            return None
        least, terms = self._settle(terms, least, box)
        bound, row, owners = self._minimise(terms, impossible, box)
        open_regions = [region for region in impossible if not any(not box[name] & region[name] for name in region)]
        if bound >= least or any(_contains(region, box) for region in open_regions):
            return None
        total = sum(term.weight for term in terms if _contains(term.region, row))
        blocked = next((region for region in open_regions if _contains(region, row)), None)
        if total < least and blocked is None:
            return FailingBox(row)
        if depth > MAX_DEPTH:
            raise Undecided("not decided: too many splits in one another")
        name, cells = self._choose_cells(terms, owners, box, row) if total >= least else _open_condition(blocked, box)
        trees = []
        for part in (cells & box[name], box[name] & ~cells):
            tree = self._bound(terms, open_regions, least, {**box, name: part}, depth + 1)
            if isinstance(tree, FailingBox):
                return tree
            trees.append(tree)
        return name, cells & box[name], *trees  # type: ignore[return-value]

    def _settle(self, terms: Sequence[Term], least: int, box: Box) -> tuple[int, list[Term]]:
        """Return what is left of a sum without the terms that are known in a box, with what the others wait for."""
        left = []
        for weight, region in terms:
            self._spend(len(region) + 1)
            if all(cells & box[name] for name, cells in region.items()):
                waiting = {name: cells for name, cells in region.items() if box[name] & ~cells}
                if waiting:
                    left.append(Term(weight, waiting))
                else:
                    least -= weight
        return least, left

    def _minimise(
        self, terms: Sequence[Term], impossible: Sequence[Box], box: Box
    ) -> tuple[int, Box, list[tuple[str, int]]]:
        """Return the least that terms can add up to, each counted with one column; a row that this is reached on; and
        the column of each term with what it adds there.

        A term that waits for further columns may add nothing, so that it counts only where it is negative.
        """
        owners, by_column = [], dict[str, list[tuple[int, int, float]]]()
        for weight, region in terms:
            owner = min(region, key=self._rank.__getitem__)
            bound = weight if len(region) == 1 else min(weight, 0)
            owners.append((owner, bound))
            for name, cells in region.items():
                by_column.setdefault(name, []).append((cells, bound if name == owner else 0, weight / len(region)))
        total, row = 0, dict(box)
        for name in {name: None for region in (*map(_region_of, terms), *impossible) for name in region}:
            parts = [(box[name], 0, 0.0)]
            for cells, bound, guess in by_column.get(name, ()):
                self._spend(len(parts))
                inside = [(mask & cells, low + bound, hope + guess) for mask, low, hope in parts if mask & cells]
                parts = inside + [(mask & ~cells, low, hope) for mask, low, hope in parts if mask & ~cells]
            mask, low, _ = min(parts, key=lambda part: (part[1], part[2], part[0] & -part[0]))
            total, row[name] = total + low, mask & -mask
        return total, row, owners

    def _choose_cells(
        self, terms: Sequence[Term], owners: Sequence[tuple[str, int]], box: Box, row: Box
    ) -> tuple[str, int]:
        """Return a condition of the rule whose points the bound misjudges most on a row."""

        def misjudged(number: int) -> tuple[int, int]:
            (weight, region), (owner, bound) = terms[number], owners[number]
            return weight * _contains(region, row) - (bound if row[owner] & region[owner] else 0), -number

        _, region = terms[max(range(len(terms)), key=misjudged)]
        outside = [name for name in region if not row[name] & region[name]]
        name = min(outside or region, key=self._rank.__getitem__)
        return name, region[name]

    def _spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            raise Undecided("not decided: too large")


def _contains(region: Box, box: Box) -> bool:
    """Return whether a region has all cells of a box."""
    return not any(box[name] & ~cells for name, cells in region.items())


def _has_cell(region: Box, name: str, cell: int) -> bool:
    return bool(region.get(name, -1) >> cell & 1)


def _without(region: Box, name: str) -> Box:
    return {other: cells for other, cells in region.items() if other != name}


def _region_of(term: Term) -> Box:
    return term.region


def _open_condition(region: Box | None, box: Box) -> tuple[str, int]:
    """Return a condition of a region that is not known in a box."""
    assert region is not None
    return next((name, cells) for name, cells in region.items() if box[name] & ~cells)
