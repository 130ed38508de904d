"""The schema accepts every file that we write, and refuses nothing that the loader takes."""

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conceptrules.io.encode import VERSION
from conceptrules.io.model_file import dumps, loads, schema
from conceptrules.model.errors import InputError
from tests.io.test_model_file import pieces
from tests.io.test_versions import MODEL, WHOLE
from tests.model.test_heads import CARD, SEVERAL, make_number_card
from tests.strategies import measured_networks, measured_scorecards, networks, number_cards

VALIDATOR = Draft202012Validator(json.loads(schema()))
TEXT = MODEL.read_text(encoding="utf-8")


def test_the_schema_is_valid_and_accepts_the_stored_model():
    Draft202012Validator.check_schema(VALIDATOR.schema)
    VALIDATOR.validate(json.loads(TEXT))
    assert not VALIDATOR.is_valid(json.loads(TEXT.replace('"version": 1', '"version": 2')))
    assert schema(VERSION) == schema()
    with pytest.raises(InputError, match="there is no version 2 of the model file; the only one is 1"):
        schema(2)


@given(measured_networks(odd=True) | networks(odd=True) | measured_scorecards(odd=True) | number_cards(odd=True))
def test_every_file_that_is_written_is_valid(network):
    VALIDATOR.validate(json.loads(dumps(network)))


WRONG = [None, 3, -1, 1.5, "x", True, [], {}, [[]], ["x"], {"infinity": 1}, {"infinity": True}, ...]


TEXTS = [TEXT, dumps(CARD), dumps(replace(CARD, classes=("a", "b", "c"), head=SEVERAL)), dumps(make_number_card())]


@pytest.mark.filterwarnings("ignore:the rules were changed by hand")
@given(
    st.sampled_from([(text, path) for text in TEXTS for path in list(pieces(json.loads(text)))[1:]]),
    st.sampled_from(WRONG),
)
@example((TEXT, ("priority",)), [])
@example((TEXTS[1], ("head",)), ...)
def test_what_the_schema_refuses_the_loader_refuses_too(piece, value):
    text, (*parents, last) = piece
    model = json.loads(text)
    model.pop("hash", None)  # or the loader would refuse for that alone
    piece = model
    for key in parents:
        piece = piece[key]
    if value is not ...:
        piece[last] = value
    elif last != "hash":
        del piece[last]
    if not VALIDATOR.is_valid(model):
        with pytest.raises(InputError):
            loads(json.dumps(model))


def test_a_model_without_its_hash_is_valid():
    model = json.loads(TEXT)
    del model["hash"], model["statistics"]["hash"]
    VALIDATOR.validate(model)
    with pytest.warns(UserWarning, match="changed by hand"):
        assert loads(json.dumps(model)) == WHOLE
