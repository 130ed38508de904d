"""Formulas say what the levels say, with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.factoring import Either, Product, factored, fired_words, formulas
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from tests.strategies import networks, rows


@given(st.data(), networks())
def test_formulas_fire_as_the_plain_evaluation_does(data: st.DataObject, network: RuleNetwork) -> None:
    bits = data.draw(rows(network))
    found = fired_words(formulas(network.levels, len(network.predicates)), pack(bits))
    np.testing.assert_array_equal(found.words, pack(layers_plain(network, bits)[-1]).words)


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1, max_size=4), max_size=8), st.integers(0, 2**32 - 1))
def test_factored_rules_hold_where_one_of_them_does(rules: list[frozenset[int]], seed: int) -> None:
    values = np.random.default_rng(seed).random((6, 40)) < 0.7
    wanted = np.any([values[sorted(rule)].all(axis=0) for rule in rules], axis=0) if rules else np.zeros(40, bool)
    np.testing.assert_array_equal(plainly(factored(rules), values), wanted)
    assert operations(factored(rules)) <= max(sum(map(len, rules)) - 1, 0)


def plainly(either: Either, values: np.ndarray) -> np.ndarray:
    result = values[list(either.nodes)].any(axis=0)
    for product in either.products:
        inner = True if product.inner is None else plainly(product.inner, values)
        result = result | (values[list(product.nodes)].all(axis=0) & inner)
    return result


def operations(either: Either) -> int:
    """Between so many operands lies one operation fewer."""
    inside = sum(_operations(product) for product in either.products)
    return inside + max(len(either.nodes) + len(either.products) - 1, 0)


def _operations(product: Product) -> int:
    return len(product.nodes) - 1 + (0 if product.inner is None else 1 + operations(product.inner))


def test_what_rules_share_is_taken_out() -> None:
    rules = [frozenset(rule) for rule in ([1, 2], [1, 3], [1, 4], [2, 5])]
    assert factored(rules) == Either((), (Product((1,), Either((2, 3, 4))), Product((2, 5), None)))
    assert operations(factored(rules)) == 5  # 7 rule by rule


@pytest.mark.parametrize("size", [0, 1, 64, 65, 200])
def test_a_rule_without_literals_holds_on_all_rows_and_no_others(size: int) -> None:
    level = Level((Rule(()), Rule((Literal(0, True),))), (Concept((0,)), Concept((1,)), Concept((0, 1)), Concept(())))
    bits = np.arange(size)[:, None] % 3 == 0
    found = fired_words(formulas([level], 1), pack(bits))
    wanted = np.stack([np.ones(size, bool), ~bits[:, 0], np.ones(size, bool), np.zeros(size, bool)], axis=1)
    np.testing.assert_array_equal(found.words, pack(wanted).words)


def test_the_depth_counts_ors_that_lie_in_one_another() -> None:
    plain = Either((0, 1))
    twice = Either((), (Product((2,), plain), Product((3, 4), None)))
    assert [one.depth for one in (plain, Either((0,), (Product((1, 2), None),)), twice)] == [1, 1, 2]
    assert Either((), (Product((5,), twice), Product((6,), plain))).depth == 3
