"""A real cluster of two processes, of which one is killed: the network is that of one process."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, classifier
from conceptrules.io.model_file import dumps
from conceptrules.kernels.shards.values import Shard, shard_of
from conceptrules.learn.search.binned_table import binned_table
from conceptrules.learn.search.fit import fit
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.shards import fit as shards_fit
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.training_data import read_training_data
from conceptrules.model.errors import ConceptRulesError, InputError
from tests.learn.shards.test_fit import BINS, hashes, some_table

distributed = pytest.importorskip("distributed", reason="needs the extra dask")
from conceptrules.learn.shards import dask_workers
from conceptrules.learn.shards.dask_workers import DaskWorkers


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def shards():
    data = read_training_data(*some_table(np.random.default_rng(0)), BINS(), None, None)
    table = binned_table(data.binarizer)
    whole = shard_of(table.codes(data.table), data.target, data.weight)
    return data, table, [whole.take(slice(start, start + 25)) for start in range(0, len(whole.key), 25)]


def kept(shard: Shard) -> Shard:
    return shard


def learned(store, data, table):
    ones = np.ones(len(data.classes))
    settings, rng = SearchSettings(effort="fast"), np.random.default_rng(0)
    task = shards_fit.store_task(store, table, data.classes, settings, class_weight=ones, rng=rng)
    return store, task


def test_two_workers_of_which_one_is_killed_give_the_network_of_one_process(client, monkeypatch):
    monkeypatch.setattr(shards_fit, "SAMPLE", 60)
    monkeypatch.setattr(shards_fit, "WATCH", 10)
    monkeypatch.setattr(shards_fit, "MORE", 80)
    data, table, parts = shards()
    single = learned(InMemory(parts), data, table)
    expected = hashes(fit(single[1].task, 1, lambda trial: None))

    cluster = learned(DaskWorkers(client, [client.submit(kept, part, pure=False) for part in parts]), data, table)
    holding = {worker for workers in client.who_has(cluster[0]._shards).values() for worker in workers}
    assert len(holding) == 2
    pids = client.run(os.getpid)
    os.kill(pids[sorted(pids)[0]], signal.SIGKILL)
    found = hashes(fit(cluster[1].task, 1, lambda trial: None))

    assert found == expected
    assert cluster[0].passes == 3


def test_a_dask_data_frame_and_files_are_learned_from_where_they_are(client, monkeypatch, tmp_path):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    for name, value in {"SAMPLE": 60, "WATCH": 10, "MORE": 80}.items():
        monkeypatch.setattr(shards_fit, name, value)
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    X, y = some_table(np.random.default_rng(0))
    table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame = dataframe.from_pandas(table, npartitions=3)
    quick = {"effort": "fast", "random_state": 0, "n_jobs": 1}
    found, expected = (ConceptRuleClassifier(**quick).fit(one, "y") for one in (frame, table))
    assert dumps(found.network_) == dumps(expected.network_)
    assert found.n_passes_ == expected.n_passes_ == 4
    answers = found.predict(frame[list("abcd")])
    assert answers.npartitions == 3
    assert answers.compute().tolist() == expected.predict(table[list("abcd")]).tolist()

    for part in range(3):
        table.iloc[part::3].to_parquet(tmp_path / f"part-{part}.parquet", index=False)
    table.to_csv(tmp_path / "table.csv", index=False)
    files, clf = str(tmp_path / "part-*.parquet"), ConceptRuleClassifier(**quick)
    assert dumps(clf.fit(files, "y", client=client).network_) == dumps(expected.network_)
    for given in (table, str(tmp_path / "table.csv")):
        with pytest.raises(InputError, match="client is for a dask DataFrame or Parquet files"):
            clf.fit(given, "y", client=client)
    with pytest.raises(InputError, match=r"client is 'here'; give a dask\.distributed\.Client"):
        clf.fit(files, "y", client="here")


def test_a_worker_that_is_killed_between_passes_changes_nothing(client, monkeypatch):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    X, y = some_table(np.random.default_rng(0))
    table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y, again=X[:, 0] * 2)
    quick = {"effort": "fast", "random_state": 0, "n_jobs": 1}
    expected = ConceptRuleClassifier(**quick).fit(table, "y")

    def deadly(name):
        plain = getattr(dask_workers, name)

        def after_a_kill(*given):
            pids = client.run(os.getpid)
            os.kill(pids[sorted(pids)[0]], signal.SIGKILL)
            return plain(*given)

        monkeypatch.setattr(dask_workers, name, after_a_kill)

    deadly("fit_counted")
    deadly("duplicates")
    parts = [table.iloc[:50], table.iloc[:0], table.iloc[50:]]
    frame = dataframe.from_map(lambda number: parts[number], range(3), meta=table.iloc[:0])
    found = ConceptRuleClassifier(**quick).fit(frame, "y")
    assert dumps(found.network_) == dumps(expected.network_)
    assert [one.columns for one in found.binarizer_.inspection_ if one.topic == "duplicate"] == [("a", "again")]


@pytest.mark.usefixtures("client")
def test_what_is_wrong_is_told_with_its_row_in_the_whole_table(monkeypatch):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    X, y = some_table(np.random.default_rng(0))
    rows = np.arange(len(y))
    table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y, level=np.where(rows == 77, "odd", "low"))
    quick = {"effort": "fast", "random_state": 0, "n_jobs": 1}
    for bad, given, message in (
        (table.assign(y=table["y"].where(~np.isin(rows, (70, 101)))), {}, "'y' has no value in row 70"),
        (table.assign(w=np.where(rows >= 90, -1.0, 1.0)), {"sample_weight": "w"}, "holds -1.0 in row 90"),
        (table, {"kinds": {"level": ["low", "high"]}}, "holds 'odd' in row 77"),
        (table, {"kinds": {"level": "number"}}, "row 0 holds 'low'"),
    ):
        clf = ConceptRuleClassifier(**quick, kinds=given.pop("kinds", None))
        with pytest.raises(ConceptRulesError, match=message):
            clf.fit(dataframe.from_pandas(bad, npartitions=4), "y", **given)


def test_without_a_cluster_a_dask_data_frame_is_refused(monkeypatch):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    monkeypatch.setattr(distributed, "get_client", lambda: (_ for _ in ()).throw(ValueError))
    frame = dataframe.from_pandas(pandas.DataFrame({"a": [1, 2, 3, 4], "y": ["n", "n", "y", "y"]}), npartitions=1)
    with pytest.raises(InputError, match="make a client first"):
        ConceptRuleClassifier().fit(frame, "y")
