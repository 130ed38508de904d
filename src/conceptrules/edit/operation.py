"""What can be done to a network: an operation is a value, with its text, and what it makes of a network."""

from __future__ import annotations

from dataclasses import dataclass

from conceptrules.model.network import RuleNetwork


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit of a network."""

    @property
    def text(self) -> str:
        """What is done, in words."""
        raise NotImplementedError

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        """Return the network after the edit; it need not be in normal form."""
        raise NotImplementedError
