from dataclasses import replace

from hypothesis import given

from conceptrules.io.model_file import dumps, loads
from conceptrules.model.content_hash import content_hash
from tests.model.test_text import ADULT
from tests.strategies import measured_networks


@given(measured_networks(odd=True))
def test_the_hash_survives_the_file_and_ignores_statistics(network):
    assert content_hash(loads(dumps(network))) == content_hash(network)
    assert content_hash(replace(network, statistics=None)) == content_hash(network)


@given(measured_networks(odd=True), measured_networks(odd=True))
def test_the_same_hash_only_for_equal_networks(first, second):
    assert content_hash(first) != content_hash(second) or first == second


def test_all_that_decides_counts():
    columns = (replace(ADULT.columns[0], missing=True), *ADULT.columns[1:])
    predicates = (replace(ADULT.predicates[0], low=28), *ADULT.predicates[1:])
    low, high = ADULT.levels
    others = [
        replace(ADULT, columns=columns),
        replace(ADULT, predicates=predicates),
        replace(ADULT, levels=(low, replace(high, concepts=high.concepts[::-1]))),
        replace(ADULT, classes=(">50K", "<=50K")),
        replace(ADULT, priority=("<=50K", ">50K")),
        replace(ADULT, default=">50K"),
    ]
    assert len({content_hash(network) for network in [ADULT, *others]}) == 7
