"""What is known of data sets before their files are opened: the package's catalogue, and the manifests of folders."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


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


def manifest(folder: str | os.PathLike[str]) -> dict[str, Entry]:
    """Return by name the entries of a folder's MANIFEST.toml; a folder without one has none."""
    path = Path(folder, "MANIFEST.toml")
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {fields["name"]: _listed(fields) for fields in found.get("dataset", [])}


def _listed(fields: dict[str, Any]) -> Entry:
    citation, _, doi = fields.get("citation", "").partition(", doi:")
    return Entry(
        fields["name"],
        citation,
        rows=fields["rows"] if "rows" in fields else fields["instances"],
        columns=len(fields["continuous"]) + len(fields["discrete"]),
        classes=fields["classes"],
        target=fields["target"],
        doi=doi,
        continuous=tuple(fields["continuous"]),
    )


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
