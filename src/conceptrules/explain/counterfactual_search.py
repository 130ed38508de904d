"""An exact search for the fewest columns to change, over what a row could be.

First all changes of one column are tried, then of two, and so on. Of each set of columns it is asked first whether the
class could change at all while these are open, then while one of them is settled, and so on: most sets fall away
unseen, with all that they could hold. Thousands of states are asked about at a time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.bounds import Cases, may_decide
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import Level

States = NDArray[np.int16]
"""The number of an option of each column, or what is open: (states, columns). 0 is what the row says now."""
ANY, OTHER = -1, -2  # open: one of the options; one of the options, but not what the row says now
_BLOCK = 1 << 15  # states at a time
_FEW = 1 << 12  # the same where any change will do: the first one ends the search, but a call costs as much as 1,000


@dataclass(frozen=True, slots=True, eq=False)
class Free:
    """A column that may change: what is known of its predicates under each option, then under OTHER and ANY."""

    bits: Bits
    """Which predicates hold under each option: (options, predicates)."""
    must: Bits
    may: Bits

    @staticmethod
    def of(bits: Bits) -> Free:
        others = bits[1:]
        must = np.vstack([bits, others.all(axis=0), bits.all(axis=0)])
        return Free(bits, must, np.vstack([bits, others.any(axis=0), bits.any(axis=0)]))


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """How can a row get one of the wanted classes?"""

    levels: tuple[Level, ...]
    """The levels as `two_sided` makes them."""
    order: tuple[int, ...]
    default: int
    wanted: frozenset[int]
    parts: tuple[Free | tuple[bool, ...], ...]
    """The used columns: one that may change, or for one that stays whether its predicates hold."""

    @property
    def free(self) -> list[Free]:
        return [part for part in self.parts if isinstance(part, Free)]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
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
        """Count these states, or raise `LimitReached` if they are too many."""
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


def smallest(question: Question, budget: Budget) -> Found | None:
    """Return the fewest columns to change, or None if no change at all leads to a wanted class.

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
                    bound = any_change(question, budget)
                    if bound is None:
                        return None
            for state in changes(question, count, budget):
                best = state
            if best is not None:
                return Found(best, count)
    except LimitReached:
        return Found(bound if best is None else best, count)
    return None


def changes(question: Question, count: int, budget: Budget) -> Iterator[States]:
    """Yield changes of so many columns, each better than the one before; the last is the best."""
    flips = [(part.bits != part.bits[0]).sum(axis=1) for part in question.free]
    # Less than this no change of so many columns can flip.
    floor = sum(sorted(int(each[1:].min()) for each in flips)[:count])
    least: int | None = None
    for start in _sets(len(flips), count):
        for states in _flipping(question, start, budget, _BLOCK):
            flipped = _total(flips, states)
            first = int(np.argmin(flipped))
            if least is None or flipped[first] < least:
                least = int(flipped[first])
                yield states[first]
                if least <= floor:
                    return


def any_change(question: Question, budget: Budget) -> States | None:
    """Return some change from which no column can be left out; None if there is none at all.

    Where a few thousand random rows hold none, all are searched.
    """
    start = np.full((1, len(question.free)), ANY, dtype=np.int16)
    found = next(_flipping(question, _random(question), budget, _FEW), None)
    if found is None:
        found = next(_flipping(question, start, budget, _FEW), None)
    if found is None:
        return None
    state: States = found[0]
    for column in range(len(state)):
        less = state.copy()
        less[column] = 0
        if may_flip(question, less[None])[0]:
            state = less
    return state


def _random(question: Question) -> States:
    """Return rows with one column changed, two, and so on; they are the same whenever they are asked for."""
    random = np.random.default_rng(0)
    sizes = np.array([len(part.bits) for part in question.free])
    numbers = random.integers(sizes, size=(_FEW, len(sizes)))
    order = random.random(numbers.shape).argsort(axis=1)
    return np.where(order <= np.linspace(0, len(sizes), _FEW)[:, None], numbers, 0).astype(np.int16)


def may_flip(question: Question, states: States) -> Bits:
    """Return which states may lead to a wanted class; for those without an open column the answer is exact."""
    full = (1 << len(states)) - 1
    must: list[Cases] = []
    may: list[Cases] = []
    column = iter(states.T)
    for part in question.parts:
        if isinstance(part, Free):
            numbers = next(column)
            must += _cases(part.must[numbers])
            may += _cases(part.may[numbers])
        else:
            known = [full if holds else 0 for holds in part]
            must += known
            may += known
    result = may_decide(question.levels, must, may, question.order, question.default, question.wanted, full)
    octets = np.frombuffer(result.to_bytes(-(-len(states) // 8), "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=len(states), bitorder="little").view(np.bool_)


def _flipping(question: Question, states: States, budget: Budget, most: int) -> Iterator[States]:
    """Yield all that these open states can become and that lead to a wanted class, in order."""
    budget.spend(len(states))
    states = states[may_flip(question, states)]
    if not len(states) or not (states < 0).any():
        yield from [states] if len(states) else []
        return
    sizes = np.array([len(part.bits) for part in question.free])
    each = max(1, most // int(sizes.max()))
    for start in range(0, len(states), each):
        yield from _flipping(question, _settled(states[start : start + each], sizes), budget, most)


def _settled(states: States, sizes: NDArray[np.intp]) -> States:
    """Return each state with its first open column settled, in every way."""
    column = (states < 0).argmax(axis=1)
    first = np.where(states[np.arange(len(states)), column] == OTHER, 1, 0)
    counts = sizes[column] - first
    ends = np.cumsum(counts)
    result = np.repeat(states, counts, axis=0)
    numbers = np.arange(len(result)) - np.repeat(ends - counts - first, counts)
    result[np.arange(len(result)), np.repeat(column, counts)] = numbers
    return result


def _sets(columns: int, count: int) -> Iterator[States]:
    """Yield all sets of so many columns, as states that are open there."""
    every = combinations(range(columns), count)
    while chosen := list(islice(every, _BLOCK)):
        states = np.zeros((len(chosen), columns), dtype=np.int16)
        np.put_along_axis(states, np.array(chosen), OTHER, axis=1)
        yield states


def _total(flips: Sequence[NDArray[np.intp]], states: States) -> NDArray[np.intp]:
    total: NDArray[np.intp] = np.sum([each[numbers] for each, numbers in zip(flips, states.T, strict=True)], axis=0)
    return total


def _cases(bits: Bits) -> list[Cases]:
    packed = np.packbits(bits, axis=0, bitorder="little").T
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
