"""Prediction against the plain evaluation of what predicates say of raw values, for tables of every kind and size."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.evaluation import (
    class_words,
    decide_fired,
    first_firing,
    first_firing_packed,
    layers_plain,
    pack,
    unpack,
)
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, Predicate, holds
from conceptrules.model.scoring import answer_scores, score_probabilities
from conceptrules.tables import prediction as plan
from conceptrules.tables.column_values import encode_series, expand_to_rows, read_coded_values, read_values
from conceptrules.tables.packing import column_words
from conceptrules.tables.table import open_table, read_bits
from tests.strategies import all_inputs, flag_networks, heads, levels, networks, rows
from tests.strategies_tables import BUILDS, TEXT_BUILDS, as_read, predicates_on, raw_columns

SIZES = st.sampled_from([0, 1, 2, 63, 64, 65, 130])


def network_on(column: Column, predicates: list[Predicate], level: Level) -> RuleNetwork:
    return RuleNetwork((column,), tuple(predicates), (level,), ("a", "b"), ("b", "a"))


@given(st.data(), SIZES)
def test_predictions_are_those_of_the_plain_evaluation(data: st.DataObject, size: int) -> None:
    raw, few = data.draw(raw_columns())
    column, predicates = data.draw(predicates_on(raw, few))
    network = network_on(column, predicates, data.draw(levels(len(predicates), 2)))
    values = list(islice(cycle(few), size))
    bits = [[holds(predicate, as_read(value)) for predicate in predicates] for value in values]
    fired = layers_plain(network, np.array(bits, dtype=bool).reshape(size, len(predicates)))[-1]
    expected = [network.classes[winner] for winner in decide_fired(network, fired)]
    for build in (BUILDS | TEXT_BUILDS if raw == "text" else BUILDS).values():
        table = build(raw, values)
        assert plan.predict(network, table).tolist() == expected
        np.testing.assert_array_equal(unpack(plan.find_firing_classes(network, table)), fired)


@given(st.data(), SIZES, st.integers(2, 3))
def test_scores_and_answers_of_scorecards_are_those_of_the_plain_evaluation(
    data: st.DataObject, size: int, classes: int
) -> None:
    raw, few = data.draw(raw_columns())
    column, predicates = data.draw(predicates_on(raw, few))
    level = replace(data.draw(levels(len(predicates), 0)), concepts=())
    head = data.draw(heads(len(level.rules), classes))
    network = RuleNetwork((column,), tuple(predicates), (level,), "abc"[:classes], head=head)
    values = list(islice(cycle(few), size))
    bits = [[holds(predicate, as_read(value)) for predicate in predicates] for value in values]
    rules = layers_plain(network, np.array(bits, dtype=bool).reshape(size, len(predicates)))[-2]
    scores = [
        [
            base + sum(row[output] for row, fires in zip(head.points, rule, strict=True) if fires)
            for output, base in enumerate(head.base)
        ]
        for rule in rules.tolist()
    ]
    expected = np.array(scores, np.int64).reshape(size, head.outputs)
    answers = [network.classes[index] for index in answer_scores(head, expected)]
    for build in (BUILDS | TEXT_BUILDS if raw == "text" else BUILDS).values():
        table = build(raw, values)
        np.testing.assert_array_equal(plan.find_scores(network, table), expected)
        assert plan.predict(network, table).tolist() == answers
        np.testing.assert_array_equal(plan.predict_proba(network, table), score_probabilities(head, expected))


@given(st.data(), networks())
def test_classes_that_fire_and_win_are_those_of_the_plain_evaluation(data: st.DataObject, network: RuleNetwork) -> None:
    bits = data.draw(rows(network))
    fired = class_words(network.levels, pack(bits))
    np.testing.assert_array_equal(fired.words, pack(layers_plain(network, bits)[-1]).words)


@pytest.mark.parametrize("classes", [1, 2, 3, 26, 256, 257, 300])
@pytest.mark.parametrize("size", [0, 1, 65])
def test_the_first_of_many_classes_that_fires(classes: int, size: int) -> None:
    rng = np.random.default_rng(classes)
    fired, order = rng.random((size, classes)) < 1 / classes, rng.permutation(classes).tolist()
    default = int(rng.integers(classes))
    np.testing.assert_array_equal(first_firing_packed(pack(fired), order, default), first_firing(fired, order, default))


def test_parts_of_the_rows_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptrules.tables.factoring.PART", 2)
    monkeypatch.setattr("conceptrules.tables.packing._BLOCK", 64)
    x = np.arange(1000.0)[:, None]
    network = network_on(
        Column("x0"), [Interval("x0", 100, 700)], Level((Rule((Literal(0),)),), (Concept(), Concept((0,))))
    )
    assert (plan.predict(network, x) == np.where((x[:, 0] > 100) & (x[:, 0] <= 700), "b", "a")).all()


NUMBERS = [
    -np.inf,
    -1.5,
    -1,
    0,
    0.1,
    1,
    2,
    3,
    127,
    128,
    255,
    2**31,
    2**53,
    2**53 + 1,
    2**70,
    10**400,
    np.inf,
    True,
    "1",
]
ARRAYS = [
    np.array([0, 1, 2, 127, -128], np.int8),
    np.array([0, 1, 255], np.uint8),
    np.array([0, -1, 2**53, 2**53 + 1, 2**62], np.int64),
    np.array([0, 2**53 + 1, 2**64 - 1], np.uint64),
    np.array([0.1, 1, np.nan, np.inf, -np.inf], np.float32),
    np.array([0.1, 1, np.nan, np.inf, -np.inf, 2**53, -0.0]),
    np.array([0.1, 1, np.nan], np.float16),
    np.array([True, False, True]),
    np.array(["2020-01-01", "NaT", "1960-01-01"], "M8[ns]"),
    np.array([3, "NaT", -5], "m8[s]"),
    np.arange(20.0)[::3],
]


@pytest.mark.parametrize("values", ARRAYS, ids=lambda values: str(values.dtype))
def test_words_of_numbers_are_what_each_predicate_says_of_each_value(values: np.ndarray) -> None:
    cells = read_values("c", values)
    tests: list[Predicate] = [Missing("c"), *(Equals("c", number) for number in NUMBERS)]
    bounds = [-np.inf, -1.5, 0, 0.1, 1, 127, 1e6, 2.0**53, 1.6e15, np.inf]
    tests += [Interval("c", low, high) for low in bounds for high in bounds if low < high]
    plain = [[holds(test, value) for value in cells.to_list(ordered=isinstance(test, Interval))] for test in tests]
    np.testing.assert_array_equal(column_words(tests, cells), pack(np.array(plain).T).words)


@pytest.mark.parametrize(("rows", "values"), [(0, 3), (5, 3), (12_000, 4), (12_000, 100), (300, 300)])
def test_values_with_rows_and_rows_by_values(rows: int, values: int) -> None:
    rng = np.random.default_rng(rows)
    codes = np.minimum(rng.geometric(0.2, rows), values - 1).astype(np.int16) - 1
    codes[10_000:10_010] = values - 2  # the last one of all is found as well
    seen = np.zeros(values, bool)
    seen[codes] = True
    texts = np.array([f"v{value}" for value in range(values - 1)] + [None], dtype=object)
    assert read_coded_values("c", codes, texts).missing.tolist() == [*~seen[:-1], True]
    for share in (0, 0.01, 0.5, 1):
        each = rng.random(values) < share
        np.testing.assert_array_equal(expand_to_rows(each, codes), each[codes])


def dictionaries() -> dict[str, Any]:
    """The values b, a, gap, b, each time with more in the dictionary than in the rows."""
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array([None, "b"]).dictionary_encode()]
    inside = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 2]), pa.array(["a", None, "b"]))
    whole = pl.Series("c", [*"zyxwvb", "a", None, "b"], dtype=pl.Categorical)
    return {
        "pandas": pd.DataFrame({"c": pd.Categorical(["b", "a", None, "b"], categories=["z", "b", "y", "a"])}),
        "pandas arrow": pd.DataFrame({"c": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array(chunks)))}),
        "polars": pl.DataFrame([whole])[5:],
        "polars enum": pl.DataFrame({"c": pl.Series(["b", "a", None, "b"], dtype=pl.Enum(list("zab")))}),
        "pyarrow chunks": pa.table({"c": pa.chunked_array(chunks)}),
        "pyarrow gap inside": pa.table({"c": inside}),
    }


@pytest.mark.parametrize("table", dictionaries().values(), ids=dictionaries().keys())
def test_dictionaries_with_values_that_no_row_holds(table: Any) -> None:
    column = Column("c", "category", ("a", "b"))
    tests = [Equals("c", "a"), Equals("c", "b"), Equals("c", "z"), Missing("c")]
    bits = read_bits([column], tests, table)
    assert bits.tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
    cells = open_table(table).cells(0)
    assert cells.gaps.tolist() == [False, False, True, False]
    some = open_table(table).take(np.array([1, 2])).cells(0)
    assert set(some.values[~some.missing].tolist()) == {"a"}


def test_a_dictionary_of_another_type_is_refused_by_its_rows_only() -> None:
    column, test = Column("c"), Interval("c", 1)
    unused = pd.DataFrame({"c": pd.Categorical([None, None], categories=["a"])})
    assert not read_bits([column], [test], unused).any()
    with pytest.raises(ColumnTypeError, match="row 1 holds 'a'"):
        read_bits([column], [test], pd.DataFrame({"c": pd.Categorical([None, "a"])}))
    mixed = pd.DataFrame({"c": pd.Categorical(["a", 2, "a"])})
    with pytest.raises(ColumnTypeError, match="row 1 holds 2"):
        read_bits([Column("c", "category")], [Equals("c", "a")], mixed)


def test_only_text_and_categories_have_a_dictionary() -> None:
    import narwhals as nw

    assert encode_series(nw.from_native(pl.Series([1, 2]), series_only=True)) is None
    assert encode_series(nw.from_native(pd.Series(["a", {}], dtype=object), series_only=True)) is None


def test_a_row_that_the_short_way_cannot_read_takes_the_long_one_and_warns_once() -> None:
    network = network_on(
        Column("x0", "datetime"), [Missing("x0")], Level((Rule((Literal(0),)),), (Concept(), Concept((0,))))
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert plan.predict(network, pd.DataFrame({"t": [pd.Timestamp("2020")]})).tolist() == ["a"]
    assert len(caught) == 1


def test_a_plan_belongs_to_one_network() -> None:
    level = Level((Rule((Literal(0),)),), (Concept(), Concept((0,))))
    network = network_on(Column("x0"), [Interval("x0", 1)], level)
    assert plan.compile_plan(network) is plan.compile_plan(network)
    other = replace(network, default="b")
    assert other.predict([[0.0]]).tolist() == ["b"]
    assert network.predict([[0.0]]).tolist() == ["a"]


@given(flag_networks(), st.sampled_from(["none", "several", "both"]))
def test_a_network_abstains_where_it_is_asked_to(network, abstain):
    table = all_inputs(len(network.columns))
    firing = [len({rule.owner for rule in rules}) for rules in network.fired(table)]
    counts = np.array(firing)
    wanted = ((counts == 0) & (abstain != "several")) | ((counts > 1) & (abstain != "none"))
    found = network.predict(table, abstain=abstain)
    assert [label is None for label in found] == wanted.tolist()
    assert found[~wanted].tolist() == network.predict(table)[~wanted].tolist()


@given(flag_networks())
def test_probabilities_of_a_network_add_up(network):
    stated = network.predict_proba(all_inputs(len(network.columns)))
    assert (stated >= 0).all()
    np.testing.assert_allclose(stated.sum(axis=1), 1)


def test_what_to_abstain_on_is_checked():
    with pytest.raises(InputError, match="abstain is 'all'; it can be"):
        network_on(Column("x"), [], Level((), (Concept(), Concept()))).predict([[1.0]], abstain="all")
