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
RowNumbers = NDArray[np.intp]
Settings = Mapping[str, Any]
# Parameters that the whole cohort shares.
_SHARED = ("device", "n_jobs", "verbose")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One member of a cohort."""

    fold: int
    settings: Settings
    train: RowNumbers
    """The numbers of the rows that it was fitted on."""
    test: RowNumbers
    """The numbers of the rows held out."""
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
        A number of folds, a splitter of scikit-learn, or pairs of the numbers of training and test rows. None: all rows
        are for training.
    settings : sequence of dict, or of sequences of dict, default=({},)
        Parameters of the estimator, one dictionary for each member. Several binarization rates in one of them are still
        one member, whose validation rows choose among them. Where each fold has settings of its own (chosen from its
        own rows, say), give a list of such lists, one for each fold.

    Returns
    -------
    list of Fitted
        One for each member, fold by fold, with its `fold`, `settings`, `train` and `test` rows and fitted `classifier`.
        Each classifier is the one that fitting it alone gives, on a CPU to the bit.

    Raises
    ------
    InputError
        If the settings are not a list of dictionaries, or name a parameter that the estimator does not have; or if the
        folds, the table or the classes do not fit.

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
    table = open_table(X)
    parts, labels = _split_rows(folds, y, table.rows), np.asarray(y)
    members, tables = [], []
    for fold, settings_of_fold in enumerate(_settings_by_fold(settings, base, len(parts))):
        train, test = parts[fold]
        rows = table.take(train), labels[train]
        for own in settings_of_fold:
            members.append(Fitted(fold, own, train, test, clone(base).set_params(**own)))
            tables.append(rows)
    if isinstance(base, MLLPClassifier):
        fit_together([member.classifier for member in members], tables)
    else:
        for member, (part, answers) in zip(members, tables, strict=True):
            member.classifier.fit(part, answers)
    return members


def _settings_by_fold(settings: Any, base: Classifier, folds: int) -> list[list[Settings]]:
    """Return a list of checked settings for each fold."""
    if not _is_list_like(settings):
        raise InputError(
            f"settings is {settings!r}; give a list with a dictionary of parameters for each member, such as "
            "[{'random_state': 0}, {'random_state': 1}]"
        )
    entries = list(settings)
    if not any(map(_is_list_like, entries)):
        return [_check_settings(entries, base, "settings")] * folds
    if len(entries) != folds:
        raise InputError(f"settings has a list for each of {len(entries)} folds, but there are {folds} folds")
    return [_check_settings(entry, base, f"settings[{fold}]") for fold, entry in enumerate(entries)]


def _is_list_like(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, Mapping | str)


def _check_settings(entries: Any, base: Classifier, name: str) -> list[Settings]:
    if not _is_list_like(entries):
        raise InputError(f"{name} is {entries!r}, but other folds have lists; give a list for each fold, or for none")
    checked, parameters = list(entries), base.get_params()
    for number, settings in enumerate(checked):
        where = f"{name}[{number}]"
        if not isinstance(settings, Mapping):
            raise InputError(f"{where} is {settings!r}; it needs a dictionary of parameters: {{'random_state': 0}}")
        for parameter in settings:
            if parameter not in parameters:
                raise InputError(f"{where} has {parameter!r}, which is not a parameter of {type(base).__name__}")
            if parameter in _SHARED:
                raise InputError(f"{where} has {parameter!r}, which all members share; give it to the estimator")
        clone(base).set_params(**settings).check_parameters()
    return [dict(settings) for settings in checked]


def _split_rows(folds: Any, y: Any, rows: int) -> Sequence[tuple[RowNumbers, RowNumbers]]:
    labels, _ = check_labels(y)
    if len(labels) != rows:
        raise InputError(f"y has {len(labels)} labels for the {rows} rows of X")
    if folds is None:
        return [(np.arange(rows), np.arange(0))]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "The least populated class"
            )  # each fit warns of it, by class, where it matters
            return list(check_cv(folds, labels, classifier=True).split(np.zeros(rows), labels))
    except ValueError as error:
        raise InputError(f"folds is {folds!r}: {error}") from None
