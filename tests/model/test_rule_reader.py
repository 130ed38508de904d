"""Reading the text of a rule gives the rule, and text that cannot be read gets the place and what was expected."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    RuleNetwork,
)
from conceptrules.model.rule_reader import Stated, read_literals, read_rule, stated_text
from conceptrules.model.text import literal_text, literals_text, rule_text
from tests.strategies import names, networks, tables

COLUMNS = (
    Column("age"),
    Column("marital status", "category", ("Married", "1")),
    Column("code", "category", (1, 2.5)),
    Column("rank", "ordinal", ("low", "mid", "high", "top")),
    Column("joined", "date"),
    Column("stay", "duration"),
    Column("a and b", "category", ("x", 'say "hi"')),
    Column("smokes", "boolean"),
)


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("always", ()),
        ("age > 27", (Stated(Interval("age", 27)),)),
        ("age >= 27", (Stated(Interval("age", math.nextafter(27, 0))),)),
        ("0 < age <= 41.5", (Stated(Interval("age", 0, 41.5)),)),
        ("not age > 27 and age is missing", (Stated(Interval("age", 27), True), Stated(Missing("age")))),
        ("not (age > 27)", (Stated(Interval("age", 27), True),)),
        ("age is present", (Stated(Interval("age")),)),
        ("code is present", (Stated(Missing("code"), True),)),
        ("marital status = 1", (Stated(Equals("marital status", "1")),)),
        ("marital status != (1)", (Stated(Equals("marital status", 1), True),)),
        ("code = 1", (Stated(Equals("code", 1)),)),
        ('code = "1"', (Stated(Equals("code", "1")),)),
        ("not code = 2.5", (Stated(Equals("code", 2.5), True),)),
        ("code not in {2.5,  1 }", (Stated(OneOf("code", (1, 2.5)), True),)),
        ("rank <= mid", (Stated(OneOf("rank", ("low", "mid"))),)),
        ("rank >= mid", (Stated(OneOf("rank", ("mid", "high", "top"))),)),
        ("low < rank <= high", (Stated(OneOf("rank", ("mid", "high"))),)),
        ("joined > 1970-01-02", (Stated(Interval("joined", 86_400e6)),)),
        ("stay <= minus 1 day 0:00:01", (Stated(Interval("stay", high=-86_401e6)),)),
        ('"a and b" = "say \\"hi\\"" and smokes = True',
         (Stated(Equals("a and b", 'say "hi"')), Stated(Equals("smokes", True)))),
    ],
)  # fmt: skip
def test_what_a_person_may_write(text, tests):
    assert read_rule(text, COLUMNS) == tests


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at character 1: expected a condition"),
        ("agee > 27", "at character 1: expected a column, found 'agee'; did you mean age?"),
        ("age > 27 and jobb = x", "at character 14: expected a column, found 'jobb'"),
        ("age > old", "at character 7: expected a number, found 'old'"),
        ("age = 3", "column 'age' is a number; ask for > and <= of it"),
        ("age in {1, 2}", "which no set tests"),
        ("rank > hig", "found 'hig'; did you mean high?"),
        ("rank > top", "no category of 'rank' is within these bounds"),
        ("smokes > 2", "has no order"),
        ("code in {1, 2", "expected } at the end of the set"),
        ("age is old", "expected missing or present after 'is'"),
        ("age > 1 or age <= 0", "expected ' and ' before '<='; two rules say what `or` would say"),
        ('"\\UFFFFFFFF" = 3', "there is no character"),
        ("not " * 20_000 + "agee > 1", "at character 80001: expected a column"),
        ("5 < age <= 5", "no 'age' is above 5 and at most 5"),
        ("joined > tomorrow", "expected a date (1970-01-01), found 'tomorrow'"),
        ('"age > 3', 'expected one text in quotes that ends with ", found "age'),
        ("marital status = (x)", "expected a number, True or False in brackets"),
        ("age", "expected a condition"),
        ("x" * 200_000, "at most 100,000 are read"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(InputError) as error:
        read_rule(text, COLUMNS)
    assert message in str(error.value)


PIECES = ["age", "job", "marital status", "smokes", "rank", "joined", "not", "and", "or", "(", ")", "{", "}", ",", '"',
          "\\", "\\u", "\\U", "D800", "=", "!=", "<", "<=", ">", "in", "is", "missing", "always", "27", "1e999",
          "nan", "2020-01-01", "9999-12-31", "5:00:00"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_a_rule_or_one_error_of_a_few_lines(pieces, between):
    said = ""
    try:
        assert isinstance(read_rule(between.join(pieces), COLUMNS), tuple)
    except InputError as error:
        said = str(error)
    assert len(said) < 1_000


def exact(predicate, columns):
    """Bounds of moments are printed to the microsecond."""
    kind = next(column.kind for column in columns if column.name == predicate.column)
    bounds = [predicate.low, predicate.high] if isinstance(predicate, Interval) else []
    return kind == "number" or all(math.isinf(bound) or bound.is_integer() for bound in bounds)


@given(tables())
def test_reading_the_text_of_a_predicate_gives_it(table):
    columns, predicates = table
    for predicate in predicates:
        assume(exact(predicate, columns))
        for test in (Stated(predicate), Stated(predicate, True)):
            assert read_rule(stated_text([test], columns), columns) == (test,)


@given(networks(odd=True))
def test_reading_the_text_of_a_rule_gives_it(network):
    """Literal by literal, but for two ways of a network to say the same: 27 < x <= 41 as one predicate and as two."""
    every = [Literal(index) for index in range(len(network.predicates))]
    texts = [literals_text(network, 0, [literal])[0] for literal in every]
    assume(len(set(texts)) == len(texts) and all(exact(one, network.columns) for one in network.predicates))
    for level, rules in enumerate(network.levels):
        for index, rule in enumerate(rules.rules):
            grown, found = read_literals(rule_text(network, level, index), network, level)
            assert grown == network
            if found != rule.literals:
                words = literals_text(network, level, rule.literals)
                assert set(literals_text(network, level, found)) == set(words)
                assert set(words) & set(texts) - {literal_text(network, level, one) for one in rule.literals}


@given(st.lists(names(), unique=True, min_size=1, max_size=3), names())
def test_hostile_names_stay_apart(some, value):
    columns = tuple(Column(name, "category", ("a", value) if value != "a" else ("a",)) for name in some)
    for column in columns:
        tests = (Stated(Equals(column.name, value)), Stated(OneOf(column.name, column.categories), True))
        assert read_rule(stated_text(tests, columns), columns) == tests


def test_new_predicates_are_added_and_known_ones_found():
    network = RuleNetwork(COLUMNS, [Interval("age", 27)], [Level([], [Concept()])], ["a"])
    grown, literals = read_literals("27 < age <= 41 and not rank = mid", network)
    assert grown.predicates == (Interval("age", 27), Interval("age", high=41), Equals("rank", "mid"))
    assert literals == (Literal(0), Literal(1), Literal(2, True))
