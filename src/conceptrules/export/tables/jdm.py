"""A network as a GoRules JSON Decision Model: a decision table, and of a scorecard an expression that adds points."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from conceptrules.export.inputs import Family, inputs
from conceptrules.export.tables.dmn import list_set_rows, score_names
from conceptrules.export.tables.feel import decimal_text
from conceptrules.export.tables.value_sets import ALL, ValueSet, asks_nothing
from conceptrules.export.wording import header, rule_id
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, printable
from conceptrules.model.text import column_word

_DIGITS = 28
"""How many digits the numbers of GoRules have, before and after the point."""


def jdm(network: RuleNetwork) -> str:
    """Return the network as a GoRules JSON Decision Model, or raise if it has several levels or too long a number.

    Fields have the names of the columns; dates, times and durations are microseconds (since 1970-01-01, UTC). The table
    has the hit policy first: the rows of the class that wins first come first, and the last row is the default. Of a
    scorecard it has the hit policy collect, and an expression node adds the points of its rows up. The result has
    `class`, of a scorecard the scores too, and `probability` of the second class of two, or `number`.
    """
    rows, families = list_set_rows(network)
    used = inputs(network)
    fields = {each.column.name: f"c{place}" for place, each in enumerate(used, start=1)}
    table: dict[str, Any] = {
        "hitPolicy": "first" if network.head is None else "collect",
        "passThrough": False,
        "inputField": None,
        "outputPath": None if network.head is None else "rows",
        "executionMode": "single",
        "inputs": [
            {
                "id": fields[each.column.name],
                "name": printable(column_word(each.column)),
                "field": _field(each.column.name),
            }
            for each in used
        ],
    }
    said = {row.rule: {fields[name]: say_set(values, name, families[name]) for name, values in row.sets.items()}
            for row in rows}  # fmt: skip
    blank = dict.fromkeys(fields.values(), "")
    head = network.head
    if head is None:
        table["outputs"] = [{"id": "answer", "name": "class", "field": "class"}]
        table["rules"] = [
            {"_id": f"{kind}-{rule_id(0, row.rule)}", "_description": f"R{rule_id(0, row.rule)}", **blank,
             **said[row.rule], "answer": _literal(network.classes[kind])}
            for kind in network.priority_indices for row in rows
            if row.rule in network.levels[0].concepts[kind].rules
        ]  # fmt: skip
        table["rules"].append({"_id": "default", **blank, "answer": _literal(network.default)})
        nodes = [_node("table", "decisionTableNode", "rules", table)]
    else:
        scores = score_names(network)
        table["outputs"] = [{"id": score, "name": score, "field": score} for score in scores]
        table["rules"] = [_points_row("base", blank, scores, head.base)]
        table["rules"] += [
            _points_row(f"R{rule_id(0, row.rule)}", {**blank, **said[row.rule]}, scores, head.points[row.rule])
            for row in rows
        ]
        expressions = [{"id": name, "key": name, "value": text} for name, text in _expressions(network, head, scores)]
        content = {"expressions": expressions, "passThrough": False, "inputField": None, "outputPath": None}
        nodes = [
            _node("table", "decisionTableNode", "points", table),
            _node("sum", "expressionNode", "answer", content),
        ]
    nodes = [_node("input", "inputNode", "row", {}), *nodes, _node("output", "outputNode", "answer", {})]
    edges = [
        {"id": f"e{place}", "type": "edge", "sourceId": source["id"], "targetId": target["id"]}
        for place, (source, target) in enumerate(itertools.pairwise(nodes))
    ]
    model = {"contentType": "application/vnd.gorules.decision", "nodes": nodes, "edges": edges}
    return json.dumps({**model, "description": header(network)}, indent=1) + "\n"


def _node(name: str, kind: str, title: str, content: dict[str, Any]) -> dict[str, Any]:
    place = {"input": 0, "table": 250, "sum": 500, "output": 750}[name]
    return {"id": name, "type": kind, "name": title, "position": {"x": place, "y": 0}, "content": content}


def _points_row(name: str, cells: dict[str, str], scores: Sequence[str], points: Sequence[int]) -> dict[str, str]:
    return {"_id": name, "_description": name, **cells, **dict(zip(scores, map(str, points), strict=True))}


def _expressions(network: RuleNetwork, head: Points, scores: Sequence[str]) -> list[tuple[str, str]]:
    """Return what is worked out from the rows of points."""
    result = [(score, f"sum(map(rows, #.{score}))") for score in scores]
    if head.step is not None:
        if head.link == "log":
            raise InputError("GoRules has no e to the power of a number, which this card with the log link needs")
        return [*result, ("number", f"$.score * {_number(head.step, 'the step')}")]
    first, *others = map(_literal, network.classes)
    if len(scores) == 1:
        steps = "".join(f"$.score >= {score} ? {_number(share, 'the probabilities')} : "
                        for score, share in reversed(head.probabilities[1:]))  # fmt: skip
        chance = f"{steps}{_number(head.probabilities[0][1], 'the probabilities')}"
        return [*result, ("class", f"$.score >= {head.cutoff} ? {others[0]} : {first}"), ("probability", chance)]
    ranks = [f"($.{score} + {offset})" for score, offset in zip(scores, head.offsets, strict=True)]
    best = f"max([{', '.join(ranks)}])"
    choice = "".join(f"{rank} == {best} ? {name} : " for rank, name in zip(ranks, [first, *others], strict=True))
    return [*result, ("class", f"{choice}{others[-1]}")]


def _field(name: str) -> str:
    """Return how the value of a column is asked for: by its own name where that is one word."""
    return f"$root[{_literal(name)}]"


def _literal(value: Value) -> str:
    """Return a category, class or name. Text has no escapes: what has both kinds of quotes is joined from parts."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return _number(value, "a category or class")
    parts = [f"'{part}'" if '"' in part else f'"{part}"' for part in re.findall(r"""[^"]+|"+""", value)]
    return " + ".join(parts) or '""'


def _number(value: float, place: str) -> str:
    text = decimal_text(value)
    if sum(letter.isdigit() for letter in text.lstrip("-0.")) > _DIGITS or len(text.rpartition(".")[2]) > _DIGITS:
        raise InputError(
            f"numbers of GoRules have {_DIGITS} digits, and {value!r} in {place} has more; choose another cut or "
            "another unit, or export to another format"
        )
    return text


def say_set(values: ValueSet, name: str, family: Family) -> str:
    """Return a set as a cell; an empty cell asks nothing."""
    if asks_nothing(values):
        return ""
    if family == "ordered":
        parts = ["null"] * values.missing  # which has to come first: a comparison with null ends the cell
        for low, high in values.ranges:
            ends = [_number(end, f"column {name!r}") if math.isfinite(end) else "" for end in (low, high)]
            parts.append(f"({ends[0]}..{ends[1]}]" if all(ends) else f"> {ends[0]}" if ends[0] else f"<= {ends[1]}")
        return "$ != null" if values.ranges == (ALL,) else ", ".join(parts)
    listed = ", ".join(_literal(value) for value in values.values)
    if values.excluded:
        present = [] if values.missing else ["$ != null"]
        return " and ".join([*present, *([f"$ not in [{listed}]"] if listed else [])])
    return ", ".join([*(["null"] if values.missing else []), *([listed] if listed else [])])
