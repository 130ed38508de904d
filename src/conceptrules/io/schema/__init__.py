"""The JSON Schema of each version of the model file."""

from __future__ import annotations

from importlib.resources import files

from conceptrules.io.encode import VERSION


def schema(version: int = VERSION) -> str:
    """As text; by default that of the version that is written."""
    return files(__name__).joinpath(f"model-{version}.json").read_text(encoding="utf-8")
