"""The paper's Table 2: the number of binary features of its twelve data sets, fitted on all rows."""

from __future__ import annotations

import os

import pytest

from conceptrules.binarize import Binarizer
from conceptrules.datasets import load

FEATURES = {
    "adult": 155,
    "bank-marketing": 88,
    "banknote": 17,
    "blogger": 15,
    "chess": 40,
    "connect-4": 126,
    "letRecog": 155,
    "magic04": 79,
    "mushroom": 117,
    "nursery": 27,
    "tic-tac-toe": 27,
    "wine": 37,
}


@pytest.mark.filterwarnings("ignore:constant columns")  # mushroom's veil-type
@pytest.mark.parametrize(("name", "features"), FEATURES.items())
def test_number_of_binary_features(name: str, features: int) -> None:
    if "CONCEPTRULES_DATA" not in os.environ:
        pytest.skip("the paper's data sets are not here: set $CONCEPTRULES_DATA to their folder")
    data = load(name)
    binarizer = Binarizer(keep=data.X.column_names).fit(data.X, data.y)
    assert len(binarizer.get_feature_names_out()) == features
    # On the rows of the fit, each column is in one interval, category or gap.
    assert (binarizer.transform(data.X).sum(axis=1) == data.X.num_columns).all()
