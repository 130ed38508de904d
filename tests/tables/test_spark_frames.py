"""Spark answers as Python does: with the network sent to its executors, and by the SQL export."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from conceptrules import ConceptRuleClassifier
from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.export.verify.databases import DATABASES, StoredColumn, arrow_array
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing
from conceptrules.tables import with_predictions
from tests.export.test_hostile import sql_case

DAY = 86_400e6
NETWORK = RuleNetwork(
    [
        Column("age"),
        Column("job", "category", ("cook", "nurse")),
        Column("seen", "datetime"),
        Column("smoker", "boolean"),
        Column("plan", "category", (1, 2)),
    ],
    [
        Interval("age", 27.5, 41),
        Equals("job", "nurse"),
        Missing("job"),
        Interval("seen", 18_000 * DAY),
        Equals("plan", 2),
    ],
    [
        Level(
            [
                Rule([Literal(0)]),
                Rule([Literal(1), Literal(3)]),
                Rule([Literal(2), Literal(0, True)]),
                Rule([Literal(4)]),
            ],
            [Concept([0, 2]), Concept([1]), Concept([3])],
        )
    ],
    ["yes", "no", "later"],
    default="no",
)
NAN, ZONE = float("nan"), dt.UTC
ROWS = {
    "id": pa.array(range(6), pa.int64()),
    "age": pa.array([30.0, NAN, None, 41.0, 41.5, 27.5]),
    "job": pa.array(["cook", "nurse", None, "x", "nurse", "cook"]),
    "seen": pa.array(
        [None, *[dt.datetime(2022, 1, day, tzinfo=ZONE) for day in range(1, 6)]], pa.timestamp("us", "UTC")
    ),
    "smoker": pa.array([True, False, None, True, False, True]),
    "plan": pa.array([1, 2, 3, None, 1, 2], pa.int32()),
    "tags": pa.array([["a"], [], None, ["b", "c"], ["d"], [None]]),
    "price": pa.array([Decimal("1.50")] * 6, pa.decimal128(10, 2)),
}
TABLE = pa.table(ROWS)


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'conceptrules[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java; Spark needs a JDK or JRE, 17 or newer")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4",  # several batches for a few rows
    }
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    yield session
    session.stop()


def test_a_frame_is_answered_as_a_table_is_with_all_its_columns(spark):
    frame = spark.createDataFrame(TABLE)
    scored = with_predictions(frame, NETWORK)
    assert scored.columns == [*frame.columns, "prediction"]
    rows = scored.collect()
    expected = NETWORK.predict(TABLE.select(range(1, 6))).tolist()
    assert [row["prediction"] for row in rows] == expected
    assert tuple(rows[0][:-1]) == tuple(frame.first())
    assert [row["tags"] for row in rows] == TABLE["tags"].to_pylist()
    assert with_predictions(frame.filter("id > 9"), NETWORK).collect() == []
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assert [row["prediction"] for row in with_predictions(frame, NETWORK).collect()] == expected
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_an_estimator_adds_probabilities_and_labels_keep_their_type(spark):
    table = pa.table({"age": [float(age) for age in range(20, 60)]})
    level = Level([Rule([Literal(0)])], [Concept(), Concept([0])])
    network = RuleNetwork([Column("age")], [Interval("age", 40)], [level], [0, 1], default=0)
    clf = ConceptRuleClassifier.from_network(network.measure(table, [0, 1] * 10 + [1] * 20))
    scored = with_predictions(spark.createDataFrame(table).repartition(3), clf, "answer", probabilities=True)
    assert scored.dtypes[1:] == [("answer", "bigint"), ("probability_0", "double"), ("probability_1", "double")]
    rows = scored.collect()
    found = pa.table({"age": [row["age"] for row in rows]})
    assert sorted(found["age"].to_pylist()) == table["age"].to_pylist()
    assert [row["answer"] for row in rows] == clf.predict(found).tolist()
    assert [[*row[2:]] for row in rows] == clf.predict_proba(found).tolist()


def test_what_does_not_fit_is_told_before_any_job_starts(spark):
    frame = spark.createDataFrame(TABLE)
    with pytest.raises(InputError, match=r"column 'age' is missing from the Spark DataFrame; did you mean 'Age'\?"):
        with_predictions(frame.withColumnRenamed("age", "Age"), NETWORK)
    taken = frame.withColumnRenamed("id", "Prediction")
    with pytest.raises(InputError, match=r"already has a column 'Prediction'; rename it or drop it, or name another"):
        with_predictions(taken, NETWORK)
    assert with_predictions(taken, NETWORK, "answer").columns[-1] == "answer"
    with pytest.raises(
        ColumnTypeError, match=r"'age' of the Spark DataFrame is of the type string \(text\), but .*number"
    ):
        with_predictions(frame.withColumn("age", frame["job"]), NETWORK)
    with pytest.raises(ColumnTypeError, match=r"'plan' .* learned it as categories such as 1; cast it"):
        with_predictions(frame.withColumn("plan", frame["job"]), NETWORK)
    with pytest.raises(InputError, match="'age'"):
        with_predictions(frame.select("*", "age"), NETWORK)
    with pytest.raises(InputError, match="no statistics to tell probabilities by"):
        with_predictions(frame, NETWORK, probabilities=True)
    with pytest.raises(InputError, match=r"the model is a ConceptRuleClassifier; give a fitted estimator"):
        with_predictions(frame, ConceptRuleClassifier())


def test_other_tables_are_refused():
    with pytest.raises(InputError, match="takes a Spark DataFrame, not a Table; predict answers other tables"):
        with_predictions(TABLE, NETWORK)


class SparkDatabase:
    """Spark as one of the databases that exports are verified in."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def missing(self, places: Sequence[Sequence[str]]) -> str | None:
        return None

    def ask(self, places: Any, columns: Sequence[StoredColumn], queries: Sequence[tuple[str, str | None]]) -> Any:
        fields = [_spark_array(column) for column in columns]
        table = pa.table(fields, names=[column.name for column in columns])
        self.session.createDataFrame(table).createOrReplaceTempView("data")
        return [[tuple(row) for row in self.session.sql(query).collect()] for query, _ in queries]


def _spark_array(column: StoredColumn) -> pa.Array:
    """Times with a zone, and durations as a number of microseconds."""
    if column.kind == "duration":
        return pa.array(column.values, pa.float64(), from_pandas=False)
    found = arrow_array(column)
    return found.cast(pa.timestamp("us", "UTC")) if column.kind == "moment" else found


@pytest.mark.parametrize("which", ["network", "hostile"])
def test_the_sql_export_runs_in_spark_and_decides_as_the_network(spark, monkeypatch, which):
    pytest.importorskip("sqlglot")
    monkeypatch.setitem(DATABASES, "spark", SparkDatabase(spark))
    network, options = sql_case("spark") if which == "hostile" else (NETWORK, {"dialect": "spark"})
    options |= {"table": "data", "reasons": True}
    outcome = compare(network, "sql", export(network, "sql", **options), limit=300, **options)
    assert outcome.skipped is None
    assert outcome.rows > 50
    assert outcome.mismatches == ()
