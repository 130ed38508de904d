"""The query gives the figures that Python gives, in DuckDB and PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from conceptrules import ConceptRuleClassifier, InputError, ScorecardClassifier
from conceptrules.monitor import monitoring_sql
from tests.monitor.examples import KINDS, learn, make_rows, targets_of

duckdb = pytest.importorskip("duckdb")
X, Y = make_rows(300, 0.4, seed=6)
X["region"] = X.region.where(X.index % 17 > 0, "moon")


def ask_duckdb(query: str, table: pd.DataFrame) -> list[tuple]:
    with duckdb.connect() as connection:
        connection.register("data", table)
        return connection.execute(query).fetchall()


def ask_postgres(query: str, table: pd.DataFrame) -> list[tuple]:
    from conceptrules.export.verify.databases import DATABASES, postgres_server

    missing = DATABASES["postgres"].missing([("data",)])
    if missing:
        pytest.skip(missing)
    import psycopg

    with psycopg.connect(host=postgres_server(), user="conceptrules", dbname="postgres") as connection:
        cursor = connection.cursor()
        types = ["double precision" if pd.api.types.is_numeric_dtype(table[name]) else "text" for name in table]
        pairs = (f'"{name}" {kind}' for name, kind in zip(table, types, strict=True))
        cursor.execute(f"CREATE TEMPORARY TABLE data ({', '.join(pairs)})")
        with cursor.copy("COPY data FROM STDIN") as copy:
            for row in table.itertuples(index=False):
                copy.write_row([None if pd.isna(value) else value for value in row])
        rows = cursor.execute(query.replace("%", "%%")).fetchall()
        connection.rollback()
        return rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dialect", "ask"), [("duckdb", ask_duckdb), ("postgres", ask_postgres)])
def test_a_database_gives_the_same_figures(kind, dialect, ask):
    network = learn(kind)
    targets = targets_of(kind, X, Y)
    labels = "label" if network.classes else None
    table = X.astype({"region": object}).assign(label=targets)
    rows = ask(monitoring_sql(network, dialect=dialect, labels=labels), table)
    result = network.monitor(X, targets)
    bins = {(kind, of, text): (share, before) for kind, of, text, _, share, before, _ in rows}
    indices = {(kind, of): index for kind, of, *_, index in rows}
    shifts = [shift for shift in result.shifts if shift.of != "classes that fire"]
    expected = {(shift.index.name, shift.of): shift.index.value for shift in shifts}
    expected |= {("rule_psi", rule.text): rule.index.value for rule in result.rules}
    expected |= {("precision", r.text): r.precision_index.value for r in result.rules if r.precision_index}
    for key, value in expected.items():
        assert indices[key] == pytest.approx(value, abs=1e-9), key
    for shift in shifts:
        for text, before, now in shift.bins:
            if before or now:
                assert bins[shift.index.name, shift.of, text] == pytest.approx((now, before))
    for rule in result.rules:
        assert bins["rule_psi", rule.text, "holds"][0] == pytest.approx(rule.holds.value)
        if rule.precision and labels:
            assert bins["precision", rule.text, "right"][0] == pytest.approx(rule.precision.value)


@pytest.mark.parametrize(("dialect", "ask"), [("duckdb", ask_duckdb), ("postgres", ask_postgres)])
@pytest.mark.parametrize("learner", [ConceptRuleClassifier, ScorecardClassifier])
def test_columns_that_are_worked_out_have_the_same_figures(learner, dialect, ask):
    relations = [("debt", "/", "income"), ("debt", "-", "income"), ("paid", "<", "due")]
    table, labels = make_debts(400, 0)
    clf = learner(effort="fast", relations=relations, kinds={"note": "text"}).fit(table, labels)
    derived = {column.name for column in clf.network_.asked_derived}
    assert {"debt / income", "paid < due", 'note mentions "refund"'} <= derived
    table, labels = make_debts(300, 1)
    result = clf.network_.monitor(table, labels)
    rows = ask(monitoring_sql(clf.network_, dialect=dialect, labels="label"), table.assign(label=labels))
    indices = {(kind, of): index for kind, of, *_, index in rows}
    assert derived <= {of for kind, of in indices if kind == "csi"}
    for shift in result.shifts:
        if shift.of != "classes that fire":
            assert indices[shift.index.name, shift.of] == pytest.approx(shift.index.value, abs=1e-9), shift.of
    for rule in result.rules:
        assert indices["rule_psi", rule.text] == pytest.approx(rule.index.value, abs=1e-9), rule.text


def test_words_are_looked_for_where_the_database_knows_them():
    table, labels = make_debts(400, 0)
    network = ScorecardClassifier(effort="fast", kinds={"note": "text"}).fit(table, labels).network_
    with pytest.raises(InputError, match="the monitoring in the SQL of tsql cannot work out what the text in column"):
        monitoring_sql(network, dialect="tsql")


def make_debts(count: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows with gaps and zeros, of which the ratio of two columns, the order of two and a word tell the classes."""
    generator = np.random.default_rng(seed)
    table = pd.DataFrame({name: generator.integers(0, 9, count).astype(float) for name in ("debt", "income", "paid")})
    table["due"] = generator.integers(0, 9 - 3 * seed, count).astype(float)
    table["note"] = generator.choice(["Refund, please!", "thanks", "no refund\tyet", ""], count)
    share = table["debt"] / table["income"].where(table["income"] > 0)
    late, refund = table["paid"] < table["due"], table["note"].str.lower().str.contains("refund")
    labels = np.where(2 * (share > 0.9).to_numpy() + late.to_numpy() + refund.to_numpy() > 1, "bad", "good")
    table = table.mask(generator.random(table.shape) < 0.05)
    return table, labels


def test_a_test_of_dbt_gives_the_bins_that_moved():
    network = learn("decision")
    text = monitoring_sql(network, table="applications", dbt_above=0.25)
    assert text.count("{{ ref('applications') }}") == 1
    rows = ask_duckdb(text.replace("{{ ref('applications') }}", "data"), X.astype({"region": object}))
    assert {of for _, of, *_ in rows} >= {"region"}
    assert all(index > 0.25 for *_, index in rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "excel"}, "there is no dialect 'excel'"),
        ({"table": "a b", "dbt_above": 0.1}, "cannot be the name of a model of dbt"),
        ({"columns": {"regoin": "r"}}, "the network has no column 'regoin'"),
    ],
)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(InputError, match=message):
        monitoring_sql(learn("decision"), **options)


def test_names_that_look_like_sql_are_names():
    table = X.astype({"region": object}).rename(columns={"region": 'a"; DROP TABLE data; --'})
    query = monitoring_sql(learn("decision"), columns={"region": 'a"; DROP TABLE data; --'})
    assert ask_duckdb(query, table) == ask_duckdb(monitoring_sql(learn("decision")), X.astype({"region": object}))
    with pytest.raises(InputError, match="no counts of training"):
        monitoring_sql(replace(learn("decision"), statistics=None))
