"""A network as PMML 4.4: predicates, rules and concepts are derived fields, and a model above them gives the answer.

That is a RuleSetModel, which says which class wins. Of a scorecard for two classes or for a number it is a Scorecard,
for several classes a MiningModel: a Scorecard for each class, and then a RuleSetModel that picks the largest score.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from conceptrules.export.inputs import OWN, Input, can_hold, derived_inputs, field_names, free_name, inputs
from conceptrules.export.pmml.elements import (
    LABEL,
    add_output,
    add_rule_set,
    apply,
    category_text,
    combine,
    compare,
    constant,
    derive,
    double_text,
    is_escaped,
    label_texts,
    look_up,
    reference,
    start_model,
    truth,
)
from conceptrules.export.pmml.scorecards import REASONS, add_card, add_cards, score_fields, share_fields
from conceptrules.export.wording import concept_title, header, predicate_words, rule_id, rule_ids
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import Relation
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, categories_of, printable
from conceptrules.model.statistics import tabulate_probabilities
from conceptrules.model.text import rule_text
from conceptrules.model.values import label_text

_LARGEST = double_text(sys.float_info.max)
NAMESPACE = "http://www.dmg.org/PMML-4_4"
_MEANINGS = {
    "date": "microseconds since 1970-01-01 (UTC)",
    "datetime": "microseconds since 1970-01-01 (UTC)",
    "duration": "microseconds",
}


def pmml(network: RuleNetwork, *, reasons_to: Value | None = None) -> str:
    """Return the network as PMML, or raise if double precision cannot hold a category exactly.

    Fields: numbers, dates, times and durations (these in microseconds) and categories that are numbers are doubles,
    true and false are booleans, text is strings; a value that is missing is left out. Output fields: `label`, true or
    false for each rule, R1.1 and so on, and the probability of each class, `probability_a`, unless the network has no
    statistics; of a scorecard also `score`, or `score_a` and so on for several classes, and, of one score, the columns
    that cost the row most points against the best that they can say, from `reason_1` on. `reasons_to` is the class that
    these points are lost for, by default the second one; of a number, it is "high" (the default) or "low".
    """
    rising = _reasons_rise(network, reasons_to)
    root = Element("PMML", {"version": "4.4", "xmlns": NAMESPACE})
    _add_header(root, network)
    used = inputs(network)
    taken = {LABEL, *score_fields(network), *share_fields(network), *(f"R{name}" for name in rule_ids(network))}
    taken.update(REASONS if network.head is not None else ())
    names = field_names(network, (*used, *derived_inputs(network)), taken)
    target = free_name("class" if _classifies(network) else "points", {*taken, *names.values()})
    _add_dictionary(root, network, used, names, target)
    _add_model(root, network, used, names, target, rising)
    ElementTree.indent(root)
    # Parsers turn a carriage return in text into a line feed, unless it is written like this.
    body = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


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
        about = {"column": each.column.name, "escaped": is_escaped(network, each)}
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


def _reasons_rise(network: RuleNetwork, reasons_to: Value | None) -> bool:
    """Return whether reasons are what keeps the score down, rather than what keeps it up."""
    single = network.head is not None and network.head.outputs == 1
    aims = list(network.classes or ("low", "high")) if single else []
    if reasons_to is None:
        return True
    texts = list(map(label_text, aims))
    if label_text(reasons_to) not in texts:
        only = "only scorecards of two classes or of a number have reason codes"
        raise InputError(f"reasons_to is {reasons_to!r}; {f'it is one of {texts}' if texts else only}")
    return texts.index(label_text(reasons_to)) == 1


def _add_model(
    root: Element, network: RuleNetwork, used: Sequence[Input], names: dict[str, str], target: str, rising: bool
) -> None:
    head, output, fields = network.head, Element("Output"), [names[each.column.name] for each in used]
    parts = [output, _nodes(network, used, names)]
    if head is None:
        add_output(output, LABEL, "string")
        model = start_model(root, "RuleSetModel", fields, target)
        model.extend(parts)
        add_rule_set(model, network, _priority(network), network.default_index)
        if network.statistics is not None:
            _add_probabilities(network, *parts)
    elif head.outputs == 1:
        add_card(root, network, head, used, names, target, parts, rising)
    else:
        add_cards(root, network, head, fields, target, parts)
    for name in rule_ids(network):
        add_output(output, f"R{name}", "boolean", reference(f"{OWN}R{name}"))


def _nodes(network: RuleNetwork, used: Sequence[Input], names: dict[str, str]) -> Element:
    """Return the predicates, rules and concepts as derived fields."""
    derived = Element("LocalTransformations")
    relations = derived_inputs(network)
    for each in relations:
        _add_relation(derived, each, names)
    for each in (*used, *relations):
        escape = is_escaped(network, each)
        for index in each.predicates:
            test = _test(network.predicates[index], each, names[each.column.name], escape)
            derive(derived, f"{OWN}p{index + 1}", predicate_words(network, index), test)
    for number in range(len(network.levels)):
        _add_level(derived, network, number)
    return derived


def _add_relation(parent: Element, used: Input, names: dict[str, str]) -> None:
    """Add what two columns are to each other; it is missing where either of them is, and where it is no number."""
    relation, name = used.column.derivation, names[used.column.name]
    assert isinstance(relation, Relation)
    fields = [names[column] for column in relation.columns]
    known = apply("and", *(apply("isNotMissing", reference(field)) for field in fields))
    if relation.operator == "<":
        result = apply("lessThan", *map(reference, fields))
        derive(parent, name, used.column.name, apply("if", known, result))
        return
    # JPMML fails where a result is no number, as infinity less infinity is.
    finite = [apply("lessOrEqual", apply("abs", reference(field)), constant(_LARGEST, "double")) for field in fields]
    usual = apply("or", apply("notEqual", *map(reference, fields)), finite[0])
    if relation.operator == "/":
        usual = apply("and", compare("notEqual", fields[1], constant("0", "double")), apply("or", *finite))
    result = apply("if", usual, apply(relation.operator, *map(reference, fields)))
    derive(parent, name, used.column.name, apply("if", known, result), "double")


def _test(predicate: Predicate, used: Input, field: str, escape: bool) -> Element:
    match predicate:
        case Missing():
            return apply("isMissing", reference(field))
        case Interval(low=low, high=high):
            above = [compare("greaterThan", field, constant(double_text(low), "double"))] if low > -math.inf else []
            up_to = [compare("lessOrEqual", field, constant(double_text(high), "double"))] if high < math.inf else []
            return combine("and", [*above, *up_to]) if above or up_to else apply("isNotMissing", reference(field))
        case Equals() | OneOf():
            constants = [
                _category(value, used, escape) for value in categories_of(predicate) if can_hold(used.family, value)
            ]
            function = "equal" if isinstance(predicate, Equals) else "isIn"
            return compare(function, field, *constants) if constants else truth(False)
    raise AssertionError(predicate)


def _category(value: Value, used: Input, escaped: bool) -> Element:
    """Return a category that the column can hold as a constant."""
    kind = "string" if isinstance(value, str) else "boolean" if used.family == "flag" else "double"
    return constant(category_text(value, used, escaped), kind)


def _add_level(derived: Element, network: RuleNetwork, number: int) -> None:
    level = network.levels[number]
    for index, rule in enumerate(level.rules):
        literals = []
        for literal in rule.literals:
            name = _concept_field(number - 1, literal.index) if number else f"{OWN}p{literal.index + 1}"
            literals.append(apply("not", reference(name)) if literal.negated else reference(name))
        words = printable(rule_text(network, number, index))
        condition = combine("and", literals) if literals else truth(True)
        derive(derived, f"{OWN}R{rule_id(number, index)}", words, condition)
    for index, concept in enumerate(level.concepts):
        rules = [reference(f"{OWN}R{rule_id(number, rule)}") for rule in concept.rules]
        words = printable(concept_title(network, number, index))
        derive(derived, _concept_field(number, index), words, combine("or", rules) if rules else truth(False))


def _add_probabilities(network: RuleNetwork, output: Element, derived: Element) -> None:
    """Add the probability of each class, looked up by which classes fire: a text of a 0 or 1 for each."""
    assert network.statistics is not None
    fires = [reference(_concept_field(len(network.levels) - 1, index)) for index in range(len(network.classes))]
    digits = [apply("if", field, constant("1", "string"), constant("0", "string")) for field in fires]
    derive(derived, f"{OWN}pattern", "which classes fire", combine("concat", digits), "string")
    seen = ["".join("01"[fire] for fire in pattern) for pattern, _ in network.statistics.patterns]
    unseen, known = tabulate_probabilities(network)
    for index, name in enumerate(share_fields(network)):
        table = dict(zip(seen, known[:, index].tolist(), strict=True))
        otherwise = unseen[0, index].item()
        share = look_up(f"{OWN}pattern", table, otherwise) if table else constant(double_text(otherwise), "double")
        add_output(output, name, "double", share)


def _priority(network: RuleNetwork) -> dict[int, str]:
    """Return the field that says where each class fires, by priority."""
    return {index: _concept_field(len(network.levels) - 1, index) for index in network.priority_indices}


def _concept_field(level: int, index: int) -> str:
    return f"{OWN}C{rule_id(level, index)}"
