"""The catalogue of data sets (catalogue.toml): what is known before any file is opened."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Entry:
    """One data set of the catalogue."""

    name: str
    citation: str
    rows: int
    columns: int
    classes: int
    target: str
    doi: str = ""
    continuous: tuple[str, ...] = ()
    embedded: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}.csv.gz"

    @property
    def origin(self) -> str:
        """Return where a person finds it: the citation, with the DOI where there is one."""
        return f"{self.citation}, doi:{self.doi}" if self.doi else self.citation


@cache
def catalogue() -> dict[str, Entry]:
    """Return all entries by name."""
    text = files("conceptrules.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: Entry(name, **_frozen(fields)) for name, fields in tomllib.loads(text).items()}


def _frozen(fields: dict) -> dict:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
