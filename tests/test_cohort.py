"""Many fits at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

from conceptrules import ConceptRuleClassifier, InputError, datasets, fit_cohort

QUICK = {"recipe": "paper", "layers": (4,), "binarization_rate": 0.5, "max_epochs": 10, "random_state": 0}


def test_each_member_is_what_fitting_it_alone_gives() -> None:
    wine = datasets.load("wine")
    tries = [QUICK, {**QUICK, "layers": (3, 3, 3), "random_state": 1, "max_categories": 9}]
    members = fit_cohort(wine.X, wine.y, folds=KFold(2), settings=tries, n_jobs=2)
    assert [(member.fold, member.settings) for member in members] == [(f, one) for f in (0, 1) for one in tries]
    for member in members:
        assert sorted([*member.train, *member.test]) == list(range(len(wine.y)))
        alone = ConceptRuleClassifier(**member.settings).fit(wine.X.take(member.train), wine.y[member.train])
        assert member.classifier.network_ == alone.network_
        assert member.classifier.history_ == alone.history_
        assert member.classifier.get_params() == alone.get_params()


def test_without_folds_all_rows_are_for_training() -> None:
    wine = datasets.load("wine")
    (member,) = fit_cohort(wine.X, wine.y, settings=[QUICK])
    assert (len(member.train), len(member.test)) == (len(wine.y), 0)


def test_pairs_of_rows_are_folds_too() -> None:
    wine = datasets.load("wine")
    pair = (np.arange(0, 178, 2), np.arange(1, 178, 2))
    (member,) = fit_cohort(wine.X, wine.y, folds=[pair], settings=[QUICK])
    assert member.test.tolist() == pair[1].tolist()


def test_settings_of_its_own_for_each_fold() -> None:
    wine = datasets.load("wine")
    own = [[QUICK], [{**QUICK, "layers": (3,)}, {**QUICK, "layers": (5,)}]]
    members = fit_cohort(wine.X, wine.y, folds=KFold(2), settings=own)
    assert [(member.fold, member.settings["layers"]) for member in members] == [(0, (4,)), (1, (3,)), (1, (5,))]
    assert [member.classifier.layers for member in members] == [(4,), (3,), (5,)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"folds": 2, "settings": [[QUICK]]}, "a list for each of 1 folds, but there are 2 folds"),
        ({"folds": 2, "settings": [[QUICK], [{"width": 3}]]}, r"settings\[1\]\[0\] has 'width'"),
        ({"settings": [QUICK, {"width": 3}]}, r"settings\[1\] has 'width', which is no parameter"),
        ({"settings": [{"device": "cpu"}]}, r"settings\[0\] has 'device', which is one for all"),
        ({"settings": [{**QUICK, "layers": (2, 2)}]}, "odd number"),
        ({"folds": 1}, "folds is 1"),
        ({"folds": 1000}, "folds is 1000"),
        ({"device": "tpu"}, "device is 'tpu'; use 'auto', 'cpu'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    wine = datasets.load("wine")
    with pytest.raises(InputError, match=message):
        fit_cohort(wine.X, wine.y, **arguments)


def test_as_many_labels_as_rows() -> None:
    with pytest.raises(InputError, match="y has 3 labels for the 2 rows of X"):
        fit_cohort([[1], [2]], ["a", "b", "a"])
