"""What a report has to admit about a network: how good it is on given rows, and what was recorded when it learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.reliability import reliability
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, decide_fired, layers, unpack
from conceptrules.model.metrics import macro_f1
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, plain
from conceptrules.model.provenance import Training
from conceptrules.model.text import rule_text
from conceptrules.model.values import label_text
from conceptrules.tables.hashes import estimate_overlap, hash_rows
from conceptrules.tables.table import count_unseen, open_table, read_packed_bits

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Settlement:
    """The rows on which no class, one or several fire, and how often the answer was right."""

    fires: Choice["none", "one", "several"]
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
class Bin:
    """The rows whose answer was stated with about the same probability."""

    stated: float
    """The mean of the probabilities that were stated."""
    right: float
    """The share of rows on which the answer was right."""
    rows: int
    """The number of rows."""


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
        If only one of `table` and `labels` is given, they do not have as many rows, or have none.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> found = audit(network, [{"age": 50}, {"age": 45}, {"age": 20}], ["old", "young", "young"])
    >>> found.scores.confusion, round(found.scores.macro_f1, 2)
    (((1, 0), (1, 1)), 0.67)
    """
    if (table is None) != (labels is None):
        raise InputError("a table and the labels of its rows go together: give both or none")
    used = network.used_columns
    return Audit(
        scores=None if labels is None else scores(network, table, _listed(labels)),
        overlap=None if labels is None else training_rows(network, table, _listed(labels)),
        unused=tuple(column.name for column in network.columns if column.name not in used),
        training=network.training,
    )


def scores(network: RuleNetwork, table: Any, labels: Iterable[object]) -> Scores:
    """Return how good the answers are on rows whose classes are known."""
    opened = open_table(table)
    classes, target = targets(network, labels, opened.rows)
    hidden = layers(network, read_packed_bits(network.columns, network.predicates, opened, network.used_predicates))
    fired = unpack(hidden[-1])
    decided = decide_fired(network, fired)
    confusion = np.bincount(target * len(classes) + decided, minlength=len(classes) ** 2).reshape(-1, len(classes))
    return Scores(
        rows=len(target),
        classes=classes,
        confusion=tuple(tuple(row) for row in confusion.tolist()),
        accuracy=float(np.mean(decided == target)),
        macro_f1=macro_f1(confusion),
        settled=_settled(fired, decided == target),
        ties=_ties(network, fired, decided, decided == target),
        reliability=reliability_bins(network, fired, target),
        errors=_errors(network, unpack(hidden[-2]), fired, decided, decided == target),
        unseen=tuple(count_unseen(network.columns, opened).items()),
    )


def training_rows(network: RuleNetwork, table: Any, labels: Iterable[object]) -> Overlap | None:
    """Return how many of these rows the network learned from.

    Return None where that was not recorded (`training.distinct` is 0), or where the sample of hashes tells of no row.
    """
    if network.training is None:
        return None
    hashes = hash_rows(network.columns, table, labels)
    found = estimate_overlap(network.training.fingerprint, network.training.distinct, hashes)
    if found is None:
        return None
    share, sampled = found
    exact = len(network.training.fingerprint) == network.training.distinct
    return Overlap(share, round(share * len(hashes)), exact, sampled)


def _listed(labels: Iterable[object]) -> list[object]:
    listed: list[object] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    return listed


def targets(network: RuleNetwork, given: Iterable[object], rows: int) -> tuple[tuple[Value, ...], Indices]:
    """Return all classes, those that the network does not know last, and the index of the class of each row."""
    labels = _listed(given)
    if len(labels) != rows:
        raise InputError(f"the table has {rows} rows, but there are {len(labels)} labels; give one for each row")
    if not rows:
        raise InputError("the table has no rows; give some to judge the network by, or no table at all")
    known = {label_text(name): name for name in network.classes}
    texts = [label_text(label) for label in labels]
    for text, label in sorted(zip(texts, labels, strict=True), key=lambda pair: pair[0]):
        if text not in known:
            known[text] = plain(label)
    index = {text: number for number, text in enumerate(known)}
    return tuple(known.values()), np.array([index[text] for text in texts], dtype=np.intp)


def _settled(fired: Bits, right: Bits) -> tuple[Settlement, Settlement, Settlement]:
    count = np.minimum(fired.sum(axis=1), 2)
    rows, good = np.bincount(count, minlength=3).tolist(), np.bincount(count[right], minlength=3).tolist()
    return (
        Settlement("none", rows[0], good[0]),
        Settlement("one", rows[1], good[1]),
        Settlement("several", rows[2], good[2]),
    )


def _ties(network: RuleNetwork, fired: Bits, decided: Indices, right: Bits) -> tuple[Tie, ...]:
    order = list(network.priority_indices)
    open_ = np.flatnonzero(fired.sum(axis=1) != 1)
    kinds = [tuple(kind) for kind in fired[open_][:, order].tolist()]
    rows, good = Counter(kinds), Counter(kind for kind, ok in zip(kinds, right[open_], strict=True) if ok)
    answers = dict(zip(kinds, decided[open_].tolist(), strict=True))
    return tuple(
        Tie(
            tuple(name for name, fires in zip(network.priority, kind, strict=True) if fires),
            network.classes[answers[kind]],
            count,
            good[kind],
        )
        for kind, count in sorted(rows.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def reliability_bins(network: RuleNetwork, fired: Bits, target: Indices) -> tuple[Bin, ...]:
    """Return how often answers were right, by the probability stated for them; nothing without statistics."""
    if network.statistics is None:
        return ()
    bins = reliability(network, fired, target, np.ones(len(target)))
    return tuple(Bin(stated, right, int(rows)) for stated, right, rows in bins)


def _errors(network: RuleNetwork, rules: Bits, fired: Bits, decided: Indices, right: Bits) -> tuple[RuleErrors, ...]:
    found = [each for each in _all_errors(network, rules, fired, decided, right) if each.rows]
    return tuple(sorted(found, key=lambda each: (-each.wrong, -each.rows)))


def _all_errors(network: RuleNetwork, rules: Bits, fired: Bits, decided: Indices, right: Bits) -> Iterator[RuleErrors]:
    last = len(network.levels) - 1
    for kind, (name, concept) in enumerate(zip(network.classes, network.levels[last].concepts, strict=True)):
        for index in concept.rules:
            held = rules[:, index] & (decided == kind)
            text = rule_text(network, last, index)
            yield RuleErrors(name, last, index, text, int(held.sum()), int((held & ~right).sum()))
    silent = ~fired.any(axis=1)
    yield RuleErrors(network.default, None, None, "no class fires", int(silent.sum()), int((silent & ~right).sum()))
