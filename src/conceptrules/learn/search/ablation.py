"""The ideas of the default recipe. Each can be left out, to see what it is worth; nobody else needs to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ideas:
    """All are in use, unless something else is said."""

    winners: bool = True
    """Who wins is learned; else the rarest class comes first, and the commonest is the default."""
    descent: bool = True
    """Gradient descent finds some of the starts; else all are grown."""
    teacher: bool = True
    """Trees have a second opinion on the class of each row, where that helps."""
    polish: bool = True
    """Local search; else networks stay as they were grown."""
    regrow: bool = True
    """Rules are taken out to grow others in their place."""
    price: float | None = None
    """What an edge costs, in rows; None: held-out rows choose."""
    committees: bool = True
    minimise: bool = True


ALL = Ideas()
