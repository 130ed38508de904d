"""The comparison of an export with its network: both answer the same rows, and class and fired rules must be equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from conceptrules.export import format_of
from conceptrules.export.node_names import rule_ids
from conceptrules.export.verify.trial_rows import CLAIM, Answers, Trial, covering_trial, table_trial
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown


class Engine(Protocol):
    """What a module of `engines` must have. `options` are those that the export was made with."""

    def missing(self, **options: Any) -> str | None:
        """Return why this export cannot be run here, with what to install; None if it can."""

    def run(self, network: RuleNetwork, exported: Any, trial: Trial, **options: Any) -> Answers:
        """Return what the export answers on the rows of `trial.values`."""

    # Where the engine's types cannot hold every value, also:
    # def holdable(self, network, trial, **options) -> Bits: which rows it can be given;
    # def cover(self, network, trial, **options) -> Trial: the rows that cover the network, as the engine can have them;
    # and where it shows less of what is exported than class and fired rules:
    # def claim(self, **options) -> str: what it shows.


class MismatchError(ConceptRulesError):
    """The error of an export that does not decide as its network does."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A row on which network and export differ."""

    row: dict[str, Any]
    found: str
    expected: str

    def __str__(self) -> str:
        values = ", ".join(f"{name!r}: {value!r}" for name, value in self.row.items())
        return shown(f"the export says {self.found}, the network {self.expected}, on the row {{{values}}}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verification found; `skipped` says why there was none."""

    rows: int
    mismatches: tuple[Mismatch, ...] = ()
    skipped: str | None = None
    claim: str = CLAIM
    """What was compared, in words."""


def verify(network: RuleNetwork, to: str, exported: Any, *, data: Any = None, **options: Any) -> Outcome:
    """Run an export in its real engine, and raise if it decides otherwise than the network.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    to : str
        The format of the export.
    exported : str or bytes
        What `export` returned.
    data : table, optional
        Further rows to compare on; rows that cover the network are always tried.
    **options
        The options that the export was made with.

    Returns
    -------
    Outcome
        How many rows were compared, or why none were: the engine is not installed, or nothing runs this format.

    Raises
    ------
    MismatchError
        If the class or the fired rules of a row differ; the error shows the first such row.
    """
    outcome = compare(network, to, exported, data=data, **options)
    if outcome.mismatches:
        raise MismatchError(
            f"the export to {to} differs from the network on {len(outcome.mismatches)} of {outcome.rows} rows: "
            f"{outcome.mismatches[0]}; please report this"
        )
    return outcome


def compare(
    network: RuleNetwork, to: str, exported: Any, *, data: Any = None, limit: int = 10_000, **options: Any
) -> Outcome:
    """Run an export as `verify` does, with at most `limit` rows that cover the network, and return what differs."""
    engine = engine_of(to)
    if engine is None:
        return Outcome(0, skipped="it is text for people, which nothing runs")
    reason = engine.missing(**options)
    if reason is not None:
        return Outcome(0, skipped=reason)
    given = [_covering(engine, network, limit, **options), *([] if data is None else [table_trial(network, data)])]
    trials = [_holdable(engine, network, trial, **options) for trial in given]
    found = [difference(network, trial, engine.run(network, exported, trial, **options)) for trial in trials]
    mismatches = tuple(mismatch for some in found for mismatch in some)
    return Outcome(sum(map(len, trials)), mismatches, claim=_claim(engine, **options))


def engine_of(to: str) -> Engine | None:
    """Return the module that runs a format."""
    place = format_of(to).engine
    engine: Any = None if place is None else import_module(place)
    return engine


def _claim(engine: Engine, **options: Any) -> str:
    tell = getattr(engine, "claim", None)
    return CLAIM if tell is None else str(tell(**options))


def _covering(engine: Engine, network: RuleNetwork, limit: int, **options: Any) -> Trial:
    trial = covering_trial(network, limit)
    adapt = getattr(engine, "cover", None)
    adapted: Trial = trial if adapt is None else adapt(network, trial, **options)
    return adapted


def _holdable(engine: Engine, network: RuleNetwork, trial: Trial, **options: Any) -> Trial:
    """Return the rows that can exist in the engine: PostgreSQL, for one, has no text with NUL in it."""
    ask = getattr(engine, "holdable", None)
    return trial if ask is None else trial.take(np.flatnonzero(ask(network, trial, **options)))


def difference(network: RuleNetwork, trial: Trial, found: Answers) -> list[Mismatch]:
    """Return the rows on which the answers differ from what is expected."""
    expected = trial.expected
    if len(found.classes) != len(trial):
        raise MismatchError(f"the export answered on {len(found.classes)} of {len(trial)} rows")
    wrong = found.classes != expected.classes
    if found.rules is not None and expected.rules is not None:
        wrong = wrong | (found.rules != expected.rules).any(axis=1)
    if found.probabilities is not None and expected.probabilities is not None:
        # Ten digits: engines add and print in their own ways.
        near = np.isclose(found.probabilities, expected.probabilities, rtol=1e-10, atol=1e-12)
        wrong = wrong | ~near.all(axis=1)
    ids = rule_ids(network)
    return [
        Mismatch(trial.row(row), _said(network, ids, found, row), _said(network, ids, expected, row))
        for row in np.flatnonzero(wrong).tolist()
    ]


def _said(network: RuleNetwork, ids: Sequence[str], answers: Answers, row: int) -> str:
    index = int(answers.classes[row])
    label = repr(network.classes[index]) if 0 <= index < len(network.classes) else "no class"
    if answers.rules is None:
        return label
    fired = [name for name, fires in zip(ids, answers.rules[row].tolist(), strict=True) if fires]
    told = f"{label} with the rules {' '.join(fired) or 'none'}"
    return told if answers.probabilities is None else f"{told} and {answers.probabilities[row].tolist()}"
