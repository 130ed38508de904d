"""Parts of the search that can be left out to see what each is worth. That is no setting for anybody else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ablation:
    """Which parts of the search are in use: all of them, unless something else is said."""

    priority: bool = True
    """The priority is learned; else the rarest class comes first, and the commonest is the default."""
    descent: bool = True
    """Gradient descent finds some of the starts; else all are grown."""
    noise_filter: bool = True
    """Rows whose class may be chance are left out, where that helps."""
    local_search: bool = True
    """Networks are improved by local search; else they stay as they were grown."""
    regrow: bool = True
    """Rules are taken out to grow others in their place."""
    penalty: float | None = None
    """What an edge costs, in rows; None: held-out rows choose."""
    voting: bool = True
    """Three networks may vote."""
    minimise: bool = True
    """Networks are made as short as they can be said."""


ALL = Ablation()
