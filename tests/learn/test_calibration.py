"""What held-out rows take away from probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules.learn.calibration import (
    LabelledRows,
    calibrate_network,
    compare_rows,
    measure_optimism,
    measure_reliability,
)
from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals
from conceptrules.model.statistics import expected_patterns, probabilities, with_statistics

# The class b fires where x = yes; else the answer is a.
NETWORK = RuleNetwork(
    columns=(Column("x", "category", ("yes", "no")),),
    predicates=(Equals("x", "yes"),),
    levels=(Level((Rule((Literal(0),)),), (Concept(), Concept((0,)))),),
    classes=("a", "b"),
)


def examples(*counts: tuple[int, int, float]) -> LabelledRows:
    """(does the predicate hold, class, weight)"""
    bits, target, weight = (np.array(column) for column in zip(*counts, strict=True))
    return LabelledRows(pack(bits[:, None].astype(bool)), target.astype(np.int64), weight.astype(np.float64))


PERFECT = examples((1, 1, 50), (0, 0, 50))
WORSE = examples((1, 1, 80), (1, 0, 20), (0, 0, 100))


def test_what_is_too_good_is_seen_on_held_out_rows() -> None:
    excess = measure_optimism([compare_rows(NETWORK, PERFECT, WORSE)])
    np.testing.assert_allclose(excess, [[0, 0], [-0.2, 0.2]], atol=0.01)


def test_probabilities_become_those_of_held_out_rows() -> None:
    counted = with_statistics(NETWORK, *PERFECT)
    honest = calibrate_network(counted, measure_optimism([compare_rows(NETWORK, PERFECT, WORSE)]))
    fired = np.array([[False, True], [False, False]])
    assert probabilities(counted, fired)[0, 1] > 0.98
    np.testing.assert_allclose(probabilities(honest, fired), [[0.2, 0.8], [1, 0]], atol=0.02)
    rows = [sum(rows) for _, rows in expected_patterns(honest)]
    assert rows == pytest.approx([sum(rows) for _, rows in counted.statistics.patterns])


def test_counts_stay_counts() -> None:
    counted = with_statistics(NETWORK, *PERFECT)
    honest = calibrate_network(counted, measure_optimism([compare_rows(NETWORK, PERFECT, WORSE)]))
    assert honest.statistics.patterns == counted.statistics.patterns
    (answer,) = [line for line in str(honest.explain({"x": "yes"})).split("\n") if line.startswith("b: ")]
    assert "Of 50 training rows with this outcome, 100% were b; the probability stated is 80%." in answer


def test_rows_that_agree_take_nothing_away() -> None:
    counted = with_statistics(NETWORK, *WORSE)
    honest = calibrate_network(counted, measure_optimism([compare_rows(NETWORK, WORSE, WORSE)]))
    for (_, found), (_, wanted) in zip(expected_patterns(honest), counted.statistics.patterns, strict=True):
        assert found == pytest.approx(wanted)


def test_an_answer_that_no_row_got_stays_as_it_is() -> None:
    only = examples((0, 0, 10), (0, 1, 2))
    assert (measure_optimism([compare_rows(NETWORK, only, only)])[1] == 0).all()
    assert np.abs(measure_optimism([compare_rows(NETWORK, PERFECT, only)])[1]).max() == 0


def test_reliability_of_a_split_is_judged_by_the_others() -> None:
    """The first split looks perfect; by what the second one lost, it should not be so sure."""
    both = [compare_rows(NETWORK, PERFECT, PERFECT), compare_rows(NETWORK, PERFECT, WORSE)]
    bins = measure_reliability(both)
    assert sum(rows for _, _, rows in bins) == 300
    sure = [one for one in bins if one[0] < 0.9]
    assert sure[0][2] == 50
    assert sure[0][1] == 1
