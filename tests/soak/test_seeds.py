"""The short form: one table, in all ways."""

from __future__ import annotations

from tests.soak import seeds


def test_one_table_gives_one_network_in_all_ways() -> None:
    different = [way for way, same in seeds.ways(0) if not same]
    assert different == []


def test_one_table_gives_one_network_in_all_processes() -> None:
    different = [way for way, same in seeds.processes(0, quick=True) if not same]
    assert different == []


def test_another_table_gives_another_network() -> None:
    """What is compared tells networks apart."""
    one, other = (seeds.columns_of(seed) for seed in (0, 1))
    assert seeds.digest("search", (seeds.pa.table(one[0]), one[1])) != seeds.digest(
        "search", (seeds.pa.table(other[0]), other[1])
    )
