"""Runs decision tables: spreadsheets are read back, DMN runs in pyDMNrules, and GoRules models in zen-engine."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import numpy as np

from conceptrules.edit.points import read_points
from conceptrules.export.inputs import Input, inputs
from conceptrules.export.tables.dmn import hold_value, score_names
from conceptrules.export.tables.feel import decimal_text, read_duration, read_moment
from conceptrules.export.tables.rows import RuleTable, read_row
from conceptrules.export.tables.spreadsheet import RULES, read_table
from conceptrules.export.verify.engine import (
    Answers,
    ExportEngine,
    TrialRows,
    answer_words,
    holdable_rows,
    make_trial,
)
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import Concept, Level, Rule, RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import read_literals
from conceptrules.model.scoring import score_numbers
from conceptrules.model.values import int_if_whole


class SpreadsheetEngine(ExportEngine):
    """Reads a workbook back, and makes a network of nothing but its cells."""

    def run(self, network: RuleNetwork, exported: bytes, trial: TrialRows, **options: Any) -> Answers:
        from openpyxl import load_workbook

        table = read_table(load_workbook(BytesIO(exported))[RULES], network)
        answers = make_trial(rebuild(network, table), trial.values, len(trial)).expected
        return replace(answers, rules=None, probabilities=None)

    def claim(self, network: RuleNetwork, **options: Any) -> str:
        return f"the cells, read back, give the same {answer_words(network, probabilities=False)} as the model"


def rebuild(network: RuleNetwork, table: RuleTable) -> RuleNetwork:
    """Return a network with the rules of a table and the columns of a network."""
    said = [" and ".join(read_row(network, row)) or "always" for row in table.rows]
    rules = []
    for text in said:
        network, literals = read_literals(text, network)
        rules.append(Rule(literals))
    owners = [[place for place, row in enumerate(table.rows) if row.label == name] for name in network.classes]
    if network.head is None:
        level = Level(tuple(rules), tuple(map(Concept, map(tuple, owners))))
        rest = tuple(name for name in network.classes if name not in table.priority)
        parts: dict[str, Any] = {"priority": table.priority + rest, "default": table.default}
    else:
        level = Level(tuple(rules), ())
        points = tuple(read_points(network, row.amounts) for row in table.rows)
        head = replace(network.head, points=points, base=read_points(network, table.base))
        parts = {"head": head if table.cutoff is None else replace(head, cutoff=table.cutoff)}
    return replace(network, levels=(level,), statistics=None, names=(), **parts)


# DMN


_DMN = "{https://www.omg.org/spec/DMN/20191111/MODEL/}"
_MOMENT = re.compile(r'(duration|date|date and time)\("([^"]*)"\)')
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


class DmnEngine(ExportEngine):
    """Runs DMN in pyDMNrules, decision by decision.

    pyDMNrules takes commas and names of columns within texts for its own, knows no lists of dates and no negative
    durations, and hands no sums on from one decision to the next. So each text in the file, and in the rows, becomes a
    word like t1, dates and durations become microseconds, and each decision is run as a file.
    """

    def missing(self, **options: Any) -> str | None:
        return None if find_spec("pyDMNrules") else "pyDMNrules is not installed: pip install 'conceptrules[tables]'"

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        used = inputs(network)
        result = holdable_rows(used, trial, flags=True)
        for each in used:
            result &= [_has_digits(value, each) for value in trial.values[each.column.name]]
        return result

    def claim(self, network: RuleNetwork, **options: Any) -> str:
        return f"the same {answer_words(network, probabilities=False)} as the model"

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        root = ElementTree.fromstring(exported)
        words: dict[str, str] = {}
        for text in root.iter(f"{_DMN}text"):
            text.text = _MOMENT.sub(lambda match: str(_read_moment(*match.groups())), text.text or "")
            text.text = _TEXT.sub(lambda match: f'"{_word(json.loads(match[0]), words)}"', text.text or "")
        used, fields = inputs(network), [data.attrib["name"] for data in root.iter(f"{_DMN}inputData")]
        columns = [[_feel_value(value, each, words) for value in trial.values[each.column.name]] for each in used]
        rows: list[dict[str, Any]] = [{} for _ in range(len(trial))]
        for field, column in zip(fields, columns, strict=True):
            for row, value in zip(rows, column, strict=True):
                row[field] = value
        for decision in root.iter(f"{_DMN}decision"):
            name = decision.attrib["name"]
            _run_decision(decision, name, fields, rows)
            fields.append(name)
        labels = [words.get(label, label) if isinstance(label, str) else label for label in network.classes]
        return _collect(network, labels, rows, score_names(network))


def _run_decision(decision: ElementTree.Element, name: str, fields: Sequence[str], rows: list[dict[str, Any]]) -> None:
    """Add what a decision answers to each row."""
    from pyDMNrules import DMN

    texts = " ".join(text.text or "" for text in decision.iter(f"{_DMN}text"))
    needed = [field for field in fields if re.search(rf"\b{field}\b", texts)]
    alone = ElementTree.Element(f"{_DMN}definitions", {"name": "decision"})
    for field in needed:
        data = ElementTree.SubElement(alone, f"{_DMN}inputData", {"name": field})
        ElementTree.SubElement(data, f"{_DMN}variable", {"name": field, "typeRef": "Any"})
    for each in decision.iter(f"{_DMN}input"):
        each.attrib.pop("label")  # pyDMNrules would call the input so
    alone.append(decision)
    engine = DMN()
    status = engine.useXML(ElementTree.tostring(alone, encoding="unicode").replace("ns0:", "").replace(":ns0", ""))
    if status:
        raise RuntimeError(f"pyDMNrules cannot read the decision {name!r}: {status}")
    for row in rows:
        status, answer = engine.decide({field: row[field] for field in needed})
        if status:
            raise RuntimeError(f"pyDMNrules fails on {row!r}: {status}")
        row[name] = answer["Result"][name]


def _read_moment(kind: str, text: str) -> int:
    return read_duration(text) if kind == "duration" else read_moment(text)


def _word(text: str, words: dict[str, str]) -> str:
    """Return a word that pyDMNrules reads as text: the same for the same text."""
    return words.setdefault(text, f"t{len(words) + 1}")


def _feel_value(value: Value | None, used: Input, words: dict[str, str]) -> Any:
    if value is None or value != value:  # noqa: PLR0124
        return None
    return _word(value, words) if isinstance(value, str) else hold_value(value, used)


def _has_digits(value: Value | None, used: Input) -> bool:
    """Return whether pyDMNrules can have a value: a number without an exponent, a whole day of dates."""
    if value is None or isinstance(value, str | bool) or value != value:  # noqa: PLR0124
        return True
    if not math.isfinite(value) or "e" in repr(value):
        return False
    return used.column.kind != "date" or value % 86_400_000_000 == 0


def _collect(
    network: RuleNetwork, labels: Sequence[Value], rows: Sequence[dict[str, Any]], scores: Sequence[str]
) -> Answers:
    """Return the answers of an engine from what it says on each row."""
    head = network.head
    classes = [_find_label(labels, row["class"]) if network.classes else 0 for row in rows]
    answers = Answers(np.array(classes, dtype=np.intp))
    if head is None:
        return answers
    sums = np.array([[row[score] for score in scores] for row in rows], dtype=np.float64)
    whole = sums.reshape(len(rows), len(scores)).astype(np.int64)
    answers = replace(answers, scores=whole)
    if head.step is not None:
        # These engines multiply in decimals, whose last digits are not those of doubles.
        numbers, exact = np.array([row["number"] for row in rows], dtype=np.float64), score_numbers(head, whole)
        return replace(answers, numbers=np.where(np.isclose(numbers, exact, rtol=1e-12, atol=0), exact, numbers))
    if head.outputs > 1:
        return answers
    second = np.array([row["probability"] for row in rows], dtype=np.float64)
    return replace(answers, probabilities=np.stack([1 - second, second], axis=1))


def _find_label(labels: Sequence[Value], answer: Any) -> int:
    """Return the place of a class; -1 for what is none. Engines say true for True, and 1.0 or "1" for 1."""
    for place, label in enumerate(labels):
        if isinstance(label, str):
            same = label == answer
        elif isinstance(label, bool):
            same = str(answer).lower() == str(label).lower()
        else:
            same = _NUMBER.fullmatch(str(answer)) is not None and float(answer) == float(label)
        if same:
            return place
    return -1


# GoRules


class JdmEngine(ExportEngine):
    """Runs a GoRules model in zen-engine."""

    def missing(self, **options: Any) -> str | None:
        return None if find_spec("zen") else "zen-engine is not installed: pip install 'conceptrules[tables]'"

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        used = inputs(network)
        result = holdable_rows(used, trial, flags=True)
        for each in used:
            result &= [_is_decimal(value) for value in trial.values[each.column.name]]
        return result

    def claim(self, network: RuleNetwork, **options: Any) -> str:
        return f"the same {answer_words(network, probabilities=False)} as the model"

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        from zen import ZenEngine

        decision = ZenEngine().create_decision(exported)
        used, rows = inputs(network), []
        for place in range(len(trial)):
            row = {each.column.name: _json_value(trial.values[each.column.name][place], each) for each in used}
            # As text, with all digits of large numbers: those of Python would be rounded to 15 digits.
            rows.append(decision.evaluate(json.dumps(row))["result"])
        return _collect(network, network.classes, rows, score_names(network))


def _json_value(value: Value | None, used: Input) -> Value | None:
    return None if value is None or value != value else int_if_whole(hold_value(value, used))  # noqa: PLR0124


def _is_decimal(value: Value | None) -> bool:
    """Return whether GoRules can have a number: at most 28 digits, before and after the point."""
    if value is None or isinstance(value, str | bool) or value != value:  # noqa: PLR0124
        return True
    text = decimal_text(value) if math.isfinite(value) else "9" * 99
    return sum(letter.isdigit() for letter in text.lstrip("-0.")) <= 28 and len(text.rpartition(".")[2]) <= 28
