"""What a report has to admit about a network: how good it is on given rows, and what was recorded when it learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import Bin, compute_reliability, index_labels, list_labels
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, decide_fired, layers, unpack
from conceptrules.model.metrics import confusion_matrix, macro_f1
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.provenance import Training
from conceptrules.model.text import rule_text
from conceptrules.tables.hashes import estimate_overlap, hash_rows
from conceptrules.tables.table import count_unseen, open_table, read_packed_bits

Indices = NDArray[np.intp]
Fires = Choice["none", "one", "several"]
_FIRES: tuple[Fires, ...] = ("none", "one", "several")


@dataclass(frozen=True, slots=True)
class Settlement:
    """The rows on which no class, one or several fire, and how often the answer was right."""

    fires: Fires
    """How many classes fire."""
    rows: int
    """The rows on which so many do."""
    right: int
    """Those of them on which the answer was right."""


@dataclass(frozen=True, slots=True)
class Tie:
    """The rows on which just these classes fire (none, or several), and what became of them."""

    classes: tuple[Value, ...]
    """The classes that fire, by priority; empty where none fires."""
    answer: Value
    """The class that the rows get: the first of these, or the default."""
    rows: int
    """The rows on which just these fire."""
    right: int
    """Those of them on which the answer was right."""


@dataclass(frozen=True, slots=True)
class RuleErrors:
    """The rows that got the class of a rule while the rule held."""

    label: Value
    """The class."""
    level: int | None
    """The level of the rule, counted from 0; None for rows that got the default class because none fired."""
    index: int | None
    """The number of the rule on its level, counted from 0; None where `level` is."""
    text: str
    """The rule as text."""
    rows: int
    """The rows that got the class while the rule held."""
    wrong: int
    """Those of them that are of another class."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The answers of a network on rows whose classes are known."""

    rows: int
    """The number of rows."""
    classes: tuple[Value, ...]
    """The classes of the network, then labels that it does not know."""
    confusion: tuple[tuple[int, ...], ...]
    """The number of rows by their true class and their answer: `confusion[true][answered]`."""
    accuracy: float
    """The share of rows whose answer is right."""
    macro_f1: float
    """The mean of F1 over the classes that occur or were answered."""
    settled: tuple[Settlement, Settlement, Settlement]
    """The rows on which no class fires, one, and several."""
    ties: tuple[Tie, ...]
    """The rows on which none or several fire, by which; the commonest first."""
    reliability: tuple[Bin, ...]
    """How often answers were right, by the probability stated for them; empty without statistics in the network."""
    errors: tuple[RuleErrors, ...]
    """The rules behind the answers, those with most wrong rows first."""
    unseen: tuple[tuple[str, int], ...]
    """The columns with values that training never showed, and on how many rows."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many of the given rows were training rows, label included, by their hashes."""

    share: float
    """The share of the given rows that were training rows."""
    rows: int
    """The number of them, rounded."""
    exact: bool
    """Whether that is exact, or an estimate from a sample of the hashes."""
    sampled: int
    """How many of the given rows it rests on."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What a report has to admit; None stands for what was not given, or not recorded."""

    scores: Scores | None
    """How good the network is on the given rows."""
    overlap: Overlap | None
    """How many of the given rows the network learned from."""
    unused: tuple[str, ...]
    """The columns that no rule asks about."""
    training: Training | None
    """How the network was learned."""


def audit(network: RuleNetwork, table: Any = None, labels: Iterable[object] | None = None) -> Audit:
    """Audit a network: how good it is on rows whose classes are known, and what was recorded when it learned.

    Parameters
    ----------
    network : RuleNetwork
        The network to audit.
    table : table, optional
        Rows to judge it by: a pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
    labels : iterable of class labels, optional
        The class of each row. They are compared as they are written: 1.0 is 1.

    Returns
    -------
    Audit
        The scores on the rows, how many of them are training rows, the unused columns and the training.

    Raises
    ------
    InputError
        If only one of `table` and `labels` is given, they do not have as many rows, or there are no rows.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> scores = audit(network, [{"age": 50}, {"age": 45}, {"age": 20}], ["old", "young", "young"]).scores
    >>> scores.confusion, round(scores.macro_f1, 2)
    (((1, 0), (1, 1)), 0.67)
    """
    if (table is None) != (labels is None):
        raise InputError("a table and the labels of its rows go together: give both or none")
    targets = None if labels is None else list_labels(labels)
    return Audit(
        scores=None if targets is None else score_answers(network, table, targets),
        overlap=None if targets is None else count_training_rows(network, table, targets),
        unused=tuple(column.name for column in network.columns if column.name not in network.used_columns),
        training=network.training,
    )


def score_answers(network: RuleNetwork, table: Any, labels: Iterable[object]) -> Scores:
    """Return how good the answers are on rows whose classes are known."""
    opened = open_table(table)
    classes, target = index_labels(network, labels, opened.rows)
    hidden = layers(network, read_packed_bits(network.columns, network.predicates, opened, network.used_predicates))
    fired = unpack(hidden[-1])
    decided = decide_fired(network, fired)
    right = decided == target
    confusion = confusion_matrix(target, decided, np.ones(len(target)), len(classes))
    count = np.minimum(fired.sum(axis=1), 2)
    none, one, several = (
        Settlement(name, int((count == number).sum()), int((right & (count == number)).sum()))
        for number, name in enumerate(_FIRES)
    )
    return Scores(
        rows=len(target),
        classes=classes,
        confusion=tuple(tuple(row) for row in confusion.astype(int).tolist()),
        accuracy=float(np.mean(right)),
        macro_f1=macro_f1(confusion),
        settled=(none, one, several),
        ties=_count_ties(network, fired, decided, right),
        reliability=compute_reliability(network, fired, target) if network.statistics else (),
        errors=_count_errors(network, unpack(hidden[-2]), fired, decided, right),
        unseen=tuple(count_unseen(network.columns, opened).items()),
    )


def count_training_rows(network: RuleNetwork, table: Any, labels: Iterable[object]) -> Overlap | None:
    """Return how many of these rows the network learned from.

    Return None where that was not recorded (`training.distinct` is 0), or where no row is in the sample of hashes.
    """
    if network.training is None:
        return None
    hashes = hash_rows(network.columns, table, labels)
    estimate = estimate_overlap(network.training.fingerprint, network.training.distinct, hashes)
    if estimate is None:
        return None
    share, sampled = estimate
    exact = len(network.training.fingerprint) == network.training.distinct
    return Overlap(share, round(share * len(hashes)), exact, sampled)


def _count_ties(network: RuleNetwork, fired: Bits, decided: Indices, right: Bits) -> tuple[Tie, ...]:
    unsettled = np.flatnonzero(fired.sum(axis=1) != 1)
    patterns = [tuple(pattern) for pattern in fired[unsettled][:, list(network.priority_indices)].tolist()]
    rows = Counter(patterns)
    right_rows = Counter(pattern for pattern, ok in zip(patterns, right[unsettled], strict=True) if ok)
    answers = dict(zip(patterns, decided[unsettled].tolist(), strict=True))
    return tuple(
        Tie(
            tuple(name for name, fires in zip(network.priority, pattern, strict=True) if fires),
            network.classes[answers[pattern]],
            count,
            right_rows[pattern],
        )
        for pattern, count in sorted(rows.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _count_errors(
    network: RuleNetwork, rules: Bits, fired: Bits, decided: Indices, right: Bits
) -> tuple[RuleErrors, ...]:
    last = len(network.levels) - 1
    errors = []
    for number, (name, concept) in enumerate(zip(network.classes, network.levels[last].concepts, strict=True)):
        for index in concept.rules:
            rows = rules[:, index] & (decided == number)
            text = rule_text(network, last, index)
            errors.append(RuleErrors(name, last, index, text, int(rows.sum()), int((rows & ~right).sum())))
    silent = ~fired.any(axis=1)
    wrong = int((silent & ~right).sum())
    errors.append(RuleErrors(network.default, None, None, "no class fires", int(silent.sum()), wrong))
    return tuple(sorted((each for each in errors if each.rows), key=lambda each: (-each.wrong, -each.rows)))
