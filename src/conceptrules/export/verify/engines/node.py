"""Runs JavaScript in Node.js."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conceptrules.export.verify.engines import answers
from conceptrules.export.verify.trial_rows import Answers, Trial
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value

# JSON has no infinities, no NaN, and Node reads whole numbers beyond 2^53 wrongly: these travel as {"n": "..."}.
_MAIN = """
const revive = (name, value) => {
  if (value === null || typeof value !== "object" || !("n" in value)) return value;
  return value.n.endsWith("n") ? BigInt(value.n.slice(0, -1)) : Number(value.n);
};
const fs = require("fs");
const { names, rows } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"), revive);
const result = rows.map((values) => {
  const answer = DECIDE(Object.fromEntries(names.map((name, place) => [name, values[place]])));
  return [answer.class, answer.rules];
});
fs.writeFileSync(process.argv[3], JSON.stringify(result));
"""


def missing(**options: Any) -> str | None:
    return None if shutil.which("node") else "node is not on the path; install Node.js"


def run(network: RuleNetwork, exported: str, trial: Trial, name: str = "decide") -> Answers:
    columns = [[_plain(value) for value in column] for column in trial.values.values()]
    rows = list(map(list, zip(*columns, strict=True))) if columns else [[]] * len(trial)
    with TemporaryDirectory() as folder:
        program, given, found = (Path(folder, file) for file in ("program.js", "rows.json", "answers.json"))
        program.write_text(exported + _MAIN.replace("DECIDE", name), encoding="utf-8")
        given.write_text(json.dumps({"names": list(trial.values), "rows": rows}), encoding="utf-8")
        subprocess.run(["node", program, given, found], check=True, capture_output=True)
        result = json.loads(found.read_text(encoding="utf-8"))
    return answers(network, [index for index, _ in result], [rules for _, rules in result])


def _plain(value: Value | None) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return {"n": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return {"n": f"{value}n"}
    return value
