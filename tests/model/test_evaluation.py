import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model import Column, Concept, Equals, InputError, Level, Literal, Rule, RuleNetwork
from conceptrules.model.evaluation import (
    PackedBits,
    class_nodes,
    class_words,
    decide,
    decide_fired,
    first_firing,
    first_firing_packed,
    full_words,
    layers,
    layers_plain,
    pack,
    unpack,
)
from tests.strategies import all_inputs, networks, rows


@given(st.data(), networks())
def test_packed_evaluation_equals_the_plain_one(data, network):
    bits = data.draw(rows(network))
    for plain, packed in zip(layers_plain(network, bits), layers(network, pack(bits)), strict=True):
        np.testing.assert_array_equal(unpack(packed), plain)
        np.testing.assert_array_equal(packed.words, pack(plain).words)  # the bits past the last row are 0


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
def test_packing(size):
    bits = np.random.default_rng(size).random((size, 3)) < 0.5
    words = pack(bits)
    assert words.words.shape == (3, -(-size // 64))
    assert words.words.dtype == np.uint64
    np.testing.assert_array_equal(unpack(words), bits)
    for row, column in zip(*np.nonzero(bits), strict=True):
        assert int(words.words[column, row // 64]) >> int(row % 64) & 1


def test_a_network_by_hand():
    """a = (x and not y) or always-false, then b = not a; c = an empty rule."""
    x, y = Literal(0), Literal(1)
    first = Level((Rule((x, ~y)), Rule((x, ~x))), (Concept((0, 1)), Concept()))
    second = Level((Rule((~Literal(0),)), Rule(), Rule((Literal(1),))), (Concept((0,)), Concept((1,)), Concept((2,))))
    columns = (Column("x", "boolean"), Column("y", "boolean"))
    network = RuleNetwork(columns, (Equals("x", True), Equals("y", True)), (first, second), ("b", "c", "d"))
    h = layers_plain(network, all_inputs(2))
    expected = [[[0, 0], [0, 0], [1, 0], [0, 0]], [[0, 0], [0, 0], [1, 0], [0, 0]]]
    expected += [[[1, 1, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0]]] * 2
    np.testing.assert_array_equal(h[0], all_inputs(2))
    for layer, wanted in zip(h[1:], expected, strict=True):
        np.testing.assert_array_equal(layer, wanted)


@given(networks())
def test_the_first_by_priority_wins_and_the_default_when_none_fires(network):
    fired = all_inputs(len(network.classes))
    for row, winner in zip(fired, decide_fired(network, fired), strict=True):
        firing = [name for name in network.priority if row[network.classes.index(name)]]
        assert network.classes[winner] == (firing[0] if firing else network.default)


@given(networks())
def test_decisions_are_the_first_of_the_last_layer_by_priority(network):
    bits = all_inputs(len(network.predicates))
    np.testing.assert_array_equal(decide(network, pack(bits)), decide_fired(network, layers_plain(network, bits)[-1]))


@given(networks())
def test_bits_of_other_predicates_are_refused(network):
    bits = np.zeros((3, len(network.predicates) + 1), dtype=bool)
    with pytest.raises(InputError, match="predicates"):
        layers_plain(network, bits)
    with pytest.raises(InputError, match="predicates"):
        decide(network, pack(bits))


def test_more_rows_than_fit_a_part() -> None:
    """A million rows and some: what the parts say is what all rows at once do."""
    random = np.random.default_rng(0)
    words = PackedBits(random.integers(0, 2**64, (2, 16384 + 3), dtype=np.uint64), (16384 + 3) * 64)
    x, y = Literal(0), Literal(1)
    level = Level((Rule((x, ~y)), Rule((~x,)), Rule((~x, ~y))), (Concept((0, 1)), Concept((2,)), Concept()))
    found = class_words([level], words).words
    first, second = words.words
    np.testing.assert_array_equal(found, [first & ~second | ~first, ~first & ~second, first & np.uint64(0)])


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, 256, 257])
def test_packed_decisions_are_the_plain_ones_in_the_smallest_type(classes: int) -> None:
    random = np.random.default_rng(classes)
    fired = random.random((130, classes)) < 1 / classes
    order, default = random.permutation(classes).tolist(), classes // 2
    found = first_firing_packed(pack(fired), order, default)
    np.testing.assert_array_equal(found, first_firing(fired, order, default))
    assert found.dtype == (np.uint8 if classes <= 256 else np.uint16)


@pytest.mark.parametrize(("rows", "last"), [(1, 1), (63, 2**63 - 1), (64, 2**64 - 1), (65, 1), (128, 2**64 - 1)])
def test_a_node_that_holds_on_all_rows_and_no_others(rows: int, last: int) -> None:
    assert [int(word) for word in full_words(rows)] == [2**64 - 1] * ((rows - 1) // 64) + [last]


def test_one_row_is_decided_by_plain_numbers() -> None:
    level = Level((Rule((Literal(0), Literal(1, True))), Rule()), (Concept((0,)), Concept((1,)), Concept()))
    fires = [class_nodes([level], [first, second], 1) for first in (0, 1) for second in (0, 1)]
    assert fires == [[0, 1, 0], [0, 1, 0], [1, 1, 0], [0, 1, 0]]


def test_the_error_says_how_many_predicates_there_are() -> None:
    network = RuleNetwork((), (), (Level((), (Concept(),)),), ("a",))
    with pytest.raises(InputError, match="the network has 0 predicates, the bits are of 2"):
        layers(network, pack(np.zeros((1, 2), dtype=bool)))
