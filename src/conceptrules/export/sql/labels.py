"""The answers of a query: class labels of one SQL type, and probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conceptrules.export.sql.comparisons import number_literal, text_literal, whole_literal
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import lifted, pattern_frequencies, probabilities


def check_labels(network: RuleNetwork, dialect: str) -> None:
    """Raise unless a column of the database can hold the labels, and tell them apart."""
    texts = [label_text(network, value) for value in network.classes]
    for value, text in zip(network.classes, texts, strict=True):
        if text_literal(text, dialect) is None:
            raise InputError(f"the class {value!r} holds a character that text in {dialect} cannot; rename the class")
    if len(set(texts)) < len(texts):
        raise InputError(f"some classes read the same as text: {', '.join(map(repr, network.classes))}; rename one")


def label_type(network: RuleNetwork) -> type:
    """Return what all labels are: bool, int, float, and otherwise text."""
    for kind in (bool, int, float):
        if all(type(value) is kind for value in network.classes):
            wide = kind is int and any(not -(2**63) < int(value) < 2**63 for value in network.classes)
            infinite = kind is float and any(math.isinf(float(value)) for value in network.classes)
            return str if wide or infinite else kind
    return str


def label_text(network: RuleNetwork, value: Value) -> str:
    return value if isinstance(value, str) else repr(value)


def label_literal(network: RuleNetwork, value: Value, dialect: str) -> Any:
    """Return a label as the dialect writes it."""
    from sqlglot import exp

    kind = label_type(network)
    if kind is str:
        return text_literal(label_text(network, value), dialect)
    if kind is bool:
        bit = exp.cast(exp.convert(int(value)), "BOOLEAN")  # SQL Server has no TRUE
        return bit if dialect == "tsql" else exp.true() if value else exp.false()
    return (
        whole_literal(int(value))
        if kind is int
        else exp.cast(number_literal(float(value), dialect), exp.DataType.Type.DOUBLE)
    )


def probability_columns(network: RuleNetwork, pattern: str, fires: Sequence[str], dialect: str) -> list[Any]:
    """Return what `predict_proba` says for each pattern of classes that fire; other patterns go by the class that wins.

    `pattern` is the column with the pattern as text, a 0 or 1 for each class; `fires` are those of the classes.
    """
    statistics = network.statistics
    if statistics is None:
        # The same error as that of the estimator.
        pattern_frequencies(network, np.zeros((1, len(network.classes)), dtype=np.bool_))
        raise AssertionError
    seen = [pattern for pattern, _ in statistics.patterns]
    known = probabilities(network, np.array(seen, dtype=np.bool_).reshape(len(seen), len(fires)))
    shares = np.array(statistics.rows) / sum(statistics.rows)
    order = network.priority_indices
    wins = [*order, network.default_index]
    unknown = lifted(np.tile(shares, (len(wins), 1)), np.array(wins))
    texts = ["".join("01"[fire] for fire in each) for each in seen]
    return [
        _column(
            pattern,
            dict(zip(texts, known[:, index].tolist(), strict=True)),
            _by_winner(order, fires, share, dialect),
            dialect,
        )
        for index, share in enumerate(unknown.T.tolist())
    ]


def _column(pattern: str, known: Mapping[str, float], otherwise: Any, dialect: str) -> Any:
    from sqlglot import exp

    if not known:
        return otherwise
    case = exp.case(exp.column(pattern))
    for text, share in known.items():
        case.when(exp.Literal.string(text), _double(share, dialect), copy=False)
    return case.else_(otherwise, copy=False)


def _by_winner(order: Sequence[int], fires: Sequence[str], shares: Sequence[float], dialect: str) -> Any:
    """Return the share by the class that wins; `shares` go by priority, and the last is the default's."""
    from sqlglot import exp

    case = exp.case()
    for index, share in zip(order, shares, strict=False):
        case.when(exp.column(fires[index]).eq(1), _double(share, dialect), copy=False)
    return case.else_(_double(shares[-1], dialect), copy=False)


def _double(value: float, dialect: str) -> Any:
    from sqlglot import exp

    return exp.cast(number_literal(value, dialect), exp.DataType.Type.DOUBLE)
