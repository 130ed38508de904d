"""Runs PMML in JPMML-Evaluator, in a Java machine of this process."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from conceptrules.export.pmml.elements import LABEL, escape_xml, label_texts
from conceptrules.export.pmml.model import NAMESPACE
from conceptrules.export.pmml.scorecards import score_fields, share_fields
from conceptrules.export.verify.engine import Answers, ExportEngine, TrialRows
from conceptrules.export.wording import rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value


class PmmlEngine(ExportEngine):
    """Runs PMML in JPMML-Evaluator."""

    def missing(self, **options: Any) -> str | None:
        if importlib.util.find_spec("jpmml_evaluator") is None:
            return "jpmml_evaluator is not installed: pip install 'conceptrules[pmml]'"
        return None if _has_java() else "there is no Java; install a JDK or JRE, 11 or newer"

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        """Run the model; only the file says what goes where, as it would for anyone else who runs it."""
        with _java_imports():
            return _run(network, exported, trial)


def _run(network: RuleNetwork, exported: str, trial: TrialRows) -> Answers:
    from jpmml_evaluator import LoadingModelEvaluatorBuilder

    evaluator = LoadingModelEvaluatorBuilder(_backend()).loadString(exported).build()
    columns = {
        field: [_pmml_value(value, each["escaped"]) for value in trial.values[each["column"]]]
        for field, each in _fields(exported).items()
    }
    if columns and len(trial):
        results = _evaluate(evaluator, columns)
    else:  # one answer for all rows, if there are any
        results = {name: [value] * len(trial) for name, value in evaluator.evaluate({}).items()}
    index = {text: number for number, text in enumerate(label_texts(network))}
    rules = [results[f"R{name}"] for name in rule_ids(network)]
    fired = np.array(rules, dtype=np.bool_).reshape(len(rules), len(trial)).T
    scores = _matrix(results, score_fields(network)).astype(np.int64) if network.head else None
    if not network.classes:
        numbers = np.array(results[LABEL], dtype=np.float64)
        return Answers(np.zeros(len(trial), np.intp), fired, None, scores, numbers)
    names = share_fields(network)
    shares = _matrix(results, names) if names else None
    return Answers(np.array([index[text] for text in results[LABEL]], dtype=np.intp), fired, shares, scores)


def _matrix(results: dict[str, list[Any]], names: list[str]) -> NDArray[np.float64]:
    return np.array([results[name] for name in names], dtype=np.float64).T


def _evaluate(evaluator: Any, columns: dict[str, list[Value | None]]) -> dict[str, list[Any]]:
    """Evaluate rows as `evaluateAll` does, without the pandas tables that go in and come out of it."""
    from jpmml_evaluator import PythonEvaluatorUtil

    rows = {"columns": list(columns), "data": list(columns.values())}
    results = PythonEvaluatorUtil.evaluateAll(evaluator.backend, evaluator.javaEvaluator, rows, None, 1)
    errors = [error for error in results["errors"] or [] if error]
    if errors:
        raise RuntimeError(f"JPMML-Evaluator failed: {errors[0]}")
    return dict(zip(results["columns"], results["data"], strict=True))


def _fields(exported: str) -> dict[str, dict[str, Any]]:
    """Return what each field is for: the column, and whether its text is escaped."""
    root = ElementTree.fromstring(exported)
    space = {"p": NAMESPACE}
    fields = root.findall("p:DataDictionary/p:DataField", space)
    notes = {field.attrib["name"]: field.find("p:Extension", space) for field in fields}
    return {name: json.loads(note.attrib["value"]) for name, note in notes.items() if note is not None}


def _pmml_value(value: Value | None, escape: bool) -> Value | None:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, str):
        return escape_xml(value) if escape else value
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@contextmanager
def _java_imports() -> Iterator[None]:
    """Let Java packages be imported here and nowhere else: one of them is named dill, which torch looks for."""
    before = list(sys.meta_path)
    importlib.import_module("jpype.imports")  # adds what finds them
    if _java_finder() not in sys.meta_path:
        sys.meta_path.append(_java_finder())
    try:
        yield
    finally:
        if _java_finder() not in before:
            sys.meta_path.remove(_java_finder())


@lru_cache
def _java_finder() -> Any:
    return next(finder for finder in sys.meta_path if type(finder).__module__ == "jpype.imports")


@lru_cache
def _has_java() -> bool:
    import jpype

    try:
        jpype.getDefaultJVMPath()
    except jpype.JVMNotFoundException:
        return False
    return True


@lru_cache
def _backend() -> Any:
    from jpmml_evaluator.jpype import JPypeBackend

    return JPypeBackend()
