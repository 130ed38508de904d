"""Sets of categories and ordinal columns in every export that runs."""

from __future__ import annotations

import pytest

from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, OneOf
from tests.export.test_laws import ENGINES, need

RANK = Column("rank", "ordinal", ("low", "mid", "high", "top"), missing=True)
COLUMNS = (
    RANK,
    Column("job", "category", ("cook", "nurse", "", "it's")),
    Column("code", "category", (1, 2.5, 7)),
    Column("wide", "category", (2**53 + 1, 2**60)),
    Column("smokes", "boolean", (False, True)),
)
PREDICATES = (
    OneOf("rank", RANK.categories[:2]),
    OneOf("rank", RANK.categories[2:]),
    OneOf("rank", RANK.categories[1:3]),
    OneOf("job", ("cook", "", "it's")),
    OneOf("job", ("nurse", 3)),
    OneOf("code", (1, 7, "x")),
    OneOf("smokes", (False, True)),
    OneOf("smokes", ("yes",)),
    OneOf("wide", (2**53 + 1, 2**60)),
)


def network(count: int = len(PREDICATES)) -> RuleNetwork:
    """A rule for each predicate and one for its negation, every third for one class."""
    rules = [Rule([Literal(index, negated)]) for index in range(count) for negated in (False, True)]
    rules.append(Rule([Literal(0), Literal(3)]))
    concepts = [Concept(range(start, len(rules), 3)) for start in range(3)]
    names = {predicate.column for predicate in PREDICATES[:count]}
    columns = [column for column in COLUMNS if column.name in names]
    return RuleNetwork(columns, PREDICATES[:count], [Level(rules, concepts)], ["a", "b", "c"])


@pytest.mark.parametrize("engine", [*ENGINES, "onnx", "pmml"])
def test_an_export_decides_as_the_network_does(engine):
    to, options = ENGINES.get(engine, (engine, {}))
    need(to, **options)
    # Double precision, which is all that PMML has, does not tell 2**53 from its neighbour.
    made = network(len(PREDICATES) - (to == "pmml"))
    outcome = compare(made, to, export(made, to, **options), limit=500, **options)
    assert outcome.skipped is None
    assert outcome.rows > 100
    assert not outcome.mismatches, str(outcome.mismatches[0])


def test_sql_asks_with_a_list():
    text = export(network(4), "sql")
    assert " IN ('low', 'mid')" in text
    assert " IN ('cook', '', 'it''s')" in text


@pytest.mark.parametrize(
    ("to", "words"),
    [("markdown", r"| low \< rank \<= high |"), ("latex", r"& low \ensuremath{<} rank \ensuremath{<}= high \\")],
)
def test_tables_for_people_join_two_bounds(to, words):
    bounds = [OneOf("rank", RANK.categories[1:]), OneOf("rank", RANK.categories[:3])]
    level = Level([Rule([Literal(0), Literal(1)])], [Concept([0])])
    assert words in export(RuleNetwork([RANK], bounds, [level], ["yes"]), to)
