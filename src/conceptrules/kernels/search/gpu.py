"""Rows on a GPU that a search asks about by card.py. coverage.py, histograms.py and growth.py say what is computed.

A question is a handful of small kernels. They are recorded once, as a CUDA graph, and then launched together: starting
each by itself takes longer than it runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import nullcontext
from threading import Lock
from typing import Any
from weakref import ref

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from conceptrules.kernels.search import card
from conceptrules.kernels.search.card import Card
from conceptrules.kernels.search.values import CODES, LONGEST, Columns, Rows
from conceptrules.model.errors import InputError

_ONE_AT_A_TIME = Lock()
"""Nothing else may be recorded meanwhile."""
_NUMBERS = 8
_ROWS = 1024
"""Rows of a program; fewer where there are many classes. Rows that weigh nothing fill up the last."""
_CLASS, _DEFAULT, _BLIND = tl.constexpr(card.CLASS), tl.constexpr(card.DEFAULT), tl.constexpr(card.BLIND)
_LENGTH, _MORE, _HOPE = tl.constexpr(card.LENGTH), tl.constexpr(card.MORE), tl.constexpr(card.HOPE)


def rows_of_a_program(rows: int, interpreted: bool) -> int:
    """Return how many rows a program has: Triton's interpreter takes as long for many as for few."""
    return triton.next_power_of_2(rows) if interpreted else _ROWS


def on_card(rows: Rows, columns: Columns, device: str) -> RowsOnCard:
    """Put rows on a GPU."""
    try:
        return RowsOnCard(rows, columns, device)
    except torch.OutOfMemoryError as error:
        raise InputError(f"{device} has too little memory for the rows that are searched; use device='cpu'") from error


class RowsOnCard:
    """Rows on a GPU, column by column, and where a search stands on them."""

    def __init__(self, rows: Rows, columns: Columns, device: str) -> None:
        """`device` may be a CPU, for Triton's interpreter. The rows have a grain, and no clause asks about groups."""
        self._device, self._classes = device, rows.mass.shape[1]
        self._stream = None if device.startswith("cpu") else torch.cuda.Stream(device)
        self._block = rows_of_a_program(len(rows.codes), self._stream is None)
        self._size = triton.cdiv(len(rows.codes), self._block) * self._block
        self._codes, self._mass = self._by_column(rows.codes), self._by_column(rows.mass)
        # Rows sorted by the code in each column: a histogram is made of sums over runs of them.
        order = torch.argsort(self._codes, dim=1, stable=True)
        self._sorted, self._order = torch.gather(self._codes, 1, order), order.to(torch.int32)
        self._weight = (self._mass / rows.grain).to(torch.int64)
        self._count = self._new((self._classes, self._size), torch.int32)
        self._kept, self._otherwise, self._state = (self._new((self._size,), torch.int32) for _ in range(3))
        self._gain, self._worth = (self._new((self._size,), torch.int64) for _ in range(2))
        self._open = self._new((self._size,), torch.int8)
        self._bins = triton.next_power_of_2(int(columns.bins.max(initial=1)) + 1)
        self._answers = triton.next_power_of_2(self._classes + 1)
        self._failure: BaseException | None = None
        self._make_mailbox()
        if self._stream is not None:
            torch.cuda.current_stream(device).synchronize()
        with _ONE_AT_A_TIME:
            self._graphs = self._recorded()

    def check(self) -> None:
        """Raise what went wrong while a search asked: compiled code cannot."""
        if self._failure is not None:
            raise self._failure

    def _by_column(self, values: NDArray[Any]) -> torch.Tensor:
        found = self._new((values.shape[1], self._size), torch.from_numpy(values).dtype)
        found[:, : len(values)] = torch.from_numpy(values).to(self._device).t()
        return found

    def _new(self, shape: tuple[int, ...], kind: torch.dtype) -> torch.Tensor:
        return torch.zeros(shape, dtype=kind, device=self._device)

    def _pair(self, shape: tuple[int, ...], kind: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        """Return room here, which the GPU reads and writes without delay, and as much room there."""
        return torch.zeros(shape, dtype=kind, pin_memory=self._stream is not None), self._new(shape, kind)

    def _make_mailbox(self) -> None:
        """Make room for questions, in one piece so that one copy sends them, and for answers."""
        classes = self._classes
        parts = {
            "numbers": ((_NUMBERS,), torch.int64),
            "order": ((classes,), torch.int64),
            "column": ((LONGEST,), torch.int64),
            "slopes": ((classes, classes), torch.float64),
            "factors": ((3,), torch.float64),
            "allowed": ((LONGEST, CODES), torch.uint8),
        }
        sizes = {name: int(np.prod(shape)) * kind.itemsize for name, (shape, kind) in parts.items()}
        self._asked = self._pair((sum(sizes.values()),), torch.uint8)
        self._there: dict[str, torch.Tensor] = {}
        here, start = {}, 0
        for name, (shape, kind) in parts.items():
            piece = slice(start, start + sizes[name])
            self._there[name] = self._asked[1][piece].view(kind)
            here[name] = self._asked[0][piece].view(kind).view(shape).numpy()
            start += sizes[name]
        self._table = self._pair((classes, self._answers), torch.int64)
        self._listed = self._pair((2,), torch.int64)
        self._histogram = self._pair((2, len(self._codes), self._bins), torch.int64)
        gains = torch.zeros_like(self._gain, device="cpu", pin_memory=self._stream is not None)
        self._gains = gains, self._gain
        self._answer = ctypes.CFUNCTYPE(None, ctypes.c_int64)(_weakly(self))
        self.card = Card(
            call=int(ctypes.cast(self._answer, ctypes.c_void_p).value or 0),
            table=self._table[0].numpy(),
            listed=self._listed[0].numpy(),
            histogram=self._histogram[0].numpy(),
            gain=gains.numpy(),
            **here,
        )

    def answer(self, question: int) -> None:
        """Answer a question of compiled code. What goes wrong cannot pass through that: `check` tells it."""
        try:
            with nullcontext() if self._stream is None else torch.cuda.stream(self._stream):
                self._answered(question)
            if self._stream is not None:
                self._stream.synchronize()
        except BaseException as error:
            self._failure = error
            for found in (self._table, self._listed, self._histogram):
                found[0].zero_()  # so that the search finds nothing more, and ends

    def _answered(self, question: int) -> None:
        if self._failure is not None:
            return
        if question in self._graphs:
            self._graphs[question]()
        elif question == card.RESET:
            self._count.zero_()
            self._open.zero_()
        elif question == card.FETCH:
            _fetch(self._gains)
        elif question == card.KEEP:
            self._kept.copy_(self._count[self.card.numbers[card.CLASS]])
        else:
            self._count[self.card.numbers[card.CLASS]].copy_(self._kept)

    def _recorded(self) -> dict[int, Callable[[], Any]]:
        """Return what answers the questions that are asked most often."""
        return {
            card.LOOK: self._as_graph(self._look),
            card.TOGGLE: self._as_graph(self._toggle),
            card.ANSWERS: self._as_graph(self._decide),
            card.GAINS: self._as_graph(self._list_gains),
            card.SCAN: self._as_graph(self._scan),
            card.WEIGH: self._as_graph(self._weigh),
        }

    def _as_graph(self, answer: Callable[[], None]) -> Callable[[], Any]:
        """Return what sends the question and answers it."""

        def sent() -> None:
            self._asked[1].copy_(self._asked[0], non_blocking=True)
            answer()

        if self._stream is None:
            return sent
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(self._stream):
            sent()  # compiles the kernels
            graph.capture_begin(capture_error_mode="thread_local")  # other threads may be at work on the GPU
            try:
                sent()
            finally:
                graph.capture_end()
        self._stream.synchronize()
        replay: Callable[[], Any] = graph.replay
        return replay

    @property
    def _blocks(self) -> tuple[tuple[int], dict[str, int]]:
        """How many programs there are, and how many rows each of them has, where it sums over classes."""
        size = min(self._block, max(1, 8 * _ROWS // self._answers))
        return (self._size // size,), {"ROWS": size}

    def _look(self) -> None:
        grid, block = self._blocks
        _look[grid](
            self._there["numbers"], self._there["order"], self._count, self._open, self._otherwise,
            self._size, self._classes, **block,
        )  # fmt: skip

    def _toggle(self) -> None:
        grid, block = self._blocks
        self._table[1].zero_()
        _toggle[grid](
            *self._rule(), self._count, self._open, self._otherwise, self._weight, self._table[1],
            self._size, self._classes, ANSWERS=self._answers, CODES=CODES, **block,
        )  # fmt: skip
        _fetch(self._table)

    def _decide(self) -> None:
        grid, block = self._blocks
        self._table[1].zero_()
        _decide[grid](
            self._there["order"], self._count, self._weight, self._table[1], self._size, self._classes,
            ANSWERS=self._answers, **block,
        )  # fmt: skip
        _fetch(self._table)

    def _list_gains(self) -> None:
        grid, block = self._blocks
        self._listed[1].zero_()
        _list_gains[grid](
            self._there["numbers"], self._there["slopes"], self._there["factors"], self._open, self._otherwise,
            self._count, self._mass, self._gain, self._listed[1], self._size, self._classes,
            enable_fp_fusion=False, **block,
        )  # fmt: skip
        _fetch(self._listed)

    def _scan(self) -> None:
        grid, block = self._blocks
        _fail[grid](*self._rule(), self._gain, self._worth, self._state, self._size, CODES=CODES, **block)
        self._add_histograms(growing=False)

    def _weigh(self) -> None:
        grid, block = self._blocks
        _narrow[grid](*self._rule(), self._gain, self._worth, self._size, CODES=CODES, **block)
        self._add_histograms(growing=True)

    def _add_histograms(self, growing: bool) -> None:
        self._histogram[1].zero_()
        _add_histograms[(self._size // self._block, len(self._codes))](
            self._there["numbers"], self._there["column"], self._order, self._sorted, self._gain, self._worth,
            self._state, self._histogram[1], self._size, len(self._codes),
            GROWING=growing, BINS=self._bins, ROWS=self._block,
        )  # fmt: skip
        _fetch(self._histogram)

    def _rule(self) -> tuple[torch.Tensor, ...]:
        return self._there["numbers"], self._there["column"], self._there["allowed"], self._codes


def _fetch(pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    pair[0].copy_(pair[1], non_blocking=True)


def _weakly(rows: RowsOnCard) -> Callable[[int], None]:
    """Return what has a question answered, and does not keep the rows in memory."""
    found = ref(rows)

    def answer(question: int) -> None:
        if (one := found()) is not None:
            one.answer(question)

    return answer


@triton.jit
def _rows(ROWS: tl.constexpr):
    """The rows of a program."""
    return tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)


@triton.jit
def _add_table(table, weight, row, counted, answer, rows, classes, ANSWERS: tl.constexpr):
    """Add the weight of rows that count to [class, answer]."""
    answers = tl.arange(0, ANSWERS)
    chosen = (answer[None, :] == answers[:, None]) & counted[None, :]
    for k in range(classes):
        weights = tl.load(weight + row)
        row += rows  # the same rows in the next class
        cells = tl.sum(tl.where(chosen, weights[None, :], 0), axis=1)
        tl.atomic_add(table + k * ANSWERS + answers, cells, mask=cells != 0, sem="relaxed")


@triton.jit
def _holds(k, column, allowed, codes, row, rows, CODES: tl.constexpr):
    """Whether a condition holds."""
    code = tl.load(codes + tl.load(column + k) * rows + row)
    return tl.load(allowed + k * CODES + code.to(tl.int32)) != 0


@triton.jit
def _look(numbers, order, count, open_, otherwise, rows, classes, ROWS: tl.constexpr):
    row = _rows(ROWS)
    own, blind = tl.load(numbers + _CLASS), tl.load(numbers + _BLIND)
    other = tl.zeros([ROWS], tl.int32) + tl.load(numbers + _DEFAULT).to(tl.int32)
    wins = tl.full([ROWS], 1, tl.int32)
    if blind == 0:
        for back in range(classes):  # from the last class to the first, which wins
            c = tl.load(order + classes - 1 - back)
            if c == own:
                wins = tl.where(other == own, 0, 1)
            else:
                fires = tl.load(count + c * rows + row) > 0
                wins = tl.where(fires, 0, wins)
                other = tl.where(fires, c.to(tl.int32), other)
    tl.store(open_ + row, wins.to(tl.int8))
    tl.store(otherwise + row, other)


@triton.jit
def _toggle(
    numbers, column, allowed, codes, count, open_, otherwise, weight, table, rows, classes,
    ANSWERS: tl.constexpr, CODES: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    row = _rows(ROWS)
    own, more = tl.load(numbers + _CLASS), tl.load(numbers + _MORE).to(tl.int32)
    holds = row >= 0
    for k in range(tl.load(numbers + _LENGTH)):
        holds = holds & _holds(k, column, allowed, codes, row, rows, CODES)
    before = tl.load(count + own * rows + row)
    after = before + more
    tl.store(count + own * rows + row, after, mask=holds)
    moved = holds & ((before == 0) | (after == 0)) & (tl.load(open_ + row) != 0)
    _add_table(table, weight, row, moved, tl.load(otherwise + row), rows, classes, ANSWERS)


@triton.jit
def _decide(order, count, weight, table, rows, classes, ANSWERS: tl.constexpr, ROWS: tl.constexpr):
    row = _rows(ROWS)
    answer = tl.zeros([ROWS], tl.int32) + classes
    for back in range(classes):
        c = tl.load(order + classes - 1 - back)
        answer = tl.where(tl.load(count + c * rows + row) > 0, c.to(tl.int32), answer)
    _add_table(table, weight, row, row >= 0, answer, rows, classes, ANSWERS)


@triton.jit
def _list_gains(
    numbers, slopes, factors, open_, otherwise, count, mass, gain, listed, rows, classes, ROWS: tl.constexpr,
):  # fmt: skip
    row = _rows(ROWS)
    own, hope = tl.load(numbers + _CLASS), tl.load(numbers + _HOPE)
    asked = (tl.load(open_ + row) != 0) & (tl.load(count + own * rows + row) == 0)
    other = tl.load(otherwise + row)
    value, of_class = tl.zeros([ROWS], tl.float64), row
    for k in range(classes):
        instead = tl.where((hope != 0) & (k != own), k, other)
        slope = tl.load(slopes + k * classes + own) - tl.load(slopes + k * classes + instead)
        value += tl.load(mass + of_class) * slope
        of_class += rows
    worth = tl.floor(value * tl.load(factors + 2) + 0.5)
    worth = tl.where(worth < 0, worth * tl.load(factors), worth)
    worth = tl.where(asked, worth, 0.0).to(tl.int64)
    tl.store(gain + row, worth)
    tl.atomic_add(listed, tl.sum((worth != 0).to(tl.int64)), sem="relaxed")
    tl.atomic_add(listed + 1, tl.sum((worth > 0).to(tl.int64)), sem="relaxed")


@triton.jit
def _fail(numbers, column, allowed, codes, gain, worth, state, rows, CODES: tl.constexpr, ROWS: tl.constexpr):
    """Write the column of the one condition that fails, -1 if none and -2 if more do, and the gain if none does."""
    row = _rows(ROWS)
    failed = tl.full([ROWS], -1, tl.int32)
    for k in range(tl.load(numbers + _LENGTH)):
        holds = _holds(k, column, allowed, codes, row, rows, CODES)
        failed = tl.where(holds, failed, tl.where(failed == -1, tl.load(column + k).to(tl.int32), -2))
    tl.store(state + row, failed)
    tl.store(worth + row, tl.where(failed == -1, tl.load(gain + row), 0))


@triton.jit
def _narrow(numbers, column, allowed, codes, gain, worth, rows, CODES: tl.constexpr, ROWS: tl.constexpr):
    """Write the gain of all rows; with a condition, leave out the rows where it fails."""
    row = _rows(ROWS)
    if tl.load(numbers + _LENGTH) == 0:
        kept = tl.load(gain + row)
    else:
        kept = tl.where(_holds(0, column, allowed, codes, row, rows, CODES), tl.load(worth + row), 0)
    tl.store(worth + row, kept)


@triton.jit
def _add_runs(histogram, worth, code, following):
    """Add sums over rows that are sorted by their code: at the end of a run, all until now is not of the next one."""
    ends, summed = code != following, tl.cumsum(worth, 0)
    tl.atomic_add(histogram + code, summed, mask=ends, sem="relaxed")
    tl.atomic_add(histogram + following, -summed, mask=ends & (following >= 0), sem="relaxed")


@triton.jit
def _add_histograms(
    numbers, column, order, sorted_codes, gain, worth, state, histogram, rows, columns,
    GROWING: tl.constexpr, BINS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Add the gains of some rows in one column: inside and beside a rule, or what rows within it gain and lose."""
    j, last = tl.program_id(1), tl.arange(0, ROWS) == ROWS - 1
    place = j.to(tl.int64) * rows + _rows(ROWS)
    first, second = histogram + j * BINS, histogram + (columns + j) * BINS
    row, code = tl.load(order + place), tl.load(sorted_codes + place).to(tl.int32)
    following = tl.where(last, -1, tl.load(sorted_codes + place + 1, mask=~last, other=0).to(tl.int32))
    value = tl.load(worth + row)
    if GROWING:
        _add_runs(first, tl.maximum(value, 0), code, following)
        _add_runs(second, tl.maximum(-value, 0), code, following)
    else:
        _add_runs(first, value, code, following)
        asked = 0
        for k in range(tl.load(numbers + _LENGTH)):
            asked += (tl.load(column + k) == j).to(tl.int32)
        if asked > 0:
            fails = tl.load(state + row) == j
            _add_runs(second, tl.load(gain + row, mask=fails, other=0), code, following)
