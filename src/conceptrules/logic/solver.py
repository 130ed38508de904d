"""Formulas over the cells of columns, and a search for a row that makes one true.

A literal says in which cells of its column it holds, so that `age <= 27 and age > 41` is seen to be false at once. A
formula is a number: 0 is false, 1 is true, the others have an entry in a pool, where equal ones are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal as Choice

from conceptrules.logic.column_cells import ColumnCells
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.network import Literal, RuleNetwork

FALSE, TRUE = 0, 1
Operator = Choice["all", "any"]
Domains = dict[int, int]


class Undecided(ConceptRulesError):
    """The networks are too large for an exact answer within the limit."""


class FormulaPool:
    """Formulas that are built once each.

    `full[column]` has a bit for each cell of the column; `work` limits how many parts of formulas are looked at.
    """

    def __init__(self, full: Sequence[int], work: int) -> None:
        self.full, self.work = full, work
        self._numbers: dict[object, int] = {}
        self._literals: dict[int, tuple[int, int]] = {}
        self._nodes: dict[int, tuple[Operator, frozenset[int]]] = {}
        self._columns: dict[int, frozenset[int]] = {FALSE: frozenset(), TRUE: frozenset()}
        self._negations: dict[int, int] = {FALSE: TRUE, TRUE: FALSE}
        self._restricted: dict[tuple[int, int, int], int] = {}

    def literal(self, column: int, cells: int) -> int:
        """Return the formula that is true in these cells of a column."""
        cells &= self.full[column]
        if cells in (0, self.full[column]):
            return TRUE if cells else FALSE
        number = self._number((column, cells), frozenset([column]))
        self._literals[number] = column, cells
        return number

    def all(self, formulas: Iterable[int]) -> int:
        """Return the AND of formulas."""
        return self._node("all", formulas)

    def any(self, formulas: Iterable[int]) -> int:
        """Return the OR of formulas."""
        return self._node("any", formulas)

    def negate(self, formula: int) -> int:
        """Return the negation of a formula."""
        if formula not in self._negations:
            if formula in self._literals:
                column, cells = self._literals[formula]
                result = self.literal(column, self.full[column] & ~cells)
            else:
                operator, parts = self._nodes[formula]
                result = self._node("any" if operator == "all" else "all", map(self.negate, sorted(parts)))
            self._negations[formula], self._negations[result] = result, formula
        return self._negations[formula]

    def find(self, formula: int) -> Domains | None:
        """Return cells, by column, that make the formula true whichever of them are chosen; None if nothing does."""
        stack: list[tuple[Domains, int]] = [({}, formula)]
        seen: set[object] = set()
        while stack:
            self._spend(1)
            domains, rest = self._propagate(*stack.pop())
            if rest == TRUE:
                return domains
            key = rest, tuple((column, domains.get(column)) for column in sorted(self._columns[rest]))
            if rest != FALSE and key not in seen:
                seen.add(key)
                stack += reversed(list(self._branches(domains, rest)))
        return None

    def _branches(self, domains: Domains, formula: int) -> Iterator[tuple[Domains, int]]:
        """Yield the ways in which the shortest OR can be true: by its first part, or only by the second, and so on."""
        operator, parts = self._nodes[formula]
        choice = formula if operator == "any" else min(parts, key=lambda part: (len(self._nodes[part][1]), part))
        rest = [part for part in parts if part != choice] if operator == "all" else []
        refuted: list[int] = []
        for part in sorted(self._nodes[choice][1], key=lambda part: (part not in self._literals, part)):
            yield dict(domains), self.all([part, *refuted, *rest])
            if part in self._literals:
                refuted.append(self.negate(part))

    def _propagate(self, domains: Domains, formula: int) -> tuple[Domains, int]:
        """Turn literals that have to hold into domains, and drop what they decide."""
        while units := self._units(formula):
            parts = self._nodes[formula][1] if formula in self._nodes else [formula]
            rest = [part for part in parts if part not in units]
            for column, cells in map(self._literals.__getitem__, units):
                domains[column] = domains.get(column, self.full[column]) & cells
                if not domains[column]:
                    return domains, FALSE
            formula = self.all(rest)
            for column, _ in map(self._literals.__getitem__, units):
                formula = self._restrict(formula, column, domains[column])
        return domains, formula

    def _units(self, formula: int) -> list[int]:
        if formula in self._literals:
            return [formula]
        operator, parts = self._nodes.get(formula, ("any", ()))
        return sorted(part for part in parts if part in self._literals) if operator == "all" else []

    def _restrict(self, formula: int, column: int, cells: int) -> int:
        """Return the formula where only these cells of the column are possible."""
        if column not in self._columns[formula]:
            return formula
        key = formula, column, cells
        if key not in self._restricted:
            if formula in self._literals:
                left = self._literals[formula][1] & cells
                result = TRUE if left == cells else self.literal(column, left)
            else:
                operator, parts = self._nodes[formula]
                self._spend(len(parts))
                result = self._node(operator, [self._restrict(part, column, cells) for part in parts])
                if result != formula:  # literals may have been joined only now, such as x <= 1 or x > 1
                    result = self._restrict(result, column, cells)
            self._restricted[key] = result
        return self._restricted[key]

    def _node(self, operator: Operator, formulas: Iterable[int]) -> int:
        """Return an AND or an OR: parts of the same kind are opened, literals of a column become one, constants go."""
        neutral, final = (TRUE, FALSE) if operator == "all" else (FALSE, TRUE)
        literals: Domains = {}
        parts: set[int] = set()
        nodes = ((formula, *self._nodes.get(formula, (None, ()))) for formula in formulas)
        for part in chain.from_iterable(parts if kind == operator else (formula,) for formula, kind, parts in nodes):
            if part in self._literals:
                column, cells = self._literals[part]
                known = literals.get(column)
                literals[column] = cells if known is None else known & cells if operator == "all" else known | cells
            elif part == final:
                return final
            elif part != neutral:
                parts.add(part)
        parts.update(self.literal(column, cells) for column, cells in literals.items())
        if final in parts:
            return final
        if len(parts) < 2:
            return next(iter(parts), neutral)
        members = frozenset(parts)
        self._spend(len(members))
        number = self._number((operator, members), frozenset().union(*map(self._columns.__getitem__, members)))
        self._nodes[number] = operator, members
        return number

    def _number(self, key: object, columns: frozenset[int]) -> int:
        number = self._numbers.setdefault(key, len(self._numbers) + 2)
        self._columns.setdefault(number, columns)
        return number

    def _spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            raise Undecided("not decided: too large")


class CellFormulas(FormulaPool):
    """The formulas of networks over the cells of their columns, which are given by name."""

    def __init__(self, cells: Mapping[str, ColumnCells], work: int) -> None:
        super().__init__([(1 << len(column.values)) - 1 for column in cells.values()], work)
        self.cells, self.numbers = cells, {name: number for number, name in enumerate(cells)}

    def layers(self, network: RuleNetwork) -> list[list[int]]:
        """Return for each layer, from the predicates up, the formulas of its nodes."""
        nodes = [FALSE] * len(network.predicates)  # what no rule tests may be anything
        for index in network.used_predicates:
            predicate = network.predicates[index]
            nodes[index] = self.literal(self.numbers[predicate.column], self.cells[predicate.column].where(predicate))
        result = [nodes]
        for level in network.levels:
            rules = [self.all(self.signed(nodes, rule.literals)) for rule in level.rules]
            nodes = [self.any(rules[rule] for rule in concept.rules) for concept in level.concepts]
            result += [rules, nodes]
        return result

    def signed(self, nodes: Sequence[int], literals: Iterable[Literal]) -> list[int]:
        """Return the formulas of literals on these nodes."""
        return [self.negate(nodes[each.index]) if each.negated else nodes[each.index] for each in literals]

    def find_cells(self, formulas: Iterable[int]) -> dict[str, int] | None:
        """Return cells, by name of the column, that make all formulas true whichever of them are chosen.

        Columns that do not matter are left out. None is returned if nothing makes them true.
        """
        domains = self.find(self.all(formulas))
        return (
            None
            if domains is None
            else {name: domains[number] for name, number in self.numbers.items() if number in domains}
        )
