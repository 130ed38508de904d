"""A network as one JavaScript function without dependencies; the report uses it too."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from conceptrules.export.code.statements import Syntax, class_names, function_name, node_lines
from conceptrules.export.comments import comment, header
from conceptrules.export.exact_values import is_double
from conceptrules.export.inputs import Family, Input, inputs
from conceptrules.export.node_names import concept_ids, predicate_words, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value

SYNTAX = Syntax(" && ", " || ", "!", "true", "false")
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
_VALUE = """
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
"""
_READERS: dict[str, str] = {
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
    function_name(name, "JavaScript", _RESERVED)
    used = inputs(network)
    blocks = [
        _comments([*header(network), *_USE.strip().splitlines()], ""),
        f"function {name}(row) {{",
        _readers(used),
        *_inputs(network, used),
        *_levels(network),
        _answer(network),
        "}",
    ]
    return "\n".join(block for block in blocks if block) + "\n"


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


def _comments(lines: Iterable[str], indent: str = "  ") -> str:
    return "\n".join(f"{indent}// {comment(line)}" for line in lines)


def _reader(one: Input) -> str:
    by_kind = {"date": "moment", "datetime": "moment", "duration": "duration", "number": "number"}
    return by_kind.get(one.column.kind, "figure" if one.family == "whole" else one.family)


def _readers(used: Iterable[Input]) -> str:
    needed = {_reader(one) for one in used}
    texts = [text for name, text in _READERS.items() if name in needed]
    return "".join(text.strip("\n") + "\n" for text in ([_VALUE, *texts] if texts else ())).rstrip("\n")


def _inputs(network: RuleNetwork, used: Iterable[Input]) -> Iterable[str]:
    for number, one in enumerate(used, start=1):
        yield f"  const x{number} = {_reader(one)}({text_literal(one.column.name)});"
        for index in one.predicates:
            test = _test(network.predicates[index], f"x{number}", one.family)
            yield f"  const p{index + 1} = {test}; // {comment(predicate_words(network, index))}"


def _test(predicate: Predicate, x: str, family: Family) -> str:
    match predicate:
        case Missing():
            return f"{x} === null"
        case Interval(low=low, high=high):
            tests = [f"{x} !== null"]
            tests += [f"{_number(low)} < {x}"] if low != -math.inf else []
            tests += [f"{x} <= {_number(high)}"] if high != math.inf else []
            return " && ".join(tests)
        case Equals(value=value):
            return _equal(x, value, family)
        case OneOf(values=values):
            tests = [test for value in values if (test := _equal(x, value, family)) != "false"]
            return " || ".join(tests) or "false"
    raise AssertionError(predicate)


def _equal(x: str, value: Value, family: Family) -> str:
    """Compare as Python's `==` does, for values of the column's family; others are never equal."""
    if family == "flag":
        return f"{x} === {'true' if value else 'false'}" if value in (0, 1) else "false"
    if isinstance(value, str) != (family == "text"):
        return "false"
    if isinstance(value, str):
        return f"{x} === {text_literal(value)}"
    if isinstance(value, int) and not is_double(value):
        return f"{x} === {value}n"
    return f"{x} === {_number(float(value))}"


def _levels(network: RuleNetwork) -> Iterable[str]:
    for line in node_lines(network, SYNTAX):
        title = f" // {comment(line.title)}" if line.title else ""
        yield f"  const {line.name} = {line.code};{title}" if line.name else f"  // {line.title}"


def _answer(network: RuleNetwork) -> str:
    fires = ", ".join(class_names(network))
    order = list(network.priority_indices)
    labels = ", ".join(map(value_literal, network.classes))
    return f"""
  const labels = [{labels}];
  const fires = [{fires}];
  const first = {order}.find((index) => fires[index]);
  const winner = first === undefined ? {network.default_index} : first;
  const rules = {_held("r", rule_ids(network))};
  const concepts = {_held("c", concept_ids(network))};
  return {{ label: labels[winner], class: winner, fires, rules, concepts }};
""".strip("\n")


def _held(letter: str, ids: Iterable[str]) -> str:
    """Return the names of the nodes that hold, wrapped to lines of a readable length."""
    pairs = [f'["{name}", {letter}{name.replace(".", "_")}]' for name in ids]
    lines = [", ".join(pairs[start : start + 6]) for start in range(0, len(pairs), 6)]
    body = "".join(f"\n    {line}," for line in lines)
    return f"[{body}\n  ].filter(([, holds]) => holds).map(([name]) => name)"
