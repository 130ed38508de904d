"""Rows that are on a GPU: compiled code puts a question into a mailbox, calls Python, and finds the answer there.

The search itself runs on the CPU. What it asks about rows are sums, which are whole numbers here, so that they are the
same in any order: those of weights in units of `Rows.grain`, those of gains in units of `gain_unit`. gpu.py answers.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel

RESET, LOOK, TOGGLE, ANSWERS, GAINS, FETCH, SCAN, WEIGH, KEEP, RESTORE = range(10)
"""The questions."""
CLASS, DEFAULT, BLIND, LENGTH, MORE, HOPE = range(6)
"""The places of `Card.numbers`."""


class Card(NamedTuple):
    """The mailbox."""

    call: int
    """The address of the function that answers; 0: there is no GPU."""
    numbers: NDArray[np.int64]
    order: NDArray[np.int64]
    """The priority of the classes."""
    column: NDArray[np.int64]
    """The rule that is asked about, with `allowed`."""
    allowed: NDArray[np.uint8]
    slopes: NDArray[np.float64]
    factors: NDArray[np.float64]
    """What losses are multiplied by, the unit of gains, and one divided by that."""
    table: NDArray[np.int64]
    """An answer: [class, answer of the network] has the weight of rows. The column after the last class has the rows
    where none fires."""
    listed: NDArray[np.int64]
    """An answer: the number of rows that gain or lose, and of those that gain."""
    histogram: NDArray[np.int64]
    """An answer: [which of two, column, bin] has gains."""
    gain: NDArray[np.int64]
    """An answer: the gain of each row."""


NO_CARD = Card(
    0,
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    np.zeros((0, 0), np.uint8),
    np.zeros((0, 0)),
    np.zeros(0),
    np.zeros((0, 0), np.int64),
    np.zeros(0, np.int64),
    np.zeros((0, 0, 0), np.int64),
    np.zeros(0, np.int64),
)


def _typed_call(typing: Any, address: Any, question: Any) -> Any:
    """Call the function at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        function = ir.FunctionType(ir.VoidType(), [number]).as_pointer()
        builder.call(builder.inttoptr(arguments[0], function), [arguments[1]])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


_call: Any = intrinsic(_typed_call)


@kernel()
def gain_unit(grain: Any, slopes: Any, c: Any, care: Any) -> Any:
    """Return the power of two that gains of class `c` are multiples of.

    All weights together are some 2**48 grains, so that all gains together are at most some 2**52 of these units, and
    any sum of them is exact.
    """
    most = 0.0
    for k in range(len(slopes)):
        for j in range(len(slopes)):
            most = max(most, abs(slopes[k, c] - slopes[k, j]))
    return math.ldexp(grain, math.frexp(most * care)[1] - 4)


@kernel()
def ask(card: Any, question: Any) -> Any:
    """Have a question answered."""
    _call(np.int64(card.call), np.int64(question))


@kernel()
def ask_about_rule(card: Any, question: Any, column: Any, allowed: Any, length: Any) -> Any:
    """Have a question about a rule answered."""
    card.numbers[LENGTH] = length
    for k in range(length):
        card.column[k] = column[k]
        for b in range(allowed.shape[1]):
            card.allowed[k, b] = allowed[k, b]
    ask(card, question)


@kernel()
def ask_with_order(card: Any, question: Any, order: Any, default: Any, c: Any) -> Any:
    """Have a question about class `c` and the priority answered."""
    card.numbers[DEFAULT], card.numbers[CLASS] = default, c
    for p in range(len(order)):
        card.order[p] = order[p]
    ask(card, question)


@kernel()
def read_histograms(card: Any, columns: Any, first: Any, second: Any) -> Any:
    """Write both histograms. Returns the sums of the first column in each, which are those of any column."""
    one, other, unit = np.int64(0), np.int64(0), card.factors[1]
    for j in range(len(columns.bins)):
        for b in range(columns.bins[j] + 1):
            first[columns.start[j] + b] = card.histogram[0, j, b] * unit
            second[columns.start[j] + b] = card.histogram[1, j, b] * unit
            if j == 0:
                one += card.histogram[0, j, b]
                other += card.histogram[1, j, b]
    return one * unit, other * unit


@kernel()
def fetch_gains(card: Any, gain: Any, active: Any) -> Any:
    """Write the gain of each row, and list the rows that gain or lose."""
    ask(card, FETCH)
    listed = 0
    for i in range(len(gain)):
        if card.gain[i] != 0:
            gain[i] = card.gain[i] * card.factors[1]
            active[listed] = i
            listed += 1
