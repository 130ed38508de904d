import math

import numpy as np
import pytest

from conceptrules.rules import Column, Equals, InputError, Interval, Missing
from conceptrules.rules.predicate import holds, shown


@pytest.mark.parametrize(
    ("predicate", "true", "false"),
    [
        (Interval("age", 27, 41), [27.5, 41], [27, 41.5, math.inf, -math.inf, None, math.nan]),
        (Interval("age", high=27), [-math.inf, 27], [27.5, math.inf, None]),
        (Interval("age", low=27), [27.5, math.inf], [27, -math.inf, None]),
        (Interval("age"), [0, math.inf, -math.inf], [None, math.nan]),
        (Equals("job", "nurse"), ["nurse"], ["Nurse", "", None]),
        (Equals("smokes", False), [False], [True, None]),
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
    assert shown("a\x1b[2J\nb é") == r"a\x1b[2J\nb é"
