"""What an edit does: to given rows, and to all rows that there can be."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.equivalence import Row, find_difference
from conceptrules.logic.solver import Undecided
from conceptrules.model.heads import Points
from conceptrules.model.metrics import share_below
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import plural, word
from conceptrules.model.values import label_text
from conceptrules.tables.hashes import hash_rows
from conceptrules.tables.prediction import decide, find_scores, predict, predict_proba
from conceptrules.tables.table import Table, list_labels, open_table

Floats = NDArray[np.float64]
_WORK = 1_000_000  # parts of formulas that the test of equivalence may look at: about two seconds


@dataclass(frozen=True, slots=True)
class ClassChange:
    """The given rows that go from one class to another."""

    before: Value
    """Their class before."""
    after: Value
    """Their class after."""
    rows: int
    """How many there are."""
    right_before: int | None
    """How many of them had the right class; None without labels."""
    right_after: int | None
    """How many of them have the right class now; None without labels."""


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure of the given rows before and after."""

    name: str
    """What is measured."""
    before: float
    """Before the edit."""
    after: float
    """After it."""
    low: float
    """The lower end of the 95 % interval of the difference, from the differences row by row."""
    high: float
    """Its upper end."""

    def __str__(self) -> str:
        change = self.after - self.before
        interval = f"[{self.low:+.4g} to {self.high:+.4g}]"
        return f"{self.name}: {self.before:.4g} before, {self.after:.4g} after ({change:+.4g} {interval})"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an edit does. `print` shows it as text."""

    rows: int | None
    """The number of given rows; None if none were given."""
    fingerprint: str | None
    """A hash of the given rows, by which they are known again."""
    changes: tuple[ClassChange, ...]
    """The rows that get another class, by both classes."""
    first: tuple[int, ...]
    """The numbers of the first few of them, counted from 0."""
    equivalent: bool | None
    """Whether every row that there can be gets the same class as before; None if that is not decided."""
    witness: Row | None
    """A made-up row that gets another class."""
    decisions: tuple[Value, Value] | None
    """The class of the witness before and after, or its score, or the number that is predicted."""
    figures: tuple[FigureChange, ...] = ()
    """What is measured on the given rows, if their classes or numbers are given."""
    moved: int | None = None
    """The rows that get another number; None of classes."""
    largest: float = 0.0
    """By how much the number of a row changes at most."""
    scored: bool = False
    """Whether it is a scorecard."""

    def __str__(self) -> str:
        lines = []
        if self.rows is not None:
            lines.append(self.summary)
            for change in self.changes:
                right = f", {change.right_before:,} right before, {change.right_after:,} right after"
                right = "" if change.right_before is None else right
                lines.append(f"  {word(change.before)} -> {word(change.after)}: {plural(change.rows, 'row')}{right}")
            if self.first:
                lines.append(f"  the first: row {', '.join(str(row + 1) for row in self.first)}")
            lines += [f"  {figure}" for figure in self.figures]
        return "\n".join([*lines, *self.equivalence])

    @property
    def summary(self) -> str:
        """How many of the given rows get another answer, in words."""
        moved = sum(change.rows for change in self.changes) if self.moved is None else self.moved
        answer = "class" if self.moved is None else f"number, by at most {self.largest:.6g}"
        return f"{moved:,} of {plural(self.rows or 0, 'row')} get another {answer}"

    @property
    def noun(self) -> str:
        """What a row gets: a class, a score or a number."""
        return "number" if self.moved is not None else "score" if self.scored else "class"

    @property
    def equivalence(self) -> tuple[str, ...]:
        """Whether every row that there can be gets the same class as before, in words, with a row that does not."""
        if self.equivalent:
            return (f"every row that there can be gets the same {self.noun} as before",)
        if self.witness is None or self.decisions is None:
            large = "" if self.scored else ": too large"
            return (f"whether every row that there can be gets the same {self.noun} as before is not decided{large}",)
        old, new = map(word, self.decisions)
        cells = [f"{word(name)} = {word(value)}" for name, value in self.witness.items() if value is not None]
        return (
            f"not every row gets the same {self.noun} as before; this one is {old} -> {new}:",
            f"  {', '.join(cells) or 'every value missing'}",
        )

    def plain(self) -> dict[str, Any]:
        """Return what the trail keeps: counts and a made-up row, never a real one."""
        plain: dict[str, Any] = {
            "rows": self.rows,
            "fingerprint": self.fingerprint,
            "changes": [list(astuple(change)) for change in self.changes],
        }
        if self.figures:
            plain["figures"] = [list(astuple(figure)) for figure in self.figures]
        if self.moved is not None and self.rows is not None:
            plain |= {"moved": self.moved, "largest": self.largest}
        if self.scored:
            plain["scored"] = True
        witness = self.witness and {name: _plain_value(value) for name, value in self.witness.items()}
        decisions = None if self.decisions is None else list(self.decisions)
        return {**plain, "equivalent": self.equivalent, "witness": witness, "decisions": decisions}


def compute_effect(
    before: RuleNetwork,
    after: RuleNetwork,
    data: Any = None,
    labels: Iterable[object] | None = None,
    work: int = _WORK,
) -> Effect:
    """Compare two networks on given rows, and on all rows that there can be; with no work, on the given ones alone."""
    equivalent: bool | None = None
    witness = None
    scored = after.head is not None
    with suppress(Undecided):
        if before.classes != after.classes or not work:
            raise Undecided("not decided: these are scores of another class")
        witness = find_difference(_with_meaning(before, after.head), after, work=work)
        equivalent = witness is None
        witness = witness and _round_witness(before, after, witness)
    decisions = None if witness is None else _decide_both(before, after, witness)
    if data is None:
        moved = None if after.classes else 0
        return Effect(None, None, (), (), equivalent, witness, decisions, moved=moved, scored=scored)
    table = open_table(data)
    targets = None if labels is None else list_labels(labels, table.rows)
    texts = None if targets is None else list(map(label_text, targets))
    answers = predict(before, table), predict(after, table)
    changed = np.flatnonzero(answers[0] != answers[1]).tolist()
    hashes = np.sort(hash_rows(before.columns, table, texts or [""] * table.rows))
    effect = Effect(
        rows=table.rows,
        fingerprint=f"sha256:{hashlib.sha256(hashes.tobytes()).hexdigest()}",
        changes=(),
        first=tuple(changed[:5]),
        equivalent=equivalent,
        witness=witness,
        decisions=decisions,
        figures=() if targets is None or not table.rows else tuple(measure_figures(before, after, table, targets)),
        scored=scored,
    )
    if not after.classes:
        largest = float(np.abs(answers[1] - answers[0]).max(initial=0.0))
        return replace(effect, moved=len(changed), largest=largest)
    old, new = (each.tolist() for each in answers)
    return replace(effect, changes=tuple(_count_changes(old, new, changed, texts)))


def measure_figures(
    before: RuleNetwork, after: RuleNetwork, table: Table, labels: list[object]
) -> Iterator[FigureChange]:
    """Yield figures of two networks on the same rows, with the interval of their difference."""
    both = (before, after)
    if not after.classes:
        from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

        numbers = check_numbers(labels)
        errors = [np.abs(predict(network, table) - numbers) for network in both]
        yield _compare_means("mean absolute error", *errors)
        spread = float(np.var(numbers))
        if spread > 0:
            yield _compare_means("R2", *(1 - error**2 / spread for error in errors))
        return
    truths = [_index_labels(before, labels)] * 2
    if before.classes != after.classes:  # a scale may change their order
        truths[1] = _index_labels(after, labels)
    right = ((decide(network, table) == truth).astype(np.float64) for network, truth in zip(both, truths, strict=True))
    yield _compare_means("accuracy", *right)
    known = truths[1] >= 0
    if after.head is None or not known.any():
        return
    pairs = zip(both, truths, strict=True)
    shares = [predict_proba(network, table)[known, truth[known]] for network, truth in pairs]
    yield _compare_means("log loss", *(-np.log(np.maximum(share, 1e-15)) for share in shares))
    if len(after.classes) == 2 and 0 < np.count_nonzero(truths[1] == 1) < np.count_nonzero(known):
        signs = (1 if before.classes == after.classes else -1, 1)
        yield _compare_auc(
            truths[1], *(sign * find_scores(each, table)[:, 0] for sign, each in zip(signs, both, strict=True))
        )


def _index_labels(network: RuleNetwork, labels: list[object]) -> NDArray[np.intp]:
    """Return the index of the class of each row; -1 where the network does not know it."""
    names = {label_text(name): index for index, name in enumerate(network.classes)}
    return np.array([names.get(label_text(label), -1) for label in labels], dtype=np.intp)


def _compare_means(name: str, before: Floats, after: Floats) -> FigureChange:
    """Return the means of two figures of the same rows."""
    same = np.isclose(after, before, rtol=1e-12, atol=1e-15)  # but for the last bits of probabilities, 1 - p for p
    change, first = np.where(same, 0.0, after - before), float(before.mean())
    error = 1.96 * float(change.std()) / len(change) ** 0.5
    mean = float(change.mean())
    return FigureChange(name, first, first + mean, mean - error, mean + error)


def _compare_auc(truth: NDArray[np.intp], *scores: NDArray[np.int64]) -> FigureChange:
    """Return the AUC of two scores of the same rows, with the interval of DeLong."""
    shares = []
    for each in scores:
        upper, lower = each[truth == 1], each[truth == 0]
        shares.append((share_below(upper, lower), 1 - share_below(lower, upper)))
    (wins, losses), (new_wins, new_losses) = shares
    variance = (new_wins - wins).var() / len(wins) + (new_losses - losses).var() / len(losses)
    first, last, error = float(wins.mean()), float(new_wins.mean()), 1.96 * float(variance) ** 0.5
    return FigureChange("AUC", first, last, last - first - error, last - first + error)


def _count_changes(
    old: list[Value], new: list[Value], moved: list[int], labels: list[str] | None
) -> Iterator[ClassChange]:
    rows_by_classes: dict[tuple[Value, Value], list[int]] = {}
    for row in moved:
        rows_by_classes.setdefault((old[row], new[row]), []).append(row)
    for classes, rows in sorted(rows_by_classes.items(), key=lambda item: str((item[0], len(item[1])))):
        right = [None if labels is None else sum(labels[row] == label_text(c) for row in rows) for c in classes]
        yield ClassChange(*classes, len(rows), *right)


def _round_witness(before: RuleNetwork, after: RuleNetwork, row: Row) -> Row:
    """Return a row with as few digits as give it the same two classes: 2.22 reads better than 2.2199999999999998."""
    classes = _decide_both(before, after, row)
    for name, value in row.items():
        if isinstance(value, float) and np.isfinite(value):
            for digits in range(7):
                shorter = {**row, name: round(value, digits)}
                if _decide_both(before, after, shorter) == classes:
                    row = shorter
                    break
    return row


def _with_meaning(network: RuleNetwork, head: Points | None) -> RuleNetwork:
    """Return a scorecard whose scores mean what those of another head do, so that only scores are compared."""
    own = network.head
    if own is None or head is None:
        return network
    return replace(network, head=replace(head, points=own.points, base=own.base))


def _decide_both(before: RuleNetwork, after: RuleNetwork, row: Row) -> tuple[Value, Value]:
    """Return the classes of a row, its numbers, or its scores."""
    old, new = (_answer_row(network, row) for network in (before, after))
    return old, new


def _answer_row(network: RuleNetwork, row: Row) -> Value:
    table = [{column.name: row[column.name] for column in network.columns}]
    if network.head is None or not network.classes:
        answer: Value = predict(network, table).tolist()[0]
        return answer
    scores = find_scores(network, table)[0].tolist()
    return scores[0] if len(scores) == 1 else " ".join(map(str, scores))


def _plain_value(value: Any) -> Any:
    known = value is None or isinstance(value, str | bool | int)
    return value if known or (isinstance(value, float) and np.isfinite(value)) else str(value)
