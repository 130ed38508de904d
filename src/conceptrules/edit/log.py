"""A trail as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conceptrules.edit.operations import from_plain
from conceptrules.io.governance import infinite
from conceptrules.model.errors import InputError
from conceptrules.model.text import plural, word
from conceptrules.model.trail import Entry, Plain


def log_text(trail: Sequence[Entry]) -> str:
    """Return the entries of a trail, the first one first."""
    lines = [line for number, entry in enumerate(trail, start=1) for line in _lines(number, entry, trail)]
    return "\n".join(lines) or "the model was never edited"


def edit_text(entry: Entry, trail: Sequence[Entry] = ()) -> str:
    """Return what an entry did, in words."""
    if entry.edit.get("kind") == "undo":
        taken = next((one for one in trail if one.hash == entry.edit.get("entry")), None)
        return "take back" + (f": {edit_text(taken)}" if taken is not None else "")
    try:
        return from_plain(dict(infinite(entry.edit))).text
    except (InputError, TypeError):
        return f"an edit that this version does not know: {str(entry.edit)[:100]}"


def _lines(number: int, entry: Entry, trail: Sequence[Entry]) -> Iterator[str]:
    yield f"{number}. {edit_text(entry, trail)}"
    yield f"   by {entry.who}, {entry.when} UTC" + (f": {entry.why}" if entry.why else "")
    yield f"   {', '.join(_effect(infinite(entry.effect)))}"
    yield f"   {entry.hash}"


def _effect(effect: Plain) -> Iterator[str]:
    if effect.get("rows") is not None:
        moved = sum(change[2] for change in effect["changes"])
        ways = "; ".join(f"{word(one)} -> {word(other)} {count}" for one, other, count, *_ in effect["changes"])
        yield f"{moved:,} of {plural(effect['rows'], 'row')} got another class" + (f" ({ways})" if ways else "")
    known = {True: "every row gets the same class as before", False: "not every row gets the same class as before"}
    yield known.get(effect.get("equivalent"), "whether every row gets the same class was not decided")  # type: ignore[arg-type]
