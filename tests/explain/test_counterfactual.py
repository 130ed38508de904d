"""Counterfactuals against trying everything."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from conceptrules.explain.column_options import list_options
from conceptrules.explain.counterfactual import Counterfactual, find_counterfactual
from conceptrules.explain.counterfactual_search import Budget, LimitReached
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf
from conceptrules.model.provenance import Training
from conceptrules.tables.table import read_bits
from tests.strategies import Bottom, networks, tables

DAY = 86_400 * 10**6
# Every column with all that a row can say there, as far as the predicates below can tell.
SPACE = {
    "age": [20, 27, 30, 41, 50],
    "job": ["cook", "nurse", "smith", "clerk", None],
    "ill": [True, False],
    "rank": ["low", "mid", "high", "top"],
    "born": [dt.date(1970, 1, 2), dt.date(1970, 1, 3), dt.date(1980, 1, 1), None],
}
COLUMNS = (
    Column("age"),
    Column("job", "category", ("clerk", "cook", "nurse", "smith"), missing=True),
    Column("ill", "boolean", (False, True)),
    Column("rank", "ordinal", ("low", "mid", "high", "top")),
    Column("born", "date", missing=True),
)
PREDICATES = (
    Interval("age", high=27),
    Interval("age", 27, 41),
    Interval("age", 30),
    Equals("job", "cook"),
    Equals("job", "nurse"),
    OneOf("job", ("clerk", "cook")),
    Equals("ill", True),
    OneOf("rank", ("low", "mid")),
    OneOf("rank", ("mid", "high", "top")),
    OneOf("rank", ("low", "top")),
    Missing("born"),
    Interval("born", high=2 * DAY),
    Interval("born", 1.5 * DAY),
)


EVERY = [dict(zip(SPACE, values, strict=True)) for values in itertools.product(*SPACE.values())]


@dataclass(frozen=True)
class Space:
    """All rows there are: their classes, and which predicates in use hold."""

    labels: np.ndarray
    bits: np.ndarray

    @staticmethod
    def of(network: RuleNetwork) -> Space:
        used = {literal.index for rule in network.levels[0].rules for literal in rule.literals}
        return Space(network.predict(EVERY), read_bits(COLUMNS, PREDICATES, EVERY, sorted(used)))

    def least(self, number: int, fixed: list[str], to: object) -> tuple[int, int] | None:
        """The fewest columns to change, and the fewest predicates to flip with so many, by trying every row."""
        goal = self.labels != self.labels[number] if to is None else self.labels == to
        row = EVERY[number]
        sizes = {
            other: sum(EVERY[other][name] != row[name] for name in SPACE)
            for other in np.flatnonzero(goal)
            if all(EVERY[other][name] == row[name] for name in fixed)
        }
        least = min(sizes.values(), default=None)
        if least is None:
            return None
        return least, min(self.flipped(number, other) for other, size in sizes.items() if size == least)

    def flipped(self, one: int, other: int) -> int:
        return int((self.bits[one] != self.bits[other]).sum())


def changed(row: dict[str, object], change: Counterfactual) -> dict[str, object]:
    return row | {step.column: step.example for step in change.changes}


def dense(seed: int) -> RuleNetwork:
    """A network of two levels with many edges, so that most rows can change their class."""
    random = np.random.default_rng(seed)

    def rules(count: int, below: int) -> list[Rule]:
        chosen = [random.permutation(below)[: random.integers(1, 4)] for _ in range(count)]
        return [Rule([Literal(int(index), random.random() < 0.4) for index in indices]) for indices in chosen]

    def concepts(count: int, below: int) -> list[Concept]:
        return [Concept(random.permutation(below)[: random.integers(1, 4)].tolist()) for _ in range(count)]

    levels = [Level(rules(6, len(PREDICATES)), concepts(4, 6)), Level(rules(5, 4), concepts(3, 5))]
    classes = ["a", "b", "c"]
    return RuleNetwork(COLUMNS, PREDICATES, levels, classes, random.permutation(classes), str(random.choice(classes)))


FIXED = st.lists(st.sampled_from(sorted(SPACE)), unique=True, max_size=2)


@given(networks(st.just((COLUMNS, PREDICATES))) | st.integers(0, 10**6).map(dense), st.integers(0, 99), FIXED)
@settings(max_examples=200)
def test_no_smaller_change_exists(network: RuleNetwork, seed: int, fixed: list[str]) -> None:
    space = Space.of(network)
    random = np.random.default_rng(seed)
    for number in random.integers(len(EVERY), size=5).tolist():
        row, label = EVERY[number], space.labels[number]
        to = random.choice([None, *(name for name in network.classes if name != label)])
        expected = space.least(number, fixed, to)
        event(f"{expected and expected[0]} columns")
        change = find_counterfactual(network, row, fixed=fixed, to=to)
        if expected is None:
            assert change is None
            continue
        assert change is not None
        assert (change.proved, change.at_least, len(change.changes)) == (True, expected[0], expected[0])
        assert not {step.column for step in change.changes} & set(fixed)
        other = changed(row, change)
        assert network.predict(other)[0] == change.label
        assert change.label == to if to is not None else change.label != label
        bits = [read_bits(COLUMNS, PREDICATES, each, np.flatnonzero(space.bits.any(axis=0))) for each in (row, other)]
        assert np.count_nonzero(bits[0] != bits[1]) == expected[1]


@given(networks(), st.data())
def test_switches_need_as_many_flips_as_trying_everything_finds(network: RuleNetwork, data: st.DataObject) -> None:
    size = len(network.predicates)
    row = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    assume(row)
    every = [list(other) for other in itertools.product([False, True], repeat=size)]
    labels = network.predict(every)
    label = network.predict([row])[0]
    sizes = [sum(a != b for a, b in zip(row, other, strict=True)) for other in every]
    expected = min((s for s, other in zip(sizes, labels, strict=True) if other != label), default=None)
    change = find_counterfactual(network, row)
    assert (None if change is None else len(change.changes)) == expected


def parity(columns: int) -> RuleNetwork:
    """One more column changes the class whatever the others say: x0 and no other, and so on for odd counts."""
    every = itertools.product([False, True], repeat=columns)
    odd = [Rule([Literal(i, not bit) for i, bit in enumerate(bits)]) for bits in every if sum(bits) % 2]
    levels = [Level(odd, [Concept(), Concept(range(len(odd)))])]
    names = [f"x{i}" for i in range(columns)]
    return RuleNetwork(
        [Column(name, "boolean") for name in names], [Equals(n, True) for n in names], levels, ["even", "odd"]
    )


def all_of(columns: int) -> RuleNetwork:
    levels = [Level([Rule([Literal(i) for i in range(columns)])], [Concept(), Concept([0])])]
    names = [f"x{i}" for i in range(columns)]
    return RuleNetwork(
        [Column(name, "boolean") for name in names], [Equals(n, True) for n in names], levels, ["no", "yes"]
    )


def test_a_change_of_many_columns_is_found_and_proved():
    change = find_counterfactual(all_of(12), [False] * 12)
    assert change is not None
    assert change.proved
    assert len(change.changes) == 12


def test_of_equal_changes_the_first_columns_win():
    change = find_counterfactual(parity(4), [False] * 4)
    assert [step.column for step in change.changes] == ["x0"]


@pytest.mark.parametrize("limit", [0, 1, 50, 300, 1000])
def test_a_search_that_ends_early_says_so_and_gives_a_bound(limit: int):
    network, row = all_of(12), [False] * 12
    change = find_counterfactual(network, row, limit=limit)
    assert change is not None
    assert not change.proved
    assert change.visited <= limit
    assert 1 <= change.at_least < 12
    assert not change.changes or (len(change.changes) == 12 and change.label == "yes")


def test_a_bound_is_there_once_small_changes_are_ruled_out():
    change = find_counterfactual(all_of(20), [False] * 20, limit=20_000)
    assert (len(change.changes), change.label, change.proved) == (20, "yes", False)
    assert 3 <= change.at_least < 20


def test_a_time_limit_ends_the_search():
    change = find_counterfactual(all_of(12), [False] * 12, seconds=0)
    assert change == Counterfactual((), None, False, 1, 0)
    with pytest.raises(LimitReached):
        Budget(10, seconds=-1).spend(1)


def test_there_is_none_where_all_that_matters_is_fixed():
    network = all_of(3)
    assert find_counterfactual(network, [True, True, False], fixed=["x2"]) is None
    assert find_counterfactual(network, [True, True, False], fixed="x0").label == "yes"


def ages(**training: object) -> RuleNetwork:
    columns = [Column("age"), Column("job", "category", ("cook", "nurse"))]
    levels = [Level([Rule([Literal(0)]), Rule([Literal(1), Literal(2)])], [Concept([0]), Concept([1]), Concept()])]
    network = RuleNetwork(
        columns,
        [Interval("age", 40.5), Equals("job", "cook"), Equals("job", "nurse")],
        levels,
        ["old", "both", "young"],
        default="young",
    )
    return replace(network, training=Training("1", 0, (), 1, 0.5, 1, **training)) if training else network


def test_steps_say_from_what_to_what_with_an_example():
    (step,) = find_counterfactual(ages(), {"age": 30, "job": "cook"}).changes
    assert (step.column, step.before, step.after, step.example) == ("age", "age = 30", "age > 40.5", 41)
    (step,) = find_counterfactual(ages(), {"age": 41.5, "job": None}).changes
    assert (step.before, step.after, step.example) == ("age = 41.5", "age <= 40.5", 40.5)


def test_a_row_has_one_category_a_column():
    assert find_counterfactual(ages(), {"age": 30, "job": "cook"}, to="both") is None


@pytest.mark.parametrize(
    ("low", "high", "now", "expected"),
    [
        (40.5, 41, 20.0, 41),
        (0.1, 0.2, 5.0, 0.2),
        (0.1, 0.2, 0.01, 0.11),
        (-3.5, -2.5, 0.0, -3),
        (1e300, 2e300, 0.0, 2e300),
        (0.1234, np.inf, None, 1),
        (np.finfo(float).max, np.inf, 0.0, np.inf),
        (-np.inf, 7.5, 9.25, 7.5),
        (-np.inf, 7.5, 9.0, 7),
    ],
)
def test_examples_are_round_and_near(low, high, now, expected):
    columns = [Column("age", missing=True)]
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    network = RuleNetwork(columns, [Interval("age", low, high)], [level], ["in", "out"], default="out")
    (step,) = find_counterfactual(network, [now]).changes
    assert step.example == expected
    assert network.predict([[step.example]])[0] == "in"


def test_times_that_no_row_can_hold_are_no_options():
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    row = [dt.datetime(2000, 1, 1)]

    def change(low: float, high: float) -> Counterfactual | None:
        columns, predicates = [Column("when", "datetime")], [Interval("when", low, high)]
        return find_counterfactual(RuleNetwork(columns, predicates, [level], ["in", "out"], default="out"), row)

    assert change(0.3, 0.6) is None
    assert change(1e300, np.inf) is None
    assert change(0.3, 1.6).changes[0].example == dt.datetime(1970, 1, 1, microsecond=1)
    assert change(-np.inf, 90e6).changes[0].example == dt.datetime(1970, 1, 1, 0, 1)


def test_durations_have_examples_too():
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    columns, predicates = [Column("wait", "duration")], [Interval("wait", 5e9)]
    network = RuleNetwork(columns, predicates, [level], ["long", "short"], default="short")
    assert find_counterfactual(network, [dt.timedelta(0)]).changes[0].example == dt.timedelta(hours=2)


def test_any_other_category_is_one_that_a_row_can_hold():
    level = Level([Rule([Literal(0, negated=True)])], [Concept([0]), Concept()])

    def change(categories: tuple[object, ...], value: object, **training: object) -> Counterfactual | None:
        columns = [Column("job", "category", categories)]
        network = RuleNetwork(columns, [Equals("job", value)], [level], ["other", "cook"], default="cook")
        recorded = Training("1", 0, (), 1, 0.5, 1, **training)
        return find_counterfactual(replace(network, training=recorded), [value])

    assert change(("cook", "nurse"), "cook").changes[0].example == "nurse"
    assert change(("cook",), "cook") is None
    assert change(("cook",), "cook", categories_dropped=(("job", 3),)).changes[0].example == "other"
    assert change((), "other").changes[0].example == "otherother"
    assert change((), 0).changes[0].example == 1


ROW = {"age": 30, "job": "cook"}


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        [30, "cook"],
        (30, "cook"),
        [[30, "cook"]],
        [ROW],
        np.array([30, "cook"], dtype=object),
        pd.DataFrame([ROW]),
        pd.DataFrame([ROW]).iloc[0],
        pl.DataFrame([ROW]),
        pa.table({"age": [30], "job": ["cook"]}),
    ],
)
def test_a_row_comes_in_many_shapes(row: object):
    assert find_counterfactual(ages(), row).label == "old"


def test_a_row_of_numbers_may_be_a_series():
    assert find_counterfactual(all_of(2), pl.Series([True, False])).label == "yes"


def test_mistakes_are_told_with_the_nearest_name():
    with pytest.raises(InputError, match="did you mean 'age'"):
        find_counterfactual(ages(), ROW, fixed=["agee"])
    with pytest.raises(InputError, match="did you mean 'old'"):
        find_counterfactual(ages(), ROW, to="odl")
    with pytest.raises(InputError, match="gets the class 'young' already"):
        find_counterfactual(ages(), ROW, to="young")
    with pytest.raises(InputError, match="this table has 2"):
        find_counterfactual(ages(), [ROW, ROW])
    with pytest.raises(InputError, match="column 'job' is missing"):
        find_counterfactual(ages(), {"age": 30})


@given(tables(), st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_odd_columns_change_to_what_a_table_can_hold(bottom: Bottom, seed: int) -> None:
    used, tests = bottom
    random = np.random.default_rng(seed)
    rules = [Rule([Literal(index, bool(random.random() < 0.3))]) for index in range(len(tests))]
    levels = [Level(rules, [Concept(range(len(rules))), Concept()])]
    network = RuleNetwork(used, tests, levels, ["in", "out"], default="out")
    row: dict[str, object] = dict.fromkeys((column.name for column in used), None)
    for _ in range(3):
        label = network.predict(row)[0]
        change = find_counterfactual(network, row)
        event(f"{change and len(change.changes)} steps")
        if change is None:
            return
        row = changed(row, change)
        assert network.predict(row)[0] == change.label != label


@pytest.mark.parametrize(
    ("low", "high", "now", "value"),
    [(0.6, 1.7, 0.2, 0.7), (0.1, 0.6, 1.5, 0.6), (40, math.inf, 30.0, 41), (-math.inf, 12.77, 14.2, 12.7)],
)
def test_an_example_has_as_few_digits_as_the_row(low, high, now, value):
    [_, other] = list_options(Column("a"), [Interval("a", low, high)], now, False)
    assert (other.value, other.bits) == (value, (True,))


def test_categories_that_no_rule_tells_apart_are_one_option():
    column = Column("job", "category", ("clerk", "cook", "nurse", "smith"))
    found = list_options(column, [OneOf("job", ("cook", "nurse"))], "smith", False)
    assert [(option.value, option.text, option.sample) for option in found] == [
        ("smith", "job = smith", None),
        ("cook", "job in {cook, nurse}", "cook"),
    ]


def test_an_ordinal_column_moves_to_the_nearest_category():
    column = Column("rank", "ordinal", ("low", "mid", "high", "top"))
    found = list_options(column, [OneOf("rank", ("low", "mid"))], "top", False)
    assert [(option.value, option.text, option.sample) for option in found[1:]] == [("mid", "rank <= mid", "mid")]
    found = list_options(column, [OneOf("rank", ("low", "mid"))], "low", True)
    assert [(option.value, option.text, option.sample) for option in found[1:]] == [("high", "rank > mid", "high")]
