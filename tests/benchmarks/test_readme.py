"""What the README says of the suite is what the records say."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, median

from benchmarks import jsonl
from benchmarks.tables.summary import OURS, cells, of

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FOUND = cells(jsonl.read(jsonl.RECORDS / "tables.jsonl"))


def test_the_table_has_the_figures_of_the_records() -> None:
    lines = (line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("| "))
    rows = [line for line in lines if line[0] in FOUND]
    assert len(rows) == 7
    for name, *told in rows:
        ours, cart, boosted = (FOUND[name][model] for model in (OURS, "cart", "lightgbm"))
        assert told == [
            f"{ours.rows:,}", f"{ours.f1:.1f}", f"{ours.edges:,.0f}", f"{ours.cpu:.1f} s",
            f"{cart.f1:.1f}", f"{cart.edges:,.0f}", f"{boosted.f1:.1f}",
        ]  # fmt: skip


def test_the_means_are_those_of_the_records() -> None:
    every = of(FOUND, OURS, "cart", "lightgbm", "forest")
    ours, cart, boosted, forest = (mean(row[k].f1 for row in every) for k in range(4))
    edges = [median(row[k].edges or 0 for row in every) for k in range(2)]
    text = " ".join(README.split())
    assert f"Over the {len(every)} public tables" in text
    assert (
        f"the mean is {ours:.1f} (CART {cart:.1f}, LightGBM {boosted:.1f}, a forest of 100 trees {forest:.1f})" in text
    )
    assert f"the median network has {edges[0]:.0f} edges, where CART has {edges[1]:.0f}" in text
