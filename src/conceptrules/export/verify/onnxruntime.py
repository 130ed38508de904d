"""Runs ONNX in onnxruntime."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.export.inputs import inputs, is_utf8
from conceptrules.export.onnx.columns import ROWS
from conceptrules.export.onnx.model import has_labels
from conceptrules.export.verify.engine import Answers, ExportEngine, TrialRows
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import is_missing


class OnnxEngine(ExportEngine):
    """Runs ONNX in onnxruntime."""

    def missing(self, **options: Any) -> str | None:
        installed = importlib.util.find_spec("onnxruntime") is not None
        return None if installed else "onnxruntime is not installed: pip install 'conceptrules[onnx]'"

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        """Return the rows that tensors can hold; half of a surrogate pair is no text there."""
        columns = [trial.values[used.column.name] for used in inputs(network) if used.family == "text"]
        holdable = np.ones(len(trial), dtype=np.bool_)
        for column in columns:
            holdable &= [not isinstance(value, str) or is_utf8(value) for value in column]
        return holdable

    def run(self, network: RuleNetwork, exported: bytes, trial: TrialRows, **options: Any) -> Answers:
        """Run the model; only the file says what goes where, as it would for anyone else who runs it."""
        import onnxruntime

        session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
        metadata = session.get_modelmeta().custom_metadata_map
        feed: dict[str, NDArray[Any]] = {}
        kinds = {each.name: each.type for each in session.get_inputs()}
        for column in json.loads(metadata["columns"]):
            values = trial.values[column["column"]]
            feed[column["input"]] = _tensor(values, kinds[column["input"]])
            if column["missing"]:
                gaps = np.array([is_missing(value) for value in values], dtype=np.bool_)
                feed[column["missing"]] = gaps.reshape(-1, 1)
        if ROWS in kinds:
            feed[ROWS] = np.zeros((len(trial), 1))
        names = [each.name for each in session.get_outputs()]
        outputs = dict(zip(names, session.run(names, feed), strict=True))
        labels, rules, shares, scores = (outputs.get(name) for name in ("label", "rules", "probabilities", "scores"))
        if not network.classes:
            return Answers(np.zeros(len(trial), np.intp), rules, None, scores, labels)
        return Answers(_classes(network, outputs["label"]), rules, shares, scores)


def _tensor(values: Sequence[Value | None], kind: str) -> NDArray[Any]:
    if kind == "tensor(string)":
        column: NDArray[Any] = np.empty((len(values), 1), dtype=object)
        column[:, 0] = ["" if value is None else value for value in values]
        return column
    if kind == "tensor(int64)":
        return np.array([0 if is_missing(value) else value for value in values], dtype=np.int64).reshape(-1, 1)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64).reshape(-1, 1)


def _classes(network: RuleNetwork, labels: NDArray[Any]) -> NDArray[np.intp]:
    if not has_labels(network):
        return labels.astype(np.intp)
    index = {value: number for number, value in enumerate(network.classes)}
    return np.array([index[label] for label in labels.tolist()], dtype=np.intp)
