"""What the given rows say of each rule: how many they decide, and how many only they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conceptrules.edit.cases import AddCase, make_case_row, run_cases
from conceptrules.explain.scores import find_answers
from conceptrules.logic.column_cells import MOMENTS
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, layers, unpack
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value
from conceptrules.model.rule_reader import read_bound
from conceptrules.model.scoring import answer_scores, score_words
from conceptrules.model.text import category_word, rule_text, value_word
from conceptrules.model.values import label_text
from conceptrules.studio.session import Session, read_answer
from conceptrules.tables.table import read_columns, read_used_bits


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What a rule does on the given rows."""

    text: str
    label: Value | None
    """Its class; None of a scorecard."""
    covered: int
    """The rows on which it holds."""
    alone: int
    """The rows that would get another answer without it."""


def count_rule_uses(session: Session) -> list[RuleUse]:
    """Return what each rule of the last level does on the given rows, those that decide least alone first."""
    network, table = session.network, session.rows.table
    words = read_used_bits(network, table)
    if network.head is None:
        answers = find_answers(network, words)
        uses = _count_deciders(network, unpack(answers.rules), answers.fired)
    else:
        rules = layers(network, words)[-2]
        uses = _count_scorers(network, network.head, unpack(rules), score_words(network.head, rules))
    return sorted(uses, key=lambda use: (use.alone, use.covered))


def _count_deciders(network: RuleNetwork, rules: Bits, fired: Bits | None) -> Iterator[RuleUse]:
    assert fired is not None
    last, order = len(network.levels) - 1, network.priority_indices
    first = np.argmax(np.hstack([fired[:, list(order)], np.ones((len(fired), 1), np.bool_)]), axis=1)
    for place, index in enumerate(order):
        label, members = network.classes[index], network.levels[last].concepts[index].rules
        sole = (first == place) & (rules[:, list(members)].sum(axis=1) == 1)
        later = fired[:, list(order[place + 1 :])].any(axis=1)
        if label == network.default:  # without the rule, the default still answers where no later class fires
            sole &= later
        for number in members:
            holds = rules[:, number]
            yield RuleUse(rule_text(network, last, number), label, int(holds.sum()), int((holds & sole).sum()))


def _count_scorers(network: RuleNetwork, head: Points, rules: Bits, scores: Any) -> Iterator[RuleUse]:
    answers = scores[:, 0] if head.step is not None else answer_scores(head, scores)
    for number, points in enumerate(head.points):
        holds = rules[:, number]
        without = scores - holds[:, None] * np.array(points, np.int64)
        other = without[:, 0] if head.step is not None else answer_scores(head, without)
        text = rule_text(network, len(network.levels) - 1, number)
        yield RuleUse(text, None, int(holds.sum()), int((other != answers).sum()))


# Test cases from rows


def read_given_row(session: Session, number: int) -> dict[str, str]:
    """Return the cells of a given row as text, by column; empty where the value is missing. Rows count from 1."""
    table = session.rows.table
    if not 1 <= number <= table.rows:
        raise InputError(f"there is no row {number}; the given rows are 1 to {table.rows:,}")
    row = table.take(np.array([number - 1]))
    return {
        column.name: _cell_text(column, cells.to_list(ordered=column.ordered)[0])
        for column, cells in read_columns(session.network.own_columns, row)
    }


def _cell_text(column: Column, value: Value | None) -> str:
    if value is None:
        return ""
    return value_word(column, value) if column.ordered else category_word(column, value)


def make_case(network: RuleNetwork, cells: Mapping[str, str], answer: str, note: str) -> AddCase:
    """Return the edit that adds a test case, from the cells of a row as text."""
    columns = {column.name: column for column in network.own_columns}
    row = {name: _read_cell(columns[name], text) for name, text in cells.items()}
    return AddCase(make_case_row(network, row), read_answer(network, answer), note.strip())


def _read_cell(column: Column, text: str) -> Any:
    text = text.strip()
    if not text:
        return None
    if column.kind in MOMENTS:
        return read_bound(column, text)
    if column.kind == "number":
        try:
            return float(text.replace(",", ""))
        except ValueError:
            raise InputError(f"column {column.name!r} holds numbers, not {text!r}") from None
    known = column.categories or ((False, True) if column.kind == "boolean" else ())
    return {category_word(column, value): value for value in known}.get(text, text)


def answer_row(network: RuleNetwork, cells: Mapping[str, str]) -> str:
    """Return what the network answers to a row, as text."""
    case = make_case(replace(network, cases=()), cells, label_text(network.classes[0]) if network.classes else "0", "")
    (result,) = run_cases(case.apply(replace(network, cases=())))
    return label_text(result.answer)
