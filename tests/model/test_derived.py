"""Derived columns: what they mean, how they are written, read and saved, and what cannot be derived."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.io.decode import loads
from conceptrules.io.encode import dumps
from conceptrules.model import Column, InputError, Interval, RuleNetwork
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import (
    OPERATORS,
    Length,
    Mention,
    Relation,
    derive,
    make_derived,
    name_derivation,
    normalise_text,
)
from conceptrules.model.predicate import Equals, Missing, Predicate, size_of
from conceptrules.model.rule_reader import Stated, network_of_tests, read_rule, text_of_tests
from tests.strategies import names

NUMBERS = st.floats(allow_nan=False) | st.none()
WORDS = st.sampled_from(["refund", "not", "good", "été", "7", "❤️"])


@st.composite
def derived_columns(draw: st.DrawFn) -> tuple[Column, ...]:
    """Two numbers, a text, and a column that is worked out from them."""
    left, right, text = draw(st.lists(names(), min_size=3, max_size=3, unique=True))
    own = (Column(left), Column(right), Column(text, "text"))
    terms = st.lists(st.lists(WORDS, min_size=1, max_size=2).map(" ".join), min_size=1, max_size=3, unique=True)
    derivation = draw(
        st.sampled_from(OPERATORS).map(lambda sign: Relation(left, sign, right))
        | terms.map(lambda words: Mention(text, tuple(words)))
        | st.just(Length(text))
    )
    sources = [column for column in own if column.name in derivation.columns]
    return (*own, make_derived(derivation, sources))


def predicates_on(column: Column) -> st.SearchStrategy[Predicate]:
    missing = st.just(Missing(column.name))
    if column.ordered:
        return missing | st.floats(-1e9, 1e9).map(lambda cut: Interval(column.name, low=cut))
    return missing | st.booleans().map(lambda value: Equals(column.name, value))


@pytest.mark.parametrize(
    ("operator", "left", "right", "expected"),
    [
        ("-", 3.0, 1.0, 2.0),
        ("/", 3.0, 2.0, 1.5),
        ("/", 3.0, 0.0, None),
        ("/", 0.0, -0.0, None),
        ("<", 1.0, 2.0, True),
        ("<", 2.0, 2.0, False),
        ("<", None, 2.0, None),
        ("-", math.inf, math.inf, None),
        ("/", math.inf, -math.inf, None),
        ("/", 1.0, math.inf, 0.0),
        ("-", math.nan, 1.0, None),
    ],
)
def test_relations_of_two_values(operator, left, right, expected):
    assert derive(Relation("a", operator, "b"), [left, right]) == expected


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (("refund",), "I want a REFUND!", True),
        (("refund",), "Refunds?", False),
        (("not good",), "it was NOT... good", True),
        (("not good",), "good, not", False),
        (("été",), "L'été", True),
        (("été",), "L'ÉTÉ", False),  # only A to Z are read as small letters
        (("bad", "good"), "good", True),
        (("refund",), None, False),
        (("refund",), "", False),
    ],
)
def test_terms_in_a_text(terms, text, expected):
    assert derive(Mention("text", terms), [text]) is expected


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise_text(normalise_text(text)) == normalise_text(text)


TESTS = derived_columns().flatmap(
    lambda columns: st.tuples(st.just(columns), predicates_on(columns[-1]), st.booleans())
)


@given(TESTS)
def test_a_printed_test_is_read_back_and_a_saved_one_loaded(drawn):
    columns, predicate, negated = drawn
    text = text_of_tests([Stated(predicate, negated)], columns)
    network = network_of_tests(read_rule(text, columns), columns)
    assert text_of_tests(read_rule(text, columns), columns) == text
    if negated or not isinstance(predicate, Interval):  # an open interval prints as it is read
        assert read_rule(text, columns) == (Stated(predicate, negated),)
    assert loads(dumps(network)) == network


def test_the_hash_knows_how_a_column_is_derived():
    columns = (Column("a"), Column("b"))
    networks = [
        network_of_tests([Stated(Interval(column.name, low=0.0))], (*columns, column))
        for column in (make_derived(Relation("a", sign, "b"), columns) for sign in ("-", "/"))
    ]
    assert len({content_hash(network) for network in networks}) == 2


def test_a_set_of_terms_counts_each():
    column = make_derived(Mention("text", ("a", "b c")), [Column("text", "text")])
    assert column.name == 'text mentions any of {"a", "b c"}'
    assert name_derivation(Mention("text", ("a", "b c")), negated=True) == 'text mentions none of {"a", "b c"}'
    assert size_of(Equals(column.name, True), column) == 2


@pytest.mark.parametrize(
    ("relation", "kinds", "message"),
    [
        (("a", "/", "b"), ("date", "date"), "two numbers or two durations divided"),
        (("a", "-", "b"), ("number", "date"), "between columns of the kinds number and date"),
        (("a", "<", "b"), ("category", "number"), "column 'a' is of the kind category"),
    ],
)
def test_what_cannot_be_related_is_refused(relation, kinds, message):
    with pytest.raises(InputError, match=message):
        make_derived(Relation(*relation), [Column("a", kinds[0]), Column("b", kinds[1])])


def test_differences_of_dates_are_durations():
    dates = [Column("start", "date"), Column("end", "datetime", missing=True)]
    column = make_derived(Relation("end", "-", "start"), dates[::-1])
    assert (column.kind, column.missing) == ("duration", True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Relation("a", "+", "b"), "one of -, /, < between"),
        (lambda: Relation("a", "-", "a"), "needs two columns"),
        (lambda: Mention("text", ("Two, words",)), "such as 'two words'"),
        (lambda: Mention("text", ()), "needs terms"),
        (lambda: Column("x", "number", derivation=Relation("a", "-", "b")), "call it that"),
        (lambda: make_derived(Length("a"), [Column("a")]), "kinds={'a': 'text'}"),
        (
            lambda: RuleNetwork(
                (Column("a"), make_derived(Relation("a", "-", "b"), [Column("a"), Column("b")])), (), (), ("yes",)
            ),
            "needs column 'b' before it",
        ),
        (lambda: network_of_tests([Stated(Missing("t"))], [Column("t", "text")]), "whether it mentions a word"),
    ],
)
def test_what_is_no_derivation_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
