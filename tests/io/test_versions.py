"""A stored model file keeps loading, decides as it did, and is written again byte by byte."""

import datetime as dt
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conceptrules.io.model_file import dumps, load, loads, schema
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    Rule,
    RuleNetwork,
    Statistics,
)
from conceptrules.model.content_hash import content_hash
from conceptrules.model.policy import Default, Domain, Forbidden, Implies, Monotone, Policy
from conceptrules.model.provenance import ProofRecord, Training, Validation, VerdictRecord
from conceptrules.model.trail import TrailEntry, file_hash, find_break, seal, state_of

MODEL = Path(__file__).parent / "models" / "version-1.json"
YEAR_2020 = 1_577_836_800_000_000.0
HOUR = 3_600_000_000.0

COLUMNS = (
    Column("age", missing=True),
    Column("job and pay", "category", ("nurse", 'smith "the" é\n', "")),
    Column("level", "category", (1, 2.5, math.inf)),
    Column("smokes", "boolean", (False, True), missing=True),
    Column("joined", "date"),
    Column("seen", "datetime"),
    Column("stay", "duration"),
)
PREDICATES = (
    Interval("age", high=27.5),
    Interval("age", 27.5, 1e-7 + 41),
    Missing("age"),
    Equals("job and pay", "nurse"),
    Equals("job and pay", 'smith "the" é\n'),
    Equals("level", 2.5),
    Equals("level", math.inf),
    Equals("smokes", True),
    Interval("joined", YEAR_2020),
    Interval("seen", -math.inf, YEAR_2020 + 1),
    Interval("stay", HOUR, 30 * HOUR),
)


def literals(*indices: int) -> Rule:
    """The rule of these predicates or concepts; ~3 is `not 3`."""
    return Rule(tuple(Literal(i) if i >= 0 else ~Literal(~i) for i in indices))


WHOLE = RuleNetwork(
    COLUMNS,
    PREDICATES,
    (
        Level(
            (literals(0, 3), literals(1, ~7), literals(2), literals(4, 8, ~9), literals(5, 10), literals(6), Rule()),
            (Concept((0, 1)), Concept((2, 3, 5)), Concept((1, 4)), Concept()),
        ),
        Level((literals(0, ~1), literals(1, 2), literals(~2, ~3)), (Concept((0,)), Concept((1,)), Concept((2,)))),
    ),
    ("low", "high", 3),
    (3, "high", "low"),
    "high",
    Statistics(
        (10, 20.25, 3),
        (
            ((1, 2, 0), (0, 0, 0.5), (3, 3, 3), (0, 0, 0), (1, 1, 1), (0, 20.25, 0), (10, 20.25, 3)),
            ((1, 0, 0), (2, 2, 2), (7, 18.25, 1)),
        ),
        (((False, False, True), (9, 20.25, 3)), ((True, False, True), (1, 0, 0))),
    ),
    Training(
        version="0.1.0",
        seed=7,
        settings=(("kinds", ("level=category",)), ("l2", 1e-8), ("layers", (64, 32.5, math.inf)), ("patience", None)),
        rows=34,
        rate=0.75,
        epoch=120,
        validation=Validation("held back", 6.5, 0.8125, (0.25, 0.5, 0.25), ((0.75, 0.5, 4), (1, 1, 2.5)), 0.875, 0.25),
        stability=((1, 0.5, 0.25, 0, 1, 1, 0), (0.96875, 1, 0)),
        fingerprint=(0, 255, 2**64 - 1),
        distinct=31,
        categories_dropped=(("job and pay", 12),),
    ),
)
POLICY = Policy(
    (Default("high"), Forbidden("zip"), Monotone("age", "up", ("low", 3, "high")), Implies("level = inf", 3)),
    Domain((("age", 0, math.inf),), ("age",), False, ("smokes = True and age <= 5",)),
)
_ENTRY = TrailEntry(
    "anna", "2026-11-16 12:00:00", 'a "reason" é', {"kind": "default", "label": "high"},
    {"drop": [], "add": [], "default": "low"}, {"rows": None, "equivalent": False}, "sha256:0", "", "",
)  # fmt: skip
GOVERNED = replace(
    WHOLE,
    policy=POLICY,
    proof=ProofRecord("sha256:0", (VerdictRecord("default", "high is answered", "proved", "read off the rules"),)),
    trail=(seal(replace(_ENTRY, after=state_of(replace(WHOLE, policy=POLICY)))),),
)
ROWS = [
    (20, "nurse", 1, True, dt.date(2021, 5, 1), dt.datetime(2019, 1, 1), dt.timedelta(hours=2)),
    (30, "nurse", 1, False, dt.date(2019, 5, 1), dt.datetime(2021, 1, 1), dt.timedelta(hours=1)),
    (None, 'smith "the" é\n', 2.5, None, dt.date(2021, 5, 1), dt.datetime(2021, 1, 1), dt.timedelta(hours=30)),
    (41.5, "unseen", math.inf, True, None, None, None),
    (41, "", 2.5, None, dt.date(2021, 5, 1), dt.datetime(2020, 1, 1), dt.timedelta(hours=31)),
]
ANSWERS = [3, "low", "high", 3, "low"]


def test_the_stored_model():
    network = load(MODEL)
    assert network == WHOLE
    assert (network.statistics, network.training) == (WHOLE.statistics, WHOLE.training)
    assert (network.policy, network.proof) == (GOVERNED.policy, GOVERNED.proof)
    assert network.trail == GOVERNED.trail
    assert find_break(network.trail) is None
    assert network.trail[-1].after == state_of(network)
    assert network.predict(ROWS).tolist() == ANSWERS
    # It was written when the hash of the file did not cover the trail yet.
    assert dumps(network) == MODEL.read_text(encoding="utf-8").replace(content_hash(network), file_hash(network), 1)


def test_a_network_of_the_search_says_nothing_of_an_mllp():
    validation = replace(WHOLE.training.validation, mllp_f1=None, disagreement=None)
    network = replace(WHOLE, training=replace(WHOLE.training, validation=validation))
    assert loads(dumps(network)).training.validation == validation
    assert not {"mllp_f1", "crs_f1", "disagreement"} & set(json.loads(dumps(network))["training"]["validation"])
    Draft202012Validator(json.loads(schema())).validate(json.loads(dumps(network)))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("errors",), [[1.0, 0.0]], "training.errors must be lists of as many numbers, ascending"),
        (("errors",), [[0.0, 1.0], [0.0]], "training.errors must be lists of as many numbers, ascending"),
        (("validation", "macro_f1"), 7, "training.validation.macro_f1 must be a number from 0 to 1, found 7"),
        (("validation", "mllp_f1"), 1.5, "training.validation.mllp_f1 must be a number from 0 to 1"),
        (("validation", "disagreement"), -0.5, "training.validation.disagreement must be a number from 0 to 1"),
        (("validation", "fires", 0), 2, r"training.validation.fires\[0\] must be a number from 0 to 1"),
        (("validation", "reliability", 0, 1), 3, r"validation.reliability\[0\]\[1\] must be a number from 0 to 1"),
        (("validation", "reliability", 0, 2), -1, r"validation.reliability\[0\]\[2\] must be a number from 0 up"),
        (("validation", "reliability", 0), [1, 1], r"validation.reliability\[0\] must be a list of three numbers"),
        (("stability", 0, 0), 7, r"training.stability\[0\]\[0\] must be a number from 0 to 1"),
    ],
)
def test_scores_and_shares_that_cannot_be(path, value, message):
    model = json.loads(dumps(WHOLE))
    place = model["training"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError, match=message):
        loads(json.dumps(model))


def test_optional_parts():
    none = ((0.0,) * 3,)
    decided = tuple(none * len(concept.rules) for concept in WHOLE.levels[-1].concepts)
    statistics = replace(WHOLE.statistics, decided=decided, optimism=((0.5, -0.25, -0.25),) * 3)
    new = replace(WHOLE, target="wage class", statistics=statistics)
    found = loads(dumps(new))
    assert (found.target, found.statistics) == (new.target, new.statistics)
    Draft202012Validator(json.loads(schema())).validate(json.loads(dumps(new)))


def test_the_hash_of_a_network_never_changes():
    expected = "sha256:0c49b9a5c084a67dda7fcb4a1f996845c768f801ee9cc40a71be42cabb364024"
    assert content_hash(load(MODEL)) == expected
