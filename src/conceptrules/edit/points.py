"""Points as people give them, and the probabilities of scores, fitted to rows whose classes are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from conceptrules.model.card import amount_text, output_names
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.values import label_text
from conceptrules.tables.prediction import find_scores
from conceptrules.tables.table import list_labels

Amounts = int | float | Sequence[float]


def amounts_text(points: Amounts) -> str:
    """Return points as an edit says them."""
    return ", ".join(f"{each:+,}" for each in (points if isinstance(points, tuple | list) else [points]))


def read_points(network: RuleNetwork, points: Amounts | None) -> tuple[int, ...]:
    """Return whole points for each output, from points, or from an amount of the number that is predicted."""
    head = network.head
    if head is None:
        raise InputError("only rules of a scorecard have points; this network decides by rules")
    if points is None:
        raise InputError("how many points does the rule have? Give points")
    amounts = tuple(points) if isinstance(points, tuple | list) else (points,)
    if len(amounts) != head.outputs:
        raise InputError(
            f"points are {points!r}; give {head.outputs}, one for each of {', '.join(output_names(network))}"
        )
    if any(isinstance(each, bool) or not isinstance(each, int | float) or not math.isfinite(each) for each in amounts):
        raise InputError(f"points are {points!r}; give numbers")
    if head.link == "log":
        if amounts[0] <= 0:
            raise InputError(
                f"a factor of {amounts[0]} is not positive; rules of this card multiply, and 1 changes nothing"
            )
        return (round(math.log(amounts[0]) / (head.step or 1)),)
    steps = [each / (head.step or 1) for each in amounts]
    for each, count in zip(amounts, steps, strict=True):
        if not math.isclose(count, round(count), rel_tol=1e-9, abs_tol=1e-9):
            unit = "whole numbers" if head.step is None else f"multiples of the step {head.step}"
            near = (
                amount_text(math.floor(count), head.step, head.link),
                amount_text(math.ceil(count), head.step, head.link),
            )
            raise InputError(f"points are {unit}, and {each} is not one; take {near[0]} or {near[1]}")
    return tuple(map(round, steps))


def fit_probabilities(network: RuleNetwork, data: Any, labels: list[Any] | None) -> tuple[tuple[int, float], ...]:
    """Return the probability of the second class at each score that rows have, by a logistic curve (Platt's)."""
    head = network.head
    if head is None or not head.probabilities:
        raise InputError("only the probabilities of a scorecard of two classes are fitted anew; leave recalibrate out")
    if data is None or labels is None:
        raise InputError("recalibrate needs rows whose classes are known: give data and labels")
    scores = find_scores(network, data)[:, 0]
    texts, names = list(map(label_text, list_labels(labels, len(scores)))), list(map(label_text, network.classes))
    counts = [texts.count(name) for name in names]
    if min(counts) == 0 or len(set(scores.tolist())) == 1:
        raise InputError(f"recalibrate needs rows of {' and of '.join(names)}, with different scores; give others")
    known = np.array([text in names for text in texts])
    second = np.array([text == names[1] for text in texts])[known]
    spread = float(scores[known].std()) or 1.0
    margin, curve = (scores[known] - scores[known].mean()) / spread, np.zeros(2)
    target = np.where(second, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2))
    design = np.stack([margin, np.ones_like(margin)])
    for _ in range(50):
        shares = 1 / (1 + np.exp(-np.clip(curve @ design, -30, 30)))
        step = np.linalg.solve((design * (shares * (1 - shares) + 1e-9)) @ design.T, design @ (target - shares))
        curve += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    if curve[0] <= 0:
        raise InputError("on these rows the class is less frequent where the score is larger; change the points")
    listed = np.unique([*scores.tolist(), *head.bounds[0]])
    fitted = 1 / (1 + np.exp(-np.clip(curve[0] * (listed - scores[known].mean()) / spread + curve[1], -700, 700)))
    return tuple(zip(listed.tolist(), fitted.tolist(), strict=True))
