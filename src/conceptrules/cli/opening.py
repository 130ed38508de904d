"""What a command is given, opened: a model, a table, or both, and what there is to learn."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from conceptrules.cli import columns
from conceptrules.cli.files import tables as files
from conceptrules.cli.options import Settings, classifier
from conceptrules.io.model_file import load, read
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from conceptrules.estimator import ConceptRuleClassifier


def task(
    data: str, target: str, drop: list[str], only: list[str], kind: list[str], settings: Settings
) -> tuple[ConceptRuleClassifier, pa.Table, np.ndarray]:
    """What learns, and what from."""
    source = files.open_table(data)
    kinds = columns.kinds(kind, source.columns, source.name)
    X, y = columns.examples(source, target, drop, only, kinds)
    return classifier(settings, {name: kinds[name] for name in X.column_names if name in kinds}), X, y


def opened(model: str, data: str) -> tuple[RuleNetwork, files.Source]:
    check_streams(model, data)
    return network_of(model), files.open_table(data)


def check_streams(model: str, data: str) -> None:
    if model == data == files.STREAM:
        raise InputError("the model and the table cannot both come from standard input; name a file for one of them")


def network_of(name: str) -> RuleNetwork:
    return read(sys.stdin.buffer, "standard input") if name == files.STREAM else load(name)
