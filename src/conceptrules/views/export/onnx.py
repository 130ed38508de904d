"""A network as an ONNX graph: raw columns in; label, probabilities and fired rules out.

A layer of rules or of concepts is one matrix product: a rule holds where the sum of its literals is as large as it can
be. Such sums are exact in float32 up to 16 million. Each layer has a constant 1 in front, so that there is always
something to multiply. Columns are compared in double precision, so cut points are exact.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.rules.errors import InputError
from conceptrules.rules.measure import probabilities
from conceptrules.rules.network import Concept, Rule, RuleNetwork
from conceptrules.rules.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, named
from conceptrules.views.export.fields import OWN, field_names, free_name
from conceptrules.views.export.layout import Family, Input, header, inputs, rule_ids, rule_lines

# What onnxruntime has run since 2022: opset 17 is ONNX 1.12.
OPSET, ML_OPSET, IR_VERSION = 17, 2, 8
OUTPUTS = ("label", "probabilities", "rules")
ROWS = "rows_only"
"""The input of a network that uses no column: its values do not matter, only how many there are."""
_NEVER = -2
_LEAST, _MOST = -(2**63), 2**63 - 1
_TYPES: dict[Family, str] = {"ordered": "DOUBLE", "flag": "DOUBLE", "figure": "DOUBLE", "text": "STRING"}
_TYPES["whole"] = "INT64"
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


def onnx_model(network: RuleNetwork) -> bytes:
    """The graph, as the bytes of a .onnx file.

    Inputs are of the shape (rows, 1): strings for columns of text, whole numbers beyond 2^53 as int64, all else double.
    Text has no value that could mean missing, so where it matters whether text is missing, a second input of booleans
    says so. Outputs: `label` (rows,), `probabilities` (rows, classes) if the network has statistics, and `rules`
    (rows, rules). The metadata name what goes into each input and what each rule says.
    """
    onnx = _package()
    entries = entries_of(network)
    graph = _Graph(onnx)
    bits, places = _predicates(graph, network, entries)
    fired, rules = _layers(graph, network, bits, places)
    decided = _decided(graph, network, fired)
    graph.node("Gather", [graph.constant(_labels(network)), decided], "label")
    graph.node("Identity", [rules], "rules")
    if network.statistics is not None:
        graph.node("Gather", [graph.constant(_table(network)), _pattern(graph, network, fired, decided)], OUTPUTS[1])
    return _model(onnx, network, entries, graph)


def entries_of(network: RuleNetwork) -> tuple[Entry, ...]:
    """The columns in use, under names that can be those of inputs."""
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


@dataclass(slots=True)
class _Graph:
    """Nodes and constants in the making."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def node(self, kind: str, given: Sequence[str], name: str = "", **attributes: Any) -> str:
        name = name or f"{OWN}{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(given), [name], **attributes))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        name = f"{OWN}constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def bits(self, name: str) -> str:
        return self.node("Cast", [name], to=self.onnx.TensorProto.FLOAT)


def _predicates(graph: _Graph, network: RuleNetwork, entries: Sequence[Entry]) -> tuple[str, dict[int, int]]:
    """The bits of the predicates in use, a constant 1 in front, and the place of each predicate among them."""
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


def _ones(graph: _Graph, name: str) -> str:
    """(rows, 1) of 1: as many as the input has."""
    shape = graph.node("Shape", [name])
    one = graph.onnx.numpy_helper.from_array(np.ones(1, dtype=np.float32))
    return graph.node("ConstantOfShape", [shape], value=one)


def _tested(graph: _Graph, entry: Entry, tests: Sequence[Predicate]) -> str:
    """(rows, tests) of booleans: predicates of one kind on one column. All of `Missing` are alike."""
    if isinstance(tests[0], Missing):
        missing = entry.missing or graph.node("IsNaN", [entry.name])
        return graph.node("Concat", [missing] * len(tests), axis=1)
    if isinstance(tests[0], Interval):
        return _between(graph, entry.name, [test for test in tests if isinstance(test, Interval)])
    equal = _equal(graph, entry, [value for test in tests for value in named(test)])
    if isinstance(tests[0], OneOf):
        equal = _any_of(graph, equal, [len(named(test)) for test in tests])
    return graph.node("And", [equal, graph.node("Not", [entry.missing])]) if entry.missing else equal


def _any_of(graph: _Graph, equal: str, sizes: Sequence[int]) -> str:
    """(rows, tests) from (rows, values): whether any of the next so many values is the cell's."""
    members = np.zeros((sum(sizes), len(sizes)), dtype=np.float32)
    members[np.arange(sum(sizes)), np.repeat(np.arange(len(sizes)), sizes)] = 1
    sums = graph.node("MatMul", [graph.bits(equal), graph.constant(members)])
    return graph.node("Greater", [sums, graph.constant(np.array(0.5, dtype=np.float32))])


def _between(graph: _Graph, name: str, tests: Sequence[Interval]) -> str:
    """Nothing is at most NaN, which makes it the bound of an open lower side: -infinity would keep out -infinity."""
    low = [math.nan if test.low == -math.inf else test.low for test in tests]
    above = graph.node("Not", [graph.node("LessOrEqual", [name, graph.constant(np.array([low]))])])
    up_to = graph.node("LessOrEqual", [name, graph.constant(np.array([[test.high for test in tests]]))])
    return graph.node("And", [above, up_to])


def _equal(graph: _Graph, entry: Entry, values: Sequence[Value]) -> str:
    """A value of another type than the column's is never equal, and neither is NaN to anything."""
    if entry.used.family in ("flag", "figure"):
        wanted = [math.nan if isinstance(value, str) else _double(value, entry.used.column.name) for value in values]
        return graph.node("Equal", [entry.name, graph.constant(np.array([wanted], dtype=np.float64))])
    if entry.used.family == "whole":
        return graph.node("Equal", [entry.name, graph.constant(np.array([values], dtype=np.int64))])
    texts = list(dict.fromkeys(_utf8(value) for value in values if isinstance(value, str)))
    if not texts:
        return graph.node("Equal", [_codes(graph, entry.name, [""]), graph.constant(np.full((1, len(values)), _NEVER))])
    codes = [texts.index(value) if isinstance(value, str) else _NEVER for value in values]
    return graph.node("Equal", [_codes(graph, entry.name, texts), graph.constant(np.array([codes], dtype=np.int64))])


def _codes(graph: _Graph, name: str, texts: Sequence[str]) -> str:
    """The number of each text; -1 for others."""
    numbers = list(range(len(texts)))
    return graph.node(
        "LabelEncoder", [name], domain="ai.onnx.ml", keys_strings=list(texts), values_int64s=numbers, default_int64=-1
    )


def _layers(graph: _Graph, network: RuleNetwork, bits: str, places: dict[int, int]) -> tuple[str, str]:
    """Where each class fires, a constant 1 in front, and where each rule holds."""
    width, held = 1 + len(places), []
    for level in network.levels:
        weights, full = _rule_matrix(level.rules, width, places)
        sums = graph.node("MatMul", [bits, graph.constant(weights)])
        rules = graph.node("Equal", [sums, graph.constant(full)])
        held.append(_without_first(graph, rules, len(level.rules)))
        sums = graph.node(
            "MatMul", [graph.bits(rules), graph.constant(_concept_matrix(level.concepts, weights.shape[1]))]
        )
        bits = graph.bits(graph.node("Greater", [sums, graph.constant(np.array(0.5, dtype=np.float32))]))
        width, places = 1 + len(level.concepts), {index: 1 + index for index in range(len(level.concepts))}
    return bits, graph.node("Concat", held, axis=1)


def _rule_matrix(
    rules: Sequence[Rule], width: int, places: dict[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """1 for a literal and -1 for a negated one, and the sum that each rule needs: the number of the former.

    A rule with a literal and its opposite needs a sum that it cannot get.
    """
    weights = np.zeros((width, 1 + len(rules)), dtype=np.float32)
    full = np.zeros((1, 1 + len(rules)), dtype=np.float32)
    for number, rule in enumerate(rules, start=1):
        for literal in rule.literals:
            weights[places[literal.index], number] = -1 if literal.negated else 1
        impossible = len({literal.index for literal in rule.literals}) < len(rule.literals)
        full[0, number] = width + 1 if impossible else sum(not literal.negated for literal in rule.literals)
    return weights, full


def _concept_matrix(concepts: Sequence[Concept], width: int) -> NDArray[np.float32]:
    weights = np.zeros((width, 1 + len(concepts)), dtype=np.float32)
    weights[0, 0] = 1
    for number, concept in enumerate(concepts, start=1):
        weights[[1 + rule for rule in concept.rules], number] = 1
    return weights


def _without_first(graph: _Graph, name: str, count: int) -> str:
    return graph.node("Gather", [name, graph.constant(np.arange(1, 1 + count))], axis=1)


def _decided(graph: _Graph, network: RuleNetwork, fired: str) -> str:
    """The index of the class: the first by priority that fires, or the default, which always does, but half."""
    order = [1 + network.classes.index(name) for name in network.priority]
    weights = np.array([[1.0] * len(order) + [0.5]], dtype=np.float32)
    ranked = graph.node(
        "Mul", [graph.node("Gather", [fired, graph.constant(np.array([*order, 0]))], axis=1), graph.constant(weights)]
    )
    first = graph.node("ArgMax", [ranked], axis=1, keepdims=0)
    classes = [place - 1 for place in order] + [network.classes.index(network.default)]
    return graph.node("Gather", [graph.constant(np.array(classes)), first])


def _pattern(graph: _Graph, network: RuleNetwork, fired: str, decided: str) -> str:
    """The row of `_table`: that of the pattern of firing classes if training saw it, or that of the decided class."""
    assert network.statistics is not None
    patterns = [pattern for pattern, _ in network.statistics.patterns]
    signs = np.zeros((1 + len(network.classes), 1 + len(patterns)), dtype=np.float32)
    full = np.zeros((1, 1 + len(patterns)), dtype=np.float32)
    for number, pattern in enumerate(patterns, start=1):
        signs[1:, number] = np.where(pattern, 1, -1)
        full[0, number] = sum(pattern)
    same = graph.bits(graph.node("Equal", [graph.node("MatMul", [fired, graph.constant(signs)]), graph.constant(full)]))
    halved = graph.node("Mul", [same, graph.constant(np.array([[0.5] + [1.0] * len(patterns)], dtype=np.float32))])
    seen = graph.node("ArgMax", [halved], axis=1, keepdims=0)
    after = graph.node("Add", [seen, graph.constant(np.array(len(network.classes) - 1))])
    none = graph.node("Equal", [seen, graph.constant(np.array(0))])
    return graph.node("Where", [none, decided, after])


def _table(network: RuleNetwork) -> NDArray[np.float64]:
    """Probabilities: for each class as the answer to a pattern never seen, then for each pattern that was."""
    assert network.statistics is not None
    unseen = replace(network, statistics=replace(network.statistics, patterns=()))
    classes = len(network.classes)
    seen = np.array([pattern for pattern, _ in network.statistics.patterns], dtype=np.bool_).reshape(-1, classes)
    return np.concatenate([probabilities(unseen, np.eye(classes, dtype=np.bool_)), probabilities(network, seen)])


def _labels(network: RuleNetwork) -> NDArray[Any]:
    """The classes, where they are of one type that tensors have; else their numbers from 0."""
    if not has_labels(network):
        return np.arange(len(network.classes))
    if isinstance(network.classes[0], str):
        return np.array([_utf8(value) for value in network.classes], dtype=object)
    return np.array(network.classes)


def has_labels(network: RuleNetwork) -> bool:
    """Whether the output `label` holds the classes themselves, rather than their numbers."""
    kinds = set(map(type, network.classes))
    return len(kinds) == 1 and not any(type(value) is int and not _LEAST <= value <= _MOST for value in network.classes)


def _double(value: float, column: str) -> float:
    """Larger whole numbers come in as doubles that may have been others."""
    if math.isfinite(value) and abs(value) >= 2**53:
        raise InputError(
            f"column {column!r} has the category {value!r}, which double precision cannot tell from its neighbours; "
            "for this export, train with that column as text"
        )
    return float(value)


def _utf8(text: Value) -> str:
    try:
        str(text).encode()
    except UnicodeEncodeError:
        raise InputError(f"{text!r} is not valid Unicode, which ONNX needs; train with other text") from None
    return str(text)


def _model(onnx: Any, network: RuleNetwork, entries: Sequence[Entry], graph: _Graph) -> bytes:
    helper = onnx.helper
    made = helper.make_graph(
        graph.nodes, "conceptrules", _inputs(onnx, entries), _outputs(onnx, network), graph.constants
    )
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    model = helper.make_model(made, opset_imports=sets, ir_version=IR_VERSION, producer_name="conceptrules")
    model.doc_string = "\n".join(header(network))
    helper.set_model_props(model, _metadata(network, entries))
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def _inputs(onnx: Any, entries: Sequence[Entry]) -> list[Any]:
    kinds, make = onnx.TensorProto, onnx.helper.make_tensor_value_info
    if not entries:
        return [make(ROWS, kinds.DOUBLE, ["rows", 1], "any value: no rule uses a column")]
    first = [
        make(entry.name, getattr(kinds, _TYPES[entry.used.family]), ["rows", 1], entry.meaning) for entry in entries
    ]
    second = [
        make(entry.missing, kinds.BOOL, ["rows", 1], "true where it is missing") for entry in entries if entry.missing
    ]
    return [*first, *second]


def _outputs(onnx: Any, network: RuleNetwork) -> list[Any]:
    helper, kinds = onnx.helper, onnx.TensorProto
    labels = _labels(network)
    kind = kinds.STRING if labels.dtype == object else helper.np_dtype_to_tensor_dtype(labels.dtype)
    rules, classes = len(rule_ids(network)), len(network.classes)
    found = [helper.make_tensor_value_info("label", kind, ["rows"])]
    if network.statistics is not None:
        found.append(helper.make_tensor_value_info("probabilities", kinds.DOUBLE, ["rows", classes]))
    return [*found, helper.make_tensor_value_info("rules", kinds.BOOL, ["rows", rules])]


def _metadata(network: RuleNetwork, entries: Sequence[Entry]) -> dict[str, str]:
    """JSON in ASCII: it holds any name."""
    from conceptrules.rules.identity import content_hash

    columns = [
        {"column": entry.used.column.name, "input": entry.name, "missing": entry.missing, "meaning": entry.meaning}
        for entry in entries
    ]
    return {
        "content_hash": content_hash(network),
        "columns": json.dumps(columns),
        "classes": json.dumps(network.classes),
        "label": "the class" if has_labels(network) else "the number of the class, from 0",
        "rules": json.dumps(rule_ids(network)),
        "words": json.dumps(list(rule_lines(network))),
    }


def _package() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.numpy_helper
    except ImportError:
        raise InputError("to write ONNX takes the package onnx: pip install 'conceptrules[onnx]'") from None
    return onnx
