"""The records of tables with a number to predict, and the page that shows them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import jsonl
from benchmarks.regression import MODELS, RECORDS, count_edges, is_present, measure, one_hot, write_report

PAGE = Path(__file__).parents[2] / "docs" / "regression.md"
ENTRY = {"name": "homes", "continuous": ["area"], "discrete": ["garden"]}


def make_homes() -> tuple[pd.DataFrame, np.ndarray]:
    area = np.arange(60.0)
    return pd.DataFrame({"area": area, "garden": ["yes", "no"] * 30}), 100 + 50 * (area > 30)


def test_the_page_shows_what_the_records_say() -> None:
    records = jsonl.read(RECORDS)
    assert write_report(records) in PAGE.read_text()
    earlier = "measured with an earlier version of the learner"
    assert (earlier in PAGE.read_text()) == (not all(map(is_present, records)))


@pytest.mark.parametrize("name", ["rules", "cart", "linear"])
def test_each_fold_is_measured(name: str) -> None:
    records = list(measure(ENTRY, *make_homes(), name))
    assert [record["fold"] for record in records] == [0, 1, 2, 3, 4]
    assert all(record["r2"] <= 1 for record in records)


def test_the_edges_of_a_tree_are_conditions_and_leaves() -> None:
    tree = one_hot(ENTRY, MODELS["cart"](ENTRY)[-1]).fit(*make_homes())
    assert count_edges(tree) == 2 * 1 + 2
