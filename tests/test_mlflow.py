"""MLflow keeps the model file, and answers as the network does: loaded, registered, and from its scoring server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conceptrules import InputError
from conceptrules.mlflow import ServedNetwork, log_model
from conceptrules.model import Column, Concept, Interval, Level, Literal, OneOf, Rule, RuleNetwork

pd = pytest.importorskip("pandas")
# What MLflow says of its own type hints, and of libraries that are newer than it knows.
pytestmark = pytest.mark.filterwarnings("ignore:.*Any type hint is inferred", "ignore:::(mlflow|pandas|sqlalchemy)")
LEVEL = Level((Rule((Literal(0),)), Rule((Literal(1), Literal(0, True)))), (Concept((0, 1)), Concept()))
NETWORK = RuleNetwork(
    (Column("income", "number"), Column("job", "category", ("cook", "nurse", "smith"))),
    (Interval("income", 30.5), OneOf("job", ("cook", "nurse"))),
    (LEVEL,),
    ("good", "bad"),
    default="bad",
)
ROWS = pd.DataFrame({"income": [10.0, 40.0, None], "job": ["smith", "cook", "nurse"], "unused": [1, 2, 3]})


def test_a_served_network_answers_what_is_asked_for() -> None:
    served = ServedNetwork(NETWORK)
    plain = served.predict(ROWS)
    assert plain.to_dict("list") == {"prediction": ["bad", "good", "good"]}
    reasons = served.predict(ROWS, {"reasons": True})["reasons"].tolist()
    assert "income > 30.5" in reasons[1]


def test_without_mlflow_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow.models", None)
    with pytest.raises(InputError, match=r"pip install 'conceptrules\[mlflow\]'"):
        log_model(NETWORK, "rules", ROWS)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The network, logged and registered in a SQLite store."""
    mlflow = pytest.importorskip("mlflow", reason="MLflow has an environment of its own: make test-mlflow")
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'store.db'}")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("rules", artifact_location=(folder / "runs").as_uri()))
    with mlflow.start_run():
        return log_model(NETWORK, "rules", ROWS, registered_model_name="credit")


@pytest.fixture(scope="module")
def address(logged: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """MLflow's scoring server on a free port of this machine."""
    import mlflow

    path = mlflow.artifacts.download_artifacts(logged.model_uri, dst_path=str(tmp_path_factory.mktemp("served")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", path, "--env-manager", "local"]
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where uvicorn is
    started = [*command, "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(started, env={**os.environ, "PATH": programs}) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def test_what_is_logged_is_the_model_file(logged: Any) -> None:
    import mlflow

    folder = Path(mlflow.artifacts.download_artifacts(logged.model_uri))
    assert (folder / "data" / "model.json").is_file()
    assert not list(folder.rglob("*.pkl"))
    assert [column.name for column in logged.signature.inputs] == ["income", "job"]


def test_a_registered_model_answers_as_the_network_does(logged: Any) -> None:
    import mlflow

    model = mlflow.pyfunc.load_model("models:/credit/1")
    rows = ROWS[["income", "job"]]
    assert model.predict(rows)["prediction"].tolist() == NETWORK.predict(rows).tolist()
    assert model.predict(rows, params={"reasons": True})["reasons"].str.contains("income").any()


def test_the_scoring_server_answers_as_the_network_does(address: str) -> None:
    rows = ROWS[["income", "job"]].iloc[:2]
    body = {"dataframe_split": rows.to_dict("split", index=False), "params": {"reasons": True}}
    request = urllib.request.Request(
        f"{address}/invocations", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    answers = json.loads(_ask_when_ready(request))["predictions"]
    assert [answer["prediction"] for answer in answers] == NETWORK.predict(rows).tolist()
    assert "income > 30.5" in answers[1]["reasons"]


def _ask_when_ready(request: urllib.request.Request) -> bytes:
    for _ in range(600):
        try:
            with urllib.request.urlopen(request) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError:
            raise
        except OSError:  # the server is not up yet
            time.sleep(0.2)
    raise AssertionError("the scoring server did not come up")
