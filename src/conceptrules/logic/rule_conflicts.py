"""Gaps and overlaps between rules, and rules that never decide: proved, with a row where there is one.

A gap is a possible row on which no rule holds, an overlap one on which rules of two classes hold. A rule never decides
if, wherever it holds, its class is answered without it as well, or another class comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from conceptrules.logic.equivalence import Row
from conceptrules.logic.policies.possible_rows import network_space
from conceptrules.logic.solver import CellFormulas, Undecided
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import Stated
from conceptrules.model.text import rule_text

WORK = 300_000
"""Parts of formulas that one question may look at: about half a second."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """The answer to a question about all possible rows."""

    text: str
    """What it is about: a rule in words, or classes."""
    label: Value | None
    """The class of the rule; None for what is not about one."""
    row: Row | None
    """A row for which it is so; None if it is proved that there is none, or nothing is known."""
    decided: bool = True
    """Whether it is known."""


def find_gap(network: RuleNetwork) -> RuleFinding:
    """Return a possible row on which no rule of the last level holds."""
    questions = _RuleQuestions(network)
    return questions.ask("no rule holds", None, [questions.negate(rule) for rule in questions.rules])


def find_overlaps(network: RuleNetwork) -> Iterator[RuleFinding]:
    """Yield for each two classes a possible row on which rules of both hold."""
    questions = _RuleQuestions(network)
    for first, second in combinations(network.priority_indices, 2):
        names = f"{network.classes[first]} and {network.classes[second]}"
        yield questions.ask(names, network.classes[first], [questions.fires[first], questions.fires[second]])


def find_deciding_rows(network: RuleNetwork) -> Iterator[RuleFinding]:
    """Yield for each rule a possible row that gets another answer, or another score, without it.

    That is a row on which it is the only rule of its class, and no class that comes first fires; of a scorecard, a row
    on which it holds.
    """
    questions, last = _RuleQuestions(network), len(network.levels) - 1
    if network.head is not None:
        for number, rule in enumerate(questions.rules):
            yield questions.ask(rule_text(network, last, number), None, [rule])
        return
    earlier: list[int] = []
    for index in network.priority_indices:
        label, members = network.classes[index], network.levels[last].concepts[index].rules
        others_answer = label == network.default  # then nothing changes where only later classes are silent
        for number in members:
            alone = [questions.negate(questions.rules[other]) for other in members if other != number]
            before = [questions.negate(questions.fires[other]) for other in earlier]
            after = [questions.fires[each] for each in network.priority_indices if each not in (*earlier, index)]
            matters = [questions.any(after)] if others_answer else []
            decisive = [questions.rules[number], *alone, *before, *matters]
            yield questions.ask(rule_text(network, last, number), label, decisive)
        earlier.append(index)


class _RuleQuestions(CellFormulas):
    """The rules of the last level as formulas over the cells of columns, and the rows that are possible."""

    def __init__(self, network: RuleNetwork) -> None:
        policy = network.policy or Policy()
        self.space = network_space(network, policy)
        super().__init__(self.space, 1 << 62)
        *_, self.rules, self.fires = self.layers(network)
        self.possible = [self.literal(self.numbers[name], cells.possible) for name, cells in self.space.items()]
        for text in policy.domain.impossible:
            tests = read_known_rule("domain.impossible", text, network.columns)
            parts = [self.literal(self.numbers[name], mask) for name, mask in map(self._locate, tests)]
            signed = [self.negate(part) if test.negated else part for part, test in zip(parts, tests, strict=True)]
            self.possible.append(self.negate(self.all(signed)))

    def _locate(self, test: Stated) -> tuple[str, int]:
        """Return the column of a test and the cells where its predicate holds."""
        name = test.predicate.column
        return name, self.space[name].where(test.predicate)

    def ask(self, text: str, label: Value | None, formulas: list[int]) -> RuleFinding:
        """Return a possible row on which all of these formulas are true."""
        self.work = WORK
        try:
            cells = self.find_cells([*formulas, *self.possible])
        except Undecided:
            return RuleFinding(text, label, None, decided=False)
        if cells is None:
            return RuleFinding(text, label, None)
        masks = {name: cells.get(name, known.possible) for name, known in self.space.items()}
        return RuleFinding(
            text, label, {name: self.space[name].raw((mask & -mask).bit_length() - 1) for name, mask in masks.items()}
        )
