"""The two baselines that are not Python of today: Weka's J48 and pysbrl, each run as a program of its own.

`make baselines` sets both up; $WEKA_JAR names another jar than Debian's.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.paper.folds import Inputs

HERE = Path(__file__).parent
SBRL = HERE / ".baselines" / "sbrl" / "bin" / "python"
JAR = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))


@dataclass(frozen=True, eq=False)
class Found:
    """What a program said: a class for each test row, times, and the edges of its model."""

    answers: np.ndarray
    seconds: dict[str, float]
    edges: int
    extra: dict[str, Any]


def weka_problem() -> str:
    if which("java") and JAR.exists():
        return ""
    return "C4.5 needs Java and Weka: run `make baselines`, or set $WEKA_JAR to weka.jar"


def sbrl_problem() -> str:
    return "" if SBRL.exists() else "SBRL needs pysbrl in an environment of its own: run `make baselines`"


def j48(inputs: Inputs, options: Mapping[str, Any]) -> Found:
    """Weka's J48. Its printed tree ends with its size, the number of nodes."""
    classes, codes = np.unique(np.r_[inputs.y_train, inputs.y_test], return_inverse=True)
    known = len(inputs.y_train)
    with TemporaryDirectory() as folder:
        train, test, out = Path(folder, "train.arff"), Path(folder, "test.arff"), Path(folder, "out.csv")
        _write_arff(train, inputs.train, codes[:known], len(classes))
        # The file names a class for each row, as its format wants; J48 answers without reading it.
        _write_arff(test, inputs.test, codes[known:], len(classes))
        command = ["java", "-Xmx4g", "-cp", str(JAR), "weka.classifiers.trees.J48"]
        command += ["-C", str(options["confidence"]), "-M", str(options["min_rows"])]
        command += ["-t", str(train), "-T", str(test), "-no-cv", "-classifications"]
        command += [f"weka.classifiers.evaluation.output.prediction.CSV -file {out}"]
        start = perf_counter()
        text = _run(command)
        seconds = perf_counter() - start
        answers = classes[_predicted(out)]
    size = re.search(r"Size of the tree :\s*(\d+)", text)
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", text)
    if size is None or leaves is None:
        raise RuntimeError(f"J48 printed no size of its tree; it ended with: {text[-500:]}")
    return Found(answers, {"fit": seconds}, int(size[1]) - 1, {"leaves": int(leaves[1])})


def rule_list(inputs: Inputs, options: Mapping[str, Any], seed: int) -> Found:
    classes, codes = np.unique(inputs.y_train, return_inverse=True)
    with TemporaryDirectory() as folder:
        given, wanted, out = Path(folder, "in.npz"), Path(folder, "options.json"), Path(folder, "out.npz")
        np.savez(given, train=inputs.train, test=inputs.test, codes=codes, classes=len(classes))
        wanted.write_text(json.dumps({**options, "seed": seed}), encoding="utf-8")
        _run([str(SBRL), str(HERE / "sbrl_runner.py"), str(given), str(wanted), str(out)])
        with np.load(out) as found:
            seconds = {key: float(found[key]) for key in ("fit", "predict", "mine")}
            extra = {key: int(found[key]) for key in ("rules", "candidates")}
            return Found(classes[found["answers"]], seconds, int(found["edges"]), extra)


def _write_arff(path: Path, values: np.ndarray, codes: np.ndarray, classes: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("@relation fold\n")
        file.writelines(f"@attribute a{column} numeric\n" for column in range(values.shape[1]))
        file.write(f"@attribute class {{{','.join(f'c{code}' for code in range(classes))}}}\n@data\n")
        for row, code in zip(values.tolist(), codes.tolist(), strict=True):
            file.write(",".join(f"{value:.17g}" for value in row) + f",c{code}\n")


def _predicted(path: Path) -> np.ndarray:
    """Weka writes `2:c1` in the column `predicted`."""
    with path.open(encoding="utf-8", newline="") as lines:
        return np.array([int(row["predicted"].rpartition(":c")[2]) for row in csv.DictReader(lines)])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout
