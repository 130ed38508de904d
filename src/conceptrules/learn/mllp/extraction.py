"""From trained weights to the network that is kept: its edges, its priority, and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrules.explain.measurement import compute_reliability
from conceptrules.explain.stability import stability
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats
from conceptrules.learn.mllp.examples import Bits, Examples, Weights
from conceptrules.learn.mllp.training_data import TrainingData
from conceptrules.learn.provenance import describe_training
from conceptrules.logic.canonical import sort_nodes
from conceptrules.logic.simplification import simplify
from conceptrules.model.evaluation import class_words, unpack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.pareto import Choice
from conceptrules.model.provenance import Validation
from conceptrules.model.statistics import count_cells, list_cells, with_statistics
from conceptrules.tables.hashes import sketch

if TYPE_CHECKING:
    from conceptrules.learn.mllp.train import FitPlan, FitResult, TrainingSnapshot

Priority = tuple[tuple[int, ...], int]
"""The numbers of the classes, the first winner first, and the number of the default."""


def extract_levels(sizes: tuple[int, ...], weights: Floats, predicates: int) -> tuple[Level, ...]:
    """Return the levels of one network: an edge wherever a weight is above 0.5.

    Inputs past the predicates are their negations, in the same order.
    """
    layers: list[Flags] = [layer[0] for layer in Cohort.layers(sizes, weights[None] > 0.5)]
    return tuple(
        Level(
            tuple(_extract_rule(edges, predicates if depth == 0 else len(edges)) for edges in rules),
            tuple(Concept(tuple(np.flatnonzero(edges).tolist())) for edges in concepts),
        )
        for depth, (rules, concepts) in enumerate(zip(layers[::2], layers[1::2], strict=True))
    )


def _extract_rule(edges: Flags, below: int) -> Rule:
    literals = [Literal(index) for index in np.flatnonzero(edges[:below]).tolist()]
    negated = [Literal(index, negated=True) for index in np.flatnonzero(edges[below:]).tolist()]
    return Rule((*literals, *negated))


def rank_by_precision(fired: Bits, examples: Examples, class_weight: Weights) -> Priority:
    """Rank the classes by their precision; the default is the commonest class of the rows on which none fires.

    Precision is counted as if all classes were equally common. On noisy data the class nodes overlap on 30 to 60 % of
    the rows, so this choice matters more than most settings.
    """
    classes, target, weight = len(class_weight), examples.target, examples.weight
    share = np.bincount(target, weight, classes)
    # The smallest weights would overflow; they are too small to count beside any other.
    cost = weight * (class_weight / np.where(share > 0, np.maximum(share, 1e-290), 1))[target]
    correct = np.bincount(target, cost * fired[np.arange(len(target)), target], classes)
    covered = cost @ fired
    precision = np.divide(correct, covered, out=np.zeros(classes), where=covered > 0)
    silent = ~fired.any(axis=1)
    silent = silent if silent.any() else ~silent
    default = np.bincount(target[silent], (weight * class_weight[target])[silent], classes).argmax()
    return tuple(np.argsort(-precision, kind="stable").tolist()), int(default)


def rank_by_position(fired: Bits, examples: Examples, class_weight: Weights) -> Priority:
    """Return the paper's priority: the first class that fires wins, and the first class is the default."""
    return tuple(range(len(class_weight))), 0


PRIORITIES = {"learned": rank_by_precision, "first": rank_by_position}
"""The values of `MLLPClassifier(priority=...)`."""


def extract_network(snapshot: TrainingSnapshot, data: TrainingData) -> RuleNetwork:
    """Return the network that the weights of a snapshot stand for."""
    blank = data.blank()
    return replace(
        blank,
        levels=extract_levels(snapshot.sizes, snapshot.weights, len(blank.predicates)),
        priority=tuple(blank.classes[c] for c in snapshot.priority),
        default=blank.classes[snapshot.default],
    )


def finish(plan: FitPlan, result: FitResult, parameters: Mapping[str, Any]) -> Choice:
    """Extract the best network, simplify it, and add the statistics of all rows and how it came about.

    A network that was refitted to all rows is judged by the one before it, which had not seen the validation rows.
    """
    data, rows, judged = plan.data, plan.data.rows, result.judged.score
    extracted = extract_network(result.best, data)
    simplified = sort_nodes(simplify(extracted, plan.holdout.seen.to_packed_bits()))
    bits = rows.to_packed_bits()
    network = with_statistics(simplified, bits, rows.target, rows.weight)
    assert network.statistics is not None
    cells = list_cells(count_cells(network, bits, {}, rows.weight))
    network = replace(network, statistics=replace(network.statistics, cells=cells))
    tested = network if result.judged is result.best else extract_network(result.judged, data)
    score, dropped = result.best.score, data.binarizer.categories_dropped_
    training = describe_training(parameters, len(data.hashes), dropped, rate=score.rate, epoch=score.epoch)
    described = replace(
        training,
        validation=_validate(tested, plan, result),
        stability=stability(network, bits, rows.target, rows.weight),
        fingerprint=sketch(data.hashes),
        distinct=len(np.unique(data.hashes)),
    )
    return Choice(network.edges, judged.crs_f1, replace(network, training=described), extracted)


def _validate(network: RuleNetwork, plan: FitPlan, result: FitResult) -> Validation:
    """Judge a network by the validation rows; its probabilities are those of the rows that it was trained on."""
    training, validation, score = plan.job.training, plan.job.validation, result.judged.score
    fired = unpack(class_words(network.levels, validation.to_packed_bits()))
    classes_firing = np.minimum(fired.sum(axis=1), 2)
    shares = np.bincount(classes_firing, validation.weight, minlength=3) / validation.weight.sum()
    counted = with_statistics(network, training.to_packed_bits(), training.target, training.weight)
    return Validation(
        source=plan.holdout.source,
        rows=float(validation.weight.sum()),
        mllp_f1=score.mllp_f1,
        macro_f1=score.crs_f1,
        disagreement=score.disagreement,
        fires=(float(shares[0]), float(shares[1]), float(shares[2])),
        reliability=compute_reliability(counted, fired, validation.target, validation.weight),
    )
