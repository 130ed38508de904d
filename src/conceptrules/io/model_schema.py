"""The JSON Schema of each version of the model file."""

from __future__ import annotations

from importlib.resources import files

from conceptrules.io.encode import VERSION
from conceptrules.model.errors import InputError


def schema(version: int = VERSION) -> str:
    """Return the JSON Schema of the model file.

    Parameters
    ----------
    version : int, default=3
        The version of the file; by default the one that is written.

    Returns
    -------
    str
        The schema as JSON.

    Raises
    ------
    InputError
        If there is no such version.
    """
    if version not in range(1, VERSION + 1):
        raise InputError(f"there is no version {version!r} of the model file; give a number from 1 to {VERSION}")
    return files("conceptrules.io").joinpath("schemas", f"model-{version}.json").read_text(encoding="utf-8")
