"""A network as PMML 4.4: predicates, rules and concepts are derived fields, and a RuleSetModel says which class wins.

XML 1.0 has no way to hold some characters (most control characters, halves of surrogate pairs). A column with such a
category takes its text escaped: a backslash is doubled, and what XML cannot hold is written as \\u and four digits.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from conceptrules.export.inputs import OWN, Input, can_hold, exact_double, field_names, free_name, inputs
from conceptrules.export.wording import concept_title, header, predicate_words, rule_id, rule_ids
from conceptrules.model.content_hash import content_hash
from conceptrules.model.evaluation import first_firing
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, categories_of, printable
from conceptrules.model.statistics import expected_patterns
from conceptrules.model.text import rule_text

NAMESPACE = "http://www.dmg.org/PMML-4_4"
LABEL = "label"
"""The output field of the answer. Those of the rules are R1.1, R1.2, ..."""
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MEANINGS = {
    "date": "microseconds since 1970-01-01 (UTC)",
    "datetime": "microseconds since 1970-01-01 (UTC)",
    "duration": "microseconds",
}


def pmml(network: RuleNetwork) -> str:
    """Return the network as PMML, or raise if double precision cannot hold a category exactly.

    Fields: numbers, dates, times and durations (these in microseconds) and categories that are numbers are doubles,
    true and false are booleans, text is strings; a value that is missing is left out. Output fields: `label`, and
    true or false for each rule, R1.1 and so on.
    """
    root = Element("PMML", {"version": "4.4", "xmlns": NAMESPACE})
    _add_header(root, network)
    used = inputs(network)
    taken = {LABEL, *(f"R{name}" for name in rule_ids(network))}
    names = field_names(network, taken)
    target = free_name("class", {*taken, *names.values()})
    _add_dictionary(root, network, used, names, target)
    _add_model(root, network, used, names, target)
    ElementTree.indent(root)
    # Parsers turn a carriage return in text into a line feed, unless it is written like this.
    body = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def escape_xml(text: str) -> str:
    """Return text that XML can hold.

    >>> print(escape_xml("a\\\\b\\0"))
    a\\\\b\\u0000
    """
    return _ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\\", "\\\\"))


def label_texts(network: RuleNetwork) -> list[str]:
    """Return the classes as text, or their numbers from 0 where two of them (1 and "1") would be the same text."""
    texts = [value if isinstance(value, str) else repr(value) for value in network.classes]
    if any(_ILLEGAL.search(text) for text in texts):
        texts = [escape_xml(text) for text in texts]
    return texts if len(set(texts)) == len(texts) else [str(number) for number in range(len(texts))]


def _add_header(root: Element, network: RuleNetwork) -> None:
    from conceptrules import __version__

    element = SubElement(root, "Header", {"description": " ".join(header(network))})
    SubElement(element, "Extension", {"name": "content_hash", "value": content_hash(network)})
    SubElement(element, "Application", {"name": "conceptrules", "version": __version__})


def _add_dictionary(
    root: Element, network: RuleNetwork, used: Sequence[Input], names: dict[str, str], target: str
) -> None:
    types = {"flag": "boolean", "text": "string"}
    dictionary = SubElement(root, "DataDictionary", {"numberOfFields": str(len(used) + 1)})
    for each in used:
        scale = "continuous" if each.family == "ordered" else "categorical"
        kind = {"optype": scale, "dataType": types.get(each.family, "double")}
        field = SubElement(dictionary, "DataField", {"name": names[each.column.name], **kind})
        if each.column.kind in _MEANINGS:
            field.set("displayName", _MEANINGS[each.column.kind])
        about = {"column": each.column.name, "escaped": _is_escaped(network, each)}
        SubElement(field, "Extension", {"name": "conceptrules", "value": json.dumps(about)})
    field = SubElement(dictionary, "DataField", {"name": target, "optype": "categorical", "dataType": "string"})
    for text in label_texts(network):
        SubElement(field, "Value", {"value": text})


def _is_escaped(network: RuleNetwork, used: Input) -> bool:
    values = [value for index in used.predicates for value in categories_of(network.predicates[index])]
    return any(isinstance(value, str) and _ILLEGAL.search(value) for value in values)


def _add_model(root: Element, network: RuleNetwork, used: Sequence[Input], names: dict[str, str], target: str) -> None:
    attributes = {"modelName": "conceptrules", "functionName": "classification", "algorithmName": "Concept Rule Set"}
    model = SubElement(root, "RuleSetModel", attributes)
    schema = SubElement(model, "MiningSchema")
    for each in used:
        # A category that training never saw is a value like any other: no test on it holds.
        SubElement(schema, "MiningField", {"name": names[each.column.name], "invalidValueTreatment": "asIs"})
    SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    _add_output(model, network)
    derived = SubElement(model, "LocalTransformations")
    for each in used:
        escape = _is_escaped(network, each)
        for index in each.predicates:
            test = _test(network.predicates[index], each, names[each.column.name], escape)
            _derive(derived, f"{OWN}p{index + 1}", predicate_words(network, index), test)
    for number in range(len(network.levels)):
        _add_level(derived, network, number)
    _add_decision(model, network)


def _add_output(model: Element, network: RuleNetwork) -> None:
    output = SubElement(model, "Output")
    kind = {"optype": "categorical", "dataType": "string"}
    SubElement(output, "OutputField", {"name": LABEL, **kind, "feature": "predictedValue"})
    for name in rule_ids(network):
        kind = {"optype": "categorical", "dataType": "boolean"}
        field = SubElement(output, "OutputField", {"name": f"R{name}", **kind, "feature": "transformedValue"})
        field.append(_reference(f"{OWN}R{name}"))


def _test(predicate: Predicate, used: Input, field: str, escape: bool) -> Element:
    match predicate:
        case Missing():
            return _apply("isMissing", _reference(field))
        case Interval(low=low, high=high):
            above = [_compare("greaterThan", field, _constant(_number(low), "double"))] if low > -math.inf else []
            up_to = [_compare("lessOrEqual", field, _constant(_number(high), "double"))] if high < math.inf else []
            return _combine("and", [*above, *up_to]) if above or up_to else _apply("isNotMissing", _reference(field))
        case Equals() | OneOf():
            constants = [
                _category(value, used, escape) for value in categories_of(predicate) if can_hold(used.family, value)
            ]
            function = "equal" if isinstance(predicate, Equals) else "isIn"
            return _compare(function, field, *constants) if constants else _truth(False)
    raise AssertionError(predicate)


def _category(value: Value, used: Input, escape: bool) -> Element:
    """Return a category that the column can hold as a constant."""
    if isinstance(value, str):
        return _constant(escape_xml(value) if escape else value, "string")
    if used.family == "flag":
        return _truth(bool(value))
    return _constant(_number(exact_double(value, used.column)), "double")


def _add_level(derived: Element, network: RuleNetwork, number: int) -> None:
    level = network.levels[number]
    for index, rule in enumerate(level.rules):
        literals = []
        for literal in rule.literals:
            name = _concept_field(number - 1, literal.index) if number else f"{OWN}p{literal.index + 1}"
            literals.append(_apply("not", _reference(name)) if literal.negated else _reference(name))
        words = printable(rule_text(network, number, index))
        condition = _combine("and", literals) if literals else _truth(True)
        _derive(derived, f"{OWN}R{rule_id(number, index)}", words, condition)
    for index, concept in enumerate(level.concepts):
        rules = [_reference(f"{OWN}R{rule_id(number, rule)}") for rule in concept.rules]
        words = printable(concept_title(network, number, index))
        _derive(derived, _concept_field(number, index), words, _combine("or", rules) if rules else _truth(False))


def _add_decision(model: Element, network: RuleNetwork) -> None:
    """Add a rule for each class, by priority: the first that hits answers."""
    texts, shares = label_texts(network), _confidences(network)
    default = texts[network.default_index]
    rule_set = SubElement(model, "RuleSet", {"defaultScore": default, "defaultConfidence": _number(shares[-1])})
    SubElement(rule_set, "RuleSelectionMethod", {"criterion": "firstHit"})
    for index in network.priority_indices:
        about = {"id": str(index), "score": texts[index], "confidence": _number(shares[index])}
        field = _concept_field(len(network.levels) - 1, index)
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


def _derive(parent: Element, name: str, words: str, expression: Element) -> None:
    about = {"name": name, "displayName": words, "optype": "categorical", "dataType": "boolean"}
    SubElement(parent, "DerivedField", about).append(expression)


def _concept_field(level: int, index: int) -> str:
    return f"{OWN}C{rule_id(level, index)}"


def _reference(field: str) -> Element:
    return Element("FieldRef", {"field": field})


def _compare(function: str, field: str, *constants: Element) -> Element:
    """Return a comparison that is false where the value is missing."""
    comparison = _apply(function, _reference(field), *constants)
    comparison.set("mapMissingTo", "false")
    return comparison


def _combine(function: str, parts: Sequence[Element]) -> Element:
    return _apply(function, *parts) if len(parts) > 1 else parts[0]


def _apply(function: str, *parts: Element) -> Element:
    element = Element("Apply", {"function": function})
    element.extend(parts)
    return element


def _truth(value: bool) -> Element:
    return _constant("true" if value else "false", "boolean")


def _constant(text: str, kind: str) -> Element:
    element = Element("Constant", {"dataType": kind})
    element.text = text
    return element


def _number(value: float) -> str:
    """Return a number as XML Schema writes a double."""
    return repr(value) if math.isfinite(value) else "INF" if value > 0 else "-INF"
