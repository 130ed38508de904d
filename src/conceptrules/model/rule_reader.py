"""From the text of a rule to the rule: the inverse of `model.text`.

A rule is conditions with `and` between them, or `always`. Besides what `model.text` prints, a reader may write
`not job = student` without brackets, `>=` and `<`.
"""

from __future__ import annotations

import datetime as dt
import difflib
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from conceptrules.model.errors import InputError, shortened
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import (
    EPOCH,
    Column,
    Equals,
    Interval,
    Missing,
    OneOf,
    Predicate,
    Value,
    one_of,
    run_of,
)
from conceptrules.model.text import (
    column_word,
    concept_name,
    lists_text,
    literals_text,
    predicate_text,
    rule_name,
    rule_text,
    states_itself,
    value_word,
    word,
)

LONGEST = 100_000  # characters of one rule
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_AND = re.compile(rf"{_QUOTED}|( and )")
_OPERATOR = re.compile(rf"{_QUOTED}| (<=|>=|!=|<|>|=|is|not in(?= \{{)|in(?= \{{)) ")
_COMMA = re.compile(rf"{_QUOTED}|(, )")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_DURATION = re.compile(r"(minus )?(?:(\d+) days? )?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")
_RULE_NUMBER = re.compile(r"R(\d{1,9})\.(\d{1,9})")
_MICROSECOND = dt.timedelta(microseconds=1)
_FORMS = "column > value, column <= value, column = value, column in {a, b}, column is missing or column is present"


@dataclass(frozen=True, slots=True)
class Stated:
    """A literal that says itself what it tests."""

    predicate: Predicate
    """The predicate."""
    negated: bool = False
    """Whether the test holds where the predicate does not."""


def read_rule(text: str, columns: Sequence[Column]) -> tuple[Stated, ...]:
    """Return the tests whose AND a text says, in its order.

    Parameters
    ----------
    text : str
        A rule in words, such as `income > 50000 and not job = student`.
    columns : sequence of Column
        The columns that it may speak of.

    Returns
    -------
    tuple of Stated
        The tests; none for `always`.

    Raises
    ------
    InputError
        If the text cannot be read: the message has the place, what was expected and the nearest name.

    Examples
    --------
    >>> read_rule("27 < age <= 41", [Column("age")])
    (Stated(predicate=Interval(column='age', low=27.0, high=41.0), negated=False),)
    """
    return tuple(_Reader(text, columns).test(start, part) for start, part in _conditions(text))


def read_literals(text: str, network: RuleNetwork, level: int = 0) -> tuple[RuleNetwork, tuple[Literal, ...]]:
    """Return the literals that a text says, and the network with the predicates that it did not have yet.

    On the levels above the first, literals are the concepts of the level below: `C1.1 and not C1.2`.

    Parameters
    ----------
    text : str
        A rule in words.
    network : RuleNetwork
        The network that the rule is for.
    level : int, default=0
        The level of the rule, counted from 0.

    Returns
    -------
    network : RuleNetwork
        The network, perhaps with more predicates.
    literals : tuple of Literal
        The literals, sorted.

    Raises
    ------
    InputError
        If the text cannot be read.
    """
    if level:
        return network, tuple(
            sorted({_concept(text, start, part, network, level) for start, part in _conditions(text)})
        )
    candidates = [Literal(index, negated) for negated in (True, False) for index in range(len(network.predicates))]
    known = {literals_text(network, 0, [literal])[0]: literal for literal in candidates}
    literals: set[Literal] = set()
    for start, part in _conditions(text):
        if part in known:  # what two numbers print alike, to the microsecond, is known only by its text
            literals.add(known[part])
            continue
        for test in _split(_Reader(text, network.columns).test(start, part), network):
            if test.predicate not in network.predicates:
                network = replace(network, predicates=(*network.predicates, test.predicate))
            literals.add(Literal(network.predicates.index(test.predicate), test.negated))
    return network, tuple(sorted(literals))


def read_rule_number(text: str, network: RuleNetwork) -> tuple[int, int] | None:
    """Return the level and the number there, from 0, of a rule that is named like R1.3; None for any other text."""
    match = _RULE_NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    level, index = int(match[1]) - 1, int(match[2]) - 1
    numbers = [rule_name(number, len(each.rules) - 1) for number, each in enumerate(network.levels) if each.rules]
    if not (0 <= level < len(network.levels) and 0 <= index < len(network.levels[level].rules)):
        known = f"the last of each level are {', '.join(numbers)}" if numbers else "it has no rules"
        raise InputError(f"the network has no rule {text.strip()}; {known}")
    return level, index


def read_bound(column: Column, text: str) -> float:
    """Return a cut point of an ordered column; of an ordinal one, the place after a category.

    >>> read_bound(Column("size", "ordinal", ("S", "M", "L")), "M")
    2
    """
    try:
        return _Reader(text, (column,)).bound(column, False, 0, text)
    except InputError as error:
        raise InputError(f"a cut of {column.name!r}: {str(error).partition('at character 1: ')[2]}") from None


def text_of_tests(tests: Sequence[Stated], columns: Sequence[Column]) -> str:
    """Return tests as the text of a rule, just as a network prints it."""
    return rule_text(network_of_tests(tests, columns), 0, 0)


def network_of_tests(tests: Sequence[Stated], columns: Sequence[Column]) -> RuleNetwork:
    """Return a network whose only rule has these tests."""
    predicates = tuple(dict.fromkeys(test.predicate for test in tests))
    literals = tuple(Literal(predicates.index(test.predicate), test.negated) for test in tests)
    return RuleNetwork(tuple(columns), predicates, (Level((Rule(literals),), (Concept((0,)),)),), ("yes",))


def condition_texts(network: RuleNetwork, level: int, literals: Sequence[Literal]) -> frozenset[str]:
    """Return the conditions of a rule as a set of texts: rules that read alike but for the order have the same."""
    return frozenset(literals_text(network, level, literals))


def _split(test: Stated, network: RuleNetwork) -> Iterator[Stated]:
    """Yield an interval with two bounds as two thresholds, unless the network has it as one predicate.

    That is what learned networks are made of. Not where it is negated, or for runs in the middle of an order, which are
    one predicate in either case unless both thresholds are there.
    """
    predicate = test.predicate
    if test.negated or predicate in network.predicates:
        yield test
    elif isinstance(predicate, Interval) and math.isfinite(predicate.low) and math.isfinite(predicate.high):
        yield Stated(Interval(predicate.column, low=predicate.low))
        yield Stated(Interval(predicate.column, high=predicate.high))
    elif isinstance(predicate, OneOf):
        yield from _thresholds(predicate, network) or [test]
    else:
        yield test


def _thresholds(predicate: OneOf, network: RuleNetwork) -> list[Stated]:
    """Return the two thresholds of an ordinal column that together are this run, if the network has both."""
    column = next(column for column in network.columns if column.name == predicate.column)
    run = run_of(predicate, column)
    if run is None:
        return []
    start, stop = run
    both = [OneOf(column.name, categories) for categories in (column.categories[start:], column.categories[:stop])]
    return [Stated(threshold) for threshold in both] if all(each in network.predicates for each in both) else []


def _conditions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the conditions, each with the place where it starts."""
    if len(text) > LONGEST:
        raise InputError(f"a rule of {len(text):,} characters; at most {LONGEST:,} are read")
    if text.strip() == "always":
        return
    start = 0
    for match in _AND.finditer(text):
        if match[1]:
            yield _stripped(start, text[start : match.start()])
            start = match.end()
    yield _stripped(start, text[start:])


def _stripped(start: int, text: str) -> tuple[int, str]:
    return start + len(text) - len(text.lstrip()), text.strip()


def _fail(text: str, start: int, message: str) -> NoReturn:
    raise InputError(f"in the rule {shortened(text, 200)!r}, at character {start + 1}: {shortened(message, 500)}")


def nearest_name(name: str, names: Sequence[str]) -> str:
    """Return the end of a message about an unknown name: the nearest one that exists, or all of them."""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listed = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return f"did you mean {near[0]}?" if near else f"there are {listed}" if names else "there are none"


def _concept(text: str, start: int, part: str, network: RuleNetwork, level: int) -> Literal:
    name = part.removeprefix("not ").strip()
    names = [concept_name(level - 1, index) for index in range(len(network.levels[level - 1].concepts))]
    if name not in names:
        _fail(text, start, f"expected a concept, found {name!r}; {nearest_name(name, names)}")
    return Literal(names.index(name), part.startswith("not "))


class _Reader:
    """Reads the conditions of one text."""

    def __init__(self, text: str, columns: Sequence[Column]) -> None:
        self.text, self.columns = text, {column_word(column): column for column in columns}
        self._stated: dict[str, Predicate] = {
            predicate_text(predicate, column): predicate
            for column in columns
            if states_itself(column)
            for predicate in (Equals(column.name, True), Equals(column.name, False), Missing(column.name))
        }
        self._names = list(self.columns)

    def _fail(self, start: int, message: str) -> NoReturn:
        _fail(self.text, start, message)

    def test(self, start: int, part: str) -> Stated:
        """Return the test that a condition says."""
        negated = False
        while part.startswith("not ") or (part.startswith("(") and part.endswith(")")):
            if part.startswith("not "):
                negated, (start, part) = not negated, _stripped(start + 4, part[4:])
            else:
                start, part = _stripped(start + 1, part[1:-1])
        test = self._positive(start, part)
        return Stated(test.predicate, test.negated != negated)

    def _positive(self, start: int, part: str) -> Stated:
        if part in self._stated:
            return Stated(self._stated[part])
        operators = [match for match in _OPERATOR.finditer(part) if match[1]]
        if not part:
            self._fail(start, f"expected a condition: {_FORMS}")
        if not operators:
            self._fail(start, f"expected a condition ({_FORMS}), found {part!r}; {nearest_name(part, self._names)}")
        first = operators[0]
        left, right = part[: first.start()].strip(), part[first.end() :].strip()
        after = start + first.end()
        if len(operators) == 1:
            return self._simple(self._column(start, left), first[1], after, right)
        second = operators[1]
        if len(operators) > 2 or first[1] not in ("<", "<=") or second[1] not in ("<", "<="):
            hint = "; two rules say what `or` would say" if " or " in part else ""
            self._fail(start + second.start() + 1, f"expected ' and ' before {second[0].strip()!r}{hint}")
        name, upper = part[first.end() : second.start()].strip(), part[second.end() :].strip()
        column = self._column(after, name)
        low = self.bound(column, first[1] == "<=", start, left)
        high = self.bound(column, second[1] == "<", start + second.end(), upper)
        return Stated(self._between(column, low, high, start))

    def _simple(self, column: Column, operator: str, start: int, value: str) -> Stated:
        if operator == "is":
            if value not in ("missing", "present"):
                self._fail(start, f"expected missing or present after 'is', found {value!r}; for a value write =")
            if value == "present" and column.ordered:
                return Stated(Interval(column.name))
            return Stated(Missing(column.name), negated=value == "present")
        if operator in ("in", "not in"):
            return Stated(self._set(column, start, value), operator == "not in")
        if operator in ("=", "!="):
            return Stated(self._equals(column, start, value), operator == "!=")
        bound = self.bound(column, operator in ("<", ">="), start, value)
        if operator in ("<", "<="):
            return Stated(self._between(column, None, bound, start))
        return Stated(self._between(column, bound, None, start))

    def _equals(self, column: Column, start: int, value: str) -> Predicate:
        """Return the test of one value; of numbers that training saw as 0 and 1 alone it is an interval."""
        if not column.ordered:
            return Equals(column.name, self._value(column, start, value))
        if value not in map(str, column.categories):
            self._fail(start - 2, f"column {column.name!r} is a {column.kind}; ask for > and <= of it")
        return Interval(column.name, low=0) if value == "1" else Interval(column.name, high=0)

    def _set(self, column: Column, start: int, text: str) -> OneOf:
        if not text.endswith("}"):
            self._fail(start + len(text) - 1, "expected } at the end of the set")
        if column.ordered:
            self._fail(start, f"column {column.name!r} is a {column.kind}, which no set tests; use > and <=")
        values, place, inner = [], 1, text[:-1]
        for comma in [*(match for match in _COMMA.finditer(inner) if match[1]), None]:
            end = comma.start() if comma else len(inner)
            values.append(self._value(column, start + place, inner[place:end].strip()))
            place = comma.end() if comma else end
        return one_of(column, values)

    def _column(self, start: int, name: str) -> Column:
        quoted = name.startswith('"') and name not in self.columns  # derived columns may begin with a quoted name
        unquoted = word(self._unquoted(start, name)) if quoted else name
        if unquoted not in self.columns:
            self._fail(start, f"expected a column, found {name!r}; {nearest_name(name, self._names)}")
        return self.columns[unquoted]

    def _unquoted(self, start: int, text: str) -> str:
        if not re.fullmatch(_QUOTED, text, re.DOTALL):
            self._fail(start, f'expected one text in quotes that ends with ", found {text}')
        return _ESCAPE.sub(_unescaped, text[1:-1])

    def _value(self, column: Column, start: int, text: str) -> Value:
        """Return a category: the known one that is written like this, or else what it looks like."""
        if text.startswith('"'):
            return self._unquoted(start, text)
        bare = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        if not text:
            self._fail(start, f"expected a category of {column.name!r}")
        if bare == text and lists_text(column):
            return text
        other = _other_value(bare)
        if bare != text and other is None:
            self._fail(start, f"expected a number, True or False in brackets, found {bare!r}")
        return text if other is None else other

    def bound(self, column: Column, strict: bool, start: int, text: str) -> float | int:
        """Return a bound; one that is inside from below or outside from above becomes the number before it.

        That of an ordinal column is the place after a category.
        """
        if column.kind == "ordinal":
            value = self._value(column, start, text)
            if value not in column.categories:
                known = [value_word(column, category) for category in column.categories]
                nearest = nearest_name(text, known)
                self._fail(start, f"expected a category of {column.name!r}, found {text!r}; {nearest}")
            return column.categories.index(value) + (0 if strict else 1)
        if not column.ordered:
            self._fail(start, f"column {column.name!r} has no order (it is a {column.kind}); use =, != or in")
        number = _number(column, text)
        if number is None or math.isnan(number):
            kind = "a number" if column.kind == "number" else f"a {column.kind} ({value_word(column, 0.0)})"
            self._fail(start, f"expected {kind}, found {text!r}")
        return math.nextafter(number, -math.inf) if strict else number

    def _between(self, column: Column, low: float | None, high: float | None, start: int) -> Predicate:
        if column.kind != "ordinal":
            ends = (-math.inf if low is None else low), (math.inf if high is None else high)
            if not ends[0] < ends[1]:
                self._fail(start, f"no {column.name!r} is above {ends[0]:g} and at most {ends[1]:g}")
            return Interval(column.name, *ends)
        categories = column.categories[None if low is None else int(low) : None if high is None else int(high)]
        if not categories:
            self._fail(start, f"no category of {column.name!r} is within these bounds")
        return OneOf(column.name, categories)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code and int(code, 16) > sys.maxunicode:
        raise InputError(f"there is no character {match[0]}")
    return chr(int(code, 16)) if code else _PLAIN_ESCAPES.get(match[4], match[4])


def _other_value(text: str) -> Value | None:
    """Return a number, true or false that is written as Python writes it."""
    if text in ("True", "False"):
        return text == "True"
    if re.fullmatch(r"-?\d{1,4000}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?(\d+(\.\d+)?(e[+-]\d+)?|inf)", text) else None


def _number(column: Column, text: str) -> float | None:
    """Return what the text says in the unit of an ordered column; None if it cannot be read."""
    try:
        if column.kind == "number":
            return float(text)
        if column.kind == "duration":
            return _microseconds(text)
        if text.startswith("1970-01-01 + "):
            return _microseconds(text.removeprefix("1970-01-01 + "))
        return float((dt.datetime.fromisoformat(text) - EPOCH) // _MICROSECOND)
    except (ValueError, TypeError, OverflowError):
        return None


def _microseconds(text: str) -> float | None:
    if text.endswith(" microseconds"):
        return float(text.removesuffix(" microseconds"))
    match = _DURATION.fullmatch(text)
    if not match:
        return None
    minus, days, hours, minutes, seconds, fraction = match.groups()
    whole = ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return float((whole * 10**6 + int((fraction or "").ljust(6, "0"))) * (-1 if minus else 1))
