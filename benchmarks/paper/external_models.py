"""The two baselines that are not Python of today: Weka's J48 and pysbrl, each run as a program of its own.

`make baselines` sets both up; $WEKA_JAR names another jar than Debian's.
"""

from __future__ import annotations

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
    """Run Weka's J48: one call learns and prints the tree with its size, the number of nodes; the other answers.

    Seconds are those of the whole program, reading the rows included.
    """
    classes, codes = np.unique(inputs.y_train, return_inverse=True)
    with TemporaryDirectory() as folder:
        train, test, model = Path(folder, "train.arff"), Path(folder, "test.arff"), Path(folder, "model")
        _write_arff(train, inputs.train, [f"c{code}" for code in codes], len(classes))
        _write_arff(test, inputs.test, ["?"] * len(inputs.test), len(classes))
        command = ["java", "-Xmx4g", "-XX:+UseSerialGC", "-cp", str(JAR), "weka.classifiers.trees.J48"]
        chosen = ["-C", str(options["confidence"]), "-M", str(options["min_rows"])]
        start = perf_counter()
        printed = _run([*command, "-t", str(train), "-d", str(model), "-no-cv", "-v", *chosen])
        middle = perf_counter()
        answers = classes[_predicted(_run([*command, "-l", str(model), "-T", str(test), "-p", "0"]))]
        seconds = {"fit": middle - start, "predict": perf_counter() - middle}
    sizes = [re.search(rf"{name}\s*:\s*(\d+)", printed) for name in ("Number of Leaves", "Size of the tree")]
    if None in sizes:
        raise RuntimeError(f"J48 printed no size of its tree; it ended with: {printed[-500:]}")
    leaves, nodes = (int(size[1]) for size in sizes if size)
    return Found(answers, seconds, nodes - 1, {"leaves": leaves})


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


def _write_arff(path: Path, values: np.ndarray, labels: list[str], classes: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("@relation fold\n")
        file.writelines(f"@attribute a{column} numeric\n" for column in range(values.shape[1]))
        file.write(f"@attribute class {{{','.join(f'c{code}' for code in range(classes))}}}\n@data\n")
        for row, label in zip(values.tolist(), labels, strict=True):
            file.write(",".join(f"{value:.17g}" for value in row) + f",{label}\n")


def _predicted(printed: str) -> np.ndarray:
    """Read the answers: Weka writes a line such as `3  1:?  2:c1  0.9` for each test row."""
    return np.array([int(code) for code in re.findall(r"^\s*\d+\s+\S+\s+\d+:c(\d+)", printed, re.MULTILINE)])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout
