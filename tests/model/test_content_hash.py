import math
from dataclasses import replace

from hypothesis import given

from conceptrules.io.model_file import dumps, loads
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
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


def test_the_hash_of_a_network_never_changes() -> None:
    """It stands in files and in proofs; the next version has to give the same."""
    assert content_hash(ADULT) == "sha256:413efc26daaa556e27a03875cd3f4e7d0f3ebd4d3500ecec3dbe14ae33cddd9f"


def test_infinite_categories_and_bounds_have_a_hash() -> None:
    def network(*categories: float) -> RuleNetwork:
        level = Level([Rule([Literal(0)])], [Concept([0])])
        column = Column("dose", "category", categories)
        return RuleNetwork([column], [Equals("dose", categories[0])], [level], [math.inf])

    hashes = {content_hash(network(*some)) for some in ((math.inf, 1), (-math.inf, 1), (1.5, 1))}
    assert len(hashes) == 3
    low, zero = (replace(ADULT, predicates=(Interval("age", low), *ADULT.predicates[1:])) for low in (-0.0, 0.0))
    assert content_hash(low) == content_hash(zero)
