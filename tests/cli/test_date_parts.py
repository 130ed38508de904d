"""Parts of dates on the command line: learned from, and made again wherever the model is used."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from conceptrules import load
from conceptrules.cli import main
from conceptrules.tables import with_date_parts

DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=3 * number) for number in range(300)]
SENT = [day + dt.timedelta(days=number * 7919 % 40) for number, day in enumerate(DAYS)]
LATE = [
    "late" if (sent - day).days > 30 or day.month == 12 else "in time" for day, sent in zip(DAYS, SENT, strict=True)
]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(DAYS, SENT, LATE, strict=True)
    text = "".join(f"{day:%d.%m.%Y},{sent:%Y-%m-%d},{late}\n" for day, sent, late in rows)
    Path("orders.csv").write_text("order,sent,answer\n" + text)
    parquet.write_table(pa.table({"order": DAYS, "sent": SENT, "answer": LATE}), "orders.parquet")

    def running(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out + err

    return running


@pytest.mark.parametrize("table", ["orders.csv", "orders.parquet"])
def test_a_model_of_parts_works_on_the_dates_in_every_command(run, table: str) -> None:
    run("fit", table, "-t", "answer", "--date-parts", "-o", "model.json", "--effort", "fast")
    network = load("model.json")
    assert [column.name for column in network.columns] == [
        "month of order", "weekday of order", "month of sent", "weekday of sent", "days from order to sent"
    ]  # fmt: skip
    assert {"month of order", "days from order to sent"} == set(network.used_columns)
    assert re.search(r"accuracy  (1\.0|0\.9)", run("evaluate", "model.json", table))
    run("predict", "model.json", table, "-o", "out.csv", "--reasons")
    answers = csv.read_csv("out.csv")["prediction"].to_pylist()
    dates = pa.table({"order": DAYS, "sent": SENT})
    assert network.predict(with_date_parts(dates)).tolist() == answers
    assert "days from order to sent" in run("explain", "model.json", table)
    run("report", "model.json", table, "-o", "report.html")
    assert "on 400 rows" in run("export", "model.json", "--data", table, "--to", "sql", "-o", "model.sql")
    assert "0 of 300 rows get another class" in run("diff", "model.json", "model.json", table)


def test_only_a_date_that_is_there_makes_parts(run) -> None:
    run("fit", "orders.csv", "-t", "answer", "--date-parts", "-o", "model.json", "--effort", "fast")
    Path("new.csv").write_text("order\n01.03.2024\n")
    assert "there is no column 'month of sent' in new.csv" in run("predict", "model.json", "new.csv", code=2)
    Path("new.csv").write_text("order,sent\n01.03.2024,soon\n")
    assert "column 'sent' should hold dates and times" in run("predict", "model.json", "new.csv", code=2)
    Path("new.csv").write_text("order,sent\n,\n")
    assert run("predict", "model.json", "new.csv").startswith("order,sent,prediction\n,,")
    Path("new.csv").write_text("size,answer\n1,a\n2,b\n")
    said = run("fit", "new.csv", "-t", "answer", "--date-parts", "-o", "other.json", code=2)
    assert "no column to learn from holds dates" in said
