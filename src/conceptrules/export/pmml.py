"""A network as PMML 4.4: predicates, rules and concepts are derived fields, and a model above them gives the answer.

That is a RuleSetModel, which says which class wins. Of a scorecard for two classes or for a number it is a Scorecard,
for several classes a MiningModel: a Scorecard for each class, and then a RuleSetModel that picks the largest score.

XML 1.0 has no way to hold some characters (most control characters, halves of surrogate pairs). A column with such a
category takes its text escaped: a backslash is doubled, and what XML cannot hold is written as \\u and four digits.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from conceptrules.export.inputs import OWN, Input, can_hold, exact_double, field_names, free_name, inputs
from conceptrules.export.wording import concept_title, header, predicate_words, rule_id, rule_ids
from conceptrules.logic.probe_rows import probe_values
from conceptrules.model.content_hash import content_hash
from conceptrules.model.evaluation import first_firing
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import (
    Equals,
    Interval,
    Missing,
    OneOf,
    Predicate,
    Value,
    categories_of,
    holds,
    printable,
)
from conceptrules.model.statistics import asked_columns, expected_patterns
from conceptrules.model.text import rule_text

NAMESPACE = "http://www.dmg.org/PMML-4_4"
LABEL = "label"
"""The output field of the answer. Those of the rules are R1.1, R1.2, ..."""
_REASONS = ("reason_1", "reason_2", "reason_3", "reason_4")
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
    true or false for each rule, R1.1 and so on; of a scorecard also `score`, or `score_a` and so on for several
    classes, the probability of each class, `probability_a`, and, of one score, the columns that cost the row most
    points against the largest score that there can be, from `reason_1` on.
    """
    root = Element("PMML", {"version": "4.4", "xmlns": NAMESPACE})
    _add_header(root, network)
    used = inputs(network)
    taken = {LABEL, *score_fields(network), *share_fields(network), *(f"R{name}" for name in rule_ids(network))}
    taken.update(_REASONS if network.head is not None else ())
    names = field_names(network, taken)
    target = free_name("class" if _classifies(network) else "points", {*taken, *names.values()})
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


def score_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the scores of a scorecard."""
    if network.head is None:
        return []
    return ["score"] if network.head.outputs == 1 else [f"score_{text}" for text in label_texts(network)]


def share_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the probabilities of a scorecard."""
    return [] if network.head is None else [f"probability_{text}" for text in label_texts(network)]


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
    kind = {"optype": "categorical", "dataType": "string"}
    if not _classifies(network):
        kind = {"optype": "continuous", "dataType": "double"}
    field = SubElement(dictionary, "DataField", {"name": target, **kind})
    for text in label_texts(network) if _classifies(network) else ():
        SubElement(field, "Value", {"value": text})


def _classifies(network: RuleNetwork) -> bool:
    """Return whether the model itself predicts a class: a Scorecard predicts a sum, from which outputs are made."""
    return network.head is None or network.head.outputs > 1


def _is_escaped(network: RuleNetwork, used: Input) -> bool:
    values = [value for index in used.predicates for value in categories_of(network.predicates[index])]
    return any(isinstance(value, str) and _ILLEGAL.search(value) for value in values)


def _add_model(root: Element, network: RuleNetwork, used: Sequence[Input], names: dict[str, str], target: str) -> None:
    head, fields, output = network.head, list(names.values()), Element("Output")
    parts = [output, _nodes(network, used, names)]
    if head is None:
        _add_output(output, LABEL, "string")
        model = _start_model(root, "RuleSetModel", fields, target)
        model.extend(parts)
        _add_rule_set(model, network, _priority(network), network.default_index)
    elif head.outputs == 1:
        _add_single_answer(output, network, head)
        card = _start_card(root, head, 0, fields, target)
        card.extend(parts)
        _add_characteristics(card, network, head, 0, names)
    else:
        for name, score in zip(score_fields(network), _segment_scores(head), strict=True):
            _add_output(output, name, "double", _reference(score))
        model = _start_model(root, "MiningModel", fields, target)
        model.extend(parts)
        _add_segments(model, network, head, names, target)
    for name in rule_ids(network):
        _add_output(output, f"R{name}", "boolean", _reference(f"{OWN}R{name}"))


def _start_model(parent: Element, kind: str, fields: Sequence[str], target: str | None, **attributes: str) -> Element:
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


def _nodes(network: RuleNetwork, used: Sequence[Input], names: dict[str, str]) -> Element:
    """Return the predicates, rules and concepts as derived fields."""
    derived = Element("LocalTransformations")
    for each in used:
        escape = _is_escaped(network, each)
        for index in each.predicates:
            test = _test(network.predicates[index], each, names[each.column.name], escape)
            _derive(derived, f"{OWN}p{index + 1}", predicate_words(network, index), test)
    for number in range(len(network.levels)):
        _add_level(derived, network, number)
    return derived


def _add_output(output: Element, name: str, kind: str, expression: Element | None = None) -> None:
    """Add an output field: what the model predicts, or the value of an expression."""
    scale = "continuous" if kind == "double" else "categorical"
    feature = "predictedValue" if expression is None else "transformedValue"
    about = {"name": name, "optype": scale, "dataType": kind, "feature": feature}
    SubElement(output, "OutputField", about).extend([] if expression is None else [expression])


# Scorecards


def _add_single_answer(output: Element, network: RuleNetwork, head: Points) -> None:
    """Add a single score and what it says: the number, or the class and the probabilities."""
    _add_output(output, "score", "double")
    if head.step is not None:
        number = _apply("*", _reference("score"), _constant(_number(head.step), "double"))
        _add_output(output, LABEL, "double", _apply("exp", number) if head.link == "log" else number)
    else:
        first, second = label_texts(network)
        _add_output(output, LABEL, "string", _steps([(0, first), (head.cutoff, second)], "string"))
        for name, share_of in zip(share_fields(network), (lambda share: 1 - share, float), strict=True):
            steps = [(least, _number(share_of(share))) for least, share in head.probabilities]
            _add_output(output, name, "double", _steps(steps, "double"))
    for rank, name in enumerate(_REASONS, start=1):
        about = {
            "name": name,
            "optype": "categorical",
            "dataType": "string",
            "feature": "reasonCode",
            "rank": str(rank),
        }
        SubElement(output, "OutputField", about)


def _steps(steps: Sequence[tuple[int, str]], kind: str) -> Element:
    """Return the value that belongs to a score, from the least score of each value; the first one holds below, too."""
    if len(steps) == 1:
        return _constant(steps[0][1], kind)
    table = Element("Discretize", {"field": "score", "dataType": kind})
    starts = [None, *(str(least) for least, _ in steps[1:]), None]
    for (_, value), (low, high) in zip(steps, pairwise(starts), strict=True):
        margins = {"closure": "closedOpen", "leftMargin": low, "rightMargin": high}
        step = SubElement(table, "DiscretizeBin", {"binValue": value})
        SubElement(step, "Interval", {name: margin for name, margin in margins.items() if margin is not None})
    return table


def _start_card(parent: Element, head: Points, output: int, fields: Sequence[str], target: str | None) -> Element:
    reasons = {"reasonCodeAlgorithm": "pointsBelow", "baselineMethod": "max"}
    return _start_model(parent, "Scorecard", fields, target, initialScore=str(head.base[output]), **reasons)


def _add_characteristics(card: Element, network: RuleNetwork, head: Points, output: int, names: dict[str, str]) -> None:
    """Add a characteristic for each rule with points, whose reason code is the columns that it asks about."""
    characteristics = SubElement(card, "Characteristics")
    baselines = _baselines(network, [row[output] for row in head.points])
    for rule, columns in enumerate(asked_columns(network)[-1]):
        points, name = head.points[rule][output], f"R{rule_id(len(network.levels) - 1, rule)}"
        if points:
            code = " and ".join(names[column] for column in names if column in columns) or name
            about = {"name": name, "reasonCode": code, "baselineScore": str(baselines[rule])}
            characteristic = SubElement(characteristics, "Characteristic", about)
            gained = SubElement(characteristic, "Attribute", {"partialScore": str(points)})
            SubElement(gained, "SimplePredicate", {"field": f"{OWN}{name}", "operator": "equal", "value": "true"})
            SubElement(SubElement(characteristic, "Attribute", {"partialScore": "0"}), "True")
    if not len(characteristics):  # PMML wants one
        about = {"name": "none", "reasonCode": "none", "baselineScore": "0"}
        characteristic = SubElement(characteristics, "Characteristic", about)
        SubElement(SubElement(characteristic, "Attribute", {"partialScore": "0"}), "True")


def _baselines(network: RuleNetwork, points: Sequence[int]) -> list[int]:
    """Return what each rule adds to the largest score; those that ask about one column alone add up to its best value.

    No value may be the best for all of them, so the first one bears the difference.
    """
    baselines, alone = [max(each, 0) for each in points], asked_columns(network)[0] if len(network.levels) == 1 else []
    for column in network.columns:
        rules = [rule for rule, columns in enumerate(alone) if columns == {column.name} and points[rule]]
        literals = {rule: network.levels[0].rules[rule].literals for rule in rules}
        tests = [network.predicates[each.index] for rule in rules for each in literals[rule]]
        sums = [
            sum(
                points[rule]
                for rule in rules
                if all(holds(network.predicates[each.index], value) != each.negated for each in literals[rule])
            )
            for value in probe_values(column, tests)
        ]
        if rules:
            baselines[rules[0]] += max(sums) - sum(baselines[rule] for rule in rules)
    return baselines


def _segment_scores(head: Points) -> list[str]:
    """Return the fields of the scores of several classes, each the answer of a segment."""
    return [f"{OWN}score_{number}" for number in range(1, 1 + head.outputs)]


def _add_segments(model: Element, network: RuleNetwork, head: Points, names: dict[str, str], target: str) -> None:
    """Add a Scorecard for each class, and a RuleSetModel that picks the class and has the probabilities."""
    chain = SubElement(model, "Segmentation", {"multipleModelMethod": "modelChain"})
    rules = [f"{OWN}R{rule_id(len(network.levels) - 1, rule)}" for rule in range(len(head.points))]
    scores = _segment_scores(head)
    for number, name in enumerate(scores):
        card = _start_card(_add_segment(chain, name), head, number, rules, None)
        if not rules:  # PMML wants a field
            SubElement(card[0], "MiningField", {"name": target, "usageType": "supplementary"})
        _add_output(SubElement(card, "Output"), name, "double")
        _add_characteristics(card, network, head, number, names)
    choice = _start_model(_add_segment(chain, LABEL), "RuleSetModel", scores, target)
    output, derived = SubElement(choice, "Output"), SubElement(choice, "LocalTransformations")
    ranks, wins, powers = ([f"{OWN}{word}_{k + 1}" for k in range(head.outputs)] for word in ("rank", "wins", "e"))
    for rank, score, offset in zip(ranks, scores, head.offsets, strict=True):
        added = _apply("+", _reference(score), _constant(str(offset), "double"))
        _derive(derived, rank, f"{score} and its offset", added, "double")
    _derive(derived, f"{OWN}best", "the largest of these", _apply("max", *map(_reference, ranks)), "double")
    _derive(derived, f"{OWN}largest", "the largest score", _apply("max", *map(_reference, scores)), "double")
    for win, rank, power, score in zip(wins, ranks, powers, scores, strict=True):
        _derive(derived, win, f"{rank} is the largest", _apply("equal", *map(_reference, (rank, f"{OWN}best"))))
        distance = _apply("-", *map(_reference, (score, f"{OWN}largest")))
        power_of = _apply("exp", _apply("*", _constant(_number(head.unit), "double"), distance))
        _derive(derived, power, f"e to the power of {score} in units, over that of the largest", power_of, "double")
    _add_output(output, LABEL, "string")
    for power, share in zip(powers, share_fields(network), strict=True):
        _add_output(output, share, "double", _apply("/", _reference(power), _apply("sum", *map(_reference, powers))))
    _add_rule_set(choice, network, dict(enumerate(wins)), 0)


def _add_segment(chain: Element, name: str) -> Element:
    segment = SubElement(chain, "Segment", {"id": name})
    SubElement(segment, "True")
    return segment


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


def _add_rule_set(model: Element, network: RuleNetwork, fields: dict[int, str], default: int) -> None:
    """Add a rule for each class, in the order of these fields: the first that is true answers."""
    texts, shares = label_texts(network), _confidences(network)
    about = {"defaultScore": texts[default], "defaultConfidence": _number(shares[-1])}
    rule_set = SubElement(model, "RuleSet", about)
    SubElement(rule_set, "RuleSelectionMethod", {"criterion": "firstHit"})
    for index, field in fields.items():
        about = {"id": str(index), "score": texts[index], "confidence": _number(shares[index])}
        rule = SubElement(rule_set, "SimpleRule", about)
        SubElement(rule, "SimplePredicate", {"field": field, "operator": "equal", "value": "true"})


def _priority(network: RuleNetwork) -> dict[int, str]:
    """Return the field that says where each class fires, by priority."""
    return {index: _concept_field(len(network.levels) - 1, index) for index in network.priority_indices}


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


def _derive(parent: Element, name: str, words: str, expression: Element, kind: str = "boolean") -> None:
    scale = "categorical" if kind == "boolean" else "continuous"
    about = {"name": name, "displayName": words, "optype": scale, "dataType": kind}
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
