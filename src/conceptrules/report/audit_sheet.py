"""The sentences and small tables of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.explain.auditing import Audit, Overlap
from conceptrules.explain.measurement import Bin
from conceptrules.model.provenance import Training, Validation
from conceptrules.model.text import percent, plural
from conceptrules.report.rule_list import Group, Item
from conceptrules.report.sentences import FEW

_SOURCES = {
    "held back": "held back from the training rows",
    "given": "given for validation",
    "training": "the training rows themselves, since none could be held back",
}
_STEPS = ((0.99, "99% or more"), (0.9, "90 to 99%"), (0.5, "50 to 90%"), (0.0, "under 50%"))
STABLE = 0.9
_MIXED = (
    " The rules were learned from mixed rows as well, with the classes that a forest expects of them; "
    "all figures are of rows of the table."
)


@dataclass(frozen=True, slots=True)
class Fairness:
    """Whether the scores are of rows that the model had not seen."""

    kind: Choice["good", "bad", "open"]
    short: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A range of stability, and how many rules are in it."""

    name: str
    rules: int
    share: float


def fairness(audit: Audit) -> Fairness:
    """Say whether the rows of the report were held out, as far as that is known."""
    if audit.scores is None:
        return Fairness("open", "no rows were given", "Not tested.", "No rows were given to this report.")
    if audit.overlap is None:
        return Fairness(
            "open",
            "perhaps not held out",
            "Not known.",
            "The model file holds no fingerprint of the training rows: it cannot tell whether these were held out.",
        )
    return _overlapping(audit.overlap, audit.scores.rows)


def _overlapping(overlap: Overlap, rows: int) -> Fairness:
    about = "" if overlap.exact else "about "
    count = f"{about}{plural(overlap.rows, 'row')} of {rows:,} ({percent(overlap.share)})"
    if not overlap.rows:
        how = "" if overlap.exact else f", judged by a sample of {plural(overlap.sampled, 'row')}"
        return Fairness("good", "on held-out rows", "Held out.", f"None of the rows is a training row{how}.")
    if overlap.share < FEW:
        text = f"But {count} are equal to training rows; some rows are equal by chance."
        return Fairness("good", "on nearly all held-out rows", "Nearly all held out.", text)
    known = "All of these rows" if overlap.rows >= rows else f"{count[0].upper()}{count[1:]}"
    return Fairness("bad", "not held out", "Not held out.", f"{known} were training rows: new rows may score lower.")


def source(validation: Validation | None) -> str:
    return "" if validation is None else _SOURCES.get(validation.source, validation.source)


def tuned(training: Training) -> str:
    """Say what was chosen, and on which rows."""
    validation = training.validation
    rows = f"{plural(validation.rows, 'row')} {source(validation)}" if validation else ""
    chosen = _what_was_chosen(training)
    if validation is None:
        return f"{chosen} chosen in training; on which rows was not recorded."
    return (
        f"{chosen} the best on {rows}. "
        "Which class wins, the answer for everything else and the cut points come from the training rows. "
        "So scores on any of these rows flatter the model." + (_MIXED if training.augmented else "")
    )


def _what_was_chosen(training: Training) -> str:
    if training.rate is None or training.epoch is None:
        penalty = "" if training.edge_penalty is None else f" ({training.edge_penalty:g} rows)"
        return f"The edge penalty{penalty} was"
    rate, epoch = f"binarization rate ({training.rate:g})", f"epoch ({training.epoch})"
    if isinstance(dict(training.settings).get("binarization_rate"), int | float):
        return f"The {rate} was given. The {epoch} was"
    return f"The {rate} and the {epoch} were"


def reliability(audit: Audit) -> tuple[Bin, ...]:
    """Return the reliability on the rows of the report, or else as it was recorded at fit time."""
    if audit.scores is not None:
        return audit.scores.reliability
    validation = audit.training.validation if audit.training else None
    recorded = validation.reliability if validation else ()
    return tuple(Bin(mean, right, round(rows)) for mean, right, rows in recorded)


def each_rule(groups: Sequence[Group]) -> list[Item]:
    """Return each rule once, though several groups may have it."""
    return list({item.node: item for group in groups for item in group.items}.values())


def stability(items: Sequence[Item]) -> list[Step]:
    """Return how many rules are how stable; nothing if that was not recorded."""
    known = [item.stability for item in items if item.stability is not None]
    above, steps = 2.0, []
    for least, name in _STEPS:
        count = sum(least <= value < above for value in known)
        steps.append(Step(name, count, count / max(len(known), 1)))
        above = least
    return steps if known else []


def shaky(items: Sequence[Item]) -> list[Item]:
    """Return the rules that many resamples can do without, the shakiest first."""
    known = [item for item in items if item.stability is not None and item.stability < STABLE]
    return sorted(known, key=lambda item: item.stability or 0.0)
