"""What the page's JavaScript works with, as JSON that cannot end the element it stands in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from conceptrules.explain.number_scores import COVERAGE, find_ends, find_errors
from conceptrules.explain.rule_coverage import RuleCoverage
from conceptrules.logic.column_cells import unseen_category
from conceptrules.model.card import Card, amount_text, points_of, points_text
from conceptrules.model.derived import plain_derivation
from conceptrules.model.evaluation import decide_fired
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import interval_text
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value, printable
from conceptrules.model.statistics import probabilities
from conceptrules.model.text import concept_name, node_names, percent, plural, rule_name, rule_text, word
from conceptrules.report.charts import list_cutoffs
from conceptrules.report.collect import Report
from conceptrules.report.form import Field, Sample
from conceptrules.report.rule_list import Group, Item


def payload(report: Report) -> str:
    """Return JSON in ASCII; `<`, `>` and `&` are written as escapes, so that no name can end the script element."""
    network = report.network
    derived = [column for column in network.columns if column.derivation is not None]
    fields = {field.name: field for field in report.fields}
    for number, column in enumerate(derived, start=len(fields)):
        fields[column.name] = Field(column.name, column.kind, number=number, options=column.categories)
    model = {
        "classes": [word(name) for name in network.classes],
        "columns": [_column(field) for field in report.fields],
        "predicates": [_predicate(predicate, fields[predicate.column]) for predicate in network.predicates],
        "derived": [
            {**plain_derivation(column.derivation), "name": printable(column.name), "kind": column.kind}
            for column in derived
            if column.derivation
        ],
        "samples": [_sample(sample) for sample in report.samples],
        **(_decision(report) if report.card is None else _card(report, report.card)),
    }
    text = json.dumps(model, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _decision(report: Report) -> dict[str, Any]:
    network = report.network
    return {
        "priority": network.priority_indices,
        "default": network.default_index,
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
    }


def _card(report: Report, card: Card) -> dict[str, Any]:
    """Return what is not in the code of the decision: the lines as text, the range of the scores, and the cut-offs."""
    network = report.network
    head, level, scores = points_of(network), len(network.levels), report.audit.scores
    return {
        "outputs": card.outputs,
        "name": card.label or card.outputs[0],
        "base": {"points": head.base, "shown": [amount_text(value, card.step, card.link) for value in head.base]},
        "lines": {
            f"{level}.{rule + 1}": {
                "text": rule_text(network, level - 1, rule),
                "points": points,
                "shown": [points_text(value, card.step, card.link) for value in points],
            }
            for rule, points in enumerate(head.points)
        },
        "bounds": head.bounds,
        "cutoff": head.cutoff if head.probabilities else None,
        "offsets": head.offsets,
        "digits": _digits(head),
        "multiplies": head.link == "log",
        "errors": _interval_ends(network),
        "cutoffs": [
            [each.answered, round(each.recall * positives), scores.rows, positives]
            for each in list_cutoffs(scores)
            for positives in [next(known.rows for known in scores.by_class if known.label == scores.positive)]
        ]
        if scores
        else [],
    }


def _interval_ends(network: RuleNetwork) -> tuple[float, float] | None:
    """Return the ends of the errors of nine tenths of the held-out rows; None where none are known."""
    known = not network.classes and network.training is not None and network.training.errors
    return find_ends(find_errors(network, COVERAGE), COVERAGE) if known else None


def _digits(head: Points) -> dict[str, int]:
    """Return the digits that predictions are written with, in the terms of JavaScript.

    >>> _digits(Points([], [0], step=0.05)), _digits(Points([], [0], step=0.05, link="log"))
    ({'minimumFractionDigits': 2, 'maximumFractionDigits': 2}, {'maximumSignificantDigits': 3})
    """
    step = head.step or 1.0
    if head.link == "log" or not 1e-9 <= step <= 1e12:
        return {"maximumSignificantDigits": min(max(3, 1 - math.floor(math.log10(step))), 12)}
    exponent = int(Decimal(repr(step)).normalize().as_tuple().exponent)
    return {name: max(0, -exponent) for name in ("minimumFractionDigits", "maximumFractionDigits")}


def _column(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "shown": printable(field.name),
        "kind": field.kind,
        "ordered": field.ordered,
        "missing": field.missing,
        "options": [{"value": _value(value), "text": word(value)} for value in field.options],
        "open": field.open,
        "other": unseen_category(field.options),
        "cuts": field.cuts,
        "cutTexts": field.cut_texts,
        "ends": field.ends,
    }


def _value(value: Value) -> object:
    """Return a value for JSON, which has no infinity, and for JavaScript, which reads long whole numbers wrongly."""
    if isinstance(value, float) and math.isinf(value):
        return {"infinity": value > 0}
    return {"whole": str(value)} if isinstance(value, int) and abs(value) >= 2**53 else value


def _predicate(predicate: Predicate, field: Field) -> dict[str, Any]:
    # A predicate that no rule uses may ask for what is not an option.
    option = {value: place for place, value in enumerate(field.options)}
    match predicate:
        case Interval(low=low, high=high):
            bounds = {"low": None if math.isinf(low) else low, "high": None if math.isinf(high) else high}
            return {"column": field.number, "kind": "interval", **bounds}
        case Equals(value=value):
            return {"column": field.number, "kind": "equals", "option": option.get(value)}
        case OneOf(values=values):
            places = [option[value] for value in values if value in option]
            return {"column": field.number, "kind": "one_of", "options": places}
        case Missing():
            return {"column": field.number, "kind": "missing"}
    raise AssertionError(predicate)


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
    shares = np.array(network.statistics.rows) / sum(network.statistics.rows)
    return {
        "seen": dict(zip(map(_pattern, seen), stated.tolist(), strict=True)),
        "unseen": shares.tolist(),
    }


def _sample(sample: Sample) -> dict[str, Any]:
    values = [
        str(value).replace("inf", "Infinity") if isinstance(value, float) and math.isinf(value) else value
        for value in sample.values
    ]
    return {"title": sample.title, "note": sample.note, "values": values}


def _nodes(report: Report) -> dict[str, dict[str, str]]:
    """Return what a click on a node of the drawing shows."""
    network = report.network
    nodes = {f"p{index}": {"name": "Predicate", "text": text} for index, text in enumerate(node_names(network, 0))}
    for group in report.groups:
        for item in group.items:
            nodes.setdefault(item.node, _rule_node(item, group))
    for number, level in enumerate(network.levels):
        for index, concept in enumerate(level.concepts):
            rules = [rule_name(number, rule) for rule in concept.rules]
            text = f"Holds if {'any of ' if len(rules) > 1 else ''}{', '.join(rules)} does."
            text = text if rules else "No rule makes it hold."
            if level is not network.levels[-1]:
                nodes[f"c{number + 1}.{index}"] = {"name": f"Concept {concept_name(number, index)}", "text": text}
            else:
                default = " It is the answer for everything else." if index == network.default_index else ""
                nodes[f"class{index}"] = {"name": f"Class {word(network.classes[index])}", "text": text + default}
    return nodes


def _rule_node(item: Item, group: Group) -> dict[str, str]:
    figures = filter(None, [_describe_cover(item.trained, "training row"), _describe_cover(item.given, "given row")])
    return {
        "name": f"Rule {item.name}",
        "text": item.text,
        "figures": "; ".join(figures),
        "rule": item.id,
        "speaks": group.speaks,
    }


def _describe_cover(cover: RuleCoverage | None, noun: str) -> str:
    if cover is None:
        return ""
    text, label = f"holds on {plural(cover.rows, noun)}", word(cover.label)
    if cover.precision is not None:
        text += f", {percent(cover.precision)} of them {label} {interval_text(cover.interval)}"
    if cover.contested and cover.decided is not None:
        text += f", and decides {plural(cover.decided, 'row')}"
        if cover.decided_precision is not None:
            text += f", {percent(cover.decided_precision)} of these {label} {interval_text(cover.decided_interval)}"
    return text
