"""Reading the text of a rule gives the rule, and text that cannot be read gets the place and what was expected."""

import math

import pytest
from hypothesis import assume, example, given
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
    Predicate,
    RuleNetwork,
)
from conceptrules.model.predicate import Kind, holds
from conceptrules.model.rule_reader import (
    LONGEST,
    Stated,
    condition_texts,
    nearest_name,
    read_bound,
    read_literals,
    read_rule,
    text_of_tests,
)
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
    Column("drinks", "number", (0, 1)),
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
        ("drinks = 1 and drinks != 0", (Stated(Interval("drinks", 0)), Stated(Interval("drinks", high=0), True))),
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
            assert read_rule(text_of_tests([test], columns), columns) == (test,)


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
        assert read_rule(text_of_tests(tests, columns), columns) == tests


def test_new_predicates_are_added_and_known_ones_found():
    network = RuleNetwork(COLUMNS, [Interval("age", 27)], [Level([], [Concept()])], ["a"])
    grown, literals = read_literals("27 < age <= 41 and not rank = mid", network)
    assert grown.predicates == (Interval("age", 27), Interval("age", high=41), Equals("rank", "mid"))
    assert literals == (Literal(0), Literal(1), Literal(2, True))


FORMS = "column > value, column <= value, column = value, column in {a, b}, column is missing or column is present"
NAMES = 'there are age, marital status, code, rank, joined, stay, "a and b", smokes, drinks'


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("  ", 3, f"expected a condition: {FORMS}"),
        ("()", 2, f"expected a condition: {FORMS}"),
        ("agge", 1, f"expected a condition ({FORMS}), found 'agge'; did you mean age?"),
        ("code = ", 1, f"expected a condition ({FORMS}), found 'code ='; did you mean code?"),
        ("age > 27 and  jobb = x", 15, f"expected a column, found 'jobb'; {NAMES}"),
        ("not  jobb = x", 6, f"expected a column, found 'jobb'; {NAMES}"),
        ("not ( jobb = x )", 7, f"expected a column, found 'jobb'; {NAMES}"),
        ("0 < agge <= 1", 5, "expected a column, found 'agge'; did you mean age?"),
        ('"x" = 3', 1, f"expected a column, found '\"x\"'; {NAMES}"),
        ("age > 1 and  27 < age <= old", 26, "expected a number, found 'old'"),
        ("old < age <= 27", 1, "expected a number, found 'old'"),
        ("age > nan", 7, "expected a number, found 'nan'"),
        ("stay <= 5", 9, "expected a duration (0:00:00), found '5'"),
        ("stay > 1 days 1:1:1", 8, "expected a duration (0:00:00), found '1 days 1:1:1'"),
        ("age = 3", 5, "column 'age' is a number; ask for > and <= of it"),
        ("age in {1, 2}", 8, "column 'age' is a number, which no set tests; use > and <="),
        ("smokes > 2", 10, "column 'smokes' has no order (it is a boolean); use =, != or in"),
        ("rank > hig", 8, "expected a category of 'rank', found 'hig'; did you mean high?"),
        ("rank > top", 8, "no category of 'rank' is within these bounds"),
        ("low < rank <= low", 1, "no category of 'rank' is within these bounds"),
        ("6 < age <= 5", 1, "no 'age' is above 6 and at most 5"),
        ("age > inf", 7, "no 'age' is above inf and at most inf"),
        ("code in {1, 2", 13, "expected } at the end of the set"),
        ("code not in {1, , 2}", 17, "expected a category of 'code'"),
        ("code in {1, (x)}", 13, "expected a number, True or False in brackets, found 'x'"),
        ('code in {1, "x" y}', 13, 'expected one text in quotes that ends with ", found "x" y'),
        ('code = "x', 8, 'expected one text in quotes that ends with ", found "x'),
        ("age is old", 8, "expected missing or present after 'is', found 'old'; for a value write ="),
        ("age > 1 or age <= 0", 16, "expected ' and ' before '<='; two rules say what `or` would say"),
        ("0 < age <= 1 <= 2", 9, "expected ' and ' before '<='"),
        ("0 >= age <= 1", 10, "expected ' and ' before '<='"),
        ("0 < age >= 1", 9, "expected ' and ' before '>='"),
    ],
)
def test_an_error_has_the_place_and_what_was_expected(text: str, place: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_rule(text, COLUMNS)
    assert str(error.value) == f"in the rule {text!r}, at character {place}: {message}"


def test_a_long_rule_is_cut_in_its_error() -> None:
    text = "y" * 300
    with pytest.raises(InputError) as error:
        read_rule(text, COLUMNS)
    said = str(error.value)
    assert said.startswith(f"in the rule '{'y' * 200}...', at character 1: expected a condition")
    assert said.endswith("...")
    assert len(said.partition("character 1: ")[2]) == 503


def test_a_rule_may_be_as_long_as_the_limit() -> None:
    longest = "age > 27" + " " * (LONGEST - 8)
    assert read_rule(longest, COLUMNS) == (Stated(Interval("age", 27)),)
    with pytest.raises(InputError, match="a rule of 100,001 characters; at most 100,000 are read"):
        read_rule(longest + " ", COLUMNS)


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("not not age > 27", Stated(Interval("age", 27))),
        ("not (not (age > 27))", Stated(Interval("age", 27))),
        ("not code != 1", Stated(Equals("code", 1))),
        ("not code is present", Stated(Missing("code"))),
        ("( age <= 27 )", Stated(Interval("age", high=27))),
        ("age < 27", Stated(Interval("age", high=math.nextafter(27, 0)))),
        ("0 <= age < 27", Stated(Interval("age", math.nextafter(0, -1), math.nextafter(27, 0)))),
        ("rank < mid", Stated(OneOf("rank", ("low",)))),
        ("rank > mid", Stated(OneOf("rank", ("high", "top")))),
        ("mid <= rank < top", Stated(OneOf("rank", ("mid", "high")))),
        ("rank <= top", Stated(OneOf("rank", ("low", "mid", "high", "top")))),
        ("code = -2", Stated(Equals("code", -2))),
        ("code = 1e+20", Stated(Equals("code", 1e20))),
        ("code = -inf", Stated(Equals("code", -math.inf))),
        ("code = (True)", Stated(Equals("code", True))),
        ("code = False", Stated(Equals("code", False))),
        ("code = x", Stated(Equals("code", "x"))),
        ("code = (x", Stated(Equals("code", "(x"))),
        ("code = x)", Stated(Equals("code", "x)"))),
        ('code = "\\x41\\u00e9\\U0001F600\\n\\q"', Stated(Equals("code", "Aé\U0001f600\nq"))),
        ('code = "\\U0010FFFF"', Stated(Equals("code", "\U0010ffff"))),
        ('"age" > 27', Stated(Interval("age", 27))),
        ('code in {"a, b", 1}', Stated(OneOf("code", (1, "a, b")))),
        ("joined > 1970-01-01 00:00:00.000007", Stated(Interval("joined", 7))),
        ("joined > 1970-01-01 + 4000000 days 0:00:00", Stated(Interval("joined", 4e6 * 86_400e6))),
        ("stay > 2 days 3:04:05.06", Stated(Interval("stay", (((2 * 24 + 3) * 60 + 4) * 60 + 5) * 1e6 + 60_000))),
        ("stay > 3:04:05", Stated(Interval("stay", ((3 * 60 + 4) * 60 + 5) * 1e6))),
        ("stay > minus 0:00:00.000001", Stated(Interval("stay", -1))),
        ("stay > 1e+300 microseconds", Stated(Interval("stay", 1e300))),
    ],
)
def test_other_ways_to_write_a_condition(text: str, test: Stated) -> None:
    column = test.predicate.column
    found = read_rule(text, COLUMNS)
    assert found == (test,)
    assert found[0].predicate.column == column
    if isinstance(test.predicate, Equals):
        assert isinstance(found[0].predicate, Equals)
        assert type(found[0].predicate.value) is type(test.predicate.value)


def test_a_character_beyond_the_last_is_told() -> None:
    with pytest.raises(InputError) as error:
        read_rule('code = "\\U00110000"', COLUMNS)
    assert str(error.value) == "there is no character \\U00110000"


def test_a_number_of_too_many_digits_is_text() -> None:
    assert read_rule("code = " + "9" * 4_000, COLUMNS) == (Stated(Equals("code", int("9" * 4_000))),)


SIZE = Column("size", "ordinal", ("S", "M", "L"))


def test_a_cut_point_is_a_number_or_the_place_after_a_category() -> None:
    assert [read_bound(SIZE, name) for name in SIZE.categories] == [1, 2, 3]
    assert read_bound(Column("age"), "27.5") == 27.5
    for column, text, message in (
        (Column("age"), "x", "a cut of 'age': expected a number, found 'x'"),
        (SIZE, "XL", "a cut of 'size': expected a category of 'size', found 'XL'; did you mean L?"),
        (
            Column("job", "category"),
            "x",
            "a cut of 'job': column 'job' has no order (it is a category); use =, != or in",
        ),
    ):
        with pytest.raises(InputError) as error:
            read_bound(column, text)
        assert str(error.value) == message


def test_unknown_names_get_the_nearest_or_up_to_ten() -> None:
    ten = list("abcdefghij")
    assert nearest_name("agee", ["ages", "age"]) == "did you mean age?"
    assert nearest_name("xyzage", ["age", "b"]) == "did you mean age?"
    assert nearest_name("x", ten) == "there are a, b, c, d, e, f, g, h, i, j"
    assert nearest_name("x", [*ten, "k"]) == "there are a, b, c, d, e, f, g, h, i, j, ..."
    assert nearest_name("x", []) == "there are none"


def test_rules_that_read_alike_but_for_the_order_have_the_same_words() -> None:
    network = RuleNetwork(COLUMNS, [Interval("age", 27), Equals("code", 1)], [Level([], [Concept()])], ["a"])
    words = condition_texts(network, 0, [Literal(1, True), Literal(0)])
    assert words == condition_texts(network, 0, [Literal(0), Literal(1, True)]) == {"age > 27", "code != 1"}


def deep() -> RuleNetwork:
    low = Level([], [Concept(), Concept(), Concept()])
    return RuleNetwork(COLUMNS, [], [low, low, Level([], [Concept()])], ["a"])


def test_above_the_first_level_literals_are_concepts() -> None:
    assert read_literals("not C1.3 and C1.1 and C1.1", deep(), 1) == (deep(), (Literal(0), Literal(2, True)))
    assert read_literals(" C2.2 ", deep(), 2) == (deep(), (Literal(1),))
    assert read_literals("always", deep(), 1) == (deep(), ())
    with pytest.raises(InputError) as error:
        read_literals("C1.1 and not C1.4", deep(), 1)
    assert str(error.value) == (
        "in the rule 'C1.1 and not C1.4', at character 10: expected a concept, found 'C1.4'; did you mean C1.3?"
    )


@pytest.mark.parametrize(
    ("text", "known", "added", "literals"),
    [
        # An interval is two thresholds, unless the network has it as one predicate or it is negated.
        ("27 < age <= 41", (), (Interval("age", 27), Interval("age", high=41)), (0, 1)),
        ("27 < age <= 41", (Interval("age", 27, 41),), (), (0,)),
        ("not (27 < age <= 41)", (), (Interval("age", 27, 41),), (~0,)),
        ("age > 27", (), (Interval("age", 27),), (0,)),
        ("age is present", (), (Interval("age"),), (0,)),
        # A run of an order is one predicate, unless the network has both thresholds.
        ("low < rank <= high", (), (OneOf("rank", ("mid", "high")),), (0,)),
        ("low < rank <= high", (OneOf("rank", ("mid", "high", "top")),), (OneOf("rank", ("mid", "high")),), (1,)),
        ("low < rank <= high", (OneOf("rank", ("mid", "high", "top")), OneOf("rank", ("low", "mid", "high"))), (),
         (0, 1)),
        ("rank in {low, high}", (), (OneOf("rank", ("low", "high")),), (0,)),
        ("code in {1, 2.5}", (), (OneOf("code", (1, 2.5)),), (0,)),
        ("age is missing and age > 27 and age is missing", (Interval("age", 27),), (Missing("age"),), (0, 1)),
    ],
)  # fmt: skip
def test_the_predicates_that_a_text_adds(
    text: str, known: tuple[Predicate, ...], added: tuple[Predicate, ...], literals: tuple[int, ...]
) -> None:
    network = RuleNetwork(COLUMNS, known, [Level([], [Concept()])], ["a"])
    grown, found = read_literals(text, network)
    assert grown.predicates == (*known, *added)
    assert found == tuple(Literal(index) if index >= 0 else Literal(~index, True) for index in literals)


def test_what_two_bounds_print_alike_is_known_by_its_text() -> None:
    day = Column("joined", "date")
    network = RuleNetwork([day], [Interval("joined", 86_400e6 + 0.25)], [Level([], [Concept()])], ["a"])
    assert read_literals("joined > 1970-01-02", network) == (network, (Literal(0),))
    assert read_literals("not (joined > 1970-01-02)", network) == (network, (Literal(0, True),))


@pytest.mark.parametrize("kind", ["date", "datetime", "duration"])
@given(bound=st.floats(-1e15, 1e15), value=st.integers(-2, 2))
@example(bound=0.7, value=1)
def test_the_text_of_a_moment_holds_for_the_same_whole_microseconds(kind: Kind, bound: float, value: int) -> None:
    cut, moment = Interval("joined", bound), float(math.floor(bound) + value)
    columns = [Column("joined", kind)]
    (read,) = read_rule(text_of_tests([Stated(cut)], columns), columns)
    assert holds(read.predicate, moment) == holds(cut, moment)
