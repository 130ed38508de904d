"""What the programming languages share: a variable for each node, from the columns up to the classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from conceptrules.export.inputs import Family, Input, can_hold, inputs
from conceptrules.export.wording import comment, concept_title, predicate_words
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value


class CodeWriter:
    """Writes the statements of a network; a language says how it writes each part of them."""

    language: ClassVar[str]
    reserved: ClassVar[str]
    """Words that no function can be called."""
    statement: ClassVar[str]
    """A line that gives a variable a value, with its indent."""
    remark: ClassVar[str]
    """A comment at the end of a line."""
    conjunction: ClassVar[str] = " && "
    disjunction: ClassVar[str] = " || "
    negation: ClassVar[str] = "!"
    true: ClassVar[str]
    false: ClassVar[str]
    cell: ClassVar[str] = "x{number}"
    """A column of the row."""
    alternative: ClassVar[str] = "{}"
    """One of several tests of which any may hold."""
    readers: ClassVar[Mapping[str, str]] = {}
    """The functions that read a column, by the name of what they read; a language with types needs none."""

    def is_missing(self, x: str, family: Family) -> str:
        """Return the test for a missing value."""
        raise NotImplementedError

    def is_between(self, x: str, low: float, high: float) -> str:
        """Return the test for a number above `low` and up to `high`, false where it is missing."""
        raise NotImplementedError

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        """Return the test for a category that `can_hold` lets the column have."""
        raise NotImplementedError

    def is_any(self, x: str, values: Sequence[Value], family: Family) -> str:
        """Return the test for one of several categories."""
        tests = [test for value in values if (test := self.is_equal(x, value, family)) != self.false]
        return self.disjunction.join(map(self.alternative.format, tests)) or self.false

    def read(self, reader: str, column: str) -> str:
        """Return the call of a reader."""
        raise NotImplementedError

    def check_function_name(self, name: str) -> None:
        """Raise unless a function can have this name."""
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in self.reserved.split():
            raise InputError(f"{name!r} cannot be the name of a function in {self.language}; try 'decide'")

    def comments(self, lines: Iterable[str]) -> str:
        """Return lines of comments."""
        return "\n".join(self.remark.strip().format(comment(line)) for line in lines)

    def statements(self, network: RuleNetwork) -> Iterator[str]:
        """Yield a line for each variable: x2 is the second column in use, p4 the fourth predicate, r1_3 is R1.3."""
        for number, used in enumerate(inputs(network), start=1):
            x = self.cell.format(number=number)
            if self.readers:
                yield self._assign(x, self.read(reader_of(used), used.column.name))
            for index in used.predicates:
                test = self._test(network.predicates[index], x, used.family)
                yield self._assign(f"p{index + 1}", test, predicate_words(network, index))
        indent = self.statement[: len(self.statement) - len(self.statement.lstrip())]
        for number, level in enumerate(network.levels):
            yield indent + self.comments([f"Level {number + 1}"])
            for index, rule in enumerate(level.rules):
                terms = [
                    self.negation * literal.negated
                    + (variable("c", number - 1, literal.index) if number else f"p{literal.index + 1}")
                    for literal in rule.literals
                ]
                yield self._assign(variable("r", number, index), self.conjunction.join(terms) or self.true)
            for index, concept in enumerate(level.concepts):
                terms = [variable("r", number, rule) for rule in concept.rules]
                words = concept_title(network, number, index)
                yield self._assign(variable("c", number, index), self.disjunction.join(terms) or self.false, words)

    def needed_readers(self, network: RuleNetwork) -> list[str]:
        """Return the texts of the readers that the columns in use need, after what all of them call."""
        needed = {reader_of(used) for used in inputs(network)}
        return [text.strip("\n") for name, text in self.readers.items() if name in needed or (needed and not name)]

    def _assign(self, name: str, value: str, words: str = "") -> str:
        return self.statement.format(name=name, value=value) + (self.remark.format(comment(words)) if words else "")

    def _test(self, predicate: Predicate, x: str, family: Family) -> str:
        match predicate:
            case Missing():
                return self.is_missing(x, family)
            case Interval(low=low, high=high):
                return self.is_between(x, low, high)
            case Equals(value=value):
                return self.is_equal(x, value, family) if can_hold(family, value) else self.false
            case OneOf(values=values):
                return self.is_any(x, [value for value in values if can_hold(family, value)], family)
        raise AssertionError(predicate)


def reader_of(used: Input) -> str:
    """Return what a column is read as."""
    by_kind = {"date": "moment", "datetime": "moment", "duration": "duration", "number": "number"}
    return by_kind.get(used.column.kind, "figure" if used.family == "whole" else used.family)


def variable(letter: str, level: int, index: int) -> str:
    """Return the variable of a rule (r) or concept (c)."""
    return f"{letter}{level + 1}_{index + 1}"


def class_variables(network: RuleNetwork) -> list[str]:
    """Return the variables of the classes."""
    return [variable("c", len(network.levels) - 1, index) for index in range(len(network.classes))]


def node_pairs(pair: str, letter: str, ids: Sequence[str], indent: str) -> str:
    """Return the names of nodes, each paired with its variable, on lines of a readable length."""
    pairs = [pair.format(name=name, variable=letter + name.replace(".", "_")) for name in ids]
    lines = [", ".join(pairs[start : start + 6]) for start in range(0, len(pairs), 6)]
    return "".join(f"\n{indent}{line}," for line in lines)
