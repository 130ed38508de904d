"""What was proved of a network, as it is kept with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict on one clause, without its counterexample."""

    name: str
    """The name of the clause."""
    text: str
    """What it asks for, in words."""
    outcome: str
    """Whether it is "proved", "refuted" or "undecided"."""
    reason: str
    """What was proved, or why it was not."""


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """The verdicts on all clauses of a policy, and the network that they are about."""

    hash: str
    """The content hash of that network."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict for each clause."""

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import proof_html

        return proof_html(self)
