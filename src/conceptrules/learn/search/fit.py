"""The default recipe from rows to networks: search, make each network as short as it can be said, count its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from conceptrules.kernels.compiling import announced
from conceptrules.learn.calibration import Trial, calibrated, judged, too_good, trial
from conceptrules.learn.examples import Examples
from conceptrules.learn.scoring import SCORES, macro_f1
from conceptrules.learn.search.ablation import ALL, Ideas
from conceptrules.learn.search.problem import EFFORTS, Problem
from conceptrules.learn.search.regularization_path import Found, Shape, Tried, search
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.simplification import simplify
from conceptrules.model.canonical import in_order
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import PackedBits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.pareto import pareto_front
from conceptrules.model.predicate import Column, Equals, OneOf, Predicate
from conceptrules.model.provenance import Validation
from conceptrules.model.statistics import with_statistics

LONGEST = 12
"""Literals of a rule, unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of the default recipe, checked on creation."""

    effort: str = "default"
    scoring: str = "macro-F1"
    max_edges: int | None = None
    max_rules: int | None = None
    max_rule_length: int | None = None
    negation: bool | str = "auto"
    ideas: Ideas = ALL

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

    def problem(self, rows: Examples, class_weight: NDArray[np.float64], blank: RuleNetwork, seed: int) -> Problem:
        """Of rows as bits of the predicates of a network without rules."""
        return Problem(
            examples=rows,
            classes=len(class_weight),
            class_weight=class_weight,
            scoring=self.scoring,
            literals=allowed_literals(blank.columns, blank.predicates, self.negation),
            effort=EFFORTS[self.effort],
            seed=seed,
            most_edges=None if self.max_edges is None else int(self.max_edges),
            most_rules=None if self.max_rules is None else int(self.max_rules),
            longest=int(self.max_rule_length or LONGEST),
            ideas=self.ideas,
            columns=columns_of(blank.predicates),
        )

    def kept_by(self, network: RuleNetwork) -> bool:
        """Whether a network keeps the limits."""
        rules = [rule for level in network.levels for rule in level.rules]
        longest = max((len(rule.literals) for rule in rules), default=0)
        found = ((network.edges, self.max_edges), (len(rules), self.max_rules), (longest, self.max_rule_length))
        return all(limit is None or count <= limit for count, limit in found)


def allowed_literals(
    columns: Sequence[Column], predicates: Sequence[Predicate], negation: bool | str
) -> NDArray[np.bool_]:
    """The predicates, then their negations. "auto": of categories only, since thresholds come in pairs already."""
    kinds = {column.name: column.kind for column in columns}
    unordered = [
        isinstance(predicate, Equals | OneOf) and kinds[predicate.column] != "ordinal" for predicate in predicates
    ]
    negated = np.array(unordered, np.bool_) if negation == "auto" else np.full(len(predicates), bool(negation))
    return np.concatenate([np.ones(len(predicates), bool), negated])


def columns_of(predicates: Sequence[Predicate]) -> NDArray[np.int64]:
    """The number of each predicate's column."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.column for one in predicates))}
    return np.array([numbers[one.column] for one in predicates], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Polish:
    """One fit: what there is to learn, and the rows that choose among the networks."""

    options: Options
    problem: Problem
    held: Sequence[tuple[Examples, Examples]]
    blank: RuleNetwork
    """The predicates and classes, without rules."""
    seen: PackedBits
    """Rows that may decide what is left out of the rules."""
    rows: Callable[[RuleNetwork], Examples]
    """All rows, as bits of the predicates of a network."""


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """A network of the frontier."""

    tried: Tried
    extracted: RuleNetwork
    """As the search found it."""
    network: RuleNetwork
    """With calibrated statistics of all rows."""
    rows: Examples
    """All rows, as bits of its predicates."""
    trials: Sequence[Trial]

    @property
    def edges(self) -> int:
        return self.network.edges

    @property
    def score(self) -> float:
        return self.tried.score


@dataclass(frozen=True, slots=True, eq=False)
class Polished:
    """What came out of a fit: the frontier, from the smallest network on, and which of them was chosen."""

    networks: Sequence[Finished]
    chosen: int
    history: Sequence[Tried]
    interrupted: bool


def polish(task: Polish, threads: int, watch: Callable[[Tried], None]) -> Polished:
    """What comes out does not depend on the number of threads."""
    # One thread too is one of its own: Ctrl-C inside of compiled code is a SystemError, where it should end the search.
    with ThreadPoolExecutor(threads) as pool, announced(), threadpool_limits(threads, "openmp"):
        found = search(task.problem, task.held, pool, watch)
    finished = [_finished(task, found, number) for number in range(len(found.drafts))]
    best = pareto_front(finished)
    wanted = finished[found.chosen].score
    chosen = next(number for number, one in enumerate(best) if one.score >= wanted)
    return Polished(best, chosen, found.history, found.interrupted)


def _finished(task: Polish, found: Found, number: int) -> Finished:
    tried, draft = found.drafts[number]
    extracted = _network(task.blank, Shape.of(draft))
    network = in_order(_shortest(extracted, task))
    rows = task.rows(network)
    counted = with_statistics(network, rows.words, rows.target, rows.weight)
    trials = [
        trial(_network(task.blank, shape), training, held)
        for shape, (training, held) in zip(found.held[number], task.held, strict=True)
    ]
    return Finished(tried, extracted, calibrated(counted, too_good(trials)), rows, trials)


def _shortest(network: RuleNetwork, task: Polish) -> RuleNetwork:
    """Fewer edges can be more rules or longer ones: what is not within the limits is not taken."""
    simple = simplify(network, task.seen)
    if not task.options.ideas.minimise:
        return simple
    smaller = minimise(simple)
    return smaller if task.options.kept_by(smaller) else simple


def _network(blank: RuleNetwork, shape: Shape) -> RuleNetwork:
    names = blank.classes
    return replace(
        blank,
        levels=shape.levels,
        priority=tuple(names[c] for c in shape.order),
        default=names[shape.default],
    )


def held_out(one: Finished, source: str) -> Validation:
    """What held-out rows say of the networks that were learned at the same price without them."""
    held = np.sum([each.held for each in one.trials], axis=0)
    fires = np.zeros(3)
    for each in one.trials:
        fires += np.bincount(np.minimum(each.fired.sum(axis=1), 2), each.weight, minlength=3)
    shares = fires / fires.sum()
    return Validation(
        source=source,
        rows=float(held.sum() / len(one.trials)),
        mllp_f1=None,
        crs_f1=macro_f1(held.T),
        disagreement=None,
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=judged(one.trials),
    )


def settings_of(parameters: Mapping[str, Any], ideas: Ideas = ALL) -> Options:
    names = ("effort", "scoring", "max_edges", "max_rules", "max_rule_length", "negation")
    return Options(**{name: parameters[name] for name in names}, ideas=ideas)
