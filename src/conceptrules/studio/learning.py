"""Learning again around what people have locked: the networks of the front and of other seeds, to choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conceptrules.edit.changes import TakeRules, take_rules
from conceptrules.model.derived import Relation
from conceptrules.model.errors import InputError
from conceptrules.model.metrics import SCORE_NAMES, read_score
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import Column
from conceptrules.model.statistics import edges
from conceptrules.model.text import rule_count
from conceptrules.studio.session import Session

CLOSE = 0.01
"""Scores that differ by less are about the same."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A network that was learned again."""

    network: RuleNetwork
    score: float
    """Its score on held-out rows."""
    edges: int
    rules: int
    seed: int
    chosen: bool
    """Whether the learner would take it."""
    close: bool
    """Whether its score is about that of the best."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What was learned again, the smallest first, and by which score it was judged."""

    scoring: str
    found: tuple[Alternative, ...]

    @property
    def score_name(self) -> str:
        """What people call the score."""
        return SCORE_NAMES.get(self.scoring, "R2" if self.scoring == "squared_error" else self.scoring)

    def score_text(self, alternative: Alternative) -> str:
        """Return a score as people read it."""
        return f"{read_score(self.scoring, alternative.score):.4f}"


def learn_again(
    session: Session, effort: str, max_edges: int | None, seeds: int, tell: Callable[[str], None]
) -> Alternatives:
    """Learn again from the given rows around the locked rules, once with each of so many seeds."""
    rows, network = session.rows, session.network
    if rows.labels is None:
        raise InputError("the given rows do not say their classes, so that nothing can be learned from them")
    if len(network.levels) > 1:
        raise InputError("only networks of one level are learned again")
    labels: Any = np.array(rows.labels)
    found: list[Alternative] = []
    scoring = ""
    for seed in range(seeds):
        tell(f"Learning, {seed + 1} of {seeds} ...")
        estimator = _make_estimator(network, effort, max_edges, seed)
        estimator.refit(rows.frame, labels, around=network)
        scoring = str(estimator.get_params().get("scoring") or estimator.get_params().get("loss"))
        for point in estimator.frontier_:
            if not any(point.network == other.network for other in found):
                chosen = point.network is estimator.network_
                size = edges(point.network), rule_count(point.network)
                found.append(Alternative(point.network, float(point.score), *size, seed, chosen, False))
    best = max(each.score for each in found)
    judged = [replace(each, close=each.score >= best - CLOSE * max(1.0, abs(best))) for each in found]
    return Alternatives(
        SCORE_NAMES.get(scoring, scoring), tuple(sorted(judged, key=lambda each: (each.edges, each.seed)))
    )


def _make_estimator(network: RuleNetwork, effort: str, max_edges: int | None, seed: int) -> Any:
    """Return the learner of a network, told what it was told then, but for what people ask for now."""
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.regressor import ScorecardRegressor
    from conceptrules.scorecard import ScorecardClassifier

    kind: Any = ConceptRuleClassifier
    if network.head is not None:
        kind = ScorecardClassifier if network.classes else ScorecardRegressor
    known = kind().get_params()
    settings = dict(network.training.settings) if network.training else {}
    left_out = ("policy", "immutable", "kinds", "relations", "keep", "costs", "class_weight", "cutoff", "scratch")
    kept = {name: value for name, value in settings.items() if name in known and name not in left_out}
    compared = [column.derivation for column in network.columns if isinstance(column.derivation, Relation)]
    asked: dict[str, Any] = {
        "effort": effort,
        "max_edges": max_edges,
        "random_state": seed,
        "n_jobs": 1,
        "step": None if network.head is None else network.head.step,
        "policy": network.policy or Policy(),
        "kinds": dict(map(_kind_of, network.own_columns)),
        "relations": [(each.left, each.operator, each.right) for each in compared] or None,
    }
    return kind(**{**kept, **{name: value for name, value in asked.items() if name in known}})


def _kind_of(column: Column) -> tuple[str, Any]:
    """Return a column with its kind as a learner takes it: of an ordinal column, its categories in their order."""
    return column.name, list(column.categories) if column.kind == "ordinal" else column.kind


def take_alternative(session: Session, alternative: Alternative) -> TakeRules:
    """Return the edit that puts a network that was learned again in the place of the rules."""
    return take_rules(session.network, alternative.network, f"learned again, seed {alternative.seed}")
