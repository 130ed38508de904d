"""What given rows say about a policy: the clauses that are about rows, and rows that refute the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.policies.claims import Claim
from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.policies.splitting import Box, Splitting
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import decide, pack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Fair, LeastPrecision, LeastRows
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.statistics import with_statistics
from conceptrules.model.text import number_text, percent, plural, rule_text, word
from conceptrules.model.values import label_text
from conceptrules.tables.column_values import ColumnValues, check_readable, to_numbers
from conceptrules.tables.prediction import decide as decide_rows
from conceptrules.tables.table import Table, locate_columns, open_table, read_packed_bits

MOST, MOST_VALUES = 10_000, 1_000_000  # rows, and values of them, that are looked through for a counterexample

_ROUNDING = 1e-9  # sums of fractions depend on their order


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """Rows as the network reads them."""

    table: Table
    labels: tuple[int, ...] | None
    """The class of each row as an index; -1 for one that the network does not know."""
    values: dict[str, tuple[Value | None, ...]]
    """The first rows' values of the columns that matter, by column."""
    cells: dict[str, NDArray[np.intp]]
    """The same as cells."""


def given_rows(network: RuleNetwork, space: Space, data: Any, labels: Iterable[object] | None) -> GivenRows:
    """Read rows, and their classes where there are some."""
    table = open_table(data)
    places = {label_text(name): number for number, name in enumerate(network.classes)}
    known = None if labels is None else tuple(places.get(label_text(label), -1) for label in _listed(labels))
    if known is not None and len(known) != table.rows:
        raise InputError(f"the data have {table.rows} rows, but there are {len(known)} labels; give one for each row")
    first = table.take(np.arange(min(MOST, MOST_VALUES // (len(space) + 1), table.rows)))
    values: dict[str, tuple[Value | None, ...]] = {}
    for column, position in zip(network.columns, locate_columns(network.columns, table), strict=True):
        if column.name not in space:
            continue
        values[column.name] = ()
        if table.rows:  # an empty list has no columns either
            cells = first.cells(position)
            check_readable(cells, column)
            values[column.name] = _by_row(cells, to_numbers(cells) if column.ordered else cells.values)
    return GivenRows(table, known, values, {name: _cells(space, name, some) for name, some in values.items()})


def _by_row(cells: ColumnValues, values: NDArray[Any]) -> tuple[Value | None, ...]:
    """Return the values row by row; None where one is missing."""
    pairs = zip(cells.missing.tolist(), values.tolist(), strict=True)
    each = [None if gap else one for gap, one in pairs]
    return tuple(each if cells.codes is None else [each[code] for code in cells.codes.tolist()])


def _cells(space: Space, name: str, values: Sequence[Value | None]) -> NDArray[np.intp]:
    known = {value: space[name].cell_of(value) for value in set(values)}
    return np.array([known[value] for value in values], dtype=np.intp)


def _listed(labels: Iterable[object]) -> list[object]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def refuting_row(
    network: RuleNetwork, splitting: Splitting, claims: Sequence[Claim], rows: GivenRows
) -> tuple[Claim, int] | None:
    """Return a claim that fails on a given row, if only the column of the claim is varied; None if none does.

    Rows that the policy calls impossible do not count.
    """
    if not claims or not next(iter(rows.cells.values()), np.array([])).size:
        return None
    space, column = splitting.space, claims[0].column
    found: dict[int, tuple[NDArray[np.intp], NDArray[np.bool_]]] = {}

    def decisions(cell: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        if cell not in found:
            cells = dict(rows.cells)
            if column is not None:
                cells[column] = np.full_like(cells[column], cell)
            possible = _held(space, {name: one.possible for name, one in space.items()}, cells)
            for rule in splitting.impossible:
                possible &= ~_held(space, rule, cells)
            found[cell] = decide(network, pack(_bits(network, space, cells))), possible
        return found[cell]

    for claim in claims:
        first, can = decisions(claim.first)
        second, can_too = decisions(claim.second)
        given = can & can_too & _held(space, splitting.conjunction(claim.premise), rows.cells)
        for event in claim.events:
            inside = np.array([label in event for label in network.classes])
            fails = given & ~inside[second]
            if column is not None:
                fails &= inside[first]
            if fails.any():
                own = fails & (np.isin(rows.cells[column], (claim.first, claim.second)) if column is not None else True)
                return claim, int(np.flatnonzero(own if own.any() else fails)[0])
    return None


def _held(space: Space, rule: Box, cells: dict[str, NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Return which rows are in these cells in all columns."""
    result = np.ones(len(next(iter(cells.values()))), dtype=bool)
    for name, mask in rule.items():
        result &= space[name].table(mask)[cells[name]]
    return result


def _bits(network: RuleNetwork, space: Space, cells: dict[str, NDArray[np.intp]]) -> NDArray[np.bool_]:
    bits = np.zeros((len(next(iter(cells.values()))), len(network.predicates)), dtype=bool)
    for index in network.used_predicates:
        predicate = network.predicates[index]
        one = space[predicate.column]
        bits[:, index] = one.table(one.where(predicate))[cells[predicate.column]]
    return bits


def rows_failure(
    clause: LeastRows | LeastPrecision, network: RuleNetwork, rows: GivenRows | None
) -> tuple[str | None, str]:
    """Return which rule covers too few rows or too few of its class, and of which rows that was said."""
    if rows is None:
        if network.statistics is None:
            return "", "no rows"
        counted, basis = network, "the rows that the statistics of the model were counted on"
    else:
        words = read_packed_bits(network.columns, network.predicates, rows.table, network.used_predicates)
        if rows.labels is None and isinstance(clause, LeastPrecision):
            return "", "no classes of the rows"
        y = np.zeros(rows.table.rows, dtype=np.intp) if rows.labels is None else np.array(rows.labels, dtype=np.intp)
        counted = with_statistics(network, words, np.maximum(y, 0), (y >= 0).astype(float))
        basis = f"{rows.table.rows:,} rows"
    failed = _too_few(clause, counted) if isinstance(clause, LeastRows) else _imprecise(clause, counted)
    return failed, basis


def _too_few(clause: LeastRows, network: RuleNetwork) -> str | None:
    assert network.statistics is not None
    for level, rules in enumerate(network.statistics.covered):
        for place, counts in enumerate(rules):
            if sum(counts) < clause.rows - _ROUNDING * max(clause.rows, 1):
                return f"this rule covers {plural(sum(counts), 'row')}: {rule_text(network, level, place)}"
    return None


def _imprecise(clause: LeastPrecision, network: RuleNetwork) -> str | None:
    assert network.statistics is not None
    covered = network.statistics.covered[-1]
    for kind, concept in enumerate(network.levels[-1].concepts):
        for rule in concept.rules:
            share = lower_bound(covered[rule][kind], sum(covered[rule]), clause.confidence)
            if share < clause.precision - _ROUNDING:
                text = rule_text(network, len(network.levels) - 1, rule)
                return f"this rule of {word(network.classes[kind])} reaches {number_text(round(share, 4))}: {text}"
    return None


def lower_bound(right: float, rows: float, confidence: float | None) -> float:
    """Return the share of right rows, or the lower end of its one-sided Wilson interval.

    >>> lower_bound(8, 10, None), round(lower_bound(8, 10, 0.95), 3)
    (0.8, 0.541)
    """
    if not rows:
        return 0.0
    share = right / rows
    if confidence is None:
        return share
    z = NormalDist().inv_cdf(confidence)
    spread = z * ((share * (1 - share) + z * z / (4 * rows)) / rows) ** 0.5
    return float((share + z * z / (2 * rows) - spread) / (1 + z * z / rows))


def unfairness(clause: Fair, network: RuleNetwork, rows: GivenRows) -> tuple[bool, str]:
    """Return whether groups are treated alike enough, and the rates of the two that differ most."""
    if clause.column not in rows.table.names:
        known = nearest_name(clause.column, rows.table.names)
        raise InputError(f"{clause.name}: the data have no column {clause.column!r}; {known}")
    if clause.measure == "true_positive_rate" and rows.labels is None:
        raise InputError(f"{clause.name}: true positive rates need the class of each row; give labels (--target)")
    member = names_of_groups(rows.table, clause.column)
    positive = network.classes.index(clause.positive)
    answered = decide_rows(network, rows.table) == positive
    counted = np.ones(len(answered))
    if clause.measure == "true_positive_rate":
        counted = np.array(rows.labels) == positive
    return compare_groups(clause, member, answered, counted)


def names_of_groups(table: Table, column: str) -> NDArray[Any]:
    """Return the group of each row as text; None where it is missing."""
    cells = table.cells(table.names.index(column))
    return np.array([None if one is None else str(one) for one in _by_row(cells, cells.values)], dtype=object)


def compare_groups(
    clause: Fair, member: NDArray[Any], answered: NDArray[np.bool_], weight: NDArray[Any]
) -> tuple[bool, str]:
    """Return whether groups get an answer alike enough, and the rates of the two that differ most.

    Rows of weight 0 do not count.
    """
    rates = {}
    for group in sorted({one for one in member if one is not None}):
        own = np.where(member == group, weight, 0.0)
        if own.sum() > 0:
            rates[group] = float((own * answered).sum() / own.sum())
    if len(rates) < 2:
        return True, f"there is only {plural(len(rates), 'group')} of {word(clause.column)}"
    low = min(rates, key=rates.__getitem__)
    high = max((group for group in rates if group != low), key=rates.__getitem__)
    said = f"{word(high)} {percent(rates[high])}, {word(low)} {percent(rates[low])}"
    if clause.measure == "selection_ratio":
        ratio = rates[low] / rates[high] if rates[high] else 1.0
        return ratio >= clause.bound - _ROUNDING, f"{said}: a ratio of {ratio:.4f}"
    gap = rates[high] - rates[low]
    return gap <= clause.bound + _ROUNDING, f"{said}: a difference of {gap:.4f}"
