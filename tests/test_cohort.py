"""Many fits at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

from conceptrules import ConceptRuleClassifier, InputError, MLLPClassifier, datasets, fit_cohort

QUICK = {"layers": (4,), "binarization_rate": 0.5, "max_epochs": 10, "random_state": 0}


def test_each_member_is_what_fitting_it_alone_gives() -> None:
    wine = datasets.load("wine")
    tries = [QUICK, {**QUICK, "layers": (3, 3, 3), "random_state": 1, "max_categories": 9}]
    members = fit_cohort(wine.X, wine.y, estimator=MLLPClassifier(n_jobs=2), folds=KFold(2), settings=tries)
    assert [(member.fold, member.settings) for member in members] == [(f, one) for f in (0, 1) for one in tries]
    for member in members:
        assert sorted([*member.train, *member.test]) == list(range(len(wine.y)))
        alone = MLLPClassifier(n_jobs=2, **member.settings).fit(wine.X.take(member.train), wine.y[member.train])
        assert member.classifier.network_ == alone.network_
        assert member.classifier.history_ == alone.history_
        assert member.classifier.get_params() == alone.get_params()


def test_members_of_the_search_are_what_fitting_them_alone_gives() -> None:
    wine = datasets.load("wine")
    base = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1)
    tries = [{}, {"max_bins": 8}, {"max_edges": 6}]
    members = fit_cohort(wine.X, wine.y, estimator=base, settings=tries)
    for member, one in zip(members, tries, strict=True):
        alone = ConceptRuleClassifier(effort="fast", random_state=0, n_jobs=1, **one).fit(wine.X, wine.y)
        assert member.classifier.network_ == alone.network_
        assert member.classifier.binarizer_.predicates_ == alone.binarizer_.predicates_
        assert member.classifier.get_params() == alone.get_params()
    assert not hasattr(base, "network_")


def test_there_may_be_no_members() -> None:
    wine = datasets.load("wine")
    assert fit_cohort(wine.X, wine.y, estimator=MLLPClassifier(), settings=[]) == []


def test_without_folds_all_rows_are_for_training() -> None:
    wine = datasets.load("wine")
    (member,) = fit_cohort(wine.X, wine.y, estimator=MLLPClassifier(**QUICK))
    assert (len(member.train), len(member.test)) == (len(wine.y), 0)


def test_pairs_of_rows_are_folds_too() -> None:
    wine = datasets.load("wine")
    pair = (np.arange(0, 178, 2), np.arange(1, 178, 2))
    (member,) = fit_cohort(wine.X, wine.y, estimator=MLLPClassifier(**QUICK), folds=[pair])
    assert member.test.tolist() == pair[1].tolist()


def test_settings_of_its_own_for_each_fold() -> None:
    wine = datasets.load("wine")
    own = [[QUICK], [{**QUICK, "layers": (3,)}, {**QUICK, "layers": (5,)}]]
    members = fit_cohort(wine.X, wine.y, estimator=MLLPClassifier(), folds=KFold(2), settings=own)
    assert [(member.fold, member.settings["layers"]) for member in members] == [(0, (4,)), (1, (3,)), (1, (5,))]
    assert [member.classifier.layers for member in members] == [(4,), (3,), (5,)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"folds": 2, "settings": [[QUICK]]}, "a list for each of 1 folds, but there are 2 folds"),
        ({"folds": 2, "settings": [[QUICK], [{"width": 3}]]}, r"settings\[1\]\[0\] has 'width'"),
        ({"settings": [QUICK, {"width": 3}]}, r"settings\[1\] has 'width', which is not a parameter of MLLPClassifier"),
        (
            {"settings": [{"max_edges": 3}]},
            r"settings\[0\] has 'max_edges', which is not a parameter of MLLPClassifier",
        ),
        (
            {"settings": QUICK},
            r"settings is {'layers': .*; give a list with a dictionary of parameters for each member",
        ),
        ({"settings": "fast"}, "settings is 'fast'; give a list"),
        ({"settings": 3}, "settings is 3; give a list"),
        ({"settings": [QUICK, 3]}, r"settings\[1\] is 3; it needs a dictionary of parameters"),
        ({"settings": [[QUICK], QUICK], "folds": 2}, r"settings\[1\] is {.*, but other folds have lists"),
        ({"settings": [[QUICK], [3]], "folds": 2}, r"settings\[1\]\[0\] is 3; it needs a dictionary"),
        ({"estimator": "mllp"}, "estimator is 'mllp'; give a ConceptRuleClassifier or an MLLPClassifier"),
        ({"estimator": ConceptRuleClassifier(), "settings": [QUICK]}, "is not a parameter of ConceptRuleClassifier"),
        ({"estimator": ConceptRuleClassifier(effort="huge")}, "effort is 'huge'"),
        ({"settings": [{"device": "cpu"}]}, r"settings\[0\] has 'device', which all members share"),
        ({"settings": [{**QUICK, "layers": (2, 2)}]}, "odd number"),
        ({"folds": 1}, "folds is 1"),
        ({"folds": 1000}, "folds is 1000"),
        ({"estimator": MLLPClassifier(device="tpu")}, "device is 'tpu'; use 'auto', 'cpu'"),
        ({"estimator": MLLPClassifier(n_jobs=0)}, "n_jobs is 0"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    wine = datasets.load("wine")
    with pytest.raises(InputError, match=message):
        fit_cohort(wine.X, wine.y, **{"estimator": MLLPClassifier(), **arguments})


def test_as_many_labels_as_rows() -> None:
    with pytest.raises(InputError, match="y has 3 labels for the 2 rows of X"):
        fit_cohort([[1], [2]], ["a", "b", "a"])
