"""The priority of a network: which class wins when several fire, and which is the default when none does."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.examples import Bits, Examples, Weights

Priority = tuple[tuple[int, ...], int]
"""The numbers of the classes, the first winner first, and the number of the default."""


def by_precision(fired: Bits, examples: Examples, class_weight: Weights) -> Priority:
    """Return the classes by their precision, and the commonest class of the rows on which none fires as the default.

    Precision is counted as if all classes were equally common. On noisy data the class nodes overlap on 30 to 60 % of
    the rows, so this choice matters more than most settings.
    """
    classes, target, weight = len(class_weight), examples.target, examples.weight
    share = np.bincount(target, weight, classes)
    # The smallest weights would overflow; they are too few to count beside any other.
    cost = weight * (class_weight / np.where(share > 0, np.maximum(share, 1e-290), 1))[target]
    right = np.bincount(target, cost * fired[np.arange(len(target)), target], classes)
    covered = cost @ fired
    precision = np.divide(right, covered, out=np.zeros(classes), where=covered > 0)
    silent = ~fired.any(axis=1)
    silent = silent if silent.any() else ~silent
    default = np.bincount(target[silent], (weight * class_weight[target])[silent], classes).argmax()
    return tuple(np.argsort(-precision, kind="stable").tolist()), int(default)


def by_position(fired: Bits, examples: Examples, class_weight: Weights) -> Priority:
    """Return the paper's priority: the first class that fires; where none does, the first class."""
    return tuple(range(len(class_weight))), 0


PRIORITIES = {"learned": by_precision, "first": by_position}
"""What `MLLPClassifier(priority=...)` can be."""
