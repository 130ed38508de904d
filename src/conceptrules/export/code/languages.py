"""A network as a function: Python with its standard library only, JavaScript and C without dependencies.

A language has a template for the function as a whole, `decide.c.jinja` and so on, and a `CodeWriter` for the lines in
it: a variable for each node, from the columns up to the classes.
"""

from __future__ import annotations

import json
import keyword
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, partial, reduce
from importlib.resources import files
from typing import ClassVar

from jinja2 import Environment, StrictUndefined, Template

from conceptrules.explain.reason_columns import HIGHER, LOWER, SAME, ReasonColumn
from conceptrules.export.code.reasons import list_reason_tables
from conceptrules.export.inputs import Family, Input, can_hold, derived_inputs, inputs, is_double, is_utf8
from conceptrules.export.wording import comment, concept_ids, concept_title, header, predicate_words, rule_ids
from conceptrules.model.derived import Derivation, Mention, Relation
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.statistics import tabulate_probabilities
from conceptrules.model.text import rule_text, word

_LONGEST_C_STRING = 4000  # bytes; C compilers need not take longer ones


class CodeWriter:
    """Writes a network as a function; a language says how it writes each part."""

    language: ClassVar[str]
    template: ClassVar[str]
    """The file of the function, for Jinja."""
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
    derived_statement: ClassVar[str] = ""
    """A line that gives a variable the value of a derived column, where it is another one than `statement`."""

    def write(self, network: RuleNetwork, *, name: str = "decide", reasons: bool = False) -> str:
        """Return the network as a function.

        Parameters
        ----------
        network : RuleNetwork
            The network.
        name : str, default="decide"
            The name of the function, which takes a row: a mapping in Python, an object in JavaScript, a struct in C.
        reasons : bool, default=False
            Python and JavaScript: whether to add the four `reasons` that weigh most, each with `code`, `text` and
            `points`; of rules, also `decided_by` and `nearest`, as `RuleNetwork.reasons` has them.

        Returns
        -------
        str
            The content of a file in this language.

        Raises
        ------
        InputError
            If a function cannot have this name, or reasons cannot be written.
        """
        if reasons and self.language == "C":
            raise InputError("reasons are written in Python, JavaScript and PMML, and not in C; leave them out")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in self.reserved.split():
            raise InputError(f"{name!r} cannot be the name of a function in {self.language}; try 'decide'")
        used = inputs(network)
        concepts = [(each, _variable("c", each)) for each in concept_ids(network)]
        return _load_template(self.template).render(
            name=name,
            header=list(map(comment, header(network))),
            columns=[(each.family, f"{comment(word(each.column.name))}: {each.column.kind}") for each in used],
            readers=set(map(_reader_of, used)),
            derivations={type(each.column.derivation).__name__ for each in derived_inputs(network)},
            statements=self._statements(network),
            rules=[(each, _variable("r", each)) for each in rule_ids(network)],
            concepts=concepts,
            classes=[] if network.head else [variable for _, variable in concepts[-len(network.classes) :]],
            head=network.head,
            points=_list_points(network),
            shares=_list_shares(network),
            labels=list(map(self.label, network.classes)),
            priority=network.priority_indices,
            default=None if network.head else network.default_index,
            reasons=list_reason_tables(network) if reasons else None,
            text=self.label,
            truth=lambda value: self.true if value else self.false,
            join=lambda literals: self.conjunction.join(map(self.variable, literals)) or self.true,
            variable=self.variable,
            say=partial(self._say, network),
        )

    def label(self, value: Value) -> str:
        """Return a class."""
        raise NotImplementedError

    def variable(self, literal: Literal) -> str:
        """Return a literal of the first level."""
        return f"{self.negation * literal.negated}p{literal.index + 1}"

    def read(self, reader: str, column: str) -> str:
        """Return the call that reads a column; empty in a language with types, which reads it as it is."""
        return ""

    def derive(self, derivation: Derivation, cells: Sequence[str]) -> str:
        """Return what a derived column holds, from the variables of the columns that it is worked out from."""
        match derivation:
            case Relation(operator=operator):
                return f'relate({cells[0]}, "{operator}", {cells[1]})'
            case Mention(terms=terms):
                return f"mentions({', '.join([*cells, *map(self.label, terms)])})"
        return f"measure({cells[0]})"

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

    def _statements(self, network: RuleNetwork) -> Iterator[str]:
        """Yield a line for each variable: x2 is the second column in use, p4 the fourth predicate, r1_3 is R1.3.

        The first derived column in use is d1.
        """
        cells: dict[str, str] = {}
        for number, used in enumerate(inputs(network), start=1):
            x = self.cell.format(number=number)
            call = self.read(_reader_of(used), used.column.name)
            if call:
                yield self._assign(x, call)
            yield from self._test_column(network, used, x)
            cells[used.column.name] = x
        for number, used in enumerate(derived_inputs(network), start=1):
            derivation = used.column.derivation
            assert derivation is not None
            value = self.derive(derivation, [cells[name] for name in derivation.columns])
            statement = self.derived_statement or self.statement
            yield statement.format(name=f"d{number}", value=value) + self.remark.format(comment(used.column.name))
            yield from self._test_column(network, used, f"d{number}")
        indent = self.statement[: len(self.statement) - len(self.statement.lstrip())]
        for number, level in enumerate(network.levels, start=1):
            yield indent + self.remark.strip().format(f"Level {number}")
            below = f"c{number - 1}_" if number > 1 else "p"
            for index, rule in enumerate(level.rules, start=1):
                terms = [f"{self.negation * each.negated}{below}{each.index + 1}" for each in rule.literals]
                yield self._assign(f"r{number}_{index}", self.conjunction.join(terms) or self.true)
            for index, concept in enumerate(level.concepts, start=1):
                terms = [f"r{number}_{rule + 1}" for rule in concept.rules]
                words = concept_title(network, number - 1, index - 1)
                yield self._assign(f"c{number}_{index}", self.disjunction.join(terms) or self.false, words)

    def _test_column(self, network: RuleNetwork, used: Input, x: str) -> Iterator[str]:
        for index in used.predicates:
            test = self._test(network.predicates[index], x, used.family)
            yield self._assign(f"p{index + 1}", test, predicate_words(network, index))

    def _say(self, network: RuleNetwork, asked: ReasonColumn) -> tuple[str, list[list[tuple[str, str, str]]]]:
        """Return the number of what a row says of a column, and for each number the code, the text and the condition:
        as it is, where less and where more would have been better."""
        names = [(f"d{number}", used) for number, used in enumerate(derived_inputs(network), start=1)]
        names += [(self.cell.format(number=number), used) for number, used in enumerate(inputs(network), start=1)]
        x, family = next((x, used.family) for x, used in names if used.column.name == asked.column.name)
        marks = [self._test(mark, x, family) for mark in asked.marks]
        call = f"number_of({self.true if asked.column.ordered else self.false}, [{', '.join(marks)}])"
        directions = (SAME, LOWER, HIGHER)
        return call, [[asked.describe(number, each) for each in directions] for number in range(asked.missing + 1)]

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


@cache
def _load_template(name: str) -> Template:
    # Nothing is escaped as it would be in HTML: the writers do that, each in its language.
    environment = Environment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _reader_of(used: Input) -> str:
    """Return what a column is read as."""
    by_kind = {"date": "moment", "datetime": "moment", "duration": "duration", "number": "number"}
    return by_kind.get(used.column.kind, "figure" if used.family == "whole" else used.family)


def _list_shares(network: RuleNetwork) -> tuple[list[list[float]], dict[str, list[float]]] | None:
    """Return the probabilities by the answer, and by which classes fire; None of scorecards and without statistics."""
    if network.head is not None or network.statistics is None:
        return None
    by_answer, by_pattern = tabulate_probabilities(network)
    texts = ["".join("01"[fires] for fires in pattern) for pattern, _ in network.statistics.patterns]
    return by_answer.tolist(), dict(zip(texts, by_pattern.tolist(), strict=True))


def _list_points(network: RuleNetwork) -> list[tuple[str, tuple[int, ...], str]]:
    """Return the variable of each rule of the last level of a scorecard, its points, and the rule in words."""
    level = len(network.levels) - 1
    return [
        (f"r{level + 1}_{rule + 1}", points, comment(rule_text(network, level, rule)))
        for rule, points in enumerate(network.head.points if network.head else ())
    ]


def _variable(letter: str, node: str) -> str:
    return letter + node.replace(".", "_")


class PythonWriter(CodeWriter):
    """Python; text is in ASCII."""

    language, template = "Python", "decide.py.jinja"
    reserved = " ".join(keyword.kwlist)
    statement = "    {name} = {value}"
    remark = "  # {}"
    conjunction, disjunction, negation, true, false = " and ", " or ", "not ", "True", "False"

    def label(self, value: Value) -> str:
        if isinstance(value, float) and math.isinf(value):
            return 'float("inf")' if value > 0 else 'float("-inf")'
        return ascii(value)

    def read(self, reader: str, column: str) -> str:
        return f"{reader}({column!a})"

    def is_missing(self, x: str, family: Family) -> str:
        return f"{x} is None"

    def is_between(self, x: str, low: float, high: float) -> str:
        left = f"{low + 0.0!r} < " if low != -math.inf else ""
        right = f" <= {high + 0.0!r}" if high != math.inf else ""
        return f"{x} is not None" + (f" and {left}{x}{right}" if left or right else "")

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        return f"{x} == {self.label(value)}"

    def is_any(self, x: str, values: Sequence[Value], family: Family) -> str:
        return f"{x} in ({', '.join(map(self.label, values))},)" if values else "False"


class JavaScriptWriter(CodeWriter):
    """JavaScript; the report uses it too."""

    language, template = "JavaScript", "decide.js.jinja"
    reserved = """arguments await break case catch class const continue debugger default delete do else enum eval export
    extends false finally for function if implements import in instanceof interface let new null package private
    protected public return static super switch this throw true try typeof var void while with yield"""
    statement = "  const {name} = {value};"
    remark = " // {}"
    true, false = "true", "false"

    def label(self, value: Value) -> str:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value) if abs(value) < 2**53 else f"{value}n"
        return self._number(value)

    def read(self, reader: str, column: str) -> str:
        return f"{reader}({self._text(column)})"

    def is_missing(self, x: str, family: Family) -> str:
        return f"{x} === null"

    def is_between(self, x: str, low: float, high: float) -> str:
        tests = [f"{x} !== null"]
        tests += [f"{self._number(low)} < {x}"] if low != -math.inf else []
        tests += [f"{x} <= {self._number(high)}"] if high != math.inf else []
        return " && ".join(tests)

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        """Compare as Python's `==` does."""
        if family == "flag":
            return f"{x} === {'true' if value else 'false'}"
        if isinstance(value, str):
            return f"{x} === {self._text(value)}"
        return f"{x} === {self._number(float(value)) if is_double(value) else f'{value}n'}"

    def _text(self, text: str) -> str:
        """Return a string in ASCII that can stand in a page: it ends neither a script nor a comment."""
        escapes = (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("/", "\\/"))
        return reduce(lambda written, escape: written.replace(*escape), escapes, json.dumps(text))

    def _number(self, value: float) -> str:
        return ("-" * (value < 0) + "Infinity") if math.isinf(value) else repr(value + 0.0)


class CWriter(CodeWriter):
    """C11. Comparisons with NAN are false, so only a test without any has to ask whether a number is missing."""

    language, template = "C", "decide.c.jinja"
    reserved = """auto break case char const continue default do double else enum extern float for goto if inline int
    long main register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
    while"""
    statement = "    const int {name} = {value};"
    remark = " /* {} */"
    derived_statement = "    const double {name} = {value};"
    true, false = "1", "0"
    cell = "row->x{number}"
    alternative = "({})"

    def label(self, value: Value) -> str:
        """Return a label as text; what UTF-8 cannot hold is shown as an escape."""
        text = value if isinstance(value, str) else word(value)
        literal = self._text(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        return literal if literal.startswith('"') else f"{literal[:-1]}, 0}}"

    def derive(self, derivation: Derivation, cells: Sequence[str]) -> str:
        match derivation:
            case Relation(operator="-"):
                return f"{cells[0]} - {cells[1]}"
            case Relation(operator="/"):
                return f"{cells[1]} == 0 ? NAN : {cells[0]} / {cells[1]}"
            case Relation():
                return f"isnan({cells[0]}) || isnan({cells[1]}) ? NAN : {cells[0]} < {cells[1]}"
            case Mention(terms=terms):
                return " || ".join(f"mentions({cells[0]}.bytes, {cells[0]}.size, {self.label(term)})" for term in terms)
        return f"measure({cells[0]}.bytes, {cells[0]}.size)"

    def is_missing(self, x: str, family: Family) -> str:
        return {"text": f"{x}.bytes == NULL", "whole": f"!{x}.present"}.get(family, f"!!isnan({x})")

    def is_between(self, x: str, low: float, high: float) -> str:
        tests = [f"{low + 0.0!r} < {x}"] if low != -math.inf else []
        tests += [f"{x} <= {high + 0.0!r}"] if high != math.inf else []
        return " && ".join(tests) or f"!isnan({x})"

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        if isinstance(value, str):
            if not is_utf8(value):
                return "0"
            size = len(value.encode("utf-8"))
            return f"{x}.bytes != NULL && {x}.size == {size} && memcmp({x}.bytes, {self._text(value)}, {size}) == 0"
        if family == "whole":
            # C reads the minus sign apart, and the least number has no positive twin.
            whole = "INT64_MIN" if value == -(2**63) else f"INT64_C({int(value)})"
            return f"{x}.present && {x}.value == {whole}"
        if not is_double(value):
            return "0"
        number = float(value)
        return f"{x} == {'-' * (number < 0)}INFINITY" if math.isinf(number) else f"{x} == {number + 0.0!r}"

    def _text(self, text: str) -> str:
        """Return UTF-8 as a string of ASCII. Octal escapes end after three digits; `?` could begin a trigraph."""
        octets = text.encode("utf-8")
        if len(octets) > _LONGEST_C_STRING:
            return f"(const char[]){{{', '.join(str(byte if byte < 128 else byte - 256) for byte in octets)}}}"
        plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in octets)
        return '"' + "".join(plain) + '"'


python, javascript, c = PythonWriter().write, JavaScriptWriter().write, CWriter().write
