"""Reasons for the answers of many rows: the columns that cost most points, or the rule that decided and the nearest.

What a column costs is exact: so many points more would the row have if the column said what is best for it, or what is
usual, and all other columns stayed as they are. A reason says what the row says, in a condition that holds on the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.explanation import explain_pattern
from conceptrules.explain.nearest_miss import find_nearest_miss
from conceptrules.explain.reason_columns import (
    HIGHER,
    LOWER,
    SAME,
    ReasonColumn,
    list_reason_columns,
    read_marks,
    read_numbers,
)
from conceptrules.explain.rule_coverage import pick_backend
from conceptrules.model.card import points_text
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import PackedBits, full_words, layers_plain, unpack
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.scoring import Scores, answer_scores, score_numbers, score_words
from conceptrules.model.statistics import asked_columns, distinct_rows
from conceptrules.model.text import word
from conceptrules.model.values import match_label
from conceptrules.tables.factoring import fired_words, formulas
from conceptrules.tables.prediction import PredictionPlan, compile_plan
from conceptrules.tables.table import open_table

_BLOCK = 2**17  # rows at a time, a multiple of 64: what is known of them stays in the cache


@dataclass(frozen=True, slots=True)
class Reason:
    """A column that speaks for the answer of a row, and what the row says of it."""

    column: str
    """The column."""
    code: str
    """Its code in the table of the network, or the column."""
    text: str
    """Its text in the table of the network, or the condition."""
    condition: str
    """What the row says of the column, as a condition that holds on the row."""
    points: int | None
    """The points that the row would have more with the best value of the column, or the usual one; None of rules."""


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """The reasons for the answers of rows: `reasons[row]` has those of a row, the weightiest first."""

    answers: NDArray[Any]
    """The answer of each row."""
    known: tuple[Reason, ...]
    """All reasons that some row has, without their points."""
    ranked: NDArray[np.int32]
    """The numbers of the reasons of each row among these, of the shape (rows, n); -1 where there are fewer."""
    points: NDArray[np.int64] | None
    """What each of them costs; None of a network that decides by rules."""
    decided_by: NDArray[np.object_] | None
    """The rules that decided each row, as text; None of a scorecard."""
    nearest: NDArray[np.object_] | None
    """The rule that would have decided each row otherwise and lacks least, as text; None of a scorecard."""
    step: float | None = None
    """What a point adds to the number that is predicted, or to its logarithm; None of classes."""
    link: str = "identity"
    """With "log", points multiply the number that is predicted."""

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, row: int) -> tuple[Reason, ...]:
        points = [None] * self.ranked.shape[1] if self.points is None else self.points[row].tolist()
        pairs = zip(self.ranked[row].tolist(), points, strict=True)
        return tuple(replace(self.known[number], points=cost) for number, cost in pairs if number >= 0)

    def to_list(self) -> list[str]:
        """Return the reasons of each row as one text.

        Returns
        -------
        list of str
            The codes and texts of the columns, with what the row says and what it costs; of rules, the rule that
            decided and the nearest.
        """
        keys = self.ranked if self.points is None else np.hstack([self.ranked, self.points])
        texts: dict[bytes, str] = {}
        for row, key in enumerate(map(bytes, keys)):
            if key not in texts:
                texts[key] = "; ".join(map(self._reason_text, self[row]))
        columns = [texts[key] for key in map(bytes, keys)]
        if self.decided_by is None or self.nearest is None:
            return columns
        return [
            f"{rule}; {near}" + (f" ({lacks})" if lacks else "")
            for rule, near, lacks in zip(self.decided_by, self.nearest, columns, strict=True)
        ]

    def to_frame(self, backend: Any = None) -> Any:
        """Return the reasons as a table.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            What the table is made with; by default the first of these that is installed.

        Returns
        -------
        table
            The columns are `answer`; `decided_by` and `nearest` of rules; then `code_1`, `text_1`, `condition_1`, and
            so on, and `points_1` of a scorecard.
        """
        values: dict[str, Any] = {"answer": self.answers.tolist()}
        if self.decided_by is not None and self.nearest is not None:
            values |= {"decided_by": self.decided_by.tolist(), "nearest": self.nearest.tolist()}
        parts = [(each.code, each.text, each.condition) for each in self.known]
        texts = np.array([*parts, ("", "", "")], dtype=object).reshape(-1, 3)
        for rank in range(self.ranked.shape[1]):
            for name, each in zip(("code", "text", "condition"), texts[self.ranked[:, rank]].T, strict=True):
                values[f"{name}_{rank + 1}"] = each.tolist()
            if self.points is not None:
                values[f"points_{rank + 1}"] = self.points[:, rank].tolist()
        return nw.from_dict(values, backend=pick_backend() if backend is None else backend).to_native()

    def _reason_text(self, reason: Reason) -> str:
        said = reason.text if reason.code in (reason.column, "") else f"{reason.code}: {reason.text}"
        said += "" if reason.text == reason.condition else f" [{reason.condition}]"
        return said if reason.points is None else f"{said} ({points_text(-reason.points, self.step, self.link)})"


def find_reasons(network: RuleNetwork, table: Any, n: int = 4, *, to: Any = None, against: Any = "best") -> Reasons:
    """Return the reasons for the answers of rows: the function behind `RuleNetwork.reasons`, which explains it."""
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n is {n!r}; it needs a whole number of at least 1")
    plan = compile_plan(network)
    columns, opened, target = list_reason_columns(network, plan), open_table(table), _read_target(network, to)
    bits, marks = plan.packed_bits(opened), read_marks(plan, columns, opened)
    if network.head is None:
        if not isinstance(against, str) or against != "best":
            raise InputError("against is for scorecards: this network decides by rules, and no points are lost")
        answers, ranked, decided_by, nearest = _find_rule_reasons(network, plan, bits, n, target)
        known, ranked = _describe_reasons(columns, ranked, read_numbers(columns, marks), np.zeros_like(ranked))
        return Reasons(plan.labels.take(answers), known, ranked, None, decided_by, nearest)
    choices = list_choices(network, plan, columns, against)
    blocks = [
        _rank_losses(_measure_losses(network, plan, block, read_numbers(columns, marked), choices, target), int(n))
        for block, marked in zip(_split_rows(bits), _split_rows(marks), strict=True)
    ]
    parts = (np.concatenate(each, axis=-1) for each in zip(*blocks, strict=True))
    answers, numbers, ranked, directions, points = parts
    known, ranked = _describe_reasons(columns, ranked.T, numbers, directions.T)
    head = network.head
    labels = answers if head.step is not None else plan.labels.take(answers.astype(np.intp))
    return Reasons(labels, known, ranked, points.T, None, None, head.step, head.link)


def _describe_reasons(
    columns: Sequence[ReasonColumn], ranked: NDArray[Any], numbers: NDArray[np.int16], directions: NDArray[Any]
) -> tuple[tuple[Reason, ...], NDArray[np.int32]]:
    """Return the reasons that some row has, and for the ranked columns of each row their numbers among these."""
    sizes = [3 * (column.missing + 1) for column in columns]
    starts = np.cumsum([0, *sizes])
    said = numbers[np.maximum(ranked, 0), np.arange(len(ranked))[:, None]] if len(columns) else np.zeros_like(ranked)
    keys = np.where(ranked < 0, starts[-1], starts[ranked] + 3 * said + directions)
    occurs = np.zeros(starts[-1] + 1, np.bool_)
    occurs[keys] = True
    occurs[-1] = False
    places = np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32)
    known = []
    for key in np.flatnonzero(occurs).tolist():
        number = int(np.searchsorted(starts, key, side="right")) - 1
        code, text, condition = columns[number].describe(*divmod(key - int(starts[number]), 3))
        known.append(Reason(columns[number].column.name, code, text, condition, None))
    return tuple(known), places[keys]


def _read_target(network: RuleNetwork, to: Any) -> Any:
    """Return the index of the class, or the sign of the direction, that the row is to get points for; None: any."""
    number = network.head is not None and network.head.step is not None
    known: Sequence[Value] = ("high", "low") if number else network.classes
    to = match_label(to, known)
    if to is not None and to not in known:
        kind = "a direction" if number else "a class of the network"
        raise InputError(f"to is {to!r}, which is not {kind}; {nearest_name(str(to), list(map(str, known)))}")
    if number:
        return -1 if to == "low" else 1
    return None if to is None else network.classes.index(to)


# Points: what the row would have more


_Choices = tuple[NDArray[np.bool_], list[int]]
"""Which predicates of a column hold in each case that a row is compared with, and the number of each case."""


def list_choices(
    network: RuleNetwork, plan: PredictionPlan, columns: Sequence[ReasonColumn], against: Any
) -> list[_Choices]:
    """Return, for each used column, what a row is compared with."""
    if not isinstance(against, str):
        table = open_table(against)
        if not table.rows:
            raise InputError("against has no rows; give some, of which the usual value of each column is taken")
        numbers = read_numbers(columns, read_marks(plan, columns, table))
        return [column.usual_choice(own) for column, own in zip(columns, numbers, strict=True)]
    if against != "best":
        raise InputError(f"against is {against!r}; it is 'best', or rows of which the usual values are taken")
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    return [column.best_choices(column.column.name in dropped) for column in columns]


def _split_rows(bits: PackedBits) -> list[PackedBits]:
    starts = range(0, max(bits.rows, 1), _BLOCK)
    return [PackedBits(bits.words[:, s // 64 : (s + _BLOCK) // 64], min(_BLOCK, bits.rows - s)) for s in starts]


def _measure_losses(
    network: RuleNetwork,
    plan: PredictionPlan,
    bits: PackedBits,
    numbers: NDArray[np.int16],
    choices: Sequence[_Choices],
    to: Any,
) -> tuple[NDArray[Any], NDArray[np.int16], NDArray[np.int8], NDArray[np.int64]]:
    """Return the answers, what each row says, how that stands to what it is compared with, and what is lost by it.

    Of several cases that are equally good, the one that is nearest to what the row says is taken.
    """
    head = network.head
    assert head is not None
    scores, full, start = score_words(head, fired_words(plan.formulas, bits)), full_words(bits.rows), 0
    asked = asked_columns(network)[-1]
    toward, rival = _find_sides(head, scores, to)
    losses = np.zeros((len(plan.used), bits.rows), np.int64)
    directions = np.zeros(losses.shape, np.int8)
    for place, ((index, tests), (cases, case_numbers)) in enumerate(zip(plan.used, choices, strict=True)):
        # Only the rules about this column add anything else when it says something else.
        rules = [rule for rule, names in enumerate(asked) if plan.columns[index].name in names]
        level = Level(plan.levels[-1].rules, tuple(Concept((rule,)) for rule in rules))
        own = formulas((*plan.levels[:-1], level), len(bits.words))
        part = Points(tuple(head.points[rule] for rule in rules), (0,) * head.outputs)
        now = _measure_margin(score_words(part, fired_words(own, bits)), toward, rival)
        best, words = now, bits.words.copy()
        nearest, distance = numbers[place], np.zeros(bits.rows, np.int16)
        for case, number in zip(cases, case_numbers, strict=True):
            for test, holds in enumerate(case.tolist(), start):
                words[test] = full if holds else 0
            margin = _measure_margin(score_words(part, fired_words(own, PackedBits(words, bits.rows))), toward, rival)
            away = np.abs(number - numbers[place])
            better = (margin > best) | ((margin == best) & (away < distance))
            best, distance = np.where(better, margin, best), np.where(better, away, distance)
            nearest = np.where(better, np.int16(number), nearest)
        losses[place] = best - now
        directions[place] = np.where(nearest < numbers[place], HIGHER, np.where(nearest > numbers[place], LOWER, SAME))
        start += len(tests)
    answers = score_numbers(head, scores) if head.step is not None else answer_scores(head, scores)
    return answers, numbers, directions, losses


def _find_sides(head: Points, scores: Scores, to: Any) -> tuple[Any, Any]:
    """Return, row by row, the class that points are for and the one that they are against; of one score, its sign."""
    if head.step is not None:
        return to, None
    answers = answer_scores(head, scores)
    if head.outputs == 1:
        second = np.where(answers == 1, -1, 1) if to is None else np.full(len(answers), 1 if to == 1 else -1)
        return second, None
    others = scores + np.array(head.offsets, np.int64)
    others[np.arange(len(others)), answers] = np.iinfo(np.int64).min
    runner_up = others.argmax(axis=1)
    if to is None:
        return runner_up, answers
    return np.full(len(answers), to), np.where(answers == to, runner_up, answers)


def _measure_margin(scores: Scores, toward: Any, rival: Any) -> NDArray[np.int64]:
    if rival is None:
        margin: NDArray[np.int64] = scores[:, 0] * toward
        return margin
    rows = np.arange(len(scores))
    lead: NDArray[np.int64] = scores[rows, toward] - scores[rows, rival]
    return lead


def _rank_losses(
    measured: tuple[NDArray[Any], NDArray[np.int16], NDArray[np.int8], NDArray[np.int64]], n: int
) -> tuple[NDArray[Any], NDArray[np.int16], NDArray[np.int16], NDArray[np.int8], NDArray[np.int64]]:
    """Return the answers, what the rows say, and the columns with the largest losses with how they stand and what is
    lost, each of the shape (n, rows). The first of equal ones comes first; -1 and 0: none."""
    answers, numbers, directions, left = measured
    rows = np.arange(left.shape[1])
    ranked = np.full((n, len(rows)), -1, np.int16)
    stands, points = np.zeros((n, len(rows)), np.int8), np.zeros((n, len(rows)), np.int64)
    for rank in range(min(n, len(left)) if len(rows) else 0):
        largest = left.argmax(axis=0)
        points[rank], stands[rank] = left[largest, rows], directions[largest, rows]
        ranked[rank] = np.where(points[rank] > 0, largest, -1)
        left[largest, rows] = 0
    return answers, numbers, ranked, stands, points


# Rules: the one that decided, and the nearest one that would have decided otherwise


def _find_rule_reasons(
    network: RuleNetwork, plan: PredictionPlan, bits: PackedBits, n: int, to: int | None
) -> tuple[NDArray[np.intp], NDArray[np.int16], NDArray[np.object_], NDArray[np.object_]]:
    """Return the answers, the columns that the nearest rule lacks, the rules that decided and the nearest, as text."""
    patterns, inverse = distinct_rows(unpack(bits))
    names = [plan.columns[index].name for index, _ in plan.used]
    tests = np.zeros((len(patterns), len(network.predicates)), np.bool_)
    tests[:, [number for used in network.used_columns.values() for number in used]] = patterns
    ranked = np.full((len(patterns), n), -1, np.int16)
    answers, decided_by, nearest = np.zeros(len(patterns), np.intp), [], []
    hidden = layers_plain(network, tests)
    for row in range(len(patterns)):
        holding = [layer[row] for layer in hidden]
        answers[row], rule = explain_pattern(network, holding)
        decided_by.append(rule)
        text, columns = _find_alternative(network, holding, int(answers[row]), to)
        nearest.append(text)
        places = [names.index(column) for column in columns][:n]
        ranked[row, : len(places)] = places
    texts = (np.array(each, dtype=object)[inverse] for each in (decided_by, nearest))
    return answers[inverse], ranked[inverse], *texts  # type: ignore[return-value]


def _find_alternative(
    network: RuleNetwork, holding: Sequence[NDArray[np.bool_]], decided: int, to: int | None
) -> tuple[str, tuple[str, ...]]:
    """Return what would be answered otherwise, as text, and the columns that stand between: those of the conditions
    that a rule lacks, or those of the rules that decided, where the answer changes only if these do not hold."""
    miss = find_nearest_miss(network, holding, decided, to=to, winning=True)
    if miss is not None and miss.wins:
        return f"{word(miss.label)} if {miss.text}", miss.columns
    last = len(network.levels) - 1
    rules = [rule for rule in network.levels[last].concepts[decided].rules if holding[-2][rule]]
    later = [index for index in network.priority_indices if holding[-1][index] and index != decided]
    label = network.classes[later[0]] if later else network.default
    if rules and label != network.classes[decided] and to in (None, decided, network.classes.index(label)):
        asked = frozenset[str]().union(*(asked_columns(network)[last][rule] for rule in rules))
        names = tuple(column.name for column in network.columns if column.name in asked)
        return f"{word(label)} if it did not hold", names
    if miss is None:
        return "no single rule would change the answer" if last else "nothing else can be answered", ()
    return f"{word(miss.label)} if {miss.text} and no rule of {word(network.classes[decided])} holds", miss.columns
