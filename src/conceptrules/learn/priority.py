"""Who wins when several classes fire, and who when none does, learned from training rows."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.examples import Bits, Examples, Targets, Weights


def learned(fired: Bits, examples: Examples, class_weight: Weights) -> tuple[tuple[int, ...], int]:
    """Classes by their precision, counted as if all were equally common; the commonest class of the silent rows.

    On noisy data the class nodes overlap on 30 to 60 % of the rows, so this choice matters more than most settings.
    """
    classes, target, weight = len(class_weight), examples.target, examples.weight
    share = np.bincount(target, weight, classes)
    cost = weight * (class_weight / np.where(share > 0, share, 1))[target]
    right = np.bincount(target, cost * fired[np.arange(len(target)), target], classes)
    covered = cost @ fired
    precision = np.divide(right, covered, out=np.zeros(classes), where=covered > 0)
    silent = ~fired.any(axis=1)
    silent = silent if silent.any() else ~silent
    default = np.bincount(target[silent], (weight * class_weight[target])[silent], classes).argmax()
    return tuple(np.argsort(-precision, kind="stable").tolist()), int(default)


def first(fired: Bits, examples: Examples, class_weight: Weights) -> tuple[tuple[int, ...], int]:
    """The paper's: the first class that fires; where none does, the first class."""
    return tuple(range(len(class_weight))), 0


WINNERS = {"learned": learned, "first": first}


def macro_f1(decided: Targets, examples: Examples, classes: int) -> float:
    """The mean of F1 over the classes that occur or were decided."""
    places = examples.target * classes + decided
    confusion = np.bincount(places, examples.weight, classes**2).reshape(classes, classes)
    both = confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * np.diag(confusion)[both > 0] / both[both > 0]))
