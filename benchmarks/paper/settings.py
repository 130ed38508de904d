"""What a model is run with: settings/<model>.toml, written before the run.

The table `[default]` is for all data sets; a table with the name of a data set replaces what it names. `fixed` holds
what validation does not choose, `search` the values of everything that it does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.paper.reference import data_names

FOLDER = Path(__file__).parent / "settings"


@dataclass(frozen=True, slots=True)
class Settings:
    """`inputs` is "plain" or "bits"; `tune_rows` caps the training rows that the search learns from (0: all)."""

    inputs: str = "plain"
    standardise: bool = False
    tune_rows: int = 0
    fixed: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, list[Any]] = field(default_factory=dict)

    def candidates(self) -> Iterator[dict[str, Any]]:
        """Yield every combination of the search space, the first value of each key first."""
        for values in product(*self.search.values()):
            yield dict(zip(self.search, values, strict=True))

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def load_settings(data: str, model: str) -> Settings:
    """Return the settings of a baseline for a data set."""
    table = table_of(data, model)
    unknown = sorted(table.keys() - Settings.__dataclass_fields__.keys())
    if unknown:
        known = ", ".join(Settings.__dataclass_fields__)
        raise ValueError(f"{model}.toml sets {unknown[0]!r}, which means nothing here; known are {known}")
    return Settings(**table)


def table_of(data: str, model: str) -> dict[str, Any]:
    """Return what the file of a model says of a data set, on top of what it says of all."""
    if data not in data_names():
        raise ValueError(f"there is no data set {data!r}; known are {', '.join(data_names())}")
    content = _content(FOLDER / f"{model}.toml")
    return {**content.get("default", {}), **content.get(data, {})}


def _content(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise FileNotFoundError(f"{path.stem} has no settings: write benchmarks/paper/settings/{path.name}")
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = sorted(content.keys() - {"default", *data_names()})
    if unknown:
        raise ValueError(f"{path.name} has a table {unknown[0]!r}; known are default and {', '.join(data_names())}")
    return content
