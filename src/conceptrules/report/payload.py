"""What the page's JavaScript works with, as JSON that cannot end the element it stands in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from conceptrules.model.evaluation import decide_fired
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Kind, Missing, OneOf, Predicate, Value, shown
from conceptrules.model.statistics import lifted, probabilities
from conceptrules.model.text import (
    concept_name,
    date_text,
    datetime_text,
    duration_text,
    node_names,
    number_text,
    percent,
    plural,
    word,
)
from conceptrules.report.collect import Report
from conceptrules.report.form_fields import Field
from conceptrules.report.rule_list import Cover, Group, Item
from conceptrules.report.samples import Sample

_TEXTS = {"number": number_text, "date": date_text, "datetime": datetime_text, "duration": duration_text}


def payload(report: Report) -> str:
    """Return JSON in ASCII; `<`, `>` and `&` are written as escapes, so that no name can end the script element."""
    network = report.network
    fields = {field.name: field for field in report.fields}
    model = {
        "classes": [word(name) for name in network.classes],
        "priority": network.priority_indices,
        "default": network.default_index,
        "columns": [_column(field) for field in report.fields],
        "predicates": [_predicate(predicate, fields[predicate.column]) for predicate in network.predicates],
        "levels": [
            {
                "rules": [[[lit.index, int(lit.negated)] for lit in rule.literals] for rule in level.rules],
                "concepts": [list(concept.rules) for concept in level.concepts],
            }
            for level in network.levels
        ],
        "patterns": _patterns(network),
        "probabilities": _probabilities(network),
        "nodes": _nodes(report),
        "samples": [_sample(sample) for sample in report.samples],
    }
    text = json.dumps(model, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def bound_text(kind: Kind, value: float) -> str:
    """Return a cut point as text."""
    return _TEXTS[kind](value)


def _column(field: Field) -> dict[str, Any]:
    options = [{"value": _value(value), "text": word(value)} for value in field.options]
    return {
        "name": field.name,
        "shown": shown(field.name),
        "kind": field.kind,
        "ordered": field.ordered,
        "missing": field.missing,
        "options": options,
        "open": field.open,
        "other": _other(field),
        "cuts": field.cuts,
        "cutTexts": [bound_text(field.kind, cut) for cut in field.cuts],
        "ends": field.ends,
    }


def _other(field: Field) -> str | int:
    """Return a category that is none of the options, of the same type."""
    if field.options and not isinstance(field.options[0], str):
        return next(number for number in range(len(field.options) + 1) if number not in field.options)
    other = "any other"
    while other in field.options:
        other += " "
    return other


def _value(value: Value) -> object:
    """Return a value for JSON, which has no infinity, and for JavaScript, which reads long whole numbers wrongly."""
    if isinstance(value, float) and math.isinf(value):
        return {"infinity": value > 0}
    return {"whole": str(value)} if isinstance(value, int) and abs(value) >= 2**53 else value


def _predicate(predicate: Predicate, field: Field) -> dict[str, Any]:
    match predicate:
        case Interval(low=low, high=high):
            return {"column": field.number, "kind": "interval", "low": _bound(low), "high": _bound(high)}
        case Equals(value=value):  # a predicate that no rule uses may ask for what is no option
            option = field.options.index(value) if value in field.options else None
            return {"column": field.number, "kind": "equals", "option": option}
        case OneOf(values=values):
            places = [field.options.index(value) for value in values if value in field.options]
            return {"column": field.number, "kind": "one_of", "options": places}
        case Missing():
            return {"column": field.number, "kind": "missing"}
    raise AssertionError(predicate)


def _bound(value: float) -> float | None:
    return None if math.isinf(value) else value


def _patterns(network: RuleNetwork) -> dict[str, list[float]] | None:
    """Return training rows by class for each pattern of classes that fire: "010" is the second of three."""
    if network.statistics is None:
        return None
    return {_pattern(fires): list(rows) for fires, rows in network.statistics.patterns}


def _pattern(fires: Iterable[bool]) -> str:
    return "".join(str(int(fire)) for fire in fires)


def _probabilities(network: RuleNetwork) -> dict[str, Any] | None:
    """Return the probability stated for the answer: by pattern, and by class for patterns that training never showed.

    These are the figures of `predict_proba`.
    """
    if network.statistics is None:
        return None
    seen = [fires for fires, _ in network.statistics.patterns]
    classes = len(network.classes)
    fired = np.array(seen, dtype=np.bool_).reshape(-1, classes)
    stated = probabilities(network, fired)[np.arange(len(seen)), decide_fired(network, fired)]
    shares = np.tile(np.array(network.statistics.rows) / sum(network.statistics.rows), (classes, 1))
    return {
        "seen": dict(zip(map(_pattern, seen), stated.tolist(), strict=True)),
        "unseen": lifted(shares, np.arange(classes)).diagonal().tolist(),
    }


def _sample(sample: Sample) -> dict[str, Any]:
    values = [str(value).replace("inf", "Infinity") if _infinite(value) else value for value in sample.values]
    return {"title": sample.title, "note": sample.note, "values": values}


def _infinite(value: float | None) -> bool:
    return value is not None and math.isinf(value)


def _nodes(report: Report) -> dict[str, dict[str, str]]:
    """Return what a click on a node of the drawing tells."""
    network = report.network
    told = {f"p{index}": {"name": "Predicate", "text": text} for index, text in enumerate(node_names(network, 0))}
    for group in report.groups:
        for item in group.items:
            told.setdefault(item.node, _rule_node(item, group))
    for level, here in enumerate(network.levels[:-1]):
        for index, concept in enumerate(here.concepts):
            text = _any_of([f"R{level + 1}.{rule + 1}" for rule in concept.rules])
            told[f"c{level + 1}.{index}"] = {"name": f"Concept {concept_name(level, index)}", "text": text}
    for index, name in enumerate(network.classes):
        rules = network.levels[-1].concepts[index].rules
        text = _any_of([f"R{len(network.levels)}.{rule + 1}" for rule in rules])
        default = " It is the answer for everything else." if name == network.default else ""
        told[f"class{index}"] = {"name": f"Class {word(name)}", "text": text + default}
    return told


def _rule_node(item: Item, group: Group) -> dict[str, str]:
    covers = [_cover_text(item.trained, "training row"), _cover_text(item.given, "given row")]
    figures = "; ".join(filter(None, covers))
    return {
        "name": f"Rule {item.name}",
        "text": item.text,
        "figures": figures,
        "rule": item.id,
        "speaks": group.speaks,
    }


def _cover_text(cover: Cover | None, noun: str) -> str:
    if cover is None:
        return ""
    right = "" if cover.right is None else f", {percent(cover.right)} of them {cover.meaning} {cover.interval}"
    return f"holds on {plural(cover.rows, noun)}{right}{_decides(cover)}"


def _decides(cover: Cover) -> str:
    if not cover.contested or cover.decided is None:
        return ""
    right = (
        ""
        if cover.decided_right is None
        else f", {percent(cover.decided_right)} of these {cover.meaning} {cover.decided_interval}"
    )
    return f", and decides {plural(cover.decided, 'row')}{right}"


def _any_of(names: list[str]) -> str:
    if not names:
        return "No rule makes it hold."
    return f"Holds if {'any of ' if len(names) > 1 else ''}{', '.join(names)} does."
