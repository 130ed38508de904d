import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given

from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    Predicate,
    Rule,
    RuleNetwork,
    Statistics,
)
from conceptrules.model.network import Cell, check_columns
from conceptrules.model.policy import Policy
from conceptrules.model.provenance import ProofRecord, Training
from conceptrules.model.trail import TrailEntry
from tests.strategies import measured_networks

COLUMNS = (Column("age"), Column("job", "category", ("nurse", "cook")))
PREDICATES = (Interval("age", high=27), Equals("job", "nurse"))
LEVEL = Level((Rule((Literal(0), Literal(1, True))),), (Concept((0,)), Concept()))
NETWORK = RuleNetwork(COLUMNS, PREDICATES, (LEVEL,), ("no", "yes"))
STATISTICS = Statistics((3.0, 1.0), (((1.0, 0.0),),), ())


def test_odd_parts_are_refused() -> None:
    columns, level = (Column("a"),), Level((), (Concept(),))
    for make, message in (
        (lambda: Literal(0.0), "by its number"),
        (lambda: Rule((0,)), r"write Literal\(0\)"),
        (lambda: Column(3), "is text, not 3"),
        (lambda: Column("a", "category", ("x", "x")), "lists a category twice"),
        (lambda: RuleNetwork(columns, (Predicate("a"),), (level,), ("x",)), "of the type Predicate"),
        (lambda: RuleNetwork(columns, (), (level,), ("x",), statistics=Statistics((-1.0,), ((),), ())), "at least 0"),
    ):
        with pytest.raises(InputError, match=message):
            make()  # type: ignore[no-untyped-call]


def test_the_papers_rule_is_the_default():
    assert (NETWORK.priority, NETWORK.default) == (("no", "yes"), "no")


def test_literals_and_rules_are_kept_sorted_and_once():
    assert Rule((Literal(2), Literal(1, True), Literal(2))) == Rule((Literal(1, True), Literal(2)))
    assert Concept((2, 0, 2)) == Concept((0, 2))
    assert ~Literal(3) == Literal(3, True) == ~~Literal(3, True)


def test_networks_are_frozen_values():
    assert replace(NETWORK) == NETWORK
    assert hash(replace(NETWORK)) == hash(NETWORK)
    assert replace(NETWORK, default="yes") != NETWORK
    with pytest.raises(FrozenInstanceError):
        NETWORK.default = "yes"


def test_statistics_take_no_part_in_equality():
    assert replace(NETWORK, statistics=STATISTICS) == NETWORK


def test_lists_and_numpy_classes_do_as_well():
    network = RuleNetwork(list(COLUMNS), list(PREDICATES), [LEVEL], np.array([0, 1]), default=np.int64(1))
    assert (network.classes, network.default) == ((0, 1), 1)
    assert {type(value) for value in (*network.classes, network.default)} == {int}
    assert hash(network)


@given(measured_networks(odd=True))
def test_a_network_survives_pickling(network):
    copy = pickle.loads(pickle.dumps(network))
    assert copy == network
    assert copy.statistics == network.statistics


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ()}, "at least one class"),
        ({"classes": ("no", "no")}, "classes must differ"),
        ({"priority": ("yes",)}, "priority must list each class once"),
        ({"priority": ("yes", "maybe")}, "priority must list each class once"),
        ({"default": "maybe"}, "default class 'maybe' is not one of"),
        ({"levels": ()}, "at least one level"),
        ({"levels": (LEVEL, LEVEL)}, None),
        ({"levels": (Level((), (Concept(),)),)}, "one concept for each of the 2 classes, it has 1"),
        ({"predicates": PREDICATES[:1]}, "rule 0 of level 1 refers to predicate 1, but there are only 0 to 0"),
        ({"predicates": ()}, "refers to predicate 0, but there is none"),
        ({"levels": (Level((Rule((Literal(-1),)),), LEVEL.concepts),)}, "refers to predicate -1"),
        ({"columns": COLUMNS[:1]}, "predicate 1 tests column 'job', which is not among the columns"),
        ({"columns": COLUMNS * 2}, "column 'age' is listed twice"),
        (
            {"columns": (Column("age"), Column("job"))},
            "type Equals, which does not go with column 'job' of the kind number",
        ),
        ({"columns": (Column("age", "boolean"), COLUMNS[1])}, "type Interval, which does not go with column 'age'"),
        ({"statistics": replace(STATISTICS, covered=())}, "statistics are for"),
        ({"statistics": replace(STATISTICS, rows=(1.0,))}, "one figure for each of the 2 classes"),
        ({"statistics": replace(STATISTICS, patterns=(((True,), (1.0, 0.0)),))}, "one figure for each of the 2"),
        ({"statistics": replace(STATISTICS, rows=(0.0, 0.0))}, "at least one training row"),
        (
            {"statistics": replace(STATISTICS, covered=(((99_999.0, 0.0),),))},
            "contradict each other: a rule covers 99,999 of 3 rows of a class",
        ),
        (
            {"statistics": replace(STATISTICS, decided=(((0.0, 0.5),), ()))},
            "contradict each other: a rule decides 0.5 of 0 rows of a class",
        ),
        (
            {"statistics": replace(STATISTICS, patterns=(((True, False), (1.0, 1.0)), ((False, False), (1.0, 0.0))))},
            "contradict each other: patterns of 2 of 3 rows of a class",
        ),
        (
            {"statistics": replace(STATISTICS, cells=(Cell("age", (), False, 3.0), Cell("age", (), True, 96.0)))},
            "contradict each other: 99 of 4 rows in cells of 'age'",
        ),
    ],
)
def test_invariants(change, message):
    if message is None:
        assert len(replace(NETWORK, **change).levels) == 2
        return
    with pytest.raises(InputError, match=message):
        replace(NETWORK, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decided": (((1.0, 0.0),), ())}, None),
        ({"decided": ((), ((1.0, 0.0),))}, r"statistics.decided must be for \[1, 0\] rules by class"),
        ({"decided": (((1.0,),), ())}, "one figure for each of the 2 classes"),
        ({"decided": (((-1.0, 0.0),), ())}, "finite and at least 0"),
        ({"optimism": ((1.0, -1.0), (-0.5, 0.5))}, None),
        ({"optimism": ((0.0, 0.0),)}, "statistics.optimism must be for 2 answers"),
        ({"optimism": ((0.0,), (0.0,))}, "one figure for each of the 2 classes"),
        ({"optimism": ((1.5, 0.0), (0.0, 0.0))}, "from -1 to 1"),
        ({"optimism": ((0.0, -1.5), (0.0, 0.0))}, "from -1 to 1"),
        ({"optimism": ((0.0, float("nan")), (0.0, 0.0))}, "from -1 to 1"),
        ({"rows": (0.0, 1.0), "covered": (((0.0, 0.0),),)}, None),
        ({"covered": (((3.0 + 1e-9, 1.0),),)}, None),
        ({"rows": (float("inf"), 1.0)}, "finite and at least 0"),
        ({"patterns": (((True, False), (0.0, float("nan"))),)}, "finite and at least 0"),
        ({"covered": (((0.0, -1.0),),)}, "finite and at least 0"),
    ],
)
def test_statistics_fit_the_network(change: dict[str, object], message: str | None) -> None:
    statistics = replace(STATISTICS, **change)
    if message is None:
        assert replace(NETWORK, statistics=statistics).statistics == statistics
        return
    with pytest.raises(InputError, match=message):
        replace(NETWORK, statistics=statistics)


def test_a_concept_must_know_its_rules():
    with pytest.raises(InputError, match="concept 0 refers to rule 1, but there are only 0 to 0"):
        Level((Rule(),), (Concept((1,)),))


OTHERS = {
    "statistics": STATISTICS,
    "training": Training("0.2.0", 0, (), 40, None, None),
    "target": "answer",
    "policy": Policy.of(default="yes"),
    "proof": ProofRecord("0", ()),
    "trail": (TrailEntry("Ada", "2026-01-01", "why", {}, {}, {}, "", "", ""),),
    "names": (("C1.1", "first"),),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_does_not_decide_takes_no_part_in_equality_and_is_not_printed(name: str) -> None:
    other = replace(NETWORK, **{name: OTHERS[name]})
    assert getattr(other, name) == OTHERS[name]
    assert other == NETWORK
    assert hash(other) == hash(NETWORK)
    assert repr(other) == repr(NETWORK)


SIZE = Column("size", "ordinal", ("S", "M", "L"))


@pytest.mark.parametrize(
    ("column", "predicate", "message"),
    [
        (SIZE, OneOf("size", ("M", "XL")),
         "predicate 0 asks for 'XL', which has no place in the order of column 'size'; there are 'S', 'M', 'L'"),
        (SIZE, Equals("size", "XL"),
         "predicate 0 asks for 'XL', which has no place in the order of column 'size'; there are 'S', 'M', 'L'"),
        (Column("size", "ordinal"), Equals("size", "S"),
         "predicate 0 asks for 'S', which has no place in the order of column 'size'; there are none"),
        (SIZE, OneOf("size", ("L", "S")),
         "predicate 0 lists ['L', 'S'], which is not the order of column 'size'; write OneOf('size', ('S', 'L'))"),
        (Column("job", "category", ("a",)), OneOf("job", ("new", "a")),
         "predicate 0 lists ['new', 'a'], which is not the order of column 'job'; write OneOf('job', ('a', 'new'))"),
        (Column("age"), Equals("age", 1),
         "predicate 0 is of the type Equals, which does not go with column 'age' of the kind number"),
        (Column("job", "category"), Interval("job", 1),
         "predicate 0 is of the type Interval, which does not go with column 'job' of the kind category"),
    ],
)  # fmt: skip
def test_predicates_fit_their_columns(column: Column, predicate: Predicate, message: str) -> None:
    with pytest.raises(InputError) as error:
        check_columns([column], [predicate])
    assert str(error.value) == message


def test_predicates_that_do_fit() -> None:
    tests = [OneOf("size", ("M", "L")), OneOf("size", ("S", "L")), Equals("size", "M"), Missing("size")]
    check_columns([SIZE], tests)
    check_columns([Column("job", "category", ("a",))], [OneOf("job", ("a", "new", "newer")), Equals("job", "other")])
    check_columns([Column("age")], [Interval("age"), Missing("age")])


def test_what_rules_use() -> None:
    columns = (*COLUMNS, Column("zip", "category"))
    tests = (Interval("age", 60), Equals("job", "cook"), Interval("age", high=27), Equals("zip", "9"))
    level = Level((Rule((Literal(2), Literal(1, True))), Rule((Literal(0),))), (Concept((0,)), Concept((1,))))
    network = RuleNetwork(columns, tests, (level,), ("no", "yes"), ("yes", "no"), "yes")
    assert network.used_predicates == (0, 1, 2)
    assert network.used_columns == {"age": (0, 2), "job": (1,)}
    assert (network.priority_indices, network.default_index, network.edges) == ((1, 0), 1, 5)


def test_rules_of_higher_levels_refer_to_concepts() -> None:
    above = Level((Rule((Literal(2),)),), (Concept((0,)), Concept()))
    with pytest.raises(InputError, match="rule 0 of level 2 refers to concept 2, but there are only 0 to 1"):
        replace(NETWORK, levels=(LEVEL, above))
