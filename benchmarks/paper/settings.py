"""What a model is run with: settings/<data>/<model>.toml, written before the run.

`[fixed]` holds what validation does not choose, `[search]` the values of everything that it does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

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
        """Every combination of the search space, the first value of each key first."""
        for values in product(*self.search.values()):
            yield dict(zip(self.search, values, strict=True))

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def load_settings(data: str, model: str) -> Settings:
    path = FOLDER / data / f"{model}.toml"
    if not path.exists():
        raise FileNotFoundError(
            f"{model} has no settings for {data}: write benchmarks/paper/settings/{data}/{path.name}"
        )
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = sorted(content.keys() - Settings.__dataclass_fields__.keys())
    if unknown:
        known = ", ".join(Settings.__dataclass_fields__)
        raise ValueError(f"{data}/{path.name} sets {unknown[0]!r}, which means nothing here; known are {known}")
    return Settings(**content)
