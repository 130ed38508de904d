"""The elements of PMML: expressions, fields and models, and text that XML can hold.

XML 1.0 has no way to hold some characters (most control characters, halves of surrogate pairs). A column with such a
category takes its text escaped: a backslash is doubled, and what XML cannot hold is written as \\u and four digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from conceptrules.export.inputs import Input, exact_double
from conceptrules.model.evaluation import first_firing
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, categories_of
from conceptrules.model.statistics import expected_patterns

LABEL = "label"
"""The output field of the answer. Those of the rules are R1.1, R1.2, ..."""
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape_xml(text: str) -> str:
    """Return text that XML can hold.

    >>> print(escape_xml("a\\\\b\\0"))
    a\\\\b\\u0000
    """
    return ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\\", "\\\\"))


def is_escaped(network: RuleNetwork, used: Input) -> bool:
    """Return whether a column takes its text escaped."""
    values = [value for index in used.predicates for value in categories_of(network.predicates[index])]
    return any(isinstance(value, str) and ILLEGAL.search(value) for value in values)


def category_text(value: Value, used: Input, escaped: bool) -> str:
    """Return a category that the column can hold as XML has it."""
    if isinstance(value, str):
        return escape_xml(value) if escaped else value
    if used.family == "flag":
        return "true" if value else "false"
    return double_text(exact_double(value, used.column))


def label_texts(network: RuleNetwork) -> list[str]:
    """Return the classes as text, or their numbers from 0 where two of them (1 and "1") would be the same text."""
    texts = [value if isinstance(value, str) else repr(value) for value in network.classes]
    if any(ILLEGAL.search(text) for text in texts):
        texts = [escape_xml(text) for text in texts]
    return texts if len(set(texts)) == len(texts) else [str(number) for number in range(len(texts))]


def start_model(parent: Element, kind: str, fields: Iterable[str], target: str | None, **attributes: str) -> Element:
    """Add a model that takes these fields; without a target it is one of several."""
    function = "regression" if kind == "Scorecard" else "classification"
    about = {"modelName": "conceptrules", "functionName": function, "algorithmName": "Concept Rule Set"}
    model = SubElement(parent, kind, about | attributes)
    schema = SubElement(model, "MiningSchema")
    for name in fields:
        # A category that training never saw is a value like any other: no test on it holds.
        SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
    if target is not None:
        SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    return model


def add_output(output: Element, name: str, kind: str, expression: Element | None = None) -> None:
    """Add an output field: what the model predicts, or the value of an expression."""
    scale = "continuous" if kind == "double" else "categorical"
    feature = "predictedValue" if expression is None else "transformedValue"
    about = {"name": name, "optype": scale, "dataType": kind, "feature": feature}
    SubElement(output, "OutputField", about).extend([] if expression is None else [expression])


def add_rule_set(model: Element, network: RuleNetwork, fields: dict[int, str], default: int) -> None:
    """Add a rule for each class, in the order of these fields: the first that is true answers."""
    texts, shares = label_texts(network), _confidences(network)
    about = {"defaultScore": texts[default], "defaultConfidence": double_text(shares[-1])}
    rule_set = SubElement(model, "RuleSet", about)
    SubElement(rule_set, "RuleSelectionMethod", {"criterion": "firstHit"})
    for index, field in fields.items():
        about = {"id": str(index), "score": texts[index], "confidence": double_text(shares[index])}
        rule = SubElement(rule_set, "SimpleRule", about)
        SubElement(rule, "SimplePredicate", {"field": field, "operator": "equal", "value": "true"})


def _confidences(network: RuleNetwork) -> list[float]:
    """Return the share of rows expected to be right for each class, then where none fires; 1 if not known."""
    classes = len(network.classes)
    right, rows = np.zeros(classes + 1), np.zeros(classes + 1)
    for pattern, counts in expected_patterns(network):
        index = int(first_firing(np.array([pattern]), network.priority_indices, classes)[0])
        answer = network.default_index if index == classes else index
        right[index] += counts[answer]
        rows[index] += sum(counts)
    return np.divide(right, rows, out=np.ones(classes + 1), where=rows > 0).tolist()


def derive(parent: Element, name: str, words: str, expression: Element, kind: str = "boolean") -> None:
    scale = "continuous" if kind == "double" else "categorical"
    about = {"name": name, "displayName": words, "optype": scale, "dataType": kind}
    SubElement(parent, "DerivedField", about).append(expression)


def reference(field: str) -> Element:
    return Element("FieldRef", {"field": field})


def compare(function: str, field: str, *constants: Element) -> Element:
    """Return a comparison that is false where the value is missing."""
    comparison = apply(function, reference(field), *constants)
    comparison.set("mapMissingTo", "false")
    return comparison


def combine(function: str, parts: Sequence[Element]) -> Element:
    return apply(function, *parts) if len(parts) > 1 else parts[0]


def apply(function: str, *parts: Element) -> Element:
    element = Element("Apply", {"function": function})
    element.extend(parts)
    return element


def truth(value: bool) -> Element:
    return constant("true" if value else "false", "boolean")


def constant(text: str, kind: str) -> Element:
    element = Element("Constant", {"dataType": kind})
    element.text = text
    return element


def look_up(field: str, table: Mapping[str, float], otherwise: float) -> Element:
    """Return the number that a table has for the text of a field."""
    about = {"outputColumn": "number", "dataType": "double", "defaultValue": double_text(otherwise)}
    element = Element("MapValues", about)
    SubElement(element, "FieldColumnPair", {"field": field, "column": "text"})
    rows = SubElement(element, "InlineTable")
    for text, number in table.items():
        row = SubElement(rows, "row")
        SubElement(row, "text").text, SubElement(row, "number").text = text, double_text(number)
    return element


def double_text(value: float) -> str:
    """Return a number as XML Schema writes a double."""
    return repr(value) if math.isfinite(value) else "INF" if value > 0 else "-INF"
