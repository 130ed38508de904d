"""Runs exports to programming languages: Python in a bare interpreter, JavaScript in Node.js, C through a compiler."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

from conceptrules.export.inputs import Family, inputs
from conceptrules.export.verify.engine import Answers, ExportEngine, TrialRows, holdable_rows, named_answers
from conceptrules.export.wording import rule_ids
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value

C_FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC")


class _InterpretedEngine(ExportEngine):
    """Runs a program that reads rows as JSON from one file, and writes its answers as JSON to another."""

    command: ClassVar[tuple[str, ...]]
    main: ClassVar[str]
    """What goes below the export, with DECIDE for the name of its function."""

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        columns = [[self.encode(value) for value in column] for column in trial.values.values()]
        rows = list(map(list, zip(*columns, strict=True))) if columns else [[]] * len(trial)
        with TemporaryDirectory() as folder:
            program, given, answers = (Path(folder, file) for file in ("program", "rows.json", "answers.json"))
            program.write_text(exported + self.main.replace("DECIDE", options.get("name", "decide")), encoding="utf-8")
            given.write_text(json.dumps([list(trial.values), rows]), encoding="ascii")
            subprocess.run([*self.command, program, given, answers], check=True, capture_output=True)
            result = json.loads(answers.read_text(encoding="utf-8"))
        named = named_answers(network, [index or 0 for index, *_ in result], [rules for _, rules, *_ in result])
        shares = [row[3] for row in result if len(row) > 3 and row[3] is not None]
        stated = np.array(shares, dtype=np.float64).reshape(-1, len(network.classes)) if shares else None
        if network.head is None:
            return replace(named, probabilities=stated)
        scores = np.array([row[2] for row in result], dtype=np.int64).reshape(len(result), network.head.outputs)
        numbers = None if network.classes else np.array([row[4] for row in result], dtype=np.float64)
        return replace(named, probabilities=stated, scores=scores, numbers=numbers)

    def encode(self, value: Value | None) -> object:
        """Return a value as JSON can hold it."""
        return value


class PythonEngine(_InterpretedEngine):
    """Runs Python in an interpreter that sees nothing but the standard library."""

    command = (sys.executable, "-I", "-S")
    main = """
import json, sys
with open(sys.argv[1], encoding="ascii") as file:
    names, given = json.load(file)
result = [DECIDE(dict(zip(names, values))) for values in given]
with open(sys.argv[2], "w", encoding="ascii") as file:
    keys = ("class", "rules", "scores", "probabilities", "label")
    json.dump([[answer.get(key) for key in keys] for answer in result], file)
"""


class JavaScriptEngine(_InterpretedEngine):
    """Runs JavaScript in Node.js."""

    command = ("node",)
    # JSON has no infinities, no NaN, and Node reads whole numbers beyond 2^53 wrongly: these travel as {"n": "..."}.
    main = """
const revive = (name, value) => {
  if (value === null || typeof value !== "object" || !("n" in value)) return value;
  return value.n.endsWith("n") ? BigInt(value.n.slice(0, -1)) : Number(value.n);
};
const fs = require("fs");
const [names, rows] = JSON.parse(fs.readFileSync(process.argv[2], "utf8"), revive);
const result = rows.map((values) => {
  const answer = DECIDE(Object.fromEntries(names.map((name, place) => [name, values[place]])));
  const number = answer.class === undefined ? answer.label : null;
  return [answer.class, answer.rules, answer.scores, answer.probabilities, number];
});
fs.writeFileSync(process.argv[3], JSON.stringify(result));
"""

    def missing(self, **options: Any) -> str | None:
        return None if shutil.which("node") else "node is not on the path; install Node.js"

    def encode(self, value: Value | None) -> object:
        if isinstance(value, float) and not math.isfinite(value):
            return {"n": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
            return {"n": f"{value}n"}
        return value


class _Text(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char_p), ("size", ctypes.c_size_t))


class _Whole(ctypes.Structure):
    _fields_ = (("value", ctypes.c_int64), ("present", ctypes.c_int))


class CEngine(ExportEngine):
    """Compiles C into a library, with warnings as errors, and calls it."""

    def missing(self, **options: Any) -> str | None:
        return None if _compiler() else "there is no C compiler (gcc, cc or clang) on the path; install one"

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        return holdable_rows(inputs(network), trial)

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        used = inputs(network)
        columns = [[_c_value(value, each.family) for value in trial.values[each.column.name]] for each in used]
        types: dict[Family, Any] = {"text": _Text, "whole": _Whole}
        layout = [(f"x{place}", types.get(each.family, ctypes.c_double)) for place, each in enumerate(used)]
        struct: Any = type("Row", (ctypes.Structure,), {"_fields_": layout or [("unused", ctypes.c_char)]})
        head, rows, classes = network.head, len(trial), len(network.classes)
        fired = np.full((rows, len(rule_ids(network))), 2, dtype=np.uint8)
        scores = None if head is None else np.empty((rows, head.outputs), np.int32)
        stated = np.full((rows, classes), np.nan) if head is not None and classes else None
        arrays = [array for array in (fired, scores, stated) if array is not None]
        with TemporaryDirectory() as folder:
            decide = getattr(ctypes.CDLL(str(_compile(exported, Path(folder)))), options.get("name", "decide"))
            decide.argtypes = (ctypes.POINTER(struct), *[ctypes.c_void_p] * len(arrays))
            decide.restype = ctypes.c_int if classes else ctypes.c_double
            returned = [
                decide(
                    ctypes.byref(struct(*(column[row] for column in columns))),
                    *(array[row].ctypes.data or None for array in arrays),
                )
                for row in range(rows)
            ]
        assert (fired < 2).all(), "a rule was not written"
        indices = np.array(returned if classes else [0] * rows, dtype=np.intp)
        numbers = None if classes else np.array(returned, dtype=np.float64)
        sums = None if scores is None else scores.astype(np.int64)
        return Answers(indices, fired.astype(np.bool_), stated, sums, numbers)


def _compiler() -> str | None:
    return next((path for name in ("gcc", "cc", "clang") if (path := shutil.which(name))), None)


def _compile(exported: str, folder: Path) -> Path:
    source, library = folder / "decide.c", folder / "decide.so"
    source.write_text(exported, encoding="utf-8")
    command = [str(_compiler()), *C_FLAGS, "-o", str(library), str(source), "-lm"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"the C export does not compile:\n{result.stderr}")
    return library


def _c_value(value: Value | None, family: Family) -> Any:
    if family == "text":
        octets = None if value is None else str(value).encode("utf-8")
        return _Text(octets, 0 if octets is None else len(octets))
    if family == "whole":
        return _Whole(0, 0) if value is None else _Whole(int(value), 1)
    return float("nan") if value is None else float(value)
