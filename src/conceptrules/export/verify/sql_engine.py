"""Runs SQL: makes the table, asks, and reads the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from conceptrules.export.inputs import Input
from conceptrules.export.sql.columns import typed_inputs
from conceptrules.export.sql.literals import label_text, label_type
from conceptrules.export.sql.names import make_query_names, split_name
from conceptrules.export.sql.query import sql
from conceptrules.export.verify.databases import DATABASES, StoredColumn, quote_parts
from conceptrules.export.verify.engine import (
    Answers,
    ExportEngine,
    TrialRows,
    answer_words,
    holdable_rows,
    make_trial,
    named_answers,
)
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import is_missing


class SqlEngine(ExportEngine):
    """Runs SQL in the databases that there are."""

    def missing(self, dialect: str = "duckdb", table: Any = "data", view: Any = None, **options: Any) -> str | None:
        if options.get("trust_types"):
            return "a query that trusts the types of the table depends on them; its text was read again in its dialect"
        if dialect not in DATABASES:
            return f"{dialect} does not run here; the text was read again in its dialect"
        return DATABASES[dialect].missing(_tables(table, view))

    def claim(self, network: RuleNetwork, reasons: bool = False, probabilities: bool = False, **options: Any) -> str:
        """Say what is compared; without reasons, the text that is written says nothing about rules."""
        answer = answer_words(network, probabilities)
        if reasons:
            return f"the same {answer} and the same fired rules as the model"
        return f"the same {answer} as the model (and the same fired rules, from the same query with reasons)"

    def adapt(
        self, network: RuleNetwork, trial: TrialRows, types: Mapping[str, str] | None = None, **options: Any
    ) -> TrialRows:
        """Return each row twice, with 0 and with 1 for the numbers of columns that `types` says to be boolean."""
        flags = [used.column.name for used in typed_inputs(network, types) if used.storage == "boolean"]
        if not flags:
            return trial
        values = {name: [*column, *column] for name, column in trial.values.items()}
        for shift, name in enumerate(flags):
            bits = [(row >> shift) % 2 for row in range(len(trial))]
            both = [*bits, *(1 - bit for bit in bits)]
            values[name] = [value if is_missing(value) else bit for value, bit in zip(values[name], both, strict=True)]
        return make_trial(network, values, 2 * len(trial))

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        used = typed_inputs(network, options.get("types"))
        return holdable_rows(used, trial, nul=options.get("dialect") != "postgres", flags=True)

    def run(self, network: RuleNetwork, exported: str, trial: TrialRows, **options: Any) -> Answers:
        """Run an export; one without reasons is run as it is, and once more with them, to know the fired rules."""
        call = signature(sql).bind(network, **options)
        call.apply_defaults()
        asked = call.arguments
        dialect, table, view, prefix = (asked[name] for name in ("dialect", "table", "view", "prefix"))
        names = make_query_names(network, dialect, table, asked["columns"] or {}, asked["keep"], prefix, ())
        queries: list[tuple[str, str | None]] = [(exported, None)]
        if view is not None:
            queries = [(f"SELECT * FROM {quote_parts(split_name(view), dialect)}", exported)]
        if not asked["reasons"]:
            other = {"view": None, "reasons": True, "probabilities": False, "prefix": prefix or "conceptrules_"}
            queries.append((sql(**asked | other), None))
        columns = _stored_columns(network, typed_inputs(network, asked["types"]), trial, names.columns)
        extra = [name for name in names.kept if name not in names.columns.values()]
        columns += [StoredColumn(name, "text", [None] * len(trial)) for name in extra]
        results = DATABASES[dialect].ask(_tables(table, view), columns, queries)
        first = len(names.kept)
        classes = [_class_index(network, row[first]) if network.classes else 0 for row in results[0]]
        answers = named_answers(network, classes, [str(row[first + 1]).split() for row in results[-1]])
        stated = scores = None
        if network.head is not None:
            place, outputs = first + 1 + bool(asked["reasons"]), network.head.outputs
            sums = [row[place : place + outputs] for row in results[0]]
            scores = np.array(sums, dtype=np.int64).reshape(len(trial), outputs)
        if asked["probabilities"]:
            shares = np.array([row[-len(network.classes) :] for row in results[0]], dtype=np.float64)
            stated = shares.reshape(len(trial), len(network.classes))
        numbers = None if network.classes else np.array([row[first] for row in results[0]], dtype=np.float64)
        return Answers(answers.classes, answers.rules, stated, scores, numbers)


def _tables(table: Any, view: Any) -> list[tuple[str, ...]]:
    return [split_name(table), *([] if view is None else [split_name(view)])]


def _stored_columns(
    network: RuleNetwork, inputs: Sequence[Input], trial: TrialRows, table_names: Mapping[str, str]
) -> list[StoredColumn]:
    """Return the columns in use with their values; the others, which do not matter, without any."""
    kinds = {used.column.name: _stored_kind(used) for used in inputs}
    result = []
    for name, values in trial.values.items():
        cells = [_stored_value(value, kinds[name]) for value in values] if name in kinds else [None] * len(values)
        result.append(StoredColumn(table_names[name], kinds.get(name, "text"), cells))
    return result


def _stored_kind(used: Input) -> str:
    if used.holds_flags:
        return "flag"
    if used.family == "ordered":
        return {"date": "moment", "datetime": "moment"}.get(used.column.kind, used.column.kind)
    return "number" if used.family == "figure" else used.family


def _stored_value(value: Value | None, kind: str) -> Any:
    if value is None or kind == "text":
        return value
    return {"flag": bool, "whole": int}.get(kind, float)(value)


def _class_index(network: RuleNetwork, label: Any) -> int:
    """Return the class with this label; -1 if there is none."""
    text = label_type(network) is str
    labels = [label_text(value) if text else value for value in network.classes]
    return labels.index(label) if label in labels else -1
