"""What is known of a network besides its rules: how it was learned, what was proved of it, and what it must answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conceptrules.model.predicate import Value
from conceptrules.model.shortcuts import ShownAsHtml

Setting = Value | None | tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """How the network does on the rows that chose it; all rows are counted by weight.

    Where the network was learned from these rows too, once they had chosen, the figures are those of the networks
    learned like it without them.
    """

    source: str
    """Where the rows are from: "held back", "given", or "training" where none could be held back."""
    rows: float
    """The weight of the rows."""
    macro_f1: float
    """The macro-F1 of the rules."""
    fires: tuple[float, float, float]
    """The shares of rows on which no class, one, and several fire."""
    reliability: tuple[tuple[float, float, float], ...]
    """The rows by the probability stated for the answer: (its mean, the share that was right, the rows)."""
    mllp_f1: float | None = None
    """The macro-F1 of the continuous network that the rules were read off; None if they were not read off one."""
    disagreement: float | None = None
    """The share of rows on which that network and the rules answer differently; None where `mllp_f1` is."""


@dataclass(frozen=True, slots=True)
class Training:
    """How a network came about."""

    version: str
    """The version of this package."""
    seed: int | None
    """The seed; None if it was not given as a whole number, so that the fit cannot be repeated."""
    settings: tuple[tuple[str, Setting], ...]
    """What the learner was told, by name, sorted."""
    rows: int
    """The number of training rows."""
    rate: float | None
    """The binarization rate that was best on the validation rows; None if the rules were not read off weights."""
    epoch: int | None
    """The epoch that was best on the validation rows; None where `rate` is."""
    validation: Validation | None = None
    """How the network does on the rows that chose it."""
    stability: tuple[tuple[float, ...], ...] = ()
    """The share of resamples on which the network is worse without each rule: `stability[level][rule]`."""
    fingerprint: tuple[int, ...] = field(default=(), repr=False)
    """The smallest of the 64-bit hashes of the different training rows, sorted: a sample that recognises them."""
    distinct: int = 0
    """How many different training rows there were."""
    categories_dropped: tuple[tuple[str, int], ...] = ()
    """The columns with more categories than are kept, and how many were left out."""
    edge_penalty: float | None = None
    """The penalty of an edge, in rows, that was best on the validation rows; None where edges had none."""
    errors: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    """Of a number, quantiles of the errors on the rows that each fold held out, ascending: `errors[fold][quantile]`.
    Of rules that multiply, they are in units of the root of the prediction."""
    augmented: bool = False
    """Whether the rules were learned from mixed rows too, with the classes that a forest expects of them."""


def without_rule_figures(training: Training | None) -> Training | None:
    """Return what is still true of a training when the rules change: all but what goes by the number of a rule."""
    return training and replace(training, stability=())


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict on one clause, without its counterexample."""

    name: str
    """The name of the clause."""
    text: str
    """What it asks for, in words."""
    outcome: str
    """Whether it is "proved", "refuted" or "undecided"."""
    reason: str
    """What was proved, or why it was not."""


@dataclass(frozen=True, slots=True)
class ProofRecord(ShownAsHtml):
    """The verdicts on all clauses of a policy, and the network that they are about."""

    hash: str
    """The content hash of that network."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict for each clause."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case: a row, and the answer that people expect for it.

    Examples
    --------
    >>> Case((("age", 41.0),), "old", "the oldest customer").plain()
    {'row': {'age': 41.0}, 'answer': 'old', 'note': 'the oldest customer'}
    """

    row: tuple[tuple[str, Value | None], ...]
    """The values of columns; moments are text, as rules show them. A column that is not named is missing."""
    answer: Value
    """The class, or the number."""
    note: str = ""
    """What the case is about."""

    def plain(self) -> dict[str, Any]:
        """Return the case as plain values."""
        return {"row": dict(self.row), "answer": self.answer, "note": self.note}


def read_case(plain: Mapping[str, Any]) -> Case:
    """Return the test case that plain values describe."""
    return Case(tuple(plain["row"].items()), plain["answer"], plain["note"])
