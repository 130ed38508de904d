"""Test cases of a network: rows with the answers that people expect, put in, taken out and run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.edit.operations import KINDS, Operation
from conceptrules.edit.rules import Conflict
from conceptrules.logic.column_cells import MOMENTS, raw_value
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value
from conceptrules.model.provenance import Case
from conceptrules.model.rule_reader import nearest_name, read_bound
from conceptrules.model.text import value_text, value_word, word
from conceptrules.model.values import label_text, match_label
from conceptrules.tables.prediction import predict


@dataclass(frozen=True, slots=True)
class AddCase(Operation):
    """Add a test case: a row, and the answer that is expected for it. It decides nothing."""

    kind = "add-case"
    row: Mapping[str, Value | None]
    """The values of columns; moments are text, as rules show them. A column that is not named is missing."""
    answer: Value
    """The class, or the number."""
    note: str = ""
    """What the case is about."""

    @property
    def text(self) -> str:
        verb = self.kind.removesuffix("-case")
        return f"{verb} a test case: {self.note or _row_text(self.row)} -> {word(self.answer)}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        case = Case(tuple(self.row.items()), _check_answer(network, self.answer), self.note)
        _read_raw_row(network, case)
        if case in network.cases:
            raise Conflict("there is this test case already", already=True)
        return replace(network, cases=(*network.cases, case))


@dataclass(frozen=True, slots=True)
class DropCase(AddCase):
    """Drop a test case, with the row, the answer and the note that it has."""

    kind = "drop-case"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        case = Case(tuple(self.row.items()), self.answer, self.note)
        if case not in network.cases:
            raise Conflict("there is no such test case")
        return replace(network, cases=tuple(each for each in network.cases if each != case))


KINDS |= {AddCase.kind: AddCase, DropCase.kind: DropCase}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a network answers in a test case."""

    case: Case
    """The case."""
    answer: Value
    """The answer."""
    passed: bool
    """Whether it is the expected one."""


def run_cases(network: RuleNetwork) -> tuple[CaseResult, ...]:
    """Return what a network answers in each of its test cases.

    Parameters
    ----------
    network : RuleNetwork
        The network.

    Returns
    -------
    tuple of CaseResult
        The results, in the order of `network.cases`. A number is as expected if it differs by rounding only.
    """
    if not network.cases:
        return ()
    answers = predict(network, [_read_raw_row(network, case) for case in network.cases]).tolist()
    return tuple(
        CaseResult(case, answer, _is_expected(network, case.answer, answer))
        for case, answer in zip(network.cases, answers, strict=True)
    )


def make_case_row(network: RuleNetwork, row: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """Return a row, with values as columns read them, as a test case keeps it: moments are text."""
    columns = {column.name: column for column in network.columns}
    return {
        name: value_word(columns[name], value) if value is not None and columns[name].kind in MOMENTS else value
        for name, value in row.items()
    }


def case_text(network: RuleNetwork, case: Case) -> str:
    """Return the row of a test case in words."""
    columns = {column.name: column for column in network.columns}
    known = [(columns[name], value) for name, value in case.row if value is not None]
    return ", ".join(
        f"{word(column.name)} = {value}" if column.kind in MOMENTS else value_text(column, value)
        for column, value in known
    )


def _row_text(row: Mapping[str, Value | None]) -> str:
    return ", ".join(f"{word(name)} = {word(value)}" for name, value in row.items() if value is not None)


def _is_expected(network: RuleNetwork, expected: Value, answer: Value) -> bool:
    if network.classes:
        return label_text(expected) == label_text(answer)
    return math.isclose(float(expected), float(answer), rel_tol=1e-9, abs_tol=1e-9)


def _check_answer(network: RuleNetwork, answer: Value) -> Value:
    if not network.classes:
        if isinstance(answer, bool) or not isinstance(answer, int | float) or not math.isfinite(answer):
            raise InputError(f"the answer of the test case is {answer!r}; give the number that is expected")
        return answer
    label: Value = match_label(answer, network.classes)
    if label not in network.classes:
        known = nearest_name(str(answer), list(map(label_text, network.classes)))
        raise InputError(f"the answer of the test case is {answer!r}, which is no class of the model; {known}")
    return label


def _read_raw_row(network: RuleNetwork, case: Case) -> dict[str, Any]:
    """Return the row of a test case as a table would hold it."""
    columns = {column.name: column for column in network.own_columns}
    row = dict(case.row)
    unknown = [name for name in row if name not in columns]
    if unknown:
        raise InputError(
            f"the test case names column {unknown[0]!r}, which the model does not know; "
            f"{nearest_name(unknown[0], list(columns))}"
        )
    return {name: _read_cell(column, row.get(name)) for name, column in columns.items()}


def _read_cell(column: Column, value: Value | None) -> Any:
    if value is None:
        return None
    if column.kind in MOMENTS:
        return raw_value(column, read_bound(column, str(value)))
    wrong = isinstance(value, str) if column.kind in ("number", "boolean") else False
    if wrong:
        raise InputError(f"the test case has {value!r} in column {column.name!r}, which holds {column.kind}s")
    return value
