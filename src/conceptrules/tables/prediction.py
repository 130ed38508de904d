"""A network compiled for prediction: only predicates in use, column by column into words, then through the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import (
    Bits,
    PackedBits,
    class_nodes,
    first_firing_digits,
    first_firing_packed,
    unpack,
)
from conceptrules.model.heads import require_classes, require_decision
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Predicate, Value, holds
from conceptrules.model.scoring import (
    Scores,
    answer_scores,
    score_bits,
    score_numbers,
    score_probabilities,
    score_words,
    with_rule_concepts,
)
from conceptrules.model.statistics import probabilities
from conceptrules.model.values import family_of, is_missing, label_text, read_value, readable
from conceptrules.tables.column_values import check_readable
from conceptrules.tables.factoring import Formulas, fired_words, formulas
from conceptrules.tables.table import Table, match_columns, open_table, read_packed_bits

if TYPE_CHECKING:
    import pyarrow as pa

Abstain = Choice["none", "several", "both"]
"""On which rows to abstain: where no class fires, where several do, or both."""


def predict(network: RuleNetwork, table: Any, abstain: Abstain | None = None) -> NDArray[Any]:
    """Return the class of each row, None where the network is to abstain; or the number that it predicts."""
    opened = open_table(table)
    if network.head is not None and network.head.step is not None and abstain is None:
        return score_numbers(network.head, find_scores(network, opened))
    answers: NDArray[Any] = compile_plan(network).labels.take(decide(network, opened))
    if abstain is not None:
        answers = answers.astype(object)
        answers[find_undecided_rows(network, opened, abstain)] = None
    return answers


def find_undecided_rows(network: RuleNetwork, table: Any, abstain: Abstain) -> Bits:
    """Return on which rows no class fires, several do, or either."""
    require_decision(network, "abstaining")
    if abstain not in get_args(Abstain):
        raise InputError(f"abstain is {abstain!r}; it can be 'none' (no class fires), 'several' or 'both'")
    counts = unpack(find_firing_classes(network, table)).sum(axis=1)
    by_count = np.array([abstain != "several", False, abstain != "none"])  # no class fires, one does, several do
    undecided: Bits = by_count[np.minimum(counts, 2)]
    return undecided


def predict_proba(network: RuleNetwork, table: Any) -> NDArray[np.float64]:
    """Return the probability of each class for each row."""
    require_classes(network, "the prediction of probabilities")
    if network.head is not None:
        return score_probabilities(network.head, find_scores(network, table))
    return probabilities(network, unpack(find_firing_classes(network, table)))


def decide(network: RuleNetwork, table: Any) -> NDArray[np.integer[Any]]:
    """Return the index of the class of each row."""
    require_classes(network, "the choice of a class")
    if network.head is not None:
        return answer_scores(network.head, find_scores(network, table))
    plan, opened = compile_plan(network), open_table(table)
    if opened.rows == 1:
        return np.array([plan.one_row(opened)])
    return first_firing_packed(fired_words(plan.formulas, plan.packed_bits(opened)), plan.order, plan.default)


def find_scores(network: RuleNetwork, table: Any) -> Scores:
    """Return the scores of each row, of the shape (rows, outputs)."""
    if network.head is None:
        raise InputError("only a scorecard has scores; this network decides by the priority of its classes")
    plan, opened = compile_plan(network), open_table(table)
    if opened.rows == 1:
        return score_bits(network.head, np.array([plan.one_row_nodes(opened)], dtype=np.bool_))
    return score_words(network.head, fired_words(plan.formulas, plan.packed_bits(opened)))


def find_firing_classes(network: RuleNetwork, table: Any) -> PackedBits:
    """Return which classes fire on each row."""
    require_decision(network, "the search for the classes that fire")
    plan = compile_plan(network)
    return fired_words(plan.formulas, plan.packed_bits(open_table(table)))


@dataclass(frozen=True, slots=True, eq=False)
class PredictionPlan:
    """What predicting with a network takes: its used predicates by column, and its levels over these."""

    columns: tuple[Column, ...]
    """All columns of the network: a table has to have them, used or not."""
    used: tuple[tuple[int, tuple[Predicate, ...]], ...]
    """The indices of the used columns, with their used predicates."""
    levels: tuple[Level, ...]
    """The levels of the network with literals that count only the used predicates; they serve for one row. A scorecard
    has a concept for each rule of its last level here."""
    formulas: tuple[Formulas, ...]
    """The same levels as formulas, for many rows."""
    order: tuple[int, ...]
    default: int
    labels: NDArray[Any]

    def packed_bits(self, table: Table, predicates: Sequence[Predicate] | None = None) -> PackedBits:
        """Return the used predicates on all rows, or others of the same columns."""
        table, positions = match_columns(self.columns, table)
        if table.rows:
            self._check_types(table, positions, table.first())
        return self._packed_bits(table, positions, predicates)

    def _packed_bits(
        self, table: Table, positions: Sequence[int], predicates: Sequence[Predicate] | None = None
    ) -> PackedBits:
        if predicates is None:
            predicates = list(chain.from_iterable(tests for _, tests in self.used))
        # The columns under the network's own names: they are not located, and warned of, a second time.
        located = table.select(positions, [column.name for column in self.columns if column.derivation is None])
        return read_packed_bits(self.columns, predicates, located)

    def _check_types(self, table: Table, positions: Sequence[int], values: Sequence[Any]) -> None:
        """Check the first value of each column, since columns are read only if a rule needs them."""
        for index, column in enumerate(self.columns):
            value = values[positions[index]]
            kind: type = type(value)
            family = None if is_missing(value) else family_of(kind)
            if family is not None and not readable(family, column):
                check_readable(table.cells(positions[index]), column)

    def one_row(self, table: Table) -> int:
        """Return the index of the class of a table's only row."""
        digits = first_firing_digits(self.one_row_nodes(table), self.order, self.default, 1)
        return sum(digit << bit for bit, digit in enumerate(digits))

    def one_row_nodes(self, table: Table) -> list[int]:
        """Return which classes fire on a table's only row, or which rules of a scorecard hold on it.

        Python's own numbers are faster here than any array.
        """
        table, positions = match_columns(self.columns, table)
        values, bits = table.first(), list[int]()
        self._check_types(table, positions, values)
        try:
            for index, predicates in self.used:
                value = read_value(values[positions[index]], self.columns[index])
                bits += [holds(predicate, value) for predicate in predicates]
        except (TypeError, OverflowError):
            bits = (self._packed_bits(table, positions).words[:, 0] & np.uint64(1)).tolist()
        return class_nodes(self.levels, bits, 1)


def compile_plan(network: RuleNetwork) -> PredictionPlan:
    """Return the plan of this network, which is made once."""
    return _compile_plan(_ByIdentity(network))


@dataclass(frozen=True, slots=True, eq=False)
class _ByIdentity:
    """A network by its identity: to hash its value takes longer than to predict a row."""

    network: RuleNetwork

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self.network is other.network

    def __hash__(self) -> int:
        return id(self.network)


@lru_cache(maxsize=32)
def _compile_plan(key: _ByIdentity) -> PredictionPlan:
    network = key.network
    used = network.used_columns
    numbers = {index: number for number, index in enumerate(chain.from_iterable(used.values()))}
    first = network.levels[0]
    rules = tuple(Rule(tuple(Literal(numbers[i.index], i.negated) for i in rule.literals)) for rule in first.rules)
    levels = (replace(first, rules=rules), *network.levels[1:])
    if network.head is not None:
        levels = (*levels[:-1], with_rule_concepts(levels[-1]))
    positions = {column.name: index for index, column in enumerate(network.columns)}
    alike = len(set(map(type, network.classes))) == 1
    return PredictionPlan(
        network.columns,
        tuple((positions[name], tuple(network.predicates[i] for i in indices)) for name, indices in used.items()),
        levels,
        formulas(levels, len(numbers)),
        network.priority_indices,
        0 if network.head else network.default_index,
        np.array(network.classes, dtype=None if alike else object),
    )


def label_array(classes: Iterable[Value]) -> pa.Array:
    """Return the classes as Arrow values, or as text where no one type holds them all."""
    import pyarrow as pa

    values = list(classes)
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([label_text(value) for value in values])


def probability_names(network: RuleNetwork) -> list[str]:
    """Return the names of the columns that hold the probability of each class."""
    return [f"probability_{label_text(label)}" for label in network.classes]


def score_names(network: RuleNetwork) -> list[str]:
    """Return the names of the columns that hold the scores of a scorecard; none of other networks."""
    if network.head is None:
        return []
    return ["score"] if network.head.outputs == 1 else [f"score_{label_text(label)}" for label in network.classes]
