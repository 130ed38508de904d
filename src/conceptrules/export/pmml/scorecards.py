"""Scorecards in PMML: a Scorecard for one score, and a MiningModel of several for several classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement

from conceptrules.export.inputs import OWN
from conceptrules.export.pmml.elements import (
    LABEL,
    add_output,
    add_rule_set,
    apply,
    constant,
    derive,
    double_text,
    escape_xml,
    label_texts,
    reference,
    start_model,
)
from conceptrules.export.wording import rule_id
from conceptrules.logic.probe_rows import probe_values
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import holds
from conceptrules.model.statistics import asked_columns

REASONS = ("reason_1", "reason_2", "reason_3", "reason_4")
"""The output fields of the columns that cost a row most points."""


def score_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the scores of a scorecard."""
    if network.head is None:
        return []
    return ["score"] if network.head.outputs == 1 else [f"score_{text}" for text in label_texts(network)]


def share_fields(network: RuleNetwork) -> list[str]:
    """Return the names of the output fields with the probabilities of a scorecard."""
    return [] if network.head is None else [f"probability_{text}" for text in label_texts(network)]


def add_card(
    root: Element,
    network: RuleNetwork,
    head: Points,
    names: dict[str, str],
    target: str,
    parts: Sequence[Element],
    rising: bool,
) -> None:
    """Add a Scorecard for a single score; reasons are what keeps it from rising, or else from falling."""
    _add_single_answer(parts[0], network, head)
    card = _start_card(root, head, 0, list(names.values()), target, rising)
    card.extend(parts)
    _add_characteristics(card, network, head, 0, names, rising)


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


def _add_characteristics(
    card: Element, network: RuleNetwork, head: Points, output: int, names: dict[str, str], rising: bool = True
) -> None:
    """Add a characteristic for each rule with points, whose reason code is that of the columns that it asks about."""
    characteristics = SubElement(card, "Characteristics")
    codes = names | {column: escape_xml(code) for column, code, _ in network.reason_codes}
    sign = 1 if rising else -1
    baselines = _baselines(network, [sign * row[output] for row in head.points])
    for rule, columns in enumerate(asked_columns(network)[-1]):
        points, name = head.points[rule][output], f"R{rule_id(len(network.levels) - 1, rule)}"
        if points:
            code = " and ".join(codes[column] for column in names if column in columns) or name
            about = {"name": name, "reasonCode": code, "baselineScore": str(sign * baselines[rule])}
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


def add_cards(
    root: Element, network: RuleNetwork, head: Points, names: dict[str, str], target: str, parts: Sequence[Element]
) -> None:
    """Add a MiningModel: a Scorecard for each class, and then a RuleSetModel with the class and the probabilities."""
    for name, score in zip(score_fields(network), _segment_scores(head), strict=True):
        add_output(parts[0], name, "double", reference(score))
    model = start_model(root, "MiningModel", names.values(), target)
    model.extend(parts)
    chain = SubElement(model, "Segmentation", {"multipleModelMethod": "modelChain"})
    rules = [f"{OWN}R{rule_id(len(network.levels) - 1, rule)}" for rule in range(len(head.points))]
    scores = _segment_scores(head)
    for place, name in enumerate(scores):
        card = _start_card(_add_segment(chain, name), head, place, rules, None)
        if not rules:  # PMML wants a field
            SubElement(card[0], "MiningField", {"name": target, "usageType": "supplementary"})
        add_output(SubElement(card, "Output"), name, "double")
        _add_characteristics(card, network, head, place, names)
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
