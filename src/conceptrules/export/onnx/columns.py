"""An ONNX graph under construction: its inputs, and the bits of the predicates on them.

Columns are compared in double precision, so cut points are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
from numpy.typing import NDArray

from conceptrules.export.inputs import (
    OWN,
    Family,
    Input,
    derived_inputs,
    exact_double,
    field_names,
    free_name,
    inputs,
    is_utf8,
)
from conceptrules.model.derived import Relation
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, categories_of

ROWS = "rows_only"
"""The input of a network that uses no column: its values do not matter, only how many there are."""
_NEVER = -2
_MEANINGS = {
    "number": "a number, NaN where missing",
    "date": "microseconds since 1970-01-01 (UTC), NaN where missing",
    "datetime": "microseconds since 1970-01-01 (UTC), NaN where missing",
    "duration": "microseconds, NaN where missing",
    "boolean": "1 for true, 0 for false, NaN where missing",
}


@dataclass(slots=True)
class OnnxGraph:
    """The nodes and constants of a graph under construction."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def node(self, kind: str, inputs: Sequence[str], name: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = name or f"{OWN}{kind}_{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant, and return its name."""
        name = f"{OWN}constant_{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(values, name))
        return name

    def bits(self, name: str) -> str:
        """Return booleans as 0 and 1."""
        return self.node("Cast", [name], to=onnx.TensorProto.FLOAT)

    def whole(self, name: str, result: str = "") -> str:
        """Return numbers or booleans as whole numbers."""
        return self.node("Cast", [name], result, to=onnx.TensorProto.INT64)

    def squeeze(self, name: str) -> str:
        """Return a tensor of one column as one of the shape (rows,)."""
        return self.node("Squeeze", [name, self.constant(np.array([1]))])


def utf8(text: Value) -> str:
    """Return the text, or raise if ONNX cannot hold it."""
    if not is_utf8(str(text)):
        raise InputError(f"{text!r} is not valid Unicode, which ONNX needs; train with other text")
    return str(text)


@dataclass(frozen=True, slots=True)
class OnnxInput:
    """A column in use and the inputs of the graph that it goes into."""

    used: Input
    name: str
    missing: str | None
    """The name of the second input, which says where the value is missing; None where the first one can."""

    @property
    def type(self) -> int:
        """The type of the first input, as ONNX numbers them."""
        types: dict[Family, int] = {"text": onnx.TensorProto.STRING, "whole": onnx.TensorProto.INT64}
        return types.get(self.used.family, onnx.TensorProto.DOUBLE)

    @property
    def meaning(self) -> str:
        """What goes into the first input, in words."""
        if self.used.family in ("ordered", "flag", "figure"):
            return _MEANINGS.get(self.used.column.kind, _MEANINGS["number"])
        noun = "text" if self.used.family == "text" else "a whole number"
        other = "anything, and true in the input beside it," if self.missing else "any text that is no category"
        return f"{noun}; {other} where missing"


def onnx_inputs(network: RuleNetwork) -> tuple[OnnxInput, ...]:
    """Return the columns in use, under names that can be those of inputs."""
    reserved = {"label", "probabilities", "scores", "rules", ROWS}
    names = field_names(network, inputs(network), reserved)
    taken = {*reserved, *names.values()}
    result = []
    for used in inputs(network):
        name = names[used.column.name]
        second = free_name(f"{name}__missing", taken) if _needs_second(network, used) else None
        taken |= {second} if second else set()
        result.append(OnnxInput(used, name, second))
    return tuple(result)


def _needs_second(network: RuleNetwork, used: Input) -> bool:
    tests = [network.predicates[index] for index in used.predicates]
    matters = any(isinstance(test, Missing) or "" in categories_of(test) for test in tests)
    return used.family == "whole" or (used.family == "text" and matters)


def predicate_bits(graph: OnnxGraph, network: RuleNetwork, columns: Sequence[OnnxInput]) -> tuple[str, dict[int, int]]:
    """Return the bits of the predicates in use, a constant 1 in front, and the place of each predicate among them."""
    shape = graph.node("Shape", [columns[0].name if columns else ROWS])
    parts = [graph.node("ConstantOfShape", [shape], value=onnx.numpy_helper.from_array(np.ones(1, dtype=np.float32)))]
    places: dict[int, int] = {}
    for column in (*columns, *_derive_columns(graph, network, columns)):
        for kind in (Missing, Interval, Equals, OneOf):
            indices = [index for index in column.used.predicates if isinstance(network.predicates[index], kind)]
            if indices:
                tests = [network.predicates[index] for index in indices]
                parts.append(graph.bits(_test(graph, column, tests)))
                places |= {index: 1 + len(places) + number for number, index in enumerate(indices)}
    return graph.node("Concat", parts, axis=1), places


def _derive_columns(graph: OnnxGraph, network: RuleNetwork, columns: Sequence[OnnxInput]) -> Iterator[OnnxInput]:
    """Yield the relations in use as nodes: doubles, or 1 and 0, and NaN where they are missing."""
    names = {column.used.column.name: column.name for column in columns}
    nan, zero = graph.constant(np.array(math.nan)), graph.constant(np.array(0.0))
    for used in derived_inputs(network):
        relation = used.column.derivation
        assert isinstance(relation, Relation)
        sides = [names[name] for name in relation.columns]
        if relation.operator == "-":
            yield OnnxInput(used, graph.node("Sub", sides), None)
            continue
        if relation.operator == "/":
            unknown, value = graph.node("Equal", [sides[1], zero]), graph.node("Div", sides)
        else:
            unknown = graph.node("Or", [graph.node("IsNaN", [side]) for side in sides])
            value = graph.node("Cast", [graph.node("Less", sides)], to=onnx.TensorProto.DOUBLE)
        yield OnnxInput(used, graph.node("Where", [unknown, nan, value]), None)


def _test(graph: OnnxGraph, column: OnnxInput, tests: Sequence[Predicate]) -> str:
    """Return booleans of the shape (rows, tests) for predicates of one kind on one column."""
    if isinstance(tests[0], Missing):
        missing = column.missing or graph.node("IsNaN", [column.name])
        return graph.node("Concat", [missing] * len(tests), axis=1)
    if isinstance(tests[0], Interval):
        return _between(graph, column.name, [test for test in tests if isinstance(test, Interval)])
    equal = _equal(graph, column, [value for test in tests for value in categories_of(test)])
    if isinstance(tests[0], OneOf):
        equal = _any_of(graph, equal, [len(categories_of(test)) for test in tests])
    return graph.node("And", [equal, graph.node("Not", [column.missing])]) if column.missing else equal


def _any_of(graph: OnnxGraph, equal: str, sizes: Sequence[int]) -> str:
    """Return, as (rows, tests) from (rows, values), whether any value of a test is the cell's."""
    members = np.zeros((sum(sizes), len(sizes)), dtype=np.float32)
    members[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] = 1
    sums = graph.node("MatMul", [graph.bits(equal), graph.constant(members)])
    return graph.node("Greater", [sums, graph.constant(np.array(0.5, dtype=np.float32))])


def _between(graph: OnnxGraph, name: str, tests: Sequence[Interval]) -> str:
    # Nothing is at most NaN, so it stands for no lower bound: -infinity would keep out -infinity.
    low = [math.nan if test.low == -math.inf else test.low for test in tests]
    above = graph.node("Not", [graph.node("LessOrEqual", [name, graph.constant(np.array([low]))])])
    up_to = graph.node("LessOrEqual", [name, graph.constant(np.array([[test.high for test in tests]]))])
    return graph.node("And", [above, up_to])


def _equal(graph: OnnxGraph, column: OnnxInput, values: Sequence[Value]) -> str:
    """Compare with values; one of another type than the column's is never equal, and neither is NaN to anything."""
    if column.used.family in ("flag", "figure"):
        doubles = [math.nan if isinstance(value, str) else exact_double(value, column.used.column) for value in values]
        return graph.node("Equal", [column.name, graph.constant(np.array([doubles], dtype=np.float64))])
    if column.used.family == "whole":
        return graph.node("Equal", [column.name, graph.constant(np.array([values], dtype=np.int64))])
    texts = list(dict.fromkeys(utf8(value) for value in values if isinstance(value, str))) or [""]
    codes = [texts.index(value) if isinstance(value, str) else _NEVER for value in values]
    table: dict[str, Any] = {"keys_strings": texts, "values_int64s": list(range(len(texts))), "default_int64": -1}
    cells = graph.node("LabelEncoder", [column.name], domain="ai.onnx.ml", **table)
    return graph.node("Equal", [cells, graph.constant(np.array([codes], dtype=np.int64))])
