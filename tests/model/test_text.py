import ast
import datetime as dt
import math
import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conceptrules.explain import coverage
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    Rule,
    RuleNetwork,
    Statistics,
)
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import edges
from conceptrules.model.text import (
    category_word,
    date_text,
    datetime_text,
    decided_rows,
    duration_text,
    lists_text,
    literal_text,
    literals_text,
    node_names,
    percent,
    plural,
    predicate_text,
    rule_figures,
    rule_text,
    value_text,
    value_word,
    word,
)
from tests.strategies import measured_networks, names, networks

AGE, SPOUSE, GAIN = Interval("age", 27), Equals("marital-status", "Married"), Interval("gain", 5013, 6514)
COLUMNS = (Column("age"), Column("marital-status", "category", ("Married", "Never")), Column("gain"))
A, B, C = Literal(0), Literal(1), Literal(2)
ADULT = RuleNetwork(
    COLUMNS,
    (AGE, SPOUSE, GAIN),
    (
        Level((Rule((A, B)), Rule((C,)), Rule((~A, ~B))), (Concept((0, 1)), Concept((1, 2)))),
        Level((Rule((A, ~B)), Rule((B,))), (Concept(), Concept((0, 1)))),
    ),
    ("<=50K", ">50K"),
    (">50K", "<=50K"),
    "<=50K",
    Statistics(
        (24_720, 7_841),
        (((800, 2_320), (0, 0), (1, 0)), ((5.5, 7), (1, 999))),
        (((False, False), (24_000, 841)), ((False, True), (720, 7_000))),
    ),
)

WORDS = """\
5 rules, 14 edges.

>50K if any of  (base rate 24%)
  R2.2: C1.2               (1,000 rows, over 99% right [99-100%], lift 4.1, recall 13%)
  R2.1: C1.1 and not C1.2  (12.5 rows, 56% right [30-79%], lift 2.3, recall under 1%)

<=50K for everything else

C1.1 means any of
  R1.1: age > 27 and marital-status = Married  (3,120 rows, 74% >50K [72-76%])
  R1.2: 5013 < gain <= 6514                    (no rows)

C1.2 means any of
  R1.3: not (age > 27) and marital-status != Married  (1 row, 100% <=50K [20-100%])
  R1.2: 5013 < gain <= 6514                           (no rows)"""

WITHOUT_FIGURES = """\
4 rules, 7 edges. When several classes fire, the first of these wins: b, a.

b if any of
  R1.1: x = True
  R1.2: always

c never

else a if
  R1.1: x = True

a for everything else

used nowhere on level 1
  R1.3: x = True and x != True
  R1.4: x != True"""


def test_the_whole_text():
    assert str(ADULT) == WORDS


def test_the_text_says_where_rows_without_a_value_pass_a_negated_test():
    gaps = replace(ADULT, columns=(replace(COLUMNS[0], missing=True), *COLUMNS[1:]))
    assert str(gaps).startswith(
        "5 rules, 14 edges. Tests with != or not also hold where the value is missing: age.\n\n"
    )


def test_a_rule_that_others_come_before_tells_what_it_decides():
    """Of six rows on which it holds, another class takes four: 33% right is not what the rule is worth."""
    level = Level((Rule((A,)), Rule((B,)), Rule((C,))), (Concept((0,)), Concept((1, 2))))
    counts = ((4, 0), (4, 2), (3, 0))
    statistics = Statistics(
        (5, 5),
        (counts,),
        (((False, False), (1, 3)), ((True, True), (4, 0)), ((False, True), (0, 2))),
        (((4, 0),), ((0, 2), (0, 0))),
    )
    network = RuleNetwork(COLUMNS, (AGE, SPOUSE, GAIN), (level,), "ab", "ab", "a", statistics)
    text = str(network)
    assert "R1.1: age > 27  (4 rows, 100% right [51-100%], lift 2.0, recall 80%)" in text
    worth = "33% right [9-71%], lift 0.7, recall 40%; decides 2 rows, 100% right [34-100%]"
    assert f"R1.2: marital-status = Married  (6 rows, {worth})" in text
    assert "5013 < gain <= 6514       (3 rows, 0% right [0-57%], lift 0.0, recall 0%; decides no row)" in text
    assert "\na if  (base rate 50%)\n" in text
    assert "\nelse b if any of  (base rate 50%)\n" in text
    found = [(rule.base_rate, rule.lift, rule.recall) for rule in coverage(network)]
    assert found == [(0.5, 2, 0.8), (0.5, 2 / 6 / 0.5, 0.4), (0.5, 0, 0)]
    worth = [(rule.rows, rule.precision, rule.decided, rule.decided_precision) for rule in coverage(network)]
    assert worth == [(4, 1, 4, 1), (6, 2 / 6, 2, 1), (3, 0, 0, None)]


def test_the_text_without_statistics():
    level = Level((Rule((A,)), Rule(), Rule((A, ~A)), Rule((~A,))), (Concept((0,)), Concept((0, 1)), Concept()))
    columns, predicates = (Column("x", "boolean"),), (Equals("x", True),)
    assert str(RuleNetwork(columns, predicates, (level,), "abc", "bca", "a")) == WITHOUT_FIGURES


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Interval("x", high=27), "x <= 27"),
        (Interval("x", 27, 41), "27 < x <= 41"),
        (Interval("x", 0.1), "x > 0.1"),
        (Interval("x", -0.0, 1e-7), "0 < x <= 1e-07"),
        (Interval("x", 1234567, 1e300), "1234567 < x <= 1e+300"),
        (Interval("x"), "x is present"),
        (Missing("x"), "x is missing"),
    ],
)
def test_predicates_on_numbers(predicate, text):
    assert predicate_text(predicate, Column("x")) == text


def microseconds(*moment):
    return (dt.datetime(*moment) - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1)


DAY = 24 * 3600 * 1e6


@pytest.mark.parametrize(
    ("kind", "bound", "text"),
    [
        ("date", microseconds(2021, 3, 5), "2021-03-05"),
        ("date", microseconds(2021, 3, 5, 12), "2021-03-05 12:00"),
        ("date", microseconds(800, 3, 5), "0800-03-05"),
        ("datetime", microseconds(2021, 3, 5, 14, 30), "2021-03-05 14:30"),
        ("datetime", microseconds(2021, 3, 5), "2021-03-05 00:00"),
        ("datetime", microseconds(1960, 3, 5, 14, 30, 7), "1960-03-05 14:30:07"),
        ("datetime", microseconds(2021, 3, 5, 14, 30, 7, 20), "2021-03-05 14:30:07.000020"),
        ("datetime", 4e6 * DAY, "1970-01-01 + 4000000 days 0:00:00"),
        ("duration", 3 * DAY + 4 * 3600e6, "3 days 4:00:00"),
        ("duration", 90e6, "0:01:30"),
        ("duration", -DAY, "minus 1 day 0:00:00"),
        ("duration", 1e300, "1e+300 microseconds"),
    ],
)
def test_dates_and_durations(kind, bound, text):
    assert predicate_text(Interval("x", high=bound), Column("x", kind)) == f"x <= {text}"


@pytest.mark.parametrize(
    ("predicate", "kind", "text"),
    [
        (Equals("job", "nurse"), "category", "job != nurse"),
        (Equals("job", 3), "category", "job != 3"),
        (Missing("job"), "category", "not (job is missing)"),
        (Interval("job", 27, 41), "number", "not (27 < job <= 41)"),
        (Interval("job", high=41), "number", "not (job <= 41)"),
        (OneOf("job", ("cook", "nurse")), "category", "job not in {cook, nurse}"),
    ],
)
def test_negated_literals(predicate, kind, text):
    network = RuleNetwork((Column("job", kind),), (predicate,), (Level((), (Concept(),)),), ("a",))
    assert literal_text(network, 0, Literal(0, True)) == text


def test_rules_and_concepts_in_words():
    assert rule_text(ADULT, 0, 0) == "age > 27 and marital-status = Married"
    assert rule_text(ADULT, 1, 0) == "C1.1 and not C1.2"


def test_the_names_of_the_nodes_of_every_layer():
    expected = [
        ["age > 27", "marital-status = Married", "5013 < gain <= 6514"],
        [rule_text(ADULT, 0, index) for index in range(3)],
        ["C1.1", "C1.2"],
        ["C1.1 and not C1.2", "C1.2"],
        ["<=50K", ">50K"],
    ]
    assert [node_names(ADULT, layer) for layer in range(5)] == expected


@given(names())
def test_a_name_can_be_read_back_and_is_printable(name):
    text = word(name)
    assert text.isprintable()
    assert (ast.literal_eval(text) if text.startswith('"') else text) == name


def unquoted(text):
    return re.sub(r'"(?:[^"\\]|\\.)*"', "Q", text)


def count_literal(text, intervals):
    """A set counts its values, two bounds count two, except those of an interval of the network."""
    values = re.search(r" in \{(.*)\}$", text)
    if values:
        return values[1].count(", ") + 1
    bare = text.removeprefix("not (").removesuffix(")") if text.startswith("not (") else text
    return 2 if " < " in bare and " <= " in bare and bare not in intervals else 1


def count(text, intervals):
    """The edges that a reader counts: a line is a rule in its concept, what `and` joins are its literals."""
    total, known = 0, set()
    text = unquoted(text)
    for section in text.split("\n\n")[1:]:
        title, *lines = section.split("\n")
        for line in lines:
            name, rule = re.fullmatch(r"  (R\d+\.\d+: )?(.*?)(?: +\((?:no|[\d.,]+) rows?.*\))?", line).groups()
            total += not title.startswith("used nowhere")
            if name is None or name not in known:
                total += 0 if rule == "always" else sum(count_literal(each, intervals) for each in rule.split(" and "))
            known.add(name)
    return total


@given(st.booleans().flatmap(lambda odd: networks(odd=odd) | measured_networks(odd=odd)))
def test_the_text_shows_every_edge_that_the_measure_counts(network):
    bounds = [(each.column, each.low, each.high) for each in network.predicates if isinstance(each, Interval)]
    inner = {bound for bound in bounds if not any(map(math.isinf, bound[1:]))}
    # One condition of the paper's kind and one of two thresholds read alike, and count differently.
    assume(not any((name, low, high) in inner for name, low, _ in bounds for other, _, high in bounds if name == other))
    columns = {column.name: column for column in network.columns}
    intervals = {unquoted(predicate_text(Interval(*bound), columns[bound[0]])) for bound in inner}
    assert count(str(network), intervals) == edges(network)


@given(measured_networks())
def test_rules_that_cover_more_come_first(network):
    for section in str(network).split("\n\n"):
        covered = [float(number) if number != "no" else 0 for number in re.findall(r"\((no|[\d.]+) row", section)]
        assert covered == sorted(covered, reverse=True)


@given(networks(odd=True))
def test_no_name_can_move_the_cursor(network):
    assert str(network).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.001, "under 1%"), (0.745, "74%"), (0.9999, "over 99%"), (1, "100%")]
)
def test_no_exception_is_rounded_away(share, text):
    rows = (10_000 * share, 10_000 * (1 - share))
    level = Level((Rule(),), (Concept((0,)), Concept()))
    network = RuleNetwork((), (), (level,), ("a", "b"), statistics=Statistics(rows, ((rows,),), ()))
    assert f"(10,000 rows, {text} right [" in str(network)


def test_a_network_without_rules_says_so():
    network = RuleNetwork((), (), (Level((), (Concept(), Concept())),), ("a", "b"), default="b")
    assert str(network).startswith("There are no rules: the answer is always b.")
    learned = replace(network, training=Training("0.2.0", 0, (), 40, None, None))
    assert str(learned).startswith("No rule is better than always answering b.")


def test_a_bound_is_told_apart_from_its_neighbour():
    assert predicate_text(Interval("x", high=math.nextafter(0.3, 1)), Column("x")) == "x <= 0.30000000000000004"


RANK = Column("rank", "ordinal", ("a", "b", "c", "d in {e", "f"))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (("a",), "rank <= a"),
        (("a", "b", "c"), "rank <= c"),
        (("f",), 'rank > "d in {e"'),
        (("c", "d in {e", "f"), "rank > b"),
        (("b",), "a < rank <= b"),
        (("b", "c", "d in {e"), 'a < rank <= "d in {e"'),
        (("a", "c"), "rank in {a, c}"),
        (RANK.categories, "rank <= f"),
    ],
)
def test_runs_of_an_ordinal_column_read_as_bounds(values, text):
    assert predicate_text(OneOf("rank", values), RANK) == text


THRESHOLDS = RuleNetwork(
    (Column("age"), RANK),
    (
        Interval("age", 27), Interval("age", high=41), Interval("age", high=20), Interval("age", 30),
        OneOf("rank", ("a", "b", "c")), OneOf("rank", ("c", "d in {e", "f")), OneOf("rank", ("d in {e", "f")),
    ),
    (Level((), (Concept(),)),),
    ("yes",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("literals", "texts"),
    [
        ((0, 1), ["27 < age <= 41"]),
        ((0, 4, 1, 5), ["27 < age <= 41", "b < rank <= c"]),
        ((0, 2), ["age > 27", "age <= 20"]),
        ((4, 6), ["rank <= c", "rank > c"]),
        ((0, 1, 3), ["age > 27", "age <= 41", "age > 30"]),
        ((0, ~1), ["age > 27", "not (age <= 41)"]),
        ((5, ~4), ["rank > b", "not (rank <= c)"]),
    ],
)
def test_one_lower_and_one_upper_bound_read_as_one_condition(literals, texts):
    made = [Literal(number) if number >= 0 else Literal(~number, negated=True) for number in literals]
    assert literals_text(THRESHOLDS, 0, made) == texts


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 rows"), (1, "1 row"), (1.0, "1 row"), (0.5, "0.5 rows"), (2.25, "2.25 rows"), (2.346, "2.35 rows"),
     (99.4, "99.4 rows"), (1000.6, "1,001 rows"), (1_000_000, "1,000,000 rows")],
)  # fmt: skip
def test_a_count_with_its_noun(count: float, text: str) -> None:
    assert plural(count, "row") == text
    assert plural(count, "class", "classes") == text.replace("rows", "classes").replace("row", "class")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0099, "under 1%"), (0.01, "1%"), (0.5, "50%"), (0.99, "99%"), (0.9901, "over 99%"), (1, "100%")],
)
def test_only_what_has_no_exception_is_0_or_100_per_cent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("moment", "datetime", "date", "duration"),
    [
        (0.7, "1970-01-01 00:00", "1970-01-01", "0:00:00"),
        (-0.4, "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999", "minus 0:00:00.000001"),
        (59e6, "1970-01-01 00:00:59", "1970-01-01 00:00:59", "0:00:59"),
        (0.5e6, "1970-01-01 00:00:00.500000", "1970-01-01 00:00:00.500000", "0:00:00.500000"),
        (-DAY, "1969-12-31 00:00", "1969-12-31", "minus 1 day 0:00:00"),
        (-1e300, "1970-01-01 + -1e+300 microseconds", "1970-01-01 + -1e+300 microseconds", "-1e+300 microseconds"),
    ],
)
def test_moments_to_the_microsecond(moment: float, datetime: str, date: str, duration: str) -> None:
    """Rounded down, since whole microseconds above 0.7 are those above 0."""
    assert (datetime_text(moment), date_text(moment), duration_text(moment)) == (datetime, date, duration)


NAMED = """\
C1.1 ("rich, or so") means any of
  R1.1: age > 27 and marital-status = Married  (3,120 rows, 74% >50K [72-76%])
  R1.2 (some gain): 5013 < gain <= 6514        (no rows)

C1.2 means any of
  R1.3: not (age > 27) and marital-status != Married  (1 row, 100% <=50K [20-100%])
  R1.2 (some gain): 5013 < gain <= 6514               (no rows)"""


def test_names_that_people_gave_stand_with_their_rules_and_concepts() -> None:
    named = replace(ADULT, names=(("C1.1", "rich, or so"), ("5013 < gain <= 6514", "some gain")))
    assert str(named) == WORDS[: WORDS.index("C1.1 means")] + NAMED


@pytest.mark.parametrize(("longest", "starts"), [(80, (90, 90)), (100, (104, 110)), (200, (104, 210))])
def test_figures_line_up_but_not_too_far_to_the_right(longest: int, starts: tuple[int, int]) -> None:
    columns = [Column("x" * (size - len(" = True")), "boolean") for size in (50, longest)]
    tests = [Equals(column.name, True) for column in columns]
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0, 1])])
    network = RuleNetwork(columns, tests, [level], ["a"], statistics=Statistics((3.0,), (((2.0,), (1.0,)),), ()))
    assert tuple(line.index("(") for line in str(network).splitlines() if "rows" in line or "1 row" in line) == starts


def test_the_figures_of_a_rule() -> None:
    first = [rule_figures(ADULT, 0, rule) for rule in range(3)]
    assert first == ["(3,120 rows, 74% >50K [72-76%])", "(no rows)", "(1 row, 100% <=50K [20-100%])"]
    assert rule_figures(ADULT, 1, 0, 1) == "(12.5 rows, 56% right [30-79%], lift 2.3, recall under 1%)"
    assert rule_figures(ADULT, 1, 0, 0) == "(12.5 rows, 44% right [21-70%], lift 0.6, recall under 1%)"
    assert rule_figures(replace(ADULT, statistics=None), 0, 0) == ""


def test_the_rows_that_a_rule_decides_are_found_by_its_place_in_its_class() -> None:
    level = Level((Rule((A,)), Rule((B,)), Rule((C,))), (Concept((0, 2)), Concept((1, 2))))
    decided = (((1, 0), (2, 0)), ((0, 3), (0, 4)))
    statistics = Statistics((5, 7), (((4, 0), (4, 3), (3, 4)),), (), decided)
    network = RuleNetwork(COLUMNS, (AGE, SPOUSE, GAIN), (level,), "ab", statistics=statistics)
    assert [decided_rows(network, kind, rule) for kind, rule in ((0, 0), (0, 2), (1, 1), (1, 2))] == [
        (1, 0), (2, 0), (0, 3), (0, 4),
    ]  # fmt: skip
    assert decided_rows(ADULT, 1, 0) is None
    assert decided_rows(replace(ADULT, statistics=None), 1, 0) is None


def test_a_category_says_whether_it_is_text() -> None:
    text, mixed, none = (Column("c", "category", some) for some in (("a", "1"), ("a", 1), ()))
    assert [lists_text(column) for column in (text, mixed, none)] == [True, False, False]
    written = [
        [category_word(column, value) for value in ("1", 1, "a", True, "True")] for column in (text, mixed, none)
    ]
    assert written == [["1", "(1)", "a", "(True)", "True"]] + [['"1"', "1", "a", "True", '"True"']] * 2


def test_a_value_alone_and_with_its_column() -> None:
    day, job = Column("day", "date"), Column("the job is", "category", ("a and b",))
    assert (value_word(day, DAY), value_word(job, "a and b")) == ("1970-01-02", '"a and b"')
    assert (value_text(day, DAY), value_text(day, None)) == ("day = 1970-01-02", "day is missing")
    assert (value_text(job, "x"), value_text(job, None)) == ('"the job is" = x', '"the job is" is missing')
    assert value_word(Column("age"), "odd") == "odd"


def test_other_words_and_another_sign_for_an_upper_bound() -> None:
    loud = {"words": lambda value: str(value).upper(), "at_most": "up to"}
    assert predicate_text(Interval("age", 27, 41), Column("age"), **loud) == "27 < AGE up to 41"
    assert predicate_text(Interval("age", high=41), Column("age"), **loud) == "AGE up to 41"
    assert predicate_text(OneOf("rank", ("a", "b")), RANK, **loud) == "RANK up to B"
    assert predicate_text(OneOf("rank", ("b", "c")), RANK, **loud) == "A < RANK up to C"
    assert predicate_text(OneOf("rank", ("a", "c")), RANK, **loud) == "RANK in {A, C}"
    assert predicate_text(Equals("rank", "a"), RANK, **loud) == "RANK = A"
    assert literal_text(THRESHOLDS, 0, Literal(1, True), "up to") == "not (age up to 41)"


def test_the_names_of_nodes_of_three_levels() -> None:
    level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    network = RuleNetwork((Column("age"),), (AGE,), (level, level, level), ("no", "x is"))
    assert [node_names(network, layer) for layer in range(7)] == [
        ["age > 27"], ["age > 27"], ["C1.1", "C1.2"], ["C1.1"], ["C2.1", "C2.2"], ["C2.1"], ["no", '"x is"'],
    ]  # fmt: skip
    assert str(network).split("\n\n")[1:] == [
        "no if\n  R3.1: C2.1", '"x is" never', "no for everything else",
        "C2.1 means\n  R2.1: C1.1", "C2.2 never holds", "C1.1 means\n  R1.1: age > 27", "C1.2 never holds",
    ]  # fmt: skip


def test_rules_that_no_concept_has_are_listed_with_their_level() -> None:
    level = Level((Rule((Literal(0),)), Rule((~Literal(0),))), (Concept((0,)),))
    network = RuleNetwork((Column("age"),), (AGE,), (level, level), ("a",))
    assert str(network).split("\n\n")[-2:] == [
        "used nowhere on level 1\n  R1.2: not (age > 27)", "used nowhere on level 2\n  R2.2: not C1.1",
    ]  # fmt: skip


def test_a_column_of_zeros_and_ones_reads_as_what_it_holds():
    """But a cut between them, or of a column that has other numbers too, is told as a cut."""
    flag, count = Column("smoker", "number", (0, 1), missing=True), Column("children")
    network = RuleNetwork(
        (flag, count),
        (
            Interval("smoker", low=0),
            Interval("smoker", high=0),
            Interval("smoker", low=0.5),
            Interval("children", low=0),
        ),
        (Level((Rule((Literal(0), Literal(2), Literal(3))), Rule((Literal(1, negated=True),))), (Concept((0, 1)),)),),
        ("ill",),
    )
    assert rule_text(network, 0, 0) == "smoker = 1 and smoker > 0.5 and children > 0"
    assert rule_text(network, 0, 1) == "smoker != 0"
