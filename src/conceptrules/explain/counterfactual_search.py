"""An exact search for the fewest columns to change, over what a row could be.

First all changes of one column are tried, then of two, and so on. For each set of columns, the search first asks
whether the class could change at all while these columns are open, then while the first of them is settled, and so on:
most sets are ruled out before any of their states is looked at. Thousands of states are evaluated at a time.

A state with open columns is evaluated by bounds. Each node of the network has two sides: where it must hold, and where
it may. `not p` must hold where p may not, and may hold where p need not, so that one evaluation serves for both sides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, class_nodes
from conceptrules.model.network import Concept, Level, Literal, Rule

Cases = int
"""One bit for each state: Python's integers are as long as needed, and faster than arrays where there are few."""

States = NDArray[np.int16]
"""The number of an option of each column, or what is open: (states, columns). 0 is what the row says now."""
ANY, OTHER = -1, -2  # open: one of the options; one of the options, but not what the row says now
_BLOCK = 1 << 15  # states at a time
_SMALL_BLOCK = 1 << 12  # where any change will do: the first one ends the search, but a call costs as much as 1,000


@dataclass(frozen=True, slots=True, eq=False)
class FreeColumn:
    """A column that may change: what is known of its predicates under each option, then under OTHER and ANY."""

    bits: Bits
    """Which predicates hold under each option: (options, predicates)."""
    must: Bits
    may: Bits

    @staticmethod
    def of(bits: Bits) -> FreeColumn:
        changed = bits[1:]
        must = np.vstack([bits, changed.all(axis=0), bits.all(axis=0)])
        return FreeColumn(bits, must, np.vstack([bits, changed.any(axis=0), bits.any(axis=0)]))


class Goal(Protocol):
    """What the changed row is to be answered."""

    def may_reach(self, nodes: Sequence[Cases], states: int) -> Bits:
        """Return which states may be answered so: `nodes` are those of the last level that must hold, then may."""
        ...


@dataclass(frozen=True, slots=True)
class ClassGoal:
    """One of these classes is answered, by priority."""

    order: tuple[int, ...]
    default: int
    allowed: frozenset[int]

    def may_reach(self, nodes: Sequence[Cases], states: int) -> Bits:
        """Return where an allowed class may fire and no class before it must."""
        silent, result = (1 << states) - 1, 0
        full = silent
        for index in self.order:
            if index in self.allowed:
                result |= silent & nodes[len(self.order) + index]
            silent &= full ^ nodes[index]
        if self.default in self.allowed:
            result |= silent
        reached: Bits = _to_bits([result], states)[0]
        return reached


@dataclass(frozen=True, slots=True, eq=False)
class ScoreGoal:
    """Points add up to enough: each sum of a way is at least its threshold, in one way or another.

    An open rule counts with what is best for the sum: its points if they are positive, and nothing if they are not.
    """

    ways: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]
    """For each way the points, [sum, rule], and the thresholds, [sum]."""

    def may_reach(self, nodes: Sequence[Cases], states: int) -> Bits:
        """Return where the largest possible sums of some way are large enough."""
        holds = _to_bits(nodes, states).astype(np.float64)
        must, may = holds[: len(nodes) // 2], holds[len(nodes) // 2 :]
        result = np.zeros(states, np.bool_)
        for points, least in self.ways:
            sums = np.maximum(points, 0) @ may + np.minimum(points, 0) @ must
            result |= (sums >= least[:, None]).all(axis=0)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """How can a row get a certain answer?"""

    levels: tuple[Level, ...]
    """The levels as `split_sides` makes them."""
    goal: Goal
    parts: tuple[FreeColumn | tuple[bool, ...], ...]
    """The used columns: one that may change, or for one that stays whether its predicates hold."""

    @property
    def free(self) -> list[FreeColumn]:
        return [part for part in self.parts if isinstance(part, FreeColumn)]


@dataclass(frozen=True, slots=True, eq=False)
class SmallestChange:
    """The best state found, if any; no change of fewer columns than `at_least` exists."""

    state: States | None
    at_least: int

    @property
    def proved(self) -> bool:
        return self.state is not None and int(np.count_nonzero(self.state)) == self.at_least


class LimitReached(Exception):
    """The search looked at as many states as it may."""


class Budget:
    """Counts the states that were looked at, and ends the search when there are too many."""

    def __init__(self, limit: int, seconds: float | None = None) -> None:
        self.visited, self.limit = 0, limit
        self.until = None if seconds is None else time.monotonic() + seconds

    def spend(self, states: int) -> None:
        """Count these states, or raise `LimitReached` if there are too many."""
        if self.visited + states > self.limit or (self.until is not None and time.monotonic() > self.until):
            raise LimitReached
        self.visited += states

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Let only this share of what is left be spent for now."""
        limit, self.limit = self.limit, self.visited + int((self.limit - self.visited) * share)
        try:
            yield
        finally:
            self.limit = limit


def find_smallest_change(question: Question, budget: Budget) -> SmallestChange | None:
    """Return the fewest columns to change, or None if no change at all leads to the goal.

    Of several such changes it is the one that flips fewest predicates, then the first.
    """
    bound: States | None = None
    best: States | None = None
    count = 1
    try:
        for count in range(1, len(question.free) + 1):
            if count == 3:
                # There are too many large changes to try them all, size by size, only to find that there is none.
                with budget.part(0.5), suppress(LimitReached):
                    bound = find_any_change(question, budget)
                    if bound is None:
                        return None
            for state in improve_changes(question, count, budget):
                best = state
            if best is not None:
                return SmallestChange(best, count)
    except LimitReached:
        return SmallestChange(bound if best is None else best, count)
    return None


def improve_changes(question: Question, count: int, budget: Budget) -> Iterator[States]:
    """Yield changes of this many columns, each better than the one before; the last is the best."""
    flips = [(part.bits != part.bits[0]).sum(axis=1) for part in question.free]
    floor = sum(sorted(int(column[1:].min()) for column in flips)[:count])  # no change of so many columns flips fewer
    least: int | None = None
    for sets in _column_sets(len(flips), count):
        for states in _expand(question, sets, budget, _BLOCK):
            total = np.sum([column[options] for column, options in zip(flips, states.T, strict=True)], axis=0)
            first = int(np.argmin(total))
            if least is None or total[first] < least:
                least = int(total[first])
                yield states[first]
                if least <= floor:
                    return


def find_any_change(question: Question, budget: Budget) -> States | None:
    """Return some change from which no column can be left out; None if there is none at all.

    If a few thousand random changes do not include one, all are searched.
    """
    open_state = np.full((1, len(question.free)), ANY, dtype=np.int16)
    for start in (_random_changes(question), open_state):
        states = next(_expand(question, start, budget, _SMALL_BLOCK), None)
        if states is not None:
            break
    else:
        return None
    state: States = states[0]
    for column in range(len(state)):
        less = state.copy()
        less[column] = 0
        if may_lead(question, less[None])[0]:
            state = less
    return state


def _random_changes(question: Question) -> States:
    """Return rows with one column changed, two, and so on; they are the same on every call."""
    random = np.random.default_rng(0)
    sizes = np.array([len(part.bits) for part in question.free])
    options = random.integers(sizes, size=(_SMALL_BLOCK, len(sizes)))
    order = random.random(options.shape).argsort(axis=1)
    return np.where(order <= np.linspace(0, len(sizes), _SMALL_BLOCK)[:, None], options, 0).astype(np.int16)


def _expand(question: Question, states: States, budget: Budget, most: int) -> Iterator[States]:
    """Yield all that these open states can become and that lead to the goal, in order."""
    budget.spend(len(states))
    states = states[may_lead(question, states)]
    if not len(states) or not (states < 0).any():
        yield from [states] if len(states) else []
        return
    sizes = np.array([len(part.bits) for part in question.free])
    block = max(1, most // int(sizes.max()))
    for start in range(0, len(states), block):
        yield from _expand(question, _settle_first(states[start : start + block], sizes), budget, most)


def _settle_first(states: States, sizes: NDArray[np.intp]) -> States:
    """Return each state with its first open column settled, in every way."""
    column = (states < 0).argmax(axis=1)
    first = np.where(states[np.arange(len(states)), column] == OTHER, 1, 0)
    counts = sizes[column] - first
    ends = np.cumsum(counts)
    result = np.repeat(states, counts, axis=0)
    options = np.arange(len(result)) - np.repeat(ends - counts - first, counts)
    result[np.arange(len(result)), np.repeat(column, counts)] = options
    return result


def _column_sets(columns: int, count: int) -> Iterator[States]:
    """Yield all sets of so many columns, as states that are open there."""
    sets = combinations(range(columns), count)
    while block := list(islice(sets, _BLOCK)):
        states = np.zeros((len(block), columns), dtype=np.int16)
        np.put_along_axis(states, np.array(block), OTHER, axis=1)
        yield states


# Bounds


def split_sides(levels: Sequence[Level], below: int) -> tuple[Level, ...]:
    """Return levels of twice as many nodes: where each node must hold, then where it may."""

    def side(rule: Rule, may: bool) -> Rule:
        return Rule(tuple(Literal(i.index + below * (may != i.negated), i.negated) for i in rule.literals))

    result = []
    for level in levels:
        rules = tuple(side(rule, may) for may in (False, True) for rule in level.rules)
        shifted = tuple(Concept(tuple(rule + len(level.rules) for rule in concept.rules)) for concept in level.concepts)
        result.append(Level(rules, level.concepts + shifted))
        below = len(level.concepts)
    return tuple(result)


def may_lead(question: Question, states: States) -> Bits:
    """Return which states may lead to the goal; for those without an open column the answer is exact."""
    full = (1 << len(states)) - 1
    must: list[Cases] = []
    may: list[Cases] = []
    columns = iter(states.T)
    for part in question.parts:
        if isinstance(part, FreeColumn):
            options = next(columns)
            must += _to_cases(part.must[options])
            may += _to_cases(part.may[options])
        else:
            known = [full if holds else 0 for holds in part]
            must += known
            may += known
    nodes = class_nodes(question.levels, [*must, *may], full)
    return question.goal.may_reach(nodes, len(states))


def _to_bits(nodes: Sequence[Cases], states: int) -> Bits:
    """Return in which states nodes hold: (nodes, states)."""
    width = -(-states // 8)
    octets = np.frombuffer(b"".join(node.to_bytes(width, "little") for node in nodes), dtype=np.uint8)
    packed = octets.reshape(len(nodes), width)
    return np.unpackbits(packed, axis=1, count=states, bitorder="little").view(np.bool_)


def _to_cases(bits: Bits) -> list[Cases]:
    packed = np.packbits(bits, axis=0, bitorder="little").T
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
