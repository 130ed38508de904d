"""Whether two networks decide alike, or a class of one implies that of the other: decided for all rows, not sampled.

A row has one value or a gap in each column, so `job = nurse and job = smith` is impossible and so is an age both under
27 and over 41. Every answer comes with a row where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conceptrules.logic.column_cells import cells_of
from conceptrules.logic.solver import FALSE, TRUE, Domains, Pool, Undecided
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Predicate, Value

__all__ = ["WORK", "Row", "Undecided", "equivalent", "find_counterexample", "find_difference", "implies"]

Row = dict[str, Any]
# Parts of formulas that one question may look at: about ten seconds. Counted, not timed, so that the answer is always
# the same.
WORK = 5_000_000
_DEEPEST = 50  # levels; formulas are nested as deep as these


def implies(first: RuleNetwork, second: RuleNetwork, label: Value, *, work: int = WORK) -> bool:
    """Decide whether a class fires in the second network wherever it fires in the first.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    label : class label
        The class.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    bool
        True if it does on every row there can be: this is proved.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(age):
    ...     level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    ...     return RuleNetwork((Column("age"),), (Interval("age", age),), (level,), ("old", "young"), default="young")
    >>> implies(older(41), older(27), "old"), implies(older(27), older(41), "old")
    (True, False)
    """
    return find_counterexample(first, second, label, work=work) is None


def equivalent(first: RuleNetwork, second: RuleNetwork, *, work: int = WORK) -> bool:
    """Decide whether two networks give every row the same class.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    bool
        True if they do on every row there can be: this is proved.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(*ages):
    ...     level = Level([Rule([Literal(i)]) for i in range(len(ages))], [Concept(range(len(ages))), Concept()])
    ...     tests = [Interval("age", age) for age in ages]
    ...     return RuleNetwork([Column("age")], tests, [level], ["old", "young"], default="young")
    >>> equivalent(older(27, 41), older(27)), equivalent(older(27), older(41))
    (True, False)
    """
    return find_difference(first, second, work=work) is None


def find_difference(first: RuleNetwork, second: RuleNetwork, *, work: int = WORK) -> Row | None:
    """Find a row to which two networks give different classes.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    dict or None
        A value for each column of both networks; None stands for a missing value, and where the column does not matter.
        None if it is proved that there is no such row.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.
    """
    question = _Question((first, second), work)
    ours, theirs = question.decisions(first), question.decisions(second)
    return question.row((ours[name], theirs.get(name, FALSE)) for name in first.classes)


def find_counterexample(first: RuleNetwork, second: RuleNetwork, label: Value, *, work: int = WORK) -> Row | None:
    """Find a row on which a class fires in the first network and not in the second: a counterexample to `implies`.

    Parameters
    ----------
    first, second : RuleNetwork
        The networks to compare.
    label : class label
        The class.
    work : int, default=5_000_000
        How many parts of formulas to look at; the default takes about ten seconds.

    Returns
    -------
    dict or None
        A value for each column of both networks; None if it is proved that there is no such row.

    Raises
    ------
    Undecided
        If the networks are too large for an answer within `work`.
    InputError
        If no table suits both networks.
    """
    question = _Question((first, second), work)
    ours, theirs = question.firing(first), question.firing(second)
    return question.row([(ours.get(label, FALSE), theirs.get(label, FALSE))])


class _Question:
    """The formulas of networks over the cells of their columns."""

    def __init__(self, networks: Sequence[RuleNetwork], work: int) -> None:
        if max(len(network.levels) for network in networks) > _DEEPEST:
            raise Undecided(f"not decided: more than {_DEEPEST} levels")
        self.cells = cells_of(networks)
        self.places = {name: place for place, name in enumerate(self.cells)}
        self.names = dict.fromkeys(column.name for network in networks for column in network.columns)
        self.pool = Pool([(1 << len(cells.values)) - 1 for cells in self.cells.values()], work)

    def firing(self, network: RuleNetwork) -> dict[Value, int]:
        """Return for each class the formula that says where it fires."""
        return dict(zip(network.classes, self._classes(network), strict=True))

    def decisions(self, network: RuleNetwork) -> dict[Value, int]:
        """Return for each class the formula that says where it is the answer."""
        firing, silent = self.firing(network), TRUE
        result = {}
        for name in network.priority:
            result[name] = self.pool.all([silent, firing[name]])
            silent = self.pool.all([silent, self.pool.negated(firing[name])])
        result[network.default] = self.pool.any([result[network.default], silent])
        return result

    def row(self, questions: Iterable[tuple[int, int]]) -> Row | None:
        """Return a row on which the first formula of some pair is true and the second is not."""
        for yes, no in questions:
            found = None if yes == no else self.pool.find(self.pool.all([yes, self.pool.negated(no)]))
            if found is not None:
                return self._raw(found)
        return None

    def _classes(self, network: RuleNetwork) -> list[int]:
        below = list(map(self._predicate, network.predicates))
        for level in network.levels:
            rules = [self.pool.all(self._literal(below, literal) for literal in rule.literals) for rule in level.rules]
            below = [self.pool.any(rules[rule] for rule in concept.rules) for concept in level.concepts]
        return below

    def _predicate(self, predicate: Predicate) -> int:
        """Return the formula of a predicate; it is false where no rule tests the column."""
        cells = self.cells.get(predicate.column)
        return FALSE if cells is None else self.pool.literal(self.places[predicate.column], cells.where(predicate))

    def _literal(self, below: Sequence[int], literal: Literal) -> int:
        return self.pool.negated(below[literal.index]) if literal.negated else below[literal.index]

    def _raw(self, domains: Domains) -> Row:
        """Return a row of a table: in each column, the value of the first possible cell."""
        chosen = {name: domains[place] for name, place in self.places.items() if place in domains}
        first = {name: (cells & -cells).bit_length() - 1 for name, cells in chosen.items()}
        return {name: self.cells[name].raw(first[name]) if name in first else None for name in self.names}
