"""The schema accepts every file that we write, and refuses nothing that the loader takes."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conceptrules.io.model_file import dumps, loads
from conceptrules.io.model_schema import schema
from conceptrules.model.errors import InputError
from tests.io.test_model_file import pieces
from tests.io.test_versions import MODELS, WHOLE
from tests.strategies import measured_networks, networks

VALIDATORS = {version: Draft202012Validator(json.loads(schema(version))) for version in (1, 2, 3)}
TEXTS = {version: (MODELS / f"version-{version}.json").read_text(encoding="utf-8") for version in VALIDATORS}


@pytest.mark.parametrize("version", VALIDATORS)
def test_the_schema_is_one_and_fits_its_model(version):
    Draft202012Validator.check_schema(VALIDATORS[version].schema)
    VALIDATORS[version].validate(json.loads(TEXTS[version]))
    assert not any(VALIDATORS[version].is_valid(json.loads(TEXTS[other])) for other in TEXTS if other != version)


@given(measured_networks(odd=True) | networks(odd=True))
def test_every_file_that_is_written_is_valid(network):
    VALIDATORS[3].validate(json.loads(dumps(network)))


WRONG = [None, 3, -1, 1.5, "x", True, [], {}, [[]], ["x"], {"infinity": 1}, {"infinity": True}, ...]


@pytest.mark.filterwarnings("ignore:the rules were changed by hand")
@given(
    st.sampled_from([(version, path) for version in TEXTS for path in list(pieces(json.loads(TEXTS[version])))[1:]]),
    st.sampled_from(WRONG),
)
@example((2, ("priority",)), [])
@example((1, ("priority",)), [])
def test_what_the_schema_refuses_the_loader_refuses_too(place, value):
    version, (*parents, last) = place
    model = json.loads(TEXTS[version])
    model.pop("hash", None)  # or the loader would refuse for that alone
    piece = model
    for key in parents:
        piece = piece[key]
    if value is not ...:
        piece[last] = value
    elif last != "hash":
        del piece[last]
    if not VALIDATORS[version].is_valid(model):
        with pytest.raises(InputError):
            loads(json.dumps(model))


def test_a_model_without_its_hash_is_valid():
    model = json.loads(TEXTS[2])
    del model["hash"]
    VALIDATORS[2].validate(model)
    with pytest.warns(UserWarning, match="changed by hand"):
        assert loads(json.dumps(model)) == WHOLE
