"""Weights that no sum could hold are refused before any work: they ended the process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, InputError, MLLPClassifier
from conceptrules.tables.labels import MAX_WEIGHT

X, Y = [[number] for number in range(20)], [number % 2 for number in range(20)]


@pytest.mark.parametrize("estimator", [ConceptRuleClassifier(effort="fast"), MLLPClassifier(max_epochs=1)])
@pytest.mark.parametrize("weight", [1e20, 1e100, 1e200, 1e308])
def test_weights_are_bounded(estimator: Any, weight: float) -> None:
    one = np.ones(20)
    one[3] = weight
    with pytest.raises(InputError, match=r"sample_weight\[3\] is 1e\+.*divide all weights by their mean"):
        estimator.fit(X, Y, sample_weight=one)
    with pytest.raises(InputError, match=r"class_weight of the class 1 is .* it needs a number from 0 to"):
        type(estimator)(**{**estimator.get_params(), "class_weight": {1: weight}}).fit(X, Y)


def test_the_heaviest_weight_is_taken() -> None:
    fitted = ConceptRuleClassifier(effort="fast", random_state=0).fit(X, Y, sample_weight=np.full(20, MAX_WEIGHT))
    assert len(fitted.predict(X)) == 20
