"""A network as an ONNX graph: raw columns in; label, probabilities and fired rules out.

A layer of rules or of concepts is one matrix product: a rule holds where the sum of its literals is as large as it can
be. Such sums are exact in float32 up to 16 million. Each layer has a constant 1 in front, so that there is always
something to multiply.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx.checker
from numpy.typing import NDArray

from conceptrules.export.onnx.columns import ROWS, OnnxGraph, OnnxInput, onnx_inputs, predicate_bits, utf8
from conceptrules.export.wording import header, rule_ids, rule_lines
from conceptrules.model.content_hash import content_hash
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Rule, RuleNetwork
from conceptrules.model.statistics import tabulate_probabilities
from conceptrules.tables.prediction import score_names

# What onnxruntime has run since 2022: opset 17 is ONNX 1.12.
OPSET, ML_OPSET, IR_VERSION = 17, 2, 8


def onnx_model(network: RuleNetwork) -> bytes:
    """Return the network as an ONNX graph, or raise if a name in it is not valid Unicode.

    Inputs are of the shape (rows, 1): strings for columns of text, whole numbers beyond 2^53 as int64, all else double.
    Text has no value that could mean missing, so where it matters whether text is missing, a second input of booleans
    says so. Outputs: `label` (rows,), `probabilities` (rows, classes) of scorecards and of networks with statistics,
    `scores` (rows, scores) of scorecards, and `rules` (rows, rules). The metadata name what goes into each input and
    what each rule says.
    """
    columns = onnx_inputs(network)
    graph = OnnxGraph()
    bits, places = predicate_bits(graph, network, columns)
    fired, rules = _layers(graph, network, bits, places)
    graph.node("Identity", [rules], "rules")
    if network.head is not None:
        _add_answers(graph, network, network.head, fired)
        return _model(network, columns, graph)
    decided = _decide(graph, network, fired)
    graph.node("Gather", [graph.constant(_labels(network)), decided], "label")
    if network.statistics is not None:
        table = graph.constant(np.concatenate(tabulate_probabilities(network)))
        graph.node("Gather", [table, _probability_row(graph, network, fired, decided)], "probabilities")
    return _model(network, columns, graph)


def _layers(graph: OnnxGraph, network: RuleNetwork, bits: str, places: dict[int, int]) -> tuple[str, str]:
    """Return where each class fires, or of a scorecard each last rule, a constant 1 in front, and where rules hold."""
    width, holding = 1 + len(places), []
    for level in network.levels:
        weights, needed = _rule_matrix(level.rules, width, places)
        sums = graph.node("MatMul", [bits, graph.constant(weights)])
        rules = graph.node("Equal", [sums, graph.constant(needed)])
        without_first = graph.constant(np.arange(1, 1 + len(level.rules)))
        holding.append(graph.node("Gather", [rules, without_first], axis=1))
        if network.head is not None and level is network.levels[-1]:
            bits = graph.bits(rules)
            break
        members = graph.constant(_concept_matrix(level.concepts, weights.shape[1]))
        sums = graph.node("MatMul", [graph.bits(rules), members])
        bits = graph.bits(graph.node("Greater", [sums, graph.constant(np.array(0.5, dtype=np.float32))]))
        width, places = 1 + len(level.concepts), {index: 1 + index for index in range(len(level.concepts))}
    return bits, graph.node("Concat", holding, axis=1)


def _rule_matrix(
    rules: Sequence[Rule], width: int, places: dict[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return 1 for a literal and -1 for a negated one, and the sum that each rule needs: the number of the former.

    A rule with a literal and its opposite needs a sum that it cannot get.
    """
    weights = np.zeros((width, 1 + len(rules)), dtype=np.float32)
    needed = np.zeros((1, 1 + len(rules)), dtype=np.float32)
    for number, rule in enumerate(rules, start=1):
        for literal in rule.literals:
            weights[places[literal.index], number] = -1 if literal.negated else 1
        impossible = len({literal.index for literal in rule.literals}) < len(rule.literals)
        needed[0, number] = width + 1 if impossible else sum(not literal.negated for literal in rule.literals)
    return weights, needed


def _concept_matrix(concepts: Sequence[Concept], width: int) -> NDArray[np.float32]:
    weights = np.zeros((width, 1 + len(concepts)), dtype=np.float32)
    weights[0, 0] = 1
    for number, concept in enumerate(concepts, start=1):
        weights[[1 + rule for rule in concept.rules], number] = 1
    return weights


def _decide(graph: OnnxGraph, network: RuleNetwork, fired: str) -> str:
    """Return the index of the class: the first by priority that fires, or else the default, which counts for half."""
    order = [1 + index for index in network.priority_indices]
    weights = np.array([[1.0] * len(order) + [0.5]], dtype=np.float32)
    ordered = graph.node("Gather", [fired, graph.constant(np.array([*order, 0]))], axis=1)
    ranked = graph.node("Mul", [ordered, graph.constant(weights)])
    first = graph.node("ArgMax", [ranked], axis=1, keepdims=0)
    classes = [*network.priority_indices, network.default_index]
    return graph.node("Gather", [graph.constant(np.array(classes)), first])


def _add_answers(graph: OnnxGraph, network: RuleNetwork, head: Points, rules: str) -> None:
    """Add the answers of a scorecard: sums in double precision, which holds all whole numbers of 31 bits."""

    def double(*values: object) -> str:
        return graph.constant(np.array(values, dtype=np.float64))

    holds = graph.node("Cast", [rules], to=onnx.TensorProto.DOUBLE)
    scores = graph.node("MatMul", [holds, double(head.base, *head.points)])
    graph.whole(scores, "scores")
    if head.step is not None:
        number = graph.squeeze(graph.node("Mul", [scores, double(head.step)]))
        graph.node("Exp" if head.link == "log" else "Identity", [number], "label")
        return
    if head.probabilities:
        (_, *leasts), shares = zip(*head.probabilities, strict=True)
        reached = graph.whole(graph.node("LessOrEqual", [double(-np.inf, *leasts), scores]))
        table = double(*([1 - share, share] for share in (shares[0], *shares)))  # one step is always reached
        steps = graph.node("ReduceSum", [reached, graph.constant(np.array([1]))], keepdims=0)
        graph.node("Gather", [table, steps], "probabilities")
        decided = graph.whole(graph.squeeze(graph.node("LessOrEqual", [double(head.cutoff), scores])))
    else:
        distance = graph.node("Sub", [scores, graph.node("ReduceMax", [scores], axes=[1])])
        graph.node("Softmax", [graph.node("Mul", [distance, double(head.unit)])], "probabilities", axis=1)
        decided = graph.node("ArgMax", [graph.node("Add", [scores, double(*head.offsets)])], axis=1, keepdims=0)
    graph.node("Gather", [graph.constant(_labels(network)), decided], "label")


def _probability_row(graph: OnnxGraph, network: RuleNetwork, fired: str, decided: str) -> str:
    """Return the row of `tabulate_probabilities`: that of a pattern that training saw, else that of the class."""
    assert network.statistics is not None
    patterns = [pattern for pattern, _ in network.statistics.patterns]
    signs = np.zeros((1 + len(network.classes), 1 + len(patterns)), dtype=np.float32)
    needed = np.zeros((1, 1 + len(patterns)), dtype=np.float32)
    for number, pattern in enumerate(patterns, start=1):
        signs[1:, number] = np.where(pattern, 1, -1)
        needed[0, number] = sum(pattern)
    sums = graph.node("MatMul", [fired, graph.constant(signs)])
    same = graph.bits(graph.node("Equal", [sums, graph.constant(needed)]))
    halved = graph.node("Mul", [same, graph.constant(np.array([[0.5] + [1.0] * len(patterns)], dtype=np.float32))])
    seen = graph.node("ArgMax", [halved], axis=1, keepdims=0)
    after = graph.node("Add", [seen, graph.constant(np.array(len(network.classes) - 1))])
    none = graph.node("Equal", [seen, graph.constant(np.array(0))])
    return graph.node("Where", [none, decided, after])


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
    wide = any(type(value) is int and not -(2**63) <= value < 2**63 for value in network.classes)
    return len(kinds) == 1 and not wide


def _model(network: RuleNetwork, columns: Sequence[OnnxInput], graph: OnnxGraph) -> bytes:
    helper = onnx.helper
    whole = helper.make_graph(graph.nodes, "conceptrules", _inputs(columns), _outputs(network), graph.constants)
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    model = helper.make_model(whole, opset_imports=sets, ir_version=IR_VERSION, producer_name="conceptrules")
    model.doc_string = "\n".join(header(network))
    helper.set_model_props(model, _metadata(network, columns))
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def _inputs(columns: Sequence[OnnxInput]) -> list[Any]:
    kinds, make = onnx.TensorProto, onnx.helper.make_tensor_value_info
    if not columns:
        return [make(ROWS, kinds.DOUBLE, ["rows", 1], "any value: no rule uses a column")]
    values = [make(column.name, column.type, ["rows", 1], column.meaning) for column in columns]
    seconds = [column.missing for column in columns if column.missing]
    return [*values, *(make(name, kinds.BOOL, ["rows", 1], "true where it is missing") for name in seconds)]


def _outputs(network: RuleNetwork) -> list[Any]:
    helper, kinds = onnx.helper, onnx.TensorProto
    rules, classes = len(rule_ids(network)), len(network.classes)
    labels = _labels(network) if classes else np.empty(0)
    kind = kinds.STRING if labels.dtype == object else helper.np_dtype_to_tensor_dtype(labels.dtype)
    outputs = [helper.make_tensor_value_info("label", kind, ["rows"])]
    if classes and (network.head is not None or network.statistics is not None):
        outputs.append(helper.make_tensor_value_info("probabilities", kinds.DOUBLE, ["rows", classes]))
    if network.head is not None:
        outputs.append(helper.make_tensor_value_info("scores", kinds.INT64, ["rows", network.head.outputs]))
    return [*outputs, helper.make_tensor_value_info("rules", kinds.BOOL, ["rows", rules])]


def _label_meaning(network: RuleNetwork) -> str:
    if not network.classes:
        return "the number that is predicted"
    return "the class" if has_labels(network) else "the number of the class, from 0"


def _metadata(network: RuleNetwork, columns: Sequence[OnnxInput]) -> dict[str, str]:
    """Return the metadata as JSON in ASCII, which holds any name."""
    about = [
        {"column": column.used.column.name, "input": column.name, "missing": column.missing, "meaning": column.meaning}
        for column in columns
    ]
    return {
        "content_hash": content_hash(network),
        "columns": json.dumps(about),
        "classes": json.dumps(network.classes),
        "label": _label_meaning(network),
        "scores": json.dumps(score_names(network)),
        "rules": json.dumps(rule_ids(network)),
        "words": json.dumps(list(rule_lines(network))),
    }
