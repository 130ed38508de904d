"""Targets that are no classes: what they seem to be is told, with what to write instead."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from conceptrules import ConceptRuleClassifier
from conceptrules.model.errors import ConceptRulesWarning, InputError
from conceptrules.tables.labels import (
    BINS_HINT,
    FEWER_HINT,
    MAX_WEIGHT,
    check_class_weight,
    check_classes,
    check_labels,
)

PRICES = np.arange(600) * 37 % 201


@pytest.mark.parametrize("labels", [PRICES, PRICES.astype(float), np.arange(30)])
def test_a_quantity_is_refused_with_the_way_out(labels):
    different = len(np.unique(labels))
    with pytest.raises(InputError, match=f"y seems to be a quantity: it has {different} different numbers") as caught:
        ConceptRuleClassifier().fit(np.zeros((len(labels), 1)), labels)
    assert BINS_HINT in str(caught.value)


def test_fractions_are_refused_with_the_way_out():
    with pytest.raises(
        InputError, match=r"Unknown label type: continuous.*such as 0.5, and has 3 different numbers"
    ) as caught:
        check_labels([0.5, 1.5, 2.25, 0.5])
    assert BINS_HINT in str(caught.value)


def test_names_of_single_rows_are_refused():
    with pytest.raises(InputError, match="40 different labels in 60 rows, most of them on one or two rows") as caught:
        check_classes(np.array([f"person {number % 40}" for number in range(60)]))
    assert FEWER_HINT in str(caught.value)


def test_many_classes_with_rows_enough_are_told():
    with pytest.warns(UserWarning, match="y has 60 classes.*put rare ones into one"):
        check_classes(np.array([f"kind {number % 60}" for number in range(1200)]))
    with pytest.warns(UserWarning, match="y has 60 classes.*cut a quantity into ranges"):
        check_classes(np.arange(1200) % 60)


def test_few_classes_of_whatever_type_are_left_alone():
    """A class each for 20 rows, the 26 letters and the years of a decade: warnings are errors here."""
    for labels in (np.arange(20), np.array(list("abcdefghijklmnopqrstuvwxyz") * 3), np.arange(2010, 2020).repeat(2)):
        assert len(check_classes(labels)) == len(np.unique(labels))


def test_the_ways_out_lead_out():
    prices, names = pd.Series(PRICES), pd.Series(["a"] * 30 + ["b"] * 30 + list("cdefgh"))
    assert len(check_classes(check_labels(eval(BINS_HINT, {"pd": pd, "y": prices}))[0])) == 4
    assert check_classes(check_labels(eval(FEWER_HINT, {"y": names}))[0]).tolist() == ["a", "b", "other"]


@pytest.mark.parametrize("values", [["a", "b"], [True, False], [1, 2]])
def test_arrays_of_arrow_are_labels(values):
    for labels in (pa.array(values), pa.chunked_array([values])):
        assert check_labels(labels)[0].tolist() == values


def test_labels_in_a_column_get_a_warning_that_is_ours_and_scikit_learns():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed") as caught:
        assert check_labels([["a"], ["b"]])[0].tolist() == ["a", "b"]
    assert issubclass(caught[0].category, ConceptRulesWarning)


@pytest.mark.parametrize("labels", [[["a", "b"], ["c", "d"]], [[1], [2, 3]]])
def test_labels_in_several_columns_are_refused(labels):
    with pytest.raises(InputError, match="y needs one label for each row"):
        check_labels(labels)


def test_a_class_without_rows_has_no_balanced_weight():
    weights = check_class_weight("balanced", np.array(["a", "b", "c"]), np.array([2.0, 0.0, 1.0]))
    assert weights.tolist() == [0.5, 0.0, 1.0]


def test_balanced_weights_are_no_heavier_than_others_may_be():
    weights = check_class_weight("balanced", np.array(["a", "b"]), np.array([1e8, 1e-308]))
    assert weights.tolist() == [0.5, MAX_WEIGHT]


def test_whole_numbers_of_128_bits_are_labels():
    labels = check_labels(pl.Series([2**100, -(2**100), 2**100]))[0]
    assert labels.tolist() == check_labels([2**100, -(2**100), 2**100])[0].tolist()
