"""Scorecards in PMML: a Scorecard for one score, and a MiningModel of several for several classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement

from conceptrules.export.inputs import OWN, Input, can_hold, derived_inputs
from conceptrules.export.pmml.elements import (
    ILLEGAL,
    LABEL,
    add_output,
    add_rule_set,
    apply,
    category_text,
    constant,
    derive,
    double_text,
    escape_xml,
    is_escaped,
    label_texts,
    reference,
    start_model,
)
from conceptrules.export.wording import rule_id
from conceptrules.logic.column_cells import unseen_category
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value, finite_bounds, holds, named_categories
from conceptrules.model.reason_codes import HIGH, LOW, MISSING, find_code
from conceptrules.model.statistics import asked_columns
from conceptrules.model.values import label_text

REASONS = ("reason_1", "reason_2", "reason_3", "reason_4")
"""The output fields of the columns that cost a row most points."""


def score_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the scores of a scorecard."""
    if network.head is None:
        return []
    return ["score"] if network.head.outputs == 1 else [f"score_{text}" for text in label_texts(network)]


def share_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the probabilities, which rules have from statistics alone."""
    known = network.head is not None or network.statistics is not None
    return [f"probability_{text}" for text in label_texts(network)] if known else []


def add_card(
    root: Element, network: RuleNetwork, head: Points, used: Sequence[Input], names: dict[str, str], target: str,
    parts: Sequence[Element], rising: bool,
) -> None:  # fmt: skip
    """Add a Scorecard for a single score; reasons are what keeps it from rising, or else from falling."""
    _add_single_answer(parts[0], network, head)
    card = _start_card(root, head, 0, [names[each.column.name] for each in used], target, rising)
    card.extend(parts)
    _add_columns(SubElement(card, "Characteristics"), network, head, used, names, 1 if rising else -1)


def _add_single_answer(output: Element, network: RuleNetwork, head: Points) -> None:
    """Add a single score and what it says: the number, or the class and the probabilities."""
    add_output(output, "score", "double")
    if head.step is not None:
        number = apply("*", reference("score"), constant(double_text(head.step), "double"))
        add_output(output, LABEL, "double", apply("exp", number) if head.link == "log" else number)
    else:
        first, second = label_texts(network)
        add_output(output, LABEL, "string", _steps([(0, first), (head.cutoff, second)], "string"))
        for name, share_of in zip(share_fields(network), (lambda share: 1 - share, float), strict=True):
            steps = [(least, double_text(share_of(share))) for least, share in head.probabilities]
            add_output(output, name, "double", _steps(steps, "double"))
    for rank, name in enumerate(REASONS, start=1):
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
        return constant(steps[0][1], kind)
    table = Element("Discretize", {"field": "score", "dataType": kind})
    starts = [None, *(str(least) for least, _ in steps[1:]), None]
    for (_, value), (low, high) in zip(steps, pairwise(starts), strict=True):
        margins = {"closure": "closedOpen", "leftMargin": low, "rightMargin": high}
        step = SubElement(table, "DiscretizeBin", {"binValue": value})
        SubElement(step, "Interval", {name: margin for name, margin in margins.items() if margin is not None})
    return table


def _start_card(
    parent: Element, head: Points, output: int, fields: Sequence[str], target: str | None, rising: bool = True
) -> Element:
    reasons = {"reasonCodeAlgorithm": "pointsAbove", "baselineMethod": "min"}
    if rising:
        reasons = {"reasonCodeAlgorithm": "pointsBelow", "baselineMethod": "max"}
    return start_model(parent, "Scorecard", fields, target, initialScore=str(head.base[output]), **reasons)


def _add_columns(
    characteristics: Element, network: RuleNetwork, head: Points, used: Sequence[Input], names: dict[str, str],
    sign: int,
) -> None:  # fmt: skip
    """Add a characteristic for each column that rules ask about alone, and for each rule about several columns.

    Their reason codes are those of the columns; what a column says alone goes by a code of its own.
    """
    alone: dict[str, list[int]] = {}
    for rule, columns in enumerate(asked_columns(network)[-1]):
        if len(columns) == len(network.levels) == 1 and head.points[rule][0]:
            alone.setdefault(next(iter(columns)), []).append(rule)
    for each in (*used, *derived_inputs(network)):
        if each.column.name in alone:
            _add_column(characteristics, network, head, each, names, alone[each.column.name], sign)
    for rule, columns in enumerate(asked_columns(network)[-1]):
        ((points),) = head.points[rule]
        if points and not any(rule in rules for rules in alone.values()):
            codes = [_reason_code(network, names, column) for column in names if column in columns]
            _add_rule(characteristics, network, rule, points, " and ".join(codes), sign)
    _fill(characteristics)


def _add_rules(card: Element, network: RuleNetwork, head: Points, output: int) -> None:
    """Add a characteristic for each rule with points for one of several scores, of which there are no reasons."""
    characteristics = SubElement(card, "Characteristics")
    for rule, points in enumerate(head.points):
        if points[output]:
            _add_rule(characteristics, network, rule, points[output], "", 1)
    _fill(characteristics)


def _add_rule(characteristics: Element, network: RuleNetwork, rule: int, points: int, code: str, sign: int) -> None:
    name = f"R{rule_id(len(network.levels) - 1, rule)}"
    about = {"name": name, "reasonCode": code or name, "baselineScore": str(sign * max(sign * points, 0))}
    characteristic = SubElement(characteristics, "Characteristic", about)
    gained = SubElement(characteristic, "Attribute", {"partialScore": str(points)})
    SubElement(gained, "SimplePredicate", {"field": f"{OWN}{name}", "operator": "equal", "value": "true"})
    SubElement(SubElement(characteristic, "Attribute", {"partialScore": "0"}), "True")


def _fill(characteristics: Element) -> None:
    """Add a characteristic without points where there is none: PMML wants one."""
    if not len(characteristics):
        about = {"name": "none", "reasonCode": "none", "baselineScore": "0"}
        characteristic = SubElement(characteristics, "Characteristic", about)
        SubElement(SubElement(characteristic, "Attribute", {"partialScore": "0"}), "True")


def _add_column(
    characteristics: Element, network: RuleNetwork, head: Points, used: Input, names: dict[str, str],
    rules: Sequence[int], sign: int,
) -> None:  # fmt: skip
    """Add what a column adds to the score: for a gap, then for each range or category, then for any other."""
    column, field, escaped = used.column, names[used.column.name], is_escaped(network, used)
    scored = [
        (head.points[rule][0], [(network.predicates[each.index], each.negated) for each in literals])
        for rule in rules
        for literals in [network.levels[0].rules[rule].literals]
    ]

    def add_up(value: Value | None) -> int:
        return sum(points for points, tests in scored if all(holds(test, value) != negated for test, negated in tests))

    def add_attribute(value: Value | None, case: str) -> Element:
        about = {"partialScore": str(add_up(value)), "reasonCode": _reason_code(network, names, column.name, case)}
        return SubElement(characteristic, "Attribute", about)

    values, choices = _list_values(network, used, escaped)
    # A gap is nothing that a row could say instead: the best of the values counts.
    best = max((sign * add_up(values[number]) for number in choices), default=0)
    tops = [number for number in choices if sign * add_up(values[number]) == best]
    about = {"name": field, "reasonCode": _reason_code(network, names, column.name), "baselineScore": str(sign * best)}
    characteristic = SubElement(characteristics, "Characteristic", about)
    SubElement(add_attribute(None, MISSING), "SimplePredicate", {"field": field, "operator": "isMissing"})
    for number, value in enumerate(values):
        attribute = add_attribute(value, _read_case(column, value, number, tops))
        if number == len(values) - 1:
            SubElement(attribute, "True")
            continue
        assert column.ordered or can_hold(used.family, value)
        about = {"operator": "equal", "value": category_text(value, used, escaped)}
        if column.ordered:
            about = {"operator": "lessOrEqual", "value": double_text(float(value))}
        SubElement(attribute, "SimplePredicate", {"field": field, **about})


def _list_values(network: RuleNetwork, used: Input, escaped: bool) -> tuple[list[Value], range]:
    """Return a value for each range or category that a card tells apart, the last one for all others, and the numbers
    of those that a row can have as far as training knows."""
    column, tests = used.column, [network.predicates[index] for index in used.predicates]
    if column.ordered:
        return [*finite_bounds(tests), math.inf], range(len(finite_bounds(tests)) + 1)
    if column.kind == "boolean":
        return [False, True], range(2)
    named = [value for value in named_categories(tests) if can_hold(used.family, value)]
    cases = {each.case for each in network.reason_codes if each.column == column.name}
    known = [value for value in column.categories if can_hold(used.family, value)]
    plain = [value for value in known if escaped or not ILLEGAL.search(str(value))]
    coded = [value for value in plain if column.kind == "ordinal" or label_text(value) in cases]
    listed = [value for value in known if value in named or value in coded]
    listed += [value for value in named if value not in listed]
    others = not known or any(value not in listed for value in known)
    return [*listed, unseen_category(listed)], range(len(listed) + others)


def _read_case(column: Column, value: Value, number: int, tops: Sequence[int]) -> str:
    """Return what codes call a value: a category, or how it stands to the nearest of the best ones."""
    if not column.ordered and column.kind != "ordinal":
        return label_text(value)
    nearest = min(tops, key=lambda top: abs(top - number))
    known = column.ordered or value in column.categories
    return "" if nearest == number or not known else HIGH if nearest < number else LOW


def _reason_code(network: RuleNetwork, names: dict[str, str], column: str, case: str = "") -> str:
    entry = find_code(network.reason_codes, column, case)
    return names[column] if entry is None else escape_xml(entry.code)


def _segment_scores(head: Points) -> list[str]:
    """Return the fields of the scores of several classes, each the answer of a segment."""
    return [f"{OWN}score_{number}" for number in range(1, 1 + head.outputs)]


def add_cards(
    root: Element, network: RuleNetwork, head: Points, fields: Sequence[str], target: str, parts: Sequence[Element]
) -> None:
    """Add a MiningModel: a Scorecard for each class, and then a RuleSetModel with the class and the probabilities."""
    for name, score in zip(score_fields(network), _segment_scores(head), strict=True):
        add_output(parts[0], name, "double", reference(score))
    model = start_model(root, "MiningModel", fields, target)
    model.extend(parts)
    chain = SubElement(model, "Segmentation", {"multipleModelMethod": "modelChain"})
    rules = [f"{OWN}R{rule_id(len(network.levels) - 1, rule)}" for rule in range(len(head.points))]
    scores = _segment_scores(head)
    for place, name in enumerate(scores):
        card = _start_card(_add_segment(chain, name), head, place, rules, None)
        if not rules:  # PMML wants a field
            SubElement(card[0], "MiningField", {"name": target, "usageType": "supplementary"})
        add_output(SubElement(card, "Output"), name, "double")
        _add_rules(card, network, head, place)
    choice = start_model(_add_segment(chain, LABEL), "RuleSetModel", scores, target)
    output, derived = SubElement(choice, "Output"), SubElement(choice, "LocalTransformations")
    ranks, wins, powers = ([f"{OWN}{word}_{k + 1}" for k in range(head.outputs)] for word in ("rank", "wins", "e"))
    for rank, score, offset in zip(ranks, scores, head.offsets, strict=True):
        added = apply("+", reference(score), constant(str(offset), "double"))
        derive(derived, rank, f"{score} and its offset", added, "double")
    derive(derived, f"{OWN}best", "the largest of these", apply("max", *map(reference, ranks)), "double")
    derive(derived, f"{OWN}largest", "the largest score", apply("max", *map(reference, scores)), "double")
    for win, rank, power, score in zip(wins, ranks, powers, scores, strict=True):
        derive(derived, win, f"{rank} is the largest", apply("equal", *map(reference, (rank, f"{OWN}best"))))
        distance = apply("-", *map(reference, (score, f"{OWN}largest")))
        power_of = apply("exp", apply("*", constant(double_text(head.unit), "double"), distance))
        derive(derived, power, f"e to the power of {score} in units, over that of the largest", power_of, "double")
    add_output(output, LABEL, "string")
    for power, share in zip(powers, share_fields(network), strict=True):
        add_output(output, share, "double", apply("/", reference(power), apply("sum", *map(reference, powers))))
    add_rule_set(choice, network, dict(enumerate(wins)), 0)


def _add_segment(chain: Element, name: str) -> Element:
    segment = SubElement(chain, "Segment", {"id": name})
    SubElement(segment, "True")
    return segment
