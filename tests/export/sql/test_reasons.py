"""The codes of reasons in SQL are those of the network, in the databases that run here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conceptrules import InputError
from conceptrules.export import export
from conceptrules.export.verify.databases import DATABASES, StoredColumn
from conceptrules.model import Concept, Equals, Level, Literal, Points, Rule, RuleNetwork
from tests.explain.test_reasons import CARD, draw_codes
from tests.explain.test_reasons import CODED as TOLD_APART
from tests.export.code.test_reasons import ROWS, list_rows
from tests.logic.policies.brute_force import all_rows, cards
from tests.strategies import networks, number_cards, scorecards

CODED = CARD.with_reason_codes({"debt": ("R01", "Debt")})


def ask(network: RuleNetwork, rows: list, dialect: str, kinds: list[str]) -> list[list[str]]:
    """The codes of each row."""
    return [[code for code in row[-4:] if code is not None] for row in ask_all(network, rows, dialect, kinds)]


def ask_all(network: RuleNetwork, rows: list, dialect: str, kinds: list[str]) -> list[tuple]:
    database = DATABASES[dialect]
    missing = database.missing([("data",)])
    if missing:
        pytest.skip(missing)
    columns = [
        StoredColumn(column.name, kind, list(values))
        for column, kind, values in zip(network.columns, kinds, zip(*rows, strict=True), strict=True)
    ]
    (answers,) = database.ask([("data",)], columns, [(export(network, "sql", dialect=dialect, reasons=True), None)])
    return answers


def ask_deciding(network: RuleNetwork, rows: list, dialect: str, kinds: list[str]) -> list[tuple[str, str]]:
    """What the columns `decided_by` and `nearest` say."""
    kept = [column.name for column in network.columns]
    return [tuple(row[len(kept) + 2 : len(kept) + 4]) for row in ask_all(network, rows, dialect, kinds)]


def expect(network: RuleNetwork, rows: list) -> list[list[str]]:
    reasons = network.reasons(rows)
    return [[each.code for each in reasons[row]] for row in range(len(rows))]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_databases_give_the_codes_of_the_network(dialect):
    kinds = ["number", "number", "text"]
    assert ask(CODED, ROWS, dialect, kinds) == expect(CODED, ROWS)
    assert export(CODED, "sql", dialect=dialect, reasons=True, probabilities=True, verify=True)


@settings(max_examples=40)
@given(st.one_of(scorecards(), number_cards()))
def test_the_codes_of_any_card_with_one_score(card: RuleNetwork):
    rows = list_rows(card) if card.columns else []
    if len(card.classes) < 3 and len(card.levels) == 1 and rows and all(c.kind == "boolean" for c in card.columns):
        named = [column.name for column in card.columns]
        if len({name.casefold() for name in named}) == len(named):
            assert ask(card, rows, "duckdb", ["flag"] * len(named)) == expect(card, rows)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_databases_say_which_rule_decided_and_which_is_the_nearest(dialect):
    rules = [Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(2), Literal(0, True)])]
    level = Level(rules, [Concept([0, 1]), Concept([2]), Concept()])
    network = RuleNetwork(CARD.columns, CARD.predicates, [level], ["no", "it's", "late"], default="late")
    reasons = network.reasons(ROWS)
    expected = list(zip(reasons.decided_by, reasons.nearest, strict=True))
    assert ("(age > 41) or (debt > 1000)", "late if it did not hold") in expected
    assert ask_deciding(network, ROWS, dialect, ["number", "number", "text"]) == expected
    assert export(network, "sql", dialect=dialect, reasons=True, verify=True)


@settings(max_examples=80)
@given(networks())
def test_the_deciding_and_the_nearest_rule_of_any_network_of_one_level(network: RuleNetwork):
    rows = list_rows(network) if network.columns else []
    if rows and all(column.kind == "boolean" for column in network.columns):
        named = [column.name for column in network.columns]
        if len({name.casefold() for name in named}) < len(named):
            return
        if len(network.levels) > 1:
            assert "of several, ask network.reasons" in export(network, "sql", reasons=True)
        else:
            reasons = network.reasons(rows)
            expected = list(zip(reasons.decided_by, reasons.nearest, strict=True))
            assert ask_deciding(network, rows, "duckdb", ["flag"] * len(named)) == expected


STORED = {"number": "number", "boolean": "flag", "date": "moment", "ordinal": "text"}


@settings(max_examples=40)
@given(cards(), st.data())
def test_codes_by_case_are_those_of_the_network_on_columns_of_all_kinds(card: RuleNetwork, data):
    assume(len(card.classes) < 3)
    card = card.with_reason_codes({column.name: draw_codes(column, data) for column in card.columns})
    kinds = [STORED.get(each.kind, "number" if each.name == "code" else "text") for each in card.columns]
    rows = [
        [value.astype(int).item() if isinstance(value, np.datetime64) else value for value in row.values()]
        for row in all_rows(card)
    ]
    assert ask(card, rows, "duckdb", kinds) == expect(card, all_rows(card))


def test_several_classes_have_rules_and_no_codes():
    head = Points([[1, 0, 2]], [0, 0, 0], offsets=[0, 0, 0], unit=0.5)
    several = RuleNetwork(
        CODED.columns, [Equals("job", "cook")], [Level([Rule([Literal(0)])], ())], list("abc"), head=head
    )
    assert "reason_1" not in export(several, "sql", reasons=True)


def test_a_code_that_a_database_cannot_hold():
    with pytest.raises(InputError, match="cannot be written in the SQL of postgres"):
        export(CODED.with_reason_codes({"debt": ("\0", "x")}), "sql", dialect="postgres", reasons=True)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_codes_go_by_what_the_row_says(dialect):
    codes = {
        "age": {"high": ("A1", "old"), "low": ("A2", "young"), "missing": ("A3", "no age")},
        "debt": {"low": ("D1", "little"), "missing": ("D2", "none stated"), "": ("D3", "debt")},
        "job": {"nurse": ("J1", "nurse"), "missing": ("J2", "no job")},
    }
    rows = [
        [age, debt, job] for age in (20, 50, None) for debt in (None, 0, 2000) for job in ("cook", "nurse", "x", None)
    ]
    for network in (TOLD_APART, CARD.with_reason_codes(codes)):
        assert ask(network, rows, dialect, ["number", "number", "text"]) == expect(network, rows)
