"""A network of the language says of tables what the search's own network says of their bins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.binarize import Binarizer
from conceptrules.kernels.search.local_search import search
from conceptrules.kernels.search.values import empty_rules
from conceptrules.learn.binned_table import BinnedTable, make_binned_table
from conceptrules.learn.folds import number_equal_rows
from conceptrules.learn.search.coded_network import code_network
from conceptrules.learn.search.path import Snapshot
from conceptrules.learn.task import keep_rows_with_weight
from conceptrules.model.evaluation import decide, first_firing, unpack
from conceptrules.tables.table import open_table, read_packed_bits
from tests.strategies_search import limits, seeded

pytestmark = pytest.mark.filterwarnings("ignore:constant columns", "ignore:column .*")


def some_table(rng: np.random.Generator, rows: int = 60) -> pd.DataFrame:
    """A number, a category of which rare ones have no bin, a rank and a boolean; most of them with gaps."""
    ranks = pd.Categorical(rng.choice(["low", "mid", "high"], rows), ["low", "mid", "high"], ordered=True)
    table = pd.DataFrame(
        {
            "number": rng.integers(0, 9, rows) / 2,
            "word": rng.choice(list("aaaabbbcde"), rows),
            "rank": ranks,
            "flag": rng.random(rows) < 0.5,
        }
    )
    for name in ("number", "word", "rank"):
        if rng.random() < 0.7:
            table[name] = table[name].where(rng.random(rows) > 0.2)
    return table


def prepared(rng: np.random.Generator, classes: int) -> tuple[pd.DataFrame, BinnedTable, np.ndarray, np.ndarray]:
    table = some_table(rng)
    target = np.r_[np.arange(classes), rng.integers(classes, size=len(table) - classes)]
    binarizer = Binarizer(literals="thresholds", max_categories=int(rng.choice([2, 9]))).fit(table, target)
    bins = make_binned_table(binarizer)
    return table, bins, bins.encode(open_table(table)), target


def snapshot_of(bins: BinnedTable, codes: np.ndarray, target: np.ndarray, classes: int, seed: int) -> Snapshot:
    number = number_equal_rows(codes)
    mass = np.zeros((number.max() + 1, classes))
    np.add.at(mass, (number, target), 1.0)
    rows = keep_rows_with_weight(codes[np.unique(number, return_index=True)[1]], mass)
    rules, order = empty_rules(40), np.random.default_rng(seed).permutation(classes)
    used, default, score, cost = search(
        rows, bins.make_columns(rows.codes, classes), limits(rules=40, penalty=1e-4), rules, 0, order,
        int(order[-1]),
        np.array([seed + 1], np.uint64),
    )  # fmt: skip
    kept = type(rules)(*(part[:used] for part in rules))
    return Snapshot(kept, order, int(default), float(score), round(cost))


@settings(max_examples=30)
@given(seeded(), st.integers(2, 4))
def test_the_network_decides_as_the_snapshot_does(rng: np.random.Generator, classes: int) -> None:
    """On the rows of the table; on new ones, bins do not tell a missing value from a category that is new."""
    table, bins, codes, target = prepared(rng, classes)
    snapshot = snapshot_of(bins, codes, target, classes, 0)
    coded = code_network(bins, tuple(range(classes)), snapshot)
    answers = first_firing(snapshot.find_fired(codes), snapshot.order.tolist(), snapshot.default)
    np.testing.assert_array_equal(decide(coded.network, read_bits(coded.network, table)), answers)


def read_bits(network: object, rows: pd.DataFrame) -> object:
    return read_packed_bits(network.columns, network.predicates, open_table(rows))  # type: ignore[attr-defined]


@settings(max_examples=30)
@given(seeded())
def test_bits_of_codes_are_bits_of_the_table(rng: np.random.Generator) -> None:
    table, bins, codes, target = prepared(rng, 2)
    coded = code_network(bins, ("no", "yes"), snapshot_of(bins, codes, target, 2, 0))
    np.testing.assert_array_equal(unpack(coded.bits(codes)), unpack(read_bits(coded.network, table)))


@settings(max_examples=30)
@given(seeded())
def test_a_network_has_no_more_edges_than_the_search_counted(rng: np.random.Generator) -> None:
    _, bins, codes, target = prepared(rng, 3)
    snapshot = snapshot_of(bins, codes, target, 3, 0)
    assert code_network(bins, (0, 1, 2), snapshot).network.edges <= snapshot.edges


def test_a_network_without_rules() -> None:
    bins = prepared(np.random.default_rng(0), 2)[1]
    nothing = Snapshot(empty_rules(0), np.array([1, 0]), 0, 0.5, 0)
    coded = code_network(bins, ("no", "yes"), nothing)
    assert (coded.network.edges, coded.network.default, coded.network.priority) == (0, "no", ("yes", "no"))
    assert coded.readings == ()
    assert coded.bits(np.zeros((3, 4), np.uint8)).words.shape[0] == 0
