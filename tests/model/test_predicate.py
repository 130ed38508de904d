import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model import Column, Equals, InputError, Interval, Level, Missing, OneOf, RuleNetwork
from conceptrules.model.network import Concept
from conceptrules.model.predicate import (
    KINDS,
    bounds_of,
    categories_of,
    finite_bounds,
    holds,
    key_of,
    known_categories,
    named_categories,
    one_of,
    printable,
    run_of,
    size_of,
)
from conceptrules.model.text import predicate_text
from conceptrules.tables.table import read_bits
from tests.strategies import values


@pytest.mark.parametrize(
    ("predicate", "true", "false"),
    [
        (Interval("age", 27, 41), [27.5, 41], [27, 41.5, math.inf, -math.inf, None, math.nan]),
        (Interval("age", high=27), [-math.inf, 27], [27.5, math.inf, None]),
        (Interval("age", low=27), [27.5, math.inf], [27, -math.inf, None]),
        (Interval("age"), [0, math.inf, -math.inf], [None, math.nan]),
        (Equals("job", "nurse"), ["nurse"], ["Nurse", "", None]),
        (Equals("smokes", False), [False], [True, None]),
        (OneOf("job", ("nurse", "smith")), ["nurse", "smith"], ["Smith", "", None, math.nan]),
        (OneOf("n", (1, 3)), [1, 3.0, True], [2, None, "1"]),
        (Missing("job"), [None, math.nan], ["", 0, False]),
    ],
)
def test_what_a_predicate_means(predicate, true, false):
    assert all(holds(predicate, value) for value in true)
    assert not any(holds(predicate, value) for value in false)


@pytest.mark.parametrize(("low", "high"), [(2, 2), (3, 2), (math.nan, 2), (1, math.nan), (math.inf, math.inf)])
def test_an_interval_that_nothing_is_in_is_refused(low, high):
    with pytest.raises(InputError, match="'age' needs low < high"):
        Interval("age", low, high)


def test_a_kind_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="'age' has the kind 'integer'; use one of number"):
        Column("age", "integer")


@pytest.mark.parametrize("value", [None, math.nan, (1, 2), b"nurse", np.datetime64("2021-03-05")])
def test_values_that_no_file_could_hold_are_refused(value):
    with pytest.raises(InputError, match="text, a number, true or false"):
        Equals("job", value)
    with pytest.raises(InputError, match="text, a number, true or false"):
        Column("job", "category", (value,))


def test_numpy_values_become_python_values():
    assert type(Equals("n", np.int64(3)).value) is int
    assert type(Column("s", "category", np.array(["a"])).categories[0]) is str
    assert type(Interval("x", np.float32(0.5)).low) is float


def test_control_characters_are_shown_and_not_sent():
    assert printable("a\x1b[2J\nb é") == r"a\x1b[2J\nb é"


def test_a_set_of_categories_is_not_empty_and_names_each_once():
    with pytest.raises(InputError, match="'job' needs at least one"):
        OneOf("job", ())
    with pytest.raises(InputError, match="'job' lists one twice"):
        OneOf("job", (1, True))


def test_a_set_of_categories_is_kept_in_the_order_of_the_column():
    column = Column("rank", "category", ("low", "mid", "top"))
    assert one_of(column, ["top", "new", "low", "top"]) == OneOf("rank", ("low", "top", "new"))
    level = Level((), (Concept(),))
    with pytest.raises(InputError, match=r"not the order of column 'rank'; write OneOf\('rank', \('low', 'top'\)\)"):
        RuleNetwork((column,), (OneOf("rank", ("top", "low")),), (level,), ("yes",))
    with pytest.raises(InputError, match="type OneOf, which does not go with column 'age' of the kind number"):
        RuleNetwork((Column("age"),), (OneOf("age", (1,)),), (level,), ("yes",))


@given(st.lists(values(), min_size=2, max_size=2))
def test_keys_are_alike_where_values_are_equal(pair):
    assert (key_of(pair[0]) == key_of(pair[1])) == (pair[0] == pair[1])


def test_keys_of_numbers_that_are_equal_or_nearly():
    assert key_of(1) == key_of(1.0) == key_of(True) != key_of("1")
    assert key_of(2**53) == key_of(2.0**53) != key_of(2**53 + 1)
    assert len({key_of(value) for value in (10**400, math.inf, -math.inf, 0.5, -1, 1)}) == 6


def test_what_a_predicate_speaks_of():
    assert categories_of(OneOf("job", ("nurse", "smith"))) == ("nurse", "smith")
    assert categories_of(Equals("job", "nurse")) == ("nurse",)
    assert categories_of(Missing("job")) == categories_of(Interval("age")) == ()


@pytest.mark.parametrize(
    "values", [["nurse", "cook", None, "smith"], np.array([1, 2, 3, 4]), [True, False, None, True]]
)
def test_sets_of_categories_on_a_table(values):
    predicate = OneOf("job", ("nurse", "smith", 1, 3))
    bits = read_bits([Column("job", "category")], [predicate, Equals("job", "cook")], [[value] for value in values])
    assert bits[:, 0].tolist() == [holds(predicate, value) for value in values]


def test_a_set_in_words():
    column = Column("job", "category")
    assert predicate_text(OneOf("job", ("nurse", "black, white")), column) == 'job in {nurse, "black, white"}'


RANK = Column("rank", "ordinal", ("a", "b", "c", 4))


@pytest.mark.parametrize(
    ("predicate", "run", "size"),
    [
        (OneOf("rank", ("a", "b")), (0, 2), 1),
        (OneOf("rank", ("b", "c", 4)), (1, 4), 1),
        (OneOf("rank", ("b", "c")), (1, 3), 2),
        (OneOf("rank", ("a", "b", "c", 4)), (0, 4), 1),
        (OneOf("rank", ("a", "c")), None, 2),
        (OneOf("rank", ("x", "y", "z")), None, 3),
        (OneOf("rank", ("c", 4, "x")), None, 3),
        (Equals("rank", "a"), None, 1),
        (Missing("rank"), None, 1),
    ],
)
def test_runs_of_an_order_and_how_they_count(
    predicate: OneOf | Equals | Missing, run: tuple[int, int] | None, size: int
) -> None:
    assert run_of(predicate, RANK) == run
    assert size_of(predicate, RANK) == bounds_of(predicate, RANK) == size
    assert run_of(predicate, Column("rank", "category", RANK.categories)) is None


def test_only_two_bounds_count_two() -> None:
    intervals = [Interval("age", 1, 2), Interval("age", 1), Interval("age", high=2), Interval("age")]
    assert [bounds_of(interval, Column("age")) for interval in intervals] == [2, 1, 1, 1]
    assert [size_of(interval, Column("age")) for interval in intervals] == [1, 1, 1, 1]


def test_the_categories_and_bounds_that_predicates_speak_of() -> None:
    tests = [OneOf("job", ("b", "x")), Equals("job", "a"), Missing("job"), Equals("job", "b")]
    assert named_categories(tests) == ("b", "x", "a")
    assert known_categories(Column("job", "category", ("a", "c")), tests) == ("a", "c", "b", "x")
    cuts = [Interval("age", 41), Interval("age", 27, 41), Interval("age", high=-1), Interval("age"), Missing("age")]
    assert finite_bounds(cuts) == (-1, 27, 41)


def test_a_column_knows_the_places_of_its_categories() -> None:
    assert dict(RANK.places) == {key_of("a"): 0, key_of("b"): 1, key_of("c"): 2, key_of(4): 3}
    assert repr(Column("x")) == "Column(name='x', kind='number', categories=(), missing=False)"
    assert Column("x", "category", (1,)) == Column("x", "category", (True,))
    assert [kind for kind in KINDS if Column("x", kind).ordered] == ["number", "date", "datetime", "duration"]
