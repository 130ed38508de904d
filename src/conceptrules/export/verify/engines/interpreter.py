"""Runs Python in an interpreter that sees nothing but the standard library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conceptrules.export.verify.engines import answers
from conceptrules.export.verify.trial_rows import Answers, Trial
from conceptrules.model.network import RuleNetwork

_MAIN = """
import json, sys
with open(sys.argv[1], encoding="ascii") as file:
    names, given = json.load(file)
result = [DECIDE(dict(zip(names, values))) for values in given]
with open(sys.argv[2], "w", encoding="ascii") as file:
    json.dump([[answer["class"], answer["rules"]] for answer in result], file)
"""


def missing(**options: Any) -> str | None:
    return None


def run(network: RuleNetwork, exported: str, trial: Trial, name: str = "decide") -> Answers:
    rows = list(zip(*trial.values.values(), strict=True)) if trial.values else [()] * len(trial)
    with TemporaryDirectory() as folder:
        program, given, found = (Path(folder, file) for file in ("program.py", "rows.json", "answers.json"))
        program.write_text(exported + _MAIN.replace("DECIDE", name), encoding="utf-8")
        given.write_text(json.dumps([list(trial.values), rows]), encoding="ascii")
        subprocess.run([sys.executable, "-I", "-S", program, given, found], check=True, capture_output=True)
        result = json.loads(found.read_text(encoding="ascii"))
    return answers(network, [index for index, _ in result], [rules for _, rules in result])
