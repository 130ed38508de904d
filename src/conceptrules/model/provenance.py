"""What can only be known when a network is learned; kept in the model file, for whoever has to trust it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from conceptrules.model.predicate import Value

Setting = Value | None | tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """The network on the rows that chose it. All rows are counted by weight.

    Where the network was learned from these rows too, once they had chosen: the networks learned like it without them.
    """

    source: str
    """Where the rows are from: "held back", "given", or "training" where none could be held back."""
    rows: float
    mllp_f1: float | None
    """Macro-F1 of the continuous network that the rules were read off; None: they were not read off one."""
    crs_f1: float
    """Macro-F1 of the rules."""
    disagreement: float | None
    """The share of rows on which these two answer differently."""
    fires: tuple[float, float, float]
    """The shares of rows on which no class, one, and several fire."""
    reliability: tuple[tuple[float, float, float], ...]
    """Rows by the probability stated for the answer: (its mean, the share that was right, rows)."""


@dataclass(frozen=True, slots=True)
class Training:
    """How a network came about."""

    version: str
    """Of this package."""
    seed: int | None
    """None: it was not given as a whole number, so the fit cannot be repeated."""
    settings: tuple[tuple[str, Setting], ...]
    """What the learner was told, by name, sorted."""
    rows: int
    rate: float | None
    """The binarization rate that was best on the validation rows; None: the rules were not read off weights."""
    epoch: int | None
    """The epoch that was."""
    validation: Validation | None = None
    stability: tuple[tuple[float, ...], ...] = ()
    """[level][rule]: the share of resamples of the training rows on which the network is worse without the rule."""
    fingerprint: tuple[int, ...] = ()
    """The smallest of the 64-bit hashes of the different training rows, sorted: a sample that recognises them."""
    distinct: int = 0
    """How many different training rows there were."""
    categories_dropped: tuple[tuple[str, int], ...] = ()
    """Columns with more categories than are kept, and how many were left out."""
    edge_penalty: float | None = None
    """The penalty of an edge, in rows, that was best on the validation rows; None where edges had none."""
    members: int | None = None
    """How many networks vote in this one, or did before local search made them one; None where edges had no penalty."""


def for_other_rules(training: Training | None) -> Training | None:
    """What is still true when the rules are other ones, or in another order: all but what goes by a rule's number."""
    return training and replace(training, stability=())
