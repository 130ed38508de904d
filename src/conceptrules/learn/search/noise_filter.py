"""A second opinion on the class of each row: what boosted trees answer that have not seen it.

Where classes are partly chance, rules earn their penalty by chance. Trees that learned from other rows cannot know what
is chance in a row, so those on which they are of another opinion teach rules little, and are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.examples import Examples, Targets
from conceptrules.learn.scoring import SLOPES, Floats
from conceptrules.learn.search.problem import Problem

_PARTS = 5
"""Of the rows: what is said of one of them was learned from the others."""
_ROUNDS = 8
"""After these, answers hardly change any more."""
_ROWS = 5000
"""Different ones. With fewer, those that are left may be a small table, which is learned in another way (starts.py), so
that the two could not be compared."""
_CLASSES = 2
"""On rows held out of connect-4, which has three and no chance, networks were no better for it."""


def asked(problem: Problem) -> bool:
    """Whether there is a second opinion at all: on large tables of two classes, both in every part."""
    own = problem.weighted(problem.examples)
    large = len(own) >= _ROWS and problem.classes <= _CLASSES
    return (
        problem.effort.noise_filter and problem.ablation.noise_filter and large and _known(own.target, problem.classes)
    )


def agreed(problem: Problem, examples: Examples) -> Examples:
    """The rows whose class is what trees say, who learned from the others."""
    own = problem.weighted(examples)
    if not _known(own.target, problem.classes):
        return examples
    # Both classes are known, so that neither weighs nothing, and these are the same rows.
    kept = own.target == _decided(_shares(problem, own), own, problem)
    return examples.weighted(examples.weight * kept) if _known(own.target[kept], problem.classes) else examples


def _known(target: Targets, classes: int) -> bool:
    return bool(np.bincount(target, minlength=classes).min() >= _PARTS)


def _shares(problem: Problem, own: Examples) -> Floats:
    """How likely each class is, of each row, for trees that learned from the other parts, if these are enough."""
    # Takes long to import, and is not always needed.
    from sklearn.ensemble import HistGradientBoostingClassifier

    codes, part = _codes(own, problem.columns), _parts(own, problem.seed)
    shares = np.zeros((len(own), problem.classes))
    for k in range(_PARTS):
        seen = part != k
        if not _known(own.target[seen], problem.classes):
            shares[~seen] = np.eye(problem.classes)[own.target[~seen]]
            continue
        trees = HistGradientBoostingClassifier(early_stopping=False, random_state=problem.seed)
        trees.fit(codes[seen], own.target[seen], own.weight[seen])
        shares[~seen] = trees.predict_proba(codes[~seen])
    return shares


def _parts(own: Examples, seed: int) -> NDArray[np.int64]:
    """Of every class, each part has about as many rows as the others.

    Rows that differ in nothing but their class are in one part: trees that learned from one of them would say its class
    of the other.
    """
    shuffled = np.random.default_rng(seed).permutation(len(own))
    part = np.empty(len(own), np.int64)
    part[shuffled[np.argsort(own.target[shuffled], kind="stable")]] = np.arange(len(own)) % _PARTS
    _, first, same = np.unique(_patterns(own.packed), return_index=True, return_inverse=True)
    return part[first[same]]


def _codes(examples: Examples, columns: NDArray[np.int64] | None) -> Floats:
    """The columns of the table again: trees are quicker with a few numbers than with hundreds of bits.

    A number for each pattern of the bits of a column. Of thresholds, the patterns are in the order of the values.
    """
    columns = np.arange(examples.inputs) if columns is None else columns
    numbers = np.unique(columns)
    codes = np.empty((len(examples), len(numbers)))
    for place, number in enumerate(numbers):
        bits = np.flatnonzero(columns == number)
        packed = np.packbits(examples.packed[:, bits // 8] >> (7 - bits % 8).astype(np.uint8) & 1, axis=1)
        codes[:, place] = np.unique(_patterns(packed), return_inverse=True)[1]
    return codes


def _patterns(packed: NDArray[np.uint8]) -> NDArray[np.void]:
    """Each row as one value, in the order of its bytes."""
    return np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()


def _decided(shares: Floats, own: Examples, problem: Problem) -> Targets:
    """The answers that are best for the score if the shares are right: not always the likeliest class, where a rare one
    counts as much as a common one."""
    classes, answers = problem.classes, shares.argmax(axis=1)
    for _ in range(_ROUNDS):
        counts: Floats = np.bincount(own.target * classes + answers, own.weight, classes**2).astype(np.float64)
        answers = np.dot(shares, SLOPES[problem.scoring](counts.reshape(classes, classes))).argmax(axis=1)
    return answers.astype(np.int64)
