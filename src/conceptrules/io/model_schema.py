"""The JSON Schema of the model file."""

from __future__ import annotations

from importlib.resources import files

from conceptrules.io.encode import VERSION
from conceptrules.model.errors import InputError


def schema(version: int = VERSION) -> str:
    """Return the JSON Schema of the model file.

    Parameters
    ----------
    version : int, default=1
        The version of the file; so far there is only one.

    Returns
    -------
    str
        The schema as JSON.

    Raises
    ------
    InputError
        If there is no such version.
    """
    if version != VERSION:
        raise InputError(f"there is no version {version!r} of the model file; the only one is {VERSION}")
    return files("conceptrules.io").joinpath("schemas", f"model-{version}.json").read_text(encoding="utf-8")
