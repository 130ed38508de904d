"""The history file: a line of JSON for each run, of one model."""

from __future__ import annotations

import datetime as dt
import json
from os import PathLike
from pathlib import Path
from typing import Any

from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.errors import InputError
from conceptrules.monitor.monitoring import Monitoring

_KEYS = {"when", "hash", "rows", "figures", "fired"}


def read_history(path: str | PathLike[str], own: str) -> list[dict[str, Any]]:
    """Return the lines of a history file of the model with this hash; none where there is no such file yet."""
    if not Path(path).exists():
        check_place(path)
        return []
    lines = []
    for number, text in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not line.keys() >= _KEYS:
            raise InputError(f"{path}: line {number} is no line of a history of monitoring; name another file")
        if line["hash"] != own:
            raise InputError(
                f"{path} is the history of another model ({line['hash'][:20]}..., and this one is {own[:20]}...); "
                "name another file: a model that was edited has a history of its own"
            )
        lines.append(line)
    return lines


def append_history(path: str | PathLike[str], monitoring: Monitoring, when: str | None = None) -> list[dict[str, Any]]:
    """Add a line for this run to a history file, which appears whole, and return all lines; `when` is in UTC."""
    lines = read_history(path, monitoring.hash)
    when = when or dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
    figures = {f"{each.name} {each.of}".strip(): round(each.value, 6) for each in monitoring.all_figures}
    fired = [str(each) for each in monitoring.fired]
    line = {"when": when, "hash": monitoring.hash, "rows": monitoring.rows, "figures": figures, "fired": fired}
    lines.append(line)
    write_whole("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines).encode(), path)
    return lines
