"""How good a network is: counted once, as a value; shown afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.values import label_text

if TYPE_CHECKING:
    from conceptrules.estimator import ConceptRuleClassifier


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Counts of rows: `matrix[i, j]` of the class `classes[i]` were answered with `classes[j]`."""

    classes: tuple[str, ...]
    matrix: np.ndarray
    edges: int

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.matrix) / self.matrix.sum())

    @property
    def macro_f1(self) -> float:
        """The mean over the classes that occur, in the data or in the answers."""
        rows_and_answers = self.matrix.sum(axis=0) + self.matrix.sum(axis=1)
        occurring = rows_and_answers > 0
        return float(np.mean(2 * np.diag(self.matrix)[occurring] / rows_and_answers[occurring]))


def evaluate(network: RuleNetwork, X: pa.Table, y: np.ndarray) -> Evaluation:
    """The network's answers on rows whose classes are known; classes that it never saw come last."""
    known = [label_text(label) for label in network.classes]
    return _compare(network, X, y, (*known, *sorted(set(map(label_text, y.tolist())) - set(known))))


def cross_validate(clf: ConceptRuleClassifier, X: pa.Table, y: np.ndarray, folds: int, seed: int) -> list[Evaluation]:
    """One evaluation a fold; folds are stratified and shuffled."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    labels, counts = np.unique(y, return_counts=True)
    if not 2 <= folds <= counts.max():
        raise InputError(f"--cv {folds} is out of range: from 2 to {counts.max()}, the rows of the commonest class")
    classes = tuple(map(label_text, labels.tolist()))
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    networks = ((clone(clf).fit(X.take(train), y[train]).network_, test) for train, test in splits)
    return [_compare(network, X.take(test), y[test], classes) for network, test in networks]


def _compare(network: RuleNetwork, X: pa.Table, y: np.ndarray, classes: tuple[str, ...]) -> Evaluation:
    """Labels are compared as text."""
    index = {label: number for number, label in enumerate(classes)}
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    truth, answers = ([index[label_text(label)] for label in labels.tolist()] for labels in (y, network.predict(X)))
    np.add.at(matrix, (truth, answers), 1)
    return Evaluation(classes, matrix, network.edges)
