"""A network as DMN 1.3: a decision table whose first row that holds decides, or whose rows' points add up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from conceptrules.export.inputs import Family, Input, free_name, inputs
from conceptrules.export.pmml.elements import ILLEGAL
from conceptrules.export.tables.feel import TYPES, literal_text, say_set, whole_moments
from conceptrules.export.tables.rows import require_one_level
from conceptrules.export.tables.value_sets import ValueSet, list_sets
from conceptrules.export.wording import header, rule_id
from conceptrules.io.model_file import dumps
from conceptrules.model.card import output_names
from conceptrules.model.derived import require_own_columns
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.predicate import Value, printable
from conceptrules.model.values import int_if_whole

NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
OWN = "https://github.com/conceptrules/conceptrules"


@dataclass(frozen=True, slots=True)
class SetRow:
    """A row of a table: what it asks of each column, as sets of values."""

    rule: int
    """The number of the rule, counted from 0."""
    sets: dict[str, ValueSet]
    """The sets by the names of their columns."""


def list_set_rows(network: RuleNetwork) -> tuple[list[SetRow], dict[str, Family]]:
    """Return the rules that can hold, and the families of the columns that they ask about."""
    require_one_level(network, "a decision table")
    require_own_columns(network.asked_derived, "a decision table in DMN or of GoRules")
    used = inputs(network)
    families: dict[str, Family] = {each.column.name: each.family for each in used}
    rows = []
    for index, rule in enumerate(network.levels[0].rules):
        sets = list_sets(network, rule.literals, families)
        for each in used:
            if each.column.name in sets:
                values = sets[each.column.name]
                sets[each.column.name] = replace(
                    values, values=tuple(hold_value(value, each) for value in values.values)
                )
        if not any(values.empty for values in sets.values()):
            rows.append(SetRow(index, sets))
    return rows, families


def hold_value(value: Value, used: Input) -> Value:
    """Return a value as its column has it: 1 in a column of numbers is true in one of true and false."""
    if isinstance(value, str) or used.column.ordered:
        return value
    return bool(value) if used.holds_flags and value in (0, 1) else int_if_whole(value + 0)


def dmn(network: RuleNetwork) -> str:
    """Return the network as DMN 1.3, or raise if it has several levels or a number that FEEL does not have.

    The table of the decision `class` has the hit policy FIRST: the rows of the class that wins first come first, and
    the last row is the default. Of a scorecard the decision `score` (`score_1` and so on for several classes) adds the
    points of all rows that hold; others above it give the class, the probability, or the number. Rules that can never
    hold are left out. An extension keeps what tables do not say, such as the categories of columns.
    """
    kinds = {column.name: column.kind for column in network.columns}
    rows = []
    for row in list_set_rows(network)[0]:
        sets = {name: whole_moments(values, kinds[name]) for name, values in row.sets.items()}
        if not any(values.empty for values in sets.values()):
            rows.append(SetRow(row.rule, sets))
    root = Element("definitions", {"xmlns": NAMESPACE, "id": "conceptrules", "name": network.target or "decision",
                                   "namespace": OWN, "exporter": "conceptrules"})  # fmt: skip
    SubElement(root, "description").text = " ".join(header(network))
    used, names = inputs(network), names_of(network)
    fields = json.dumps({field: name for name, field in names.items()})
    kept = SubElement(SubElement(root, "extensionElements"), "model", {"xmlns": OWN, "fields": fields})
    kept.text = dumps(strip_rules(network))
    for place, each in enumerate(used, start=1):
        data = SubElement(root, "inputData", {"id": f"input_{place}", "name": names[each.column.name]})
        SubElement(data, "variable", {"name": names[each.column.name], "typeRef": _type_of(each)})
    if network.head is None:
        table = _add_table(root, "class", _type_of_values(network.classes), "FIRST", used, names)
        for kind in network.priority_indices:
            for row in rows:
                if row.rule in network.levels[0].concepts[kind].rules:
                    _add_rule(table, used, row, literal_text(network.classes[kind]))
        _add_rule(table, used, None, literal_text(network.default))
    else:
        _add_card(root, network, network.head, rows, names)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def strip_rules(network: RuleNetwork) -> RuleNetwork:
    """Return a network without its rules, and without what was counted, proved or signed."""
    head = network.head and replace(network.head, points=())
    level = Level((), () if head else (Concept(),) * len(network.classes))
    return RuleNetwork(
        network.columns, network.predicates, (level,), network.classes, network.priority, network.default,
        target=network.target, names=network.names, head=head, reason_codes=network.reason_codes,
    )  # fmt: skip


def names_of(network: RuleNetwork) -> dict[str, str]:
    """Return what each column is called in expressions: its own name where that is one word."""
    taken = {
        "class",
        *score_names(network),
        "probability",
        "number",
        "best",
        "null",
        "true",
        "false",
        "not",
        "and",
        "or",
        "if",
        "in",
    }
    names: dict[str, str] = {}
    for position, column in enumerate(network.columns, start=1):
        plain = column.name.isidentifier() and column.name.isascii() and column.name not in taken
        names[column.name] = free_name(column.name if plain else f"column_{position}", {*taken, *names.values()})
    return names


def score_names(network: RuleNetwork) -> list[str]:
    """Return the names of the scores of a scorecard."""
    outputs = len(output_names(network))
    return ["score"] if outputs == 1 else [f"score_{number}" for number in range(1, outputs + 1)]


def _type_of(used: Input) -> str:
    if used.holds_flags:
        return "boolean"
    types = {"text": "string", "figure": "number", "whole": "number"}
    return types.get(used.family) or TYPES[used.column.kind]


def _type_of_values(values: Sequence[Value]) -> str:
    for kind, name in ((str, "string"), (bool, "boolean"), (int | float, "number")):
        if all(isinstance(value, kind) for value in values):
            return name
    return "Any"


def _add_decision(root: Element, name: str, kind: str, needs: Sequence[str]) -> Element:
    decision = SubElement(root, "decision", {"id": name, "name": name})
    SubElement(decision, "variable", {"name": name, "typeRef": kind})
    for need in needs:
        required = SubElement(decision, "informationRequirement")
        form = "requiredInput" if need.startswith("input_") else "requiredDecision"
        SubElement(required, form, {"href": f"#{need}"})
    return decision


def _add_table(
    root: Element, name: str, kind: str, policy: str, used: Sequence[Input], names: dict[str, str]
) -> Element:
    """Add a decision with a table over columns; rules are added to it."""
    decision = _add_decision(root, name, kind, [f"input_{place}" for place in range(1, len(used) + 1)])
    about = {"hitPolicy": "COLLECT", "aggregation": "SUM"} if policy == "SUM" else {"hitPolicy": policy}
    table = SubElement(decision, "decisionTable", {"id": f"table_{name}", **about})
    for each in used:
        _add_input(table, names[each.column.name], _type_of(each), printable(each.column.name))
    SubElement(table, "output", {"label": name, "name": name, "typeRef": kind})
    return table


def _add_input(table: Element, expression: str, kind: str, label: str) -> None:
    entry = SubElement(SubElement(table, "input", {"label": label}), "inputExpression", {"typeRef": kind})
    SubElement(entry, "text").text = expression


def _add_rule(table: Element, used: Sequence[Input], row: SetRow | None, output: str) -> None:
    sets = {} if row is None else row.sets
    entries = [say_set(sets[each.column.name], each.column.kind) if each.column.name in sets else "-" for each in used]
    rule = add_entries(table, entries, output)
    if row is not None:
        rule.set("label", f"R{rule_id(0, row.rule)}")


def add_entries(table: Element, entries: Sequence[str], output: str) -> Element:
    """Add a row."""
    rule = SubElement(table, "rule")
    for kind, text in [*(("inputEntry", entry) for entry in entries), ("outputEntry", output)]:
        # FEEL has escapes for what XML cannot hold.
        said = ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
        SubElement(SubElement(rule, kind), "text").text = said
    return rule


def _add_card(root: Element, network: RuleNetwork, head: Points, rows: Sequence[SetRow], names: dict[str, str]) -> None:
    used, scores = inputs(network), score_names(network)
    for output, score in enumerate(scores):
        table = _add_table(root, score, "number", "SUM", used, names)
        _add_rule(table, used, None, str(head.base[output]))
        for row in rows:
            if head.points[row.rule][output]:
                _add_rule(table, used, row, str(head.points[row.rule][output]))
    if head.step is not None:
        text = f"score * {literal_text(head.step)}"
        _add_expression(root, "number", f"exp({text})" if head.link == "log" else text, scores)
    elif len(scores) == 1:
        second, first = network.classes[1], network.classes[0]
        kind = _type_of_values(network.classes)
        _add_steps(root, "class", kind, [(f">= {head.cutoff}", literal_text(second)), ("-", literal_text(first))])
        steps = [(f">= {score}", literal_text(share)) for score, share in reversed(head.probabilities)]
        _add_steps(root, "probability", "number", [*steps[:-1], ("-", steps[-1][1])])
    else:
        ranks = [f"{score} + {offset}" if offset >= 0 else f"{score} - {-offset}"
                 for score, offset in zip(scores, head.offsets, strict=True)]  # fmt: skip
        _add_expression(root, "best", f"max({', '.join(ranks)})", scores)
        decision = _add_decision(root, "class", _type_of_values(network.classes), [*scores, "best"])
        table = SubElement(decision, "decisionTable", {"id": "table_class", "hitPolicy": "FIRST"})
        for score in scores:
            _add_input(table, score, "number", score)
        SubElement(table, "output", {"label": "class", "name": "class", "typeRef": _type_of_values(network.classes)})
        for place, (name, offset) in enumerate(zip(network.classes, head.offsets, strict=True)):
            entry = f">= best - {offset}" if offset >= 0 else f">= best + {-offset}"
            entries = [entry if place == other else "-" for other in range(len(scores))]
            add_entries(table, entries, literal_text(name))


def _add_expression(root: Element, name: str, text: str, needs: Sequence[str]) -> None:
    expression = SubElement(_add_decision(root, name, "number", needs), "literalExpression")
    SubElement(expression, "text").text = text


def _add_steps(root: Element, name: str, kind: str, steps: Sequence[tuple[str, str]]) -> None:
    """Add a table of the score alone, whose first row that holds answers."""
    decision = _add_decision(root, name, kind, ["score"])
    table = SubElement(decision, "decisionTable", {"id": f"table_{name}", "hitPolicy": "FIRST"})
    _add_input(table, "score", "number", "score")
    SubElement(table, "output", {"label": name, "name": name, "typeRef": kind})
    for entry, output in steps:
        add_entries(table, [entry], output)
