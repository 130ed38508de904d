import random

from benchmarks.fuzz.mutate import WAYS, mutants
from benchmarks.fuzz.seeds import network_of, seeds
from benchmarks.fuzz.trial import tried

SEEDS = seeds()


def test_damaged_files_load_or_are_refused_with_our_own_error():
    result = tried(SEEDS, 2000, seed=1)
    assert result.failures == []
    assert result.loaded > 100
    assert result.refused > 1000
    assert result.predicted > 50
    assert result.reasons > 50


def test_the_mutants_are_the_same_for_the_same_seed():
    assert list(mutants(SEEDS, 20, 3)) == list(mutants(SEEDS, 20, 3))
    assert len(set(mutants(SEEDS, 50, 3)) - set(SEEDS)) > 30


def test_an_exception_of_another_kind_is_seen(monkeypatch):
    monkeypatch.setattr("benchmarks.fuzz.trial.read", lambda *_: 1 / 0)
    assert len(tried(SEEDS, 5, 0).failures) == 5


def test_every_way_survives_empty_text():
    assert all(isinstance(way(random.Random(0), b""), bytes) for way in WAYS)


def test_the_networks_have_the_edges_that_they_are_called_after():
    assert [network_of(edges).edges for edges in (60, 500)] == [60, 500]
