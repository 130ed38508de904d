"""The settings of the search, checked on creation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.scoring import SCORES
from conceptrules.learn.search.ablation import ALL, Ablation
from conceptrules.learn.search.problem import EFFORTS, Problem
from conceptrules.learn.training_data import TrainingData
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Equals, OneOf, Predicate

LONGEST = 12
"""Literals of a rule, unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What `ConceptRuleClassifier` asks of the search."""

    effort: str = "default"
    scoring: str = "f1_macro"
    max_edges: int | None = None
    max_rules: int | None = None
    max_rule_length: int | None = None
    negation: bool | str = "auto"
    ablation: Ablation = ALL

    def __post_init__(self) -> None:
        for name, known in (("effort", EFFORTS), ("scoring", SCORES)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise InputError(f"{name} is {value!r}; use one of {', '.join(map(repr, known))}")
        for name in ("max_edges", "max_rules", "max_rule_length"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value < 1):
                raise InputError(f"{name} is {value!r}; it needs a whole number of at least 1, or None for no limit")
        if not isinstance(self.negation, bool) and self.negation != "auto":
            raise InputError(f"negation is {self.negation!r}; use True, False or 'auto'")

    def problem(self, data: TrainingData, seed: int) -> Problem:
        """Return what there is to learn from a table."""
        predicates = data.binarizer.predicates_
        return Problem(
            examples=data.rows,
            classes=len(data.classes),
            class_weight=data.weights_of_classes(data.rows),
            scoring=self.scoring,
            literals=allowed_literals(data.binarizer.columns_, predicates, self.negation),
            effort=EFFORTS[self.effort],
            seed=seed,
            most_edges=None if self.max_edges is None else int(self.max_edges),
            most_rules=None if self.max_rules is None else int(self.max_rules),
            longest=int(self.max_rule_length or LONGEST),
            ablation=self.ablation,
            columns=columns_of(predicates),
        )

    def kept_by(self, network: RuleNetwork) -> bool:
        """Return whether a network keeps the limits."""
        rules = [rule for level in network.levels for rule in level.rules]
        longest = max((len(rule.literals) for rule in rules), default=0)
        found = ((network.edges, self.max_edges), (len(rules), self.max_rules), (longest, self.max_rule_length))
        return all(limit is None or count <= limit for count, limit in found)


def allowed_literals(
    columns: Sequence[Column], predicates: Sequence[Predicate], negation: bool | str
) -> NDArray[np.bool_]:
    """Return which of the predicates, and then of their negations, rules may have.

    With "auto", only categories are negated, since thresholds come in pairs already.
    """
    kinds = {column.name: column.kind for column in columns}
    unordered = [
        isinstance(predicate, Equals | OneOf) and kinds[predicate.column] != "ordinal" for predicate in predicates
    ]
    negated = np.array(unordered, np.bool_) if negation == "auto" else np.full(len(predicates), bool(negation))
    return np.concatenate([np.ones(len(predicates), bool), negated])


def columns_of(predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """Return the number of each predicate's column."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.column for one in predicates))}
    return np.array([numbers[one.column] for one in predicates], np.int64)
