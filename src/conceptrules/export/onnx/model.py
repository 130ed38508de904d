"""A network as an ONNX graph: raw columns in; label, probabilities and fired rules out.

A layer of rules or of concepts is one matrix product: a rule holds where the sum of its literals is as large as it can
be. Such sums are exact in float32 up to 16 million. Each layer has a constant 1 in front, so that there is always
something to multiply.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.export.comments import header, rule_lines
from conceptrules.export.node_names import rule_ids
from conceptrules.export.onnx.columns import OUTPUTS, ROWS, TYPES, Entry, entries_of, predicate_bits
from conceptrules.export.onnx.graph import Graph, package, utf8
from conceptrules.model.network import Concept, Rule, RuleNetwork
from conceptrules.model.statistics import probabilities

# What onnxruntime has run since 2022: opset 17 is ONNX 1.12.
OPSET, ML_OPSET, IR_VERSION = 17, 2, 8
_LEAST, _MOST = -(2**63), 2**63 - 1


def onnx_model(network: RuleNetwork) -> bytes:
    """Return the network as an ONNX graph.

    Parameters
    ----------
    network : RuleNetwork
        The network.

    Returns
    -------
    bytes
        The content of a .onnx file.

    Raises
    ------
    InputError
        If the extra `onnx` is not installed, or a name is not valid Unicode.

    Notes
    -----
    Inputs are of the shape (rows, 1): strings for columns of text, whole numbers beyond 2^53 as int64, all else double.
    Text has no value that could mean missing, so where it matters whether text is missing, a second input of booleans
    says so. Outputs: `label` (rows,), `probabilities` (rows, classes) if the network has statistics, and `rules`
    (rows, rules). The metadata name what goes into each input and what each rule says.
    """
    onnx = package()
    entries = entries_of(network)
    graph = Graph(onnx)
    bits, places = predicate_bits(graph, network, entries)
    fired, rules = _layers(graph, network, bits, places)
    decided = _decided(graph, network, fired)
    graph.node("Gather", [graph.constant(_labels(network)), decided], "label")
    graph.node("Identity", [rules], "rules")
    if network.statistics is not None:
        graph.node("Gather", [graph.constant(_table(network)), _pattern(graph, network, fired, decided)], OUTPUTS[1])
    return _model(onnx, network, entries, graph)


def _layers(graph: Graph, network: RuleNetwork, bits: str, places: dict[int, int]) -> tuple[str, str]:
    """Return where each class fires, a constant 1 in front, and where each rule holds."""
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
    """Return 1 for a literal and -1 for a negated one, and the sum that each rule needs: the number of the former.

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


def _without_first(graph: Graph, name: str, count: int) -> str:
    return graph.node("Gather", [name, graph.constant(np.arange(1, 1 + count))], axis=1)


def _decided(graph: Graph, network: RuleNetwork, fired: str) -> str:
    """Return the index of the class: the first by priority that fires, or else the default, which counts for half."""
    order = [1 + index for index in network.priority_indices]
    weights = np.array([[1.0] * len(order) + [0.5]], dtype=np.float32)
    ranked = graph.node(
        "Mul", [graph.node("Gather", [fired, graph.constant(np.array([*order, 0]))], axis=1), graph.constant(weights)]
    )
    first = graph.node("ArgMax", [ranked], axis=1, keepdims=0)
    classes = [*network.priority_indices, network.default_index]
    return graph.node("Gather", [graph.constant(np.array(classes)), first])


def _pattern(graph: Graph, network: RuleNetwork, fired: str, decided: str) -> str:
    """Return the row of `_table` for the pattern of firing classes if training saw it, or for the decided class."""
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
    """Return probabilities for each class as the answer to a new pattern, then for each pattern that training saw."""
    assert network.statistics is not None
    unseen = replace(network, statistics=replace(network.statistics, patterns=()))
    classes = len(network.classes)
    seen = np.array([pattern for pattern, _ in network.statistics.patterns], dtype=np.bool_).reshape(-1, classes)
    return np.concatenate([probabilities(unseen, np.eye(classes, dtype=np.bool_)), probabilities(network, seen)])


def _labels(network: RuleNetwork) -> NDArray[Any]:
    """Return the classes, where they are of one type that tensors have; else their numbers from 0."""
    if not has_labels(network):
        return np.arange(len(network.classes))
    if isinstance(network.classes[0], str):
        return np.array([utf8(value) for value in network.classes], dtype=object)
    return np.array(network.classes)


def has_labels(network: RuleNetwork) -> bool:
    """Return whether the output `label` holds the classes themselves, rather than their numbers."""
    kinds = set(map(type, network.classes))
    return len(kinds) == 1 and not any(type(value) is int and not _LEAST <= value <= _MOST for value in network.classes)


def _model(onnx: Any, network: RuleNetwork, entries: Sequence[Entry], graph: Graph) -> bytes:
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
        make(entry.name, getattr(kinds, TYPES[entry.used.family]), ["rows", 1], entry.meaning) for entry in entries
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
    """Return the metadata as JSON in ASCII, which holds any name."""
    from conceptrules.model.content_hash import content_hash

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
