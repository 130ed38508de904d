"""Many fits at once: folds, rates, seeds, widths side by side, which is what a GPU is worth having for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from conceptrules.estimator import ConceptRuleClassifier
from conceptrules.lessons import Lesson, learn
from conceptrules.model.errors import InputError
from conceptrules.tables.labels import check_labels
from conceptrules.tables.table import open_table

Places = NDArray[np.intp]
Tries = tuple[list[dict[str, Any]], list[ConceptRuleClassifier]]
OF_THE_COHORT = ("device", "n_jobs", "verbose")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One member of a cohort."""

    fold: int
    settings: Mapping[str, Any]
    train: Places
    """The rows it was fitted on, by their place in the table."""
    test: Places
    """The rows held out."""
    classifier: ConceptRuleClassifier


def fit_cohort(
    X: Any,
    y: Any,
    *,
    folds: Any = None,
    settings: Iterable[Mapping[str, Any]] | Sequence[Sequence[Mapping[str, Any]]] = ({},),
    device: str = "auto",
    n_jobs: int | None = None,
    verbose: bool = False,
) -> list[Fitted]:
    """Fits a ConceptRuleClassifier for each fold and each of its settings: those of recipe="paper" all at once.

    Parameters
    ----------
    folds : a number of folds, a splitter of scikit-learn, or pairs of training and test rows (their places). None: all
        rows are for training.
    settings : parameters of ConceptRuleClassifier, one dictionary for each member. Several binarization rates in one
        of them are still one member, whose validation rows choose among them. Where each fold has settings of its own
        (chosen from its own rows, say): a list of such lists, one for each fold.
    device, n_jobs, verbose : as there, for the whole cohort.

    Returns
    -------
    One `Fitted` for each member, fold by fold. Each classifier is the one that fitting it alone gives, on a CPU to the
    bit.

    Examples
    --------
    >>> from conceptrules import datasets, fit_cohort
    >>> wine = datasets.load("wine")
    >>> tries = [{"max_edges": edges, "effort": "fast", "random_state": 0} for edges in (8, 20)]
    >>> [(member.fold, member.settings["max_edges"]) for member in fit_cohort(wine.X, wine.y, folds=2, settings=tries)]
    [(0, 8), (0, 20), (1, 8), (1, 20)]
    """
    table, given = open_table(X), list[Any](settings)
    ConceptRuleClassifier(recipe="paper", device=device, n_jobs=n_jobs)._check()
    own = bool(given) and not isinstance(given[0], Mapping)
    lists = [(one, f"settings[{fold}]") for fold, one in enumerate(given)] if own else [(given, "settings")]
    planned = [_tries(one, device, name) for one, name in lists]
    parts = _folds(folds, y, table.rows)
    if own and len(planned) != len(parts):
        raise InputError(f"settings has a list for each of {len(planned)} folds, but there are {len(parts)} folds")
    members, lessons = [], []
    for fold, (train, test) in enumerate(parts):
        tries, classifiers = planned[fold if own else 0]
        rows, labels = table.take(train), np.asarray(y)[train]
        for one, lesson in zip(tries, _lessons(classifiers, rows, labels), strict=True):
            lessons.append(lesson)
            members.append(Fitted(fold, one, train, test, lesson.classifier))
    if lessons:
        learn(lessons, device, n_jobs, verbose)
    return members


def _tries(settings: Iterable[Mapping[str, Any]], device: str, name: str) -> Tries:
    tries = [dict(one) for one in settings]
    return tries, [_classifier(one, device, f"{name}[{number}]") for number, one in enumerate(tries)]


def _classifier(settings: Mapping[str, Any], device: str, place: str) -> ConceptRuleClassifier:
    known = ConceptRuleClassifier().get_params()
    for name in settings:
        if name in OF_THE_COHORT:
            raise InputError(f"{place} has {name!r}, which is one for all; give it to fit_cohort itself")
        if name not in known:
            raise InputError(f"{place} has {name!r}, which is no parameter of ConceptRuleClassifier")
    ConceptRuleClassifier(**settings, device=device)._check()
    return ConceptRuleClassifier(**settings)


def _folds(folds: Any, y: Any, rows: int) -> Sequence[tuple[Places, Places]]:
    labels, _ = check_labels(y)
    if len(labels) != rows:
        raise InputError(f"y has {len(labels)} labels for the {rows} rows of X")
    if folds is None:
        return [(np.arange(rows), np.arange(0))]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")  # told again, by class, where it matters
            return list(check_cv(folds, labels, classifier=True).split(np.zeros(rows), labels))
    except ValueError as error:
        raise InputError(f"folds is {folds!r}: {error}") from None


def _lessons(classifiers: Sequence[ConceptRuleClassifier], rows: Any, labels: Any) -> list[Lesson]:
    """The table is read once for all that read it alike."""
    read: dict[str, Any] = {}
    lessons = []
    for classifier in classifiers:
        own = ConceptRuleClassifier(**classifier.get_params())
        key = repr(own._binarizer().get_params())
        if key not in read:
            read[key] = own._read(rows, labels)
        lessons.append(own._lesson(read[key]))
    return lessons
