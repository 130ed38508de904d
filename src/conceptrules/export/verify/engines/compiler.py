"""Compiles C into a library, with warnings as errors, and calls it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from conceptrules.export.inputs import Family, inputs
from conceptrules.export.node_names import rule_ids
from conceptrules.export.verify.engines.storage import holdable_rows
from conceptrules.export.verify.trial_rows import Answers, Trial
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value

FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC")


class _Text(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char_p), ("size", ctypes.c_size_t))


class _Whole(ctypes.Structure):
    _fields_ = (("value", ctypes.c_int64), ("present", ctypes.c_int))


_TYPES: dict[Family, Any] = {"text": _Text, "whole": _Whole}


def missing(**options: Any) -> str | None:
    return None if _compiler() else "there is no C compiler (gcc, cc or clang) on the path; install one"


def holdable(network: RuleNetwork, trial: Trial, **options: Any) -> Bits:
    return holdable_rows(inputs(network), trial)


def run(network: RuleNetwork, exported: str, trial: Trial, name: str = "decide") -> Answers:
    used = inputs(network)
    columns = [[_cell(value, one.family) for value in trial.values[one.column.name]] for one in used]
    layout = [(f"x{place}", _TYPES.get(one.family, ctypes.c_double)) for place, one in enumerate(used)]
    struct: Any = type("Row", (ctypes.Structure,), {"_fields_": layout or [("unused", ctypes.c_char)]})
    fired = np.full((len(trial), len(rule_ids(network))), 2, dtype=np.uint8)
    with TemporaryDirectory() as folder:
        decide = getattr(ctypes.CDLL(str(_library(exported, Path(folder)))), name)
        decide.argtypes, decide.restype = (ctypes.POINTER(struct), ctypes.c_void_p), ctypes.c_int
        classes = [
            decide(ctypes.byref(struct(*(column[row] for column in columns))), fired[row].ctypes.data or None)
            for row in range(len(trial))
        ]
    assert (fired < 2).all(), "a rule was not written"
    return Answers(np.array(classes, dtype=np.intp), fired.astype(np.bool_))


def _compiler() -> str | None:
    return next((path for name in ("gcc", "cc", "clang") if (path := shutil.which(name))), None)


def _library(exported: str, folder: Path) -> Path:
    source, library = folder / "decide.c", folder / "decide.so"
    source.write_text(exported, encoding="utf-8")
    done = subprocess.run(
        [str(_compiler()), *FLAGS, "-o", library, source], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the C export does not compile:\n{done.stderr}")
    return library


def _cell(value: Value | None, family: Family) -> Any:
    if family == "text":
        octets = None if value is None else str(value).encode("utf-8")
        return _Text(octets, 0 if octets is None else len(octets))
    if family == "whole":
        return _Whole(0, 0) if value is None else _Whole(int(value), 1)
    return float("nan") if value is None else float(value)
