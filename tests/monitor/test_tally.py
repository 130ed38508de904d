"""Counts of chunks add up to those of the whole, and a fit keeps the counts of its rows."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules import InputError
from conceptrules.io import dumps, loads
from conceptrules.monitor.tally import Counts, count_parts, index_targets, tally_rows
from tests.monitor.examples import KINDS, learn, make_rows, targets_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_keeps_what_counting_its_rows_gives(kind):
    X, y = make_rows()
    network = learn(kind)
    tally = tally_rows(network, X, index_targets(network, targets_of(kind, X, y), len(X)))
    assert tally.statistics.cells == network.statistics.cells
    assert tally.statistics.covered == network.statistics.covered
    assert tally.statistics.answered == network.statistics.answered
    assert tally.missing.get("income", 0) == (X.income.isna().sum() if "income" in network.used_columns else 0)
    assert loads(dumps(network)).statistics == network.statistics
    for column in network.used_columns:
        assert sum(cell.rows for cell in network.statistics.cells if cell.column == column) == len(X)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(st.data())
def test_the_counts_of_chunks_add_up(kind, data):
    network, (X, y) = learn(kind), make_rows(60, 0.4, seed=1)
    targets = index_targets(network, targets_of(kind, X, y), len(X)) if data.draw(st.booleans()) else None
    names = [str(name) for name in data.draw(st.lists(st.sampled_from("ab"), min_size=60, max_size=60))]
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, 60), max_size=3))), 60]

    def count(part: slice) -> Counts:
        return count_parts(network, X[part], None if targets is None else targets[part], names[part], None)

    whole, total = count(slice(None)), Counts()
    for start, stop in pairwise(cuts):
        total = total + count(slice(start, stop))
    assert total.total.statistics == whole.total.statistics
    assert total.total.rows == whole.total.rows
    assert +Counter(total.total.missing) == +Counter(whole.total.missing)
    np.testing.assert_allclose(np.array(total.total.calibration), np.array(whole.total.calibration))
    np.testing.assert_allclose(total.total.errors, whole.total.errors)
    assert {name: tally.statistics for name, tally in total.groups.items()} == {
        name: tally.statistics for name, tally in whole.groups.items()
    }


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["yes", None, "no"], "1 of 3 rows have no label, the first is row 1"),
        (["yes", "maybe", "no"], "the label 'maybe' is no class of the model; its classes are no, yes"),
        (["yes"], "the table has 3 rows, but there are 1 labels"),
    ],
)
def test_labels_that_cannot_be(labels, message):
    with pytest.raises(InputError, match=message):
        index_targets(learn("decision"), labels, 3)
