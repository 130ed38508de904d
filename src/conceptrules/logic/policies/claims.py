"""What has to hold of a network for a clause to be satisfied, as claims about possible rows, and proofs of claims.

A claim is about a row, or about two rows that differ in one column only. So a node of the network has a set of pairs of
values that it can have on the two rows: {00, 11} if it is unknown but does not depend on that column, {00, 01} if it
can only rise, and so on. Such a set is a number with a bit for each pair. What is not settled for a box of cells is
split: the tree of splits is the proof, and a box in which nothing is unknown any more is a counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.solver import Undecided
from conceptrules.model.derived import Relation
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Clause, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Column, Predicate, Value
from conceptrules.model.rule_reader import Stated

Box = dict[str, int]
"""The cells, as bits, that a row can be in, by column."""
Tree = tuple[str, int, "Tree", "Tree"] | None
"""A column and some of its cells, the proof for these, and that for the others; None where nothing is left to show."""

NEVER, ALWAYS, UNKNOWN, FALLS, BOTH = 0b0001, 0b1000, 0b1001, 0b0100, 0b1000
MAX_DEPTH = 300


def _list_pairs(pairs: int) -> list[int]:
    return [pair for pair in range(4) if pairs >> pair & 1]


AND = [[sum({1 << (x & y) for x in _list_pairs(a) for y in _list_pairs(b)}) for b in range(16)] for a in range(16)]
NOT = [sum({1 << (3 - pair) for pair in _list_pairs(a)}) for a in range(16)]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about every possible row, or about every pair of them that differs in one column only.

    Of a pair: where the first row gets a class out of one of the `events`, the second gets one out of it too. Of one
    row: where the premise holds, the row gets a class out of the event.
    """

    events: tuple[frozenset[Value], ...]
    premise: tuple[Stated, ...] = ()
    column: str | None = None
    """The column in which two rows differ."""
    first: int = 0
    """The cell of the first row in that column."""
    second: int = 0
    """The cell of the second row in that column."""

    def find_failures(
        self, network: RuleNetwork, first: NDArray[np.intp], second: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return on which rows the claim fails that get these classes; `second` are those of the second rows."""
        failing = np.zeros(len(first), np.bool_)
        for event in self.events:
            inside = np.array([label in event for label in network.classes])
            failing |= ~inside[second] & (inside[first] if self.column is not None else True)
        return failing


def claims_of(
    clause: Clause, policy: Policy, space: Space, columns: Sequence[Column], classes: Sequence[Value]
) -> list[Claim] | None:
    """Return the claims that a clause comes down to; None where it is not about decisions."""
    match clause:
        case Implies(rule=rule, label=label) | Locked(rule=rule, label=label, mode="decides"):
            assert label is not None
            return [Claim((frozenset([label]),), read_known_rule(clause.name, rule, columns))]
        case Independent():
            events = tuple(frozenset([label]) for label in classes)
        case Monotone():
            events = tuple(frozenset(clause.order[start:]) for start in range(1, len(clause.order)))
        case _:
            return None
    return [Claim(events, (), clause.column, *pair) for pair in list_pairs(clause, policy, space, columns)]


def list_pairs(
    clause: Monotone | Independent, policy: Policy, space: Space, columns: Sequence[Column]
) -> list[tuple[int, int]]:
    """Return the cells of a column that two rows can be in which a clause compares, the one that may not be better
    first."""
    column = clause.column
    if column not in space:
        return []  # it is forbidden, and no column of the network
    cells = space[column]
    chain = cells.members()
    if isinstance(clause, Monotone):
        missing = len(cells.values) - 1
        lowest = [missing] if clause.missing == "lowest" and cells.possible >> missing & 1 else []
        chain = lowest + cells.ascending()
    # Neighbours suffice, unless what is impossible depends on the column, so that a row may skip a cell.
    impossible = [
        test for rule in policy.domain.impossible for test in read_known_rule("domain.impossible", rule, columns)
    ]
    skips = any(test.predicate.column == column for test in impossible)
    pairs = list(combinations(chain, 2) if skips else pairwise(chain))
    if (
        isinstance(clause, Monotone)
        and isinstance(cells.column.derivation, Relation)
        and chain
        and cells.column.ordered
    ):
        # Infinity less infinity is missing: a difference may come from its lowest values to that, and from it to the
        # highest.
        pairs += [(chain[0], len(cells.values) - 1), (len(cells.values) - 1, chain[-1])]
    falling = isinstance(clause, Monotone) and clause.direction == "down"
    return [(second, first) for first, second in pairs] if falling else pairs


def list_conflicts(policy: Policy, columns: Sequence[Column]) -> Iterator[tuple[Clause, Clause, Claim]]:
    """Yield pairs of clauses that want different classes, with the claim that no possible row meets both premises."""
    deciding: list[Implies | Locked] = [*policy.of_kind(Implies)]
    deciding += [clause for clause in policy.of_kind(Locked) if clause.mode == "decides"]
    for first, second in combinations(deciding, 2):
        if first.label != second.label:
            tests = (
                *read_known_rule(first.name, first.rule, columns),
                *read_known_rule(second.name, second.rule, columns),
            )
            yield first, second, Claim((frozenset(),), tests)


@dataclass(frozen=True, slots=True)
class FailingBox:
    """Cells, by column, on which a claim fails whichever of them are chosen."""

    cells: Box


class Splitting:
    """A network on the cells of its columns; `work` limits how many literals are looked at."""

    def __init__(self, network: RuleNetwork, space: Space, impossible: Sequence[Sequence[Stated]], work: int) -> None:
        self.network, self.space, self.work = network, space, work
        self._masks: dict[Predicate, int] = {}
        rules = [
            [Stated(network.predicates[literal.index], literal.negated) for literal in rule.literals]
            for rule in network.levels[0].rules
        ]
        self.rules = [self.conjunction(rule) for rule in rules]
        self.impossible = [self.conjunction(rule) for rule in impossible]

    def conjunction(self, tests: Sequence[Stated]) -> Box:
        """Return the cells in which all these tests hold, by column."""
        box: Box = {}
        for test in tests:
            name = test.predicate.column
            if test.predicate not in self._masks:
                self._masks[test.predicate] = self.space[name].where(test.predicate)
            mask = self._masks[test.predicate]
            box[name] = box.get(name, self.space[name].possible) & (~mask if test.negated else mask)
        return box

    def prove(self, claim: Claim) -> Tree | FailingBox:
        """Return the tree that proves a claim, or cells on which it fails."""
        rules = [*self.rules, *self.impossible, self.conjunction(claim.premise)]
        box = {name: cells.possible for name, cells in self.space.items() if name != claim.column}
        return self._split(claim, box, rules, [UNKNOWN] * len(rules), 0)

    def fails(self, claim: Claim, cells: dict[str, int]) -> bool:
        """Return whether a claim fails on the row of these cells, one for each column."""
        rules = [*self.rules, *self.impossible, self.conjunction(claim.premise)]
        box = {name: 1 << cell for name, cell in cells.items()}
        self.work += sum(len(rule) + 1 for rule in rules)  # one row is no search
        return not self._is_shown(claim, [self._evaluate_rule(claim, rule, box) for rule in rules])

    def _split(self, claim: Claim, box: Box, rules: list[Box], known: list[int], depth: int) -> Tree | FailingBox:
        values = [
            self._evaluate_rule(claim, rule, box) if _is_open(pairs) else pairs
            for rule, pairs in zip(rules, known, strict=True)
        ]
        if self._is_shown(claim, values):
            return None
        choice = self._choose_split(claim, box, rules, values)
        if choice is None:
            return FailingBox(box)
        if depth > MAX_DEPTH:
            raise Undecided("not decided: too many splits in one another")
        name, cells = choice
        trees = []
        for part in (cells, box[name] & ~cells):
            tree = self._split(claim, {**box, name: part}, rules, values, depth + 1)
            if isinstance(tree, FailingBox):
                return tree
            trees.append(tree)
        return name, cells, *trees  # type: ignore[return-value]

    def _evaluate_rule(self, claim: Claim, rule: Box, box: Box) -> int:
        """Return which values a rule can have on the two rows."""
        self.work -= len(rule) + 1
        if self.work < 0:
            raise Undecided("not decided: too large")
        result = ALWAYS
        for name, cells in rule.items():
            if name == claim.column:
                result = AND[result][1 << (2 * (cells >> claim.first & 1) + (cells >> claim.second & 1))]
            elif not cells & box[name]:
                return NEVER
            elif box[name] & ~cells:
                result = AND[result][UNKNOWN]
        return result

    def _is_shown(self, claim: Claim, rules: list[int]) -> bool:
        """Return whether the claim holds whatever is unknown."""
        first = len(self.rules)
        possible = _conjoin(NOT[pairs] for pairs in rules[first : first + len(self.impossible)])
        if not possible & BOTH:
            return True
        nodes = rules
        for depth, level in enumerate(self.network.levels):
            if depth:
                literals = [[(nodes[lit.index], lit.negated) for lit in rule.literals] for rule in level.rules]
                nodes = [_conjoin(NOT[pairs] if no else pairs for pairs, no in rule) for rule in literals]
            nodes = [_disjoin(nodes, concept.rules) for concept in level.concepts]
        decided = [self._decide_event(nodes, event) for event in claim.events]
        if claim.column is not None:
            return not any(pairs & FALLS for pairs in decided)
        premise = AND[rules[-1]][possible]
        return not any(AND[premise][NOT[pairs]] & BOTH for pairs in decided)

    def _decide_event(self, fires: list[int], event: frozenset[Value]) -> int:
        """Return where the class is one of the event: by the first that fires, or else by the default."""
        network = self.network
        result = ALWAYS if network.default in event else NEVER
        for index in reversed(network.priority_indices):
            if network.classes[index] in event:
                result = NOT[AND[NOT[fires[index]]][NOT[result]]]
            else:
                result = AND[NOT[fires[index]]][result]
        return result

    def _choose_split(self, claim: Claim, box: Box, rules: list[Box], values: list[int]) -> tuple[str, int] | None:
        """Return the condition that most unknown rules wait for, short ones first; None if no rule is unknown.

        Rules matter only where some concept is not known without them.
        """
        relevant = set(range(len(self.rules), len(values)))
        for concept in self.network.levels[0].concepts:
            if _is_open(_disjoin(values, concept.rules)):
                relevant.update(concept.rules)
        weights: Counter[tuple[str, int]] = Counter()
        for rule in sorted(relevant):
            if _is_open(values[rule]):
                conditions = [(name, cells & box[name]) for name, cells in rules[rule].items() if name != claim.column]
                conditions = [(name, cells) for name, cells in conditions if cells != box[name]]
                for condition in conditions:
                    weights[condition] += 2 ** (10 - min(len(conditions), 10))
        return max(weights, key=lambda condition: (weights[condition], condition)) if weights else None


def _is_open(pairs: int) -> bool:
    """Return whether more than one pair of values is left."""
    return bool(pairs & (pairs - 1))


def _conjoin(nodes: Iterable[int]) -> int:
    result = ALWAYS
    for pairs in nodes:
        result = AND[result][pairs]
    return result


def _disjoin(nodes: Sequence[int], members: Iterable[int]) -> int:
    return NOT[_conjoin(NOT[nodes[index]] for index in members)]
