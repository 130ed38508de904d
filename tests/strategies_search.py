"""Hypothesis strategies for the search: columns as bins, weighted rows, and rules on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from conceptrules.kernels.search.views import Rule
from hypothesis import strategies as st

from conceptrules.kernels.search.scores import F1_MACRO
from conceptrules.kernels.search.values import ANYTHING, LONGEST, Columns, Limits, Rows, Rules, empty_rules
from conceptrules.learn.task import keep_rows_with_weight

SEEDS = st.integers(0, 2**32 - 1)


def seeded() -> st.SearchStrategy[np.random.Generator]:
    """A generator from a seed: what is drawn entry by entry is nearly always constant."""
    return SEEDS.map(np.random.default_rng)


def columns_of(bins: Any, ordered: Any, gaps: Any = False, askable: Any = None) -> Columns:
    count = np.array(bins, np.int64)
    gaps = np.broadcast_to(np.array(gaps, np.bool_), count.shape).copy()
    return Columns(
        bins=count,
        gaps=gaps,
        askable=gaps if askable is None else np.array(askable, np.bool_),
        ordered=np.broadcast_to(np.array(ordered, np.int64), count.shape).copy(),
        cost=np.ones(len(count)),
        may_ask=np.full((8, len(count)), ANYTHING, np.uint8),
        apart=np.zeros((0, 0), np.bool_),
        start=np.concatenate([[0], np.cumsum(count + 1)]),
    )


def some_columns(rng: np.random.Generator) -> Columns:
    """One to four columns, of any order, with gaps or without; those with gaps may be asked for them, or not."""
    size = rng.integers(1, 5)
    gaps = rng.random(size) < 0.5
    return columns_of(rng.integers(1, 7, size), rng.integers(0, 3, size), gaps, gaps & (rng.random(size) < 0.7))


def some_rows(rng: np.random.Generator, columns: Columns, classes: int, size: int) -> Rows:
    """Rows of which a third is of several classes, with whole weights or with fractions."""
    codes = np.stack([rng.integers(0, b + g, size) for b, g in zip(columns.bins, columns.gaps, strict=True)], axis=1)
    mass = np.eye(classes)[rng.integers(classes, size=size)]
    mass[rng.random(size) < 0.3] += 1
    mass *= rng.integers(1, 4, (size, 1)) if rng.random() < 0.5 else rng.random((size, classes)) + 0.01
    return keep_rows_with_weight(codes.astype(np.uint8), mass)


def some_rules(rng: np.random.Generator, columns: Columns, classes: int, count: int) -> Rules:
    """Rules with none to four conditions, which hold in any set of bins."""
    rules = empty_rules(count)
    most = min(len(columns.bins), 4, LONGEST)
    for r in range(count):
        rules.owner[r], rules.length[r] = rng.integers(classes), rng.integers(0, most + 1)
        rules.column[r, :most] = rng.permutation(len(columns.bins))[:most]
        rules.allowed[r] = rng.random(rules.allowed[r].shape) < 0.7
        rules.size[r] = 1
    return rules


def limits(**other: Any) -> Limits:
    """Limits that limit nothing, at a small penalty."""
    usual: dict[str, Any] = {
        "penalty": 0.0,
        "conditions": 24,
        "rules": 50,
        "edges": 1e12,
        "categories": 16,
        "negation": True,
        "scoring": F1_MACRO,
        "sweeps": 3,
        "locked": 0,
        "fixed_priority": False,
        "fixed_default": False,
    }
    return Limits(**usual | other)


def rule_of(rules: Rules, r: int) -> Rule:
    """One of several rules, as kernels take it."""
    return Rule(int(rules.length[r]), rules.column[r], rules.allowed[r], rules.size[r])


def holds_plain(rows: Rows, column: Any, allowed: Any, length: int) -> np.ndarray:
    """On which rows all conditions of a rule hold."""
    parts = [allowed[k, rows.codes[:, column[k]]] > 0 for k in range(length)]
    return np.logical_and.reduce([np.ones(len(rows.codes), bool), *parts])


def answers_plain(rows: Rows, rules: Rules, used: int, order: Any, default: int) -> np.ndarray:
    """What a network answers on each row."""
    answers = np.full(len(rows.codes), default)
    for c in np.asarray(order)[::-1]:
        for r in range(used):
            if rules.owner[r] == c:
                answers[holds_plain(rows, rules.column[r], rules.allowed[r], rules.length[r])] = c
    return answers


def confusion_plain(rows: Rows, answers: np.ndarray) -> np.ndarray:
    classes = rows.mass.shape[1]
    return np.stack([rows.mass[answers == k].sum(axis=0) for k in range(classes)], axis=1)
