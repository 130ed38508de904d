"""A real cluster of two processes, of which one is killed: the network is that of one process."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from multiprocessing import forkserver

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, Policy, ScorecardClassifier, ScorecardRegressor
from conceptrules.io.model_file import dumps
from conceptrules.kernels.search.shards import Shard
from conceptrules.learn import task as task_module
from conceptrules.learn.coding import table_coding
from conceptrules.learn.coding.store import MemoryStore
from conceptrules.learn.search.search import search_networks
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import make_task
from conceptrules.model.errors import ConceptRulesError, InputError
from conceptrules.model.policy import Fair, LeastRows, Locked
from tests.learn.tasks import code_in_memory, fit_options, summarise
from tests.learn.test_task import some_table
from tests.test_regressor import make_counts

dask = pytest.importorskip("dask", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

from conceptrules.learn.coding.dask_workers import DaskStore, find_client


@pytest.fixture(scope="module")
def client():
    """A cluster whose workers are forked from a process that has loaded what they need: that takes seconds for each."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["distributed", "pyarrow.dataset", "conceptrules.classifier"])
    forkserver.ensure_running()
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def small_sample(monkeypatch):
    for name, value in {"SAMPLE": 60, "WATCH": 10, "MORE": 80}.items():
        monkeypatch.setattr(task_module, name, value)
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)


def kept(shard: Shard) -> Shard:
    return shard


@pytest.mark.usefixtures("small_sample")
def test_two_workers_of_which_one_is_killed_give_the_network_of_one_process(client):
    coded = code_in_memory(*some_table(np.random.default_rng(0)), fit_options(SearchSettings(effort="fast")))
    (whole,) = coded.store._shards
    parts = [whole.take(slice(start, start + 25)) for start in range(0, len(whole.key), 25)]

    def task_of(store):
        return make_task(replace(coded, store=store), fit_options(SearchSettings(effort="fast")))

    expected = summarise(search_networks(task_of(MemoryStore(parts)), 1, lambda trial: None))
    store = DaskStore(client, [client.submit(kept, part, pure=False) for part in parts])
    task = task_of(store)
    holding = {worker for workers in client.who_has(store._shards).values() for worker in workers}
    assert len(holding) == 2
    pids = client.run(os.getpid)
    os.kill(pids[sorted(pids)[0]], signal.SIGKILL)
    assert summarise(search_networks(task, 1, lambda trial: None)) == expected
    assert store.passes == 3


POLICY = Policy((Locked("a > 1.25", "a"), LeastRows(4), Fair("sex", "a", 0.5)))


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize(
    ("estimator", "parameters", "given"),
    [
        (ConceptRuleClassifier, {}, {}),
        (ConceptRuleClassifier, {"policy": POLICY}, {}),
        (ConceptRuleClassifier, {}, {"groups": "house"}),
        (ConceptRuleClassifier, {}, {"time": "day", "sample_weight": "weight"}),
        (ConceptRuleClassifier, {"policy": POLICY}, {"X_val": "rest"}),
        (ConceptRuleClassifier, {"relations": [("a", "-", "b"), ("c", "<", "d")]}, {}),
        (ScorecardClassifier, {}, {"sample_weight": "weight"}),
        (ScorecardClassifier, {"class_weight": "balanced", "min_rows": 4}, {"groups": "house"}),
        (ScorecardClassifier, {}, {"X_val": "rest"}),
    ],
)
def test_memory_files_and_dask_give_one_network(client, tmp_path, estimator, parameters, given):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X, y = some_table(rng, 400)
    table = pandas.DataFrame(X, columns=list("abcd")).assign(
        y=y,
        sex=rng.choice(["f", "m"], 400),
        house=rng.integers(0, 60, 400),
        day=pandas.Timestamp("2026-01-01") + pandas.to_timedelta(rng.integers(0, 50, 400), "D"),
        weight=rng.integers(1, 4, 400) / 2,
    )
    part, rest = table.iloc[:330], table.iloc[330:]
    kinds = {
        "memory": lambda frame: frame,
        "files": lambda frame: str(_write(frame, tmp_path)),
        "dask": lambda frame: dataframe.from_pandas(frame, npartitions=3),
    }
    networks = {}
    for kind, make in kinds.items():
        inputs = {**given, **({"X_val": make(rest)} if "X_val" in given else {})}
        clf = estimator(effort="fast", random_state=0, n_jobs=1, **parameters)
        networks[kind] = dumps(clf.fit(make(part), "y", scratch=tmp_path, **inputs).network_)
    assert networks["files"] == networks["memory"]
    assert networks["dask"] == networks["memory"]


def _write(frame, folder):
    path = folder / f"{len(frame)}.parquet"
    frame.to_parquet(path, index=False)
    return path


@pytest.mark.usefixtures("small_sample")
def test_a_dask_data_frame_and_files_are_learned_from_where_they_are(client, tmp_path):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
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
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    X, y = some_table(np.random.default_rng(0))
    table = pandas.DataFrame(X, columns=list("abcd")).assign(y=y, again=X[:, 0] * 2)
    quick = {"effort": "fast", "random_state": 0, "n_jobs": 1}
    expected = ConceptRuleClassifier(**quick).fit(table, "y")

    def deadly(name):
        plain = getattr(table_coding, name)

        def after_a_kill(*given):
            pids = client.run(os.getpid)
            os.kill(pids[sorted(pids)[0]], signal.SIGKILL)
            return plain(*given)

        monkeypatch.setattr(table_coding, name, after_a_kill)

    deadly("fit_to_counts")
    deadly("make_bins")
    parts = [table.iloc[:50], table.iloc[:0], table.iloc[50:]]
    frame = dataframe.from_map(lambda number: parts[number], range(3), meta=table.iloc[:0])
    found = ConceptRuleClassifier(**quick).fit(frame, "y")
    assert dumps(found.network_) == dumps(expected.network_)
    assert [one.columns for one in found.binarizer_.inspection_ if one.topic == "duplicate"] == [("a", "again")]


@pytest.mark.usefixtures("client")
def test_what_is_wrong_is_told_with_its_row_in_the_whole_table(monkeypatch):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
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


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("columns", [["a", "b", "y"], ["a", "b", "y", "more"]])
@pytest.mark.parametrize("in_memory", [0, 10**9])
def test_a_partition_without_a_column_is_told_and_not_taken_for_gaps(monkeypatch, columns, in_memory):
    """Dask believes what a frame says of its columns: where it selects none, nothing would notice."""
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(table_coding, "IN_MEMORY", in_memory)
    whole = pandas.DataFrame({name: list("pqpq") * 10 for name in columns})
    parts = [dask.delayed(part) for part in (whole, whole.drop(columns="b"))]
    frame = dataframe.from_delayed(parts, meta=whole, verify_meta=False)
    with pytest.raises(InputError, match=r"a partition of the dask DataFrame has not all of its columns: .*'b'"):
        ConceptRuleClassifier(effort="fast", random_state=0).fit(frame[["a", "b", "y"]], "y")


def test_without_a_cluster_a_dask_data_frame_is_refused(monkeypatch):
    dataframe, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    monkeypatch.setattr(distributed, "get_client", lambda: (_ for _ in ()).throw(ValueError))
    frame = dataframe.from_pandas(pandas.DataFrame({"a": [1, 2, 3, 4], "y": ["n", "n", "y", "y"]}), npartitions=1)
    with pytest.raises(InputError, match="make a client first"):
        ConceptRuleClassifier().fit(frame, "y")


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_numbers_are_learned_on_workers_as_in_memory(client, tmp_path, loss):
    table = make_counts()
    model = ScorecardRegressor(effort="fast", random_state=0, loss=loss)
    roles = {"y": "claims", **({"exposure": "years", "groups": "part"} if loss == "poisson" else {})}
    expected = model.fit(table, **roles).network_
    assert expected.edges
    for part in range(3):
        table.iloc[part::3].to_parquet(tmp_path / f"{part}.parquet")
    assert model.fit(tmp_path / "*.parquet", **roles, client=client).network_ == expected
    assert model.network_.statistics == expected.statistics


@pytest.mark.usefixtures("client")
def test_a_file_that_is_replaced_while_workers_read_it_is_told(monkeypatch, tmp_path):
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    X, y = some_table(np.random.default_rng(0))
    path = _write(pandas.DataFrame(X, columns=list("abcd")).assign(y=y), tmp_path)
    plain = table_coding.make_bins

    def replace_and_make(*given):
        pandas.DataFrame(X[::-1], columns=list("abcd")).assign(y=y).to_parquet(path, index=False)
        return plain(*given)

    monkeypatch.setattr(table_coding, "make_bins", replace_and_make)
    clf = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1)
    with pytest.raises(ConceptRulesError, match=r"\.parquet was changed while it was read"):
        clf.fit(str(path), "y", client=find_client(None))
