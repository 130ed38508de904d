"""One writer at a time, and nothing is written over what somebody else has changed."""

import subprocess
import sys

import pytest

from conceptrules.io import load, save
from conceptrules.model import InputError
from conceptrules.studio.model_file import ModelFile
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD

HOLD = """
import sys
from conceptrules.studio.model_file import ModelFile
with ModelFile.open(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    save(NETWORK, tmp_path / "model.json")
    return tmp_path / "model.json"


def test_a_second_writer_is_refused_until_the_first_is_gone(path):
    first = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=-1, stdout=-1, text=True)
    assert first.stdout.readline() == "open\n"
    with pytest.raises(InputError, match=r"model\.json is open in another studio"), ModelFile.open(path):
        pass
    first.kill()  # as a machine does that runs out of memory: nothing is cleaned up
    first.communicate()
    assert list(path.parent.glob(".*.lock"))
    with ModelFile.open(path) as file:
        assert file.read() == NETWORK
    assert [each.name for each in path.parent.iterdir()] == ["model.json"]


def test_what_somebody_else_has_changed_is_not_written_over(path):
    with ModelFile.open(path) as file:
        file.read()
        file.write(CARD)
        assert load(path) == CARD
        save(NETWORK, path)
        assert file.is_changed
        with pytest.raises(InputError, match=r"model\.json was changed on disk by something else"):
            file.write(CARD)
        assert load(path) == NETWORK
        assert file.read() == NETWORK
        file.write(CARD)
        path.unlink()
        with pytest.raises(InputError, match="was changed on disk"):
            file.write(CARD)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"no\.json: there is no such file"), ModelFile.open(tmp_path / "no.json"):
        pass
