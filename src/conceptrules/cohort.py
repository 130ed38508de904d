"""Many fits at once: folds, rates, seeds, widths side by side, which is what a GPU is worth having for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv

from conceptrules.classifier import ConceptRuleClassifier
from conceptrules.mllp import MLLPClassifier, fit_together
from conceptrules.model.errors import InputError
from conceptrules.tables.labels import check_labels
from conceptrules.tables.table import open_table

Classifier = ConceptRuleClassifier | MLLPClassifier
Places = NDArray[np.intp]
Settings = Mapping[str, Any]
OF_THE_COHORT = ("device", "n_jobs", "verbose")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One member of a cohort."""

    fold: int
    settings: Settings
    train: Places
    """The rows it was fitted on, by their place in the table."""
    test: Places
    """The rows held out, by their place in the table."""
    classifier: Classifier


def fit_cohort(
    X: Any,
    y: Any,
    *,
    estimator: Classifier | None = None,
    folds: Any = None,
    settings: Sequence[Settings] | Sequence[Sequence[Settings]] = ({},),
) -> list[Fitted]:
    """Fit an estimator for each fold and each of several settings. Members of `MLLPClassifier` train all at once.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A table of pandas, polars or pyarrow, a 2-D array, or rows as lists or dictionaries.
    y : array-like of shape (n_samples,)
        The class of each row.
    estimator : ConceptRuleClassifier or MLLPClassifier, default=None
        The estimator to fit, whose parameters the settings override; its `device`, `n_jobs` and `verbose` are those of
        the whole cohort. None: `ConceptRuleClassifier()`.
    folds : int, splitter or sequence of pairs, default=None
        A number of folds, a splitter of scikit-learn, or pairs of training and test rows (their places). None: all rows
        are for training.
    settings : sequence of dict, or of sequences of dict, default=({},)
        Parameters of the estimator, one dictionary for each member. Several binarization rates in one of them are still
        one member, whose validation rows choose among them. Where each fold has settings of its own (chosen from its
        own rows, say): a list of such lists, one for each fold.

    Returns
    -------
    list of Fitted
        One for each member, fold by fold, with its `fold`, `settings`, `train` and `test` rows and fitted `classifier`.
        Each classifier is the one that fitting it alone gives, on a CPU to the bit.

    Raises
    ------
    InputError
        If the settings are no list of dictionaries, or name what the estimator has not; or if the folds, the table or
        the classes do not fit.

    Examples
    --------
    >>> from conceptrules import ConceptRuleClassifier, datasets, fit_cohort
    >>> wine = datasets.load("wine")
    >>> fast = ConceptRuleClassifier(effort="fast", random_state=0)
    >>> tries = [{"max_edges": edges} for edges in (8, 20)]
    >>> members = fit_cohort(wine.X, wine.y, estimator=fast, folds=2, settings=tries)
    >>> [(member.fold, member.settings["max_edges"]) for member in members]
    [(0, 8), (0, 20), (1, 8), (1, 20)]
    """
    base = ConceptRuleClassifier() if estimator is None else estimator
    if not isinstance(base, Classifier):
        raise InputError(
            f"estimator is {base!r}; give a ConceptRuleClassifier or an MLLPClassifier, such as "
            "MLLPClassifier(layers=(64,))"
        )
    base.check_parameters()
    table, tries = open_table(X), _listed(settings, base)
    parts, labels = _folds(folds, y, table.rows), np.asarray(y)
    if tries and isinstance(tries[0], list) and len(tries) != len(parts):
        raise InputError(f"settings has a list for each of {len(tries)} folds, but there are {len(parts)} folds")
    members, tables = [], []
    for fold, (train, test) in enumerate(parts):
        rows = table.take(train), labels[train]
        for one in tries[fold] if tries and isinstance(tries[0], list) else tries:
            members.append(Fitted(fold, one, train, test, clone(base).set_params(**one)))
            tables.append(rows)
    if isinstance(base, MLLPClassifier):
        fit_together([member.classifier for member in members], tables)
    else:
        for member, (part, answers) in zip(members, tables, strict=True):
            member.classifier.fit(part, answers)
    return members


def _listed(settings: Any, base: Classifier) -> list[Any]:
    """Return the settings as a list of dictionaries, or of lists of dictionaries, each of them checked."""
    if isinstance(settings, Mapping | str) or not isinstance(settings, Iterable):
        raise InputError(
            f"settings is {settings!r}; give a list with a dictionary of parameters for each member, such as "
            "[{'random_state': 0}, {'random_state': 1}]"
        )
    found = [one if isinstance(one, Mapping | str) or not isinstance(one, Iterable) else list(one) for one in settings]
    if any(isinstance(one, list) for one in found):
        return [_members(one, base, f"settings[{fold}]") for fold, one in enumerate(found)]
    return _members(found, base, "settings")


def _members(settings: Any, base: Classifier, place: str) -> list[dict[str, Any]]:
    if not isinstance(settings, list):
        raise InputError(f"{place} is {settings!r}, but other folds have lists; give a list for each fold, or for none")
    for number, one in enumerate(settings):
        _check(one, base, f"{place}[{number}]")
    return [dict(one) for one in settings]


def _check(settings: Any, base: Classifier, place: str) -> None:
    if not isinstance(settings, Mapping):
        raise InputError(f"{place} is {settings!r}; it needs a dictionary of parameters, such as {{'random_state': 0}}")
    for name in settings:
        if name in OF_THE_COHORT and name in base.get_params():
            raise InputError(f"{place} has {name!r}, which is one for all; give it to the estimator")
        if name not in base.get_params():
            raise InputError(f"{place} has {name!r}, which is no parameter of {type(base).__name__}")
    clone(base).set_params(**settings).check_parameters()


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
