"""Proofs by splitting columns into cells until a three-valued evaluation settles a claim.

A claim is about a row, or about two rows that differ in one column only. So a node of the network has a set of pairs of
values that it can have on the two rows: {00, 11} if it is unknown but does not depend on that column, {00, 01} if it
can only rise, and so on. Such a set is a number with a bit for each pair. What is not settled for a box of cells is
split: the tree of splits is the proof, and a box in which nothing is unknown any more is a counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conceptrules.logic.policies.claims import Claim
from conceptrules.logic.policies.possible_rows import Space
from conceptrules.logic.solver import Undecided
from conceptrules.model.network import Rule, RuleNetwork
from conceptrules.model.predicate import Predicate
from conceptrules.model.rule_reader import Stated

Box = dict[str, int]
"""The cells, as bits, that a row can be in, by column."""
Tree = tuple[str, int, "Tree", "Tree"] | None
"""A column and some of its cells, the proof for these, and that for the others; None where nothing is left to show."""

NEVER, ALWAYS, UNKNOWN, FALLS, BOTH = 0b0001, 0b1000, 0b1001, 0b0100, 0b1000
_DEEPEST = 300


def _each(pairs: int) -> list[int]:
    return [pair for pair in range(4) if pairs >> pair & 1]


AND = [[sum({1 << (one & other) for one in _each(a) for other in _each(b)}) for b in range(16)] for a in range(16)]
NOT = [sum({1 << (3 - one) for one in _each(a)}) for a in range(16)]


@dataclass(frozen=True, slots=True)
class Found:
    """Cells, by column, on which a claim fails whichever of them are chosen."""

    box: Box


class Splitting:
    """A network on the cells of its columns; `work` limits how many literals are looked at."""

    def __init__(self, network: RuleNetwork, space: Space, impossible: Sequence[Sequence[Stated]], work: int) -> None:
        self.network, self.space, self.work = network, space, work
        where = {
            index: space[network.predicates[index].column].where(network.predicates[index])
            for index in network.used_predicates
        }
        self.rules = [self._rule(network, rule, where) for rule in network.levels[0].rules]
        self.impossible = [self.conjunction(rule) for rule in impossible]

    def _rule(self, network: RuleNetwork, rule: Rule, where: dict[int, int]) -> Box:
        tests = [(network.predicates[one.index], where[one.index], one.negated) for one in rule.literals]
        return self._joined(tests)

    def conjunction(self, tests: Sequence[Stated]) -> Box:
        """Return the cells in which all these tests hold, by column."""
        found = [(one.predicate, self.space[one.predicate.column].where(one.predicate), one.negated) for one in tests]
        return self._joined(found)

    def _joined(self, tests: Sequence[tuple[Predicate, int, bool]]) -> Box:
        cells: Box = {}
        for predicate, mask, negated in tests:
            name = predicate.column
            possible = self.space[name].possible
            cells[name] = cells.get(name, possible) & (possible & ~mask if negated else mask)
        return cells

    def prove(self, claim: Claim) -> Tree | Found:
        """Return the tree that proves a claim, or cells on which it fails."""
        rules = [*self.rules, *self.impossible, self.conjunction(claim.premise)]
        box = {name: cells.possible for name, cells in self.space.items() if name != claim.column}
        return self._settled(claim, box, rules, [UNKNOWN] * len(rules), 0)

    def fails(self, claim: Claim, cells: dict[str, int]) -> bool:
        """Return whether a claim fails on the row of these cells, one for each column."""
        rules = [*self.rules, *self.impossible, self.conjunction(claim.premise)]
        box = {name: 1 << cell for name, cell in cells.items()}
        self.work += sum(len(rule) + 1 for rule in rules)  # one row is no search
        return not self._shown(claim, [self._pairs(claim, rule, box) for rule in rules])

    def _settled(self, claim: Claim, box: Box, rules: list[Box], known: list[int], depth: int) -> Tree | Found:
        now = [
            self._pairs(claim, rule, box) if _several(pairs) else pairs
            for rule, pairs in zip(rules, known, strict=True)
        ]
        if self._shown(claim, now):
            return None
        choice = self._choice(claim, box, rules, now)
        if choice is None:
            return Found(box)
        if depth > _DEEPEST:
            raise Undecided("not decided: too many splits in one another")
        name, cells = choice
        trees = []
        for part in (cells, box[name] & ~cells):
            tree = self._settled(claim, {**box, name: part}, rules, now, depth + 1)
            if isinstance(tree, Found):
                return tree
            trees.append(tree)
        return name, cells, *trees  # type: ignore[return-value]

    def _pairs(self, claim: Claim, rule: Box, box: Box) -> int:
        """Return which values a rule can have on the two rows."""
        self.work -= len(rule) + 1
        if self.work < 0:
            raise Undecided("not decided: too large")
        result = ALWAYS
        for name, cells in rule.items():
            if name == claim.column:
                result = AND[result][1 << (2 * (cells >> claim.first & 1) + (cells >> claim.second & 1))]
            else:
                held = cells & box[name]
                if not held:
                    return NEVER
                if held != box[name]:
                    result = AND[result][UNKNOWN]
        return result

    def _shown(self, claim: Claim, rules: list[int]) -> bool:
        """Return whether the claim holds whatever is unknown."""
        first = len(self.rules)
        possible = ALWAYS
        for pairs in rules[first : first + len(self.impossible)]:
            possible = AND[possible][NOT[pairs]]
        if not possible & BOTH:
            return True
        fires = self._fires(rules)
        decided = [self._decided(fires, event) for event in claim.events]
        if claim.column is not None:
            return not any(pairs & FALLS for pairs in decided)
        given = AND[rules[-1]][possible]
        return not any(AND[given][NOT[pairs]] & BOTH for pairs in decided)

    def _fires(self, rules: list[int]) -> list[int]:
        below = rules
        for place, level in enumerate(self.network.levels):
            if place:
                below = [
                    _all(NOT[below[one.index]] if one.negated else below[one.index] for one in rule.literals)
                    for rule in level.rules
                ]
            below = [NOT[_all(NOT[below[rule]] for rule in concept.rules)] for concept in level.concepts]
        return below

    def _decided(self, fires: list[int], event: frozenset[object]) -> int:
        """Return where the class is one of the event: by the first that fires, or else by the default."""
        network = self.network
        result = ALWAYS if network.default in event else NEVER
        for place in reversed(network.priority_indices):
            if network.classes[place] in event:
                result = NOT[AND[NOT[fires[place]]][NOT[result]]]
            else:
                result = AND[NOT[fires[place]]][result]
        return result

    def _choice(self, claim: Claim, box: Box, rules: list[Box], now: list[int]) -> tuple[str, int] | None:
        """Return the condition that most unknown rules wait for, short ones first; None if no rule is unknown."""
        weights: Counter[tuple[str, int]] = Counter()
        for place in self._unknown(now):
            waits = [(name, cells & box[name]) for name, cells in rules[place].items() if name != claim.column]
            waits = [(name, cells) for name, cells in waits if cells != box[name]]
            for one in waits:
                weights[one] += 2 ** (10 - min(len(waits), 10))
        return max(weights, key=lambda one: (weights[one], one)) if weights else None

    def _unknown(self, now: list[int]) -> list[int]:
        """Return the rules that are unknown, and matter: some concept is not known without them."""
        matter = set(range(len(self.rules), len(now)))
        for concept in self.network.levels[0].concepts:
            if _several(NOT[_all(NOT[now[rule]] for rule in concept.rules)]):
                matter.update(concept.rules)
        return [place for place in sorted(matter) if _several(now[place])]


def _several(pairs: int) -> bool:
    return bool(pairs & (pairs - 1))


def _all(pairs: Iterable[int]) -> int:
    result = ALWAYS
    for one in pairs:
        result = AND[result][one]
    return result
