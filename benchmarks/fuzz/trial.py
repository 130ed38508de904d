"""What the loader makes of damaged files."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass, field
from time import process_time

from benchmarks.fuzz.mutate import mutants
from conceptrules.io.model_file import read
from conceptrules.model import ConceptRulesError, RuleNetwork


@dataclass(slots=True)
class Result:
    loaded: int = 0
    refused: int = 0
    predicted: int = 0
    slowest: float = 0.0
    """Seconds of processor time, for loading and predicting."""
    messages: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)
    """Exceptions that are not ours."""

    @property
    def reasons(self) -> int:
        return len(self.messages)


def tried(seeds: list[bytes], count: int, seed: int) -> Result:
    result = Result()
    for number, text in enumerate(mutants(seeds, count, seed)):
        start = process_time()
        try:
            _try(text, result)
        except Exception as error:  # all of them are what we look for
            result.failures.append(f"mutant {number}: {type(error).__name__}: {error}")
        result.slowest = max(result.slowest, process_time() - start)
    return result


def _try(text: bytes, result: Result) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # neither rules changed by hand nor columns by position are the matter here
        try:
            network = read(io.BytesIO(text), "mutant")
        except ConceptRulesError as error:
            result.refused += 1
            result.messages.add(re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "?", str(error)))
            return
        result.loaded += 1
        _predict(network, result)


def _predict(network: RuleNetwork, result: Result) -> None:
    """Two rows without any values, then two whose values may be of the wrong type."""
    network.predict([[None] * len(network.columns)] * 2)
    try:
        network.predict([[1, "nurse", 2.5, True, *[None] * (len(network.columns) - 4)]] * 2)
    except ConceptRulesError:
        return
    result.predicted += 1
