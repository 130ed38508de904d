"""Formulas say what the levels say, with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.evaluation import PackedBits, class_words, layers_plain, pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.tables.factoring import Either, Product, factor_rules, fired_words, formulas
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
    np.testing.assert_array_equal(plainly(factor_rules(rules), values), wanted)
    assert operations(factor_rules(rules)) <= max(sum(map(len, rules)) - 1, 0)


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
    assert factor_rules(rules) == Either((), (Product((1,), Either((2, 3, 4))), Product((2, 5), None)))
    assert operations(factor_rules(rules)) == 5  # 7 rule by rule


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


def test_more_rows_than_fit_a_part() -> None:
    random = np.random.default_rng(0)
    words = PackedBits(random.integers(0, 2**64, (3, 16384 + 3), dtype=np.uint64), (16384 + 3) * 64)
    a, b, c = (Literal(index) for index in range(3))
    rules = (Rule((a, b)), Rule((a, ~c)), Rule((c,)))
    level = Level(rules, (Concept((0, 1)), Concept((0, 2)), Concept(())))
    above = Level((Rule((a, ~b)), Rule((b,))), (Concept((0,)), Concept((0, 1))))
    found = fired_words(formulas([level, above], 3), words).words
    np.testing.assert_array_equal(found, class_words([level, above], words).words)


def test_the_formulas_of_a_level() -> None:
    """Nodes 0 and 1 are below, 2 always holds, 3 is the negation of 1, 4 the rule that two concepts share."""
    rules = (Rule((Literal(0), Literal(1, True))), Rule(()), Rule((Literal(0),)), Rule((Literal(0), Literal(1))))
    level = Level(rules, (Concept((0, 1)), Concept((0, 2, 3)), Concept((2,))))
    (found,) = formulas([level], 2)
    assert found.negated == (1,)
    assert found.shared == (Product((0, 3), None),)
    assert found.concepts == (Either((2, 4)), Either((0, 4), (Product((0, 1), None),)), Either((0,)))


def test_two_shared_rules_are_two_nodes() -> None:
    rules = (Rule((Literal(0), Literal(1))), Rule((Literal(1), Literal(2))), Rule((Literal(2),)))
    (found,) = formulas([Level(rules, (Concept((0, 1, 2)), Concept((0, 1, 2))))], 3)
    assert found.shared == (Product((0, 1), None), Product((1, 2), None))
    assert found.concepts == (Either((2, 4, 5)),) * 2


def test_each_level_is_above_the_concepts_of_the_one_before() -> None:
    level = Level((Rule((Literal(0, True),)),), (Concept((0,)), Concept((0,))))
    assert [formula.concepts[0] for formula in formulas([level, level], 5)] == [Either((6,)), Either((3,))]
