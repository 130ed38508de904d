"""What a report has to admit about a network: how good it is on given rows, and what was recorded when it learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from conceptrules.explain.group_scores import GroupScores, describe_groups, measure_groups
from conceptrules.explain.number_scores import NumberEvaluation, evaluate_numbers
from conceptrules.explain.scores import Evaluation, evaluate
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.provenance import Training
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.text import percent, plural, word
from conceptrules.tables.hashes import estimate_overlap, hash_rows
from conceptrules.tables.table import list_labels


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
class Audit(ShownAsHtml):
    """What a report has to admit; None stands for what was not given, or not recorded."""

    scores: Evaluation | None
    """How good the network is on the given rows."""
    overlap: Overlap | None
    """How many of the given rows the network learned from."""
    unused: tuple[str, ...]
    """The columns that no rule asks about."""
    training: Training | None
    """How the network was learned."""
    numbers: NumberEvaluation | None = None
    """How good a network that predicts a number is on the given rows; such a network has no `scores`."""
    groups: tuple[GroupScores, ...] = ()
    """How good the network is on each group of the columns that were named, or that its policy wants fair."""

    @property
    def rows(self) -> int:
        """The number of rows that it was judged by; 0 if none were given."""
        judged = self.scores or self.numbers
        return judged.rows if judged else 0

    def __str__(self) -> str:
        parts = [str(self.scores or self.numbers or "No rows were given to test the network on.")]
        if self.groups:
            parts.append(describe_groups(self.groups))
        if self.overlap is not None:
            about = "" if self.overlap.exact else "about "
            parts.append(
                f"{percent(self.overlap.share)} of these rows ({about}{self.overlap.rows:,}) were learned from."
            )
        if self.training is not None:
            parts.append(f"The network was learned from {plural(self.training.rows, 'row')}.")
        if self.unused:
            names = ", ".join(map(word, self.unused[:10])) + (", ..." if len(self.unused) > 10 else "")
            parts.append(f"No rule asks about {plural(len(self.unused), 'column')}: {names}.")
        return "\n\n".join(parts)


def audit(
    network: RuleNetwork, table: Any = None, labels: Iterable[object] | None = None, *, by: Sequence[str] = ()
) -> Audit:
    """Audit a network: how good it is on rows whose answers are known, and what was recorded when it learned.

    Parameters
    ----------
    network : RuleNetwork
        The network to audit.
    table : table, optional
        Rows to judge it by: a pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
    labels : iterable, optional
        The class of each row, or its number. Classes are compared as they are written: 1.0 is 1.
    by : sequence of str, optional
        Columns of the table whose groups are scored one by one, beside those that the policy of the network wants
        fair. The network need not ask about them.

    Returns
    -------
    Audit
        The scores on the rows, how many of them are training rows, the unused columns and the training.

    Raises
    ------
    InputError
        If only one of `table` and `labels` is given, they do not have as many rows, there are no rows, or `by` names no
        column of groups.

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
    if by and table is None:
        raise InputError("by: groups are scored on rows whose answers are known; give a table and its labels")
    targets = None if labels is None else list_labels(labels)
    number = network.head is not None and network.head.step is not None
    asked = {column.name for column in network.asked_columns}
    return Audit(
        scores=None if targets is None or number else evaluate(network, table, targets),
        overlap=None if targets is None else count_training_rows(network, table, targets),
        unused=tuple(column.name for column in network.own_columns if column.name not in asked),
        training=network.training,
        numbers=evaluate_numbers(network, table, targets) if targets is not None and number else None,
        groups=() if targets is None else measure_groups(network, table, targets, by),
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
