"""The programming languages: Python with its standard library only, JavaScript and C without dependencies."""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Sequence
from functools import reduce

from conceptrules.export.code.writer import CodeWriter
from conceptrules.export.inputs import Family, is_double, is_utf8
from conceptrules.model.predicate import Value
from conceptrules.model.text import word

_LONGEST_C_STRING = 4000  # bytes; C compilers need not take longer ones


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
    true, false = "1", "0"
    cell = "row->x{number}"
    alternative = "({})"

    def label(self, value: Value) -> str:
        """Return a label as text; what UTF-8 cannot hold is shown as an escape."""
        text = value if isinstance(value, str) else word(value)
        literal = self._text(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        return literal if literal.startswith('"') else f"{literal[:-1]}, 0}}"

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
