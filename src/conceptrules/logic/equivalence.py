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

__all__ = ["WORK", "Row", "Undecided", "equivalent", "find_firing", "find_row", "implies"]

Row = dict[str, Any]
# Parts of formulas that one question may look at: about ten seconds. Counted, not timed, so that the answer is always
# the same.
WORK = 5_000_000
_DEEPEST = 50  # levels; formulas are nested as deep as these


def implies(first: RuleNetwork, second: RuleNetwork, name: Value, work: int = WORK) -> bool:
    """Whether the class fires in the second network wherever it fires in the first.

    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(age):
    ...     level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    ...     return RuleNetwork((Column("age"),), (Interval("age", age),), (level,), ("old", "young"), default="young")
    >>> implies(older(41), older(27), "old"), implies(older(27), older(41), "old")
    (True, False)
    """
    return find_firing(first, second, name, work) is None


def equivalent(first: RuleNetwork, second: RuleNetwork, work: int = WORK) -> bool:
    """Whether both give every row the same class."""
    return find_row(first, second, work) is None


def find_row(first: RuleNetwork, second: RuleNetwork, work: int = WORK) -> Row | None:
    """A row to which the two give different classes; None if there is none.

    The row has all columns of both; those that do not matter are None, a gap.
    """
    question = _Question((first, second), work)
    ours, theirs = question.decisions(first), question.decisions(second)
    return question.row((ours[name], theirs.get(name, FALSE)) for name in first.classes)


def find_firing(first: RuleNetwork, second: RuleNetwork, name: Value, work: int = WORK) -> Row | None:
    """A row on which the class fires in the first network and not in the second; None if there is none."""
    question = _Question((first, second), work)
    ours, theirs = question.firing(first), question.firing(second)
    return question.row([(ours.get(name, FALSE), theirs.get(name, FALSE))])


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
        """Where each class fires."""
        return dict(zip(network.classes, self._classes(network), strict=True))

    def decisions(self, network: RuleNetwork) -> dict[Value, int]:
        """Where each class is answered."""
        firing, silent = self.firing(network), TRUE
        result = {}
        for name in network.priority:
            result[name] = self.pool.all([silent, firing[name]])
            silent = self.pool.all([silent, self.pool.negated(firing[name])])
        result[network.default] = self.pool.any([result[network.default], silent])
        return result

    def row(self, questions: Iterable[tuple[int, int]]) -> Row | None:
        """A row on which the first formula of a pair is true and the second is not."""
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
        """False where no rule tests the column: then no rule asks."""
        cells = self.cells.get(predicate.column)
        return FALSE if cells is None else self.pool.literal(self.places[predicate.column], cells.where(predicate))

    def _literal(self, below: Sequence[int], literal: Literal) -> int:
        return self.pool.negated(below[literal.index]) if literal.negated else below[literal.index]

    def _raw(self, domains: Domains) -> Row:
        """The first cell that is possible, in each column."""
        chosen = {name: domains[place] for name, place in self.places.items() if place in domains}
        first = {name: (cells & -cells).bit_length() - 1 for name, cells in chosen.items()}
        return {name: self.cells[name].raw(first[name]) if name in first else None for name in self.names}
