"""What each rule, or each column, adds to the scores of many rows: exact, and as values of SHAP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.card import output_names, points_of
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import octets_of
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import asked_columns
from conceptrules.model.text import rule_text
from conceptrules.tables.factoring import fired_words
from conceptrules.tables.prediction import compile_plan
from conceptrules.tables.table import Table, match_columns, open_table

By = Choice["rule", "column"]


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What adds up to the scores of rows: the base, and the points by rule or by column."""

    values: NDArray[Any]
    """The points, of the shape (rows, names), or (rows, names, outputs) where there are scores of several classes."""
    base: NDArray[np.int64]
    """What each score starts from: one number for each output."""
    names: tuple[str, ...]
    """The rules in words, or the columns."""
    outputs: tuple[str, ...]
    """What each score is for."""
    step: float | None
    """What a point adds to the number that is predicted, or to its logarithm; None of classes."""
    table: Table
    """The rows."""

    @property
    def scores(self) -> NDArray[np.int64]:
        """The scores that base and points add up to, of the shape (rows,) or (rows, outputs)."""
        base = self.base[0] if len(self.base) == 1 else self.base
        scores: NDArray[np.int64] = np.rint(self.values.sum(axis=1) + base).astype(np.int64)
        return scores

    def to_shap(self) -> Any:
        """Return the contributions as SHAP has them, for its plots; those of a number are in steps of the number.

        Returns
        -------
        shap.Explanation
            The values, their base, and what the rows say, which goes with columns only.

        Raises
        ------
        InputError
            If shap is not installed.
        """
        try:
            import shap
        except ImportError:
            raise InputError("shap is not installed; run: pip install 'conceptrules[shap]'") from None
        rows, unit = self.table.rows, self.step or 1.0
        base = np.broadcast_to(self.base * unit, (rows, len(self.base)))
        cells = []
        if self.names == self.table.names:
            cells = [np.array(self.table.cells(index).to_list(), object) for index in range(len(self.names))]
        return shap.Explanation(
            values=self.values * unit,
            base_values=base[:, 0] if len(self.base) == 1 else base,
            data=np.stack(cells, axis=1) if cells else None,
            feature_names=list(self.names),
            output_names=list(self.outputs) if len(self.base) > 1 else None,
        )


def compute_contributions(network: RuleNetwork, table: Any, by: By = "column") -> Contributions:
    """Return what each rule or column adds to the scores of rows: the function behind `RuleNetwork.contributions`."""
    if network.head is None:
        raise InputError("only a scorecard has contributions: it adds points up, and this network decides by rules")
    if by not in ("rule", "column"):
        raise InputError(f"by is {by!r}; use 'rule' or 'column'")
    head, last, plan = points_of(network), len(network.levels) - 1, compile_plan(network)
    opened = open_table(table)
    rules = fired_words(plan.formulas, plan.packed_bits(opened))
    base = np.array(head.base, np.int64)
    if by == "rule":
        names = tuple(rule_text(network, last, rule) for rule in range(len(head.points)))
        owners = [[rule] for rule in range(len(names))]
    else:
        names = tuple(column.name for column in network.columns)
        owners = [[i for i, name in enumerate(names) if name in asked] for asked in asked_columns(network)[last]]
    values = np.zeros((head.outputs, len(names), opened.rows), np.int64 if by == "rule" else np.float64)
    for word, points, own in zip(rules.words, head.points, owners, strict=True):
        holds = unpack_word(word, opened.rows)
        if not own:  # a rule about no column holds on all rows or on none
            base += np.array(points) * bool(holds.any())
        for output, value in enumerate(points):
            for name in own if value else ():
                values[output, name] += holds * (np.int64(value) if by == "rule" else np.float64(value / len(own)))
    shaped = values[0].T if head.outputs == 1 else values.transpose(2, 1, 0)
    opened, positions = match_columns(network.columns, opened)
    located = opened.select(positions, [column.name for column in network.columns])
    return Contributions(shaped, base, names, output_names(network), head.step, located)


def unpack_word(word: NDArray[np.uint64], rows: int) -> NDArray[np.uint8]:
    """Return on which rows a node holds: 1 or 0."""
    return np.unpackbits(octets_of(word), count=rows, bitorder="little")
