"""A network as one JavaScript function without dependencies; the report uses it too."""

from __future__ import annotations

import json
import math

from conceptrules.export.code.writer import CodeWriter, class_variables, node_pairs
from conceptrules.export.inputs import Family, is_double
from conceptrules.export.wording import concept_ids, header, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value

_RESERVED = """arguments await break case catch class const continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface let new null package private protected
public return static super switch this throw true try typeof var void while with yield"""
_SAFE = 2**53 - 1

_USE = """
Call it with an object that has a value for each column, null where it is missing:
numbers as numbers, true or false, text as strings; dates and times as Date objects or as
microseconds since 1970-01-01 in UTC (1000 * date.getTime()), durations as microseconds.
It returns {label, class, fires, rules, concepts}: the class and its number from 0, whether each
class fires, and the names of the rules ("1.3" is R1.3) and of the concepts that hold.
"""
_READERS = {
    "": """
  const value = (name) => {
    if (!Object.prototype.hasOwnProperty.call(row, name)) {
      throw new Error("the row has no column " + JSON.stringify(name));
    }
    const found = row[name];
    return found === undefined || Number.isNaN(found) ? null : found;
  };
  const refuse = (name, found, wanted) => {
    throw new TypeError("column " + JSON.stringify(name) + " needs " + wanted + ", not " + typeof found);
  };
""",
    "number": """
  const number = (name) => {
    const found = value(name);
    if (found === null || typeof found === "number") return found;
    if (typeof found === "boolean" || typeof found === "bigint") return Number(found);
    return refuse(name, found, "a number");
  };
""",
    "moment": """
  const moment = (name) => {
    const found = value(name);
    if (found === null || typeof found === "number") return found;
    if (!(found instanceof Date)) return refuse(name, found, "a Date or microseconds");
    return Number.isNaN(found.getTime()) ? null : found.getTime() * 1000;
  };
""",
    "duration": """
  const duration = (name) => {
    const found = value(name);
    return found === null || typeof found === "number" ? found : refuse(name, found, "microseconds");
  };
""",
    "flag": """
  const flag = (name) => {
    const found = value(name);
    return found === null || typeof found === "boolean" ? found : refuse(name, found, "true or false");
  };
""",
    "text": """
  const text = (name) => {
    const found = value(name);
    return found === null || typeof found === "string" ? found : refuse(name, found, "text");
  };
""",
    # Whole numbers that float64 holds are one category, however they are given.
    "figure": """
  const figure = (name) => {
    const found = value(name);
    if (found === null || typeof found === "number") return found;
    if (typeof found === "boolean") return Number(found);
    if (typeof found !== "bigint") return refuse(name, found, "a number");
    return BigInt(Number(found)) === found ? Number(found) : found;
  };
""",
}


class JavaScriptWriter(CodeWriter):
    """JavaScript."""

    language = "JavaScript"
    reserved = _RESERVED
    statement = "  const {name} = {value};"
    remark = " // {}"
    true, false = "true", "false"
    readers = _READERS

    def is_missing(self, x: str, family: Family) -> str:
        return f"{x} === null"

    def is_between(self, x: str, low: float, high: float) -> str:
        tests = [f"{x} !== null"]
        tests += [f"{_number(low)} < {x}"] if low != -math.inf else []
        tests += [f"{x} <= {_number(high)}"] if high != math.inf else []
        return " && ".join(tests)

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        """Compare as Python's `==` does."""
        if family == "flag":
            return f"{x} === {'true' if value else 'false'}"
        if isinstance(value, str):
            return f"{x} === {text_literal(value)}"
        return f"{x} === {_number(float(value)) if is_double(value) else f'{value}n'}"

    def read(self, reader: str, column: str) -> str:
        return f"{reader}({text_literal(column)})"


def javascript(network: RuleNetwork, *, name: str = "decide") -> str:
    """Return the network as a JavaScript function.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    name : str, default="decide"
        The name of the function, which takes a row as an object.

    Returns
    -------
    str
        The content of a .js file.

    Raises
    ------
    InputError
        If a function cannot have this name.
    """
    writer = JavaScriptWriter()
    writer.check_function_name(name)
    lines = [
        writer.comments([*header(network), *_USE.strip().splitlines()]),
        f"function {name}(row) {{",
        *writer.needed_readers(network),
        *writer.statements(network),
        _answer(network),
        "}\n",
    ]
    return "\n".join(lines)


def text_literal(text: str) -> str:
    """Return a JavaScript string in ASCII that can stand in a page: it ends neither a script nor a comment."""
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("/", "\\/")


def value_literal(value: Value) -> str:
    """Return a category or a class."""
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) <= _SAFE else f"{value}n"
    return _number(value)


def _number(value: float) -> str:
    return ("-" * (value < 0) + "Infinity") if math.isinf(value) else repr(value + 0.0)


def _answer(network: RuleNetwork) -> str:
    fires = ", ".join(class_variables(network))
    order = list(network.priority_indices)
    labels = ", ".join(map(value_literal, network.classes))
    pair, indent = '["{name}", {variable}]', " " * 4
    return f"""
  const labels = [{labels}];
  const fires = [{fires}];
  const first = {order}.find((index) => fires[index]);
  const winner = first === undefined ? {network.default_index} : first;
  const rules = [{node_pairs(pair, "r", rule_ids(network), indent)}
  ].filter(([, holds]) => holds).map(([name]) => name);
  const concepts = [{node_pairs(pair, "c", concept_ids(network), indent)}
  ].filter(([, holds]) => holds).map(([name]) => name);
  return {{ label: labels[winner], class: winner, fires, rules, concepts }};
""".strip("\n")
