"""The comparison of an export with its network: both answer the same rows, and have to agree on answers and rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrules.export import format_of, load
from conceptrules.export.verify.engine import Answers, ExportEngine, TrialRows, covering_trial, table_trial
from conceptrules.export.wording import rule_ids
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import printable


class MismatchError(ConceptRulesError):
    """The error of an export that does not decide as its network does."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A row on which network and export differ."""

    row: dict[str, Any]
    actual: str
    expected: str

    def __str__(self) -> str:
        values = ", ".join(f"{name!r}: {value!r}" for name, value in self.row.items())
        return printable(f"the export says {self.actual}, the network {self.expected}, on the row {{{values}}}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verification found; `skipped` says why there was none."""

    rows: int
    mismatches: tuple[Mismatch, ...] = ()
    skipped: str | None = None
    claim: str = ""
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
        If the answer or the fired rules of a row differ; the error shows the first such row.
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
    trials = [engine.adapt(network, covering_trial(network, limit), **options)]
    trials += [] if data is None else [table_trial(network, data)]
    trials = [trial.take(np.flatnonzero(engine.holdable(network, trial, **options))) for trial in trials]
    mismatches = [
        mismatch
        for trial in trials
        for mismatch in difference(network, trial, engine.run(network, exported, trial, **options))
    ]
    return Outcome(sum(map(len, trials)), tuple(mismatches), claim=engine.claim(network, **options))


def engine_of(to: str) -> ExportEngine | None:
    """Return what runs a format."""
    path = format_of(to).engine
    engine: ExportEngine | None = None if path is None else load(to, path)()
    return engine


def difference(network: RuleNetwork, trial: TrialRows, actual: Answers) -> list[Mismatch]:
    """Return the rows on which the answers differ from what is expected."""
    expected = trial.expected
    if len(actual.classes) != len(trial):
        raise MismatchError(f"the export answered on {len(actual.classes)} of {len(trial)} rows")
    wrong = actual.classes != expected.classes
    if actual.rules is not None and expected.rules is not None:
        wrong = wrong | (actual.rules != expected.rules).any(axis=1)
    if actual.probabilities is not None and expected.probabilities is not None:
        # Engines add, divide and print in their own ways. A card of two classes only looks its probability up.
        looked_up = network.head is not None and network.head.outputs == 1
        rtol, atol = (0.0, 0.0) if looked_up else (1e-12, 1e-300)
        near = np.isclose(actual.probabilities, expected.probabilities, rtol=rtol, atol=atol)
        wrong = wrong | ~near.all(axis=1)
    if actual.scores is not None and expected.scores is not None:
        wrong = wrong | (actual.scores != expected.scores).any(axis=1)
    if expected.numbers is not None:
        assert actual.numbers is not None
        # Languages differ in the last bits of e to the power of a number, and in nothing else.
        rtol = 1e-12 if network.head and network.head.link == "log" else 0.0
        wrong = wrong | ~np.isclose(actual.numbers, expected.numbers, rtol=rtol, atol=0)
    ids = rule_ids(network)
    return [
        Mismatch(trial.row(row), _answer_text(network, ids, actual, row), _answer_text(network, ids, expected, row))
        for row in np.flatnonzero(wrong).tolist()
    ]


def _answer_text(network: RuleNetwork, ids: Sequence[str], answers: Answers, row: int) -> str:
    index = int(answers.classes[row])
    label = repr(network.classes[index]) if 0 <= index < len(network.classes) else "no class"
    if answers.numbers is not None:
        label = f"the number {float(answers.numbers[row])!r}"
    label += "" if answers.scores is None else f" with the scores {answers.scores[row].tolist()}"
    if answers.rules is None:
        return label
    fired = [name for name, fires in zip(ids, answers.rules[row].tolist(), strict=True) if fires]
    text = f"{label} with the rules {' '.join(fired) or 'none'}"
    return text if answers.probabilities is None else f"{text} and {answers.probabilities[row].tolist()}"
