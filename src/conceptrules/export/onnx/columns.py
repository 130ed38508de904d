"""The inputs of an ONNX graph, and the bits of the predicates on them: `x <= 3`, `job = nurse`, `age missing`.

Columns are compared in double precision, so cut points are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conceptrules.export.column_names import field_names, free_name
from conceptrules.export.inputs import Family, Input, inputs
from conceptrules.export.onnx.graph import Graph, utf8
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, named

OUTPUTS = ("label", "probabilities", "rules")
ROWS = "rows_only"
"""The input of a network that uses no column: its values do not matter, only how many there are."""
_NEVER = -2
TYPES: dict[Family, str] = {"ordered": "DOUBLE", "flag": "DOUBLE", "figure": "DOUBLE", "text": "STRING"}
TYPES["whole"] = "INT64"
_MEANINGS = {
    "number": "a number, NaN where missing",
    "date": "microseconds since 1970-01-01 (UTC), NaN where missing",
    "datetime": "microseconds since 1970-01-01 (UTC), NaN where missing",
    "duration": "microseconds, NaN where missing",
    "boolean": "1 for true, 0 for false, NaN where missing",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A column in use and the inputs of the graph that it goes into."""

    used: Input
    name: str
    missing: str | None
    """The name of the second input, which says where the value is missing; None where the first one can."""

    @property
    def meaning(self) -> str:
        if self.used.family in ("ordered", "flag", "figure"):
            return _MEANINGS.get(self.used.column.kind, _MEANINGS["number"])
        noun = "text" if self.used.family == "text" else "a whole number"
        other = "anything, and true in the input beside it," if self.missing else "any text that is no category"
        return f"{noun}; {other} where missing"


def entries_of(network: RuleNetwork) -> tuple[Entry, ...]:
    """Return the columns in use, under names that can be those of inputs."""
    names = field_names(network, {*OUTPUTS, ROWS})
    taken = {*OUTPUTS, ROWS, *names.values()}
    found = []
    for used in inputs(network):
        name = names[used.column.name]
        second = free_name(f"{name}__missing", taken) if _needs_second(network, used) else None
        taken |= {second} if second else set()
        found.append(Entry(used, name, second))
    return tuple(found)


def _needs_second(network: RuleNetwork, used: Input) -> bool:
    tests = [network.predicates[index] for index in used.predicates]
    matters = any(isinstance(test, Missing) or "" in named(test) for test in tests)
    return used.family == "whole" or (used.family == "text" and matters)


def predicate_bits(graph: Graph, network: RuleNetwork, entries: Sequence[Entry]) -> tuple[str, dict[int, int]]:
    """Return the bits of the predicates in use, a constant 1 in front, and the place of each predicate among them."""
    parts = [_ones(graph, entries[0].name if entries else ROWS)]
    places: dict[int, int] = {}
    for entry in entries:
        for kind in (Missing, Interval, Equals, OneOf):
            some = [index for index in entry.used.predicates if isinstance(network.predicates[index], kind)]
            if some:
                tests = [network.predicates[index] for index in some]
                parts.append(graph.bits(_tested(graph, entry, tests)))
                places |= {index: 1 + len(places) + number for number, index in enumerate(some)}
    return graph.node("Concat", parts, axis=1), places


def _ones(graph: Graph, name: str) -> str:
    """Return a column of 1, of as many rows as the input has."""
    shape = graph.node("Shape", [name])
    one = graph.onnx.numpy_helper.from_array(np.ones(1, dtype=np.float32))
    return graph.node("ConstantOfShape", [shape], value=one)


def _tested(graph: Graph, entry: Entry, tests: Sequence[Predicate]) -> str:
    """Return booleans of the shape (rows, tests) for predicates of one kind on one column."""
    if isinstance(tests[0], Missing):
        missing = entry.missing or graph.node("IsNaN", [entry.name])
        return graph.node("Concat", [missing] * len(tests), axis=1)
    if isinstance(tests[0], Interval):
        return _between(graph, entry.name, [test for test in tests if isinstance(test, Interval)])
    equal = _equal(graph, entry, [value for test in tests for value in named(test)])
    if isinstance(tests[0], OneOf):
        equal = _any_of(graph, equal, [len(named(test)) for test in tests])
    return graph.node("And", [equal, graph.node("Not", [entry.missing])]) if entry.missing else equal


def _any_of(graph: Graph, equal: str, sizes: Sequence[int]) -> str:
    """Return, as (rows, tests) from (rows, values), whether any value of a test is the cell's."""
    members = np.zeros((sum(sizes), len(sizes)), dtype=np.float32)
    members[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] = 1
    sums = graph.node("MatMul", [graph.bits(equal), graph.constant(members)])
    return graph.node("Greater", [sums, graph.constant(np.array(0.5, dtype=np.float32))])


def _between(graph: Graph, name: str, tests: Sequence[Interval]) -> str:
    """Return lower bounds. Nothing is at most NaN, so it stands for no bound: -infinity would keep out -infinity."""
    low = [math.nan if test.low == -math.inf else test.low for test in tests]
    above = graph.node("Not", [graph.node("LessOrEqual", [name, graph.constant(np.array([low]))])])
    up_to = graph.node("LessOrEqual", [name, graph.constant(np.array([[test.high for test in tests]]))])
    return graph.node("And", [above, up_to])


def _equal(graph: Graph, entry: Entry, values: Sequence[Value]) -> str:
    """Compare with values; one of another type than the column's is never equal, and neither is NaN to anything."""
    if entry.used.family in ("flag", "figure"):
        wanted = [math.nan if isinstance(value, str) else _double(value, entry.used.column.name) for value in values]
        return graph.node("Equal", [entry.name, graph.constant(np.array([wanted], dtype=np.float64))])
    if entry.used.family == "whole":
        return graph.node("Equal", [entry.name, graph.constant(np.array([values], dtype=np.int64))])
    texts = list(dict.fromkeys(utf8(value) for value in values if isinstance(value, str)))
    if not texts:
        return graph.node("Equal", [_codes(graph, entry.name, [""]), graph.constant(np.full((1, len(values)), _NEVER))])
    codes = [texts.index(value) if isinstance(value, str) else _NEVER for value in values]
    return graph.node("Equal", [_codes(graph, entry.name, texts), graph.constant(np.array([codes], dtype=np.int64))])


def _codes(graph: Graph, name: str, texts: Sequence[str]) -> str:
    """Return the number of each text; -1 for others."""
    numbers = list(range(len(texts)))
    return graph.node(
        "LabelEncoder", [name], domain="ai.onnx.ml", keys_strings=list(texts), values_int64s=numbers, default_int64=-1
    )


def _double(value: float, column: str) -> float:
    """Raise for larger whole numbers, which come in as doubles that may have been others."""
    if math.isfinite(value) and abs(value) >= 2**53:
        raise InputError(
            f"column {column!r} has the category {value!r}, which double precision cannot tell from its neighbours; "
            "for this export, train with that column as text"
        )
    return float(value)
